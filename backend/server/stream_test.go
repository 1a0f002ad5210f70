package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

func TestAStreamIsTheLogUnderItsNumbers(t *testing.T) {
	for _, path := range []string{"/agents/demo/stream", "/agents/demo/chat", "/chat"} {
		t.Run(path, func(t *testing.T) {
			w := start(t, nil, scripted.CallTool("c1", "echo", `{"n": 2512292042121000001}`), scripted.Say("It is <b> & done."))
			body := `{"input":"say it"}`
			if strings.HasSuffix(path, "chat") {
				body = `{"messages":[{"role":"user","content":"old"},{"role":"assistant","content":"yes"},{"id":"m7","role":"user","content":"say it"}]}`
			}
			response := w.open(t.Context(), "POST", path, body)
			for name, want := range map[string]string{
				"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
			} {
				if got := response.Header.Get(name); got != want {
					t.Errorf("header %s: got %q, want %q", name, got, want)
				}
			}
			events := newReader(t, response.Body).all()
			if got := events[len(events)-1]; got != (sent{0, "[DONE]"}) {
				t.Errorf("the last event: got %v, want [DONE] without a number", got)
			}
			events = events[:len(events)-1]
			first, err := protocol.DecodeFrame(1, []byte(events[0].data))
			if err != nil {
				t.Fatal(err)
			}
			log := w.logOf(first.Event.(*protocol.Start).RunID)
			if got, want := fmt.Sprint(events), fmt.Sprint(log); got != want {
				t.Errorf("the stream:\n%s\nthe log:\n%s", got, want)
			}
			for i, e := range events {
				if e.seq != int64(i+1) {
					t.Errorf("event %d has the number %d", i+1, e.seq)
				}
			}
			if !strings.Contains(fmt.Sprint(events), "2512292042121000001") || !strings.Contains(fmt.Sprint(events), `<b> & done`) {
				t.Errorf("digits or signs were changed on the way: %v", events)
			}
			if strings.HasSuffix(path, "chat") && !strings.Contains(events[1].data, `"messageId":"m7"`) {
				t.Errorf("the message's own id is lost: %s", events[1].data)
			}
		})
	}
}

// paced gives the second piece once the first was heard.
type paced struct{ heard chan struct{} }

func (p *paced) Stream(ctx context.Context, _ *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if !yield(model.Chunk{Text: "first"}, nil) {
			return
		}
		select {
		case <-p.heard:
		case <-time.After(time.Minute):
			yield(model.Chunk{}, errors.New("the first piece was not heard"))
			return
		case <-ctx.Done():
			yield(model.Chunk{}, ctx.Err())
			return
		}
		_ = yield(model.Chunk{Text: "second"}, nil) && yield(model.Chunk{FinishReason: model.FinishStop}, nil)
	}
}

func TestTheFirstDeltaIsOnTheWireBeforeTheSecondChunkComes(t *testing.T) {
	backend := &paced{heard: make(chan struct{})}
	w := start(t, func(s *Server) {
		s.Agents[0].Backend = backend
		s.Runner.MergeWindow = 0 // the default
	})
	response := w.open(t.Context(), "POST", "/agents/demo/stream", `{"input":"go"}`)
	r := newReader(t, response.Body)
	deltas := r.until(protocol.TypeTextDelta)
	if got := deltas[len(deltas)-1].data; !strings.Contains(got, `"delta":"first"`) {
		t.Errorf("the first delta: got %s", got)
	}
	close(backend.heard)
	if all := r.all(); all[len(all)-1].data != protocol.Done {
		t.Errorf("the stream ended with %v", all[len(all)-1])
	}
}

// slowStore takes its time to store, and knows how far each run is.
type slowStore struct {
	agent.Memory
	takes  time.Duration
	stored atomic.Int64
}

func (s *slowStore) Append(ctx context.Context, b *agent.Batch) error {
	time.Sleep(s.takes)
	if n := len(b.Frames); n > 0 {
		s.stored.Store(b.Frames[n-1].Seq)
	}
	return s.Memory.Append(ctx, b)
}

func TestNoClientSeesAnEventBeforeItIsStored(t *testing.T) {
	store := &slowStore{takes: 200 * time.Millisecond}
	w := start(t, func(s *Server) { s.Runner.Store = store }, scripted.CallTool("c1", "echo", `{"n":1}`), scripted.Say("done"))
	began := time.Now()
	response := w.open(t.Context(), "POST", "/agents/demo/stream", `{"input":"go"}`)
	r, count := newReader(t, response.Body), 0
	for {
		e, ok := r.next()
		if !ok || e.data == "[DONE]" {
			break
		}
		count++
		if stored := store.stored.Load(); e.seq > stored {
			t.Errorf("event %d is on the wire while only %d are stored", e.seq, stored)
		}
		if count == 1 && time.Since(began) < store.takes {
			t.Errorf("the first event came after %v", time.Since(began))
		}
	}
	if count < 8 {
		t.Errorf("got %d events", count)
	}
}

