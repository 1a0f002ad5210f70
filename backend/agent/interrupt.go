package agent

import (
	"context"
	"fmt"

	"callboard/backend/protocol"
)

// Interrupt ends the unfinished runs of a thread as the store has them, and runs nothing: a run that waits is cancelled with all its
// calls, one that was at work ends with CodeRunInterrupted, and its calls without a result are cancelled. The reason is for people.
// No runner may have the thread's runs live; it is for copies of threads.
func (r *Runner) Interrupt(ctx context.Context, threadID, reason string) error {
	r.runtime.deciding.Lock()
	defer r.runtime.deciding.Unlock()
	runs, err := r.store().Runs(ctx, RunQuery{
		ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused},
	})
	if err != nil {
		return fmt.Errorf("look for unfinished runs of thread %s: %w", threadID, err)
	}
	for _, st := range runs {
		if st.Status == protocol.StatusPaused {
			err = r.endPaused(ctx, st.ID, protocol.StateCancelled, reason)
		} else {
			err = r.failStored(ctx, st, &RunError{Code: CodeRunInterrupted, Message: reason})
		}
		if err != nil {
			return fmt.Errorf("end run %s: %w", st.ID, err)
		}
	}
	return nil
}
