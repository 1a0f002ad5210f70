package remote

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// rows are what a store keeps beside the events of a run: the ledger of calls, the messages, the approvals. They are derived from
// the events, as a Runner would have written them.
type rows struct {
	ledger map[string]agent.Call
	asked  map[string]*approval.Pending
	said   map[*protocol.Item]bool // of what a message was made
	count  int                     // messages of the agent
	open   []string                // calls of the last message whose results it has not got
}

func newRows() rows {
	return rows{ledger: map[string]agent.Call{}, asked: map[string]*approval.Pending{}, said: map[*protocol.Item]bool{}}
}

// remember takes the decisions that no event has told of yet.
func (r *rows) remember(stored []*approval.Pending) {
	for _, p := range stored {
		if known := r.asked[p.ApprovalID]; known == nil || known.Decision == nil {
			r.asked[p.ApprovalID] = p
		}
	}
}

// derive adds the rows that an event means. It was applied to the fold before.
func (r *rows) derive(b *agent.Batch, m *mirror, f protocol.Frame) {
	t := &m.fold
	switch e := f.Event.(type) {
	case *protocol.Message:
		b.Messages = append(b.Messages, &model.Message{ID: cmp.Or(e.MessageID, m.id+"_input"), Role: e.Role, Content: e.Content, RunID: m.id, AtMs: f.AtMs})
	case *protocol.Turn:
		if e.Phase == protocol.TurnEnd && e.ParentToolCallID == "" {
			r.speak(b, t, m.id, f.AtMs)
		}
	case *protocol.CallState:
		r.callState(b, m, f, e)
	case *protocol.ToolResult:
		r.result(b, m, f, e)
	case *protocol.ApprovalRequired:
		r.speak(b, t, m.id, f.AtMs)
		r.ask(b, m, f, e)
	case *protocol.Finish, *protocol.Error:
		r.speak(b, t, m.id, f.AtMs)
		r.undecided(b, m, f)
	}
}

// speak makes a message of what the run's own agent has said and called since the last one.
func (r *rows) speak(b *agent.Batch, t *protocol.Transcript, runID string, atMs int64) {
	var own []*protocol.Item
	for _, item := range slices.Backward(t.Items) {
		if r.said[item] || item.Kind == protocol.ItemMessage {
			break
		}
		if item.Call == nil || item.Call.ParentToolCallID == "" {
			own = append(own, item)
		}
	}
	if len(own) == 0 {
		return
	}
	message := &model.Message{Role: model.RoleAssistant, RunID: runID, AtMs: atMs}
	var content, reasoning strings.Builder
	r.open = nil
	for _, item := range slices.Backward(own) {
		r.said[item] = true
		switch {
		case item.Call != nil:
			c := item.Call
			message.ToolCalls = append(message.ToolCalls, model.ToolCall{ID: c.ID, ProviderID: c.ProviderCallID, Name: c.ToolName, Arguments: c.ProposedText()})
			r.open = append(r.open, c.ID)
		case item.Kind == protocol.ItemReasoning:
			reasoning.WriteString(item.Text())
		default:
			content.WriteString(item.Text())
		}
	}
	r.count++
	message.ID = fmt.Sprintf("%s_%d", runID, r.count)
	message.Content, message.Reasoning = content.String(), reasoning.String()
	b.Messages = append(b.Messages, message)
}

func (r *rows) callState(b *agent.Batch, m *mirror, f protocol.Frame, e *protocol.CallState) {
	c := m.fold.Call(e.ToolCallID)
	if c == nil {
		return
	}
	switch e.State {
	case protocol.StateRunning, protocol.StateUnknown:
		if c.ParentToolCallID == "" && !slices.Contains(r.open, c.ID) {
			r.speak(b, &m.fold, m.id, f.AtMs)
		}
		row := r.row(c, m.id)
		if row.StartedMs == 0 {
			row.StartedMs = f.AtMs
		}
		r.put(b, row)
	case protocol.StateWaiting:
		if _, ran := r.ledger[c.ID]; ran { // what it runs asks for something
			r.put(b, r.row(c, m.id))
		}
	case protocol.StateApproved, protocol.StateDenied, protocol.StateExpired, protocol.StateCancelled:
		for _, p := range r.asked {
			if p.ToolCallID == e.ToolCallID && p.Decision == nil {
				d := &approval.Decision{Approved: e.State == protocol.StateApproved, Reason: e.Reason, By: e.By}
				if !d.Approved {
					d.State = e.State
				}
				r.decided(b, p, d, f.AtMs)
			}
		}
	}
}

// row is the ledger's row of a call as the fold has it.
func (r *rows) row(c *protocol.Call, runID string) agent.Call {
	row := r.ledger[c.ID]
	row.RunID, row.ToolCallID, row.ParentToolCallID, row.ToolName, row.Turn = runID, c.ID, c.ParentToolCallID, c.ToolName, c.Turn
	row.State, row.Proposed, row.Executed = c.State, c.ProposedText(), c.ArgumentsText()
	return row
}

func (r *rows) put(b *agent.Batch, row agent.Call) {
	r.ledger[row.ToolCallID] = row
	b.Calls = append(b.Calls, row)
}

