package storage

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Threads lists threads whose title holds query, in any case, the last touched first. A beforeMs above 0 leaves out those touched
// at that moment or later; limit 0 is none. All threads touched in the millisecond of the last one come with it, so that paging
// by beforeMs loses none.
func (db *DB) Threads(ctx context.Context, query string, beforeMs int64, limit int) ([]agent.ThreadSummary, error) {
	var threads []agent.ThreadSummary
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		page, err := pageOf(ctx, tx, strings.ToLower(query), beforeMs, limit)
		if err != nil {
			return err
		}
		for _, n := range page {
			summary, err := summarize(ctx, tx, n)
			if err != nil {
				return err
			}
			threads = append(threads, summary)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list threads: %w", err)
	}
	return threads, nil
}

// pageOf returns the n of each thread of a page.
func pageOf(ctx context.Context, tx *sql.Tx, query string, beforeMs int64, limit int) (page []int64, err error) {
	rows, err := tx.QueryContext(ctx, `with touched as (select thread, max(updated_at_ms) as ms from runs group by thread)
		select n, max(updated_at_ms, coalesce(ms, 0)) as last from threads left join touched on thread = n
		where (?1 = '' or instr(search, ?1) > 0) and (?2 <= 0 or max(updated_at_ms, coalesce(ms, 0)) < ?2)
		order by last desc, id desc`, query, beforeMs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var previous int64
	for rows.Next() {
		var n, last int64
		if err := rows.Scan(&n, &last); err != nil {
			return nil, err
		}
		if limit > 0 && len(page) >= limit && last != previous {
			break
		}
		page = append(page, n)
		previous = last
	}
	return page, rows.Err()
}

func summarize(ctx context.Context, tx *sql.Tx, n int64) (agent.ThreadSummary, error) {
	var s agent.ThreadSummary
	var title, name string
	err := tx.QueryRowContext(ctx, `select id, title, name, created_at_ms, updated_at_ms from threads where n = ?`, n).
		Scan(&s.ID, &title, &name, &s.CreatedAtMs, &s.UpdatedAtMs)
	if err != nil {
		return s, err
	}
	s.Title = cmp.Or(name, title)
	err = each(ctx, tx, func(rows *sql.Rows) error {
		var calls int
		var updated int64
		if err := rows.Scan(&s.RunID, &s.AgentName, &s.Status, &s.Error, &s.ErrorCode, &calls, &updated); err != nil {
			return err
		}
		s.Runs++
		s.Calls += calls
		s.UpdatedAtMs = max(s.UpdatedAtMs, updated)
		return nil
	}, `select id, agent_name, status, error, error_code, call_count, updated_at_ms from runs where thread = ? order by n`, n)
	if err != nil {
		return s, err
	}
	return s, tx.QueryRowContext(ctx, `select count(*), coalesce(min(a.since_ms), 0) from runs r join approvals a on a.run = r.n
		where r.thread = ? and a.decision is null and r.status in (?, ?)`, n, protocol.StatusRunning, protocol.StatusPaused).
		Scan(&s.Pending, &s.WaitingSinceMs)
}

// ThreadSummary returns a thread's line in the list, without its messages. ErrNotFound.
func (db *DB) ThreadSummary(ctx context.Context, id string) (s agent.ThreadSummary, err error) {
	err = db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var n int64
		if err := notFound(tx.QueryRowContext(ctx, `select n from threads where id = ?`, id).Scan(&n)); err != nil {
			return err
		}
		s, err = summarize(ctx, tx, n)
		return err
	})
	if err != nil {
		return s, fmt.Errorf("read the summary of thread %s: %w", id, err)
	}
	return s, nil
}

