package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/protocol"
)

// pageSize is how many events are read from the store at once.
const pageSize = 256

// stream writes server-sent events to one client.
type stream struct {
	w   http.ResponseWriter
	out *http.ResponseController
	buf []byte

	view view
	read eventReader // as the view sees them
	form form
}

// form is how events look to the client of a stream.
type form interface {
	// event appends an event; seq is 0 where it is in no log.
	event(dst []byte, seq int64, text []byte) ([]byte, error)
	// flush appends what event has kept back.
	flush(dst []byte) ([]byte, error)
}

// asTheyAre sends the events of the protocol themselves.
type asTheyAre struct{}

func (asTheyAre) event(dst []byte, seq int64, text []byte) ([]byte, error) {
	return protocol.AppendSSE(dst, seq, text), nil
}

func (asTheyAre) flush(dst []byte) ([]byte, error) { return dst, nil }

// canStream reports whether an answer can go out in pieces, as http.ResponseController looks for it.
func canStream(w http.ResponseWriter) error {
	for {
		switch t := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return nil
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return &failure{
				status: http.StatusNotImplemented, code: CodeNoStream,
				message: "this connection cannot stream: start the run with POST /agents/{name}/runs and read /runs/{id}/events with Accept: application/json",
			}
		}
	}
}

// openStream sends the headers at once.
func (s *Server) openStream(w http.ResponseWriter, r *http.Request) (*stream, error) {
	if err := canStream(w); err != nil {
		return nil, err
	}
	v, err := s.viewOf(r)
	if err != nil {
		return nil, err
	}
	t := &stream{w: w, out: http.NewResponseController(w), view: v, read: v.events(s.log.Events), form: asTheyAre{}}
	// The server's timeouts are those of requests; a writer that has none needs no lifting.
	_ = t.out.SetReadDeadline(time.Time{})
	_ = t.out.SetWriteDeadline(time.Time{})
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil, errGone // it reads headers only
	}
	return t, t.flush()
}

// errGone says the client no longer reads.
var errGone = errors.New("the client has left")

// flush sends what was gathered.
func (t *stream) flush() error {
	var err error
	if t.buf, err = t.form.flush(t.buf); err != nil {
		return err
	}
	if err := t.write(); err != nil {
		return err
	}
	if err := t.out.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return nil
}

func (t *stream) write() error {
	if len(t.buf) == 0 {
		return nil
	}
	_, err := t.w.Write(t.buf)
	t.buf = t.buf[:0]
	if err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return nil
}

// event gathers an event; one of many is sent only with the next flush.
func (t *stream) event(seq int64, text []byte) error {
	var err error
	if t.buf, err = t.form.event(t.buf, seq, text); err != nil {
		return err
	}
	if len(t.buf) < 64<<10 {
		return nil
	}
	return t.write()
}

// unnumbered sends an event that is in no log.
func (t *stream) unnumbered(event protocol.Event) error {
	text, err := protocol.Frame{AtMs: time.Now().UnixMilli(), Event: event}.AppendJSON(nil)
	if err != nil {
		return err
	}
	if err := t.event(0, text); err != nil {
		return err
	}
	return t.flush()
}

func (t *stream) done() error {
	var err error
	if t.buf, err = t.form.flush(t.buf); err != nil {
		return err
	}
	t.buf = protocol.AppendSSE(t.buf, 0, []byte(protocol.Done))
	return t.flush()
}

func (t *stream) keepAlive() error {
	t.buf = append(t.buf, protocol.KeepAlive...)
	return t.flush()
}

// errEnded says a stream has sent all it will ever have.
var errEnded = errors.New("the stream has ended")

// follow sends a run's events after a number as they are stored, until the run ends or, with one set, its stretch does. It returns
// when there is no more to send, the client left or the Server closes: whether it got to the end.
func (s *Server) follow(ctx context.Context, t *stream, runID string, after int64, one bool) (ended bool) {
	bell := s.Runner.Bell().Listen(runID) // before the first read, so that no event falls between
	defer bell.Close()
	quiet := time.NewTimer(s.keepAlive())
	defer quiet.Stop()
	for {
		last, err := s.sendStored(ctx, t, runID, after, one)
		if errors.Is(err, errEnded) {
			return true
		}
		if err != nil {
			s.breakOff(ctx, t, runID, err)
			return false
		}
		if last > after {
			quiet.Reset(s.keepAlive())
		}
		after = last
		select {
		case <-bell.C:
			if reason := lost(bell.Take()); reason != "" {
				if _, err := s.sendStored(ctx, t, runID, after, one); errors.Is(err, errEnded) {
					return true
				}
				s.breakOff(ctx, t, runID, &failure{code: CodeInternal, message: reason})
				return false
			}
		case <-quiet.C:
			// The store is read again as well: another process may work on the run.
			if t.keepAlive() != nil {
				return false
			}
			quiet.Reset(s.keepAlive())
		case <-ctx.Done():
			return false
		case <-s.closing:
			return false
		}
	}
}

