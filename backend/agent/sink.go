package agent

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

// linger is how long an event may wait for others to be stored with it: a commit costs far more than an event. A caller that needs
// to know does not wait for it.
const linger = time.Millisecond

// defaultMergeWindow is one frame of a screen (PROTOCOL.md, Framing).
const defaultMergeWindow = 16 * time.Millisecond

// sink is the way of a run's events into the log: it numbers them, stores them in groups, and only then tells of them. Events
// are queued by any goroutine and written by one; commit waits for what was queued so far.
type sink struct {
	store    Store
	now      func() time.Time
	window   time.Duration
	announce func([]protocol.Frame, Run)
	ended    func()      // called when the stretch's end is stored, before it is told
	failed   func(error) // called once, when a batch could not be stored

	mu      sync.Mutex
	run     Run // as it will be once everything queued is stored
	queue   *Batch
	spare   *Batch
	delta   []byte // grows the text of the last queued frame while that may be merged
	merging bool   // the last queued frame takes more text
	flushed time.Time
	due     time.Time // when what is queued has to be written
	urgent  bool      // somebody waits for it
	stored  int64
	err     error
	closed  bool

	changed *sync.Cond    // stored, err or closed changed
	wake    chan struct{} // holds one value while the writer has work
	done    chan struct{}
}

