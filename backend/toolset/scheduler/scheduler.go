// Package scheduler is the tools that send a message into a thread later, once or again and again, and what waits for the time to
// come. It knows nothing of agents, threads or databases: Store keeps the schedules, Fire sends a message.
//
// A schedule fires at most once for each time it is due, and once for all the times that were missed while the program did not run.
package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	_ "time/tzdata" // zones have names where the system knows none
)

// Schedule is a message and when it is sent.
type Schedule struct {
	ID          string
	ThreadID    string // where it was made, and where its message goes
	Owner       Owner
	Message     string
	Cron        string // when it fires again (Next); empty fires once
	Zone        string // of Cron, an IANA name; empty is the zone of the machine
	NextMs      int64  // when it is due, in Unix ms
	CreatedAtMs int64
}

// Owner is whose schedules they are: made by one agent for one user. A call's context names both.
type Owner struct {
	UserID    string // empty where there is one user
	AgentName string
}

// Store keeps schedules. It is safe for concurrent use. Calendar (in this package) and storage.DB pass one test, storetest.Run.
type Store interface {
	// AddSchedule keeps a schedule under an ID that no other has.
	AddSchedule(ctx context.Context, s Schedule) error
	// Schedules returns all of them, oldest first.
	Schedules(ctx context.Context) ([]Schedule, error)
	// MoveSchedule changes when a schedule is due, or returns ErrNotFound.
	MoveSchedule(ctx context.Context, id string, nextMs int64) error
	// DeleteSchedule removes a schedule, or returns ErrNotFound.
	DeleteSchedule(ctx context.Context, id string) error
}

// What callers compare.
var (
	// ErrNotFound is returned for a schedule that is not there.
	ErrNotFound = errors.New("there is no such schedule")
	// ErrLater is what Fire returns, wrapped in the reason, when the thread cannot take a message now: it is asked again.
	ErrLater = errors.New("not now")
	// ErrNoThread is what Fire returns when the thread is gone for good: the schedule goes too.
	ErrNoThread = errors.New("the thread is not there any more")
)

// State is a schedule as it stands.
type State struct {
	Schedule
	Waiting string // why a message that is due was not sent yet; empty when there is none
}

const (
	// longestWait is how long the clock is not looked at: it may be set, and a machine may sleep.
	longestWait = time.Minute
	// missedAfter is how late a message is that counts as missed.
	missedAfter = time.Minute
	// firstRetry is the time until a message is tried again, doubled each time up to lastRetry.
	firstRetry = time.Second
	lastRetry  = 15 * time.Second
)

// Scheduler fires schedules when they are due. Its fields are set before Tools or Start and not changed after.
type Scheduler struct {
	Store Store
	// Fire sends a message. It is called from one goroutine and returns once the message is kept. ErrLater and ErrNoThread mean
	// what they say; after any other error it is asked again, too.
	Fire     func(ctx context.Context, f Firing) error
	Location *time.Location   // of times without a zone; nil is time.Local
	Now      func() time.Time // nil is time.Now
	Logger   *slog.Logger     // nil is slog.Default()

	mu      sync.Mutex
	waiting map[string]wait // by schedule
	kick    chan struct{}
	stop    context.CancelFunc
	done    chan struct{}
}

// wait is a message that is due and was not sent, or was sent and not settled.
type wait struct {
	dueMs  int64
	reason string
	delay  time.Duration
	tryAt  time.Time
	missed bool
	sent   bool
}

// Start lets schedules fire until Close.
func (s *Scheduler) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.Store == nil || s.Fire == nil:
		return errors.New("start the scheduler: it has no Store or no Fire")
	case s.done != nil:
		return errors.New("start the scheduler: it was started before")
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.done, s.kick = stop, make(chan struct{}), make(chan struct{}, 1)
	go s.loop(ctx, s.now())
	return nil
}

// Close stops firing and returns once a message that is being sent is sent. Schedules stay for the next Start.
func (s *Scheduler) Close() {
	s.mu.Lock()
	stop, done := s.stop, s.done
	s.mu.Unlock()
	if done == nil {
		return
	}
	stop()
	<-done
}

// List returns the schedules as they stand, oldest first.
func (s *Scheduler) List(ctx context.Context) ([]State, error) {
	all, err := s.Store.Schedules(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the schedules: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make([]State, len(all))
	for i, one := range all {
		states[i].Schedule = one
		if w := s.waiting[one.ID]; w.dueMs == one.NextMs {
			states[i].Waiting = w.reason
		}
	}
	return states, nil
}

// Cancel removes a schedule, or returns ErrNotFound. A message that is being sent at that moment is sent.
func (s *Scheduler) Cancel(ctx context.Context, id string) error {
	if err := s.Store.DeleteSchedule(ctx, id); err != nil {
		return fmt.Errorf("cancel the schedule %s: %w", id, err)
	}
	return nil
}

// Wake looks at the schedules now: after a thread that was busy is free.
func (s *Scheduler) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.waiting {
		w.tryAt = time.Time{}
		s.waiting[id] = w
	}
	s.ring()
}

func (s *Scheduler) ring() {
	select {
	case s.kick <- struct{}{}:
	default: // nobody listens, or it rings already
	}
}

