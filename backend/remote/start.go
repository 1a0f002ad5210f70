package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/protocol"
	"callboard/backend/server"
)

// once is the client for one connection: what comes after is the mirror's business.
func (s *Server) once() *client.Client {
	c := *s.Client
	c.Retries = -1
	return &c
}

// Start begins a run on the server and returns once it is known here. The run belongs to the server, not to ctx. It returns what a
// Runner's Start returns, or a *server.Refusal that says why the server did not take it.
func (s *Server) Start(ctx context.Context, agentName string, in agent.Input) (*agent.Handle, error) {
	name, of := Split(agentName)
	if of != s.Name {
		return nil, fmt.Errorf("agent %q is not one of %s: %w", agentName, s.Name, agent.ErrNotFound)
	}
	if in.ThreadID == "" {
		in.ThreadID = "thr_" + strings.ToLower(rand.Text())
	}
	release, err := s.reserve(in.ThreadID)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.settle(ctx, in.ThreadID); err != nil {
		return nil, err
	}
	_, alone := agent.ByHandTool(name)
	place, err := s.ready(ctx, in, !alone) // who calls a tool alone reads nothing of what was said before
	if err != nil {
		return nil, err
	}
	row := agent.Run{
		ThreadID: in.ThreadID, AgentName: agentName, Input: in.Text, Context: in.Context, Status: protocol.StatusRunning,
		CreatedAtMs: time.Now().UnixMilli(),
	}
	asked := client.Input{Text: in.Text, ThreadID: place, Context: in.Context, DenyPending: in.DenyPending}
	s.mu.Lock()
	base, closed := s.base, s.closed
	s.mu.Unlock()
	if closed {
		return nil, agent.ErrClosed
	}
	switch {
	case base && alone:
		return nil, &server.Refusal{Status: http.StatusNotImplemented, Code: server.CodeInvalidInput, Message: s.Name + " cannot call a tool alone: its agents do."}
	case base:
		return s.startBase(ctx, name, asked, row)
	}
	started, err := s.ask(ctx, name, asked, row)
	if s.lacksRuns(ctx, err, name) {
		return s.startBase(ctx, name, asked, row)
	}
	if err != nil {
		return nil, s.unheard(err)
	}
	if started.RunID == "" || strings.HasPrefix(started.RunID, baseID) {
		return nil, s.fault(fmt.Errorf("the run it started has no id: %w", client.ErrAnswer))
	}
	if err := s.keepPlace(ctx, in.ThreadID, place, started.ThreadID); err != nil {
		return nil, err
	}
	row.ID = Qualify(started.RunID, s.Name)
	h, err := s.adopt(ctx, row)
	if err != nil {
		return nil, err
	}
	s.answered(ctx, in.ThreadID)
	return h, nil
}

// reserve lets one start at a time be on its way in a thread.
func (s *Server) reserve(threadID string) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking[threadID] {
		return nil, fmt.Errorf("thread %s: %w", threadID, agent.ErrBusy)
	}
	if s.asking == nil {
		s.asking = map[string]bool{}
	}
	s.asking[threadID] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asking, threadID)
	}, nil
}

// unheard is the fault of a start, which says so where it may have been heard.
func (s *Server) unheard(err error) error {
	fault := s.fault(err)
	if refused := (*server.Refusal)(nil); s.Unanswered != nil && lost(err) && errors.As(fault, &refused) {
		refused.Message += ". If the message arrived all the same, its run appears in the thread"
	}
	return fault
}

// begin asks the server to start a run of an agent; that of a tool that is called alone is no agent there.
func (s *Server) begin(ctx context.Context, name string, in client.Input) (client.Started, error) {
	if toolName, alone := agent.ByHandTool(name); alone {
		return s.Client.StartTool(ctx, toolName, client.ToolInput{
			ArgumentsText: in.Text, ThreadID: in.ThreadID, Context: in.Context, DenyPending: in.DenyPending,
		})
	}
	return s.Client.Start(ctx, name, in)
}

// adopt keeps a run that was started and follows it.
func (s *Server) adopt(ctx context.Context, row agent.Run) (*agent.Handle, error) {
	row.UpdatedAtMs = row.CreatedAtMs
	known, err := s.Runner.Log().Runs(ctx, agent.RunQuery{ID: row.ID, Bare: true})
	if err == nil && len(known) > 0 {
		return nil, s.fault(fmt.Errorf("the run it started has the id of another one, %s: %w", row.ID, client.ErrAnswer))
	}
	if err == nil {
		err = s.Runner.Log().Append(context.WithoutCancel(ctx), &agent.Batch{Run: row})
	}
	if err != nil {
		return nil, fmt.Errorf("keep run %s: %w", row.ID, err)
	}
	s.Runner.Announce(nil, row)
	if _, err := s.mirror(ctx, row.ID); err != nil && !errors.Is(err, agent.ErrEnded) {
		return nil, err
	}
	return s.handle(row.ID, row.ThreadID, ""), nil
}

