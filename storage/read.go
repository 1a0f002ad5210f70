package storage

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Events returns up to limit events of a run after number n, as they were written; limit 0 returns all.
func (db *DB) Events(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error) {
	return db.events(ctx, runID, after, limit, (*blobReader).join)
}

// EventRefs is Events with references in place of large values (protocol.Ref), which are not read.
func (db *DB) EventRefs(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error) {
	return db.events(ctx, runID, after, limit, (*blobReader).refer)
}

func (db *DB) events(ctx context.Context, runID string, after int64, limit int, whole wholeEvent) ([]agent.Record, error) {
	var records []agent.Record
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		var run int64
		if run, err = find(ctx, tx, "runs", runID); err != nil {
			return err
		}
		records, err = readEvents(ctx, tx, run, after, limit, whole)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the events of run %s: %w", runID, err)
	}
	return records, nil
}

// chunkSize is how many bytes of events are kept in one piece of memory.
const chunkSize = 128 << 10

// wholeEvent puts what was cut out of an event, or word of it, back in its place.
type wholeEvent func(r *blobReader, rest []byte, placed string) ([]byte, error)

func readEvents(ctx context.Context, tx *sql.Tx, run, after int64, limit int, whole wholeEvent) ([]agent.Record, error) {
	if limit <= 0 {
		limit = -1
	}
	var records []agent.Record
	var chunk []byte
	var raw, parts sql.RawBytes
	placed := map[int]string{}
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var seq int64
		if err := rows.Scan(&seq, &raw, &parts); err != nil {
			return err
		}
		if parts != nil {
			placed[len(records)] = string(parts)
		}
		if len(raw) > cap(chunk)-len(chunk) {
			chunk = make([]byte, 0, max(chunkSize, len(raw)))
		}
		start := len(chunk)
		chunk = append(chunk, raw...)
		records = append(records, agent.Record{Seq: seq, JSON: chunk[start:len(chunk):len(chunk)]})
		return nil
	}, `select seq, cast(json as blob), parts from events where run = ? and seq > ? order by seq limit ?`, run, after, limit)
	if err != nil {
		return nil, err
	}
	blobs := blobReader{ctx: ctx, tx: tx}
	for i, text := range placed {
		if records[i].JSON, err = whole(&blobs, records[i].JSON, text); err != nil {
			return nil, fmt.Errorf("event %d: %w", records[i].Seq, err)
		}
	}
	return records, nil
}

// Thread returns a thread with its messages.
func (db *DB) Thread(ctx context.Context, id string) (*agent.Thread, error) {
	t := &agent.Thread{ID: id, Requests: map[string]int{}}
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		n, err := find(ctx, tx, "threads", id)
		if err != nil {
			return err
		}
		summary, err := summarize(ctx, tx, n)
		if err != nil {
			return err
		}
		t.Title, t.AgentName, t.CreatedAtMs, t.UpdatedAtMs = summary.Title, summary.AgentName, summary.CreatedAtMs, summary.UpdatedAtMs
		if t.Messages, err = readHistory(ctx, tx, n, true); err != nil {
			return err
		}
		return each(ctx, tx, func(rows *sql.Rows) error {
			var agentName string
			var count int
			if err := rows.Scan(&agentName, &count); err != nil {
				return err
			}
			t.Requests[agentName] = count
			return nil
		}, `select q.agent_name, count(*) from runs r join requests q on q.run = r.n where r.thread = ? group by 1`, n)
	})
	if err != nil {
		return nil, fmt.Errorf("read thread %s: %w", id, err)
	}
	return t, nil
}

// readHistory reads what a model reads of a thread next time. What the ledger has of it, the results of calls, may be left out but for
// their ids.
func readHistory(ctx context.Context, tx *sql.Tx, thread int64, results bool) ([]*model.Message, error) {
	var messages []*model.Message
	byID := map[string]*model.Message{}
	blobs := blobReader{ctx: ctx, tx: tx}
	err := each(ctx, tx, func(rows *sql.Rows) error {
		m := &model.Message{}
		var metadata []byte
		var parts sql.NullString
		err := rows.Scan(&m.ID, &m.Role, &m.Content, &m.Reasoning, &m.ToolCallID, &m.ToolName, &m.RunID, &m.AtMs, &metadata, &parts)
		if err != nil {
			return err
		}
		messages = append(messages, m)
		byID[m.ID] = m
		m.Metadata, err = blobs.whole(metadata, parts)
		return err
	}, `select h.message, coalesce(m.role, 'tool'), coalesce(m.content, iif(?2, c.content, '')), coalesce(m.reasoning, ''),
		coalesce(m.tool_call_id, c.tool_call_id), coalesce(m.tool_name, c.tool_name), coalesce(m.run_id, r.id),
		coalesce(m.at_ms, c.at_ms), coalesce(m.metadata, iif(?2, c.metadata, null)),
		coalesce(m.metadata_parts, iif(?2, c.metadata_parts, null))
		from history h
		left join messages m on h.run is null and m.thread = h.thread and m.id = h.message
		left join calls c on c.run = h.run and c.i = h.call
		left join runs r on r.n = h.run
		where h.thread = ?1 order by h.pos`, thread, results)
	if err != nil {
		return nil, err
	}
	images, err := readImages(ctx, tx, imagesOfThread, thread)
	if err != nil {
		return nil, err
	}
	for id, of := range images {
		if m := byID[id]; m != nil {
			m.Images = of
		}
	}
	return messages, readMessageCalls(ctx, tx, thread, byID)
}

