package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// runAnswer is how a stretch of a run ended.
type runAnswer struct {
	RunID                 string           `json:"runId"`
	ThreadID              string           `json:"threadId"`
	Status                protocol.Status  `json:"status"`
	Output                string           `json:"output" jsonschema_description:"The answer's text"`
	Usage                 model.Usage      `json:"usage" jsonschema_description:"Of the whole run"`
	ToolCalls             []callAnswer     `json:"toolCalls" jsonschema_description:"Of the whole run"`
	PendingApprovals      []approvalAnswer `json:"pendingApprovals,omitempty" jsonschema_description:"Of a run that is paused"`
	Structured            json.RawMessage  `json:"structured,omitempty" jsonschema_description:"The answer as a value, where the agent has a type for it"`
	StructuredError       string           `json:"structuredError,omitempty" jsonschema_description:"Why the answer is no such value"`
	Truncated             bool             `json:"truncated,omitempty" jsonschema_description:"The last turn was cut at the token limit"`
	Blocked               bool             `json:"blocked,omitempty" jsonschema_description:"A check of the agent did not let the answer through"`
	IterationLimitReached bool             `json:"iterationLimitReached,omitempty"`
	Limit                 string           `json:"limit,omitempty" jsonschema_description:"What stopped the run: 'turns', 'requests' (of all its agents) or 'repeated-calls'"`
}

// startedAnswer says which run it is about.
type startedAnswer struct {
	RunID    string `json:"runId"`
	ThreadID string `json:"threadId"`
}

// callAnswer is a call a model wrote.
type callAnswer struct {
	ID            string          `json:"id"`
	Name          string          `json:"name"`
	Arguments     json.RawMessage `json:"arguments,omitempty" jsonschema_description:"A parsed copy; absent when the text is not JSON"`
	ArgumentsText string          `json:"argumentsText" jsonschema_description:"Exact"`
}

// run starts a run and answers with its outcome. The run goes on when the client leaves.
func (s *Server) run(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	handle, err := s.begin(w, r, s.readInput)
	if err != nil {
		return err
	}
	return s.answer(w, r, v, handle)
}

// start starts a run and answers at once.
func (s *Server) start(w http.ResponseWriter, r *http.Request) error {
	handle, err := s.begin(w, r, s.readInput)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, startedAnswer{RunID: handle.RunID, ThreadID: handle.ThreadID})
	return nil
}

// runStream starts a run and streams it.
func (s *Server) runStream(w http.ResponseWriter, r *http.Request) error {
	return s.streamed(w, r, s.readInput)
}

// chat is runStream for clients that send a whole conversation.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	return s.streamed(w, r, s.readChat)
}

func (s *Server) streamed(w http.ResponseWriter, r *http.Request, read func(http.ResponseWriter, *http.Request) (agent.Input, error)) error {
	if err := canStream(w); err != nil {
		return err // before a run begins that nobody could hear
	}
	if _, err := s.viewOf(r); err != nil {
		return err
	}
	handle, err := s.begin(w, r, read)
	if err != nil {
		return err
	}
	if !s.KeepRuns {
		s.audience.own(handle.RunID)
	}
	return s.streamRun(w, r, handle.RunID, 0, true)
}

// begin starts a run of the agent the path names; without one, of the thread's, else of the first.
func (s *Server) begin(
	w http.ResponseWriter, r *http.Request, read func(http.ResponseWriter, *http.Request) (agent.Input, error),
) (*agent.Handle, error) {
	if err := s.checkNamed(r); err != nil {
		return nil, err
	}
	in, err := read(w, r)
	if err != nil {
		return nil, err
	}
	return s.beginWith(r, in)
}

// checkNamed refuses a path that names an agent no one offers.
func (s *Server) checkNamed(r *http.Request) error {
	if name := r.PathValue("name"); name != "" {
		return s.checkAgent(name)
	}
	return nil
}

func (s *Server) beginWith(r *http.Request, in agent.Input) (*agent.Handle, error) {
	name := r.PathValue("name")
	if name == "" {
		var err error
		if name, err = s.agentOf(r.Context(), in.ThreadID); err != nil {
			return nil, err
		}
	}
	// The client may leave at this very moment: what was begun is begun.
	return s.Runtime.Start(context.WithoutCancel(r.Context()), name, in)
}

// agentOf names the agent that spoke in a thread last, else the first of the Agents.
func (s *Server) agentOf(ctx context.Context, threadID string) (string, error) {
	if threadID != "" {
		thread, err := s.log.Thread(ctx, threadID)
		if err != nil && !errors.Is(err, agent.ErrNotFound) {
			return "", err
		}
		if err == nil && thread.AgentName != "" {
			err := s.checkAgent(thread.AgentName)
			if err != nil { // one that was handed over to goes on, though nobody starts it
				if _, unknown := s.Runner.Resolve(ctx, thread.AgentName, threadID); unknown == nil {
					err = nil
				}
			}
			return thread.AgentName, err
		}
	}
	offers := s.Runtime.Agents()
	if len(offers) == 0 {
		return "", notFound("no agent is offered here")
	}
	return offers[0].Name, nil
}

