package agent

import (
	"context"

	"callboard/backend/approval"
	"callboard/backend/tool"
)

type runtime struct {
	bell Doorbell
}

// Handle is a run that was started.
type Handle struct {
	RunID    string
	ThreadID string
}

// Wait returns how the stretch ended, or ctx's error; the run goes on all the same.
func (h *Handle) Wait(ctx context.Context) (*Outcome, error) { panic("being built") }

// Agents resolves agents by name alone, the same for every thread.
func Agents(agents ...*Agent) func(ctx context.Context, name, threadID string) (*Agent, error) {
	panic("being built")
}

// Start begins a run and returns once its first events are stored. The run belongs to the runner, not to ctx.
// It returns ErrNotFound (no such agent), ErrBusy, ErrPaused or ErrClosed.
func (r *Runner) Start(ctx context.Context, agentName string, in Input) (*Handle, error) {
	panic("being built")
}

// Run runs an agent until it ends or waits; when ctx is done the run is cancelled. A failed run is an Outcome and an error.
func (r *Runner) Run(ctx context.Context, a *Agent, in Input) (*Outcome, error) { panic("being built") }

// Decide answers an approval; the last missing answer of a run resumes it: then the Handle is not nil. It returns
// approval.ErrNotFound, approval.ErrDecided, approval.ErrHash, or a *tool.Error with CodeInvalidArgs when edited arguments do not
// fit (the call keeps waiting).
func (r *Runner) Decide(ctx context.Context, approvalID string, d approval.Decision) (*approval.Pending, *Handle, error) {
	panic("being built")
}

// Cancel stops a run, waiting calls included. ErrNotFound, ErrEnded.
func (r *Runner) Cancel(ctx context.Context, runID string) error { panic("being built") }

// CancelCall stops one call; its run goes on. ErrNotFound, ErrEnded.
func (r *Runner) CancelCall(ctx context.Context, runID, toolCallID string) error {
	panic("being built")
}

// Recover settles the runs another process left unfinished, of one thread or (empty) of all: those whose model spoke end, calls
// that ran become unknown, decided calls that had not started run. Call it once, before the first Start, when no other process
// uses the store.
func (r *Runner) Recover(ctx context.Context, threadID string) error { panic("being built") }

// Bell tells of new events of every run.
func (r *Runner) Bell() *Doorbell { return &r.runtime.bell }

// Call runs one tool outside a run: checked, timed out, presented and split in the same way; progress goes to c.OnUpdate.
func (r *Runner) Call(c tool.Context, t *tool.Tool, argumentsText string) tool.Result {
	panic("being built")
}

// Close cancels live runs, leaves waiting ones, and returns once all goroutines are gone or ctx is done. Later starts return ErrClosed.
func (r *Runner) Close(ctx context.Context) error { panic("being built") }
