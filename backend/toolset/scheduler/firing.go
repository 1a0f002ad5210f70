package scheduler

import (
	"fmt"
	"strings"
	"time"
)

// Firing is a message that is due.
type Firing struct {
	Schedule
	Missed   bool // it was due while nobody could send it: the program did not run, or the machine slept
	Waited   bool // its thread could not take it when it was due
	Again    bool // an earlier process may have sent it already: look for MessageID
	Location *time.Location
}

// MessageID is the same for a schedule and a time it is due, in every process.
func (f Firing) MessageID() string { return fmt.Sprintf("msg_%s_%d", f.ID, f.NextMs) }

// Text is the message under a line that says whose it is, and why it comes late if it does.
func (f Firing) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Scheduled message (%s, due %s", f.ID, shown(time.UnixMilli(f.NextMs), f.Location))
	switch {
	case f.Missed:
		b.WriteString("; nothing ran then, so it comes now")
	case f.Waited:
		b.WriteString("; this thread was not free then, so it comes now")
	}
	b.WriteString("):\n\n")
	b.WriteString(f.Message)
	return b.String()
}

// shown is a moment as people read it.
func shown(t time.Time, loc *time.Location) string {
	if loc == nil {
		loc = time.Local
	}
	return t.In(loc).Format("Mon 2 Jan 2006 15:04 MST")
}
