-- Rules allow calls in a person's place.

create table rules (
	n               integer primary key, -- oldest first, as they are asked
	id              text    not null unique,
	name            text    not null unique,
	tool_name       text    not null,
	agent_name      text    not null, -- empty is every agent
	conditions      text    not null, -- JSON
	created_at_ms   integer not null,
	expires_at_ms   integer not null, -- 0 is never
	enabled         integer not null,
	uses            integer not null,
	last_used_at_ms integer not null  -- 0 is never
) strict;
