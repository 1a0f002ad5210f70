package aisdk

import (
	"cmp"
	"encoding/json"
	"strings"

	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// call is what the chunks of a call need to know of it.
type call struct {
	id, toolName, parent string
	title                string
	shown                tool.Presentation
	arguments            strings.Builder
	available            bool   // its arguments are complete
	asked                string // the id of its newest approval
	answered             bool   // it may run, or was denied
	started              bool   // it ran
	denied               bool
	settled              bool
}

func (c *call) key() string { return "call " + c.id }

// metadata is nil where there is nothing to tell.
func (c *call) metadata(errorCode string, durationMs *int64) *ToolMetadata {
	if c.parent == "" && errorCode == "" && durationMs == nil {
		return nil
	}
	return &ToolMetadata{ParentToolCallID: c.parent, ErrorCode: errorCode, DurationMs: durationMs}
}

func (m *Mapper) callStart(e *protocol.ToolCallStart) {
	if m.calls[e.ID] != nil {
		return
	}
	if e.ParentToolCallID == "" {
		m.closePart()
	}
	c := m.addCall(e.ID, e.ToolName, e.ParentToolCallID, e.Presentation)
	m.say(c.key(), Chunk{
		Type: "tool-input-start", ToolCallID: c.id, ToolName: c.toolName, Title: c.title, ProviderExecuted: true,
		ToolMetadata: c.metadata("", nil),
	})
	m.present(c, e.Presentation)
}

func (m *Mapper) addCall(id, toolName, parent string, p *tool.Presentation) *call {
	c := &call{id: id, toolName: toolName, parent: parent}
	if p != nil {
		c.title = p.Label
	}
	if m.calls == nil {
		m.calls = map[string]*call{}
	}
	m.calls[id] = c
	m.order = append(m.order, c)
	return c
}

func (m *Mapper) callDelta(e *protocol.ToolCallDelta) {
	c := m.calls[e.ID]
	if c == nil || c.available || e.ArgsTextDelta == "" {
		return
	}
	c.arguments.WriteString(e.ArgsTextDelta)
	if m.current.says(c.key(), "tool-input-start") { // a client forgets what it was reading when its step is reset
		m.say(c.key(), Chunk{Type: "tool-input-delta", ToolCallID: c.id, InputTextDelta: e.ArgsTextDelta})
	}
}

func (m *Mapper) callEnd(e *protocol.ToolCallEnd) {
	c := m.calls[e.ID]
	switch {
	case c == nil || c.available:
	case e.Dropped:
		m.drop(c, protocol.Incomplete)
	default:
		m.input(c)
	}
}

// input tells the arguments a call has now. Those that are not JSON are told as the text they are.
func (m *Mapper) input(c *call) {
	c.available = true
	input := json.RawMessage("{}")
	if text := c.arguments.String(); strings.TrimSpace(text) != "" {
		input = value(json.RawMessage(text))
	}
	m.say(c.key(), Chunk{
		Type: "tool-input-available", ToolCallID: c.id, ToolName: c.toolName, Title: c.title, Input: input, ProviderExecuted: true,
		ToolMetadata: c.metadata("", nil),
	})
}

// replace tells the arguments a call has in place of those it was announced with.
func (m *Mapper) replace(c *call, arguments string) {
	if c.available && arguments == c.arguments.String() {
		return
	}
	c.arguments.Reset()
	c.arguments.WriteString(arguments)
	m.input(c)
}

// drop takes a call out of the message, and tells who listens.
func (m *Mapper) drop(c *call, reason protocol.DropReason) {
	if m.current.says(c.key(), "tool-input-start") || m.current.says(c.key(), "tool-input-available") {
		m.current.remove(c.key())
	} else if !c.denied { // no step but the current one can be taken back
		m.fail(c, "The call was dropped: "+string(reason)+".", c.metadata("", nil))
	}
	delete(m.calls, c.id)
	c.settled = true
	m.begin()
	m.out = append(m.out, Chunk{Type: DataDropped, ID: c.id, Transient: true, Data: encoded(struct {
		ToolName string              `json:"toolName"`
		Reason   protocol.DropReason `json:"reason"`
	}{c.toolName, reason})})
}

// fail tells the error a call ended with. One that a person was asked for and nobody answered is denied with it.
func (m *Mapper) fail(c *call, message string, metadata *ToolMetadata) {
	c.settled = true
	if c.asked != "" && !c.answered {
		m.deny(c, c.asked, message)
		return
	}
	m.say(c.key(), Chunk{
		Type: "tool-output-error", ToolCallID: c.id, ErrorText: message, ProviderExecuted: true, ToolMetadata: metadata,
	})
}

func (m *Mapper) update(e *protocol.ToolUpdate) {
	c := m.calls[e.ToolCallID]
	if c == nil || c.settled {
		return
	}
	m.present(c, e.Presentation)
	switch {
	case e.ArgumentsText != nil:
		m.replace(c, *e.ArgumentsText)
	case e.Arguments != nil:
		m.replace(c, string(e.Arguments))
	}
	if e.Content != nil || e.Details != nil {
		m.say(c.key(), Chunk{Type: DataProgress, ID: c.id, Data: encoded(struct {
			Content json.RawMessage `json:"content,omitempty"`
			Details json.RawMessage `json:"details,omitempty"`
		}{value(e.Content), value(e.Details)})})
	}
}

func (m *Mapper) present(c *call, p *tool.Presentation) {
	if p == nil || *p == c.shown {
		return
	}
	c.shown, c.title = *p, p.Label
	m.say(c.key(), Chunk{Type: DataPresentation, ID: c.id, Data: encoded(p)})
}

// callState tells what was decided of a call.
func (m *Mapper) callState(e *protocol.CallState) {
	c := m.calls[e.ToolCallID]
	if c == nil || c.settled {
		return
	}
	c.started = c.started || e.State == protocol.StateRunning
	approved := e.State == protocol.StateApproved
	if !approved && e.State != protocol.StateDenied && e.State != protocol.StateExpired || approved && c.answered {
		return
	}
	reason := e.Reason
	if e.State == protocol.StateExpired {
		reason = cmp.Or(reason, "Nobody answered in time.")
	}
	id := c.asked
	if id == "" { // a rule decided, or someone before the client was asked
		id = cmp.Or(e.ApprovalID, c.id)
		reason = cmp.Or(reason, e.By)
		m.askNobody(c, id)
	}
	if approved {
		m.answer(c, id, true, reason)
	} else {
		m.deny(c, id, reason)
	}
}

// askNobody makes room for an answer that no person gives.
func (m *Mapper) askNobody(c *call, approvalID string) {
	c.asked = approvalID
	m.say(c.key(), Chunk{Type: "tool-approval-request", ToolCallID: c.id, ApprovalID: approvalID, IsAutomatic: true})
}

func (m *Mapper) deny(c *call, approvalID, reason string) {
	m.answer(c, approvalID, false, reason)
	c.denied = true
	m.say(c.key(), Chunk{Type: "tool-output-denied", ToolCallID: c.id})
}

func (m *Mapper) answer(c *call, approvalID string, approved bool, reason string) {
	c.answered = true
	m.say(c.key(), Chunk{Type: "tool-approval-response", ApprovalID: approvalID, Approved: &approved, Reason: reason})
}

func (m *Mapper) result(e *protocol.ToolResult) {
	c := m.calls[e.ToolCallID]
	if c == nil || c.settled {
		return
	}
	if e.Dropped {
		m.drop(c, cmp.Or(e.Reason, protocol.Discarded))
		return
	}
	m.present(c, e.Presentation)
	if e.Details != nil {
		m.say(c.key(), Chunk{Type: DataDetails, ID: c.id, Data: value(e.Details)})
	}
	c.settled = true
	metadata := c.metadata(e.ErrorCode, e.DurationMs)
	switch {
	case c.denied: // the client was told; the result is for the model
	case e.Error != "":
		m.fail(c, e.Error, metadata)
	default:
		if c.asked != "" && !c.answered {
			m.answer(c, c.asked, true, "")
		}
		output := json.RawMessage("null")
		if e.Result != nil {
			output = value(e.Result)
		}
		m.say(c.key(), Chunk{
			Type: "tool-output-available", ToolCallID: c.id, Output: output, ProviderExecuted: true, ToolMetadata: metadata,
		})
	}
}

// askAgain is why a person is asked about a call whose end nobody knows.
const askAgain = "It was running when the program stopped, and whether it ended is not known: it may still be running. Approved, it runs again; denied, it is given up."

// approvals asks for what a paused run waits for, and answers for the calls that wait with it.
func (m *Mapper) approvals(e *protocol.ApprovalRequired) {
	m.closePart()
	m.asking = true
	waiting := map[string]bool{}
	for i := range e.Approvals {
		a := &e.Approvals[i]
		c := m.calls[a.ToolCallID]
		if c == nil {
			c = m.addCall(a.ToolCallID, a.ToolName, a.ParentToolCallID, a.Presentation)
		}
		waiting[c.id] = true
		if c.settled {
			continue
		}
		m.replace(c, a.ArgumentsText)
		m.present(c, a.Presentation)
		c.asked, c.answered = cmp.Or(a.ApprovalID, c.id), false
		request := Chunk{Type: "tool-approval-request", ToolCallID: c.id, ApprovalID: c.asked, ApprovalDescriptor: a}
		if a.Kind == protocol.KindUnknown {
			request.Reason = askAgain
		}
		m.say(c.key(), request)
	}
	for _, c := range m.order {
		if waiting[c.id] || c.settled || c.answered || !c.available {
			continue
		}
		m.askNobody(c, "auto-"+c.id)
		m.answer(c, c.asked, true, "It runs, or goes on, once the calls beside it are decided.")
	}
}
