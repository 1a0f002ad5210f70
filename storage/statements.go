package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// conn is what the driver's connections can do. The writer has one of its own, without database/sql: at the size of its
// statements the pool would be half of the cost.
type conn interface {
	driver.Conn
	driver.ExecerContext
	driver.ConnPrepareContext
}

// statements are what the writer prepared, once.
type statements struct {
	all []*statement

	beginTx, commitTx, rollbackTx, dataVersion *statement

	findThread, insertThread, touchThread, titleThread, nameThread, threadSettings, deleteThread *statement
	liveRuns, usesBlobs, deleteBlobs                                                             *statement
	findRun, insertRun, insertInput, updateRun                                                   *statement
	insertEvent, findBlob, insertBlob, useBlob                                                   *statement
	insertMessage, insertImage, insertMessageCall, inHistory, insertHistory                      *statement
	insertChild, findCalls, insertCall, updateCall, putApproval                                  *statement
	findRequest, insertRequest, sentRequest, insertReceived, putSetting                          *statement
	putRule, useRule, deleteRule                                                                 *statement
	insertNote, insertNoteWords, deleteNote, dropNote                                            *statement
	insertSchedule, moveSchedule, deleteSchedule                                                 *statement
	sameRun, sameMessage, putMark, putSearchCall, freeEntry, insertEntry, entriesOfCall          *statement
	insertGrams, deleteGrams, putName                                                            *statement
}

