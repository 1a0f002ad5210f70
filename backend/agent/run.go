package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Codes of runs (PROTOCOL.md, Routes).
const (
	CodeRunTimeout     = "RUN_TIMEOUT"
	CodeRunInterrupted = "RUN_INTERRUPTED"
	CodeInternal       = "INTERNAL_ERROR"
)

// RunError is why a run failed.
type RunError struct {
	Code    string
	Message string
	Err     error
}

func (e *RunError) Error() string { return e.Message }

// Unwrap returns the error beneath.
func (e *RunError) Unwrap() error { return e.Err }

// Why a run's context is done.
var (
	errCancelled     = errors.New("cancelled by user")
	errCallCancelled = errors.New("cancelled by user")
	errRunTimeout    = errors.New("the run timed out")
)

// run is one stretch of a run: from its start, or from the last missing decision, to its end or its next pause.
type run struct {
	runner    *Runner
	agent     *Agent
	sink      *sink
	id        string
	threadID  string
	messageID string
	context   runContext

	*shared
	parent *call // the call this agent works in; nil of the run's own
	up     *run  // whose call that is

	tools   map[string]*tool.Tool
	schemas []model.ToolSchema
	called  []string // the names under which the model was told of them, where they differ
	offered int      // the change of the runner's tools they are of
	history []*model.Message
	memo    any
	window  *window          // what of the history goes to the model
	sent    []*model.Message // by the request before
	turn    int
	taken   int           // turns that began
	tries   int           // of the turn that the last stretch did not bring to its end
	worked  time.Duration // in earlier stretches
	beganAs string        // the agent the run began with, of a run that is resumed

	maxTurns int           // of the agent it began with, as the limit below
	timeout  time.Duration // of a run's own agent
	pending  []*call       // calls of the last turn that have no result yet
	repeats  repeats

	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	current []*call // the calls of the turn, while they are decided and run
	pausing bool    // of a run's own agent: what stops the run now is told to the one that is stored

	done    chan struct{}
	outcome *Outcome
	err     error
}

// shared is what the agent of a run and those that work inside its calls have in common.
type shared struct {
	all      sync.Mutex
	ids      map[string]bool // call ids the run has used
	requests map[string]int  // in this thread, by agent
	lastTurn int             // the number of the turn that began last

	// What was stored when the run was resumed; nil of one that was not.
	stored   *RunState
	lines    map[string]*line         // by the call inside which the agent works
	workedOn map[string]time.Duration // by agents inside calls, by call
}

// asks counts a request of an agent, and returns how many there were before it.
func (s *shared) asks(agentName string) int {
	s.all.Lock()
	defer s.all.Unlock()
	s.requests[agentName]++
	return s.requests[agentName] - 1
}

func (s *shared) nextTurn() int {
	s.all.Lock()
	defer s.all.Unlock()
	s.lastTurn++
	return s.lastTurn
}

// callID makes the id of a call, whose provider calls it id, unique in its run.
func (s *shared) callID(id string, turn, n int) string {
	s.all.Lock()
	defer s.all.Unlock()
	for ; id == "" || s.ids[id]; n++ {
		id = fmt.Sprintf("call_%d_%d", turn, n)
	}
	s.ids[id] = true
	return id
}

// parentID names the call the agent works in; empty of the run's own.
func (x *run) parentID() string {
	if x.parent == nil {
		return ""
	}
	return x.parent.id
}

// runContext is the part of an Input's context that tools see by name.
type runContext struct {
	UserID      string `json:"userId"`
	ChannelType string `json:"channelType"`
	ChannelID   string `json:"channelId"`
}

// main takes the stretch to its end.
func (x *run) main() {
	outcome := &Outcome{}
	end, err := x.turns(outcome)
	switch {
	case err != nil:
		err = x.fail(err)
	case end == nil:
		outcome.Finish = x.pause(outcome.Pending)
	default:
		outcome.Finish = x.finish(end)
	}
	if closeErr := x.sink.close(); closeErr != nil {
		err = x.runner.rescue(x, closeErr)
	}
	outcome.Run = x.sink.row()
	x.outcome, x.err = outcome, err
}

// turns asks the model and runs its calls until one of them ends the stretch, and returns that end, not yet told: nil when calls
// wait, which are in outcome.Pending then.
func (x *run) turns(outcome *Outcome) (*protocol.Finish, error) {
	for {
		if len(x.pending) > 0 {
			waiting, err := x.settle(x.pending)
			if err != nil {
				return nil, err
			}
			if len(waiting) > 0 {
				if x.parent == nil && !x.beginPause() {
					continue // it was cancelled this moment: its calls are answered
				}
				outcome.Pending = waiting
				return nil, nil
			}
			x.pending = nil
		}
		if x.ctx.Err() != nil {
			return nil, context.Cause(x.ctx)
		}
		x.offerAnew()
		if x.repeats.reached(x.agent.maxRepeats()) {
			end := &protocol.Finish{Status: protocol.StatusCompleted, IterationLimitReached: true, Limit: "repeated-calls"}
			if x.agent.Output != nil {
				end.StructuredError = "The run was stopped before the model gave its answer."
			}
			return end, nil
		}
		if x.tries == 0 {
			x.turn = x.nextTurn()
			x.taken++
		}
		limit := x.limitReached()
		last := limit != ""
		a, err := x.ask(last)
		if err != nil {
			return nil, err
		}
		if a.blocked != nil {
			outcome.Output = a.blocked.text
			return x.block(a), nil
		}
		calls := a.kept
		x.endTurn(a, calls)
		outcome.Output = a.text.String()
		for _, c := range calls {
			outcome.ToolCalls = append(outcome.ToolCalls, c.asModel())
		}
		if a.finish == model.FinishFilter {
			return nil, &RunError{Code: model.CodeContentFiltered, Message: "The provider's content filter stopped the answer. Change the message or use another model."}
		}
		if len(calls) == 0 {
			end := &protocol.Finish{Status: protocol.StatusCompleted, Truncated: a.finish == model.FinishLength}
			if last && (x.taken > 1 || len(a.calls) > 0) {
				end.IterationLimitReached, end.Limit = true, limit
			}
			end.Structured = a.structured
			if a.unfit != nil {
				end.StructuredError = (&unfit{a.unfit}).Error()
			}
			return end, nil
		}
		x.pending = calls
	}
}

