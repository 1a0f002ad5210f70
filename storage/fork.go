package storage

import (
	"context"
	"crypto/rand"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Fork says what a thread is copied to.
type Fork struct {
	ThreadID  string
	MessageID string          // of the user; what came before this message is copied
	NewID     string          // of the copy; no thread has it
	Settings  json.RawMessage // of the copy
	AtMs      int64           // when the copy was made
}

// ForkThread copies a thread up to a message of its user, in one transaction: the runs, events, ledger, approvals, requests and
// history before it, under new ids. It returns ErrNotFound for a thread without such a message, and ErrBusy while a run before the
// message is not over.
func (db *DB) ForkThread(_ context.Context, f Fork) error {
	return db.change("fork thread "+f.ThreadID, func(w *writer) error {
		source, err := w.knownThread(f.ThreadID)
		if err != nil {
			return err
		}
		c := &copying{w: w, from: source}
		if err := c.look(f.MessageID); err != nil {
			return err
		}
		return c.copy(f)
	})
}

// copying is a fork under way. Its statements are prepared when they are needed: forks are rare.
type copying struct {
	w        *writer
	from, to *threadRow
	pos      int64 // of the message, in the history
	titled   bool  // a message of the user stands before it
	runs     []copiedRun
}

type copiedRun struct {
	n  int64
	id string

	fresh   int64
	freshID string
}

// look finds what is to be copied, and refuses before anything is written.
func (c *copying) look(messageID string) error {
	const messages = ` from history h join messages m on m.thread = h.thread and m.id = h.message where h.thread = ?1 and h.run is null `
	dest := make([]driver.Value, 3)
	user := string(model.RoleUser)
	err := c.w.query(dest[:1], func() { c.pos = integer(dest[0]) }, `select h.pos`+messages+`and h.message = ?2 and m.role = ?3`,
		c.from.n, messageID, user)
	if err != nil {
		return err
	}
	if c.pos == 0 {
		return refusal{fmt.Errorf("message %s of the user: %w", messageID, agent.ErrNotFound)}
	}
	busy := false
	err = c.w.query(dest, func() {
		c.runs = append(c.runs, copiedRun{n: integer(dest[0]), id: str(dest[1])})
		busy = busy || !protocol.Status(str(dest[2])).Ended()
	}, `select n, id, status from runs where thread = ?1 and id in (select m.run_id`+messages+`and h.pos < ?2) order by n`,
		c.from.n, c.pos)
	if err != nil {
		return err
	}
	if busy {
		return refusal{agent.ErrBusy}
	}
	return c.w.query(dest[:1], func() { c.titled = true }, `select 1`+messages+`and h.pos < ?2 and m.role = ?3 limit 1`,
		c.from.n, c.pos, user)
}

func (c *copying) copy(f Fork) (err error) {
	if err := c.copyThread(f); err != nil {
		return err
	}
	if err := c.w.exec(`create temp table copied (n integer primary key, id text unique, fresh integer, fresh_id text) strict`); err != nil {
		return err
	}
	for i := range c.runs {
		if err := c.copyRun(&c.runs[i]); err != nil {
			return fmt.Errorf("run %s: %w", c.runs[i].id, err)
		}
	}
	for _, text := range copyRows {
		if err := c.w.execute(text, c.from.n, c.to.n, c.pos); err != nil {
			return err
		}
	}
	if err := c.w.exec(`drop table temp.copied`); err != nil {
		return err
	}
	for i := range c.runs {
		approvals, err := c.copyApprovals(&c.runs[i])
		if err == nil {
			err = c.rewriteEvents(&c.runs[i], f.NewID, approvals)
		}
		c.w.grown = append(c.w.grown, c.runs[i].fresh)
		if err != nil {
			return fmt.Errorf("run %s: %w", c.runs[i].id, err)
		}
	}
	c.w.grown = append(c.w.grown, messagesOf(c.to.n))
	return c.useBlobs()
}

func (c *copying) copyThread(f Fork) (err error) {
	if c.to, err = c.w.newThread(f.NewID, f.AtMs, f.AtMs); err != nil {
		return err
	}
	c.to.next = c.pos
	_, err = c.w.threadSettings.exec(value(f.Settings), c.to.n)
	if err == nil && c.titled {
		err = c.w.setTitle(c.to, c.from.title)
	}
	if err == nil && c.from.name != "" {
		err = c.w.setName(c.to, c.from.name)
	}
	return err
}

func (c *copying) copyRun(r *copiedRun) (err error) {
	r.freshID = freshID("run")
	err = c.w.execute(`insert into runs (id, thread, agent_name, status, message_id, turn, call_count, usage, error, error_code,
		created_at_ms, updated_at_ms) select ?2, ?3, agent_name, status, message_id, turn, call_count, usage, error, error_code,
		created_at_ms, updated_at_ms from runs where n = ?1`, r.n, r.freshID, c.to.n)
	if err == nil {
		r.fresh, err = c.w.number(`select last_insert_rowid()`)
	}
	if err != nil {
		return err
	}
	return c.w.execute(`insert into copied values (?1, ?2, ?3, ?4)`, r.n, r.id, r.fresh, r.freshID)
}

// copyRows copies what belongs to the copied runs, and the messages before the one at ?3 from thread ?1 to ?2.
var copyRows = []string{
	`insert into run_inputs (run, input, context) select fresh, input, context from copied join run_inputs on run = n`,
	`insert into events (run, seq, json, parts) select fresh, seq, json, parts from copied join events on run = n`,
	`insert into calls (run, i, tool_call_id, parent_tool_call_id, tool_name, turn, state, proposed, executed, started_at_ms, ended_at_ms,
		message, content, at_ms, metadata, metadata_parts) select fresh, i, tool_call_id, parent_tool_call_id, tool_name, turn, state,
		proposed, executed, started_at_ms, ended_at_ms, ` + renamed("message") + `, content, at_ms, metadata, metadata_parts
		from copied r join calls on run = n`,
	`insert into requests (run, turn, try, agent_name, at_ms, parent_tool_call_id, keep, tail)
		select fresh, turn, try, agent_name, at_ms, parent_tool_call_id, keep, tail from copied join requests on run = n`,
	`insert into received (run, turn, try, i, pieces) select fresh, turn, try, i, pieces from copied join received on run = n`,
	`insert into messages (thread, id, role, content, reasoning, tool_call_id, tool_name, run_id, at_ms, metadata, metadata_parts)
		select ?2, ` + renamed("m.id") + `, role, content, reasoning, tool_call_id, tool_name, coalesce(r.fresh_id, run_id), at_ms,
		metadata, metadata_parts` + fromMessages,
	`insert into message_images (thread, message, i, blob, width, height) select ?2, ` + renamed("i.message") + `, i.i, i.blob, i.width,
		i.height from message_images i
		left join (select c.message, r.id, r.fresh_id from copied r join calls c on c.run = r.n) r on r.message = i.message
		where i.thread = ?1 and (r.id is not null
			or i.message in (select message from history where thread = ?1 and pos < ?3 and run is null))`,
	`insert into messages (thread, id, role, content, reasoning, tool_call_id, tool_name, run_id, at_ms, metadata, metadata_parts)
		select ?2, ` + renamed("m.id") + `, role, content, reasoning, tool_call_id, tool_name, coalesce(r.fresh_id, run_id), at_ms,
		metadata, metadata_parts` + fromChildren,
	`insert into child_messages (run, i, parent_tool_call_id, message) select r.fresh, c.i, c.parent_tool_call_id, ` + renamed("m.id") + fromChildren,
	`insert into message_images (thread, message, i, blob, width, height) select ?2, ` + renamed("i.message") + `, i.i, i.blob, i.width,
		i.height from copied r join calls c on c.run = r.n and c.parent_tool_call_id != ''
		join message_images i on i.thread = ?1 and i.message = c.message`,
	`insert into message_calls (thread, message, i, id, provider_id, name, arguments, extra) select ?2, ` + renamed("k.message") + `, k.i, k.id,
		k.provider_id, k.name, k.arguments, k.extra` + fromChildren + ` join message_calls k on k.thread = ?1 and k.message = m.id`,
	`insert into message_calls (thread, message, i, id, provider_id, name, arguments, extra) select ?2, ` + renamed("c.message") + `, c.i, c.id,
		c.provider_id, c.name, c.arguments, c.extra from (select m.id as message, m.run_id` + fromMessages + `) m
		join message_calls c on c.thread = ?1 and c.message = m.message left join copied r on r.id = m.run_id`,
	`insert into history (thread, pos, message, run, call) select ?2, pos, ` + renamed("m.id") + `, null, null` + fromMessages,
	`insert into history (thread, pos, message, run, call) select ?2, pos, ` + renamed("message") + `, fresh, call
		from history h join copied r on r.n = h.run where h.thread = ?1 and h.pos < ?3`,
}

const fromMessages = ` from history h join messages m on m.thread = h.thread and m.id = h.message left join copied r on r.id = m.run_id
	where h.thread = ?1 and h.pos < ?3 and h.run is null`

const fromChildren = ` from copied r join child_messages c on c.run = r.n join messages m on m.thread = ?1 and m.id = c.message`

// renamed is a message's id in the copy: one that begins with the id of its run begins with that of the run's copy.
func renamed(id string) string {
	return `case when substr(` + id + `, 1, length(r.id)) = r.id then r.fresh_id || substr(` + id + `, length(r.id) + 1) else ` + id + ` end`
}

// copyApprovals returns the copies' ids by those of the approvals.
func (c *copying) copyApprovals(r *copiedRun) (map[string]string, error) {
	fresh := map[string]string{}
	var ids []string
	dest := make([]driver.Value, 1)
	err := c.w.query(dest, func() { ids = append(ids, str(dest[0])) }, `select id from approvals where run = ?1 order by n`, r.n)
	for _, id := range ids {
		if err != nil {
			break
		}
		fresh[id] = freshID("apr")
		err = c.w.execute(`insert into approvals (id, run, agent_name, tool_call_id, parent_tool_call_id, tool_name, kind, description,
			arguments, arguments_text, arguments_hash, side_effects, presentation, details, since_ms, expires_at_ms, decision,
			decided_arguments, decided_result, decided_at_ms) select ?1, ?2, agent_name, tool_call_id, parent_tool_call_id, tool_name,
			kind, description, arguments, arguments_text, arguments_hash, side_effects, presentation, details, since_ms, expires_at_ms,
			decision, decided_arguments, decided_result, decided_at_ms from approvals where id = ?3`, fresh[id], r.fresh, id)
	}
	return fresh, err
}

// rewriteEvents puts the new ids into those events of a run that tell ids; all others stay as they are, byte for byte.
func (c *copying) rewriteEvents(r *copiedRun, threadID string, approvals map[string]string) error {
	type row struct {
		seq   int64
		json  string
		parts driver.Value
	}
	var rows []row
	dest := make([]driver.Value, 3)
	err := c.w.query(dest, func() { rows = append(rows, row{integer(dest[0]), str(dest[1]), dest[2]}) }, `select seq, json, parts from events
		where run = ?1 and (json glob '{"type":"start",*' or json glob '{"type":"finish",*' or json glob '{"type":"approval-required",*'
		or json glob '{"type":"call-state",*')`, r.fresh)
	if err != nil {
		return err
	}
	for _, row := range rows {
		text, err := c.w.whole(row.json, row.parts)
		if err != nil {
			return fmt.Errorf("event %d: %w", row.seq, err)
		}
		f, err := protocol.DecodeFrame(row.seq, text)
		if err != nil || !protocol.Rename(f.Event, threadID, r.freshID, func(old string) string { return approvals[old] }) {
			continue // what is no event tells no ids
		}
		if text, err = f.AppendJSON(nil); err != nil {
			return fmt.Errorf("event %d: %w", row.seq, err)
		}
		rest, parts := cut(string(text))
		placed, err := c.w.keep(c.to, parts)
		if err == nil {
			err = c.w.execute(`update events set json = ?3, parts = ?4 where run = ?1 and seq = ?2`, r.fresh, row.seq, rest, placed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// useBlobs notes which large values the copy holds.
func (c *copying) useBlobs() error {
	blobs := map[int64]struct{}{}
	dest := make([]driver.Value, 1)
	err := c.w.query(dest, func() {
		for _, p := range places(str(dest[0])) {
			blobs[p.blob] = struct{}{}
		}
	}, `select parts from runs r join events e on e.run = r.n where r.thread = ?1 and parts is not null
		union all select metadata_parts from runs r join calls c on c.run = r.n where r.thread = ?1 and metadata_parts is not null
		union all select metadata_parts from messages where thread = ?1 and metadata_parts is not null
		union all select '0:' || blob from message_images where thread = ?1`, c.to.n)
	for n := range blobs {
		if err != nil {
			break
		}
		_, err = c.w.useBlob.exec(c.to.n, n)
	}
	return err
}

// freshID makes an id that no other row has.
func freshID(prefix string) string { return prefix + "_" + strings.ToLower(rand.Text()) }

// query runs a query that is not prepared, and a function after each row that was read into dest.
func (w *writer) query(dest []driver.Value, do func(), text string, values ...driver.Value) (err error) {
	s, err := prepare(w.conn, text)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stmt.Close()) }()
	return s.each(dest, do, values...)
}

// execute runs a statement that is not prepared.
func (w *writer) execute(text string, values ...driver.Value) (err error) {
	s, err := prepare(w.conn, text)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stmt.Close()) }()
	_, err = s.exec(values...)
	return err
}

// whole is a text with the blobs that belong in it.
func (w *writer) whole(rest string, parts driver.Value) ([]byte, error) {
	if parts == nil {
		return []byte(rest), nil
	}
	return join([]byte(rest), str(parts), func(n int64) (body []byte, err error) {
		dest := make([]driver.Value, 1)
		err = w.query(dest, func() { body, _ = dest[0].([]byte) }, `select body from blobs where n = ?1`, n)
		return body, err
	})
}