func (r *rows) result(b *agent.Batch, m *mirror, f protocol.Frame, e *protocol.ToolResult) {
	c := m.fold.Call(e.ToolCallID)
	if e.Dropped || c == nil || r.ledger[c.ID].Message != nil {
		return
	}
	if c.ParentToolCallID == "" && !slices.Contains(r.open, c.ID) {
		r.speak(b, &m.fold, m.id, f.AtMs)
	}
	row := r.row(c, m.id)
	row.EndedMs = f.AtMs
	row.Message = &model.Message{
		ID: m.id + "_" + c.ID, Role: model.RoleTool, ToolCallID: c.ID, ToolName: c.ToolName, RunID: m.id, AtMs: f.AtMs,
		Content: contentOf(e), Metadata: metadataOf(c.State, e), Images: shown(b, e.Result),
	}
	r.put(b, row)
	r.answer(b, &m.fold)
}

// answer adds the results of the last message's calls to the history, in the order of the calls, once all are there.
func (r *rows) answer(b *agent.Batch, t *protocol.Transcript) {
	var results []*model.Message
	for _, id := range r.open {
		row, known := r.ledger[id]
		switch {
		case t.Call(id) == nil: // it was dropped
		case !known || row.Message == nil:
			return
		default:
			results = append(results, row.Message)
		}
	}
	b.Messages, r.open = append(b.Messages, results...), nil
}

// contentOf is what a model reads of a result (PROTOCOL.md, What the model reads).
func contentOf(e *protocol.ToolResult) string {
	if e.Error != "" {
		return encode(map[string]string{"error": e.Error})
	}
	var text string
	if json.Unmarshal(e.Result, &text) == nil {
		return text
	}
	return string(e.Result)
}

func metadataOf(state protocol.State, e *protocol.ToolResult) json.RawMessage {
	return json.RawMessage(encode(struct {
		State        protocol.State     `json:"state"`
		Details      json.RawMessage    `json:"details,omitempty"`
		Presentation *tool.Presentation `json:"presentation,omitempty"`
		Error        string             `json:"error,omitempty"`
		ErrorCode    string             `json:"errorCode,omitempty"`
		DurationMs   *int64             `json:"durationMs,omitempty"`
	}{state, e.Details, e.Presentation, e.Error, e.ErrorCode, e.DurationMs}))
}

// encode encodes what was just decoded, or strings.
func encode(v any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return "null"
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func (r *rows) ask(b *agent.Batch, m *mirror, f protocol.Frame, e *protocol.ApprovalRequired) {
	for _, a := range e.Approvals {
		p := &approval.Pending{
			Approval: a, RunID: m.id, ThreadID: m.row.ThreadID, AgentName: m.row.AgentName, SinceMs: f.AtMs, Asked: true,
		}
		if c := m.fold.Call(a.ToolCallID); c != nil && c.AgentName != "" {
			p.AgentName = c.AgentName // one that works inside a call, or was handed over to
		}
		if before := r.asked[a.ApprovalID]; before != nil {
			if before.Decision != nil {
				continue
			}
			p.SinceMs = before.SinceMs
		}
		r.asked[a.ApprovalID] = p
		b.Approvals = append(b.Approvals, p)
	}
}

// decided keeps a decision. The approval that is stored is never changed in place.
func (r *rows) decided(b *agent.Batch, p *approval.Pending, d *approval.Decision, atMs int64) *approval.Pending {
	now := *p
	now.Decision, now.DecidedAtMs = d, atMs
	r.asked[p.ApprovalID] = &now
	b.Approvals = append(b.Approvals, &now)
	return &now
}

// undecided gives up what nobody decided, once the run has ended.
func (r *rows) undecided(b *agent.Batch, m *mirror, f protocol.Frame) {
	if !m.fold.Status.Ended() {
		return
	}
	for _, p := range r.asked {
		if p.Decision == nil {
			r.decided(b, p, &approval.Decision{State: protocol.StateCancelled}, f.AtMs)
		}
	}
}

// leftOpen are the events that close what a log leaves open.
func leftOpen(t *protocol.Transcript) (events []protocol.Event) {
	switch id, kind := t.OpenPart(); {
	case id == "":
	case kind == protocol.ItemReasoning:
		events = append(events, &protocol.ReasoningEnd{ID: id})
	default:
		events = append(events, &protocol.TextEnd{ID: id})
	}
	for _, c := range t.Calls() {
		switch {
		case c.Settled():
		case c.State == protocol.StateInput:
			events = append(events, &protocol.ToolCallEnd{ID: c.ID, Dropped: true},
				&protocol.ToolResult{ID: c.ID + "_end", ToolCallID: c.ID, Dropped: true, Reason: protocol.Incomplete})
		case c.State == protocol.StateProposed:
			events = append(events, &protocol.ToolResult{ID: c.ID + "_end", ToolCallID: c.ID, Dropped: true, Reason: protocol.Discarded})
		default:
			state, why := protocol.StateCancelled, "the run ended before it"
			if c.State == protocol.StateRunning {
				state, why = protocol.StateUnknown, "it was running when the connection to its server ended; how it ended is not known here"
			}
			events = append(events, &protocol.CallState{ToolCallID: c.ID, State: state},
				&protocol.ToolResult{ID: c.ID + "_end", ToolCallID: c.ID, Result: json.RawMessage("null"), Error: why, ErrorCode: agent.CodeRunInterrupted})
		}
	}
	return events
}
