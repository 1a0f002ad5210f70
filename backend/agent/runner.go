package agent

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// runtime is what a Runner keeps while the process lives. Nothing of it has to survive.
type runtime struct {
	bell Doorbell

	mu     sync.Mutex
	store  Store
	closed bool
	ended  chan struct{}     // closed with the runner
	live   map[string]*run   // by run id
	busy   map[string]bool   // threads with a live run, or one that is being started
	agents map[string]*Agent // those given to Run
	expiry expiry
	wg     sync.WaitGroup

	deciding sync.Mutex // one at a time changes runs that are not live
}

// Handle is a run that was started.
type Handle struct {
	RunID    string
	ThreadID string
	wait     func(context.Context) (*Outcome, error)
}

// NewHandle is the handle of a run that is elsewhere; wait does what Wait promises.
func NewHandle(runID, threadID string, wait func(context.Context) (*Outcome, error)) *Handle {
	return &Handle{RunID: runID, ThreadID: threadID, wait: wait}
}

// Wait returns how the stretch ended, or ctx's error; the run goes on all the same. A failed run is an Outcome and a *RunError.
func (h *Handle) Wait(ctx context.Context) (*Outcome, error) { return h.wait(ctx) }

// wait is the Wait of a run here.
func (x *run) wait(ctx context.Context) (*Outcome, error) {
	select {
	case <-x.done:
		return x.outcome, x.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Agents resolves agents, and those they may hand over to or ask as tools, by name alone, the same for every thread.
func Agents(agents ...*Agent) func(ctx context.Context, name, threadID string) (*Agent, error) {
	byName := map[string]*Agent{}
	for _, a := range slices.Backward(reach(agents...)) { // the first of a name wins
		byName[a.Name] = a
	}
	return func(_ context.Context, name, _ string) (*Agent, error) {
		if a, ok := byName[name]; ok {
			return a, nil
		}
		return nil, fmt.Errorf("agent %q: %w", name, ErrNotFound)
	}
}

// Start begins a run and returns once its first events are stored. The run belongs to the runner, not to ctx.
// It returns ErrNotFound (no such agent), ErrBusy, ErrPaused or ErrClosed.
func (r *Runner) Start(ctx context.Context, agentName string, in Input) (*Handle, error) {
	if in.ThreadID == "" {
		in.ThreadID = r.newID("thr")
	}
	a, err := r.resolve(ctx, agentName, in.ThreadID)
	if err != nil {
		return nil, err
	}
	return r.start(ctx, a, in)
}

// Run runs an agent until it ends or waits; when ctx is done the run is cancelled. A failed run is an Outcome and a *RunError.
func (r *Runner) Run(ctx context.Context, a *Agent, in Input) (*Outcome, error) {
	rt := &r.runtime
	rt.mu.Lock()
	if rt.agents == nil {
		rt.agents = map[string]*Agent{}
	}
	for _, other := range slices.Backward(reach(a)) {
		rt.agents[other.Name] = other
	}
	rt.mu.Unlock()
	if in.ThreadID == "" {
		in.ThreadID = r.newID("thr")
	}
	h, err := r.start(ctx, a, in)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		if x := r.liveRun(h.RunID); x != nil {
			x.cancel(errCancelled)
		}
	})
	defer stop()
	return h.Wait(context.WithoutCancel(ctx))
}

func (r *Runner) resolve(ctx context.Context, name, threadID string) (*Agent, error) {
	if r.Resolve != nil {
		return r.Resolve(ctx, name, threadID)
	}
	r.runtime.mu.Lock()
	defer r.runtime.mu.Unlock()
	if a, ok := r.runtime.agents[name]; ok {
		return a, nil
	}
	return nil, fmt.Errorf("agent %q: %w", name, ErrNotFound)
}

// Announce tells OnEvent and the Bell of stored events; of a run that is elsewhere its copier calls it.
func (r *Runner) Announce(frames []protocol.Frame, run Run) {
	if r.OnEvent != nil {
		for _, f := range frames {
			guarded(r.logger(), "OnEvent", func() { r.OnEvent(run.ID, f) })
		}
	}
	r.runtime.bell.Ring(Ring{RunID: run.ID, ThreadID: run.ThreadID, Last: run.Last, Status: run.Status})
}

// Bell tells of new events of every run.
func (r *Runner) Bell() *Doorbell { return &r.runtime.bell }

