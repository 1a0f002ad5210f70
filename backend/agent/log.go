package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
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

// Frames reads the stored events of a run from its first on. It ends at the first that cannot be read, with an error.
func (r *Runner) Frames(ctx context.Context, runID string) iter.Seq2[protocol.Frame, error] {
	return func(yield func(protocol.Frame, error) bool) {
		err := r.frames(ctx, runID, func(record Record) error {
			f, err := protocol.DecodeFrame(record.Seq, record.JSON)
			if err != nil {
				return fmt.Errorf("read event %d of run %s: %w", record.Seq, runID, err)
			}
			if !yield(f, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(protocol.Frame{}, err)
		}
	}
}

// errEnough ends the reading of a log before its end.
var errEnough = errors.New("enough")

// line is what the log tells of the turns of the run's own agent, or of one that works inside a call.
type line struct {
	turn  int // the last one
	taken int
	tries int // of the last one; 0 when it ended
}

func (l *line) read(e *protocol.Turn) {
	switch e.Phase {
	case protocol.TurnStart:
		l.turn, l.tries = e.Turn, 1
		l.taken++
	case protocol.TurnRetry:
		l.tries++
	case protocol.TurnEnd:
		l.tries = 0
	}
}

// follow goes on where the log ends.
func (x *run) follow(l *line) {
	if l != nil {
		x.turn, x.taken, x.tries = l.turn, l.taken, l.tries
	}
}

// readLog takes from the log what a resumed run has to know of its earlier stretches.
func (x *run) readLog(ctx context.Context) error {
	x.lines, x.workedOn = map[string]*line{}, map[string]time.Duration{}
	var began, before int64
	running := map[string]int64{} // since when, by call
	return x.runner.frames(ctx, x.id, func(record Record) error {
		if !heads.Match(record.JSON) {
			return nil
		}
		f, err := protocol.DecodeFrame(record.Seq, record.JSON)
		if err != nil {
			return err
		}
		switch e := f.Event.(type) {
		case *protocol.ToolCallStart:
			x.ids[e.ID] = true
		case *protocol.Turn:
			if x.lines[e.ParentToolCallID] == nil {
				x.lines[e.ParentToolCallID] = &line{}
			}
			x.lines[e.ParentToolCallID].read(e)
			x.lastTurn = max(x.lastTurn, e.Turn)
		case *protocol.CallState:
			switch e.State {
			case protocol.StateRunning:
				running[e.ToolCallID] = f.AtMs
			case protocol.StateWaiting:
				if since, ran := running[e.ToolCallID]; ran { // the program may have told it long after it stopped
					x.workedOn[e.ToolCallID] += time.Duration(before-since) * time.Millisecond
					delete(running, e.ToolCallID)
				}
			}
		case *protocol.Start:
			if x.beganAs == "" {
				x.beganAs = e.AgentName
			}
			began = f.AtMs
		case *protocol.Finish:
			x.worked += time.Duration(f.AtMs-began) * time.Millisecond
		}
		before = f.AtMs
		return nil
	})
}

// heads are the beginnings of the events readLog reads.
var heads = regexp.MustCompile(`^\{"type":"(tool-call-start|start|finish|turn|call-state)"`)

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

// own is the last turn of the run's own agent; nil when there is none.
func (l *left) own() *protocol.TurnRecord {
	for _, turn := range slices.Backward(l.Turns) {
		if turn.ParentToolCallID == "" {
			return turn
		}
	}
	return nil
}

// speaking reports whether the log ends before the last turn of the run's own agent did.
func (l *left) speaking() bool {
	own := l.own()
	return own == nil || own.EndedMs == 0
}

// said is the text of the turn that did not end.
func (l *left) said() string {
	var text strings.Builder
	for _, item := range l.Items {
		if own := l.own(); item.Kind == protocol.ItemText && own != nil && own.EndedMs == 0 && item.Turn == own.Turn {
			text.WriteString(item.Text())
		}
	}
	return text.String()
}

// closing are the events that close what models had open, of the run's own agent and of those inside calls.
func (l *left) closing(r *Runner) (events []protocol.Event, dropped int) {
	if id, kind := l.OpenPart(); id != "" {
		events = append(events, part{id: id, reasoning: kind == protocol.ItemReasoning}.end(false))
	}
	open := map[int]bool{}
	for _, turn := range l.Turns {
		open[turn.Turn] = turn.EndedMs == 0
	}
	for _, c := range l.Calls() {
		if c.Settled() || !open[c.Turn] {
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