// AddedMessages returns the messages of a thread that no run has, as programs add them, in their order: with id, role, content and time.
// An unknown thread has none.
func (db *DB) AddedMessages(ctx context.Context, threadID string) (added []*model.Message, err error) {
	err = db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			m := &model.Message{}
			err := rows.Scan(&m.ID, &m.Role, &m.Content, &m.AtMs)
			added = append(added, m)
			return err
		}, `select m.id, role, content, at_ms from threads t join messages m on m.thread = t.n and m.run_id = ''
			join history h on h.thread = t.n and h.message = m.id where t.id = ? order by h.pos`, threadID)
	})
	if err != nil {
		return nil, fmt.Errorf("read the messages that no run of thread %s has: %w", threadID, err)
	}
	return added, nil
}

// RenameThread gives a thread a title; an empty one brings back that of its first message.
func (db *DB) RenameThread(_ context.Context, id, title string) error {
	return db.change("rename thread "+id, func(w *writer) error {
		t, err := w.knownThread(id)
		if err != nil {
			return err
		}
		return w.setName(t, title)
	})
}

// PutThread makes an empty thread. One that exists stays as it is.
func (db *DB) PutThread(_ context.Context, id string, atMs int64) error {
	if id == "" {
		return errors.New("make a thread: it has no id")
	}
	return db.change("make thread "+id, func(w *writer) error {
		t, err := w.findThreadRow(id)
		if t == nil && err == nil {
			_, err = w.newThread(id, atMs, atMs)
		}
		return err
	})
}

// DeleteThread removes a thread and all that belongs to it. ErrBusy while one of its runs is live.
func (db *DB) DeleteThread(_ context.Context, id string) error {
	return db.change("delete thread "+id, func(w *writer) error {
		t, err := w.knownThread(id)
		if err != nil {
			return err
		}
		switch live, err := w.liveRuns.number(t.n, string(protocol.StatusRunning)); {
		case err != nil:
			return err
		case live > 0:
			return refusal{agent.ErrBusy}
		}
		blobs, err := w.usesBlobs.number(t.n)
		if err != nil {
			return err
		}
		w.cache.clear()
		if _, err := w.deleteThread.exec(t.n); err != nil || blobs == 0 {
			return err
		}
		_, err = w.deleteBlobs.exec()
		return err
	})
}

// Setting returns a setting, as JSON, or ErrNotFound.
func (db *DB) Setting(ctx context.Context, key string) (json.RawMessage, error) {
	return db.json(ctx, "read setting "+key, `select value from settings where key = ?`, key)
}

// PutSetting keeps a setting.
func (db *DB) PutSetting(_ context.Context, key string, setting json.RawMessage) error {
	return db.change("keep setting "+key, func(w *writer) error {
		_, err := w.putSetting.exec(key, string(setting))
		return err
	})
}

// ThreadSettings returns a thread's own settings, as JSON; nil when it has none, ErrNotFound when there is no such thread.
func (db *DB) ThreadSettings(ctx context.Context, threadID string) (json.RawMessage, error) {
	return db.json(ctx, "read the settings of thread "+threadID, `select settings from threads where id = ?`, threadID)
}

// PutThreadSettings keeps a thread's own settings, and makes the thread if it is missing.
func (db *DB) PutThreadSettings(_ context.Context, threadID string, settings json.RawMessage) error {
	return db.change("keep the settings of thread "+threadID, func(w *writer) error {
		t, err := w.findThreadRow(threadID)
		if t == nil && err == nil {
			now := time.Now().UnixMilli()
			t, err = w.newThread(threadID, now, now)
		}
		if err != nil {
			return err
		}
		_, err = w.threadSettings.exec(value(settings), t.n)
		return err
	})
}

// knownThread refuses what names no thread.
func (w *writer) knownThread(id string) (*threadRow, error) {
	t, err := w.findThreadRow(id)
	if t == nil && err == nil {
		return nil, refusal{agent.ErrNotFound}
	}
	return t, err
}

func (db *DB) change(what string, do func(w *writer) error) error {
	if err := db.write(&job{do: do, rows: 1}); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (db *DB) json(ctx context.Context, what, query, key string) (text json.RawMessage, err error) {
	err = db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return notFound(tx.QueryRowContext(ctx, query, key).Scan((*[]byte)(&text)))
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return text, nil
}
