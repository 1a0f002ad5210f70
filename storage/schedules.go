package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"callboard/backend/agent"
	"callboard/backend/toolset/scheduler"
)

// AddSchedule keeps a schedule of a thread. It goes with its thread. An unknown thread is scheduler.ErrNoThread.
func (db *DB) AddSchedule(_ context.Context, s scheduler.Schedule) error {
	return db.change("keep schedule "+s.ID, func(w *writer) error {
		thread, err := w.findThreadRow(s.ThreadID)
		if err != nil {
			return err
		}
		if thread == nil {
			return refusal{fmt.Errorf("thread %s: %w", s.ThreadID, scheduler.ErrNoThread)}
		}
		_, err = w.insertSchedule.exec(s.ID, thread.n, s.Owner.AgentName, s.Owner.UserID, s.Message, s.Cron, s.Zone, s.NextMs, s.CreatedAtMs)
		return err
	})
}

// Schedules returns all schedules, oldest first.
func (db *DB) Schedules(ctx context.Context) ([]scheduler.Schedule, error) {
	all := []scheduler.Schedule{}
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var s scheduler.Schedule
			err := rows.Scan(&s.ID, &s.ThreadID, &s.Owner.AgentName, &s.Owner.UserID, &s.Message, &s.Cron, &s.Zone, &s.NextMs, &s.CreatedAtMs)
			all = append(all, s)
			return err
		}, `select s.id, t.id, s.agent_name, s.user_id, s.message, s.cron, s.zone, s.next_ms, s.created_at_ms
			from schedules s join threads t on t.n = s.thread order by s.n`)
	})
	if err != nil {
		return nil, fmt.Errorf("read schedules: %w", err)
	}
	return all, nil
}

// MoveSchedule changes when a schedule is due, or returns scheduler.ErrNotFound.
func (db *DB) MoveSchedule(_ context.Context, id string, nextMs int64) error {
	return missing(db.change("move schedule "+id, func(w *writer) error { return w.one(w.moveSchedule, nextMs, id) }))
}

// DeleteSchedule removes a schedule, or returns scheduler.ErrNotFound.
func (db *DB) DeleteSchedule(_ context.Context, id string) error {
	return missing(db.change("delete schedule "+id, func(w *writer) error { return w.one(w.deleteSchedule, id) }))
}

// missing words that a schedule is not there as the scheduler does.
func missing(err error) error {
	if errors.Is(err, agent.ErrNotFound) {
		return fmt.Errorf("%w (%w)", scheduler.ErrNotFound, err)
	}
	return err
}
