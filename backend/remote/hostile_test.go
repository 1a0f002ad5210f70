package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/protocol"
	"callboard/backend/server"
)

// wire is a server that answers what a test tells it to: connection n to a run's events gets the n-th text, the last one from then on.
type wire struct {
	mu     sync.Mutex
	runID  string
	pages  []string
	asked  []string // the Last-Event-ID of each connection
	status int      // of /runs/{id}/events once the pages are over; 0 repeats the last one
}

func (w *wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	answer := func(status int, v any) {
		out.WriteHeader(status)
		_ = json.NewEncoder(out).Encode(v)
	}
	switch {
	case r.URL.Path == "/agents":
		answer(http.StatusOK, map[string]any{"agents": []map[string]any{{"name": "demo", "tools": []string{"t"}}}})
	case r.URL.Path == "/tools":
		answer(http.StatusOK, map[string]any{"tools": []map[string]any{{"name": "t"}}})
	case r.URL.Path == "/approvals":
		answer(http.StatusOK, map[string]any{"approvals": []any{}})
	case strings.HasSuffix(r.URL.Path, "/runs") && r.Method == http.MethodPost:
		answer(http.StatusAccepted, map[string]any{"runId": w.runID, "threadId": "theirs"})
	case strings.HasSuffix(r.URL.Path, "/events"):
		n := len(w.asked)
		w.asked = append(w.asked, r.Header.Get("Last-Event-ID"))
		if n >= len(w.pages) && w.status != 0 {
			answer(w.status, map[string]any{"error": map[string]string{"message": "no run", "code": "NOT_FOUND"}})
			return
		}
		out.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(out, w.pages[min(n, len(w.pages)-1)])
	default:
		answer(http.StatusOK, map[string]any{})
	}
}

// sse is events from a number on.
func sse(first int, events ...string) string {
	var b strings.Builder
	for i, event := range events {
		fmt.Fprintf(&b, "id: %d\ndata: %s\n\n", first+i, event)
	}
	return b.String()
}

func (w *wire) attach(t *testing.T) (*Server, *agent.Runner) {
	t.Helper()
	if w.runID == "" {
		w.runID = "r1"
	}
	web := httptest.NewServer(w)
	here := &agent.Runner{}
	s := &Server{Name: "there", Client: &client.Client{BaseURL: web.URL, HTTP: web.Client()}, Runner: here}
	t.Cleanup(func() {
		s.Close()
		if err := here.Close(context.Background()); err != nil {
			t.Error(err)
		}
		web.Close()
	})
	return s, here
}

func begin(t *testing.T, s *Server) (*agent.Outcome, error) {
	t.Helper()
	h, err := s.Start(t.Context(), "demo@there", agent.Input{Text: "Go."})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	outcome, err := h.Wait(ctx)
	if outcome == nil {
		t.Fatalf("the run gave no outcome: %v", err)
	}
	return outcome, err
}