func (w *writer) prepare() error {
	for _, p := range []struct {
		to   **statement
		text string
	}{
		{&w.beginTx, `begin immediate`},
		{&w.commitTx, `commit`},
		{&w.rollbackTx, `rollback`},
		{&w.dataVersion, `pragma data_version`},

		{&w.findThread, `select n, title, name, updated_at_ms, (select coalesce(max(pos), 0) + 1 from history where thread = n)
			from threads where id = ?`},
		{&w.insertThread, `insert into threads (id, created_at_ms, updated_at_ms) values (?, ?, ?)`},
		{&w.touchThread, `update threads set updated_at_ms = ? where n = ?`},
		{&w.titleThread, `update threads set title = ?, search = ? where n = ?`},
		{&w.nameThread, `update threads set name = ?, search = ? where n = ?`},
		{&w.threadSettings, `update threads set settings = ? where n = ?`},
		{&w.deleteThread, `delete from threads where n = ?`},
		{&w.liveRuns, `select count(*) from runs where thread = ? and status = ?`},
		{&w.usesBlobs, `select count(*) from blob_uses where thread = ?`},
		{&w.deleteBlobs, `delete from blobs where n not in (select blob from blob_uses)`},

		{&w.findRun, `select r.n, t.id, (select coalesce(max(seq), 0) from events where run = r.n)
			from runs r join threads t on t.n = r.thread where r.id = ?`},
		{&w.insertRun, `insert into runs (id, thread, agent_name, status, message_id, turn, call_count, usage, error, error_code,
			created_at_ms, updated_at_ms) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.insertInput, `insert into run_inputs (run, input, context) values (?, ?, ?)`},
		{&w.updateRun, `update runs set agent_name = ?, status = ?, message_id = ?, turn = ?, call_count = ?, usage = ?, error = ?,
			error_code = ?, created_at_ms = ?, updated_at_ms = ? where n = ?`},

		{&w.insertEvent, `insert into events (run, seq, json, parts) values (?, ?, ?, ?)`},
		{&w.findBlob, `select n from blobs where hash = ?`},
		{&w.insertBlob, `insert into blobs (hash, media_type, body) values (?, ?, cast(? as blob))`},
		{&w.useBlob, `insert into blob_uses (thread, blob) values (?, ?) on conflict do nothing`},

		{&w.insertMessage, `insert into messages (thread, id, role, content, reasoning, tool_call_id, tool_name, run_id, at_ms,
			metadata, metadata_parts) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`},
		{&w.insertImage, `insert into message_images (thread, message, i, blob, width, height) values (?, ?, ?, ?, ?, ?)
			on conflict do nothing`},
		{&w.insertMessageCall, `insert into message_calls (thread, message, i, id, provider_id, name, arguments, extra)
			values (?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.inHistory, `select count(*) from history where thread = ? and message = ?`},
		{&w.insertHistory, `insert into history (thread, pos, message, run, call) values (?, ?, ?, ?, ?)`},
		{&w.insertChild, `insert into child_messages (run, i, parent_tool_call_id, message)
			select ?1, coalesce(max(i), 0) + 1, ?2, ?3 from child_messages where run = ?1`},

		{&w.findCalls, `select tool_call_id, i, message from calls where run = ?`},
		{&w.insertCall, `insert into calls (tool_name, turn, state, proposed, executed, started_at_ms, ended_at_ms, message, content, at_ms,
			metadata, metadata_parts, run, i, tool_call_id, parent_tool_call_id)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.updateCall, `update calls set tool_name = ?, turn = ?, state = ?, proposed = ?, executed = ?, started_at_ms = ?,
			ended_at_ms = ?, message = ?, content = ?, at_ms = ?, metadata = ?, metadata_parts = ? where run = ? and i = ?`},
		{&w.putApproval, `insert into approvals (id, run, agent_name, tool_call_id, parent_tool_call_id, tool_name, kind, description,
			arguments, arguments_text, arguments_hash, side_effects, presentation, details, since_ms, expires_at_ms, decision,
			decided_arguments, decided_result, decided_at_ms)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do update set
			agent_name = excluded.agent_name, tool_call_id = excluded.tool_call_id,
			parent_tool_call_id = excluded.parent_tool_call_id, tool_name = excluded.tool_name, kind = excluded.kind,
			description = excluded.description, arguments = excluded.arguments, arguments_text = excluded.arguments_text,
			arguments_hash = excluded.arguments_hash, side_effects = excluded.side_effects, presentation = excluded.presentation,
			details = excluded.details, since_ms = excluded.since_ms, expires_at_ms = excluded.expires_at_ms,
			decision = excluded.decision, decided_arguments = excluded.decided_arguments,
			decided_result = excluded.decided_result, decided_at_ms = excluded.decided_at_ms`},

		{&w.findRequest, `select (select coalesce(max(i), 0) + 1 from received r where r.run = q.run and r.turn = q.turn and r.try = q.try)
			from requests q where run = ? and turn = ? and try = ?`},
		{&w.insertRequest, `insert into requests (run, turn, try, agent_name, at_ms, parent_tool_call_id, keep, tail)
			values (?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.sentRequest, `update requests set keep = ?, tail = ? where run = ? and turn = ? and try = ?`},
		{&w.insertReceived, `insert into received (run, turn, try, i, pieces) values (?, ?, ?, ?, ?)`},
		{&w.putSetting, `insert into settings (key, value) values (?, ?) on conflict (key) do update set value = excluded.value`},

		{&w.putRule, `insert into rules (id, name, tool_name, agent_name, conditions, created_at_ms, expires_at_ms, enabled, uses,
			last_used_at_ms) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do update set
			name = excluded.name, expires_at_ms = excluded.expires_at_ms, enabled = excluded.enabled`},
		{&w.useRule, `update rules set uses = uses + 1, last_used_at_ms = ?1
			where id = ?2 and enabled = 1 and (expires_at_ms = 0 or expires_at_ms > ?1)`},
		{&w.deleteRule, `delete from rules where id = ?`},

		{&w.insertNote, `insert into notes (id, user_id, agent_name, text, tags, created_at_ms) values (?, ?, ?, ?, ?, ?)`},
		{&w.insertNoteWords, `insert into note_words (rowid, words) values (?, ?)`},
		{&w.deleteNote, `delete from notes where id = ? and user_id = ? and agent_name = ?`},
		{&w.dropNote, `delete from notes where id = ?`},

		{&w.insertSchedule, `insert into schedules (id, thread, agent_name, user_id, message, cron, zone, next_ms, created_at_ms)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.moveSchedule, `update schedules set next_ms = ? where id = ?`},
		{&w.deleteSchedule, `delete from schedules where id = ?`},

		{&w.sameRun, `select count(*) from runs where n = ? and id = ?`},
		{&w.sameMessage, `select count(*) from messages where thread = ? and id = ?`},
		{&w.putMark, `insert into search_marks (run, last) values (?, ?) on conflict (run) do update set last = excluded.last`},
		{&w.putSearchCall, `insert into search_calls (run, tool_call_id, tool_name, label, state) values (?, ?, ?, ?, ?)
			on conflict (run, tool_call_id) do update set tool_name = excluded.tool_name, label = excluded.label, state = excluded.state`},
		{&w.freeEntry, `select coalesce(max(n) + 1, ?1) from search_entries where n between ?1 and ?1 + 7`},
		{&w.insertEntry, `insert into search_entries (n, run, thread, message, seq, at_ms, kind, agent_name, tool_call_id, text)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.entriesOfCall, `select n, seq, kind from search_entries where run = ? and tool_call_id = ?`},
		{&w.insertGrams, `insert into search_grams (rowid, grams) values (?, ?)`},
		{&w.deleteGrams, `delete from search_grams where rowid = ?`},
		{&w.putName, `insert into search_names (kind, name, label) values (?, ?, ?)
			on conflict (kind, name) do update set label = excluded.label where label = '' and excluded.label != ''`},
	} {
		s, err := prepare(w.conn, p.text)
		if err != nil {
			return fmt.Errorf("prepare %q: %w", p.text, explain(err))
		}
		*p.to = s
		w.all = append(w.all, s)
	}
	return nil
}

func (s *statements) close() error {
	var errs []error
	for _, one := range s.all {
		errs = append(errs, one.stmt.Close())
	}
	s.all = nil
	return errors.Join(errs...)
}

// statement is a prepared statement and room for its arguments, which are int64, string, []byte or nil.
type statement struct {
	stmt interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}
	args []driver.NamedValue
}

func prepare(c conn, text string) (*statement, error) {
	stmt, err := c.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	full, ok := stmt.(interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	})
	if !ok {
		return nil, errors.Join(errors.New("the driver's statements take no context"), stmt.Close())
	}
	return &statement{stmt: full}, nil
}

