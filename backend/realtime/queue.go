package realtime

import (
	"context"
	"sync"
	"time"
)

// inbox holds the events that wait to be read. Putting never blocks.
type inbox struct {
	mu     sync.Mutex
	more   sync.Cond
	events []Event
	bytes  int
	closed bool
}

func newInbox() *inbox {
	q := &inbox{}
	q.more.L = &q.mu
	return q
}

// put adds an event and returns how many bytes now wait.
func (q *inbox) put(e Event) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events = append(q.events, e)
	q.bytes += e.size()
	q.more.Signal()
	return q.bytes
}

// next waits for an event; false when there will be none.
func (q *inbox) next() (Event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.events) == 0 {
		if q.closed {
			return Event{}, false
		}
		q.more.Wait()
	}
	e := q.events[0]
	q.events[0] = Event{} // what was read is let go of
	q.events = q.events[1:]
	q.bytes -= e.size()
	return e, true
}

func (q *inbox) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Broadcast()
}

// outbox holds the messages that wait to be sent, in their order.
type outbox struct {
	mu     sync.Mutex
	frames [][]byte
	bytes  int
	closed bool
	more   chan struct{} // has a token when there is something to do
	room   chan struct{} // closed when there is room again
}

func newOutbox() *outbox {
	return &outbox{more: make(chan struct{}, 1), room: make(chan struct{})}
}

// put adds messages, at once; after close it does nothing.
func (q *outbox) put(frames ...[]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(frames) == 0 {
		return
	}
	q.frames = append(q.frames, frames...)
	for _, f := range frames {
		q.bytes += len(f)
	}
	q.ring()
}

// waitForRoom returns once less than limit bytes wait; false when that took too long, or ctx is done.
func (q *outbox) waitForRoom(ctx context.Context, limit int, patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		q.mu.Lock()
		room, free := q.room, q.bytes < limit
		q.mu.Unlock()
		if free {
			return true
		}
		select {
		case <-room:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// next waits for a message; false when ctx is done, or the outbox is closed and empty.
func (q *outbox) next(ctx context.Context) ([]byte, bool) {
	for {
		q.mu.Lock()
		if len(q.frames) > 0 {
			f := q.frames[0]
			q.frames[0] = nil
			q.frames = q.frames[1:]
			q.bytes -= len(f)
			close(q.room)
			q.room = make(chan struct{})
			q.mu.Unlock()
			return f, true
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			return nil, false
		}
		select {
		case <-q.more:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// close lets what waits be sent, and nothing more.
func (q *outbox) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ring()
}

func (q *outbox) ring() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}
