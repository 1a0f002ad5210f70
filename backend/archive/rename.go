package archive

import (
	"crypto/rand"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"callboard/backend/protocol"
)

// Names are the ids a file brings that a store has once for all threads.
type Names struct {
	ThreadID  string
	Runs      map[string]bool
	Approvals map[string]bool // those events name, too
	// Unfinished says that a run is not over.
	Unfinished bool
}

// telling is what the events have that tell ids.
var telling = regexp.MustCompile(`"(?:start|finish|approval-required|call-state)"`)

// NamesOf reads a file to its end and returns its head and its names.
func NamesOf(lines iter.Seq2[Line, error]) (*Head, *Names, error) {
	var head *Head
	names := &Names{Runs: map[string]bool{}, Approvals: map[string]bool{}}
	for line, err := range lines {
		if err != nil {
			return nil, nil, err
		}
		switch l := line.(type) {
		case *Head:
			head, names.ThreadID = l, l.Thread.ID
		case *Run:
			names.Runs[l.ID] = true
			names.Unfinished = names.Unfinished || !l.Status.Ended()
		case *Approval:
			names.Approvals[l.ApprovalID] = true
		case *Event:
			names.event(l)
		}
	}
	return head, names, nil
}

func (n *Names) event(l *Event) {
	if !telling.Match(l.JSON) {
		return
	}
	f, err := protocol.DecodeFrame(l.Seq, l.JSON)
	if err != nil {
		return // what is no event names nothing
	}
	switch e := f.Event.(type) {
	case *protocol.CallState:
		n.Approvals[e.ApprovalID] = true
	case *protocol.ApprovalRequired:
		for _, a := range e.Approvals {
			n.Approvals[a.ApprovalID] = true
		}
	}
	delete(n.Approvals, "")
}

// Renaming gives a thread, its runs and approvals other ids, the same each time it is asked.
type Renaming struct {
	threadID  string
	runs      map[string]string
	approvals map[string]string
}

// Rename makes new ids for all names of a file. threadID is the thread's.
func (n *Names) Rename(threadID string) *Renaming {
	r := &Renaming{threadID: threadID, runs: map[string]string{}, approvals: map[string]string{}}
	for old := range n.Runs {
		r.runs[old] = freshID("run")
	}
	for old := range n.Approvals {
		r.approvals[old] = freshID("apr")
	}
	return r
}

func freshID(prefix string) string { return prefix + "_" + strings.ToLower(rand.Text()) }

// Lines are the lines with the new ids. Messages whose ids begin with that of their run follow it; the events that tell ids are
// written anew, all others stay byte for byte.
func (r *Renaming) Lines(lines iter.Seq2[Line, error]) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		runID := ""
		for line, err := range lines {
			if err == nil {
				err = r.line(line, &runID)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// line renames in a line, which nobody else has.
func (r *Renaming) line(line Line, runID *string) error {
	switch l := line.(type) {
	case *Head:
		l.Thread.ID = r.threadID
	case *Run:
		l.ID = r.runs[l.ID]
		*runID = l.ID
	case *Call:
		if l.Message != nil {
			r.message(l.Message)
		}
	case *Approval:
		l.ApprovalID = r.approvals[l.ApprovalID]
	case *Child:
		r.message(&l.Message)
	case *Event:
		return r.event(l, *runID)
	case *History:
		if l.Message != nil {
			r.message(l.Message)
		} else {
			l.RunID = r.runs[l.RunID]
		}
	}
	return nil
}

func (r *Renaming) message(m *Message) {
	fresh := r.runs[m.RunID]
	if fresh == "" {
		return
	}
	if rest, ofRun := strings.CutPrefix(m.ID, m.RunID); ofRun {
		m.ID = fresh + rest
	}
	m.RunID = fresh
}

func (r *Renaming) event(l *Event, runID string) error {
	if !telling.Match(l.JSON) {
		return nil
	}
	f, err := protocol.DecodeFrame(l.Seq, l.JSON)
	if err != nil || !protocol.Rename(f.Event, r.threadID, runID, func(old string) string { return r.approvals[old] }) {
		return nil //nolint:nilerr // what is no event tells no ids
	}
	text, err := f.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("event %d: %w", l.Seq, err)
	}
	l.JSON = text
	return nil
}
