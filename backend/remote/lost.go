package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/protocol"
)

// Asked is a run that a server was asked to start.
type Asked struct {
	ThreadID  string `json:"threadId"`
	AgentName string `json:"agentName"` // as it is called here
	Input     string `json:"input"`
	AtMs      int64  `json:"at"` // Unix ms
}

// Unanswered keeps what servers were asked to start until it is known whether they did: the program may end, or the connection, before
// the answer comes. It is safe for concurrent use.
type Unanswered interface {
	// Put keeps a start in place of the one of its thread.
	Put(ctx context.Context, a Asked) error
	// Drop forgets that of a thread; there may be none.
	Drop(ctx context.Context, threadID string) error
	// All are those that are kept, of every server.
	All(ctx context.Context) ([]Asked, error)
}

// ask has the server start a run, and keeps that it was asked where no answer says what came of it.
func (s *Server) ask(ctx context.Context, name string, in client.Input, row agent.Run) (client.Started, error) {
	if s.Unanswered != nil {
		a := Asked{ThreadID: row.ThreadID, AgentName: row.AgentName, Input: row.Input, AtMs: row.CreatedAtMs}
		if err := s.Unanswered.Put(ctx, a); err != nil {
			return client.Started{}, err
		}
	}
	request, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	started, err := s.begin(request, name, in)
	switch {
	case err == nil: // it is kept until the run is
	case !lost(err):
		s.answered(ctx, row.ThreadID)
	case s.Unanswered != nil:
		s.settleLater(row.ThreadID)
	}
	return started, err
}

// answered forgets the start of a thread. One that cannot be forgotten harms nothing: it is settled once more.
func (s *Server) answered(ctx context.Context, threadID string) {
	if s.Unanswered == nil {
		return
	}
	if err := s.Unanswered.Drop(context.WithoutCancel(ctx), threadID); err != nil {
		s.logger().Warn("a start that was answered is kept as if it was not", "server", s.Name, "thread", threadID, "error", err)
	}
}

// lost reports whether a request that failed may have been heard all the same.
func lost(err error) bool {
	var (
		said *client.Error
		op   *net.OpError
	)
	if errors.As(err, &said) {
		return said.Code == "" && said.Status >= http.StatusInternalServerError // of a proxy before it
	}
	return !errors.As(err, &op) || op.Op != "dial"
}

// unanswered are the starts of this server that are kept, of one thread or (empty) of all.
func (s *Server) unanswered(ctx context.Context, threadID string) ([]Asked, error) {
	if s.Unanswered == nil {
		return nil, nil
	}
	all, err := s.Unanswered.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for starts %s has not answered: %w", s.Name, err)
	}
	return slices.DeleteFunc(all, func(a Asked) bool {
		return !s.Has(a.AgentName) || threadID != "" && a.ThreadID != threadID
	}), nil
}

// settle finds out what came of a thread's start that was not answered: the run it began is followed from now on. An error says that the
// server could not be asked.
func (s *Server) settle(ctx context.Context, threadID string) error {
	if open, err := s.unanswered(ctx, threadID); err != nil || len(open) == 0 {
		return err
	}
	s.settling.Lock()
	defer s.settling.Unlock()
	open, err := s.unanswered(ctx, threadID)
	if err != nil || len(open) == 0 {
		return err
	}
	place, err := s.place(ctx, threadID)
	if err != nil {
		return err
	}
	request, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	runs, err := s.Client.Runs(request, place)
	var said *client.Error
	if err != nil && (!errors.As(err, &said) || said.Status != http.StatusNotFound) {
		return s.fault(err)
	}
	for _, run := range slices.Backward(runs) { // none of a thread it does not know
		known, err := s.Runner.Log().Runs(ctx, agent.RunQuery{ID: Qualify(run.RunID, s.Name), Bare: true})
		if err != nil {
			return fmt.Errorf("look for run %s of %s: %w", run.RunID, s.Name, err)
		}
		if len(known) > 0 {
			break // those before it are older than the start
		}
		if run.RunID == "" || run.Input != open[0].Input {
			continue
		}
		if _, err := s.adopt(ctx, agent.Run{
			ID: Qualify(run.RunID, s.Name), ThreadID: threadID, AgentName: open[0].AgentName, Input: run.Input,
			Status: protocol.StatusRunning, CreatedAtMs: open[0].AtMs,
		}); err != nil {
			return err
		}
		break
	}
	s.answered(ctx, threadID)
	return nil
}

// settleLater settles the start of a thread behind what goes on, as soon as the server can be asked.
func (s *Server) settleLater(threadID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost[threadID] || s.open() != nil {
		return
	}
	s.lost[threadID] = true
	s.wg.Go(func() {
		for wait := firstWait; ; wait = min(2*wait, lastWait) {
			select {
			case <-time.After(wait):
			case <-s.ctx.Done():
				return
			}
			err := s.settle(s.ctx, threadID)
			if err == nil {
				break
			}
			s.logger().Debug("what came of a start is not known yet", "server", s.Name, "thread", threadID, "error", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.lost, threadID)
	})
}
