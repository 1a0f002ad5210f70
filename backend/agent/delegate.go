package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// ToolConfig says how an agent looks as a tool of others.
type ToolConfig struct {
	Name        string // empty is the agent's own
	Description string // empty is the agent's own
	Approval    tool.Approval
}

// AsTool makes an agent a tool of others. A call of it has one argument, input: what the agent is to do. The agent works inside the
// call, on a conversation of its own: it sees nothing of the caller's, and the caller's model reads its last words alone, or the
// structured output it gave; a call whose agent gave none that fits has failed. The calls it makes are told in the same run as
// children of the call; what they wait for, the run waits for. The agent's Timeout is the call's, waiting not counted. The first line
// of the input is the call's detail line, which a redact.Policy shows to users only where it shows detail lines.
func AsTool(a *Agent, c ToolConfig) (*tool.Tool, error) {
	if strings.TrimSpace(cmp.Or(c.Name, a.Name)) == "" {
		return nil, errors.New("make an agent a tool: it has no Name")
	}
	shown := tool.Presentation{Label: cmp.Or(strings.TrimSpace(a.Name), c.Name), Icon: "bot"}
	t, err := tool.Define(tool.Config[workInput, json.RawMessage]{
		Name: cmp.Or(c.Name, a.Name), Description: cmp.Or(c.Description, a.Description), Approval: c.Approval,
		Delegate: &worker{a}, Presentation: &shown,
		Present: func(in workInput) *tool.Presentation {
			own := shown
			own.Detail, _, _ = strings.Cut(strings.TrimSpace(in.Input), "\n")
			return &own
		},
		Run: func(tool.Context, workInput) (json.RawMessage, error) {
			return nil, errors.New("an agent works only inside a run; run it with Runner.Run")
		},
	})
	if err != nil {
		return nil, fmt.Errorf("make agent %q a tool: %w", a.Name, err)
	}
	return t, nil
}

// worker is the Delegate of a tool that is an agent.
type worker struct{ agent *Agent }

type workInput struct {
	Input string `json:"input" jsonschema_description:"What the agent is to do, with all it has to know: it sees nothing of this conversation"`
}

func (in *workInput) Validate() error {
	if strings.TrimSpace(in.Input) == "" {
		return errors.New("at '/input': it is blank")
	}
	return nil
}

// maxDepth is how deep agents may work inside calls of each other.
const maxDepth = 8

func (c *call) worker() *Agent { return workerOf(c.tool) }

func workerOf(t *tool.Tool) *Agent {
	if t != nil {
		if w, ok := t.Delegate.(*worker); ok {
			return w.agent
		}
	}
	return nil
}

// work lets an agent do a call, from where the store has it, and returns what came of it, or what it waits for.
func (x *run) work(ctx context.Context, c *call, a *Agent) (tool.Result, []*approval.Pending) {
	began := x.runner.now()
	result := tool.Result{Presentation: c.prepared.Presentation()}
	if a.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.Timeout-c.worked, errWorkTimeout)
		defer cancel()
	}
	k := x.inside(ctx, c, a)
	defer k.cancel(nil)
	x.mu.Lock()
	c.inner = k
	x.mu.Unlock()
	outcome := &Outcome{}
	err := k.tooDeep()
	end := k.finished(outcome)
	if err == nil && end == nil {
		end, err = k.turns(outcome)
	}
	result.Duration = c.worked + x.runner.now().Sub(began)
	var failure *RunError
	switch {
	case err == nil && end == nil:
		return result, outcome.Pending
	case err == nil:
		result.Content, result.Err = workResult(k.agent, outcome, end)
		if end.Blocked { // what is said in its place is the result, and people see that it is
			shown := *cmp.Or(result.Presentation, &tool.Presentation{Label: k.agent.Name})
			shown.Summary, shown.Tone = "blocked", tool.ToneWarning
			result.Presentation = &shown
		}
	case errors.Is(err, errWorkTimeout):
		result.Err = &tool.Error{Code: tool.CodeTimeout, Message: fmt.Sprintf("Tool %q timed out after %dms", c.name, a.Timeout.Milliseconds())}
	case errors.As(context.Cause(k.ctx), &failure): // what ends the run ends it from inside a call too
		x.cancel(failure)
		result.Err = failure
	default:
		failure = asRunError(err)
		result.Err = &tool.Error{Code: failure.Code, Message: fmt.Sprintf("The agent %s failed: %s", k.agent.Name, failure.Message), Err: err}
	}
	return result, nil
}

var errWorkTimeout = errors.New("the time limit of the agent it served was over")