func (s *Scheduler) loop(ctx context.Context, started time.Time) {
	defer close(s.done)
	for ctx.Err() == nil {
		timer := time.NewTimer(s.round(ctx, started))
		select {
		case <-timer.C:
		case <-s.kick:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// round fires what is due and returns how long there is nothing to do.
func (s *Scheduler) round(ctx context.Context, started time.Time) time.Duration {
	all, err := s.Store.Schedules(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.logger().Error("the schedules cannot be read; they are tried again", "error", err)
		}
		return lastRetry
	}
	s.tidy(all)
	next := s.now().Add(longestWait)
	for _, one := range all {
		if ctx.Err() != nil {
			break
		}
		at := time.UnixMilli(one.NextMs)
		if now := s.now(); !at.After(now) {
			at = s.due(ctx, one, now, started)
		} else if one.Cron != "" {
			at = s.sooner(ctx, one, now)
		}
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return max(0, next.Sub(s.now()))
}

// due sends a message that is due, unless it was put off, and returns when there is more to do for it; zero is never.
func (s *Scheduler) due(ctx context.Context, one Schedule, now, started time.Time) time.Time {
	at := time.UnixMilli(one.NextMs)
	w, known := s.waits(one)
	switch {
	case !known:
		w = wait{dueMs: one.NextMs, missed: at.Before(started) || now.Sub(at) > missedAfter}
	case w.tryAt.After(now):
		return w.tryAt
	}
	if !w.sent {
		err := s.fire(ctx, Firing{
			Schedule: one, Missed: w.missed, Waited: w.delay > 0 && !w.missed, Again: at.Before(started), Location: s.location(one.Zone),
		})
		if errors.Is(err, ErrNoThread) {
			one.Cron = ""
		} else if err != nil {
			return s.putOff(ctx, one, w, err)
		}
		w.sent = true
	}
	next, err := s.settle(ctx, one)
	if err != nil {
		return s.putOff(ctx, one, w, err)
	}
	s.forget(one.ID)
	return next
}

// sooner is when a schedule that comes again is due: before the time that was settled, where the clock was put back since.
func (s *Scheduler) sooner(ctx context.Context, one Schedule, now time.Time) time.Time {
	at := time.UnixMilli(one.NextMs)
	next, err := Next(one.Cron, s.location(one.Zone), now)
	if err != nil || !next.Before(at) {
		return at
	}
	if err := s.Store.MoveSchedule(ctx, one.ID, next.UnixMilli()); err != nil && ctx.Err() == nil {
		s.logger().Warn("a schedule stays at a time that is later than it names", "schedule", one.ID, "error", err)
	}
	return next
}

// settle moves a schedule whose message was sent to its next time, or ends it. It is not to be stopped halfway.
func (s *Scheduler) settle(ctx context.Context, one Schedule) (next time.Time, err error) {
	ctx = context.WithoutCancel(ctx)
	if one.Cron != "" {
		if next, err = Next(one.Cron, s.location(one.Zone), s.now()); err != nil {
			s.logger().Warn("a schedule ends: it has no next time", "schedule", one.ID, "error", err)
		}
	}
	if next.IsZero() {
		err = s.Store.DeleteSchedule(ctx, one.ID)
	} else {
		err = s.Store.MoveSchedule(ctx, one.ID, next.UnixMilli())
	}
	if errors.Is(err, ErrNotFound) { // it was cancelled meanwhile
		return time.Time{}, nil
	}
	return next, err
}

func (s *Scheduler) fire(ctx context.Context, f Firing) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.logger().Error("sending a schedule's message panicked", "schedule", f.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("sending it panicked: %v", p)
		}
	}()
	return s.Fire(ctx, f)
}

// putOff says when a message is tried again.
func (s *Scheduler) putOff(ctx context.Context, one Schedule, w wait, err error) time.Time {
	if !errors.Is(err, ErrLater) && ctx.Err() == nil {
		s.logger().Warn("a schedule's message is put off", "schedule", one.ID, "thread", one.ThreadID, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.delay = min(max(firstRetry, 2*w.delay), lastRetry)
	w.reason, w.tryAt = err.Error(), s.now().Add(w.delay)
	if s.waiting == nil {
		s.waiting = map[string]wait{}
	}
	s.waiting[one.ID] = w
	return w.tryAt
}

func (s *Scheduler) waits(one Schedule) (w wait, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, known = s.waiting[one.ID]
	return w, known && w.dueMs == one.NextMs
}

func (s *Scheduler) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
}

// tidy forgets what waited of schedules that are gone.
func (s *Scheduler) tidy(all []Schedule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	there := map[string]bool{}
	for _, one := range all {
		there[one.ID] = true
	}
	for id := range s.waiting {
		if !there[id] {
			delete(s.waiting, id)
		}
	}
}

func (s *Scheduler) now() time.Time {
	if s.Now != nil {
		return s.Now().Round(0)
	}
	return time.Now().Round(0) // by the wall: the other clock stands still while a machine sleeps
}

// location is a zone by its name.
func (s *Scheduler) location(zone string) *time.Location {
	if zone != "" {
		if loc, err := time.LoadLocation(zone); err == nil {
			return loc
		}
		s.logger().Warn("a schedule's zone is not known here; the machine's is taken", "zone", zone)
	}
	if s.Location != nil {
		return s.Location
	}
	return time.Local
}

func (s *Scheduler) logger() *slog.Logger {
	if s.Logger != nil {
		return s.Logger
	}
	return slog.Default()
}