// beginPause decides between a pause and a cancel that comes at the same moment; false when the cancel was first.
func (x *run) beginPause() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pausing = x.ctx.Err() == nil
	return x.pausing
}

func (x *run) isPausing() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.pausing
}

// stop cancels a run that is at work; false when it is about to pause, or has ended.
func (x *run) stop() bool {
	running := x.sink.row().Status == protocol.StatusRunning
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.pausing || !running {
		return false
	}
	x.cancel(errCancelled)
	return true
}

// limitReached names the limit that makes the turn the last one; "" is none.
func (x *run) limitReached() string {
	root := x
	for root.up != nil {
		root = root.up
	}
	requests := x.runner.MaxRequests
	if requests == 0 {
		requests = max(DefaultMaxRequests, root.maxTurns)
	}
	switch {
	case x.taken >= x.maxTurns:
		return "turns"
	case x.turn >= requests:
		return "requests"
	}
	return ""
}

func (x *run) turnEvent(phase protocol.TurnPhase) *protocol.Turn {
	return &protocol.Turn{
		Turn: x.turn, Phase: phase, AgentName: x.agent.Name, Model: x.agent.Model, ParentToolCallID: x.parentID(),
	}
}

// keep stores what the model said: in the thread's history, or apart from it for an agent inside a call.
func (x *run) keep(b *Batch, said *model.Message) {
	if x.parent == nil {
		b.Messages = append(b.Messages, said)
		return
	}
	b.Children = append(b.Children, ChildMessage{ParentToolCallID: x.parent.id, Message: said})
}

func (c *call) asModel() model.ToolCall {
	return model.ToolCall{ID: c.id, ProviderID: c.providerID, Name: c.name, Arguments: c.arguments, Extra: c.extra}
}

// finish ends the stretch.
func (x *run) finish(end *protocol.Finish) *protocol.Finish {
	x.sink.write(func(_ *Batch, run *Run) {
		run.Status = end.Status
		end.MessageID, end.ThreadID, end.Usage = x.messageID, x.threadID, run.Usage
	}, end)
	return end
}

// pause tells what the run waits for and ends the stretch; the approvals are stored with it.
func (x *run) pause(waiting []*approval.Pending) *protocol.Finish {
	end := &protocol.Finish{
		MessageID: x.messageID, ThreadID: x.threadID, Status: protocol.StatusPaused, PendingApprovals: len(waiting),
	}
	events := append(askEvents(x.threadID, waiting), end)
	x.sink.write(func(b *Batch, run *Run) {
		run.Status = protocol.StatusPaused
		end.Usage = run.Usage
		b.Approvals = append(b.Approvals, waiting...)
		b.Durable = true
	}, events...)
	return end
}

// askEvents tells of calls that wait: a state for each that was not asked before, and the list a client draws its cards from.
func askEvents(threadID string, waiting []*approval.Pending) []protocol.Event {
	var events []protocol.Event
	required := &protocol.ApprovalRequired{ThreadID: threadID}
	for _, p := range waiting {
		state := protocol.StateWaiting
		if p.Kind == protocol.KindUnknown {
			state = protocol.StateUnknown
		}
		if !p.Asked {
			events = append(events, &protocol.CallState{
				ToolCallID: p.ToolCallID, State: state, ApprovalID: p.ApprovalID, ArgumentsHash: p.ArgumentsHash,
			})
		}
		required.Approvals = append(required.Approvals, p.Approval)
	}
	return append(events, required)
}

// fail tells why the run did not complete. A cancelled run finishes as such and returns no error.
func (x *run) fail(err error) error {
	if errors.Is(err, errCancelled) {
		x.finish(&protocol.Finish{Status: protocol.StatusCancelled})
		return nil
	}
	failure := asRunError(err)
	x.sink.write(func(_ *Batch, run *Run) {
		run.Status, run.Error, run.ErrorCode = protocol.StatusFailed, failure.Message, failure.Code
	}, &protocol.Error{Message: failure.Message, Code: failure.Code})
	return failure
}

func asRunError(err error) *RunError {
	var failure *RunError
	var fromModel *model.Error
	var wrong *unfit
	switch {
	case errors.As(err, &failure):
		return failure
	case errors.As(err, &fromModel):
		return &RunError{Code: fromModel.Code, Message: fromModel.Message, Err: err}
	case errors.As(err, &wrong):
		return &RunError{Code: model.CodeInvalidResponse, Message: doesNotFit + ".", Err: err}
	case errors.Is(err, errRunTimeout):
		return &RunError{Code: CodeRunTimeout, Message: "The run took longer than its time limit and was stopped.", Err: err}
	}
	return &RunError{Code: CodeInternal, Message: err.Error(), Err: err}
}

// parsed is a copy of an argument text as JSON; nil when the text is none.
func parsed(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}
