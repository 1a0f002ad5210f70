-- The search finds more: the details of results, progress, and messages that no run has. The index is made anew, of the events and
-- the messages, once the database is open.

drop trigger search_entries_deleted;
drop table search_marks;
drop table search_calls;
drop table search_entries;
drop table search_grams;
drop table search_names;

-- How far the events of a run are in it.
create table search_marks (
	run  integer primary key references runs (n) on delete cascade,
	last integer not null -- the number of an event
) strict;

-- The calls as far as they are in it, dropped ones too.
create table search_calls (
	run          integer not null references runs (n) on delete cascade,
	tool_call_id text    not null,
	tool_name    text    not null,
	label        text    not null, -- of its presentation
	state        text    not null,
	primary key (run, tool_call_id)
) strict, without rowid;

-- A text that is found: a message, a part of an answer, the arguments of a call, its progress, what came of it.
create table search_entries (
	n            integer primary key, -- newest last: its moment in ms times 8, or the next that is free
	run          integer references runs (n) on delete cascade,    -- null: of no run, but a message
	thread       integer references threads (n) on delete cascade, -- of such a message, else null
	message      text,             -- its id, else null
	seq          integer not null, -- the event that has the text, or with which it was complete; 0 of such a message
	at_ms        integer not null,
	kind         text    not null,
	agent_name   text    not null,
	tool_call_id text    not null, -- empty: of no call
	text         text              -- null: the event or the message has it
) strict;

create index search_entries_of_run on search_entries (run, tool_call_id) where run is not null;
create index search_entries_of_message on search_entries (thread, message) where thread is not null;

-- The messages that no event tells.
create index messages_of_no_run on messages (thread) where run_id = '';

-- By what it is found: every one, two and three characters that stand together in a word of it, folded, and "kind=", "state=",
-- "tool=" and "agent=" with a name in hex. A gram holds no space; the tokenizer takes all other signs for letters.
create virtual table search_grams using fts5 (grams, content = '', contentless_delete = 1, detail = none,
	tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'");

create trigger search_entries_deleted after delete on search_entries begin
	delete from search_grams where rowid = old.n;
end;

-- The names of tools and agents in it, for those who choose among them.
create table search_names (
	kind  text not null, -- tool or agent
	name  text not null,
	label text not null default '', -- of a tool: the first that a call of it was shown by
	primary key (kind, name)
) strict, without rowid;
