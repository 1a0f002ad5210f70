package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// execution is what happened to a call after it was complete.
type execution struct {
	asked  *approval.Pending // the newest question about it; nil when nobody was asked
	record *Call             // the ledger's row; nil before it started
	edited bool              // a person changed its arguments
	worked time.Duration     // in earlier stretches, of a call in which an agent works
	shown  []Blob            // the images of its result

	queued []*call // of a call in a stored run: the last calls of the agent in it

	// Guarded by the run's mu.
	waiting []*approval.Pending // what the agent in it waits for
	inner   *run                // the agent that works in it
	cancel  context.CancelCauseFunc
	stopped bool // cancelled before it started
	told    bool // its result was told
}

func (c *call) over() bool { return c.record != nil && c.record.Message != nil }

// settle brings every call of a turn to its one result, in the same way for a fresh turn and for one that was paused: calls that
// cannot run are answered, then, if a person must be asked, the waiting ones are returned and nothing runs; else the rest runs and
// the results go into the history in call order.
func (x *run) settle(calls []*call) ([]*approval.Pending, error) {
	x.mu.Lock()
	x.current = calls
	x.mu.Unlock()
	var waiting []*approval.Pending
	var ready []*call
	for _, c := range calls {
		if c.over() {
			continue
		}
		pending, runs := x.judge(c)
		if pending != nil {
			waiting = append(waiting, pending)
		}
		if runs {
			ready = append(ready, c)
		}
	}
	if len(waiting) > 0 && x.ctx.Err() == nil {
		return waiting, nil
	}
	for len(ready) > 0 {
		x.execute(ready)
		if waiting = x.waitingInside(calls); len(waiting) > 0 {
			return waiting, nil
		}
		ready = slices.DeleteFunc(ready, (*call).over) // what stood behind a call that waited and was stopped
	}
	for _, c := range calls {
		if !c.over() { // the run was stopped while it waited
			x.answerStopped(c)
		}
	}
	messages := callMessages(calls)
	next := takesOver(calls)
	x.history = append(x.history, messages...)
	if x.parent == nil { // those of an agent inside a call are in the ledger, and nowhere else
		x.sink.write(func(b *Batch, run *Run) {
			b.Messages = append(b.Messages, messages...)
			if next != nil {
				run.AgentName = next.Name
			}
		})
	}
	x.repeats.note(calls)
	if next != nil {
		x.become(next)
	}
	return nil, x.sink.failure()
}

// waitingInside returns what agents inside calls wait for, and tells that their calls wait. A call that was stopped meanwhile is
// answered instead, after those inside it.
func (x *run) waitingInside(calls []*call) (waiting []*approval.Pending) {
	for _, c := range calls {
		x.mu.Lock()
		stopped := c.stopped || x.ctx.Err() != nil
		x.mu.Unlock()
		switch {
		case len(c.waiting) == 0 || c.over():
		case stopped:
			x.answerStopped(c)
		default:
			waiting = append(waiting, c.waiting...)
			row := *c.record
			row.State = protocol.StateWaiting
			x.sink.write(func(b *Batch, _ *Run) { b.Calls = append(b.Calls, row) }, &protocol.CallState{
				ToolCallID: c.id, State: protocol.StateWaiting,
			})
		}
	}
	return waiting
}

// judge answers a call that cannot run, or returns the question it waits for, or says it may run.
func (x *run) judge(c *call) (*approval.Pending, bool) {
	switch p := c.asked; {
	case c.tool == nil:
		x.answer(c, nil, &tool.Error{Code: tool.CodeNotFound, Message: notFound(c.name, x.toolNames())}, protocol.StateFailed)
	case p != nil && p.Decision == nil:
		again := *p
		again.Asked = true
		return &again, false
	case p != nil && !p.Decision.Approved:
		x.answerDenied(c, p)
	case p != nil && p.Decision.Result != nil:
		x.answerHandedIn(c, p)
	case c.invalid != nil:
		x.answer(c, nil, c.invalid, protocol.StateFailed)
	case x.comesSecond(c):
	case x.beforeCall(c):
	case p != nil:
		if again := x.previewChanged(c, p); again != nil {
			return again, false
		}
		return nil, true
	case c.tool.NeedsApproval(c.arguments) && !x.allowed(c):
		return x.question(c), false
	default:
		return nil, true
	}
	return nil, false
}

