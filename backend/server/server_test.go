package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(suite{m}) }

// world is a server over real HTTP, with the things a test looks at.
type world struct {
	t       *testing.T
	server  *Server
	runner  *agent.Runner
	url     string
	client  *http.Client // which holds every answer to the document
	ran     atomic.Int64 // executions of the tool "release"
	release chan struct{}
	logged  *lockedBuffer
}

type echoed struct {
	N int `json:"n" jsonschema_description:"A number"`
}

type release struct {
	Target string `json:"target"`
	Count  int    `json:"count,omitempty"`
}

// start serves an agent "demo" that plays turns, with the tools echo, release (waits for approval), hold (runs until the world's
// release is closed or its context is done) and a second agent "other".
func start(t *testing.T, change func(*Server), turns ...scripted.Turn) *world {
	t.Helper()
	w := &world{t: t, release: make(chan struct{}), logged: &lockedBuffer{}}
	tools := []*tool.Tool{
		tool.Must(tool.Config[echoed, echoed]{
			Name: "echo", Description: "Says what it is told", Run: func(_ tool.Context, in echoed) (echoed, error) { return in, nil },
		}),
		tool.Must(tool.Config[release, string]{
			Name: "release", Description: "Releases", Approval: tool.Always, SideEffects: []tool.SideEffect{tool.External},
			Run: func(_ tool.Context, in release) (string, error) {
				w.ran.Add(1)
				return "released to " + in.Target, nil
			},
		}),
		tool.Must(tool.Config[struct{}, string]{
			Name: "hold", Description: "Holds", Run: func(c tool.Context, _ struct{}) (string, error) {
				select {
				case <-w.release:
					return "let go", nil
				case <-c.Done():
					return "", c.Err()
				}
			},
		}),
	}
	log := slog.New(slog.NewTextHandler(w.logged, nil))
	w.server = &Server{
		Agents: []*agent.Agent{
			{Name: "demo", Description: "Shows", Instructions: "the secret instructions", Backend: &scripted.Backend{Turns: turns}, Tools: tools},
			{Name: "other", Description: "Shows too", Backend: &scripted.Backend{Turns: turns}, Tools: tools[:1]},
		},
		Logger: log,
	}
	w.server.Runner = &agent.Runner{MergeWindow: -1, Logger: log}
	if change != nil {
		change(w.server)
	}
	w.runner = w.server.Runner
	web := httptest.NewServer(w.server.Handler())
	w.url, w.client = web.URL, &http.Client{Transport: &conformance{t, w.server}}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := w.runner.Close(ctx); err != nil {
			t.Errorf("close the runner: %v", err)
		}
		if err := w.server.Close(ctx); err != nil {
			t.Errorf("close the server: %v", err)
		}
		web.CloseClientConnections()
		web.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return w
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// request sends one and returns its status and body.
func (w *world) request(method, path, body string, header ...string) (int, string) {
	w.t.Helper()
	response := w.open(w.t.Context(), method, path, body, header...)
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatalf("%s %s: read the answer: %v", method, path, err)
	}
	return response.StatusCode, string(text)
}

// opened is an answer whose body is still to be read.
type opened struct {
	StatusCode int
	Header     http.Header
	Body       io.ReadCloser
}

// open sends a request and returns as soon as the headers are there; the body is closed with the test. header is name, value, name, value.
func (w *world) open(ctx context.Context, method, path, body string, header ...string) opened {
	w.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, w.url+path, reader)
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := w.client.Do(r)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	w.t.Cleanup(func() { _ = response.Body.Close() })
	return opened{response.StatusCode, response.Header, response.Body}
}

