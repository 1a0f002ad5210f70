package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// view is what the client of a request sees: a policy's view, or with no policy everything.
type view struct {
	policy *redact.Policy
	name   redact.View
}

// viewOf is the view of a request's client. ?view=user narrows an operator's to what a user would see; nothing widens one.
func (s *Server) viewOf(r *http.Request) (view, error) {
	v := view{policy: s.Redact, name: redact.Operator}
	if s.ViewOf != nil {
		v.name = s.ViewOf(r)
	}
	switch wanted := redact.View(r.URL.Query().Get("view")); wanted {
	case "", v.name:
	case redact.User:
		v.name = redact.User
	case redact.Operator:
		return view{}, &failure{status: http.StatusForbidden, code: CodeForbidden, message: "This client may not see what the operator sees."}
	default:
		return view{}, invalid("view: must be %s or %s, got %q", redact.Operator, redact.User, wanted)
	}
	if v.policy == nil && v.name == redact.User {
		v.policy = &redact.Policy{}
	}
	return v, nil
}

// operatorOnly refuses a client that does not see what the operator sees.
func (s *Server) operatorOnly(r *http.Request) (view, error) {
	v, err := s.viewOf(r)
	if err == nil && v.name != redact.Operator {
		err = &failure{status: http.StatusForbidden, code: CodeForbidden, message: "Only the operator may see what went to the model and came back."}
	}
	return v, err
}

// eventReader reads the stored events of a run after a number, as agent.Store's Events does.
type eventReader func(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error)

// events reads the events of one run as the view sees them. What a secret's beginning may be waits, so that fewer may come than there
// are.
func (v view) events(read eventReader) eventReader {
	if v.policy == nil {
		return read
	}
	stream := v.policy.Stream(v.name)
	var fed int64
	var ready []agent.Record // those that were let through, and not asked for
	return func(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error) {
		var out []agent.Record
		for {
			for len(ready) > 0 && (limit == 0 || len(out) < limit) {
				if ready[0].Seq > after {
					out = append(out, ready[0])
				}
				ready = ready[1:]
			}
			if limit > 0 && len(out) == limit {
				return out, nil
			}
			records, err := read(ctx, runID, fed, pageSize)
			if err != nil || len(records) == 0 {
				return out, err
			}
			for _, record := range records {
				fed = record.Seq
				if stream.Passes(record.JSON) {
					ready = append(ready, record)
					continue
				}
				frame, err := protocol.DecodeFrame(record.Seq, record.JSON)
				if err != nil {
					return nil, err
				}
				for _, f := range stream.Push(frame) {
					text, err := f.AppendJSON(nil)
					if err != nil {
						return nil, err
					}
					ready = append(ready, agent.Record{Seq: f.Seq, JSON: text})
				}
			}
		}
	}
}

// refs takes the beginnings out of references where something is hidden: one may end inside of a secret.
func (v view) refs(read eventReader) eventReader {
	if v.policy == nil {
		return read
	}
	return func(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error) {
		records, err := read(ctx, runID, after, limit)
		for i, record := range records {
			if !bytes.Contains(record.JSON, []byte(`Ref":`)) {
				continue
			}
			f, err := protocol.DecodeFrame(record.Seq, record.JSON)
			if err != nil {
				continue // what is no event refers to nothing
			}
			for _, ref := range protocol.Refs(f.Event) {
				ref.Head = ""
			}
			if records[i].JSON, err = f.AppendJSON(nil); err != nil {
				return nil, err
			}
		}
		return records, err
	}
}

func (v view) text(text string) string {
	if v.policy == nil {
		return text
	}
	return v.policy.Text(text)
}

// unmask is what a client says in place of a text that it was shown.
func (v view) unmask(stored, said string) (string, error) {
	if v.policy == nil {
		return said, nil
	}
	back, err := v.policy.Unmask([]string{stored}, []string{said})
	if err != nil {
		return "", err
	}
	return back[0], nil
}

func (v view) json(text json.RawMessage) json.RawMessage {
	if v.policy == nil || text == nil {
		return text
	}
	return v.policy.JSON(text)
}

func (v view) message(m *model.Message) *model.Message {
	if v.policy == nil {
		return m
	}
	return v.policy.Message(v.name, m)
}

func (v view) call(c model.ToolCall) model.ToolCall {
	if v.policy == nil {
		return c
	}
	return v.policy.Call(v.name, c)
}

func (v view) pending(p *approval.Pending) *approval.Pending {
	if v.policy == nil {
		return p
	}
	seen := *p
	seen.Approval = v.policy.Approval(v.name, p.Approval)
	if d := p.Decision; d != nil && v.name == redact.User {
		seen.Decision = &approval.Decision{Approved: d.Approved, State: d.State, By: d.By}
	}
	return &seen
}

// approvals are calls that wait, or waited, for a person.
func (v view) approvals(pending []*approval.Pending) []approvalAnswer {
	answers := make([]approvalAnswer, 0, len(pending))
	for _, p := range pending {
		answers = append(answers, approvalAnswerOf(v.pending(p)))
	}
	return answers
}

// pieces masks what came from a model, and counts what could not be read and so is withheld.
func (v view) pieces(pieces []receivedPiece) (masked []receivedPiece, unread int) {
	if v.policy == nil {
		return pieces, 0
	}
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.Text
	}
	texts, unread = v.policy.Answer(texts)
	for i := range pieces {
		pieces[i].Text = texts[i]
	}
	return pieces, unread
}

// failed is the error of a run as the view sees it.
func (v view) failed(message string) string {
	if v.name == redact.User && message != "" {
		return "The run failed."
	}
	return v.text(message)
}