// lacksRuns reports whether a server answered that it has no route that starts a run and returns, though it has the agent.
func (s *Server) lacksRuns(ctx context.Context, err error, name string) bool {
	var said *client.Error
	if !errors.As(err, &said) || said.Status != http.StatusNotFound && said.Status != http.StatusMethodNotAllowed {
		return false
	}
	found, err := s.Refresh(ctx)
	if err != nil || !found.Base {
		return false
	}
	for _, offer := range found.Agents {
		if offer.Name == name {
			return true
		}
	}
	return false
}

// ready says what the server calls the thread of an input, and refuses what cannot go on there; remembers says that the thread has to
// be known there still.
func (s *Server) ready(ctx context.Context, in agent.Input, remembers bool) (place string, err error) {
	runs, err := s.Runner.Log().Runs(ctx, agent.RunQuery{ThreadID: in.ThreadID, Bare: true})
	if err != nil {
		return "", fmt.Errorf("start a run in thread %s: %w", in.ThreadID, err)
	}
	for _, run := range runs {
		switch {
		case run.Status == protocol.StatusRunning:
			return "", fmt.Errorf("run %s: %w", run.ID, agent.ErrBusy)
		case run.Status == protocol.StatusPaused && !in.DenyPending:
			return "", fmt.Errorf("run %s: %w", run.ID, agent.ErrPaused)
		}
	}
	place = in.ThreadID
	if s.Places != nil {
		kept, err := s.Places.Place(ctx, in.ThreadID)
		if err != nil {
			return "", err
		}
		if kept != "" {
			place = kept
		}
	}
	if len(runs) == 0 || !remembers {
		return place, nil
	}
	request, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, err = s.Client.Thread(request, place)
	var said *client.Error
	if errors.As(err, &said) && said.Status == http.StatusNotFound {
		return "", &server.Refusal{
			Status: http.StatusConflict, Code: CodeForgotten, Err: err,
			Message: s.Name + " does not have this thread any more (it was started anew, and had not kept it): it would answer without knowing " +
				"what was said here. Send the message in a new thread.",
		}
	}
	if err != nil && !errors.As(err, &said) {
		return "", s.fault(err)
	}
	return place, nil
}

// keepPlace remembers what the server calls a thread, when it is not what was asked for.
func (s *Server) keepPlace(ctx context.Context, threadID, asked, told string) error {
	if told == "" || told == asked || s.Places == nil {
		return nil
	}
	return s.Places.Keep(context.WithoutCancel(ctx), threadID, told)
}

// handle waits for the end of the stretch of a run that follows one; before is the id of that one's message, empty before the first.
func (s *Server) handle(runID, threadID, before string) *agent.Handle {
	return agent.NewHandle(runID, threadID, func(ctx context.Context) (*agent.Outcome, error) {
		bell := s.Runner.Bell().Listen(runID)
		defer bell.Close()
		for {
			states, err := s.Runner.Log().Runs(ctx, agent.RunQuery{ID: runID})
			if err == nil && len(states) == 0 {
				err = agent.ErrNotFound
			}
			if err != nil {
				return nil, fmt.Errorf("wait for run %s: %w", runID, err)
			}
			if st := states[0]; st.Status.Ended() || st.Status == protocol.StatusPaused && st.MessageID != before {
				return s.outcome(ctx, st)
			}
			select {
			case <-bell.C:
				bell.Take()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	})
}

// outcome is how a stretch ended, as the copy has it.
func (s *Server) outcome(ctx context.Context, st *agent.RunState) (*agent.Outcome, error) {
	records, err := s.Runner.Log().Events(ctx, st.ID, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", st.ID, err)
	}
	var t protocol.Transcript
	for _, record := range records {
		t.ApplyJSON(record.Seq, record.JSON)
	}
	out := &agent.Outcome{Run: st.Run, Finish: t.Finish}
	var text strings.Builder
	for _, item := range t.Items {
		switch {
		case item.Call != nil && item.Call.ParentToolCallID == "":
			text.Reset() // what is said last comes after the last call
		case item.Kind == protocol.ItemText:
			text.WriteString(item.Text())
		}
	}
	out.Output = text.String()
	for _, p := range st.Approvals {
		if p.Decision == nil {
			out.Pending = append(out.Pending, p)
		}
	}
	if st.Status == protocol.StatusFailed {
		return out, &agent.RunError{Code: st.ErrorCode, Message: st.Error}
	}
	return out, nil
}