func TestAClientThatReconnectsGetsEachMissedEventOnce(t *testing.T) {
	turns := []scripted.Turn{scripted.CallTool("c1", "echo", `{"n":1}`), slowly(2*time.Millisecond, "a", "b", "c", "d")}
	w := start(t, nil, turns...)
	run := w.begin("go")
	w.eventually("the run ends", func() bool { return w.statusOf(run.RunID).Ended() })
	log := w.logOf(run.RunID)

	for n := range len(log) + 1 {
		t.Run(fmt.Sprintf("a stored run after event %d", n), func(t *testing.T) {
			want := fmt.Sprint(append(append([]sent{}, log[n:]...), sent{0, "[DONE]"}))
			path := fmt.Sprintf("/runs/%s/events", run.RunID)
			if got := fmt.Sprint(w.stream("GET", path, "", "Last-Event-ID", fmt.Sprint(n))); got != want {
				t.Errorf("by Last-Event-ID: got %s, want %s", got, want)
			}
			if got := fmt.Sprint(w.stream("GET", fmt.Sprintf("%s?after=%d", path, n), "")); got != want {
				t.Errorf("by after: got %s, want %s", got, want)
			}
			if got := fmt.Sprint(w.stream("GET", path+"?after=0", "", "Last-Event-ID", fmt.Sprint(n))); got != want {
				t.Errorf("by both, where Last-Event-ID wins: got %s, want %s", got, want)
			}
		})
	}
	for n := range len(log) {
		t.Run(fmt.Sprintf("a live run cut after event %d", n+1), func(t *testing.T) {
			w := start(t, nil, turns...)
			run := w.begin("go")
			ctx, cut := context.WithCancel(t.Context())
			response := w.open(ctx, "GET", "/runs/"+run.RunID+"/events", "")
			r := newReader(t, response.Body)
			var got []sent
			for range n + 1 {
				e, _ := r.next()
				got = append(got, e)
			}
			cut()
			_ = response.Body.Close()
			got = append(got, w.stream("GET", "/runs/"+run.RunID+"/events", "", "Last-Event-ID", fmt.Sprint(n+1))...)
			want := append(w.logOf(run.RunID), sent{0, "[DONE]"})
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestASlowReaderLosesNothingAndSlowsNobody(t *testing.T) { // CASES G6
	var long scripted.Turn
	word := strings.Repeat("x", 1600)
	for range 5000 {
		long.Chunks = append(long.Chunks, scripted.Chunk{Text: word})
	}
	long.Chunks = append(long.Chunks, scripted.CallTool("c1", "release", `{"target":"x"}`).Chunks...)
	w := start(t, nil, long, scripted.Say("done"))
	run := w.begin("go")
	response := w.open(t.Context(), "GET", "/runs/"+run.RunID+"/events", "")
	w.eventually("the call waits while nobody reads", func() bool { return w.statusOf(run.RunID) == protocol.StatusPaused })
	if waiting := w.pending(); len(waiting) != 1 || waiting[0].ToolCallID != "c1" {
		t.Fatalf("%+v wait, want the call c1 alone", waiting)
	}
	w.decideAll(true)
	w.eventually("the run ends while nobody reads", func() bool { return w.statusOf(run.RunID).Ended() })
	events := newReader(t, response.Body).all()
	log := w.logOf(run.RunID)
	if got, want := len(events), len(log)+1; got != want {
		t.Fatalf("got %d events, want %d", got, want)
	}
	for i, e := range log {
		if events[i] != e {
			t.Fatalf("event %d differs from the log", i+1)
		}
	}
}

func TestEventsGoOnOverPauses(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("done"))
	run := w.begin("go")
	response := w.open(t.Context(), "GET", "/runs/"+run.RunID+"/events", "")
	r := newReader(t, response.Body)
	got := r.until(protocol.TypeFinish)
	w.decideAll(true)
	got = append(got, r.all()...)
	want := append(w.logOf(run.RunID), sent{0, "[DONE]"})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if w.ran.Load() != 1 {
		t.Errorf("the call ran %d times", w.ran.Load())
	}
}

// decideAll decides everything that waits.
func (w *world) decideAll(approved bool) {
	w.t.Helper()
	for _, p := range w.pending() {
		w.json("POST", "/approvals/"+p.ApprovalID+"/decision",
			fmt.Sprintf(`{"approved":%t,"argumentsHash":%q}`, approved, p.ArgumentsHash), &struct{}{})
	}
}

func TestAfterAnErrorTheStreamOnlyCloses(t *testing.T) {
	w := start(t, nil, fails("the model is ill", model.CodeInvalidResponse))
	live := w.stream("POST", "/agents/demo/stream", `{"input":"go"}`)
	last := live[len(live)-1]
	if last.kind() != protocol.TypeError || !strings.Contains(last.data, "the model is ill") {
		t.Fatalf("the last event: got %v, want the error", last)
	}
	first, err := protocol.DecodeFrame(1, []byte(live[0].data))
	if err != nil {
		t.Fatal(err)
	}
	path := "/runs/" + first.Event.(*protocol.Start).RunID + "/events"
	if got := w.stream("GET", path, ""); fmt.Sprint(got) != fmt.Sprint(live) {
		t.Errorf("replayed: got %v, want %v", got, live)
	}
	if got := w.stream("GET", path, "", "Last-Event-ID", fmt.Sprint(last.seq)); len(got) != 0 {
		t.Errorf("after the error: got %v, want nothing", got)
	}
}

func TestClientsThatLeaveLeaveNothingBehind(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "hold", `{}`), scripted.Say("done"))
	run := w.begin("go")
	w.eventually("the call runs", func() bool { return len(w.logOf(run.RunID)) > 5 })
	http.DefaultClient.CloseIdleConnections()
	ctx, leave := context.WithCancel(t.Context())
	before := goleak.IgnoreCurrent()
	for range 20 {
		for _, path := range []string{"/runs/" + run.RunID + "/events", "/doorbell"} {
			response := w.open(ctx, "GET", path, "")
			if path != "/doorbell" {
				newReader(t, response.Body).until(protocol.TypeCallState)
			}
		}
	}
	leave()
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
	close(w.release)
}

// limited is an answer whose connection has the timeouts of requests.
type limited struct {
	http.ResponseWriter
	read, write time.Time
}

func (l *limited) SetReadDeadline(at time.Time) error  { l.read = at; return nil }
func (l *limited) SetWriteDeadline(at time.Time) error { l.write = at; return nil }
func (l *limited) Unwrap() http.ResponseWriter         { return l.ResponseWriter }

func TestAStreamOutlivesTheTimeoutsOfRequests(t *testing.T) {
	w := start(t, nil, scripted.Say("done"))
	run := w.begin("go")
	for _, path := range []string{"/runs/" + run.RunID + "/events", "/doorbell"} {
		ctx, leave := context.WithCancel(t.Context())
		soon := time.Now().Add(time.Minute)
		out := &limited{httptest.NewRecorder(), soon, soon}
		if strings.HasSuffix(path, "doorbell") {
			leave() // it has no end
		}
		w.server.Handler().ServeHTTP(out, httptest.NewRequestWithContext(ctx, "GET", path, nil))
		leave()
		if !out.read.IsZero() || !out.write.IsZero() {
			t.Errorf("%s ends at %v and %v", path, out.read, out.write)
		}
	}
}

func TestClosingTheServerEndsItsStreams(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "hold", `{}`), scripted.Say("done"))
	run := w.begin("go")
	streams := map[string]opened{}
	for _, path := range []string{"/runs/" + run.RunID + "/events", "/doorbell"} {
		streams[path] = w.open(t.Context(), "GET", path, "")
	}
	if err := w.server.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, stream := range streams {
		if _, err := io.ReadAll(stream.Body); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if status, body := w.request("GET", "/ready", ""); status != http.StatusServiceUnavailable {
		t.Errorf("ready: got %d %s", status, body)
	}
	close(w.release)
}

