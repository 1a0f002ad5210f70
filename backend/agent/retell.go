package agent

import (
	"time"
	"unicode/utf8"

	"callboard/backend/protocol"
)

// What an agent that works inside a call says is progress of that call: the last of it, from time to time, so that the log grows
// with the time it takes and not with the square of the text.
const (
	retellEvery  = 100 * time.Millisecond
	retellLength = 2000 // characters
)

// retell tells what the agent says, if there is something new and it is time, or it is said to the end.
func (a *answer) retell(whole bool) {
	if a.parent == nil || a.silent() || a.text.Len() == a.retold {
		return
	}
	now := a.runner.now()
	if !whole && a.runner.mergeWindow() > 0 && now.Sub(a.retoldAt) < retellEvery {
		return
	}
	a.retoldAt, a.retold = now, a.text.Len()
	content, _ := encode(lastOf(a.text.String(), retellLength)) // no string fails
	a.sink.emit(&protocol.ToolUpdate{ToolCallID: a.parent.id, Content: content})
}

// lastOf is the end of a text, with a mark where something is left out.
func lastOf(s string, limit int) string {
	start := len(s)
	for range limit {
		if start == 0 {
			return s
		}
		_, size := utf8.DecodeLastRuneInString(s[:start])
		start -= size
	}
	if start == 0 {
		return s
	}
	return "…" + s[start:]
}
