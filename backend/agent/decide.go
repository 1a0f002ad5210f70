package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"callboard/backend/approval"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Decide answers an approval; the last missing answer of a run resumes it: then the Handle is not nil. It returns
// approval.ErrNotFound, approval.ErrDecided, approval.ErrHash, or a *tool.Error with CodeInvalidArgs when edited arguments do not
// fit (the call keeps waiting). With ErrDecided the Pending tells who was first; a decision that comes after the approval has
// expired is told so too, and the call is denied with state expired.
func (r *Runner) Decide(ctx context.Context, approvalID string, d approval.Decision) (*approval.Pending, *Handle, error) {
	r.runtime.deciding.Lock()
	defer r.runtime.deciding.Unlock()
	for {
		p, h, err := r.decide(ctx, approvalID, d)
		if errors.Is(err, ErrConflict) { // another process was first; what it wrote says how to go on
			continue
		}
		return p, h, err
	}
}

func (r *Runner) decide(ctx context.Context, approvalID string, d approval.Decision) (*approval.Pending, *Handle, error) {
	st, err := r.quiet(ctx, RunQuery{ApprovalID: approvalID})
	if errors.Is(err, ErrNotFound) {
		return nil, nil, fmt.Errorf("approval %s: %w", approvalID, approval.ErrNotFound)
	}
	if err != nil {
		return nil, nil, err
	}
	p := findApproval(st, approvalID)
	if p.Decision != nil || st.Status != protocol.StatusPaused {
		return p, nil, fmt.Errorf("approval %s: %w", approvalID, approval.ErrDecided)
	}
	if d.ArgumentsHash != "" && d.ArgumentsHash != p.ArgumentsHash {
		return p, nil, fmt.Errorf("approval %s: %w", approvalID, approval.ErrHash)
	}
	now := r.now()
	late := p.Expired(now)
	if late {
		d = approval.Decision{State: protocol.StateExpired}
	}
	events, err := r.decisionEvents(ctx, st, p, &d)
	if err != nil {
		return p, nil, err
	}
	decided := *p
	decided.Decision, decided.DecidedAtMs = &d, now.UnixMilli()
	if err := r.append(ctx, st, func(b *Batch) { b.Approvals = append(b.Approvals, &decided) }, events...); err != nil {
		return p, nil, err
	}
	st.Approvals[slices.Index(st.Approvals, p)] = &decided
	h, err := r.resumeIfDecided(ctx, st)
	if late && err == nil {
		return &decided, h, fmt.Errorf("approval %s expired: %w", approvalID, approval.ErrDecided)
	}
	return &decided, h, err
}

// decisionEvents checks a decision against its call and says what it means.
func (r *Runner) decisionEvents(ctx context.Context, st *RunState, p *approval.Pending, d *approval.Decision) ([]protocol.Event, error) {
	state := &protocol.CallState{
		ToolCallID: p.ToolCallID, State: protocol.StateApproved, By: d.By, Reason: d.Reason, ApprovalID: p.ApprovalID,
		ArgumentsHash: p.ArgumentsHash,
	}
	if !d.Approved && d.Result == nil {
		if state.State = d.State; d.State == "" {
			state.State = protocol.StateDenied
		}
		return []protocol.Event{state}, nil
	}
	if d.Result != nil {
		if p.Kind != protocol.KindUnknown {
			return nil, &tool.Error{Code: tool.CodeInvalidArgs, Message: "Only a call whose end is unknown takes a result; approve or deny this one."}
		}
		if !json.Valid(d.Result) {
			return nil, &tool.Error{Code: tool.CodeInvalidArgs, Message: "The result handed in is not JSON."}
		}
		d.Approved = true // to hand one in is to say that the call was made
		return []protocol.Event{state}, nil
	}
	if d.ArgumentsText == nil || *d.ArgumentsText == p.ArgumentsText {
		d.ArgumentsText = nil
		return []protocol.Event{state}, nil
	}
	a, err := r.agentOf(ctx, st)
	if err != nil {
		return nil, fmt.Errorf("check edited arguments of call %s: %w", p.ToolCallID, err)
	}
	if a = r.at(a, st, p.ParentToolCallID); a != nil {
		if t := r.offeredAs(a, p.ToolName); t != nil {
			if _, err := t.Prepare(*d.ArgumentsText); err != nil {
				return nil, err
			}
		}
	}
	state.ArgumentsHash = approval.Hash(*d.ArgumentsText)
	return []protocol.Event{state, &protocol.ToolUpdate{
		ToolCallID: p.ToolCallID, Arguments: parsed(*d.ArgumentsText), ArgumentsText: d.ArgumentsText,
	}}, nil
}

func findApproval(st *RunState, id string) *approval.Pending {
	for _, p := range st.Approvals {
		if p.ApprovalID == id {
			return p
		}
	}
	return nil
}

