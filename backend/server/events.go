package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"callboard/backend/agent"
	"callboard/backend/protocol"
)

// events streams a run from a number on, over its pauses; with Accept: application/json it answers with what there is.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findRun(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	after, err := number(r.URL.Query().Get("after"))
	if err != nil {
		return invalid("after: %v", err)
	}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		if after, err = number(id); err != nil {
			return invalid("Last-Event-ID: %v", err)
		}
	}
	if after > run.Last {
		return invalid("the run has %d events: none comes after number %d", run.Last, after)
	}
	if wantsJSON(r) {
		defer s.audience.join(run.ID)()
		return s.eventsJSON(w, r, run, after)
	}
	return s.streamRun(w, r, run.ID, after, false)
}

func wantsJSON(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/event-stream")
}

// eventsJSON writes each event alone on its line, "seq" first, so that a client can keep its bytes. The run was read before its
// events: one that is over has them all here.
func (s *Server) eventsJSON(w http.ResponseWriter, r *http.Request, run *agent.RunState, after int64) error {
	page := func(after int64) ([]agent.Record, error) {
		return s.Runner.Store.Events(r.Context(), run.ID, after, pageSize)
	}
	records, err := page(after)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	buf := []byte(`{"events":[`)
	last := after
	for len(records) > 0 {
		for _, record := range records {
			if last > after {
				buf = append(buf, ',')
			}
			buf = append(buf, '\n')
			buf = appendNumbered(buf, record)
			last = record.Seq
		}
		if _, err := w.Write(buf); err != nil {
			return fmt.Errorf("%w: %w", errGone, err)
		}
		buf = buf[:0]
		if len(records) < pageSize {
			break
		}
		if records, err = page(last); err != nil {
			return err // the answer breaks off, and is no JSON
		}
	}
	buf = append(buf, '\n')
	buf = fmt.Appendf(buf, `],"last":%d,"status":%q}`, max(last, after), run.Status)
	_, _ = w.Write(append(buf, '\n')) // a client that has left needs no end
	return nil
}

// appendNumbered puts an event's number first into its JSON, the rest as it is.
func appendNumbered(dst []byte, record agent.Record) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, record.Seq, 10)
	rest := bytes.TrimPrefix(record.JSON, []byte("{"))
	if len(rest) > 0 && rest[0] != '}' {
		dst = append(dst, ',')
	}
	return append(dst, rest...)
}

// doorbell streams the news of all runs that there is more to read: first where the unfinished ones stand, then each ring.
func (s *Server) doorbell(w http.ResponseWriter, r *http.Request) error {
	if err := canStream(w); err != nil {
		return err
	}
	bell := s.Runner.Bell().Listen("")
	defer bell.Close()
	open, err := s.Runner.Store.Runs(r.Context(), agent.RunQuery{
		Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil {
		return err
	}
	t, err := openStream(w)
	if err != nil {
		return err
	}
	rings := make([]agent.Ring, 0, len(open))
	for _, run := range open {
		rings = append(rings, agent.Ring{RunID: run.ID, ThreadID: run.ThreadID, Last: run.Last, Status: run.Status})
	}
	quiet := time.NewTimer(s.keepAlive())
	defer quiet.Stop()
	for {
		for _, ring := range rings {
			text, err := json.Marshal(ring)
			if err != nil {
				return fmt.Errorf("encode a ring: %w", err)
			}
			if err := t.event(0, text); err != nil {
				return err
			}
		}
		if err := t.flush(); err != nil {
			return err
		}
		rings = nil
		quiet.Reset(s.keepAlive())
		select {
		case <-bell.C:
			rings = bell.Take()
		case <-quiet.C:
			t.buf = append(t.buf, ": keep-alive\n\n"...)
		case <-r.Context().Done():
			return nil
		case <-s.closing:
			return nil
		}
	}
}

// requestAnswer is one try of a turn as it went over the wire.
type requestAnswer struct {
	Turn      int             `json:"turn"`
	Try       int             `json:"try"` // from 0
	At        int64           `json:"at"`  // Unix ms
	AgentName string          `json:"agentName"`
	Sent      string          `json:"sent"`
	Received  []receivedPiece `json:"received"`
}

type receivedPiece struct {
	After float64 `json:"after"` // ms since At
	Text  string  `json:"text"`
}

// requests tells what a run sent to its models, each request whole, and the pieces in which they answered.
func (s *Server) requests(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findRun(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	rows, err := s.Threads.RunRequests(r.Context(), run.ID)
	if err != nil {
		return err
	}
	answers := make([]requestAnswer, 0, len(rows))
	var sent []byte // of the request before
	for i := range rows {
		row := &rows[i]
		answer := requestAnswer{Turn: row.Turn, Try: row.Try, At: row.AtMs, AgentName: row.AgentName, Received: pieces(row.Received)}
		if row.Sent != nil {
			if row.Sent.Keep < 0 || row.Sent.Keep > len(sent) {
				return fmt.Errorf("read the requests of run %s: turn %d keeps %d bytes of %d", run.ID, row.Turn, row.Sent.Keep, len(sent))
			}
			sent = append(sent[:row.Sent.Keep:row.Sent.Keep], row.Sent.Tail...)
			answer.Sent = string(sent)
		}
		answers = append(answers, answer)
	}
	writeJSON(w, http.StatusOK, map[string]any{"requests": answers})
	return nil
}

// pieces are the bytes of an answer as text: a character that was cut between two goes whole into the later one.
func pieces(received []agent.Received) []receivedPiece {
	out := make([]receivedPiece, 0, len(received))
	var rest []byte
	for i, piece := range received {
		whole := append(rest, piece.Bytes...)
		cut := len(whole)
		if i < len(received)-1 {
			cut = wholeRunes(whole)
		}
		out = append(out, receivedPiece{After: float64(piece.After.Microseconds()) / 1000, Text: string(whole[:cut])})
		rest = bytes.Clone(whole[cut:])
	}
	return out
}

// wholeRunes is the length of text without a character that is cut at its end.
func wholeRunes(text []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		tail := text[len(text)-back:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				break
			}
			return len(text) - back
		}
	}
	return len(text)
}

// blob answers with a large payload. Whatever it holds, a browser runs nothing of it.
func (s *Server) blob(w http.ResponseWriter, r *http.Request) error {
	hash := r.PathValue("hash")
	body, mediaType, err := s.Threads.Blob(r.Context(), hash)
	if errors.Is(err, agent.ErrNotFound) {
		return notFound("no blob %q", hash)
	}
	if err != nil {
		return err
	}
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cache-Control", "private, max-age=31536000, immutable") // a hash names one content for ever
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that has left needs no body
	return nil
}
