package agent

import (
	"encoding/json"
	"strings"
	"time"

	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// call is one call of a turn on its way from the first piece to its result.
type call struct {
	id         string          // unique in the thread
	key        string          // what the backend calls it within its answer
	providerID string          // where it differs
	extra      json.RawMessage // what the provider wants back with it
	parentID   string          // the call inside which the agent works that makes it
	turn       int
	name       string
	tool       *tool.Tool // nil when there is none of that name
	args       []byte     // as the model wrote them
	rest       string     // bytes of a character whose end has not come yet
	begun      bool       // some argument text went out
	ended      bool       // complete: its end went out
	whole      bool       // the backend confirmed it among its ToolCalls
	announced  bool       // its start went out
	dropped    bool

	arguments string // the text it runs with
	prepared  *tool.Call
	invalid   error // why prepared is nil

	execution
}

// answer gathers one try of a turn: it turns a model's chunks into events, parts and calls.
type answer struct {
	*run
	turn, try int
	began     time.Time

	parts []part // the last one may be open
	open  bool
	rest  string // bytes of a character of the open part whose end has not come yet
	held  bool   // nothing goes out before it was checked
	quiet bool   // text goes out once it is whole

	skipped bool // part of it was, and that was logged

	text, thought strings.Builder
	calls         []*call
	kept          []*call         // of calls, those that may run; set once the answer is whole
	structured    json.RawMessage // the answer, where it fits what is wanted
	unfit         error           // why it does not
	blocked       *withheld       // by a middleware
	finish        model.FinishReason
	usage         *model.Usage
	firstToken    *int64

	retold   int // bytes of text that were told as progress of the call the agent works in
	retoldAt time.Time
}

func (a *answer) take(c model.Chunk) {
	if a.firstToken == nil && (c.Text != "" || c.Reasoning != "" || len(c.ToolInput) > 0 || len(c.ToolCalls) > 0) {
		ms := a.runner.now().Sub(a.began).Milliseconds()
		a.firstToken = &ms
	}
	if c.Sent != nil {
		a.called = c.ToolNames
	}
	if c.Sent != nil || len(c.Raw) > 0 {
		a.record(c)
	}
	if c.Problem != "" && !a.skipped {
		a.skipped = true // a secret in pieces must not come together in the log, so only one is told
		a.runner.logger().Warn("part of a model's answer was skipped", "run", a.id, "turn", a.turn, "problem", c.Problem)
	}
	a.say(true, c.Reasoning)
	a.say(false, c.Text)
	for _, part := range c.ToolInput {
		a.input(part)
	}
	for _, whole := range c.ToolCalls {
		a.complete(whole)
	}
	if c.FinishReason != "" {
		a.finish = c.FinishReason
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
}

func (a *answer) record(c model.Chunk) {
	request := Request{RunID: a.id, ThreadID: a.threadID, AgentName: a.agent.Name, Turn: a.turn, Try: a.try, AtMs: a.began.UnixMilli(), ParentToolCallID: a.parentID()}
	if len(c.Raw) == 0 {
		a.sink.received(request, c.Sent)
		return
	}
	a.sink.received(request, c.Sent, Received{After: a.runner.now().Sub(a.began), Bytes: c.Raw})
}

// partless reports whether text is shown as no part: it is gathered, or told as progress of the call the agent works in.
func (a *answer) partless() bool { return a.silent() || a.parent != nil }

// writing finds the call a piece belongs to: the newest of that id that is still being written.
func (a *answer) writing(id string) *call {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if c := a.calls[i]; c.key == id && !c.ended {
			return c
		}
	}
	return nil
}

func (a *answer) input(part model.ToolInput) {
	c := a.writing(part.ToolCallID)
	switch {
	case part.Type == model.ToolInputStart && c == nil:
		a.start(part.ToolCallID, part.ToolName)
	case c == nil:
		a.runner.logger().Warn("tool input for a call that is not open", "call", part.ToolCallID, "type", part.Type)
	case part.Type == model.ToolInputDelta:
		a.write(c, part.Delta)
	case part.Type == model.ToolInputEnd:
		a.available(c)
	}
}

func (a *answer) start(id, name string) *call {
	a.closePart()
	c := &call{
		id: a.callID(id, a.turn, len(a.calls)+1), key: id, name: name, tool: a.tools[name], parentID: a.parentID(), turn: a.turn,
	}
	if c.id != id {
		c.providerID = id
	}
	a.calls = append(a.calls, c)
	if !a.held {
		a.announce(c)
	}
	return c
}

func (a *answer) announce(c *call) {
	c.announced = true
	event := &protocol.ToolCallStart{ID: c.id, ToolName: c.name, ProviderCallID: c.providerID, ParentToolCallID: c.parentID}
	if c.tool != nil {
		event.Presentation = c.tool.StaticPresentation()
	}
	a.sink.write(func(_ *Batch, run *Run) { run.CallCount++ }, event)
	if c.tool != nil && c.tool.Hooks.OnInputStart != nil {
		guarded(a.runner.logger(), "OnInputStart of "+c.name, func() { c.tool.Hooks.OnInputStart(c.id) })
	}
}

func (a *answer) write(c *call, delta string) {
	if delta == "" {
		return
	}
	c.args = append(c.args, delta...)
	delta, c.rest = wholeRunes(c.rest + delta)
	if delta != "" {
		a.writeOut(c, delta)
	}
}

func (a *answer) writeOut(c *call, delta string) {
	c.begun = true
	if !c.announced {
		return
	}
	a.sink.emit(&protocol.ToolCallDelta{ID: c.id, ArgsTextDelta: delta})
	if c.tool != nil && c.tool.Hooks.OnInputDelta != nil {
		guarded(a.runner.logger(), "OnInputDelta of "+c.name, func() { c.tool.Hooks.OnInputDelta(c.id, delta) })
	}
}

// complete takes a call that arrived whole, or the confirmation of one that was streamed.
func (a *answer) complete(whole model.ToolCall) {
	for _, c := range a.calls {
		if c.key == whole.ID && c.name == whole.Name && !c.whole {
			c.whole, c.extra = true, whole.Extra
			if !c.ended {
				if !c.begun {
					a.write(c, whole.Arguments)
				}
				a.available(c)
			}
			if string(c.args) != whole.Arguments && strings.TrimSpace(whole.Arguments) != "" {
				c.args = []byte(whole.Arguments)
				a.runsWith(c, whole.Arguments)
				a.prepare(c)
			}
			return
		}
	}
	c := a.start(whole.ID, whole.Name)
	c.whole, c.extra = true, whole.Extra
	a.write(c, whole.Arguments)
	a.available(c)
}

// runsWith says that a call runs with other arguments than were streamed.
func (x *run) runsWith(c *call, text string) {
	c.arguments = text
	if !c.announced {
		return
	}
	x.sink.emit(&protocol.ToolUpdate{ToolCallID: c.id, Arguments: parsed(text), ArgumentsText: &text})
}

// available ends a call whose arguments are complete, and shows what it is about.
func (a *answer) available(c *call) {
	if c.rest != "" {
		a.writeOut(c, strings.ToValidUTF8(c.rest, "\uFFFD"))
		c.rest = ""
	}
	if !c.begun {
		c.args = append(c.args[:0], "{}"...)
		a.writeOut(c, "{}")
	}
	c.ended = true
	c.arguments = string(c.args)
	if c.announced {
		a.sayAvailable(c)
	}
	a.prepare(c)
}

func (a *answer) sayAvailable(c *call) {
	a.sink.emit(&protocol.ToolCallEnd{ID: c.id})
	if c.tool != nil && c.tool.Hooks.OnInputAvailable != nil {
		guarded(a.runner.logger(), "OnInputAvailable of "+c.name, func() { c.tool.Hooks.OnInputAvailable(c.id, c.arguments) })
	}
}

// check reads the arguments a call will run with.
func (c *call) check() {
	if c.tool != nil {
		c.prepared, c.invalid = c.tool.Prepare(c.arguments)
	}
}

// prepare checks a call and shows the presentation its arguments give.
func (x *run) prepare(c *call) {
	c.check()
	x.present(c)
}

func (x *run) present(c *call) {
	if c.prepared == nil || !c.announced {
		return
	}
	if p := c.prepared.Presentation(); p != nil {
		x.sink.emit(&protocol.ToolUpdate{ToolCallID: c.id, Presentation: p})
	}
}

// end closes the answer of a model that said all it had to say, and keeps the calls that may run.
func (a *answer) end(mayCall bool) {
	a.closePart()
	for _, c := range a.calls {
		switch {
		case !c.ended:
			a.drop(c, protocol.Incomplete)
		case !mayCall:
			a.drop(c, protocol.Discarded)
		default:
			a.kept = append(a.kept, c)
		}
	}
}

// abandon closes what a turn that failed or was cancelled had open. Text that was said stays, but for what was never checked.
func (a *answer) abandon() {
	a.closePart()
	if a.held {
		a.thought.Reset()
		a.text.Reset()
		a.kept = nil
	}
	a.release()
	a.dropCalls()
}

func (a *answer) dropCalls() {
	for _, c := range a.calls {
		if c.ended {
			a.drop(c, protocol.Discarded)
		} else {
			a.drop(c, protocol.Incomplete)
		}
	}
}

// takeBack removes all that a failed try had shown (PROTOCOL.md, Order 10).
func (a *answer) takeBack() {
	a.open = false
	a.unsay()
	for _, c := range a.calls {
		a.drop(c, protocol.Incomplete)
	}
}

// drop ends a call that will never run.
func (a *answer) drop(c *call, reason protocol.DropReason) {
	if c.dropped || !c.announced {
		return
	}
	c.dropped = true
	var events []protocol.Event
	if !c.ended {
		events = append(events, &protocol.ToolCallEnd{ID: c.id, Dropped: true})
	}
	events = append(events, &protocol.ToolResult{ID: a.runner.newID("res"), ToolCallID: c.id, Dropped: true, Reason: reason})
	a.sink.write(func(_ *Batch, run *Run) { run.CallCount-- }, events...)
	if c.tool != nil && c.tool.Hooks.OnInputAbandoned != nil {
		guarded(a.runner.logger(), "OnInputAbandoned of "+c.name, func() { c.tool.Hooks.OnInputAbandoned(c.id, string(reason)) })
	}
}