// execute runs calls that may run, side by side if the agent wants that.
func (x *run) execute(calls []*call) {
	if !x.agent.Parallel {
		for _, c := range calls {
			if x.executeOne(c); len(c.waiting) > 0 { // those after it wait with it
				return
			}
		}
		return
	}
	var wg sync.WaitGroup
	for _, c := range calls {
		wg.Go(func() { x.executeOne(c) })
	}
	wg.Wait()
}

func (x *run) executeOne(c *call) {
	ctx, cancel := context.WithCancelCause(x.ctx)
	defer cancel(nil)
	x.mu.Lock()
	c.cancel = cancel
	stopped := c.stopped
	x.mu.Unlock()
	if stopped || ctx.Err() != nil {
		x.answerStopped(c)
		return
	}
	c.begin(x, x.runner.now().UnixMilli())
	row := *c.record
	x.sink.write(func(b *Batch, _ *Run) {
		b.Calls = append(b.Calls, row)
		b.Durable = b.Durable || len(c.tool.SideEffects) > 0
	}, &protocol.CallState{ToolCallID: c.id, State: protocol.StateRunning})
	if x.sink.commit() != nil {
		c.record.Message = &model.Message{} // never stored: the run ends here
		return
	}
	result := x.do(ctx, c)
	if len(c.waiting) > 0 {
		return
	}
	stop := x.hear(x.toolContext(ctx, c), c, &result)
	state := protocol.StateDone
	if result.Err != nil && ctx.Err() != nil {
		state = protocol.StateCancelled
		result.Err = stoppedError(context.Cause(ctx))
	} else if result = x.afterCall(x.toolContext(ctx, c), c, result, len(x.agent.Middleware)); result.Err != nil {
		state = protocol.StateFailed
	}
	if result.Left != nil {
		x.runner.leave(c.name, result.Left)
	}
	x.answer(c, &result, result.Err, state)
	if stop != nil {
		x.cancel(stop)
	}
}

// do runs a call, or lets the agent that stands behind it do it, which may have to wait.
func (x *run) do(ctx context.Context, c *call) tool.Result {
	if a := c.worker(); a != nil {
		result, waiting := x.work(ctx, c, a)
		x.mu.Lock()
		c.waiting = waiting
		x.mu.Unlock()
		return result
	}
	return x.runner.runCall(x.toolContext(ctx, c), c.prepared, c.byRule())
}

// begin makes the ledger's row of a call that starts, or that an agent goes on with.
func (c *call) begin(x *run, started int64) {
	if c.worker() != nil && c.record != nil && c.record.StartedMs > 0 {
		started = c.record.StartedMs
		c.worked = x.workedOn[c.id]
	}
	c.record = &Call{
		RunID: x.id, ToolCallID: c.id, ParentToolCallID: c.parentID, ToolName: c.name, Turn: x.turn, State: protocol.StateRunning,
		Proposed: string(c.args), Executed: c.arguments, StartedMs: started,
	}
}

func (x *run) toolContext(ctx context.Context, c *call) tool.Context {
	return tool.Context{
		Context: ctx, AgentName: x.agent.Name, RunID: x.id, ThreadID: x.threadID, ToolCallID: c.id,
		UserID: x.context.UserID, ChannelType: x.context.ChannelType, ChannelID: x.context.ChannelID,
		OnUpdate: func(u tool.Update) { x.progress(c, u) },
	}
}

func (x *run) progress(c *call, u tool.Update) {
	event := &protocol.ToolUpdate{ToolCallID: c.id, Presentation: u.Presentation}
	var err error
	if event.Content, err = encode(u.Content); err == nil {
		event.Details, err = encode(u.Details)
	}
	if err != nil {
		x.runner.logger().Warn("progress that does not encode is dropped", "tool", c.name, "error", err)
		return
	}
	x.sink.emit(event)
}

func (x *run) answerDenied(c *call, p *approval.Pending) {
	state := p.Decision.State
	if state == "" {
		state = protocol.StateDenied
	}
	x.answer(c, nil, refusal(state, p.Decision.Reason), state)
}

// answerHandedIn takes the result a person gave for a call nobody knows the end of.
func (x *run) answerHandedIn(c *call, p *approval.Pending) {
	x.answerChecked(c, tool.Result{Content: p.Decision.Result}, len(x.agent.Middleware))
}

// answerStopped answers a call that was stopped, after those an agent in it has left open.
func (x *run) answerStopped(c *call) {
	if c.inner != nil {
		for _, inner := range c.inner.pending {
			if !inner.over() {
				c.inner.answerStopped(inner)
			}
		}
	}
	cause := context.Cause(x.ctx)
	if cause == nil {
		cause = errCallCancelled
	}
	x.answer(c, nil, stoppedError(cause), protocol.StateCancelled)
}

