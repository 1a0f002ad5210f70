-- Notes of the memory tools.

create table notes (
	n             integer primary key, -- oldest first
	id            text    not null unique,
	user_id       text    not null,
	agent_name    text    not null,
	text          text    not null,
	tags          text    not null, -- JSON
	created_at_ms integer not null
) strict;

create index notes_of_owner on notes (user_id, agent_name);

-- What they are found by: words as the tools cut them, with a space between, which is all the tokenizer sees to.
create virtual table note_words using fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');

create trigger notes_deleted after delete on notes begin
	delete from note_words where rowid = old.n;
end;
