package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/redact"
)

// callTool starts a run that makes one call of a tool, and answers at once.
func (s *Server) callTool(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	if v.name != redact.Operator {
		return &failure{status: http.StatusForbidden, code: CodeForbidden, message: "Only the operator may call a tool alone."}
	}
	name := r.PathValue("name")
	if err := s.checkCallable(name); err != nil {
		return err
	}
	in, err := s.readCall(w, r)
	if err != nil {
		return err
	}
	handle, err := s.Runtime.Start(context.WithoutCancel(r.Context()), agent.ByHandName(name), in)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, startedAnswer{RunID: handle.RunID, ThreadID: handle.ThreadID})
	return nil
}

// checkCallable refuses a name no tool that is offered has, and a tool that only agents call.
func (s *Server) checkCallable(name string) error {
	known := false
	for _, offer := range s.Runtime.Agents() {
		for i := range offer.Tools {
			if offer.Tools[i].Name != name {
				continue
			}
			if known = true; offer.Tools[i].Callable {
				return nil
			}
		}
	}
	if !known {
		return notFound("no tool %q", name)
	}
	return &failure{
		status: http.StatusForbidden, code: CodeForbidden,
		message: "Only agents call this tool here: the server does not let clients call it alone.",
	}
}

// callBody is {argumentsText?, arguments?, threadId?, context?, pending?}. argumentsText wins; with neither they are {}.
type callBody struct {
	exact, threadID *string
	arguments       json.RawMessage
	in              agent.Input
}

func (s *Server) callBody(b *callBody) body {
	return body{"CallRequest", "A call of a tool alone", members{
		"argumentsText": text(&b.exact, "The arguments' JSON text, exact; wins over arguments"),
		"arguments":     anObject(&b.arguments, "The arguments, which have to fit the tool's parameters; without any they are {}"),
		"threadId":      threadID(&b.threadID), "context": s.runContext(&b.in.Context), "pending": pending(&b.in.DenyPending),
	}}
}

func (s *Server) readCall(w http.ResponseWriter, r *http.Request) (agent.Input, error) {
	var b callBody
	if err := s.readBody(w, r, s.callBody(&b).members); err != nil {
		return agent.Input{}, err
	}
	in := b.in
	if in.Text = string(b.arguments); b.exact != nil {
		in.Text = *b.exact
	}
	if strings.TrimSpace(in.Text) == "" {
		in.Text = "{}"
	}
	var err error
	in.ThreadID, err = threadOf(b.threadID)
	return in, err
}
