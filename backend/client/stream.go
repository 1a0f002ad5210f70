package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/protocol"
)

const eventStream = "text/event-stream"

// Gap says that events of a run are missing. The stream goes on after it.
type Gap struct {
	RunID    string
	From, To int64 // the first and the last that are missing
}

func (g *Gap) Error() string {
	return fmt.Sprintf("events %d to %d of run %s are missing", g.From, g.To, g.RunID)
}

// WireError is an event that cannot be read. The stream goes on after it.
type WireError struct {
	Seq int64 // 0 when it had none
	Raw string
	Err error
}

func (e *WireError) Error() string {
	return fmt.Sprintf("event %d cannot be read: %v", e.Seq, e.Err)
}

// Unwrap returns the error beneath.
func (e *WireError) Unwrap() error { return e.Err }

// errSilent breaks a stream that sends nothing.
var errSilent = errors.New("the server has gone silent")

// Stream starts a run and yields its events until the run ends or waits for a person. A connection that breaks is made anew where
// the server numbers its events. A *Gap or *WireError stands between events and does not end the stream; any other error does.
// When the caller stops ranging the run is left, and cancelled by its server in a while.
func (c *Client) Stream(ctx context.Context, agentName string, in Input) iter.Seq2[protocol.Frame, error] {
	return c.follow(ctx, &follower{one: true, connect: func(ctx context.Context) (*http.Response, error) {
		return c.send(ctx, "POST", "/agents/"+at(agentName)+"/stream", in, eventStream, nil)
	}})
}

// Resume decides what the paused run of a thread waits for, by call, and yields the events from there on, as Stream does. A call that
// is not named keeps waiting.
func (c *Client) Resume(ctx context.Context, agentName, threadID string, decisions map[string]approval.Decision) iter.Seq2[protocol.Frame, error] {
	type decision struct {
		Approved      bool    `json:"approved"`
		Reason        string  `json:"reason,omitempty"`
		ArgumentsText *string `json:"argumentsText,omitempty"`
	}
	body := struct {
		ThreadID  string              `json:"threadId"`
		Decisions map[string]decision `json:"decisions"`
	}{threadID, map[string]decision{}}
	for id, d := range decisions {
		body.Decisions[id] = decision{d.Approved, d.Reason, d.ArgumentsText}
	}
	return c.follow(ctx, &follower{one: true, resumed: true, connect: func(ctx context.Context) (*http.Response, error) {
		return c.send(ctx, "POST", "/agents/"+at(agentName)+"/resume/stream", body, eventStream, nil)
	}})
}

// Events yields the events of a run after a number, over its pauses, until the run has ended. A connection that breaks is made
// anew; each event comes once. A *Gap or *WireError stands between events and does not end the stream; any other error does.
func (c *Client) Events(ctx context.Context, runID string, after int64) iter.Seq2[protocol.Frame, error] {
	return c.follow(ctx, &follower{runID: runID, last: after})
}

// Rings yields the news of all runs that there is more to read. It may tell late or twice; a connection that breaks is made anew.
// The error it ends with is the last thing it yields.
func (c *Client) Rings(ctx context.Context) iter.Seq2[agent.Ring, error] {
	return func(yield func(agent.Ring, error) bool) {
		for failed := 0; ; {
			err := c.read(ctx, func(ctx context.Context) (*http.Response, error) {
				return c.send(ctx, "GET", "/doorbell", nil, eventStream, nil)
			}, func(e protocol.SSEEvent) error {
				failed = 0
				var ring agent.Ring
				readable := json.Unmarshal(e.Data, &ring) == nil // what is not says nothing the events do not
				if readable && !yield(ring, nil) {
					return errStop
				}
				return nil
			})
			if errors.Is(err, errStop) {
				return
			}
			if failed, err = c.again(ctx, failed, err); err != nil {
				yield(agent.Ring{}, err)
				return
			}
		}
	}
}

// errStop says the caller has enough, or the stream its end.
var errStop = errors.New("stop")

// follower is one reading of a run, over as many connections as it takes.
type follower struct {
	connect func(context.Context) (*http.Response, error) // the first connection; nil is that of the run's events
	runID   string
	last    int64 // the number of the last event
	one     bool  // stop where the run waits
	resumed bool  // the first event is not the run's first
	ended   bool  // no event follows
	yield   func(protocol.Frame, error) bool
}

