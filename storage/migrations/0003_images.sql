-- What tool messages show, in their order. The messages of running calls are in the ledger.

create table message_images (
	thread  integer not null references threads (n) on delete cascade,
	message text    not null, -- its id
	i       integer not null,
	blob    integer not null references blobs (n),
	width   integer not null, -- in pixels, 0 where that is not known
	height  integer not null,
	primary key (thread, message, i)
) strict, without rowid;

create index message_images_of_blob on message_images (blob);
