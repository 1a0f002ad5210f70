package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Cancel stops a run, waiting calls included. It returns ErrNotFound, or ErrEnded.
func (r *Runner) Cancel(ctx context.Context, runID string) error {
	if x := r.liveRun(runID); x != nil && x.stop() {
		return nil
	}
	r.runtime.deciding.Lock()
	defer r.runtime.deciding.Unlock()
	return r.endPaused(ctx, runID, protocol.StateCancelled, "")
}

// CancelCall stops one call; its run goes on. It returns ErrNotFound, ErrEnded when the call has its result, or ErrBusy when it is
// inside another call and about to wait, while calls beside that one still run.
func (r *Runner) CancelCall(ctx context.Context, runID, toolCallID string) error {
	if x := r.liveRun(runID); x != nil && x.sink.row().Status == protocol.StatusRunning {
		if err := x.cancelCall(toolCallID); !errors.Is(err, errPausing) {
			return err
		}
	}
	st, err := r.quiet(ctx, RunQuery{ID: runID})
	if err != nil {
		return err
	}
	for _, p := range st.Approvals {
		if p.ToolCallID == toolCallID && p.Decision == nil {
			_, _, err := r.Decide(ctx, p.ApprovalID, approval.Decision{State: protocol.StateCancelled})
			return err
		}
	}
	return r.cancelQueued(ctx, st, toolCallID)
}

// errPausing says that a run is about to pause.
var errPausing = errors.New("the run is about to pause")

func (x *run) cancelCall(id string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.pausing {
		return errPausing
	}
	for _, c := range x.current {
		if c.inner != nil {
			if err := c.inner.cancelCall(id); !errors.Is(err, ErrNotFound) {
				if err == nil && len(c.waiting) > 0 {
					err = fmt.Errorf("call %s waits until a person can be asked, once its run pauses: %w", id, ErrBusy)
				}
				return err
			}
		}
		if c.id != id {
			continue
		}
		if c.told {
			return fmt.Errorf("call %s: %w", id, ErrEnded)
		}
		c.stopped = true
		if c.cancel != nil {
			c.cancel(errCallCancelled)
		}
		return nil
	}
	return fmt.Errorf("call %s: %w", id, ErrNotFound)
}

// cancelQueued answers a call of a paused run that nobody is asked about: it waits for its siblings, or for an agent inside it.
func (r *Runner) cancelQueued(ctx context.Context, st *RunState, toolCallID string) error {
	r.runtime.deciding.Lock()
	defer r.runtime.deciding.Unlock()
	if st.Status != protocol.StatusPaused {
		return fmt.Errorf("call %s of run %s: %w", toolCallID, st.ID, ErrEnded)
	}
	calls, err := r.openCallsOf(ctx, st)
	if err != nil {
		return err
	}
	for _, c := range unfolded(calls) {
		if c.id == toolCallID {
			var end ending
			end.stop(r, st.ID, []*call{c}, protocol.StateCancelled, "")
			if err := r.append(ctx, st, end.into, end.events...); err != nil {
				return err
			}
			if st, err = r.quiet(ctx, RunQuery{ID: st.ID}); err == nil {
				_, err = r.resumeIfDecided(ctx, st)
			}
			return err
		}
	}
	for i := range st.Calls {
		if st.Calls[i].ToolCallID == toolCallID {
			return fmt.Errorf("call %s: %w", toolCallID, ErrEnded)
		}
	}
	return fmt.Errorf("call %s of run %s: %w", toolCallID, st.ID, ErrNotFound)
}

func (r *Runner) openCallsOf(ctx context.Context, st *RunState) ([]*call, error) {
	thread, err := r.store().Thread(ctx, st.ThreadID)
	if err != nil {
		return nil, fmt.Errorf("load thread %s: %w", st.ThreadID, err)
	}
	calls, _ := openCalls(st, thread.Messages)
	return calls, nil
}

