package redact

import (
	"encoding/json"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Approval is a waiting call as a view sees it.
func (p *Policy) Approval(view View, a protocol.Approval) protocol.Approval {
	s := p.Stream(view)
	s.tools[a.ToolCallID] = a.ToolName
	return s.approval(a)
}

// Message is a message of a thread as a view sees it, with what its metadata holds for clients.
func (p *Policy) Message(view View, m *model.Message) *model.Message {
	s := p.Stream(view)
	c := *m
	c.Content, c.Reasoning, c.Metadata = s.masker.text(c.Content), s.masker.text(c.Reasoning), s.raw(c.Metadata)
	if s.user && !p.Reasoning {
		c.Reasoning = ""
	}
	c.ToolName = s.masker.text(c.ToolName)
	c.ToolCalls = make([]model.ToolCall, len(m.ToolCalls))
	for i, call := range m.ToolCalls {
		c.ToolCalls[i] = p.Call(view, call)
	}
	if m.Role == model.RoleTool {
		s.tools[m.ToolCallID] = m.ToolName
		show := s.show(m.ToolCallID)
		if !show.Result {
			c.Content = Hidden
		}
		c.Metadata = hideMembers(c.Metadata, show)
	}
	return &c
}

// Call is a call as a view sees it.
func (p *Policy) Call(view View, call model.ToolCall) model.ToolCall {
	m := p.masker()
	if call.Arguments = m.text(call.Arguments); view == User && !p.show(call.Name).Arguments {
		call.Arguments = "{}"
	}
	call.Name, call.Extra = m.text(call.Name), nil // what it is for, only the provider knows
	return call
}

// hideMembers leaves out of a result's metadata what is not shown.
func hideMembers(metadata json.RawMessage, show Show) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(metadata, &members) != nil {
		return metadata
	}
	if !show.Details {
		delete(members, "details")
	}
	if _, failed := members["error"]; failed && !show.Error {
		members["error"] = quoted("The call failed.")
	}
	if !show.DetailLine {
		var label map[string]json.RawMessage
		if json.Unmarshal(members["presentation"], &label) == nil && label != nil {
			delete(label, "detail")
			delete(label, "summary")
			members["presentation"], _ = json.Marshal(label) // JSON that was decoded encodes
		}
	}
	kept, _ := json.Marshal(members) // JSON that was decoded encodes
	return kept
}
