package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"callboard/backend/agent"
	"callboard/backend/protocol"
)

// audience knows who listens to the runs that were started over a stream, and abandons those nobody came back to.
type audience struct {
	grace   time.Duration
	abandon func(runID string)

	mu     sync.Mutex
	runs   map[string]*seats
	timers sync.WaitGroup
	closed bool
}

type seats struct {
	owned bool // it is abandoned once nobody listens for long
	taken int
	left  *time.Timer // runs while none is taken
}

// at returns the seats of a run. The caller holds the lock.
func (a *audience) at(runID string) *seats {
	if a.runs == nil {
		a.runs = map[string]*seats{}
	}
	run := a.runs[runID]
	if run == nil {
		run = &seats{}
		a.runs[runID] = run
	}
	return run
}

// own begins to watch a run; it ends with forget. Who joined before, for they heard of the run by other ways, counts.
func (a *audience) own(runID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at(runID).owned = true
}

// join takes a seat until leave is called.
func (a *audience) join(runID string) (leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	run := a.at(runID)
	run.taken++
	a.stop(run)
	return func() { a.leave(runID, run) }
}

func (a *audience) leave(runID string, run *seats) {
	a.mu.Lock()
	defer a.mu.Unlock()
	run.taken--
	switch {
	case run.taken > 0 || a.closed || a.runs[runID] != run:
		return
	case !run.owned:
		delete(a.runs, runID)
		return
	}
	a.timers.Add(1)
	var timer *time.Timer
	timer = time.AfterFunc(a.grace, func() {
		defer a.timers.Done()
		a.mu.Lock()
		over := a.runs[runID] == run && run.left == timer && !a.closed // nobody took a seat while this waited for the lock
		if over {
			delete(a.runs, runID)
		}
		a.mu.Unlock()
		if over {
			a.abandon(runID)
		}
	})
	run.left = timer
}

// stop takes back a timer. The caller holds the lock.
func (a *audience) stop(run *seats) {
	if run.left != nil && run.left.Stop() {
		a.timers.Done()
	}
	run.left = nil
}

// forget lets a run go on by itself: it ended, or a person was asked.
func (a *audience) forget(runID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if run := a.runs[runID]; run != nil {
		a.stop(run)
		delete(a.runs, runID)
	}
}

func (a *audience) close() {
	a.mu.Lock()
	a.closed = true
	for _, run := range a.runs {
		a.stop(run)
	}
	a.mu.Unlock()
	a.timers.Wait()
}

// abandon cancels a run whose client left and did not come back, unless it waits for a person or did.
func (s *Server) abandon(runID string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	runs, err := s.log.Runs(ctx, agent.RunQuery{ID: runID})
	if err != nil {
		s.logger().Error("look after a run whose client left", "run", runID, "error", err)
		return
	}
	if len(runs) == 0 || runs[0].Status != protocol.StatusRunning || len(runs[0].Approvals) > 0 {
		return
	}
	if err := s.Runtime.Cancel(ctx, runID); err != nil && !errors.Is(err, agent.ErrEnded) && !errors.Is(err, agent.ErrNotFound) {
		s.logger().Error("cancel a run whose client left", "run", runID, "error", err)
	}
}