// streamRun streams a run's events to the client that asked.
func (s *Server) streamRun(w http.ResponseWriter, r *http.Request, runID string, after int64, one bool) error {
	defer s.audience.join(runID)()
	t, err := s.openStream(w, r)
	if err != nil {
		return err
	}
	if s.follow(r.Context(), t, runID, after, one) {
		s.audience.forget(runID) // it has ended, or waits
	}
	return nil
}

// answer waits for a stretch of a run and tells how it ended.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, v view, handle *agent.Handle) error {
	outcome, err := handle.Wait(r.Context())
	if err != nil {
		var failed *agent.RunError
		if outcome == nil || !errors.As(err, &failed) {
			return err
		}
		return s.failureOf(handle.RunID, handle.ThreadID, v, failed)
	}
	calls, err := s.callsOf(r.Context(), outcome.ID, outcome.ThreadID, v)
	if err != nil {
		return err
	}
	answer := runAnswer{
		RunID: outcome.ID, ThreadID: outcome.ThreadID, Status: outcome.Status, Output: outcome.Output,
		ToolCalls: calls, PendingApprovals: v.approvals(outcome.Pending),
	}
	if outcome.Usage != nil {
		answer.Usage = *outcome.Usage
	}
	if f := outcome.Finish; f != nil {
		answer.Structured, answer.StructuredError, answer.Truncated = v.json(f.Structured), f.StructuredError, f.Truncated
		answer.Blocked, answer.IterationLimitReached, answer.Limit = f.Blocked, f.IterationLimitReached, f.Limit
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// callsOf lists the calls the model made in a run, those of earlier stretches too.
func (s *Server) callsOf(ctx context.Context, runID, threadID string, v view) ([]callAnswer, error) {
	thread, err := s.log.Thread(ctx, threadID)
	if err != nil {
		return nil, fmt.Errorf("list the calls of run %s: %w", runID, err)
	}
	calls := []callAnswer{}
	for _, m := range thread.Messages {
		if m.RunID != runID {
			continue
		}
		for _, call := range m.ToolCalls {
			calls = append(calls, callAnswerOf(v.call(call)))
		}
	}
	return calls, nil
}

// failureOf is the answer for a run that failed: its own code and the status of that. What has no code of its own is hidden.
func (s *Server) failureOf(runID, threadID string, v view, err *agent.RunError) error {
	f := &failure{status: statusOf(err.Code), code: err.Code, message: v.failed(err.Message), runID: runID, threadID: threadID}
	if f.code == "" || f.code == CodeInternal {
		s.logger().Error("a run failed", "run", runID, "error", err)
		f.code, f.message = CodeInternal, hidden
	}
	return f
}

func callAnswerOf(call model.ToolCall) callAnswer {
	answer := callAnswer{ID: call.ID, Name: call.Name, ArgumentsText: call.Arguments}
	if json.Valid([]byte(call.Arguments)) {
		answer.Arguments = json.RawMessage(call.Arguments)
	}
	return answer
}

// cancel stops a run, waiting calls too.
func (s *Server) cancel(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findRun(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := s.Runtime.Cancel(context.WithoutCancel(r.Context()), run.ID); err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, startedAnswer{RunID: run.ID, ThreadID: run.ThreadID})
	return nil
}

// cancelCall stops one call; its run goes on.
func (s *Server) cancelCall(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findRun(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	id := r.PathValue("toolCallId")
	err = s.Runtime.CancelCall(context.WithoutCancel(r.Context()), run.ID, id)
	if errors.Is(err, agent.ErrNotFound) {
		return notFound("run %q has no call %q", run.ID, id)
	}
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, callCancelAnswer{run.ID, id})
	return nil
}

// callCancelAnswer says which call is being stopped.
type callCancelAnswer struct {
	RunID      string `json:"runId"`
	ToolCallID string `json:"toolCallId"`
}

// approvalAnswer is a call that waits for a person.
type approvalAnswer struct {
	protocol.Approval
	RunID     string             `json:"runId"`
	ThreadID  string             `json:"threadId"`
	AgentName string             `json:"agentName"`
	Since     int64              `json:"since" jsonschema_description:"When the call began to wait, Unix ms"`
	Decision  *approval.Decision `json:"decision,omitempty"`
	DecidedAt int64              `json:"decidedAt,omitempty" jsonschema_description:"Unix ms"`
}

type approvalsAnswer struct {
	Approvals []approvalAnswer `json:"approvals" jsonschema_description:"The one that waits longest first"`
}

func approvalAnswerOf(p *approval.Pending) approvalAnswer {
	return approvalAnswer{
		Approval: p.Approval, RunID: p.RunID, ThreadID: p.ThreadID, AgentName: p.AgentName,
		Since: p.SinceMs, Decision: p.Decision, DecidedAt: p.DecidedAtMs,
	}
}
