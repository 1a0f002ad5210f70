-- A thread, its runs, and the numbered log of each run. Rows refer to each other by n, a small integer; ids are for the outside.

create table threads (
	n             integer primary key,
	id            text    not null unique,
	title         text    not null default '', -- of its first user message
	name          text    not null default '', -- given by a person; wins over title
	search        text    not null default '', -- what is shown, in lower case
	settings      text,                        -- JSON
	created_at_ms integer not null,
	updated_at_ms integer not null             -- by what no run did; a run has its own
) strict;

create table runs (
	n             integer primary key, -- oldest first
	id            text    not null unique,
	thread        integer not null references threads (n) on delete cascade,
	agent_name    text    not null,
	status        text    not null,
	message_id    text    not null,
	turn          integer not null,
	call_count    integer not null,
	usage         text, -- JSON
	error         text    not null,
	error_code    text    not null,
	created_at_ms integer not null,
	updated_at_ms integer not null
) strict;

create index runs_of_thread on runs (thread);

-- Apart from runs, whose rows are written with every batch.
create table run_inputs (
	run     integer primary key references runs (n) on delete cascade,
	input   text not null,
	context text -- JSON
) strict;

create table events (
	run   integer not null references runs (n) on delete cascade,
	seq   integer not null,
	json  text    not null,
	parts text, -- where blobs belong in json: "offset:blob", separated by spaces
	primary key (run, seq)
) strict, without rowid;

-- Large JSON values, each stored once.
create table blobs (
	n          integer primary key,
	hash       text not null unique, -- hex SHA-256
	media_type text not null,
	body       blob not null
) strict;

create table blob_uses (
	thread integer not null references threads (n) on delete cascade,
	blob   integer not null references blobs (n),
	primary key (thread, blob)
) strict, without rowid;

create index blob_uses_of_blob on blob_uses (blob);

-- What models read and write, but for the results of calls, which the ledger has.
create table messages (
	thread         integer not null references threads (n) on delete cascade,
	id             text    not null,
	role           text    not null,
	content        text    not null,
	reasoning      text    not null,
	tool_call_id   text    not null,
	tool_name      text    not null,
	run_id         text    not null,
	at_ms          integer not null,
	metadata       text, -- JSON
	metadata_parts text, -- as events.parts
	primary key (thread, id)
) strict, without rowid;

-- The calls an assistant's message makes, in its order.
create table message_calls (
	thread      integer not null references threads (n) on delete cascade,
	message     text    not null,
	i           integer not null,
	id          text    not null,
	provider_id text    not null,
	name        text    not null,
	arguments   text    not null,
	primary key (thread, message, i)
) strict, without rowid;

-- What a model reads next time, in its order.
create table history (
	thread  integer not null references threads (n) on delete cascade,
	pos     integer not null,
	message text    not null, -- its id: of a row of messages, or with run and call of the result of that call
	run     integer,
	call    integer,
	primary key (thread, pos)
) strict, without rowid;

-- The ledger: a call is in it before it starts, and its end before anyone is told. Its result is a message from then on, and
-- enters the history later.
create table calls (
	run           integer not null references runs (n) on delete cascade,
	i             integer not null, -- from 1, in the order they were written first
	tool_call_id  text    not null,
	tool_name     text    not null,
	turn          integer not null,
	state         text    not null,
	proposed      text    not null,
	executed      text, -- null is the same as proposed
	started_at_ms integer not null,
	ended_at_ms   integer not null,
	-- The result, null before the end; tool_call_id and tool_name are the call's.
	message        text, -- its id
	content        text,
	at_ms          integer,
	metadata       text, -- JSON
	metadata_parts text, -- as events.parts
	primary key (run, i)
) strict, without rowid;

create table approvals (
	n                   integer primary key,
	id                  text    not null unique,
	run                 integer not null references runs (n) on delete cascade,
	agent_name          text    not null,
	tool_call_id        text    not null,
	parent_tool_call_id text    not null,
	tool_name           text    not null,
	kind                text    not null,
	description         text    not null,
	arguments           text, -- JSON, a parsed copy
	arguments_text      text    not null,
	arguments_hash      text    not null,
	side_effects        text, -- JSON
	presentation        text, -- JSON
	details             text, -- JSON
	since_ms            integer not null,
	expires_at_ms       integer not null, -- 0 is never
	decision            text, -- JSON; null while it waits
	decided_arguments   text,
	decided_result      text, -- JSON
	decided_at_ms       integer not null
) strict;

create index approvals_of_run on approvals (run);

-- One try of a turn: what was sent, as a difference to the request before it in the run.
create table requests (
	run        integer not null references runs (n) on delete cascade,
	turn       integer not null,
	try        integer not null,
	agent_name text    not null,
	at_ms      integer not null,
	keep       integer, -- null while nothing was sent
	tail       blob,
	primary key (run, turn, try)
) strict, without rowid;

-- What came back: pieces with their moments (received.go).
create table received (
	run    integer not null references runs (n) on delete cascade,
	turn   integer not null,
	try    integer not null,
	i      integer not null,
	pieces blob    not null,
	primary key (run, turn, try, i)
) strict, without rowid;

create table settings (
	key   text primary key,
	value text not null -- JSON
) strict, without rowid;