func newSink(store Store, run Run, window time.Duration, now func() time.Time) *sink {
	s := &sink{
		store: store, run: run, window: window, now: now, stored: run.Last,
		queue: &Batch{}, spare: &Batch{}, wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// emit queues events.
func (s *sink) emit(events ...protocol.Event) { s.write(nil, events...) }

// write queues events together with rows: what fill adds to the batch is stored in the same transaction.
func (s *sink) write(fill func(b *Batch, run *Run), events ...protocol.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.closed {
		return
	}
	if len(events) == 0 {
		fill(s.queue, &s.run)
		return
	}
	if len(s.queue.Frames) == 0 {
		s.due = time.Now().Add(linger)
		if next := s.flushed.Add(s.window); next.After(s.due) {
			s.due = next
		}
		s.signal()
	}
	at := s.now().UnixMilli()
	for _, event := range events {
		if s.merge(event) {
			continue
		}
		s.endMerge()
		s.run.Last++
		s.queue.Frames = append(s.queue.Frames, protocol.Frame{Seq: s.run.Last, AtMs: at, Event: event})
		switch text := protocol.Piece(event); {
		case s.window <= 0:
			s.hurry()
		case text != nil:
			s.merging = true
			s.delta = append(s.delta[:0], *text...)
		case progressOf(event) == nil:
			s.hurry()
		}
	}
	s.run.UpdatedAtMs = at
	if fill != nil {
		fill(s.queue, &s.run)
	}
}

// hurry ends the gathering of deltas and of progress.
func (s *sink) hurry() {
	if soon := time.Now().Add(linger); soon.Before(s.due) {
		s.due = soon
		s.signal()
	}
}

// merge adds a delta to the last queued frame when that is a delta of the same part or call, and puts progress in the place of that
// which is queued.
func (s *sink) merge(event protocol.Event) bool {
	if u := progressOf(event); u != nil {
		return s.window > 0 && s.mergeProgress(u)
	}
	text := protocol.Piece(event)
	if !s.merging || text == nil {
		return false
	}
	last := s.queue.Frames[len(s.queue.Frames)-1].Event
	if last.Type() != event.Type() || deltaID(last) != deltaID(event) {
		return false
	}
	s.delta = append(s.delta, *text...)
	return true
}

// mergeProgress puts progress of a call in the place of what is queued of it, when only progress of other calls came after that. What
// it leaves out stays, as it does for those who read both (PROTOCOL.md, Events).
func (s *sink) mergeProgress(u *protocol.ToolUpdate) bool {
	for i := range slices.Backward(s.queue.Frames) {
		queued := progressOf(s.queue.Frames[i].Event)
		if queued == nil {
			return false
		}
		if queued.ToolCallID != u.ToolCallID {
			continue
		}
		merged := *u
		if merged.Presentation == nil {
			merged.Presentation = queued.Presentation
		}
		if merged.Content == nil && merged.Details == nil {
			merged.Content, merged.Details = queued.Content, queued.Details
		}
		s.queue.Frames[i].Event = &merged
		return true
	}
	return false
}

// progressOf is an event that tells of a call's progress, nil for any other, one that replaces a call's arguments too.
func progressOf(event protocol.Event) *protocol.ToolUpdate {
	u, ok := event.(*protocol.ToolUpdate)
	if !ok || u.Arguments != nil || u.ArgumentsText != nil {
		return nil
	}
	return u
}

// endMerge gives the last queued frame the text that was gathered for it.
func (s *sink) endMerge() {
	if !s.merging {
		return
	}
	s.merging = false
	*protocol.Piece(s.queue.Frames[len(s.queue.Frames)-1].Event) = string(s.delta)
}

func (s *sink) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// commit waits until everything queued so far is stored and told, and returns the error that stopped the log, if one did.
func (s *sink) commit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.urgent = true
	s.signal()
	for last := s.run.Last; s.err == nil && s.stored < last; {
		s.changed.Wait()
	}
	return s.err
}

// failure is the error that stopped the log, if one did.
func (s *sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// close stores what is queued and ends the writer.
func (s *sink) close() error {
	err := s.commit()
	s.mu.Lock()
	s.closed = true
	s.signal()
	s.mu.Unlock()
	<-s.done
	return err
}

// row is the run as it is once everything queued is stored.
func (s *sink) row() Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// loop writes until close. It is the one goroutine that stores and tells.
func (s *sink) loop() {
	defer close(s.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		<-s.wake
		for {
			batch, wait, closed := s.take()
			if batch == nil && wait == 0 {
				if closed {
					return
				}
				break
			}
			if batch == nil {
				timer.Reset(wait)
				select {
				case <-timer.C:
				case <-s.wake:
				}
				continue
			}
			s.put(batch)
		}
	}
}

// take returns the queued batch, or how long what is in it may still gather.
func (s *sink) take() (batch *Batch, wait time.Duration, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue.Frames) == 0 {
		return nil, 0, s.closed
	}
	if !s.urgent && !s.closed {
		if wait = time.Until(s.due); wait > 0 {
			return nil, wait, false
		}
	}
	s.endMerge()
	batch, s.queue, s.spare = s.queue, s.spare, nil
	batch.Run = s.run
	s.urgent = false
	s.flushed = time.Now()
	return batch, 0, false
}

func (s *sink) put(batch *Batch) {
	// A run that is cancelled still has its end to tell.
	err := s.store.Append(context.Background(), batch)
	if err == nil {
		if batch.Run.Status != protocol.StatusRunning {
			s.ended()
		}
		s.announce(batch.Frames, batch.Run)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.err = err
		s.queue = &Batch{}
		s.merging = false
		s.changed.Broadcast()
		s.failed(err)
		return
	}
	s.stored = batch.Frames[len(batch.Frames)-1].Seq
	clear(batch.Frames)
	*batch = Batch{
		Frames: batch.Frames[:0], Messages: batch.Messages[:0], Children: batch.Children[:0], Calls: batch.Calls[:0],
		Approvals: batch.Approvals[:0], Requests: batch.Requests[:0],
	}
	s.spare = batch
	s.changed.Broadcast()
}

// received adds bytes of a provider to the queued rows of their request; they are stored with the next events.
func (s *sink) received(request Request, sent *model.Sent, pieces ...Received) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := s.queue.Requests
	if n := len(rows); n == 0 || rows[n-1].Turn != request.Turn || rows[n-1].Try != request.Try {
		rows = append(rows, request)
	}
	row := &rows[len(rows)-1]
	if sent != nil {
		row.Sent = sent
	}
	row.Received = append(row.Received, pieces...)
	s.queue.Requests = rows
}

func deltaID(event protocol.Event) string {
	switch e := event.(type) {
	case *protocol.TextDelta:
		return e.ID
	case *protocol.ReasoningDelta:
		return e.ID
	case *protocol.ToolCallDelta:
		return e.ID
	}
	return ""
}

// guarded calls f and logs a panic of it: what belongs to the caller must not end the run.
func guarded(logger *slog.Logger, what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			logger.Error(what+" panicked", "panic", p)
		}
	}()
	f()
}
