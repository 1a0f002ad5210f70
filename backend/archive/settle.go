package archive

import (
	"context"
	"fmt"
	"iter"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Interrupted is why a run ended that was not over when its thread was exported.
const Interrupted = "The thread was exported while this was not over, and an import runs nothing. Send a message to go on."

// Settle returns what ends the runs of a thread that are not over, so that nothing of an imported one can run or be approved: what
// waits is cancelled, a run that was at work has failed. It is to be stored after the lines, in the same transaction.
func Settle(ctx context.Context, lines iter.Seq2[Line, error]) ([]*agent.Batch, error) {
	s := &settling{}
	for line, err := range lines {
		if err == nil {
			err = s.take(ctx, line)
		}
		if err != nil {
			return nil, err
		}
	}
	if !s.unfinished {
		return nil, nil
	}
	if err := s.append(ctx, &agent.Batch{Run: agent.Run{ThreadID: s.threadID}, Messages: s.messages}); err != nil {
		return nil, err
	}
	s.recording = true
	if err := (&agent.Runner{Store: s}).Interrupt(ctx, s.threadID, Interrupted); err != nil {
		return nil, fmt.Errorf("end what was not over: %w", err)
	}
	return s.ends, nil
}

// settling is a store of the runs that are not over, and of the thread's history.
type settling struct {
	agent.Memory
	threadID   string
	run        agent.Run // the one whose lines come; empty while it is over
	unfinished bool
	messages   []*model.Message
	results    map[string]*model.Message // by run and call

	recording bool
	ends      []*agent.Batch
}

// Append keeps a batch, and remembers what the runner appends.
func (s *settling) Append(ctx context.Context, b *agent.Batch) error {
	if s.recording {
		s.ends = append(s.ends, b)
	}
	return s.Memory.Append(ctx, b)
}

func (s *settling) take(ctx context.Context, line Line) error {
	switch l := line.(type) {
	case *Head:
		s.threadID, s.results = l.Thread.ID, map[string]*model.Message{}
	case *Run:
		if s.run = (agent.Run{}); !l.Status.Ended() {
			s.run, s.unfinished = l.Row(s.threadID), true
			return s.append(ctx, &agent.Batch{Run: s.run})
		}
	case *Call:
		row := l.Row(s.run.ID)
		if row.Message != nil {
			row.Message = bare(row.Message)
			s.results[row.Message.RunID+" "+row.ToolCallID] = row.Message
		}
		return s.append(ctx, &agent.Batch{Run: s.run, Calls: []agent.Call{row}})
	case *Approval:
		p := l.Row(s.run.ID, s.threadID)
		batch := &agent.Batch{Run: s.run}
		batch.Approvals = append(batch.Approvals, p)
		return s.append(ctx, batch)
	case *Child:
		row := l.Row()
		row.Message = bare(row.Message)
		return s.append(ctx, &agent.Batch{Run: s.run, Children: []agent.ChildMessage{row}})
	case *Event:
		if s.run.ID == "" {
			return nil
		}
		f, err := protocol.DecodeFrame(l.Seq, l.JSON)
		if err != nil {
			return fmt.Errorf("%w: run %s is not over, and its event %d cannot be read: %w", ErrDamaged, s.run.ID, l.Seq, err)
		}
		return s.append(ctx, &agent.Batch{Run: s.run, Frames: []protocol.Frame{f}})
	case *History:
		if l.Message != nil {
			s.messages = append(s.messages, bare(l.Message.Row()))
		} else {
			s.messages = append(s.messages, s.results[l.RunID+" "+l.ToolCallID])
		}
	}
	return nil
}

// append keeps a batch of a run that is not over, or of the history.
func (s *settling) append(ctx context.Context, b *agent.Batch) error {
	if b.Run.ThreadID == "" {
		return nil // of a run that is over
	}
	return s.Memory.Append(ctx, b)
}

// bare is a message without its images, which nothing here looks at.
func bare(m *model.Message) *model.Message {
	c := *m
	c.Images = nil
	return &c
}
