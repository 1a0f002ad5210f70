package storage

import (
	"context"
	"database/sql"
	"fmt"

	"callboard/backend/model"
)

// notIndexed says of messages m that no run has that they are not in the index.
const notIndexed = `not exists (select 1 from search_entries e where e.thread = m.thread and e.message = m.id)`

// stepMessages indexes the next messages that no run has of a thread, as programs add them; whole when there are no more.
func (x *index) stepMessages(ctx context.Context, thread int64) (whole bool, err error) {
	fresh, err := x.readMessages(ctx, thread)
	if err != nil {
		return false, fmt.Errorf("index messages of thread %d: %w", thread, err)
	}
	for _, e := range fresh {
		e.grams = x.gramsOf(e)
	}
	err = x.db.write(&job{rows: groupRows, do: func(w *writer) error {
		for _, e := range fresh {
			same, err := w.sameMessage.number(e.thread, e.message)
			if err == nil && same > 0 { // else it was deleted
				err = x.writeEntry(w, e)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}})
	if err != nil {
		return false, fmt.Errorf("index messages of thread %d: %w", thread, err)
	}
	return len(fresh) < stepEntries, nil
}

func (x *index) readMessages(ctx context.Context, thread int64) (fresh []*entry, err error) {
	err = x.db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			e := &entry{thread: thread, kind: KindMessage}
			var role model.Role
			if err := rows.Scan(&e.message, &role, &e.text, &e.atMs); err != nil {
				return err
			}
			if role != model.RoleUser {
				e.kind = KindText
			}
			e.text = searchable(e.text)
			fresh = append(fresh, e)
			return nil
		}, `select id, role, content, at_ms from messages m where thread = ? and run_id = '' and `+notIndexed+` order by at_ms limit ?`,
			thread, stepEntries)
	})
	return fresh, err
}
