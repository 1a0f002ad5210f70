package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

// line is a frame as a test compares it.
func line(f protocol.Frame) string {
	text, err := f.AppendJSON(nil)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", f.Seq, text)
}

func logOf(t *testing.T, r *agent.Runner, runID string) []string {
	t.Helper()
	records, err := r.Log().Events(t.Context(), runID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, record := range records {
		lines = append(lines, fmt.Sprintf("%d %s", record.Seq, record.JSON))
	}
	return lines
}

func TestStreamYieldsTheLog(t *testing.T) {
	c, runner := newServer(t, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("It is done."))
	var got []string
	var start *protocol.Start
	for f, err := range c.Stream(t.Context(), "demo", Input{Text: "go", Context: json.RawMessage(`{"userId":"u"}`)}) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := f.Event.(*protocol.Start); ok {
			start = e
		}
		got = append(got, line(f))
	}
	want := logOf(t, runner, start.RunID)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if last := got[len(got)-1]; !strings.Contains(last, `"paused"`) {
		t.Errorf("the last event: got %s", last)
	}

	t.Run("and after the decision Events has the rest", func(t *testing.T) {
		list, err := c.Approvals(t.Context())
		if err != nil || len(list) != 1 || list[0].RunID != start.RunID || list[0].SinceMs == 0 {
			t.Fatalf("approvals: got %+v, %v", list, err)
		}
		p := list[0]
		if _, err := c.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true}); err == nil {
			t.Error("a decision without a hash was sent")
		}
		edited := `{"target": "<y>"}`
		decided, err := c.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsText: &edited, ArgumentsHash: p.ArgumentsHash})
		if err != nil || !decided.Resumed || decided.Decision == nil || !decided.Decision.Approved {
			t.Fatalf("decide: got %+v, %v", decided, err)
		}
		var said *Error
		if _, err := c.Decide(t.Context(), p.ApprovalID, approval.Decision{ArgumentsHash: p.ArgumentsHash}); !errors.As(err, &said) ||
			said.Status != 409 || said.Code != "APPROVAL_DECIDED" || !strings.Contains(said.Message, "approved by") {
			t.Errorf("decide again: got %v", err)
		}
		rest := got
		for f, err := range c.Events(t.Context(), start.RunID, int64(len(got))) {
			if err != nil {
				t.Fatal(err)
			}
			rest = append(rest, line(f))
		}
		if want := logOf(t, runner, start.RunID); fmt.Sprint(rest) != fmt.Sprint(want) {
			t.Errorf("got %s, want %s", rest, want)
		}
		if !strings.Contains(fmt.Sprint(rest), `released to <y>`) {
			t.Errorf("the edited arguments did not run: %s", rest)
		}
	})
}

func TestAStreamThatBreaksGoesOnWhereItWas(t *testing.T) {
	turns := []scripted.Turn{scripted.Say("One two three.")}
	for bytes := 300; bytes < 900; bytes += 23 { // the first brings the run's id, each one a whole event
		t.Run(fmt.Sprintf("each connection after %d bytes", bytes), func(t *testing.T) {
			var connections atomic.Int64
			c, runner := newServer(t, turns...)
			inner := c.HTTP.Transport
			c.HTTP = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				response, err := inner.RoundTrip(r)
				if err == nil && r.Header.Get("Accept") == "text/event-stream" {
					connections.Add(1)
					response.Body = &shortBody{ReadCloser: response.Body, left: bytes}
				}
				return response, err
			})}
			var got []string
			var runID string
			for f, err := range c.Stream(t.Context(), "demo", Input{Text: "go"}) {
				if err != nil {
					t.Fatal(err)
				}
				if e, ok := f.Event.(*protocol.Start); ok {
					runID = e.RunID
				}
				got = append(got, line(f))
			}
			if want := logOf(t, runner, runID); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %s, want %s", got, want)
			}
			if connections.Load() < 2 {
				t.Errorf("the stream never broke")
			}
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// shortBody breaks off after so many bytes.
type shortBody struct {
	io.ReadCloser
	left int
}

func (b *shortBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("connection reset by peer")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// fixed serves each request of a stream the next of the texts; the last one for ever.
func fixed(t *testing.T, texts ...string) (*Client, *[]string) {
	t.Helper()
	var asked []string
	next := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, fmt.Sprintf("%s %s %s", r.Method, r.URL.Path, r.Header.Get("Last-Event-ID")))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, texts[min(next, len(texts)-1)])
		next++
	}))
	t.Cleanup(web.Close)
	return &Client{BaseURL: web.URL, HTTP: web.Client(), RetryDelay: time.Millisecond, Retries: 2}, &asked
}

func describe(f protocol.Frame, err error) string {
	var gap *Gap
	var wire *WireError
	switch {
	case errors.As(err, &gap):
		return fmt.Sprintf("gap %d-%d", gap.From, gap.To)
	case errors.As(err, &wire):
		return fmt.Sprintf("unreadable %d %s", wire.Seq, wire.Raw)
	case err != nil:
		return "error " + err.Error()
	}
	return fmt.Sprintf("%d %s", f.Seq, f.Event.Type())
}