// quiet returns a run as the store has it, once no stretch of it is at work here.
func (r *Runner) quiet(ctx context.Context, q RunQuery) (*RunState, error) {
	for {
		runs, err := r.store().Runs(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("load run %s%s: %w", q.ID, q.ApprovalID, err)
		}
		if len(runs) == 0 {
			return nil, fmt.Errorf("run %s%s: %w", q.ID, q.ApprovalID, ErrNotFound)
		}
		st := runs[0]
		x := r.liveRun(st.ID)
		if x == nil || st.Status == protocol.StatusRunning && !x.isPausing() {
			return st, nil
		}
		select { // it is about to tell its pause, or has told it, and to let go
		case <-x.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (r *Runner) liveRun(id string) *run {
	r.runtime.mu.Lock()
	defer r.runtime.mu.Unlock()
	return r.runtime.live[id]
}

// append writes events of a run that is not live. ErrConflict says that another process was first.
func (r *Runner) append(ctx context.Context, st *RunState, fill func(*Batch), events ...protocol.Event) error {
	b := &Batch{Run: st.Run, Durable: true}
	b.Run.UpdatedAtMs = r.now().UnixMilli()
	for _, event := range events {
		b.Run.Last++
		b.Frames = append(b.Frames, protocol.Frame{Seq: b.Run.Last, AtMs: b.Run.UpdatedAtMs, Event: event})
	}
	fill(b)
	if err := r.store().Append(context.WithoutCancel(ctx), b); err != nil {
		return fmt.Errorf("write to run %s: %w", st.ID, err)
	}
	st.Run = b.Run
	r.Announce(b.Frames, b.Run)
	return nil
}

// resumeIfDecided goes on with a paused run once nothing of it waits.
func (r *Runner) resumeIfDecided(ctx context.Context, st *RunState) (*Handle, error) {
	for _, p := range st.Approvals {
		if p.Decision == nil {
			return nil, nil
		}
	}
	return r.resume(ctx, st)
}

// resume goes on with a run from the store: its calls without a result are settled, then the model is asked again.
func (r *Runner) resume(ctx context.Context, st *RunState) (*Handle, error) {
	release, err := r.reserve(st.ThreadID)
	if err != nil {
		return nil, err
	}
	x, err := r.restore(ctx, st)
	if err != nil {
		release()
		return nil, r.failStored(ctx, st, &RunError{Code: CodeInternal, Message: "The run could not go on: " + err.Error(), Err: err})
	}
	x.sink.emit(x.startEvent())
	return r.launch(x, release)
}

// restore rebuilds a run from what is stored of it.
func (r *Runner) restore(ctx context.Context, st *RunState) (*run, error) {
	a, err := r.agentOf(ctx, st)
	if err != nil {
		return nil, err
	}
	thread, err := r.store().Thread(ctx, st.ThreadID)
	if err != nil {
		return nil, fmt.Errorf("load thread %s: %w", st.ThreadID, err)
	}
	calls, open := openCalls(st, thread.Messages) // their results join the history once all are there
	x := r.newRun(a, thread, st.Run, open)
	if err := x.readLog(ctx); err != nil {
		return nil, err
	}
	x.stored = st
	x.follow(x.lines[""])
	if x.beganAs != a.Name {
		if first, err := r.resolve(ctx, x.beganAs, st.ThreadID); err == nil {
			x.maxTurns, x.timeout = first.maxTurns(), first.Timeout
		}
	}
	x.check(calls)
	x.pending = calls
	return x, nil
}

// check reads the arguments of calls that come from the store.
func (x *run) check(calls []*call) {
	for _, c := range calls {
		c.tool = x.tools[c.name]
		c.check()
	}
}

// agentOf finds the agent a run is with: by its name, else among those that the agent it began with may hand over to.
func (r *Runner) agentOf(ctx context.Context, st *RunState) (*Agent, error) {
	a, err := r.resolve(ctx, st.AgentName, st.ThreadID)
	if !errors.Is(err, ErrNotFound) {
		return a, err
	}
	records, logErr := r.store().Events(ctx, st.ID, 0, 1)
	if logErr != nil || len(records) == 0 {
		return nil, errors.Join(err, logErr)
	}
	f, logErr := protocol.DecodeFrame(records[0].Seq, records[0].JSON)
	if start, ok := f.Event.(*protocol.Start); ok && start.AgentName != st.AgentName {
		first, firstErr := r.resolve(ctx, start.AgentName, st.ThreadID)
		if firstErr != nil {
			return nil, fmt.Errorf("%w; the run began with another one: %w", err, firstErr)
		}
		for _, other := range reach(first) {
			if other.Name == st.AgentName {
				return other, nil
			}
		}
	}
	return nil, errors.Join(err, logErr)
}
