package studio

import (
	"context"
	"errors"
	"fmt"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// RunInput is one message from the command line.
type RunInput struct {
	Agent    string
	Text     string
	ThreadID string // empty makes a new thread
	// OnEvent hears every event after it was stored, in order, as it goes over the wire: with secrets masked. May be nil.
	OnEvent func(agent.Record)
}

// Run sends one message and returns when its run ends or waits for a person. Secrets are masked in what it tells, as in every answer, the
// calls that wait and the error among it. When ctx is done the run is cancelled. A failed run is an Outcome and an error.
func (s *Studio) Run(ctx context.Context, in RunInput) (*agent.Outcome, error) {
	outcome, err := s.run(ctx, in)
	if err != nil {
		err = &maskedError{s.redact.Text(err.Error()), err}
	}
	if outcome == nil {
		return nil, err
	}
	told := *outcome
	told.Output, told.Pending = s.redact.Text(told.Output), nil
	for _, p := range outcome.Pending {
		seen := *p
		seen.Approval = s.redact.Approval(redact.Operator, p.Approval)
		told.Pending = append(told.Pending, &seen)
	}
	return &told, err
}

// maskedError is an error whose text holds no secret.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.err }

func (s *Studio) run(ctx context.Context, in RunInput) (*agent.Outcome, error) {
	if s.config.OneThread && in.ThreadID != "" {
		if err := s.runner.Recover(ctx, in.ThreadID); err != nil {
			return nil, fmt.Errorf("go on with the unfinished run of thread %s: %w", in.ThreadID, err)
		}
		if err := s.recoverAttached(ctx, in.ThreadID); err != nil {
			return nil, err
		}
	}
	handle, err := s.server.Runtime.Start(ctx, in.Agent, agent.Input{ThreadID: in.ThreadID, Text: in.Text})
	if err != nil {
		return nil, err
	}
	cancelled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(cancelled)
		err := s.server.Runtime.Cancel(context.WithoutCancel(ctx), handle.RunID)
		if err != nil && !errors.Is(err, agent.ErrEnded) {
			s.log.Error("cancel the run", "run", handle.RunID, "error", err)
		}
	})
	defer func() {
		if !stop() {
			<-cancelled
		}
	}()
	if in.OnEvent == nil {
		return handle.Wait(context.WithoutCancel(ctx))
	}
	return s.follow(context.WithoutCancel(ctx), handle, in.OnEvent)
}

// follow reads a run's events on from the store at every ring, until its stretch is over.
func (s *Studio) follow(ctx context.Context, handle *agent.Handle, onEvent func(agent.Record)) (*agent.Outcome, error) {
	listener := s.runner.Bell().Listen(handle.RunID)
	defer listener.Close()
	var outcome *agent.Outcome
	var failure error
	over := make(chan struct{})
	go func() {
		defer close(over)
		outcome, failure = handle.Wait(ctx)
	}()
	var last int64
	view := s.redact.Stream(redact.Operator)
	tell := func() error {
		events, err := s.db.Events(ctx, handle.RunID, last, 0)
		for _, event := range events {
			last = event.Seq
			if view.Passes(event.JSON) {
				onEvent(event)
				continue
			}
			frame, err := protocol.DecodeFrame(event.Seq, event.JSON)
			if err != nil {
				return err
			}
			for _, f := range view.Push(frame) {
				text, err := f.AppendJSON(nil)
				if err != nil {
					return err
				}
				onEvent(agent.Record{Seq: f.Seq, JSON: text})
			}
		}
		return err
	}
	for {
		if err := tell(); err != nil {
			<-over
			return outcome, errors.Join(failure, err)
		}
		select {
		case <-listener.C:
			listener.Take()
		case <-over:
			return outcome, errors.Join(failure, tell())
		}
	}
}
