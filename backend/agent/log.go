package agent

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"callboard/backend/protocol"
)

// logPage is how many events are read at a time.
const logPage = 4096

// frames reads a run's log in pages.
func (r *Runner) frames(ctx context.Context, runID string, visit func(Record) error) error {
	for after := int64(0); ; {
		records, err := r.store().Events(ctx, runID, after, logPage)
		if err != nil {
			return fmt.Errorf("read the events of run %s: %w", runID, err)
		}
		for _, record := range records {
			if err := visit(record); err != nil {
				return err
			}
			after = record.Seq
		}
		if len(records) < logPage {
			return nil
		}
	}
}

// readLog takes from the log what a resumed run has to know of its earlier stretches.
func (x *run) readLog(ctx context.Context) error {
	var began int64
	return x.runner.frames(ctx, x.id, func(record Record) error {
		var interesting bool
		for _, head := range [][]byte{[]byte(`{"type":"tool-call-start"`), []byte(`{"type":"start"`), []byte(`{"type":"finish"`)} {
			interesting = interesting || bytes.HasPrefix(record.JSON, head)
		}
		if !interesting {
			return nil
		}
		f, err := protocol.DecodeFrame(record.Seq, record.JSON)
		if err != nil {
			return err
		}
		switch e := f.Event.(type) {
		case *protocol.ToolCallStart:
			x.ids[e.ID] = true
		case *protocol.Start:
			began = f.AtMs
		case *protocol.Finish:
			x.worked += time.Duration(f.AtMs-began) * time.Millisecond
		}
		return nil
	})
}

// open is what a log ends in the middle of.
type open struct {
	turn     int  // the last that began
	speaking bool // its model had not come to an end
	part     *part
	text     strings.Builder // what the turn that did not end had said
	calls    []string        // announced in it, in order
	ended    map[string]bool
}

// readOpen reads what a run that did not come to its end left open.
func (r *Runner) readOpen(ctx context.Context, runID string) (*open, error) {
	o := &open{ended: map[string]bool{}}
	err := r.frames(ctx, runID, func(record Record) error {
		f, err := protocol.DecodeFrame(record.Seq, record.JSON)
		if err != nil {
			return err
		}
		switch e := f.Event.(type) {
		case *protocol.Turn:
			o.turn, o.speaking, o.part, o.calls = e.Turn, e.Phase != protocol.TurnEnd, nil, nil
			o.text.Reset()
			clear(o.ended)
		case *protocol.TextStart:
			o.part = &part{id: e.ID}
		case *protocol.TextDelta:
			o.text.WriteString(e.Delta)
		case *protocol.ReasoningStart:
			o.part = &part{id: e.ID, reasoning: true}
		case *protocol.TextEnd, *protocol.ReasoningEnd:
			o.part = nil
		case *protocol.ToolCallStart:
			o.calls = append(o.calls, e.ID)
		case *protocol.ToolCallEnd:
			o.ended[e.ID] = true
		case *protocol.Finish, *protocol.Error:
			o.speaking = false
		}
		return nil
	})
	if !o.speaking {
		o.calls = nil
		o.text.Reset()
	}
	return o, err
}

// closing are the events that close what is open.
func (o *open) closing(r *Runner) []protocol.Event {
	var events []protocol.Event
	if o.part != nil {
		events = append(events, o.part.end(false))
	}
	for _, id := range o.calls {
		reason := protocol.Discarded
		if !o.ended[id] {
			reason = protocol.Incomplete
			events = append(events, &protocol.ToolCallEnd{ID: id, Dropped: true})
		}
		events = append(events, &protocol.ToolResult{ID: r.newID("res"), ToolCallID: id, Dropped: true, Reason: reason})
	}
	return events
}
