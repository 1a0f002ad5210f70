package remote

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/protocol"
)

// The waits between attempts to read a run on.
const (
	firstWait = 250 * time.Millisecond
	lastWait  = 5 * time.Second
)

// ahead is how many events are read while others are stored, and stored with the next.
const ahead = 32

// watch reads a run to its end, over as many connections as that takes.
func (m *mirror) watch(ctx context.Context) {
	if m.base() {
		m.interrupted(ctx)
		return
	}
	tried := int64(-1) // after which event a gap was read already
	for wait := firstWait; ctx.Err() == nil; {
		before := m.last()
		ended, err := m.read(ctx, m.server.once().Events(ctx, m.remoteID, before), tried == before)
		var gap *client.Gap
		switch {
		case ended || ctx.Err() != nil:
			return
		case errors.As(err, &gap):
			tried = m.last()
			continue
		case m.ends(ctx, err):
			return
		}
		if m.last() > before {
			wait = firstWait
		}
		m.notice(err)
		select {
		case <-time.After(wait):
			wait = min(2*wait, lastWait)
		case <-ctx.Done():
			return
		}
		if m.answers(ctx, err) {
			m.connected()
		}
		if err := m.reload(ctx); err != nil {
			m.server.logger().Error("the copy of a run cannot be read", "run", m.id, "error", err)
			if errors.Is(err, agent.ErrNotFound) {
				return // its thread was deleted
			}
		}
	}
}

// ends ends the copy after an error that trying again cannot mend.
func (m *mirror) ends(ctx context.Context, err error) bool {
	var said *client.Error
	var code, message string
	switch {
	case errors.Is(err, errWire):
		code, message = CodeWire, fmt.Sprintf("What %s sends of this run cannot be followed: %v.", m.server.Name, err)
	case errors.As(err, &said) && said.Status == http.StatusNotFound:
		code = CodeForgotten
		message = m.server.Name + " does not know this run any more: it was started anew, and had not kept it. Send the message again in a new thread."
	case errors.As(err, &said) && said.Status == http.StatusBadRequest:
		code, message = CodeWire, fmt.Sprintf("%s does not go on with this run where it was: %v.", m.server.Name, err)
	default:
		return false
	}
	if err := m.fail(ctx, code, message); err != nil {
		m.server.logger().Error("the end of a run's copy could not be stored", "run", m.id, "error", err)
		return false
	}
	return true
}

// notice tells who listens why nothing new comes.
func (m *mirror) notice(err error) {
	var said *client.Error
	text := fmt.Sprintf("Connection to %s lost, trying again", m.server.Name)
	switch {
	case errors.As(err, &said):
		text = fmt.Sprintf("%s %s; trying again", m.server.Name, answered(said))
	case m.isBroken():
		text = "What came could not be stored, trying again"
		m.server.logger().Error("the copy of a run could not be written", "run", m.id, "error", err)
	}
	m.mu.Lock()
	ring := agent.Ring{RunID: m.id, ThreadID: m.row.ThreadID, Last: m.row.Last, Status: m.row.Status, Notice: text}
	m.mu.Unlock()
	m.server.Runner.Bell().Ring(ring)
}

// answers reports whether a server that could not be reached can be again.
func (m *mirror) answers(ctx context.Context, err error) bool {
	var said *client.Error
	if errors.As(err, &said) {
		return false // it could be all the time
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return m.server.Client.Ready(ctx) == nil
}

// connected takes a notice back.
func (m *mirror) connected() {
	m.mu.Lock()
	ring := agent.Ring{RunID: m.id, ThreadID: m.row.ThreadID, Last: m.row.Last, Status: m.row.Status}
	m.mu.Unlock()
	m.server.Runner.Bell().Ring(ring)
}

func (m *mirror) last() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.row.Last
}

// messageID is that of the stretch the copy is in.
func (m *mirror) messageID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.row.MessageID
}

func (m *mirror) isBroken() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.broken
}

// reload reads the copy anew where the store refused what was taken.
func (m *mirror) reload(ctx context.Context) error {
	if !m.isBroken() {
		return nil
	}
	return m.load(ctx)
}

// read stores what a stream gives until it breaks or the run has ended. A gap is an error, unless it is to be taken for one.
func (m *mirror) read(ctx context.Context, stream iter.Seq2[protocol.Frame, error], gaps bool) (ended bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	items := make(chan received, ahead)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(items)
		for f, err := range stream {
			select {
			case items <- received{f, err}:
			case <-ctx.Done():
				return
			}
		}
	})
	defer reader.Wait()
	defer cancel()
	for item := range items {
		batch := []received{item}
		for more := true; more && len(batch) < 4*ahead; {
			select {
			case next, ok := <-items:
				if more = ok; ok {
					batch = append(batch, next)
				}
			default:
				more = false
			}
		}
		rest, broke := split(batch, gaps)
		if ended, err = m.take(ctx, rest); ended || err != nil {
			return ended, err
		}
		if broke != nil {
			return false, broke
		}
	}
	return m.over(), nil
}

// split takes what ended a stream off the events before it.
func split(batch []received, gaps bool) (rest []received, broke error) {
	for i, item := range batch {
		var gap *client.Gap
		var wire *client.WireError
		switch {
		case item.err == nil, errors.As(item.err, &wire), gaps && errors.As(item.err, &gap):
		default:
			return batch[:i], item.err
		}
	}
	return batch, nil
}

// interrupted ends the copy of a run that was being read when this program stopped, of a server that does not number its events.
// One that waits for a person goes on when it is decided.
func (m *mirror) interrupted(ctx context.Context) {
	m.mu.Lock()
	waits := m.fold.Status == protocol.StatusPaused
	m.mu.Unlock()
	if waits {
		return
	}
	err := m.fail(ctx, agent.CodeRunInterrupted, fmt.Sprintf(
		"The connection to %s was lost, and the run cannot be read on: the server does not number its events. Send the message again to go on.", m.server.Name))
	if err != nil {
		m.server.logger().Error("the end of a run's copy could not be stored", "run", m.id, "error", err)
	}
}
