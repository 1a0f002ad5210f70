package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/internal/openapi"
	"callboard/backend/protocol"
)

// resumeBody is {threadId, decisions?, defaultDecision?}.
type resumeBody struct {
	threadID    *string
	order       []string // of the decisions
	decisions   map[string]approval.Decision
	forTheOther *approval.Decision
}

func (b *resumeBody) body() body {
	others := "For every call that waits and is not among the decisions"
	decisions := openapi.Of("object", "By the toolCallId of each call")
	decisions.AdditionalProperties = schemaOf(new(decisionBody).members(), "")
	return body{"ResumeRequest", "Decisions on what a thread's run waits for", members{
		"threadId":        needed(text(&b.threadID, "The thread whose run waits")),
		"decisions":       member{schema: openapi.OrNull(decisions), take: b.readDecisions},
		"defaultDecision": member{schema: openapi.OrNull(schemaOf(new(decisionBody).verdict(), others)), take: b.readDefault},
	}}
}

func (b *resumeBody) readDecisions(value json.RawMessage) error {
	if isNull(value) {
		return nil
	}
	return eachMember(value, func(toolCallID string, value json.RawMessage) error {
		d, err := readDecision(value)
		if err != nil {
			return fmt.Errorf("%q: %w", toolCallID, err)
		}
		b.order = append(b.order, toolCallID)
		b.decisions[toolCallID] = d
		return nil
	})
}

func (b *resumeBody) readDefault(value json.RawMessage) error {
	if isNull(value) {
		return nil
	}
	d, err := readDecision(value)
	if err == nil && d.ArgumentsText != nil {
		err = errors.New("argumentsText: belongs to one call")
	}
	b.forTheOther = &d
	return err
}

func (s *Server) readResume(w http.ResponseWriter, r *http.Request) (*resumeBody, error) {
	b := &resumeBody{decisions: map[string]approval.Decision{}}
	if err := s.readBody(w, r, b.body().members); err != nil {
		return nil, err
	}
	if b.threadID == nil {
		return nil, invalid("threadId: must be a string that is not blank")
	}
	_, err := threadOf(b.threadID)
	return b, err
}

func readDecision(value json.RawMessage) (approval.Decision, error) {
	var d decisionBody
	if err := readObject(value, d.members()); err != nil {
		return approval.Decision{}, err
	}
	return d.decision()
}

// resume decides what a thread's run waits for and answers with its outcome, or with what is still missing.
func (s *Server) resume(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	run, handle, err := s.resumeRun(w, r, v)
	if err != nil {
		return err
	}
	if handle != nil {
		return s.answer(w, r, v, handle)
	}
	run, err = s.reread(r.Context(), run)
	if err != nil {
		return err
	}
	if run.Status == protocol.StatusFailed { // it could not go on with the decisions
		return s.failureOf(run.ID, run.ThreadID, v, &agent.RunError{Code: run.ErrorCode, Message: run.Error})
	}
	calls, err := s.callsOf(r.Context(), run.ID, run.ThreadID, v)
	if err != nil {
		return err
	}
	answer := runAnswer{
		RunID: run.ID, ThreadID: run.ThreadID, Status: run.Status, ToolCalls: calls, PendingApprovals: v.approvals(waiting(run)),
	}
	if run.Usage != nil {
		answer.Usage = *run.Usage
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// resumeStream is resume as a stream: the events from the decisions on. While decisions are missing it repeats what is asked, in
// events that are in no log and have no number.
func (s *Server) resumeStream(w http.ResponseWriter, r *http.Request) error {
	if err := canStream(w); err != nil {
		return err
	}
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	run, handle, err := s.resumeRun(w, r, v)
	if err != nil {
		return err
	}
	if handle != nil {
		return s.streamRun(w, r, run.ID, run.Last, true)
	}
	now, err := s.reread(r.Context(), run)
	if err != nil {
		return err
	}
	if now.Status != protocol.StatusPaused {
		return s.streamRun(w, r, run.ID, run.Last, true) // someone else's decision was the last that was missing
	}
	t, err := s.openStream(w, r)
	if err != nil {
		return err
	}
	return s.sendPause(r.Context(), t, run.Last, now)
}

// sendPause streams what a run that still waits has new, and what it waits for.
func (s *Server) sendPause(ctx context.Context, t *stream, after int64, run *agent.RunState) error {
	records, err := t.read(ctx, run.ID, after, 0)
	if err != nil {
		s.breakOff(ctx, t, run.ID, err)
		return nil
	}
	for _, record := range records {
		if err := t.event(record.Seq, record.JSON); err != nil {
			return err
		}
	}
	asked := &protocol.ApprovalRequired{ThreadID: run.ThreadID}
	for _, p := range waiting(run) {
		asked.Approvals = append(asked.Approvals, t.view.pending(p).Approval)
	}
	finish := &protocol.Finish{
		MessageID: run.MessageID, ThreadID: run.ThreadID, Status: protocol.StatusPaused, PendingApprovals: len(asked.Approvals), Usage: run.Usage,
	}
	for _, event := range []protocol.Event{asked, finish} {
		if err := t.unnumbered(event); err != nil {
			return err
		}
	}
	return t.done()
}

// resumeRun keeps the decisions of a body. The run is as it was before them; the Handle is nil while some are missing.
func (s *Server) resumeRun(w http.ResponseWriter, r *http.Request, v view) (*agent.RunState, *agent.Handle, error) {
	if err := s.checkAgent(r.PathValue("name")); err != nil {
		return nil, nil, err
	}
	body, err := s.readResume(w, r)
	if err != nil {
		return nil, nil, err
	}
	run, err := s.pausedRun(r.Context(), *body.threadID)
	if err != nil {
		return nil, nil, err
	}
	asked := waiting(run)
	for _, id := range body.order {
		if !slices.ContainsFunc(asked, func(p *approval.Pending) bool { return p.ToolCallID == id }) {
			return nil, nil, invalid("decisions: no call %q of the thread waits for a decision", id)
		}
	}
	for _, p := range asked { // before any decision is kept
		if err := s.checkEdit(r.Context(), v, p.ApprovalID, body.decisions[p.ToolCallID]); err != nil {
			return nil, nil, err
		}
	}
	var handle *agent.Handle
	for _, p := range asked {
		d, given := body.decisions[p.ToolCallID]
		if !given {
			if body.forTheOther == nil {
				continue
			}
			d = *body.forTheOther
		}
		d.ArgumentsHash = p.ArgumentsHash
		_, resumed, err := s.decideOne(r.Context(), p.ApprovalID, d)
		if err != nil {
			return nil, nil, err
		}
		if resumed != nil {
			handle = resumed
		}
	}
	return run, handle, nil
}

// pausedRun finds the run of a thread that waits.
func (s *Server) pausedRun(ctx context.Context, threadID string) (*agent.RunState, error) {
	if _, err := s.log.Thread(ctx, threadID); err != nil {
		if errors.Is(err, agent.ErrNotFound) {
			return nil, notFound("no thread %q", threadID)
		}
		return nil, err
	}
	runs, err := s.log.Runs(ctx, agent.RunQuery{ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusPaused}})
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, agent.ErrNotPaused
	}
	return runs[len(runs)-1], nil
}

func (s *Server) reread(ctx context.Context, run *agent.RunState) (*agent.RunState, error) {
	runs, err := s.log.Runs(ctx, agent.RunQuery{ID: run.ID})
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, notFound("no run %q", run.ID)
	}
	return runs[0], nil
}
