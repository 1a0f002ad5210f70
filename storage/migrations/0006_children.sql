-- Agents that work inside calls of a run: who made a call, who asked, and what they said.

alter table calls add column parent_tool_call_id text not null default ''; -- empty: the run's own agent made it
alter table requests add column parent_tool_call_id text not null default '';

-- What was said inside a call, in its order. It is no part of the thread's history.
create table child_messages (
	run                 integer not null references runs (n) on delete cascade,
	i                   integer not null, -- from 1
	parent_tool_call_id text    not null,
	message             text    not null, -- its id: of a row of messages
	primary key (run, i)
) strict, without rowid;