func stoppedError(cause error) error {
	message := "the run ended before this call gave a result: " + cause.Error()
	switch {
	case errors.Is(cause, errCancelled), errors.Is(cause, errCallCancelled):
		message = "cancelled by user"
	case errors.Is(cause, errRunTimeout):
		message = "cancelled: the run's time limit was over"
	case errors.Is(cause, errWorkTimeout):
		message = "cancelled: " + cause.Error()
	}
	return &tool.Error{Code: tool.CodeCancelled, Message: message}
}

func refusal(state protocol.State, reason string) error {
	message := "denied by a person"
	code := tool.CodeDenied
	switch state {
	case protocol.StateExpired:
		message = "nobody decided in time; the call did not run"
	case protocol.StateCancelled:
		message, code = "cancelled by user", tool.CodeCancelled
	}
	if reason != "" {
		message += ": " + reason
	}
	return &tool.Error{Code: code, Message: message}
}

// answer gives a call its one result: in the ledger and in the log, in one transaction.
func (x *run) answer(c *call, result *tool.Result, err error, state protocol.State) {
	events, row := answerCall(x.runner, x.id, c, result, err, state, x.agent.resultLength(c.tool))
	c.record = &row
	x.mu.Lock()
	c.told = true
	x.mu.Unlock()
	x.sink.write(func(b *Batch, _ *Run) {
		b.Calls = append(b.Calls, row)
		b.Blobs = append(b.Blobs, c.shown...)
	}, events...)
}

// presentation is the tool's for a call; nil when it declares none.
func (c *call) presentation() *tool.Presentation {
	switch {
	case c.prepared != nil:
		return c.prepared.Presentation()
	case c.tool != nil:
		return c.tool.StaticPresentation()
	}
	return nil
}

// answerCall makes the one result of a call: the events that tell it and the ledger's row with what the model will read.
func answerCall(r *Runner, runID string, c *call, result *tool.Result, err error, state protocol.State, limit int) ([]protocol.Event, Call) {
	if result == nil {
		result = &tool.Result{Presentation: c.presentation()}
	}
	split := r.split(c, result.Content)
	event := &protocol.ToolResult{
		ID: r.newID("res"), ToolCallID: c.id, Result: split.Shown, Details: result.Details, Presentation: result.Presentation,
	}
	if c.record != nil && c.record.StartedMs > 0 && result.Duration > 0 {
		ms := result.Duration.Milliseconds()
		event.DurationMs = &ms
	}
	if err != nil {
		event.Result = json.RawMessage("null")
		event.Error, event.ErrorCode = err.Error(), tool.CodeExecutionFailed
		var coded *tool.Error
		if errors.As(err, &coded) {
			event.ErrorCode = coded.Code
		}
	}
	row := Call{
		RunID: runID, ToolCallID: c.id, ParentToolCallID: c.parentID, ToolName: c.name, Turn: c.turn,
		Proposed: string(c.args), Executed: c.arguments,
	}
	if c.record != nil {
		row = *c.record
	}
	row.State, row.EndedMs = state, r.now().UnixMilli()
	row.Message = resultMessage(runID, c, event, split, state, limit, row.EndedMs)
	if state == protocol.StateCancelled {
		cancelled := &protocol.CallState{ToolCallID: c.id, State: state}
		if result.Left != nil {
			cancelled.Reason = "still at work"
		}
		return []protocol.Event{cancelled, event}, row
	}
	return []protocol.Event{event}, row
}

// toolNames are the names under which the model knows the tools it is offered.
func (x *run) toolNames() []string {
	if len(x.called) == len(x.schemas) {
		return x.called
	}
	names := make([]string, len(x.schemas))
	for i, t := range x.schemas {
		names[i] = t.Name
	}
	return names
}

// notFound tells the model which tools it may have meant.
func notFound(name string, names []string) string {
	if near := nearest(name, names); len(near) > 0 {
		return fmt.Sprintf("There is no tool %q. Did you mean %s?", name, strings.Join(near, " or "))
	}
	if len(names) == 0 {
		return fmt.Sprintf("There is no tool %q, and no other.", name)
	}
	return fmt.Sprintf("There is no tool %q. The tools are: %s.", name, strings.Join(names, ", "))
}
