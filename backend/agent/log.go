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

// readLeft folds what is stored of a run that did not come to its end.
func (r *Runner) readLeft(ctx context.Context, runID string) (*left, error) {
	l := &left{}
	err := r.frames(ctx, runID, func(record Record) error {
		f, err := protocol.DecodeFrame(record.Seq, record.JSON)
		if err != nil {
			return err
		}
		l.Apply(f)
		return nil
	})
	return l, err
}

// left is a log that ends in the middle.
type left struct{ protocol.Transcript }

// speaking reports whether the log ends before its last turn did.
func (l *left) speaking() bool {
	return len(l.Turns) == 0 || l.Turns[len(l.Turns)-1].EndedMs == 0
}

// said is the text of the turn that did not end.
func (l *left) said() string {
	var text strings.Builder
	for _, item := range l.Items {
		if item.Kind == protocol.ItemText && l.speaking() && len(l.Turns) > 0 && item.Turn == l.Turns[len(l.Turns)-1].Turn {
			text.WriteString(item.Text())
		}
	}
	return text.String()
}

// closing are the events that close what the model had open.
func (l *left) closing(r *Runner) (events []protocol.Event, dropped int) {
	if id, kind := l.OpenPart(); id != "" {
		events = append(events, part{id: id, reasoning: kind == protocol.ItemReasoning}.end(false))
	}
	if !l.speaking() {
		return events, 0
	}
	for _, c := range l.Calls() {
		if c.Settled() || c.Turn != l.Turns[len(l.Turns)-1].Turn {
			continue
		}
		reason := protocol.Discarded
		if c.State == protocol.StateInput {
			reason = protocol.Incomplete
			events = append(events, &protocol.ToolCallEnd{ID: c.ID, Dropped: true})
		}
		events = append(events, &protocol.ToolResult{ID: r.newID("res"), ToolCallID: c.ID, Dropped: true, Reason: reason})
		dropped++
	}
	return events, dropped
}