// readMessageCalls gives those messages of a thread that are in byID the calls they make.
func readMessageCalls(ctx context.Context, tx *sql.Tx, thread int64, byID map[string]*model.Message) error {
	return each(ctx, tx, func(rows *sql.Rows) error {
		var message, extra string
		var c model.ToolCall
		if err := rows.Scan(&message, &c.ID, &c.ProviderID, &c.Name, &c.Arguments, &extra); err != nil {
			return err
		}
		if extra != "" {
			c.Extra = json.RawMessage(extra)
		}
		if m := byID[message]; m != nil {
			m.ToolCalls = append(m.ToolCalls, c)
		}
		return nil
	}, `select message, id, provider_id, name, arguments, extra from message_calls where thread = ? order by message, i`, thread)
}

// Blob returns a large value by the hex SHA-256 of its bytes.
func (db *DB) Blob(ctx context.Context, hash string) (body []byte, mediaType string, err error) {
	err = db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return notFound(tx.QueryRowContext(ctx, `select body, media_type from blobs where hash = ?`, hash).Scan(&body, &mediaType))
	})
	if err != nil {
		return nil, "", fmt.Errorf("read blob %s: %w", hash, err)
	}
	return body, mediaType, nil
}

// blobReader reads each blob once.
type blobReader struct {
	ctx  context.Context
	tx   *sql.Tx
	seen map[int64][]byte
}

func (r *blobReader) read(n int64) ([]byte, error) {
	if body, seen := r.seen[n]; seen {
		return body, nil
	}
	var body []byte
	if err := r.tx.QueryRowContext(r.ctx, `select body from blobs where n = ?`, n).Scan(&body); err != nil {
		return nil, fmt.Errorf("blob %d: %w", n, err)
	}
	if r.seen == nil {
		r.seen = map[int64][]byte{}
	}
	r.seen[n] = body
	return body, nil
}

// whole is a text with the blobs that belong in it.
func (r *blobReader) whole(rest []byte, parts sql.NullString) ([]byte, error) {
	if !parts.Valid {
		return rest, nil
	}
	return r.join(rest, parts.String)
}

func (r *blobReader) join(rest []byte, placed string) ([]byte, error) {
	return join(rest, placed, r.read)
}

// refer writes references where the event may have them, and the values themselves elsewhere.
func (r *blobReader) refer(rest []byte, placed string) ([]byte, error) {
	kind, _, _ := bytes.Cut(bytes.TrimPrefix(rest, []byte(`{"type":"`)), []byte(`"`))
	var out []byte
	kept := 0
	for _, p := range places(placed) {
		if p.at < kept || p.at > len(rest) {
			return nil, fmt.Errorf("parts %q do not fit a text of %d bytes", placed, len(rest))
		}
		out = append(out, rest[kept:p.at]...)
		kept = p.at
		named, _ := bytes.CutSuffix(out, []byte(`":`))
		start := bytes.LastIndexByte(named, '"') + 1
		name, ok := protocol.RefName(protocol.Type(kind), string(named[start:]))
		if !ok {
			body, err := r.read(p.blob)
			if err != nil {
				return nil, err
			}
			out = append(out, body...)
			continue
		}
		ref, err := r.ref(p.blob)
		if err != nil {
			return nil, err
		}
		out = append(append(out[:start], name...), `":`...)
		out = append(out, ref...)
	}
	return append(out, rest[kept:]...), nil
}

// ref is the JSON of a reference to a blob, of which only the beginning is read.
func (r *blobReader) ref(n int64) ([]byte, error) {
	var hash string
	var size int64
	var start []byte
	err := r.tx.QueryRowContext(r.ctx, `select hash, length(body), substr(body, 1, ?2) from blobs where n = ?1`, n, protocol.HeadLength).
		Scan(&hash, &size, &start)
	if err != nil {
		return nil, fmt.Errorf("blob %d: %w", n, err)
	}
	text, err := optionalJSON(protocol.RefTo(hash, size, start))
	return []byte(text), err
}

// find returns the n of a row of a table that has ids.
func find(ctx context.Context, tx *sql.Tx, table, id string) (n int64, err error) {
	err = tx.QueryRowContext(ctx, `select n from `+table+` where id = ?`, id).Scan(&n)
	return n, notFound(err)
}

func notFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return agent.ErrNotFound
	}
	return err
}

// each runs a query and a function for each of its rows.
func each(ctx context.Context, tx *sql.Tx, row func(*sql.Rows) error, query string, args ...any) (err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// parse reads a nullable column of JSON into v.
func parse(column []byte, v any) error {
	if column == nil {
		return nil
	}
	return json.Unmarshal(column, v)
}

// raw is a nullable column of JSON that nobody reads here.
func raw(column []byte) json.RawMessage { return slices.Clip(column) }
