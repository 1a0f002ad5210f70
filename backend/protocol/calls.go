package protocol

import (
	"cmp"
	"slices"
)

func (t *Transcript) callStart(f Frame, e *ToolCallStart) {
	if t.calls[e.ID] != nil {
		return
	}
	delete(t.gone, e.ID)
	c := t.addCall(f, e.ID, e.ToolName, e.ParentToolCallID)
	c.Presentation = e.Presentation
	c.ProviderCallID = e.ProviderCallID
	t.pieceCame(f, c.Turn)
	t.applyEarly(c)
}

func (t *Transcript) addCall(f Frame, id, toolName, parentID string) *Call {
	if parentID == "" {
		t.closePart()
	}
	turn, inside := t.inside[parentID]
	if !inside {
		turn = t.turn
	}
	c := &Call{
		ID:               id,
		ToolName:         toolName,
		ParentToolCallID: parentID,
		Turn:             turn,
		AgentName:        t.AgentName,
		State:            StateInput,
		StartedMs:        f.AtMs,
		writing:          true,
	}
	if record := t.turns[turn]; record != nil {
		c.AgentName = cmp.Or(record.AgentName, t.AgentName)
	}
	t.calls[id] = c
	t.Items = append(t.Items, &Item{Kind: ItemCall, Key: t.key(ItemCall, id), ID: id, Call: c})
	if parent := t.calls[parentID]; parent != nil && parentID != id {
		parent.Children = append(parent.Children, id)
	}
	return c
}

func (t *Transcript) applyEarly(c *Call) {
	early := t.early[c.ID]
	if early == nil {
		return
	}
	delete(t.early, c.ID)
	t.earlyIDs = slices.DeleteFunc(t.earlyIDs, func(id string) bool { return id == c.ID })
	for _, f := range early {
		t.forCall(f, c.ID)
	}
}

// forCall gives an event to the call it names: one not announced yet finds it waiting when it is, one that is gone leaves it
// unshown.
func (t *Transcript) forCall(f Frame, id string) {
	if c := t.calls[id]; c != nil {
		if !t.callEvent(f, c) {
			t.Late = append(t.Late, f)
		}
		return
	}
	gone := t.gone[id]
	if gone == nil {
		if t.early[id] == nil {
			t.earlyIDs = append(t.earlyIDs, id)
		}
		t.early[id] = append(t.early[id], f)
		return
	}
	if e, ok := f.Event.(*ToolResult); ok && e.Dropped {
		gone.DropReason = cmp.Or(e.Reason, gone.DropReason)
		return
	}
	t.Late = append(t.Late, f)
}

// callEvent reports false for what comes too late to be shown.
func (t *Transcript) callEvent(f Frame, c *Call) bool {
	switch e := f.Event.(type) {
	case *ToolCallDelta:
		if !c.writing {
			return false
		}
		c.proposed.WriteString(e.ArgsTextDelta)
		return true
	case *ToolCallEnd:
		if !c.writing {
			return false
		}
		c.writing = false
		switch {
		case e.Dropped && !c.settled:
			t.removeCall(f, c, Incomplete)
		case c.State == StateInput:
			c.State = StateProposed
		}
		return true
	case *ToolUpdate:
		if c.settled || c.State == StateCancelled {
			return false
		}
		c.update(e)
		return true
	case *CallState:
		if c.settled {
			return false
		}
		c.enter(f, e)
		return true
	case *ToolResult:
		if c.settled {
			return false
		}
		if e.Dropped {
			t.removeCall(f, c, cmp.Or(e.Reason, Discarded))
		} else {
			c.result(f, e)
		}
		return true
	default:
		return false
	}
}

func (t *Transcript) removeCall(f Frame, c *Call, reason DropReason) {
	t.remove(func(i *Item) bool { return i.Call == c })
	t.drop(f, c, reason)
}

