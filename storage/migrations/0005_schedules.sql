-- Messages that go into a thread at a time to come.

create table schedules (
	n             integer primary key, -- oldest first
	id            text    not null unique,
	thread        integer not null references threads (n) on delete cascade,
	agent_name    text    not null,
	user_id       text    not null,
	message       text    not null,
	cron          text    not null, -- empty fires once
	zone          text    not null, -- in which cron is read
	next_ms       integer not null,
	created_at_ms integer not null
) strict;

create index schedules_of_thread on schedules (thread);
