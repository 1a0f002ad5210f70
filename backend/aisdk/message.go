package aisdk

import (
	"encoding/json"
	"slices"
	"strings"

	"callboard/backend/protocol"
)

// Message is a UI message, as useChat keeps it: what a user said, or what a stream of chunks came to.
type Message struct {
	ID       string    `json:"id"`
	Role     string    `json:"role"` // user or assistant
	Metadata *Metadata `json:"metadata,omitempty"`
	Parts    []*Part   `json:"parts"`
}

// Part is a part of a message: step-start, text, reasoning, tool-NAME, or one of this package's data parts. Type says which of the other
// fields it has.
type Part struct {
	Type  string  `json:"type"`
	ID    string  `json:"id,omitempty"` // of reasoning and data
	Text  *string `json:"text,omitempty"`
	State string  `json:"state,omitempty"`

	ToolCallID       string          `json:"toolCallId,omitempty"`
	Title            string          `json:"title,omitempty"`
	Input            json.RawMessage `json:"input,omitempty"`
	Output           json.RawMessage `json:"output,omitempty"`
	ErrorText        string          `json:"errorText,omitempty"`
	ProviderExecuted bool            `json:"providerExecuted,omitempty"`
	ToolMetadata     *ToolMetadata   `json:"toolMetadata,omitempty"`
	Approval         *PartApproval   `json:"approval,omitempty"`

	Data json.RawMessage `json:"data,omitempty"`

	key string // of text and reasoning that is being written
}

// PartApproval is what a person, or nobody, was asked about a call, and the answer.
type PartApproval struct {
	ID            string             `json:"id"`
	Descriptor    *protocol.Approval `json:"descriptor,omitempty"`
	RequestReason string             `json:"requestReason,omitempty"`
	IsAutomatic   bool               `json:"isAutomatic,omitempty"`
	Approved      *bool              `json:"approved,omitempty"`
	Reason        string             `json:"reason,omitempty"`
}

// Text is a message that is one text.
func Text(id, role, text string) *Message {
	return &Message{ID: id, Role: role, Parts: []*Part{{Type: "text", Text: &text}}}
}

// Add takes the next chunk of an assistant's message in, as the AI SDK does. What chunks of this package's mapper do not refer to adds
// nothing. The arguments of a call are known once they are complete.
func (m *Message) Add(c Chunk) {
	m.tell(c.MessageMetadata)
	switch c.Type {
	case "start":
		if c.MessageID != "" {
			m.ID = c.MessageID
		}
	case "text-start", "reasoning-start":
		kind, _, _ := strings.Cut(c.Type, "-")
		p := &Part{Type: kind, Text: new(string), State: "streaming", key: kind + " " + c.ID}
		if kind == reasoning {
			p.ID = c.ID
		}
		m.Parts = append(m.Parts, p)
	case "text-delta", "reasoning-delta":
		if p := m.written(c); p != nil {
			*p.Text += c.Delta
		}
	case "text-end", "reasoning-end":
		if p := m.written(c); p != nil {
			p.State, p.key = "done", ""
		}
	case "start-step":
		m.Parts = append(m.Parts, &Part{Type: "step-start"})
	case "reset-step":
		m.Parts = m.Parts[:m.step()]
	default:
		if strings.HasPrefix(c.Type, "data-") {
			m.addData(c)
		} else {
			m.addCall(c)
		}
	}
}

// tell adds what the metadata tells to what it told before.
func (m *Message) tell(more *Metadata) {
	if more == nil {
		return
	}
	if m.Metadata == nil {
		m.Metadata = &Metadata{}
	}
	_ = json.Unmarshal(encoded(more), m.Metadata) // its own JSON
}

// step is where the parts of the current step begin.
func (m *Message) step() int {
	for i := len(m.Parts); i > 0; i-- {
		if m.Parts[i-1].Type == "step-start" {
			return i
		}
	}
	return 0
}

// written is the part of text or reasoning that a chunk goes on with.
func (m *Message) written(c Chunk) *Part {
	kind, _, _ := strings.Cut(c.Type, "-")
	return m.last(func(p *Part) bool { return p.key == kind+" "+c.ID })
}

func (m *Message) last(is func(*Part) bool) *Part {
	for _, p := range slices.Backward(m.Parts) {
		if is(p) {
			return p
		}
	}
	return nil
}

func (m *Message) addData(c Chunk) {
	if c.Transient {
		return
	}
	if p := m.last(func(p *Part) bool { return p.Type == c.Type && p.ID == c.ID }); p != nil {
		p.Data = c.Data
		return
	}
	m.Parts = append(m.Parts, &Part{Type: c.Type, ID: c.ID, Data: c.Data})
}

func (m *Message) addCall(c Chunk) {
	switch c.Type {
	case "tool-input-start":
		m.input(c, "input-streaming")
		return
	case "tool-input-available":
		m.input(c, "input-available")
		return
	case "tool-approval-response":
		p := m.last(func(p *Part) bool { return p.Approval != nil && p.Approval.ID == c.ApprovalID })
		if p != nil {
			p.State, p.Approval.Approved, p.Approval.Reason = "approval-responded", c.Approved, c.Reason
		}
		return
	}
	p := m.last(func(p *Part) bool { return p.ToolCallID != "" && p.ToolCallID == c.ToolCallID })
	if p == nil {
		return
	}
	switch c.Type {
	case "tool-approval-request":
		p.State = "approval-requested"
		p.Approval = &PartApproval{ID: c.ApprovalID, Descriptor: c.ApprovalDescriptor, RequestReason: c.Reason, IsAutomatic: c.IsAutomatic}
	case "tool-output-denied":
		p.State = "output-denied"
	case "tool-output-available":
		p.State, p.Output, p.ErrorText = "output-available", c.Output, ""
		p.told(c)
	case "tool-output-error":
		p.State, p.Output, p.ErrorText = "output-error", nil, c.ErrorText
		p.told(c)
	}
}

// input tells the arguments of a call: a new one, or one of the current step.
func (m *Message) input(c Chunk, state string) {
	p := m.last(func(p *Part) bool { return p.ToolCallID == c.ToolCallID })
	if p == nil || !slices.Contains(m.Parts[m.step():], p) {
		p = &Part{ToolCallID: c.ToolCallID}
		m.Parts = append(m.Parts, p)
	}
	p.Type, p.State, p.Input, p.Output, p.ErrorText = "tool-"+c.ToolName, state, c.Input, nil, ""
	p.told(c)
}

// told takes what a chunk tells of a call beside what came of it.
func (p *Part) told(c Chunk) {
	p.ProviderExecuted = p.ProviderExecuted || c.ProviderExecuted
	if c.Title != "" {
		p.Title = c.Title
	}
	if c.ToolMetadata != nil {
		p.ToolMetadata = c.ToolMetadata
	}
}