// types are those of the events that are stored of a run.
func types(t *testing.T, r *agent.Runner, runID string) string {
	t.Helper()
	records, err := r.Log().Events(t.Context(), runID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i, record := range records {
		f, err := protocol.DecodeFrame(record.Seq, record.JSON)
		if err != nil || f.Seq != int64(i+1) {
			t.Fatalf("event %d is numbered %d: %v", i+1, f.Seq, err)
		}
		all = append(all, string(f.Event.Type()))
	}
	return strings.Join(all, " ")
}

const (
	started  = `{"type":"start","at":1,"messageId":"m1","threadId":"theirs","runId":"r1","agentName":"demo"}`
	finished = `{"type":"finish","at":9,"messageId":"m1","status":"completed"}`
)

func TestAServerThatBreaksTheProtocolHarmsNothing(t *testing.T) {
	long := make([]string, 0, 150)
	for range 150 {
		long = append(long, `{"type":"text-delta"}`)
	}
	for name, c := range map[string]struct {
		pages  []string
		types  string
		status protocol.Status
		code   string
	}{
		"an event that is none keeps its place": {
			[]string{sse(1, started, `{"type":"text-delta","id":7}`, `no JSON`, finished)},
			"start unreadable-event unreadable-event finish", protocol.StatusCompleted, "",
		},
		"an event of another run is not one of this": {
			[]string{sse(1, started, strings.Replace(started, "r1", "r2", 1), finished)},
			"start unreadable-event finish", protocol.StatusCompleted, "",
		},
		"what never comes is missing, and not hidden": {
			[]string{sse(1, started) + sse(4, finished)},
			"start missing-event missing-event finish", protocol.StatusCompleted, "",
		},
		"what came at the second asking is not missing": {
			[]string{sse(1, started) + sse(3, finished), sse(2, `{"type":"text-start","id":"p"}`, finished)},
			"start text-start finish", protocol.StatusCompleted, "",
		},
		"a gap without measure ends the run": {
			[]string{sse(1, started) + sse(1<<40, finished)}, "start error", protocol.StatusFailed, CodeWire,
		},
		"nothing but noise ends the run": {
			[]string{sse(1, append([]string{started}, long...)...)}, "start unreadable-event", protocol.StatusFailed, CodeWire,
		},
		"what comes after the end is nothing of the run": {
			[]string{sse(1, started, finished, `{"type":"text-start","id":"p"}`, finished)}, "start finish", protocol.StatusCompleted, "",
		},
		"results before their calls, and ends before beginnings": {
			[]string{sse(1, `{"type":"tool-result","id":"e","toolCallId":"c","result":1}`, `{"type":"text-end","id":"p"}`, started, finished)},
			"tool-result text-end start finish", protocol.StatusCompleted, "",
		},
		"a stream that stops is read on from its last event": {
			[]string{sse(1, started), "", sse(2, finished)}, "start finish", protocol.StatusCompleted, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := &wire{pages: c.pages}
			s, here := w.attach(t)
			outcome, _ := begin(t, s)
			if outcome.Status != c.status || outcome.ErrorCode != c.code {
				t.Errorf("the run is %s with %q, want %s with %q", outcome.Status, outcome.ErrorCode, c.status, c.code)
			}
			if got := types(t, here, outcome.ID); !strings.HasPrefix(got, c.types) {
				t.Errorf("got %s, want %s", got, c.types)
			}
		})
	}
}