// Live returns how many runs are at work in this process; those that wait are not.
func (r *Runner) Live() int {
	r.runtime.mu.Lock()
	defer r.runtime.mu.Unlock()
	return len(r.runtime.live)
}

// Call runs one tool outside a run: checked, timed out, presented and split in the same way; progress goes to c.OnUpdate.
// A call that needs approval asks Runner.Approve, and is denied when there is none.
func (r *Runner) Call(c tool.Context, t *tool.Tool, argumentsText string) tool.Result {
	if c.Context == nil {
		c.Context = context.Background()
	}
	prepared, err := t.Prepare(argumentsText)
	if err != nil {
		return tool.Result{Err: err, Presentation: t.StaticPresentation()}
	}
	asked := &call{id: c.ToolCallID, name: t.Name, tool: t, arguments: argumentsText, prepared: prepared}
	if t.NeedsApproval(argumentsText) {
		var denied error = &tool.Error{Code: tool.CodeDenied, Message: "denied: the call needs approval, and there is nobody to ask"}
		if r.Approve != nil {
			question := newQuestion(r, asked, protocol.KindApproval).Approval
			d := r.Approve(c, question)
			denied = refusal(protocol.StateDenied, d.Reason)
			if d.Approved {
				denied = nil
				if d.ArgumentsText != nil {
					if prepared, err = t.Prepare(*d.ArgumentsText); err != nil {
						return tool.Result{Err: err, Presentation: t.StaticPresentation()}
					}
				}
			}
		}
		if denied != nil {
			return tool.Result{Err: denied, Presentation: prepared.Presentation()}
		}
	}
	defer r.endSandbox(c.RunID)
	return r.runCall(c, prepared, false)
}

// Close cancels live runs, leaves waiting ones, and returns once all goroutines are gone or ctx is done. Later starts return ErrClosed.
func (r *Runner) Close(ctx context.Context) error {
	rt := &r.runtime
	rt.mu.Lock()
	if rt.ended != nil && !rt.closed {
		close(rt.ended)
	}
	rt.closed = true
	for _, x := range rt.live {
		x.cancel(errCancelled)
	}
	if rt.expiry.timer != nil {
		rt.expiry.timer.Stop()
	}
	rt.mu.Unlock()
	done := make(chan struct{})
	go func() {
		rt.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the runner: %d runs are still at work: %w", r.Live(), ctx.Err())
	}
}

// rest waits; false when the runner closed meanwhile.
func (r *Runner) rest(wait time.Duration) bool {
	select {
	case <-time.After(wait):
		return true
	case <-r.runtime.ended:
		return false
	}
}

// leave watches a tool that was given up on: it may still be at work.
func (r *Runner) leave(name string, left <-chan struct{}) {
	go func() {
		select {
		case <-left:
			return
		case <-time.After(leaveGrace):
		}
		r.logger().Warn("a tool ignores that its call is over", "tool", name)
		<-left
		r.logger().Info("a tool that was given up on has returned", "tool", name)
	}()
}

// leaveGrace is how long a tool may take to notice that its call is over before that is worth a word.
const leaveGrace = 2 * time.Second

func (r *Runner) store() Store {
	r.runtime.mu.Lock()
	defer r.runtime.mu.Unlock()
	if r.runtime.store == nil {
		if r.runtime.store = r.Store; r.Store == nil {
			r.runtime.store = &Memory{}
		}
	}
	return r.runtime.store
}

// Log is the store the runner writes to: Store, or the Memory it made.
func (r *Runner) Log() Store { return r.store() }

func (r *Runner) logger() *slog.Logger {
	if r.Logger != nil {
		return r.Logger
	}
	return slog.Default()
}

func (r *Runner) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

func (r *Runner) mergeWindow() time.Duration {
	if r.MergeWindow == 0 {
		return defaultMergeWindow
	}
	return r.MergeWindow
}

// newID makes an id that sorts by time: 48 bits of milliseconds, 72 of chance.
func (r *Runner) newID(prefix string) string {
	if r.NewID != nil {
		return r.NewID(prefix)
	}
	var b [17]byte
	binary.BigEndian.PutUint64(b[:8], uint64(r.now().UnixMilli())<<16)
	rand.Read(b[6:15])
	return prefix + "_" + strings.ToLower(idEncoding.EncodeToString(b[:15]))
}

var idEncoding = base32.HexEncoding.WithPadding(base32.NoPadding)
