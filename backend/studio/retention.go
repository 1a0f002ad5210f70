package studio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"callboard/backend/agent"
	"callboard/backend/protocol"
)

const (
	maxRetentionDays = 36_500
	retentionEvery   = time.Hour
)

func checkRetention(days int) error {
	if days < 0 || days > maxRetentionDays {
		return invalid("retentionDays: must be between 1 and %d, or 0 to keep every thread, got %d", maxRetentionDays, days)
	}
	return nil
}

// retain deletes old threads now and every hour, while a rule is set.
func (s *Studio) retain(ctx context.Context) {
	tick := time.NewTicker(retentionEvery)
	defer tick.Stop()
	for {
		if n, err := s.deleteOld(ctx, time.Now()); err != nil && ctx.Err() == nil {
			s.log.Error("delete old threads", "error", err)
		} else if n > 0 {
			s.log.Info("threads older than the retention rule were deleted", "threads", n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// deleteOld deletes the threads nothing happened in for longer than the retention rule says. One whose run works or waits stays.
func (s *Studio) deleteOld(ctx context.Context, now time.Time) (deleted int, err error) {
	set, err := s.settings(ctx)
	if err != nil || set.RetentionDays == 0 {
		return 0, err
	}
	before := now.AddDate(0, 0, -set.RetentionDays).UnixMilli()
	for {
		const page = 100
		threads, err := s.db.Threads(ctx, "", before, page)
		if err != nil {
			return deleted, fmt.Errorf("list old threads: %w", err)
		}
		for _, t := range threads {
			before = t.UpdatedAtMs
			if t.Status == protocol.StatusRunning || t.Status == protocol.StatusPaused {
				continue
			}
			switch err := s.db.DeleteThread(ctx, t.ID); {
			case errors.Is(err, agent.ErrBusy), errors.Is(err, agent.ErrNotFound):
			case err != nil:
				return deleted, fmt.Errorf("delete the old thread %s: %w", t.ID, err)
			default:
				s.forgetThread(t.ID)
				s.runner.Bell().Ring(agent.Ring{ThreadID: t.ID, Deleted: true})
				deleted++
			}
		}
		if len(threads) < page {
			return deleted, nil
		}
	}
}
