package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/client"
	"callboard/backend/protocol"
)

// A server with no routes but those every server has is read over the stream that starts or resumes a run: its events get their
// numbers here, and what breaks the stream ends the copy.

// startBase starts a run over its stream, and returns once the first event came.
func (s *Server) startBase(ctx context.Context, name string, in client.Input, row agent.Run) (*agent.Handle, error) {
	if err := s.endPaused(ctx, row.ThreadID); err != nil {
		return nil, err
	}
	in.DenyPending = false // it does not know that
	row.ID = Qualify(baseID+strings.ToLower(rand.Text()), s.Name)
	row.UpdatedAtMs = row.CreatedAtMs
	m := s.newMirror(row.ID)
	err := s.stream(ctx, m, func(ctx context.Context) iter.Seq2[protocol.Frame, error] {
		return s.once().Stream(ctx, name, in)
	}, func(first protocol.Frame) error {
		if start, ok := first.Event.(*protocol.Start); ok {
			if err := s.keepPlace(ctx, row.ThreadID, in.ThreadID, start.ThreadID); err != nil {
				return err
			}
		}
		if err := s.Runner.Log().Append(context.WithoutCancel(ctx), &agent.Batch{Run: row}); err != nil {
			return fmt.Errorf("keep run %s: %w", row.ID, err)
		}
		return m.load(context.WithoutCancel(ctx))
	})
	if err != nil {
		return nil, err
	}
	return s.handle(row.ID, row.ThreadID, ""), nil
}

// endPaused ends the copies of a thread's runs that wait: the message that follows leaves them behind.
func (s *Server) endPaused(ctx context.Context, threadID string) error {
	runs, err := s.Runner.Log().Runs(ctx, agent.RunQuery{ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusPaused}, Bare: true})
	for _, run := range runs {
		if s.Has(run.ID) && err == nil {
			err = s.Cancel(ctx, run.ID)
		}
	}
	return err
}

// stream reads a stream in the background from its first event on, for which begin makes room. It returns what kept the stream from
// beginning.
func (s *Server) stream(
	ctx context.Context, m *mirror, open func(context.Context) iter.Seq2[protocol.Frame, error], begin func(protocol.Frame) error,
) error {
	begun := make(chan error, 1)
	s.mu.Lock()
	err := s.follow(m, func(ctx context.Context) {
		begins := func(yield func(protocol.Frame, error) bool) {
			told := false
			for f, err := range open(ctx) {
				if !told {
					if told = true; err == nil {
						err = begin(f)
					} else {
						err = s.fault(err)
					}
					if begun <- err; err != nil {
						return
					}
				}
				if !yield(f, err) {
					return
				}
			}
			if !told {
				begun <- s.fault(fmt.Errorf("the stream it began is empty: %w", client.ErrAnswer))
			}
		}
		ended, err := m.read(ctx, begins, true)
		if ended || !m.begun() || ctx.Err() != nil {
			return
		}
		m.brokeOff(context.WithoutCancel(ctx), err)
	})
	s.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case err := <-begun:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// brokeOff ends the copy of a run whose stream ended before the run did; one that waits is as it should be.
func (m *mirror) brokeOff(ctx context.Context, cause error) {
	if errors.Is(cause, errWire) {
		m.ends(ctx, cause)
		return
	}
	m.interrupted(ctx)
}

// decideBase keeps a decision, and resumes the run with all of them once none is missing.
func (s *Server) decideBase(ctx context.Context, m *mirror, p *approval.Pending, d approval.Decision) (*approval.Pending, *agent.Handle, error) {
	decisions, missing := m.decisions(p, d)
	tell := func() error { return m.tell(ctx, p, d) }
	if missing > 0 {
		return p, nil, tell()
	}
	name, _ := Split(p.AgentName)
	place, err := s.place(ctx, p.ThreadID)
	if err != nil {
		return p, nil, err
	}
	before := m.messageID()
	err = s.stream(ctx, m, func(ctx context.Context) iter.Seq2[protocol.Frame, error] {
		return s.once().Resume(ctx, name, place, decisions)
	}, func(protocol.Frame) error { return tell() })
	if err != nil {
		return p, nil, err
	}
	m.mu.Lock()
	p = m.rows.asked[p.ApprovalID]
	m.mu.Unlock()
	return p, s.handle(m.id, p.ThreadID, before), nil
}

// place is what the server calls a thread.
func (s *Server) place(ctx context.Context, threadID string) (string, error) {
	if s.Places == nil {
		return threadID, nil
	}
	place, err := s.Places.Place(ctx, threadID)
	if place == "" {
		place = threadID
	}
	return place, err
}

// decisions are those of a run's calls, by call, and how many are missing.
func (m *mirror) decisions(p *approval.Pending, d approval.Decision) (all map[string]approval.Decision, missing int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all = map[string]approval.Decision{p.ToolCallID: d}
	for _, other := range m.rows.asked {
		switch c := m.fold.Call(other.ToolCallID); {
		case other.ApprovalID == p.ApprovalID || c == nil || c.Settled():
		case other.Decision == nil:
			missing++
		default:
			all[other.ToolCallID] = *other.Decision
		}
	}
	return all, missing
}

// tell writes a decision to the log, as the server does not.
func (m *mirror) tell(ctx context.Context, p *approval.Pending, d approval.Decision) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d.By == "" {
		d.By = "user"
	}
	state := &protocol.CallState{
		ToolCallID: p.ToolCallID, State: protocol.StateApproved, By: d.By, Reason: d.Reason, ApprovalID: p.ApprovalID, ArgumentsHash: p.ArgumentsHash,
	}
	events := []protocol.Event{state}
	switch {
	case !d.Approved:
		state.State = protocol.StateDenied
	case d.ArgumentsText != nil && *d.ArgumentsText != p.ArgumentsText:
		state.ArgumentsHash = approval.Hash(*d.ArgumentsText)
		events = append(events, &protocol.ToolUpdate{ToolCallID: p.ToolCallID, ArgumentsText: d.ArgumentsText})
	}
	b := &agent.Batch{Durable: true}
	d.State = ""
	if !d.Approved {
		d.State = protocol.StateDenied
	}
	m.rows.decided(b, p, &d, time.Now().UnixMilli())
	for _, event := range events {
		m.apply(b, protocol.Frame{Seq: m.row.Last + 1, AtMs: time.Now().UnixMilli(), Event: event})
	}
	return m.commit(ctx, b)
}

// cancelBase leaves the stream, which has the server stop the run, and ends the copy.
func (m *mirror) cancelBase(ctx context.Context) error {
	m.mu.Lock()
	end := &protocol.Finish{MessageID: m.fold.MessageID, ThreadID: m.row.ThreadID, Status: protocol.StatusCancelled}
	m.mu.Unlock()
	if err := m.close(ctx, end); err != nil {
		return err
	}
	m.server.mu.Lock()
	stop := m.stop
	m.server.mu.Unlock()
	stop()
	return nil
}
