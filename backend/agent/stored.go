package agent

import (
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// openCalls returns the calls of the last turn of a run's own agent, with what the ledger and the approvals know of them, while
// they have not all joined the history, and the id of their message.
func openCalls(st *RunState, messages []*model.Message) (calls []*call, messageID string) {
	for _, m := range messages {
		switch {
		case m.RunID != st.ID:
		case m.Role == model.RoleAssistant:
			calls, messageID = callsOf(st, m, ""), m.ID
		case m.Role == model.RoleTool:
			calls = nil
		}
	}
	if len(calls) == 0 {
		return nil, ""
	}
	return calls, messageID
}

// callsInside are the last calls of an agent that works inside a call.
func callsInside(st *RunState, toolCallID string) (calls []*call) {
	for _, m := range st.Children {
		if m.ParentToolCallID == toolCallID {
			calls = callsOf(st, m.Message, toolCallID)
		}
	}
	return calls
}

func callsOf(st *RunState, m *model.Message, parentID string) []*call {
	calls := make([]*call, len(m.ToolCalls))
	for i, made := range m.ToolCalls {
		c := &call{
			id: made.ID, providerID: made.ProviderID, parentID: parentID, name: made.Name, turn: turnOf(st.ID, m.ID),
			args: []byte(made.Arguments), announced: true, ended: true, arguments: made.Arguments, extra: made.Extra,
		}
		for k := range st.Calls {
			if st.Calls[k].ToolCallID == c.id {
				c.record = &st.Calls[k]
				c.args, c.arguments = []byte(st.Calls[k].Proposed), st.Calls[k].Executed
			}
		}
		for _, p := range st.Approvals {
			if p.ToolCallID == c.id {
				c.asked = p
				if p.Decision != nil && p.Decision.ArgumentsText != nil {
					c.arguments, c.edited = *p.Decision.ArgumentsText, true
				}
			}
		}
		if !c.over() {
			c.queued = callsInside(st, c.id)
		}
		calls[i] = c
	}
	return calls
}

// unfolded are calls that have no result, each after those inside it.
func unfolded(calls []*call) (all []*call) {
	for _, c := range calls {
		if !c.over() {
			all = append(append(all, unfolded(c.queued)...), c)
		}
	}
	return all
}

func callMessages(calls []*call) []*model.Message {
	messages := make([]*model.Message, len(calls))
	for i, c := range calls {
		messages[i] = c.record.Message
	}
	return messages
}

// ending gathers what ends calls of a run that is not live.
type ending struct {
	events  []protocol.Event
	rows    []Call
	decided []*approval.Pending
}

func (e *ending) into(b *Batch) { b.Calls, b.Approvals = e.rows, e.decided }

// give gives a call its result.
func (e *ending) give(r *Runner, runID string, c *call, err error, state protocol.State) {
	told, row := answerCall(r, runID, c, nil, err, state, tool.NoLimit)
	c.record = &row
	e.events, e.rows = append(e.events, told...), append(e.rows, row)
}

// stop ends calls, each after those inside it: what waits becomes state (denied or cancelled), what was queued is cancelled.
func (e *ending) stop(r *Runner, runID string, calls []*call, state protocol.State, reason string) {
	for _, c := range unfolded(calls) {
		end, why := protocol.StateCancelled, ""
		if c.asked != nil && c.asked.Decision == nil {
			end, why = state, reason
			p := *c.asked
			p.Decision, p.DecidedAtMs = &approval.Decision{State: state, Reason: reason}, r.now().UnixMilli()
			e.decided = append(e.decided, &p)
			if state == protocol.StateDenied {
				e.events = append(e.events, &protocol.CallState{ToolCallID: c.id, State: state, Reason: reason, ApprovalID: p.ApprovalID})
			}
		} else if c.asked != nil && !c.asked.Decision.Approved {
			end, why = protocol.StateDenied, c.asked.Decision.Reason
		}
		e.give(r, runID, c, refusal(end, why), end)
	}
}
