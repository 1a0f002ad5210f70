-- What a model's server gives with a call and wants back with it.

alter table message_calls add column extra text not null default ''; -- JSON, byte for byte; empty: nothing
