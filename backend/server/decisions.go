package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// byUser is who decided, in the log: a person, over HTTP.
const byUser = "user"

// listApprovals answers with every call that waits for a person, the longest waiting first.
func (s *Server) listApprovals(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	runs, err := s.log.Runs(r.Context(), agent.RunQuery{Statuses: []protocol.Status{protocol.StatusPaused}})
	if err != nil {
		return err
	}
	answers := []approvalAnswer{}
	for _, run := range runs {
		answers = append(answers, v.approvals(waiting(run))...)
	}
	slices.SortStableFunc(answers, func(a, b approvalAnswer) int { return cmp.Compare(a.Since, b.Since) })
	writeJSON(w, http.StatusOK, approvalsAnswer{answers})
	return nil
}

// waiting are the approvals of a run that nobody has decided.
func waiting(run *agent.RunState) []*approval.Pending {
	return slices.DeleteFunc(slices.Clone(run.Approvals), func(p *approval.Pending) bool { return p.Decision != nil })
}

// decide answers one approval.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	var d decisionBody
	if err := s.readBody(w, r, d.body().members); err != nil {
		return err
	}
	decision, err := d.decision()
	if err != nil {
		return invalid("%v", err)
	}
	if err := s.checkHash(r.Context(), v, r.PathValue("id"), decision); err != nil {
		return err
	}
	if err := s.checkEdit(r.Context(), v, r.PathValue("id"), decision); err != nil {
		return err
	}
	pending, handle, err := s.decideOne(r.Context(), r.PathValue("id"), decision)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, decidedAnswer{approvalAnswerOf(v.pending(pending)), handle != nil})
	return nil
}

type decidedAnswer struct {
	approvalAnswer
	Resumed bool `json:"resumed" jsonschema_description:"It was the last decision that was missing: the run goes on"`
}

// decideOne stores a decision; an approval that was decided before says by whom and when, and is returned beside the error.
func (s *Server) decideOne(ctx context.Context, approvalID string, d approval.Decision) (*approval.Pending, *agent.Handle, error) {
	pending, handle, err := s.Runtime.Decide(context.WithoutCancel(ctx), approvalID, d)
	switch {
	case errors.Is(err, approval.ErrNotFound):
		return nil, nil, notFound("no approval %q", approvalID)
	case errors.Is(err, approval.ErrDecided) && pending != nil && pending.Decision != nil:
		by := ""
		if pending.Decision.By != "" {
			by = " by " + pending.Decision.By
		}
		at := time.UnixMilli(pending.DecidedAtMs).UTC().Format(time.RFC3339)
		return pending, nil, conflict(CodeDecided, "%s%s at %s", verdict(pending.Decision), by, at)
	}
	return pending, handle, err
}

// checkHash refuses a decision without the hash of the arguments it was made for, unless the view hides them.
func (s *Server) checkHash(ctx context.Context, v view, approvalID string, d approval.Decision) error {
	if d.ArgumentsHash != "" {
		return nil
	}
	p, err := s.approvalSeen(ctx, v, approvalID)
	if err == nil && (p == nil || !p.Hidden) {
		err = invalid("argumentsHash: a decision needs that of the arguments it was made for")
	}
	return err
}

// approvalSeen is an approval as the view sees it; one that nobody knows is nil.
func (s *Server) approvalSeen(ctx context.Context, v view, approvalID string) (*approval.Pending, error) {
	runs, err := s.log.Runs(ctx, agent.RunQuery{ApprovalID: approvalID})
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		for _, p := range run.Approvals {
			if p.ApprovalID == approvalID {
				return v.pending(p), nil
			}
		}
	}
	return nil, nil
}

// checkEdit refuses arguments for a call that was shown with a secret masked, and that hold the mask still: the call would run with
// the mask in the secret's place.
func (s *Server) checkEdit(ctx context.Context, v view, approvalID string, d approval.Decision) error {
	if v.policy == nil || d.ArgumentsText == nil || !redact.HoldsMask(*d.ArgumentsText) {
		return nil
	}
	p, err := s.approvalSeen(ctx, v, approvalID)
	if err != nil {
		return err
	}
	if p != nil && p.Masked {
		return invalid("argumentsText: a secret is masked as %s in the arguments that were shown, and the edited ones would run with that in its place: write the secret itself there, or approve the call without an edit", redact.Mask)
	}
	return nil
}

func verdict(d *approval.Decision) string {
	switch {
	case d.State != "":
		return string(d.State)
	case d.Approved:
		return "approved"
	}
	return "denied"
}

// decisionBody is a person's answer as it comes in.
type decisionBody struct {
	approved                    *bool
	reason, argumentsText, hash *string
	arguments, result           json.RawMessage
}

// verdict are the members that belong to no one call.
func (d *decisionBody) verdict() members {
	return members{
		"approved": needed(flag(&d.approved, "false denies the call")), "reason": text(&d.reason, "Why; the model reads it of a call that is denied"),
	}
}

func (d *decisionBody) members() members {
	m := d.verdict()
	m["argumentsText"] = text(&d.argumentsText, "The JSON text of the arguments to run with in place of those that were shown; wins over arguments")
	m["arguments"] = raw(&d.arguments, "The arguments to run with in place of those that were shown")
	return m
}

// body is the answer to one approval by its id.
func (d *decisionBody) body() body {
	m := d.members()
	m["argumentsHash"] = text(&d.hash, "That of the arguments the decision was made for; needed unless the approval is hidden")
	m["result"] = raw(&d.result, "Of a call of the kind unknown: what came of it, in place of running it again")
	return body{"DecisionRequest", "The answer to a call that waits", m}
}

func (d *decisionBody) decision() (approval.Decision, error) {
	if d.approved == nil {
		return approval.Decision{}, errors.New("approved: must be true or false")
	}
	decision := approval.Decision{
		Approved: *d.approved, Reason: deref(d.reason), ArgumentsText: d.argumentsText, ArgumentsHash: deref(d.hash), Result: d.result, By: byUser,
	}
	if decision.ArgumentsText == nil && d.arguments != nil && !isNull(d.arguments) {
		text := string(d.arguments)
		decision.ArgumentsText = &text
	}
	return decision, nil
}