// brokenStore cannot be read once broken is set.
type brokenStore struct {
	agent.Memory
	broken atomic.Bool
	silent atomic.Bool // and not be written
}

func (s *brokenStore) Events(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error) {
	if s.broken.Load() {
		return nil, fmt.Errorf("disk /secret/path is gone")
	}
	return s.Memory.Events(ctx, runID, after, limit)
}

func (s *brokenStore) Append(ctx context.Context, b *agent.Batch) error {
	if s.silent.Load() {
		return fmt.Errorf("the disk is full")
	}
	return s.Memory.Append(ctx, b)
}

func TestAStreamThatCannotGoOnSaysSo(t *testing.T) {
	for _, c := range []struct {
		name   string
		breaks func(*brokenStore)
		want   string
	}{
		{"the store cannot be read: the reason is the log's", func(s *brokenStore) { s.broken.Store(true) }, hidden},
		{"the run's end cannot be stored: the reason is the client's", func(s *brokenStore) { s.silent.Store(true) }, "the disk is full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := &brokenStore{}
			w := start(t, func(s *Server) { s.Runner.Store = store }, scripted.CallTool("c1", "hold", `{}`), scripted.Say("done"))
			response := w.open(t.Context(), "POST", "/agents/demo/stream", `{"input":"go"}`)
			r := newReader(t, response.Body)
			r.until(protocol.TypeCallState)
			c.breaks(store)
			close(w.release)
			rest := r.all()
			if len(rest) == 0 {
				t.Fatal("the stream closed without a word")
			}
			last := rest[len(rest)-1]
			if last.seq != 0 || last.kind() != protocol.TypeError || !strings.Contains(last.data, c.want) || strings.Contains(last.data, "/secret") {
				t.Errorf("got %v, want an error without a number that says %q", last, c.want)
			}
		})
	}
}
