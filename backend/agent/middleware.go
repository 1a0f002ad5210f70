package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Middleware acts around the model and around the calls of an agent. Any of its functions may be nil. Of an agent's list the first
// is the outermost: BeforeModel and BeforeCall are asked from the first to the last, AfterModel and AfterCall from the last to the
// first, each with what the one before it left. The functions run on the run's own goroutine, but for AfterCall where an agent's
// calls run side by side; the context they get is done when the run is.
//
// An error fails the run with CodeMiddlewareFailed and the middleware's name; so does a panic. What it says goes to the log and to
// the Go caller (RunError.Err), not to clients and not to the model: it may quote what nobody is to see. An error that is a
// *RunError fails the run as it is. Deny and Block are no failures.
type Middleware struct {
	Name string // empty is its place in the list, from 1
	// BeforeModel may change a request before it goes out, each try of a turn anew: what the run keeps is another one. Messages and
	// Tools are lists to be replaced, not changed, and so are the messages in them. Block ends the run without asking.
	BeforeModel func(ctx tool.Context, request *model.Request) error
	// AfterModel sees a whole turn before anything of it runs, and may change it as Answer says. Block takes it back and ends the
	// run.
	AfterModel func(ctx tool.Context, answer *Answer) error
	// BeforeCall is asked about a call whose tool exists and whose arguments, call.Arguments, fit: before a person is, and again
	// after a pause. With a result, whose content has to be JSON, it answers in the tool's place, and no middleware after it is asked;
	// Deny refuses the call. It should have no effects of its own.
	BeforeCall func(ctx tool.Context, t *tool.Tool, call model.ToolCall) (*tool.Result, error)
	// AfterCall may change the result of a call that ran, failed, was answered by a middleware after this one, or was handed in by a
	// person, before anyone hears of it but Agent.OnToolError, which hears of a failed call first: a run that it stops stays stopped.
	// Its content has to stay JSON. Of a call that was cancelled it is not told.
	AfterCall func(ctx tool.Context, t *tool.Tool, call model.ToolCall, result *tool.Result) error
	// HoldBack lets nothing of a turn out before every AfterModel has seen it: no text, no reasoning, no input events. Then the
	// reasoning and the text go out as one part each, and each call that is kept as a start, one delta and an end. Of a turn that is
	// blocked, failed or cancelled nothing goes out, is told to a tool's hooks, or enters the thread. What the provider sent stays
	// with the stored requests, for operators: server.Server withholds it unless it is told otherwise.
	HoldBack bool
}

// CodeMiddlewareFailed is the code of a run that a middleware failed.
const CodeMiddlewareFailed = "MIDDLEWARE_FAILED"

// Answer is a whole turn of a model, before anything of it runs.
type Answer struct {
	// Text and Reasoning may be changed only where they have not gone out: with HoldBack, or in an agent whose Output does not
	// stream.
	Text      string
	Reasoning string
	// Calls that are complete and may run. One that is taken out is dropped as discarded; one with another name is dropped and
	// announced anew; other arguments replace those the model wrote; one with an id that is not the turn's is a new call. In the
	// last turn of a run, and after the token limit, there are none, and none can be added.
	Calls        []model.ToolCall
	FinishReason model.FinishReason
	Usage        *model.Usage // nil when it was not told
}

// Deny is what BeforeCall returns of a call that must not run. Clients and the model read the reason.
func Deny(reason string) error { return &denial{reason} }

type denial struct{ reason string }

func (d *denial) Error() string { return "denied: " + cmp.Or(d.reason, "no reason was given") }

// Block is what BeforeModel and AfterModel return of a turn nobody may read: what went out of it is taken back, the run ends as
// completed and blocked, and text is said in its place; empty is DefaultBlockText.
func Block(text string) error {
	if text == "" {
		text = DefaultBlockText
	}
	return &block{withheld{text: text}}
}

// DefaultBlockText is what is said in place of a blocked answer when Block is given nothing to say.
const DefaultBlockText = "This answer was withheld."

type block struct{ withheld }

// withheld is what is said in place of a turn, and the middleware that wants it so.
type withheld struct{ text, by string }

func (b *block) Error() string { return "blocked" }

// HoldsBack reports whether nothing of the agent's turns goes out before it was checked.
func (a *Agent) HoldsBack() bool {
	return slices.ContainsFunc(a.Middleware, func(m Middleware) bool { return m.HoldBack })
}