// get reads a JSON answer into to and wants status 200, 201 or 202.
func (w *world) json(method, path, body string, to any) {
	w.t.Helper()
	status, text := w.request(method, path, body)
	if status < 200 || status > 202 {
		w.t.Fatalf("%s %s: status %d: %s", method, path, status, text)
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		w.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
}

// sent is one server-sent event as a client reads it.
type sent struct {
	seq  int64 // 0 without an id line
	data string
}

func (s sent) kind() protocol.Type { return eventType([]byte(s.data)) }

// reader reads a stream event by event.
type reader struct {
	t     *testing.T
	lines *bufio.Scanner
}

func newReader(t *testing.T, body io.Reader) *reader {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	return &reader{t: t, lines: lines}
}

// next returns false at the end of the stream.
func (r *reader) next() (sent, bool) {
	r.t.Helper()
	var s sent
	for r.lines.Scan() {
		line := r.lines.Text()
		switch name, value, _ := strings.Cut(line, ": "); name {
		case "":
			if !strings.HasPrefix(line, ": ") && s.data != "" { // else it is a comment
				return s, true
			}
		case "id":
			seq, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				r.t.Fatalf("id line %q: %v", line, err)
			}
			s.seq = seq
		case "data":
			s.data = value
		default:
			r.t.Fatalf("line %q is neither id, data nor a comment", line)
		}
	}
	return s, false
}

// until reads up to the first event of a kind, that one too.
func (r *reader) until(kind protocol.Type) []sent {
	r.t.Helper()
	var all []sent
	for {
		s, ok := r.next()
		if !ok {
			r.t.Fatalf("the stream ended after %d events without %s: %v", len(all), kind, all)
		}
		all = append(all, s)
		if s.kind() == kind {
			return all
		}
	}
}

func (r *reader) all() []sent {
	r.t.Helper()
	var all []sent
	for {
		s, ok := r.next()
		if !ok {
			return all
		}
		all = append(all, s)
	}
}

// stream reads a whole stream.
func (w *world) stream(method, path, body string, header ...string) []sent {
	w.t.Helper()
	response := w.open(w.t.Context(), method, path, body, header...)
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		w.t.Fatalf("%s %s: status %d: %s", method, path, response.StatusCode, text)
	}
	return newReader(w.t, response.Body).all()
}

// logOf is the stored log of a run.
func (w *world) logOf(runID string) []sent {
	w.t.Helper()
	records, err := w.runner.Log().Events(w.t.Context(), runID, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	all := make([]sent, len(records))
	for i, r := range records {
		all[i] = sent{r.Seq, string(r.JSON)}
	}
	return all
}

// eventually waits until a condition holds.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("after a minute not yet: %s", what)
		}
	}
}

func (w *world) statusOf(runID string) protocol.Status {
	w.t.Helper()
	run, err := w.server.findRun(w.t.Context(), runID)
	if err != nil {
		w.t.Fatal(err)
	}
	return run.Status
}

type started struct{ RunID, ThreadID string }

// begin starts a run that nobody listens to.
func (w *world) begin(input string) started {
	w.t.Helper()
	var s started
	w.json("POST", "/agents/demo/runs", fmt.Sprintf(`{"input":%q}`, input), &s)
	return s
}

// paused starts a run and waits until it waits.
func (w *world) paused() started {
	w.t.Helper()
	s := w.begin("go")
	w.eventually("the run waits", func() bool { return w.statusOf(s.RunID) == protocol.StatusPaused })
	return s
}

func (w *world) pending() []approvalAnswer {
	w.t.Helper()
	var answer struct{ Approvals []approvalAnswer }
	w.json("GET", "/approvals", "", &answer)
	return answer.Approvals
}

// slowly says words with a pause before each.
func slowly(pause time.Duration, words ...string) scripted.Turn {
	var t scripted.Turn
	for _, word := range words {
		t.Chunks = append(t.Chunks, scripted.Chunk{DelayMs: int(pause.Milliseconds())}, scripted.Chunk{Text: word})
	}
	t.Chunks = append(t.Chunks, scripted.Chunk{FinishReason: model.FinishStop})
	return t
}

func fails(message, code string) scripted.Turn {
	return scripted.Turn{Chunks: []scripted.Chunk{{Error: message, Code: code}}}
}
