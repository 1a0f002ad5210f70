package remote

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/model"
	"callboard/backend/server"
)

// Requests asks the server what a run sent to its models and what came back, in the form a store has it; the copy of a run has no such
// thing. Its error, a *server.Refusal, says why there is nothing to tell.
func (s *Server) Requests(ctx context.Context, runID string) ([]agent.Request, error) {
	theirs, of := Split(runID)
	if of != s.Name || strings.HasPrefix(theirs, baseID) {
		return nil, s.silent(nil)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	told, err := s.Client.Requests(ctx, theirs)
	var said *client.Error
	switch {
	case errors.As(err, &said) && (said.Status == http.StatusNotFound || said.Status == http.StatusForbidden || said.Status == http.StatusMethodNotAllowed):
		return nil, s.silent(err)
	case err != nil:
		return nil, s.refusal(err)
	}
	requests := make([]agent.Request, 0, len(told))
	for i := range told {
		t := &told[i]
		r := agent.Request{
			RunID: runID, AgentName: Qualify(t.AgentName, s.Name), Turn: t.Turn, Try: t.Try, AtMs: t.AtMs, ParentToolCallID: t.ParentToolCallID,
		}
		if t.Sent != "" {
			r.Sent = &model.Sent{Tail: []byte(t.Sent)}
		}
		for _, piece := range t.Received {
			r.Received = append(r.Received, agent.Received{After: time.Duration(piece.AfterMs * float64(time.Millisecond)), Bytes: []byte(piece.Text)})
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// silent says that the server keeps what its models were sent to itself.
func (s *Server) silent(err error) error {
	return &server.Refusal{
		Status: http.StatusNotFound, Code: server.CodeNotFound, Err: err,
		Message: s.Name + " does not tell what this run sent to its model and what came back. What it told of the run is under Events.",
	}
}
