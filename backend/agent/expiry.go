package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"callboard/backend/approval"
	"callboard/backend/protocol"
)

// expiry is the one timer that ends the waiting of calls nobody decided in time.
type expiry struct {
	timer *time.Timer
	dueMs int64 // when the first of them expires; 0 is never
}

// expiryCheck is the longest the timer sleeps: timers stand still while a machine does.
const expiryCheck = time.Minute

// expect has the waiting approvals looked at when the first of them has expired.
func (r *Runner) expect(approvals []*approval.Pending) {
	var due int64
	for _, p := range approvals {
		if p.Decision == nil && p.ExpiresAt > 0 && (due == 0 || p.ExpiresAt < due) {
			due = p.ExpiresAt
		}
	}
	r.expectAt(due)
}

func (r *Runner) expectAt(due int64) {
	rt := &r.runtime
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if due == 0 || rt.closed || rt.expiry.dueMs != 0 && rt.expiry.dueMs <= due {
		return
	}
	rt.expiry.dueMs = due
	r.wind()
}

// wind sets the timer. The runtime's mu is held.
func (r *Runner) wind() {
	e := &r.runtime.expiry
	wait := min(max(time.Duration(e.dueMs+1-r.now().UnixMilli())*time.Millisecond, 0), expiryCheck)
	if e.timer == nil {
		e.timer = time.AfterFunc(wait, r.expire)
		return
	}
	e.timer.Reset(wait)
}

// expire decides what has expired, and winds the timer for what has not.
func (r *Runner) expire() {
	rt := &r.runtime
	rt.mu.Lock()
	now := r.now()
	due := rt.expiry.dueMs
	switch {
	case rt.closed || due == 0:
		rt.mu.Unlock()
		return
	case now.UnixMilli() <= due:
		r.wind()
		rt.mu.Unlock()
		return
	}
	rt.expiry.dueMs = 0
	rt.wg.Add(1)
	rt.mu.Unlock()
	defer rt.wg.Done()
	waiting, err := r.endExpired(context.Background(), now)
	r.expect(waiting)
	if err != nil {
		r.logger().Error("calls nobody decided in time could not be ended; another try follows", "error", err)
		r.expectAt(now.Add(expiryCheck).UnixMilli())
	}
}

// endExpired decides the approvals that have expired, and returns those that still wait.
func (r *Runner) endExpired(ctx context.Context, now time.Time) (waiting []*approval.Pending, err error) {
	runs, err := r.store().Runs(ctx, RunQuery{Statuses: []protocol.Status{protocol.StatusPaused}})
	if err != nil {
		return nil, fmt.Errorf("look for calls nobody decided in time: %w", err)
	}
	var failures []error
	for _, st := range runs {
		for _, p := range st.Approvals {
			switch {
			case p.Decision != nil:
			case !p.Expired(now):
				waiting = append(waiting, p)
			default:
				_, _, err := r.Decide(ctx, p.ApprovalID, approval.Decision{State: protocol.StateExpired})
				if !errors.Is(err, approval.ErrDecided) && !errors.Is(err, ErrClosed) {
					failures = append(failures, err)
				}
			}
		}
	}
	return waiting, errors.Join(failures...)
}
