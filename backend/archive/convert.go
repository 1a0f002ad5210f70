package archive

import (
	"encoding/json"
	"fmt"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// RunOf is the line of a run.
func RunOf(r *agent.Run) *Run {
	return &Run{
		ID: r.ID, AgentName: r.AgentName, Input: text(r.Input), Status: r.Status, MessageID: r.MessageID, Turn: r.Turn,
		CallCount: r.CallCount, Usage: r.Usage, Error: text(r.Error), ErrorCode: r.ErrorCode, Context: exact(r.Context),
		CreatedAtMs: r.CreatedAtMs, UpdatedAtMs: r.UpdatedAtMs,
	}
}

// Row is the run as a store has it.
func (r *Run) Row(threadID string) agent.Run {
	return agent.Run{
		ID: r.ID, ThreadID: threadID, AgentName: r.AgentName, Input: string(r.Input), Status: r.Status, MessageID: r.MessageID,
		Turn: r.Turn, CallCount: r.CallCount, Usage: r.Usage, Error: string(r.Error), ErrorCode: r.ErrorCode, Context: raw(r.Context),
		CreatedAtMs: r.CreatedAtMs, UpdatedAtMs: r.UpdatedAtMs,
	}
}

// CallOf is the line of a call.
func CallOf(c *agent.Call) *Call {
	line := &Call{
		ToolCallID: c.ToolCallID, ParentToolCallID: c.ParentToolCallID, ToolName: c.ToolName, Turn: c.Turn, State: c.State,
		Proposed: text(c.Proposed), StartedMs: c.StartedMs, EndedMs: c.EndedMs,
	}
	if c.Executed != c.Proposed {
		executed := text(c.Executed)
		line.Executed = &executed
	}
	if c.Message != nil {
		line.Message = messageOf(c.Message)
	}
	return line
}

// Row is the call as a store has it.
func (c *Call) Row(runID string) agent.Call {
	row := agent.Call{
		RunID: runID, ToolCallID: c.ToolCallID, ParentToolCallID: c.ParentToolCallID, ToolName: c.ToolName, Turn: c.Turn, State: c.State,
		Proposed: string(c.Proposed), Executed: string(c.Proposed), StartedMs: c.StartedMs, EndedMs: c.EndedMs,
	}
	if c.Executed != nil {
		row.Executed = string(*c.Executed)
	}
	if c.Message != nil {
		row.Message = c.Message.Row()
	}
	return row
}

// ApprovalOf is the line of an approval.
func ApprovalOf(p *approval.Pending) (*Approval, error) {
	line := &Approval{
		ApprovalID: p.ApprovalID, ToolCallID: p.ToolCallID, ParentToolCallID: p.ParentToolCallID, ToolName: p.ToolName,
		AgentName: p.AgentName, Kind: p.Kind, Description: text(p.Description), Arguments: exact(p.Arguments),
		ArgumentsText: text(p.ArgumentsText), ArgumentsHash: p.ArgumentsHash, Details: exact(p.Details), SinceMs: p.SinceMs,
		ExpiresAtMs: p.ExpiresAt, DecidedAtMs: p.DecidedAtMs,
	}
	var err error
	if p.SideEffects != nil {
		line.SideEffects, err = encode(p.SideEffects)
	}
	if p.Presentation != nil && err == nil {
		line.Presentation, err = encode(p.Presentation)
	}
	if err != nil {
		return nil, fmt.Errorf("approval %s: %w", p.ApprovalID, err)
	}
	if d := p.Decision; d != nil {
		line.Decision = &Decision{
			Approved: d.Approved, Reason: text(d.Reason), ArgumentsText: (*text)(d.ArgumentsText), ArgumentsHash: d.ArgumentsHash,
			Result: exact(d.Result), By: text(d.By), State: d.State,
		}
	}
	return line, nil
}

// Row is the approval as a store has it.
func (a *Approval) Row(runID, threadID string) *approval.Pending {
	p, err := a.pending(runID, threadID)
	if err != nil { // a line that was read fits
		p = &approval.Pending{}
	}
	return p
}

func (a *Approval) pending(runID, threadID string) (*approval.Pending, error) {
	p := &approval.Pending{
		Approval: protocol.Approval{
			ToolCallID: a.ToolCallID, ToolName: a.ToolName, Arguments: raw(a.Arguments), Description: string(a.Description),
			ApprovalID: a.ApprovalID, Kind: a.Kind, ArgumentsText: string(a.ArgumentsText), ArgumentsHash: a.ArgumentsHash,
			Details: raw(a.Details), ExpiresAt: a.ExpiresAtMs, ParentToolCallID: a.ParentToolCallID,
		},
		RunID: runID, ThreadID: threadID, AgentName: a.AgentName, SinceMs: a.SinceMs, DecidedAtMs: a.DecidedAtMs,
	}
	if d := a.Decision; d != nil {
		p.Decision = &approval.Decision{
			Approved: d.Approved, Reason: string(d.Reason), ArgumentsText: (*string)(d.ArgumentsText), ArgumentsHash: d.ArgumentsHash,
			Result: raw(d.Result), By: string(d.By), State: d.State,
		}
	}
	for _, part := range []struct {
		json exact
		to   any
	}{{a.SideEffects, &p.SideEffects}, {a.Presentation, &p.Presentation}} {
		if len(part.json) == 0 {
			continue
		}
		if err := json.Unmarshal(part.json, part.to); err != nil {
			return nil, fmt.Errorf("approval %s: %w", a.ApprovalID, err)
		}
	}
	return p, nil
}

// ChildOf is the line of what an agent said inside a call.
func ChildOf(c *agent.ChildMessage) *Child {
	return &Child{ParentToolCallID: c.ParentToolCallID, Message: *messageOf(c.Message)}
}

// Row is the message as a store has it.
func (c *Child) Row() agent.ChildMessage {
	return agent.ChildMessage{ParentToolCallID: c.ParentToolCallID, Message: c.Message.Row()}
}

// EventOf is the line of an event.
func EventOf(r agent.Record) *Event { return &Event{Seq: r.Seq, JSON: r.JSON} }

// RequestOf are the lines of a request and of what came back.
func RequestOf(r *agent.Request) (*Request, *Received) {
	line := &Request{AgentName: r.AgentName, Turn: r.Turn, Try: r.Try, AtMs: r.AtMs, ParentToolCallID: r.ParentToolCallID}
	if r.Sent != nil {
		line.Keep, line.Tail = &r.Sent.Keep, text(r.Sent.Tail)
	}
	if len(r.Received) == 0 {
		return line, nil
	}
	received := &Received{Turn: r.Turn, Try: r.Try}
	for _, piece := range r.Received {
		received.Pieces = append(received.Pieces, Piece{AfterNs: int64(piece.After), Bytes: text(piece.Bytes)})
	}
	return line, received
}

// Row is the request as a store has it.
func (r *Request) Row() agent.Request {
	row := agent.Request{AgentName: r.AgentName, Turn: r.Turn, Try: r.Try, AtMs: r.AtMs, ParentToolCallID: r.ParentToolCallID}
	if r.Keep != nil {
		row.Sent = &model.Sent{Keep: *r.Keep, Tail: []byte(r.Tail)}
	}
	return row
}

// Row is the answer as a store has it: of a request that is stored already.
func (r *Received) Row() agent.Request {
	row := agent.Request{Turn: r.Turn, Try: r.Try}
	for _, piece := range r.Pieces {
		row.Received = append(row.Received, agent.Received{After: time.Duration(piece.AfterNs), Bytes: []byte(piece.Bytes)})
	}
	return row
}

// HistoryOf is the line of a message of the history; results are the ids of the results that are in the ledger.
func HistoryOf(m *model.Message, results map[string]bool) *History {
	if m.Role == model.RoleTool && results[m.ID] {
		return &History{RunID: m.RunID, ToolCallID: m.ToolCallID}
	}
	return &History{Message: messageOf(m)}
}

func messageOf(m *model.Message) *Message {
	line := &Message{
		ID: m.ID, Role: m.Role, Content: text(m.Content), Reasoning: text(m.Reasoning), ToolCallID: m.ToolCallID, ToolName: m.ToolName,
		Images: m.Images, RunID: m.RunID, AtMs: m.AtMs, Metadata: exact(m.Metadata),
	}
	for _, c := range m.ToolCalls {
		line.ToolCalls = append(line.ToolCalls, ToolCall{
			ID: c.ID, ProviderID: c.ProviderID, Name: c.Name, ArgumentsText: text(c.Arguments), Extra: exact(c.Extra),
		})
	}
	return line
}

// Row is the message as a store has it.
func (m *Message) Row() *model.Message {
	row := &model.Message{
		ID: m.ID, Role: m.Role, Content: string(m.Content), Reasoning: string(m.Reasoning), ToolCallID: m.ToolCallID,
		ToolName: m.ToolName, Images: m.Images, RunID: m.RunID, AtMs: m.AtMs, Metadata: raw(m.Metadata),
	}
	for _, c := range m.ToolCalls {
		row.ToolCalls = append(row.ToolCalls, model.ToolCall{
			ID: c.ID, ProviderID: c.ProviderID, Name: c.Name, Arguments: string(c.ArgumentsText), Extra: raw(c.Extra),
		})
	}
	return row
}

// HeadOf is the head of a thread's file. title is that of its first message, name the one a person gave.
func HeadOf(s *agent.ThreadSummary, title, name string) *Head {
	return &Head{Version: Version, Thread: Thread{
		ID: s.ID, Title: text(title), Name: text(name), AgentName: s.AgentName, CreatedAtMs: s.CreatedAtMs, UpdatedAtMs: s.UpdatedAtMs,
	}}
}
