package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// events streams a run from a number on, over its pauses; with Accept: application/json it answers with what there is, and with
// refs=1 then with references in place of large values (protocol.Ref).
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
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	var read eventReader = s.log.Events
	if r.URL.Query().Get("refs") == "1" && v.name == redact.Operator { // who may not fetch blobs gets the values
		read = v.refs(s.Threads.EventRefs)
	}
	read = v.events(read)
	page := func(after int64) ([]agent.Record, error) { return read(r.Context(), run.ID, after, pageSize) }
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

// eventsAnswer is what eventsJSON writes.
type eventsAnswer struct {
	Events []protocol.Event `json:"events"`
	Last   int64            `json:"last" jsonschema_description:"The number of the last event of them, else that which was asked for"`
	Status protocol.Status  `json:"status"`
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
	open, err := s.log.Runs(r.Context(), agent.RunQuery{
		Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil {
		return err
	}
	t, err := s.openStream(w, r)
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
			ring.Error = t.view.failed(ring.Error)
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
			t.buf = append(t.buf, protocol.KeepAlive...)
		case <-r.Context().Done():
			return nil
		case <-s.closing:
			return nil
		}
	}
}
