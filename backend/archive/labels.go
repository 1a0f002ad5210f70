package archive

import (
	"iter"
	"regexp"

	"callboard/backend/protocol"
)

// presenting is what the events have that name a call.
var presenting = regexp.MustCompile(`"(?:tool-call-start|presentation)"`)

// Labels are what the calls of a thread are called for people, by run and call: their labels, or their tools' names. images counts the
// images of the thread.
func Labels(lines iter.Seq2[Line, error]) (labels map[Place]string, images int, err error) {
	labels = map[Place]string{}
	runID := ""
	for line, err := range lines {
		if err != nil {
			return nil, 0, err
		}
		switch l := line.(type) {
		case *Blob:
			images++
		case *Run:
			runID = l.ID
		case *Event:
			if !presenting.Match(l.JSON) {
				continue
			}
			f, err := protocol.DecodeFrame(l.Seq, l.JSON)
			if err != nil {
				continue // what is no event shows nothing
			}
			at := Place{RunID: runID}
			switch e := f.Event.(type) {
			case *protocol.ToolCallStart:
				at.ToolCallID = e.ID
				labels[at] = e.ToolName
				if e.Presentation != nil && e.Presentation.Label != "" {
					labels[at] = e.Presentation.Label
				}
			case *protocol.ToolUpdate:
				if e.Presentation != nil && e.Presentation.Label != "" {
					at.ToolCallID = e.ToolCallID
					labels[at] = e.Presentation.Label
				}
			}
		}
	}
	return labels, images, nil
}