func (c *Client) follow(ctx context.Context, f *follower) iter.Seq2[protocol.Frame, error] {
	return func(yield func(protocol.Frame, error) bool) {
		f := *f // each ranging is a reading of its own
		f.yield = yield
		for failed := 0; ; {
			connect, before := f.connect, f.last
			if connect == nil {
				connect = func(ctx context.Context) (*http.Response, error) {
					header := map[string]string{"Last-Event-ID": strconv.FormatInt(f.last, 10)}
					return c.send(ctx, "GET", "/runs/"+at(f.runID)+"/events", nil, eventStream, header)
				}
			}
			err := c.read(ctx, connect, f.event)
			if errors.Is(err, errStop) {
				return
			}
			if f.last > before {
				failed = 0
			}
			if f.connect != nil && (f.runID == "" || f.last == 0) {
				// A run may have been started: to ask for another one is not ours.
				f.end(err)
				return
			}
			f.connect = nil
			if failed, err = c.again(ctx, failed, err); err != nil {
				yield(protocol.Frame{}, err)
				return
			}
		}
	}
}

// end yields why a stream cannot go on.
func (f *follower) end(err error) {
	if err == nil {
		err = fmt.Errorf("the stream was cut off: %w", io.ErrUnexpectedEOF)
	}
	f.yield(protocol.Frame{}, err)
}

// event takes one event of the wire.
func (f *follower) event(e protocol.SSEEvent) error {
	if string(e.Data) == protocol.Done {
		return errStop
	}
	seq := e.Seq()
	if seq > 0 && seq <= f.last {
		return nil // it came before
	}
	if seq > f.last+1 && !f.begins() && !f.say(&Gap{RunID: f.runID, From: f.last + 1, To: seq - 1}) {
		return errStop
	}
	f.last = max(f.last, seq)
	frame, err := protocol.DecodeFrame(seq, e.Data)
	if e.Cut {
		err = fmt.Errorf("it is over %d bytes long", protocol.MaxSSEEvent)
	}
	if err != nil {
		if !f.say(&WireError{Seq: seq, Raw: string(e.Data), Err: err}) {
			return errStop
		}
		return nil
	}
	switch event := frame.Event.(type) {
	case *protocol.Start:
		if f.runID == "" {
			f.runID = event.RunID
		}
	case *protocol.Error:
		f.ended = true
	case *protocol.Finish:
		f.ended = f.one || event.Status != protocol.StatusPaused
	}
	if !f.yield(frame, nil) || f.ended {
		return errStop
	}
	return nil
}

// begins reports whether the number of the next event is not known: it goes on with a run.
func (f *follower) begins() bool { return f.resumed && f.last == 0 }

func (f *follower) say(err error) bool { return f.yield(protocol.Frame{}, err) }

// read reads one connection to its end. It returns what event returned, or what broke the connection; nil when it was closed.
func (c *Client) read(ctx context.Context, connect func(context.Context) (*http.Response, error), event func(protocol.SSEEvent) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	response, err := connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if kind := response.Header.Get("Content-Type"); !strings.HasPrefix(kind, eventStream) {
		return &Error{Status: response.StatusCode, Message: fmt.Sprintf("%s answered with %q, not with a stream of events", response.Request.URL, kind)}
	}
	silence := c.Silence
	if silence == 0 {
		silence = DefaultSilence
	}
	watched := &watchedReader{Reader: response.Body, silence: silence}
	watched.timer = time.AfterFunc(silence, func() { cancel(errSilent) })
	defer watched.timer.Stop()
	for e, err := range protocol.ReadSSE(watched) {
		if err != nil {
			if errors.Is(context.Cause(ctx), errSilent) {
				return errSilent
			}
			return fmt.Errorf("read the stream: %w", err)
		}
		if err := event(e); err != nil {
			return err
		}
	}
	return nil
}

// watchedReader lets its timer run only while it waits for bytes: the time a caller takes is no silence.
type watchedReader struct {
	io.Reader
	timer   *time.Timer
	silence time.Duration
}

func (r *watchedReader) Read(p []byte) (int, error) {
	r.timer.Reset(r.silence)
	defer r.timer.Stop()
	return r.Reader.Read(p)
}

// again waits before the next connection after failed ones in a row, and counts one more; an error says there is no next.
func (c *Client) again(ctx context.Context, failed int, err error) (int, error) {
	if ctx.Err() != nil {
		return failed, ctx.Err()
	}
	if err == nil {
		err = fmt.Errorf("the stream was cut off: %w", io.ErrUnexpectedEOF)
	}
	retries := c.Retries
	if retries == 0 {
		retries = DefaultRetries
	}
	if !passing(err) || failed >= retries {
		return failed, err
	}
	delay := c.RetryDelay
	if delay == 0 {
		delay = firstDelay
	}
	select {
	case <-time.After(min(delay<<min(failed, 10), lastDelay)):
		return failed + 1, nil
	case <-ctx.Done():
		return failed, ctx.Err()
	}
}