// endPaused ends a run that waits: what waits becomes state (denied or cancelled), what was queued is cancelled.
func (r *Runner) endPaused(ctx context.Context, runID string, state protocol.State, reason string) error {
	st, err := r.quiet(ctx, RunQuery{ID: runID})
	if err != nil {
		return err
	}
	if st.Status != protocol.StatusPaused {
		return fmt.Errorf("run %s: %w", runID, ErrEnded)
	}
	calls, err := r.openCallsOf(ctx, st)
	if err != nil {
		return err
	}
	messageID := r.newID("msg")
	events := []protocol.Event{&protocol.Start{MessageID: messageID, ThreadID: st.ThreadID, RunID: st.ID, AgentName: st.AgentName}}
	var end ending
	end.stop(r, st.ID, calls, state, reason)
	events = append(events, end.events...)
	events = append(events, &protocol.Finish{MessageID: messageID, ThreadID: st.ThreadID, Usage: st.Usage, Status: protocol.StatusCancelled})
	st.Status, st.MessageID = protocol.StatusCancelled, messageID
	return r.append(ctx, st, func(b *Batch) {
		end.into(b)
		b.Messages = callMessages(calls)
	}, events...)
}

// Recover settles the runs another process left unfinished, of one thread or (empty) of all: those whose model spoke end, calls
// that ran become unknown, decided calls that had not started run. Call it once, before the first Start, when no other process
// uses the store.
func (r *Runner) Recover(ctx context.Context, threadID string) error {
	runs, err := r.store().Runs(ctx, RunQuery{
		ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused},
	})
	if err != nil {
		return fmt.Errorf("look for unfinished runs: %w", err)
	}
	var failures []error
	for _, st := range runs {
		if r.Elsewhere != nil && r.Elsewhere(st.ID) {
			continue
		}
		if err := r.recoverRun(ctx, st); err != nil {
			failures = append(failures, fmt.Errorf("recover run %s: %w", st.ID, err))
		}
	}
	return errors.Join(failures...)
}

func (r *Runner) recoverRun(ctx context.Context, st *RunState) error {
	if st.Status == protocol.StatusPaused {
		r.expect(st.Approvals)
		_, err := r.resumeIfDecided(ctx, st)
		return err
	}
	left, err := r.readLeft(ctx, st.ID)
	if err != nil {
		return err
	}
	if left.speaking() {
		return r.failStored(ctx, st, &RunError{
			Code: CodeRunInterrupted, Message: "The program stopped while the model was answering. Send the message again to go on.",
		})
	}
	calls, err := r.openCallsOf(ctx, st)
	if err != nil {
		return err
	}
	if len(calls) == 0 { // its last turn made none: only its finish is missing
		st.Status = protocol.StatusCompleted
		return r.append(ctx, st, func(*Batch) {}, &protocol.Finish{
			MessageID: st.MessageID, ThreadID: st.ThreadID, Usage: st.Usage, Status: protocol.StatusCompleted,
		})
	}
	events, dropped := left.closing(r)
	st.CallCount -= dropped
	unknown, rows := r.unknownCalls(ctx, st, left, calls)
	if len(unknown) == 0 {
		if len(events) > 0 { // of agents inside calls; their models are asked again
			if err := r.append(ctx, st, func(*Batch) {}, events...); err != nil {
				return err
			}
		}
		_, err := r.resume(ctx, st)
		return err
	}
	for _, row := range rows {
		if row.State == protocol.StateWaiting {
			events = append(events, &protocol.CallState{ToolCallID: row.ToolCallID, State: row.State})
		}
	}
	st.Status = protocol.StatusPaused
	events = append(append(events, askEvents(st.ThreadID, unknown)...), &protocol.Finish{
		MessageID: st.MessageID, ThreadID: st.ThreadID, Usage: st.Usage, Status: protocol.StatusPaused, PendingApprovals: len(unknown),
	})
	return r.append(ctx, st, func(b *Batch) { b.Calls, b.Approvals = rows, unknown }, events...)
}

// unknownCalls asks about the calls that ran when the process stopped, and returns their rows, and those of the calls in which
// agents worked: these wait when anything does.
func (r *Runner) unknownCalls(ctx context.Context, st *RunState, left *left, calls []*call) (unknown []*approval.Pending, rows []Call) {
	own, err := r.agentOf(ctx, st)
	if err != nil {
		own = nil // who worked is known of those that said something
	}
	for _, c := range unfolded(calls) {
		if c.record == nil || c.record.State != protocol.StateRunning {
			continue
		}
		row := *c.record
		if r.worked(own, st, left, c) {
			row.State = protocol.StateWaiting
			rows = append(rows, row)
			continue
		}
		p := r.questionOfUnknown(own, st, c)
		p.RunID, p.ThreadID, p.AgentName = st.ID, st.ThreadID, st.AgentName
		if told := left.Call(c.id); told != nil && told.AgentName != "" {
			p.AgentName = told.AgentName
		}
		unknown = append(unknown, p)
		row.State = protocol.StateUnknown
		rows = append(rows, row)
	}
	return unknown, rows
}