// sendStored sends the events the store has after a number and returns the number of the last one.
func (s *Server) sendStored(ctx context.Context, t *stream, runID string, after int64, one bool) (int64, error) {
	last := after
	for {
		records, err := t.read(ctx, runID, last, pageSize)
		if err != nil {
			return last, err
		}
		for _, record := range records {
			if err := t.event(record.Seq, record.JSON); err != nil {
				return last, err
			}
			last = record.Seq
			if end := endOf(record.JSON, one); end != notEnd {
				return last, t.end(end)
			}
		}
		if len(records) > 0 {
			if err := t.flush(); err != nil {
				return last, err
			}
		}
		if len(records) < pageSize {
			break
		}
	}
	if last > after {
		return last, nil
	}
	return last, s.endIfOver(ctx, t, runID, last, one)
}

// endIfOver ends a stream that is up to date with a run that has no more to come.
func (s *Server) endIfOver(ctx context.Context, t *stream, runID string, last int64, one bool) error {
	run, err := s.findRun(ctx, runID)
	if err != nil || run.Last > last {
		return err // its bell rings
	}
	switch {
	case run.Status == protocol.StatusFailed:
		return t.end(endFailed)
	case run.Status.Ended(), one && run.Status == protocol.StatusPaused:
		return t.end(endDone)
	}
	return nil
}

type ending int

const (
	notEnd    ending = iota
	endDone          // [DONE] follows
	endFailed        // the stream only closes
)

func (t *stream) end(e ending) error {
	var err error
	if e == endDone {
		err = t.done()
	} else {
		err = t.flush()
	}
	if err != nil {
		return err
	}
	return errEnded
}

// endOf says whether an event is the last of a stream that goes on over pauses, or of one stretch.
func endOf(text []byte, one bool) ending {
	switch eventType(text) {
	case protocol.TypeError:
		return endFailed
	case protocol.TypeFinish:
		var finish struct {
			Status protocol.Status `json:"status"`
		}
		if !one && json.Unmarshal(text, &finish) == nil && finish.Status == protocol.StatusPaused {
			return notEnd
		}
		return endDone
	}
	return notEnd
}

// eventType reads the type of an event's JSON; nearly always it stands first.
func eventType(text []byte) protocol.Type {
	if rest, ok := strings.CutPrefix(string(text[:min(len(text), 64)]), `{"type":"`); ok {
		if kind, _, ok := strings.Cut(rest, `"`); ok {
			return protocol.Type(kind)
		}
	}
	var head struct {
		Type protocol.Type `json:"type"`
	}
	_ = json.Unmarshal(text, &head) // what is no event ends no stream
	return head.Type
}

// lost is why a run stopped whose end could not be stored; empty when none did.
func lost(rings []agent.Ring) string {
	for _, ring := range rings {
		if ring.Error != "" {
			return ring.Error
		}
	}
	return ""
}

// breakOff tells a client why its stream stops before its run's end, when it still listens.
func (s *Server) breakOff(ctx context.Context, t *stream, runID string, err error) {
	if ctx.Err() != nil || errors.Is(err, errGone) {
		return
	}
	f := asFailure(err)
	if f == nil {
		s.logger().Error("a stream broke off", "run", runID, "error", err)
		f = &failure{code: CodeInternal, message: hidden}
	}
	_ = t.unnumbered(&protocol.Error{Message: f.message, Code: f.code}) // the client may be gone: nothing is left to do
}

func (s *Server) keepAlive() time.Duration {
	if s.KeepAlive > 0 {
		return s.KeepAlive
	}
	return DefaultKeepAlive
}

// findRun reads a run's row.
func (s *Server) findRun(ctx context.Context, runID string) (*agent.RunState, error) {
	runs, err := s.log.Runs(ctx, agent.RunQuery{ID: runID, Bare: true})
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, notFound("no run %q", runID)
	}
	return runs[0], nil
}
