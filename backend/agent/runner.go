package agent

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/backend/model"
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
	run      *run
}

// Wait returns how the stretch ended, or ctx's error; the run goes on all the same. A failed run is an Outcome and a *RunError.
func (h *Handle) Wait(ctx context.Context) (*Outcome, error) {
	select {
	case <-h.run.done:
		return h.run.outcome, h.run.err
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
	stop := context.AfterFunc(ctx, func() { h.run.cancel(errCancelled) })
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

func (r *Runner) start(ctx context.Context, a *Agent, in Input) (*Handle, error) {
	release, err := r.reserve(in.ThreadID)
	if err != nil {
		return nil, err
	}
	started := false
	defer func() {
		if !started {
			release()
		}
	}()
	if err := r.clearPaused(ctx, in); err != nil {
		return nil, err
	}
	thread, err := r.store().Thread(ctx, in.ThreadID)
	if errors.Is(err, ErrNotFound) {
		thread, err = &Thread{ID: in.ThreadID}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("start a run in thread %s: %w", in.ThreadID, err)
	}
	now := r.now().UnixMilli()
	x := r.newRun(a, thread, Run{
		ID: r.newID("run"), ThreadID: in.ThreadID, AgentName: a.Name, Input: in.Text, Context: in.Context, CreatedAtMs: now,
	}, "")
	message := &model.Message{ID: in.MessageID, Role: model.RoleUser, Content: in.Text, RunID: x.id, AtMs: now}
	if message.ID == "" {
		message.ID = r.newID("msg")
	}
	x.history = append(x.history, message)
	x.sink.write(func(b *Batch, _ *Run) { b.Messages = append(b.Messages, message) },
		x.startEvent(), &protocol.Message{MessageID: message.ID, Role: model.RoleUser, Content: in.Text})
	started = true
	return r.launch(x, release)
}

// clearPaused makes way for a new run in a thread: what its paused run waits for is denied if the input says so.
func (r *Runner) clearPaused(ctx context.Context, in Input) error {
	runs, err := r.store().Runs(ctx, RunQuery{
		ThreadID: in.ThreadID, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil {
		return fmt.Errorf("look for unfinished runs of thread %s: %w", in.ThreadID, err)
	}
	for _, st := range runs {
		if st.Status == protocol.StatusRunning {
			return fmt.Errorf("run %s: %w", st.ID, ErrBusy)
		}
		if !in.DenyPending {
			return fmt.Errorf("run %s: %w", st.ID, ErrPaused)
		}
		if err := r.endPaused(ctx, st.ID, protocol.StateDenied, in.Text); err != nil {
			return err
		}
	}
	return nil
}

// reserve makes a thread busy until release.
func (r *Runner) reserve(threadID string) (release func(), err error) {
	rt := &r.runtime
	rt.mu.Lock()
	defer rt.mu.Unlock()
	switch {
	case rt.closed:
		return nil, ErrClosed
	case rt.busy[threadID]:
		return nil, fmt.Errorf("thread %s: %w", threadID, ErrBusy)
	}
	if rt.busy == nil {
		rt.busy, rt.live, rt.ended = map[string]bool{}, map[string]*run{}, make(chan struct{})
	}
	rt.busy[threadID] = true
	return func() {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		delete(rt.busy, threadID)
	}, nil
}

// newRun makes a stretch. open is the id of the message whose calls have no results yet; empty when there is none.
func (r *Runner) newRun(a *Agent, thread *Thread, row Run, open string) *run {
	x := &run{
		runner: r, agent: a, id: row.ID, threadID: row.ThreadID, messageID: r.newID("msg"),
		done: make(chan struct{}), maxTurns: a.maxTurns(), timeout: a.Timeout,
		shared: &shared{ids: map[string]bool{}, requests: map[string]int{}, lastTurn: row.Turn},
	}
	maps.Copy(x.requests, thread.Requests)
	if len(row.Context) > 0 {
		if err := json.Unmarshal(row.Context, &x.context); err != nil {
			r.logger().Warn("a run's context does not decode", "run", row.ID, "error", err)
		}
	}
	x.offer()
	x.history, _ = a.historyOf(thread, open)
	for _, m := range x.history {
		for _, c := range m.ToolCalls {
			x.ids[c.ID] = true
		}
	}
	row.Status, row.MessageID = protocol.StatusRunning, x.messageID
	x.sink = newSink(r.store(), row, r.mergeWindow(), r.now)
	x.sink.announce = r.announce
	x.sink.failed = func(err error) { x.cancel(err) }
	x.ctx, x.cancel = context.WithCancelCause(context.Background())
	return x
}

func (x *run) startEvent() protocol.Event {
	return &protocol.Start{MessageID: x.messageID, ThreadID: x.threadID, RunID: x.id, AgentName: x.agent.Name}
}

// launch stores the first events and lets the run go. It releases the thread once the end of the run's stretch is stored, so that
// who hears of it may send the next message at once.
func (r *Runner) launch(x *run, release func()) (*Handle, error) {
	release = sync.OnceFunc(release)
	x.sink.ended = release
	go x.sink.loop()
	if err := x.sink.commit(); err != nil {
		_ = x.sink.close() // it says the same
		release()
		return nil, fmt.Errorf("start run %s: %w", x.id, err)
	}
	rt := &r.runtime
	rt.mu.Lock()
	rt.live[x.id] = x
	rt.wg.Add(1)
	if rt.closed {
		x.cancel(errCancelled)
	}
	rt.mu.Unlock()
	go func() {
		defer rt.wg.Done()
		if limit := x.timeout; limit > 0 {
			defer time.AfterFunc(limit-x.worked, func() { x.cancel(errRunTimeout) }).Stop()
		}
		x.main()
		x.cancel(nil)
		r.endSandbox(x.id)
		rt.mu.Lock()
		if rt.live[x.id] == x {
			delete(rt.live, x.id)
		}
		rt.mu.Unlock()
		release()
		r.expect(x.outcome.Pending)
		close(x.done)
	}()
	return &Handle{RunID: x.id, ThreadID: x.threadID, run: x}, nil
}

// announce tells of stored events.
func (r *Runner) announce(frames []protocol.Frame, run Run) {
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
		denied := refusal(protocol.StateDenied, "it needs approval, and there is nobody to ask")
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
	return r.runCall(c, prepared)
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

func (a *Agent) maxTurns() int {
	if a.MaxTurns == 0 {
		return DefaultMaxTurns
	}
	return a.MaxTurns
}

func (a *Agent) maxRepeats() int {
	if a.MaxRepeats == 0 {
		return DefaultMaxRepeats
	}
	return a.MaxRepeats
}

func (a *Agent) maxRetries() int {
	if a.MaxRetries == 0 {
		return DefaultMaxRetries
	}
	return a.MaxRetries
}

// resultLength is how much of a result of t the model reads.
func (a *Agent) resultLength(t *tool.Tool) int {
	if t != nil && t.MaxResultLength != 0 {
		return t.MaxResultLength
	}
	if a.MaxResultLength == 0 {
		return DefaultMaxResultLength
	}
	return a.MaxResultLength
}