// questionOfUnknown asks what became of a call, with what its tool says of it; of one that is gone, what was asked before it ran.
func (r *Runner) questionOfUnknown(own *Agent, st *RunState, c *call) *approval.Pending {
	if a := r.at(own, st, c.parentID); a != nil {
		c.tool = r.offeredAs(a, c.name)
	}
	if c.tool != nil {
		c.prepared, _ = c.tool.Prepare(c.arguments) // it ran: what does not fit now is asked about all the same
	}
	p := newQuestion(r, c, protocol.KindUnknown)
	if before := c.asked; before != nil && c.tool == nil {
		p.Description, p.SideEffects, p.Presentation = before.Description, before.SideEffects, before.Presentation
	}
	return p
}

// worked reports whether it was an agent that worked in a call: going on with it repeats nothing.
func (r *Runner) worked(own *Agent, st *RunState, left *left, c *call) bool {
	if a := r.at(own, st, c.parentID); a != nil {
		return workerOf(r.offeredAs(a, c.name)) != nil
	}
	return slices.ContainsFunc(left.Turns, func(turn *protocol.TurnRecord) bool { return turn.ParentToolCallID == c.id })
}

// rescue ends a run whose log could not be written: from what is stored of it, as soon as storing works again. It returns the
// failure. If the end cannot be stored soon, the doorbell tells it, and it is tried again until it is stored or the runner closes.
func (r *Runner) rescue(x *run, cause error) error {
	failure := &RunError{Code: CodeInternal, Message: "The run was stopped because its events could not be stored: " + cause.Error(), Err: cause}
	var err error
	for wait := 50 * time.Millisecond; wait < time.Second; wait *= 4 {
		if err = r.endStored(x.id, failure); err == nil {
			return failure
		}
		time.Sleep(wait)
	}
	r.logger().Error("the end of a run could not be stored", "run", x.id, "error", err)
	row := x.sink.row()
	r.runtime.bell.Ring(Ring{RunID: x.id, ThreadID: x.threadID, Last: row.Last, Status: protocol.StatusFailed, Error: failure.Message})
	r.runtime.wg.Go(func() {
		for wait := time.Second; r.rest(wait); wait = min(2*wait, time.Minute) {
			if r.endStored(x.id, failure) == nil {
				return
			}
		}
	})
	return failure
}

// endStored ends a run with an error, if the store has it as one that runs.
func (r *Runner) endStored(runID string, failure *RunError) error {
	ctx := context.Background()
	runs, err := r.store().Runs(ctx, RunQuery{ID: runID, Statuses: []protocol.Status{protocol.StatusRunning}})
	if err != nil {
		return fmt.Errorf("load run %s: %w", runID, err)
	}
	if len(runs) == 0 {
		return nil
	}
	return r.failStored(ctx, runs[0], failure)
}

// failStored ends a run that is not live with an error: open parts and calls are closed first, as the stored log has them.
func (r *Runner) failStored(ctx context.Context, st *RunState, failure *RunError) error {
	left, err := r.readLeft(ctx, st.ID)
	if err != nil {
		return err
	}
	calls, err := r.openCallsOf(ctx, st)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	events, dropped := left.closing(r)
	var end ending
	for _, c := range unfolded(calls) {
		end.give(r, st.ID, c, stoppedError(failure), protocol.StateCancelled)
	}
	events = append(events, end.events...)
	events = append(events, &protocol.Error{Message: failure.Message, Code: failure.Code})
	st.Status, st.Error, st.ErrorCode = protocol.StatusFailed, failure.Message, failure.Code
	st.CallCount -= dropped
	return r.append(ctx, st, func(b *Batch) {
		end.into(b)
		b.Messages = callMessages(calls)
		if said := left.said(); said != "" {
			b.Messages = append(b.Messages, &model.Message{
				ID: turnMessageID(st.ID, left.own().Turn), Role: model.RoleAssistant, Content: said, RunID: st.ID, AtMs: r.now().UnixMilli(),
			})
		}
	}, events...)
}