// middlewareName names the one at place i.
func (a *Agent) middlewareName(i int) string {
	if name := a.Middleware[i].Name; name != "" {
		return name
	}
	return fmt.Sprint(i + 1)
}

// through runs a function of the middleware at place i. What it fails with names it.
func (x *run) through(i int, moment string, f func() error) (err error) {
	name := x.agent.middlewareName(i)
	defer func() {
		if p := recover(); p != nil {
			x.runner.logger().Error("a middleware panicked", "middleware", name, "moment", moment, "run", x.id, "panic", p, "stack", string(debug.Stack()))
			err = middlewareFailed(name, moment, fmt.Errorf("panic: %v", p))
		}
	}()
	var blocked *block
	var denied *denial
	var failure *RunError
	switch err := f(); {
	case err == nil:
		return nil
	case x.ctx.Err() != nil: // it may only have heard that the run is over
		return err
	case errors.As(err, &blocked):
		return &block{withheld{blocked.text, name}}
	case errors.As(err, &denied), errors.As(err, &failure):
		return err
	default:
		x.runner.logger().Error("a middleware failed", "middleware", name, "moment", moment, "run", x.id, "error", err)
		return middlewareFailed(name, moment, err)
	}
}

func middlewareFailed(name, moment string, err error) *RunError {
	return &RunError{
		Code: CodeMiddlewareFailed, Message: fmt.Sprintf("The middleware %q failed %s. The program's log says why.", name, moment),
		Err: fmt.Errorf("middleware %q %s: %w", name, moment, err),
	}
}

func (x *run) beforeModel(request *model.Request) error {
	for i, m := range x.agent.Middleware {
		if m.BeforeModel == nil {
			continue
		}
		if err := x.through(i, "before the model", func() error { return m.BeforeModel(x.around(), request) }); err != nil {
			return err
		}
	}
	return nil
}

// around is what a middleware knows around the model.
func (x *run) around() tool.Context {
	ctx := x.toolContext(x.ctx, &call{})
	ctx.OnUpdate = nil
	return ctx
}

// afterModel shows a whole turn to the middleware, and holds the turn to what they made of it.
func (a *answer) afterModel(mayCall bool) error {
	var seen *Answer
	for i, m := range slices.Backward(a.agent.Middleware) {
		if m.AfterModel == nil {
			continue
		}
		if seen == nil {
			seen = a.whole()
		}
		if err := a.through(i, "after the model", func() error { return m.AfterModel(a.around(), seen) }); err != nil {
			return err
		}
		if (seen.Text != a.text.String() || seen.Reasoning != a.thought.String()) && !a.silent() {
			return middlewareFailed(a.agent.middlewareName(i), "after the model", errTextIsOut)
		}
		a.text.Reset()
		a.text.WriteString(seen.Text)
		a.thought.Reset()
		a.thought.WriteString(seen.Reasoning)
	}
	if seen != nil {
		a.amend(seen.Calls, mayCall)
	}
	return nil
}

var errTextIsOut = errors.New("it changed a text that has gone out; set HoldBack")

func (a *answer) whole() *Answer {
	whole := &Answer{Text: a.text.String(), Reasoning: a.thought.String(), FinishReason: a.finish, Usage: a.usage}
	for _, c := range a.kept {
		whole.Calls = append(whole.Calls, c.asModel())
	}
	return whole
}

// amend makes the calls of the turn those that are wanted, and corrects what was told of them.
func (a *answer) amend(wanted []model.ToolCall, mayCall bool) {
	left := make(map[string]*call, len(a.kept))
	for _, c := range a.kept {
		left[c.id] = c
	}
	before := a.kept
	a.kept = nil
	if !mayCall {
		wanted = nil
	}
	for _, w := range wanted {
		c := left[w.ID]
		delete(left, w.ID)
		switch {
		case c == nil:
			c = a.instead(w.ID, w)
		case c.name != w.Name:
			a.drop(c, protocol.Discarded)
			c = a.instead(c.key, w)
		case c.arguments != w.Arguments:
			a.reargue(c, w.Arguments)
		}
		a.kept = append(a.kept, c)
	}
	for _, c := range before {
		if left[c.id] == c {
			a.drop(c, protocol.Discarded)
		}
	}
}

// instead announces a call a middleware made.
func (a *answer) instead(id string, w model.ToolCall) *call {
	c := a.start(id, w.Name)
	c.whole, c.extra = true, w.Extra
	a.write(c, w.Arguments)
	a.available(c)
	return c
}