func (s *statement) bind(values []driver.Value) []driver.NamedValue {
	s.args = s.args[:0]
	for i, v := range values {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return s.args
}

// exec runs a statement that gives no rows.
func (s *statement) exec(values ...driver.Value) (driver.Result, error) {
	result, err := s.stmt.ExecContext(context.Background(), s.bind(values))
	clear(s.args)
	return result, err
}

// insert runs an insertion and returns the new row's n.
func (s *statement) insert(values ...driver.Value) (int64, error) {
	result, err := s.exec(values...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// each reads rows into dest and runs a function after each.
func (s *statement) each(dest []driver.Value, do func(), values ...driver.Value) error {
	rows, err := s.stmt.QueryContext(context.Background(), s.bind(values))
	clear(s.args)
	if err != nil {
		return err
	}
	for err = rows.Next(dest); err == nil; err = rows.Next(dest) {
		do()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, rows.Close())
}

// row reads the first row into dest; found is false when there is none.
func (s *statement) row(dest []driver.Value, values ...driver.Value) (found bool, err error) {
	rows, err := s.stmt.QueryContext(context.Background(), s.bind(values))
	clear(s.args)
	if err != nil {
		return false, err
	}
	switch err := rows.Next(dest); {
	case errors.Is(err, io.EOF):
		return false, rows.Close()
	case err != nil:
		return false, errors.Join(err, rows.Close())
	}
	return true, rows.Close()
}

// number reads a single integer; 0 when there is no row.
func (s *statement) number(values ...driver.Value) (int64, error) {
	dest := make([]driver.Value, 1)
	if _, err := s.row(dest, values...); err != nil {
		return 0, err
	}
	n, _ := dest[0].(int64)
	return n, nil
}

// exec runs statements without arguments.
func (w *writer) exec(text string) error {
	_, err := w.conn.ExecContext(context.Background(), text, nil)
	return err
}

// number runs a query that gives a single integer.
func (w *writer) number(query string) (n int64, err error) {
	s, err := prepare(w.conn, query)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.stmt.Close()) }()
	return s.number()
}