func TestARunItsServerForgotEnds(t *testing.T) {
	w := &wire{pages: []string{sse(1, started, `{"type":"text-start","at":2,"id":"p"}`, `{"type":"text-delta","at":3,"id":"p","delta":"Half"}`)}, status: http.StatusNotFound}
	s, here := w.attach(t)
	bell := here.Bell().Listen("")
	defer bell.Close()
	outcome, err := begin(t, s)
	var failed *agent.RunError
	if !errors.As(err, &failed) || failed.Code != CodeForgotten || !strings.Contains(failed.Message, "started anew") {
		t.Fatalf("got %v", err)
	}
	if got, want := types(t, here, outcome.ID), "start text-start text-delta text-end error"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestARunIsReadOnAfterARestart(t *testing.T) {
	w := &wire{pages: []string{sse(1, started), ""}}
	first, here := w.attach(t)
	h, err := first.Start(t.Context(), "demo@there", agent.Input{Text: "Go."})
	if err != nil {
		t.Fatal(err)
	}
	bell := here.Bell().Listen(h.RunID)
	defer bell.Close()
	lost := false
	for end := time.After(time.Minute); !lost; {
		select {
		case <-bell.C:
			for _, ring := range bell.Take() {
				lost = lost || ring.Notice == "Connection to there lost, trying again"
			}
		case <-end:
			t.Fatal("nobody says that the connection is lost")
		}
	}
	first.Close()
	w.mu.Lock()
	w.pages, w.asked = []string{sse(2, finished)}, nil
	w.mu.Unlock()
	second := &Server{Name: "there", Client: first.Client, Runner: here}
	defer second.Close()
	if err := second.Recover(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if outcome, err := h.Wait(ctx); err != nil || outcome.Status != protocol.StatusCompleted {
		t.Fatalf("got %+v, %v", outcome, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked[0] != "1" {
		t.Errorf("it was asked for what comes after event %s, want 1", w.asked[0])
	}
}

func TestARunOfAnIDThatIsTakenIsRefused(t *testing.T) {
	w := &wire{pages: []string{sse(1, started, finished)}}
	s, here := w.attach(t)
	outcome, err := begin(t, s)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Start(t.Context(), "demo@there", agent.Input{Text: "Again."})
	var refused *server.Refusal
	if !errors.As(err, &refused) || !strings.Contains(refused.Message, "id of another one") {
		t.Fatalf("got %v", err)
	}
	if got := types(t, here, outcome.ID); got != "start finish" {
		t.Errorf("the first run is now %s", got)
	}
}

func TestADetachedServersRunsEnd(t *testing.T) {
	for name, first := range map[string]string{"before an event of theirs came": "", "after their first event": sse(1, started)} {
		t.Run(name, func(t *testing.T) {
			w := &wire{pages: []string{first, ""}}
			s, here := w.attach(t)
			h, err := s.Start(t.Context(), "demo@there", agent.Input{Text: "Go."})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Detach(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err = h.Wait(t.Context())
			var failed *agent.RunError
			if !errors.As(err, &failed) || !strings.Contains(failed.Message, "not attached any more") {
				t.Errorf("got %v", err)
			}
			if _, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: h.ThreadID, Text: "Go."}); !errors.Is(err, agent.ErrClosed) {
				t.Errorf("a start after that: got %v", err)
			}
			if runs, _ := here.Log().Runs(t.Context(), agent.RunQuery{Statuses: []protocol.Status{protocol.StatusRunning}}); len(runs) > 0 {
				t.Errorf("%d runs are left", len(runs))
			}
		})
	}
}

func TestWhatIsWrongWithAServerIsSaidInWords(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the token goes elsewhere: %q", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"the token is wrong":  {server.Guard{Token: "other"}.Wrap(http.NotFoundHandler()).ServeHTTP, "does not take the token"},
		"it sends elsewhere":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, "sends this program elsewhere (status 302)"},
		"it is a page":        {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "is no server of the protocol"},
		"it has no such list": {http.NotFound, "is no server of the protocol"},
		"its answer has no end": {func(w http.ResponseWriter, _ *http.Request) {
			for block := []byte(strings.Repeat(" ", 1<<20)); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, "is no server of the protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(c.answer)
			defer web.Close()
			web.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			s := &Server{Name: "there", Client: &client.Client{BaseURL: web.URL, HTTP: web.Client(), Token: "sesame"}, Runner: &agent.Runner{}}
			defer s.Close()
			_, err := s.Refresh(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "there at "+web.URL) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("got %v, want it to say that it %s", err, c.want)
			}
		})
	}
	t.Run("nothing listens", func(t *testing.T) {
		s := &Server{Name: "there", Client: &client.Client{BaseURL: "http://127.0.0.1:1"}, Runner: &agent.Runner{}}
		if _, err := s.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing listens there") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("its certificate is not known", func(t *testing.T) {
		web := httptest.NewTLSServer(http.NotFoundHandler())
		web.Config.ErrorLog = quiet
		defer web.Close()
		s := &Server{Name: "there", Client: &client.Client{BaseURL: web.URL, HTTP: &http.Client{Transport: &http.Transport{}}}, Runner: &agent.Runner{}}
		if _, err := s.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "a certificate that is not trusted") {
			t.Errorf("got %v", err)
		}
	})
}