func (a *answer) reargue(c *call, text string) {
	if text == "" {
		text = "{}"
	}
	if c.announced {
		a.runsWith(c, text)
	} else { // what the model wrote is seen by nobody
		c.args, c.arguments = []byte(text), text
	}
	a.prepare(c)
}

// block ends a turn nobody may read.
func (x *run) block(a *answer) *protocol.Finish {
	a.closePart()
	if a.saidAny() || slices.ContainsFunc(a.calls, func(c *call) bool { return c.announced }) {
		a.unsay()
		a.dropCalls()
		x.sink.emit(&protocol.Turn{
			Turn: a.turn, Phase: protocol.TurnRetry, AgentName: x.agent.Name, Model: x.agent.Model, Reason: "A middleware withheld the answer.",
		})
	}
	x.runner.logger().Warn("a middleware blocked a turn", "middleware", a.blocked.by, "run", x.id, "turn", a.turn)
	a.held, a.quiet = false, false
	a.text.Reset()
	a.thought.Reset()
	a.say(false, a.blocked.text)
	a.closePart()
	a.finish = model.FinishStop
	x.endTurn(a, nil)
	return &protocol.Finish{Status: protocol.StatusCompleted, Blocked: true}
}

// beforeCall reports whether a middleware answered a call or denied it.
func (x *run) beforeCall(c *call) bool {
	for i, m := range x.agent.Middleware {
		if m.BeforeCall == nil || x.ctx.Err() != nil {
			continue
		}
		var result *tool.Result
		began := x.runner.now()
		err := x.through(i, "before a call", func() (err error) {
			if result, err = m.BeforeCall(x.toolContext(x.ctx, c), c.tool, c.asModel()); err == nil && result != nil {
				err = checkResult(result)
			}
			return err
		})
		by := middlewareBy + x.agent.middlewareName(i)
		var denied *denial
		switch {
		case errors.As(err, &denied):
			x.sink.emit(&protocol.CallState{ToolCallID: c.id, State: protocol.StateDenied, By: by, Reason: denied.reason})
			x.answer(c, nil, &tool.Error{Code: tool.CodeDenied, Message: denied.Error()}, protocol.StateDenied)
			return true
		case err != nil:
			x.cancel(err)
			x.answerStopped(c)
			return true
		case result != nil:
			c.begin(x, began.UnixMilli())
			x.sink.emit(&protocol.CallState{ToolCallID: c.id, State: protocol.StateRunning, By: by})
			x.answerChecked(c, *result, i)
			return true
		}
	}
	return false
}

// middlewareBy stands before the name of a middleware that decided.
const middlewareBy = "middleware:"

// answerChecked gives a call a result that did not come from its tool; the middleware before the given place see it.
func (x *run) answerChecked(c *call, result tool.Result, inner int) {
	result = x.afterCall(x.toolContext(x.ctx, c), c, result, inner)
	state := protocol.StateDone
	if result.Err != nil {
		state = protocol.StateFailed
	}
	x.answer(c, &result, result.Err, state)
}

// errWithheld is told of a call that was carried out, for who would otherwise do again what is done.
var errWithheld = &tool.Error{
	Code: tool.CodeExecutionFailed, Message: "The call was carried out. A middleware that saw its result ended the run, and keeps the result back.",
}

// afterCall shows a result to the middleware before the given place. One that fails ends the run, and nobody sees the result.
func (x *run) afterCall(ctx tool.Context, c *call, result tool.Result, inner int) tool.Result {
	ctx.OnUpdate = nil
	for i, m := range slices.Backward(x.agent.Middleware[:inner]) {
		if m.AfterCall == nil {
			continue
		}
		err := x.through(i, "after a call", func() error {
			if err := m.AfterCall(ctx, c.tool, c.asModel(), &result); err != nil {
				return err
			}
			return checkResult(&result)
		})
		if err != nil {
			x.cancel(err)
			return tool.Result{Err: errWithheld, Presentation: c.presentation(), Duration: result.Duration, Left: result.Left}
		}
	}
	return result
}

// checkResult holds a result a middleware made to what a result is.
func checkResult(r *tool.Result) error {
	if r.Err == nil && !json.Valid(r.Content) {
		return errors.New("the content it made is not JSON")
	}
	if len(r.Details) > 0 && !json.Valid(r.Details) {
		return errors.New("the details it made are not JSON")
	}
	return nil
}