func (t *Transcript) drop(f Frame, c *Call, reason DropReason) {
	c.State = StateDropped
	c.DropReason = reason
	c.EndedMs = f.AtMs
	delete(t.calls, c.ID)
	t.gone[c.ID] = c
	t.Dropped = append(t.Dropped, c)
	if record := t.turns[c.Turn]; record != nil {
		record.Dropped++
	}
	if parent := t.calls[c.ParentToolCallID]; parent != nil {
		parent.Children = slices.DeleteFunc(parent.Children, func(id string) bool { return id == c.ID })
	}
}

func (c *Call) update(e *ToolUpdate) {
	if e.Presentation != nil {
		c.Presentation = e.Presentation
	}
	if text := e.ArgumentsText; text != nil {
		c.Replaced = text
	} else if e.Arguments != nil {
		raw := string(e.Arguments)
		c.Replaced = &raw
	}
	if e.Content != nil || e.Details != nil || e.ContentRef != nil || e.DetailsRef != nil {
		c.Update = &Progress{e.Content, e.Details, e.ContentRef, e.DetailsRef}
		c.UpdateCount++
	}
}

func (c *Call) enter(f Frame, e *CallState) {
	c.State = e.State
	switch e.State {
	case StateWaiting:
		c.WaitingMs, c.DecidedMs, c.By, c.Reason = f.AtMs, 0, "", ""
	case StateApproved, StateDenied, StateExpired:
		c.DecidedMs = f.AtMs
	case StateRunning:
		c.RunningMs = f.AtMs
		if c.WaitingMs > 0 { // what waited for a call in it was never decided itself
			c.DecidedMs = cmp.Or(c.DecidedMs, f.AtMs)
		}
	default:
	}
	c.By = cmp.Or(e.By, c.By)
	c.Reason = cmp.Or(e.Reason, c.Reason)
	c.ApprovalID = cmp.Or(e.ApprovalID, c.ApprovalID)
	c.ArgumentsHash = cmp.Or(e.ArgumentsHash, c.ArgumentsHash)
}

func (c *Call) result(f Frame, e *ToolResult) {
	c.settled = true
	c.Result = e.Result
	c.Details = e.Details
	c.ResultRef, c.DetailsRef = e.ResultRef, e.DetailsRef
	if e.Presentation != nil {
		c.Presentation = e.Presentation
	}
	c.Error = e.Error
	c.ErrorCode = e.ErrorCode
	c.DurationMs = e.DurationMs
	c.EndedMs = f.AtMs
	switch c.State {
	case StateDenied, StateExpired, StateCancelled:
		// It has a result too, for the model.
	case StateUnknown:
		if e.Error == "" {
			c.State = StateDone
		}
	default:
		c.State = StateDone
		if e.Error != "" {
			c.State = StateFailed
		}
	}
}

func (t *Transcript) approvalRequired(f Frame, e *ApprovalRequired) {
	t.closePart()
	t.asked = true
	for i := range e.Approvals {
		approval := &e.Approvals[i]
		t.keepApproval(approval)
		c := t.calls[approval.ToolCallID]
		if c == nil {
			delete(t.gone, approval.ToolCallID)
			c = t.addCall(f, approval.ToolCallID, approval.ToolName, approval.ParentToolCallID)
			c.proposed.WriteString(approval.ArgumentsText)
			t.applyEarly(c)
		}
		if c.settled || c.State == StateDropped {
			continue
		}
		switch approval.ArgumentsText {
		case "":
		case c.ProposedText():
			c.Replaced = nil
		default:
			c.Replaced = &approval.ArgumentsText
		}
		c.writing = false
		c.State = StateWaiting
		if approval.Kind == KindUnknown {
			c.State = StateUnknown
		}
		c.WaitingMs = cmp.Or(c.WaitingMs, f.AtMs)
		c.Approval = approval
		c.ApprovalID = approval.ApprovalID
		c.ArgumentsHash = cmp.Or(approval.ArgumentsHash, c.ArgumentsHash)
		if approval.Presentation != nil {
			c.Presentation = approval.Presentation
		}
	}
}

func (t *Transcript) keepApproval(approval *Approval) {
	if at, known := t.approvals[approval.ApprovalID]; known {
		t.Approvals[at] = approval
		return
	}
	t.approvals[approval.ApprovalID] = len(t.Approvals)
	t.Approvals = append(t.Approvals, approval)
}