func TestWhatEventsReports(t *testing.T) {
	const start = "id: 1\ndata: {\"type\":\"start\",\"runId\":\"r\"}\n\n"
	const finish = "id: 4\ndata: {\"type\":\"finish\",\"status\":\"completed\"}\n\ndata: [DONE]\n\n"
	for _, c := range []struct {
		name  string
		texts []string
		want  string
		asked string
	}{
		{
			"a gap, and goes on",
			[]string{start + finish},
			"[1 start gap 2-3 4 finish]", "[GET /runs/r/events 0]",
		},
		{
			"an event that cannot be read, and goes on",
			[]string{start + "id: 2\ndata: {bad\n\n: comment\n\nid: 3\ndata: {\"no\":1}\n\n" + finish},
			"[1 start unreadable 2 {bad unreadable 3 {\"no\":1} 4 finish]", "[GET /runs/r/events 0]",
		},
		{
			"an event of an unknown type like any other",
			[]string{start + "id: 2\ndata: {\"type\":\"swarm\"}\n\nid: 3\ndata: {\"type\":\"text-end\",\"id\":\"t\"}\n\n" + finish},
			"[1 start 2 swarm 3 text-end 4 finish]", "[GET /runs/r/events 0]",
		},
		{
			"each event once, when the server sends some again",
			[]string{start + "id: 2\ndata: {\"type\":\"text-end\",\"id\":\"t\"}\n\n", start + "id: 2\ndata: {\"type\":\"text-end\",\"id\":\"t\"}\n\nid: 3\ndata: {\"type\":\"text-end\",\"id\":\"u\"}\n\n" + finish},
			"[1 start 2 text-end 3 text-end 4 finish]", "[GET /runs/r/events 0 GET /runs/r/events 2]",
		},
		{
			"that nothing comes any more",
			[]string{start, ""},
			"[1 start error the stream was cut off: unexpected EOF]", "[GET /runs/r/events 0 GET /runs/r/events 1 GET /runs/r/events 1]",
		},
		{
			"the error a run ends with, and does not connect again",
			[]string{start + "id: 2\ndata: {\"type\":\"error\",\"message\":\"x\"}\n\n"},
			"[1 start 2 error]", "[GET /runs/r/events 0]",
		},
		{
			"nothing of a run that had ended",
			[]string{"data: [DONE]\n\n"},
			"[]", "[GET /runs/r/events 0]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, asked := fixed(t, c.texts...)
			var got []string
			for f, err := range client.Events(t.Context(), "r", 0) {
				got = append(got, describe(f, err))
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
			if fmt.Sprint(*asked) != c.asked {
				t.Errorf("asked %v, want %s", *asked, c.asked)
			}
		})
	}
}

func TestAStreamOfAServerThatDoesNotNumberWorks(t *testing.T) {
	const head = "data: {\"type\":\"start\",\"messageId\":\"m\",\"threadId\":\"t\"}\n\ndata: {\"type\":\"text-delta\",\"id\":\"x\",\"delta\":\"hi\"}\n\n"
	for _, c := range []struct{ name, text, want string }{
		{"to its end", head + "data: {\"type\":\"finish\",\"messageId\":\"m\"}\n\ndata: [DONE]\n\n", "[0 start 0 text-delta 0 finish]"},
		{"and is not asked again when it breaks", head, "[0 start 0 text-delta error the stream was cut off: unexpected EOF]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, asked := fixed(t, c.text)
			var got []string
			for f, err := range client.Stream(t.Context(), "demo", Input{Text: "go"}) {
				got = append(got, describe(f, err))
			}
			if fmt.Sprint(got) != c.want || len(*asked) != 1 {
				t.Errorf("got %v, want %s; asked %v", got, c.want, *asked)
			}
		})
	}
}

func TestASilentServerIsLeft(t *testing.T) {
	t.Parallel() // it takes its time
	const silence = time.Second
	release := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\ndata: {\"type\":\"start\"}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer web.Close()
	defer close(release)
	client := &Client{BaseURL: web.URL, HTTP: web.Client(), Silence: silence, Retries: -1}
	var got []string
	for f, err := range client.Events(t.Context(), "r", 0) {
		if err == nil {
			time.Sleep(silence + silence/4) // what the caller takes is no silence
		}
		got = append(got, describe(f, err))
	}
	if fmt.Sprint(got) != "[1 start error the server has gone silent]" {
		t.Errorf("got %v", got)
	}
}

func TestRangingMayStopAtAnyMoment(t *testing.T) {
	c, _ := newServer(t, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("done"))
	before := goleak.IgnoreCurrent()
	for n := range 5 {
		i := 0
		for _, err := range c.Stream(t.Context(), "demo", Input{Text: "go", ThreadID: fmt.Sprint(n)}) {
			if err != nil {
				t.Fatal(err)
			}
			if i++; i > n {
				break
			}
		}
	}
	for _, err := range c.Rings(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range c.Rings(ctx) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("rings end with %v", last)
	}
	c.HTTP.CloseIdleConnections()
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

func TestRingsGoOnAfterABreak(t *testing.T) {
	client, asked := fixed(t, "data: {\"runId\":\"a\",\"last\":1}\n\n", "data: {\"runId\":\"b\",\"last\":2}\n\ndata: nonsense\n\ndata: {\"runId\":\"c\",\"last\":3}\n\n")
	var got []string
	for ring, err := range client.Rings(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, ring.RunID); len(got) == 3 {
			break
		}
	}
	if fmt.Sprint(got) != "[a b c]" || len(*asked) != 2 {
		t.Errorf("got %v, asked %v", got, *asked)
	}
}
