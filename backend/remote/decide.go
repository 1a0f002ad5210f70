package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/protocol"
	"callboard/backend/server"
)

// Decide answers an approval on the server, and keeps the answer here. It returns what a Runner's Decide returns, or a
// *server.Refusal when the server cannot be asked: then nothing is decided.
func (s *Server) Decide(ctx context.Context, approvalID string, d approval.Decision) (*approval.Pending, *agent.Handle, error) {
	states, err := s.Runner.Log().Runs(ctx, agent.RunQuery{ApprovalID: approvalID, Bare: true})
	if err != nil {
		return nil, nil, err
	}
	if len(states) == 0 || !s.Has(states[0].ID) {
		return nil, nil, fmt.Errorf("approval %s: %w", approvalID, approval.ErrNotFound)
	}
	m, err := s.mirror(ctx, states[0].ID)
	if errors.Is(err, agent.ErrEnded) {
		return nil, nil, fmt.Errorf("approval %s: %w", approvalID, approval.ErrDecided)
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := m.asks(approvalID, d)
	if err != nil {
		return p, nil, err
	}
	d.ArgumentsHash = p.ArgumentsHash
	if m.base() {
		return s.decideBase(ctx, m, p, d)
	}
	request, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	before := m.messageID()
	answer, err := s.Client.Decide(request, m.theirApproval(approvalID), d)
	if err != nil {
		return p, nil, s.fault(err)
	}
	if p, err = m.keep(ctx, approvalID, d); err != nil {
		return p, nil, err
	}
	if !answer.Resumed {
		return p, nil, nil
	}
	return p, s.handle(m.id, p.ThreadID, before), nil
}

// asks returns what waits under an id, if a decision may answer it.
func (m *mirror) asks(approvalID string, d approval.Decision) (*approval.Pending, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.rows.asked[approvalID]
	switch {
	case p == nil:
		return nil, fmt.Errorf("approval %s: %w", approvalID, approval.ErrNotFound)
	case p.Decision != nil:
		return p, fmt.Errorf("approval %s: %w", approvalID, approval.ErrDecided)
	case d.ArgumentsHash != "" && d.ArgumentsHash != p.ArgumentsHash:
		return p, fmt.Errorf("approval %s: %w", approvalID, approval.ErrHash)
	}
	return p, nil
}

// keep stores a decision the server has taken, before its log tells of it.
func (m *mirror) keep(ctx context.Context, approvalID string, d approval.Decision) (*approval.Pending, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.rows.asked[approvalID]
	if d.By == "" && p.Decision != nil { // its log was quicker
		d.By = p.Decision.By
	}
	if !d.Approved && d.State == "" {
		d.State = protocol.StateDenied
	}
	b := &agent.Batch{Durable: true}
	p = m.rows.decided(b, p, &d, time.Now().UnixMilli())
	return p, m.commit(ctx, b)
}

// Cancel stops a run on the server, waiting calls too; its end is told here when the server tells it. It returns what a Runner's
// Cancel returns, or a *server.Refusal when the server cannot be asked.
func (s *Server) Cancel(ctx context.Context, runID string) error {
	m, err := s.mirror(ctx, runID)
	if err != nil {
		return err
	}
	if m.base() {
		return m.cancelBase(ctx)
	}
	request, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	if err := s.Client.Cancel(request, m.remoteID); err != nil {
		return s.fault(err)
	}
	return nil
}

// CancelCall stops one call on the server; its run goes on. Its errors are those of Cancel.
func (s *Server) CancelCall(ctx context.Context, runID, toolCallID string) error {
	m, err := s.mirror(ctx, runID)
	if err != nil {
		return err
	}
	if m.base() {
		return &server.Refusal{
			Status: http.StatusNotImplemented, Code: server.CodeInvalidInput,
			Message: s.Name + " cannot stop a single call: stop the run.",
		}
	}
	request, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	if err := s.Client.CancelCall(request, m.remoteID, toolCallID); err != nil {
		return s.fault(err)
	}
	return nil
}
