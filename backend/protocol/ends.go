package protocol

import (
	"cmp"
	"slices"
)

func (t *Transcript) finish(f Frame, e *Finish) {
	t.Finish = e
	if e.Usage != nil {
		t.Usage = e.Usage
	}
	t.ThreadID = cmp.Or(e.ThreadID, t.ThreadID)
	status := e.Status
	if status == "" {
		status = StatusCompleted
		if t.asked {
			status = StatusPaused
		}
	}
	if status.Ended() {
		t.end(f, status)
		return
	}
	t.closePart()
	t.Status = status
}

// end settles what an ended run left open: nothing spins after it.
func (t *Transcript) end(f Frame, status Status) {
	t.closePart()
	for _, id := range slices.Clone(t.earlyIDs) {
		c := t.addCall(t.early[id][0], id, "", "")
		c.Orphan = true
		t.applyEarly(c)
	}
	t.Status = status
	t.EndedMs = f.AtMs
	for _, c := range t.Calls() {
		if !c.settled {
			t.settle(f, c)
		}
	}
	t.Items = slices.DeleteFunc(t.Items, func(i *Item) bool { return i.Call != nil && i.Call.State == StateDropped })
}

// settle leaves the items of calls it drops to its caller.
func (t *Transcript) settle(f Frame, c *Call) {
	switch c.State {
	case StateInput:
		t.drop(f, c, Incomplete)
		return
	case StateProposed:
		t.drop(f, c, Discarded)
		return
	case StateRunning:
		c.State = StateUnknown
	case StateWaiting, StateApproved:
		c.State = StateCancelled
	default:
		return
	}
	c.Reason = cmp.Or(c.Reason, endedBefore)
	c.EndedMs = f.AtMs
}

// takeBack takes what is left of a try that failed. A well-behaved server has taken back everything before it says so; of another
// one the rest goes here.
func (t *Transcript) takeBack(f Frame, turn int) {
	t.closePart()
	first := len(t.Items)
	for first > 0 && turnOf(t.Items[first-1]) == turn {
		first--
	}
	tail := slices.Clone(t.Items[first:])
	t.Items = slices.Delete(t.Items, first, len(t.Items))
	for _, item := range tail {
		switch c := item.Call; {
		case c == nil:
			t.DroppedParts = append(t.DroppedParts, item)
		case c.State == StateInput || c.State == StateProposed:
			t.drop(f, c, Incomplete)
		default:
			t.Items = append(t.Items, item)
		}
	}
}

// takeBackInside does the same for an agent that works inside a call. It shows no parts.
func (t *Transcript) takeBackInside(f Frame, parentID string, turn int) {
	parent := t.calls[parentID]
	if parent == nil {
		return
	}
	for _, id := range slices.Clone(parent.Children) {
		if c := t.calls[id]; c != nil && c.Turn == turn && (c.State == StateInput || c.State == StateProposed) {
			t.removeCall(f, c, Incomplete)
		}
	}
}

func turnOf(item *Item) int {
	switch {
	case item.Kind == ItemMessage:
		return -1
	case item.Call != nil:
		return item.Call.Turn
	default:
		return item.Turn
	}
}
