package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

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

// reserve makes a thread busy until release. Close waits for that.
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
	rt.wg.Add(1)
	return sync.OnceFunc(func() {
		defer rt.wg.Done()
		rt.mu.Lock()
		defer rt.mu.Unlock()
		delete(rt.busy, threadID)
	}), nil
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
	x.sink.announce = r.Announce
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
	return &Handle{RunID: x.id, ThreadID: x.threadID, wait: x.wait}, nil
}