// workResult is what the caller's model reads of an agent that is done.
func workResult(a *Agent, outcome *Outcome, end *protocol.Finish) (json.RawMessage, error) {
	if end.Structured != nil {
		return end.Structured, nil
	}
	if end.StructuredError != "" && outcome.Output != "" {
		return nil, &tool.Error{
			Code: model.CodeInvalidResponse, Message: fmt.Sprintf("The agent %s failed. %s\nIt said: %s", a.Name, end.StructuredError, outcome.Output),
		}
	}
	if outcome.Output == "" && end.IterationLimitReached {
		return nil, &tool.Error{
			Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("The agent %s was stopped at its limit (%s) before it gave an answer.", a.Name, end.Limit),
		}
	}
	return encode(outcome.Output)
}

// finished is the end of an agent that gave its answer in an earlier stretch, which its caller has not heard of; nil when there is
// more to do.
func (x *run) finished(outcome *Outcome) *protocol.Finish {
	l := x.lines[x.parent.id]
	if l == nil || l.tries > 0 || len(x.pending) > 0 && x.pending[0].turn == l.turn {
		return nil
	}
	if last := x.history[len(x.history)-1]; turnOf(x.id, last.ID) == l.turn { // else it had nothing to say
		outcome.Output = last.Content
	}
	end := &protocol.Finish{Status: protocol.StatusCompleted}
	if x.agent.Output != nil {
		var err error
		if end.Structured, err = x.agent.Output.read(outcome.Output); err != nil {
			end.StructuredError = (&unfit{err}).Error()
		}
	}
	return end
}

func (x *run) tooDeep() error {
	depth := 0
	for up := x; up.up != nil; up = up.up {
		depth++
	}
	if depth > maxDepth {
		return &RunError{Code: CodeInternal, Message: fmt.Sprintf("Agents work inside calls of each other %d deep at most.", maxDepth)}
	}
	return nil
}

// inside makes the agent that works inside a call, as far as the store has it.
func (x *run) inside(ctx context.Context, c *call, a *Agent) *run {
	k := &run{
		runner: x.runner, agent: a, sink: x.sink, id: x.id, threadID: x.threadID, messageID: x.messageID, context: x.context,
		shared: x.shared, parent: c, up: x, maxTurns: a.maxTurns(),
	}
	k.ctx, k.cancel = context.WithCancelCause(ctx)
	var in workInput
	_ = json.Unmarshal([]byte(c.arguments), &in) // they were checked
	messages := []*model.Message{{ID: resultID(x.id, c.id) + "/input", Role: model.RoleUser, Content: in.Input, RunID: x.id}}
	open := ""
	if st := x.stored; st != nil {
		k.agent = movedOn(x.runner, a, st, c.id)
		said, id := st.inside(c.id)
		messages, open = append(messages, said...), id
		k.pending = callsInside(st, c.id)
		k.follow(x.lines[c.id])
	}
	messages, _ = repair(messages, open)
	k.history = k.agent.instructed(messages)
	k.offer()
	k.check(k.pending)
	return k
}

// inside are the messages an agent wrote and read inside a call, and the id of the one whose calls are its last.
func (st *RunState) inside(toolCallID string) (messages []*model.Message, open string) {
	for _, m := range st.Children {
		if m.ParentToolCallID != toolCallID {
			continue
		}
		messages = append(messages, m.Message)
		if open = ""; len(m.ToolCalls) > 0 {
			open = m.ID
		}
	}
	for i := range st.Calls {
		if row := &st.Calls[i]; row.ParentToolCallID == toolCallID && row.Message != nil {
			messages = append(messages, row.Message)
		}
	}
	return messages, open
}

// movedOn is the agent that is at work inside a call of the agent a after those that handed over in turns that are settled.
func movedOn(r *Runner, a *Agent, st *RunState, toolCallID string) *Agent {
	last := 0
	for _, m := range st.Children {
		if m.ParentToolCallID == toolCallID && len(m.ToolCalls) > 0 {
			last = turnOf(st.ID, m.ID)
		}
	}
	for i := range st.Calls {
		row := &st.Calls[i]
		if row.ParentToolCallID != toolCallID || row.Turn == last || row.State != protocol.StateDone {
			continue
		}
		if t := r.offeredAs(a, row.ToolName); t != nil {
			if h, ok := t.Delegate.(*handoff); ok {
				a = h.to
			}
		}
	}
	return a
}

// offeredAs is the tool an agent can call by a name; nil when there is none.
func (r *Runner) offeredAs(a *Agent, name string) *tool.Tool {
	for _, t := range r.Offered(a) {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// at finds the agent that works inside a call of a run, or is, where the id is empty, the run's own; nil when it is not known.
func (r *Runner) at(own *Agent, st *RunState, toolCallID string) *Agent {
	if toolCallID == "" || own == nil {
		return own
	}
	for i := range st.Calls {
		if row := &st.Calls[i]; row.ToolCallID == toolCallID {
			outer := r.at(own, st, row.ParentToolCallID)
			if outer == nil {
				return nil
			}
			if a := workerOf(r.offeredAs(outer, row.ToolName)); a != nil {
				return movedOn(r, a, st, toolCallID)
			}
		}
	}
	return nil
}
