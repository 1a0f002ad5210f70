package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/server"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("STUDIO_TEST_CHILD"); dir != "" {
		os.Exit(serveAsChild(dir))
	}
	goleak.VerifyTestMain(m)
}

// bench is a studio under test, served behind a guard as `callboard serve` does.
type bench struct {
	*testing.T
	studio *Studio
	url    string
	client *http.Client
}

// quick takes the pauses out of a studio.
func quick(r *agent.Runner) {
	r.RetryDelay = time.Millisecond
	r.MergeWindow = -1
}

func unpaced(s *Studio) {
	for _, turn := range s.demo.script.Turns {
		for i := range turn.Chunks {
			turn.Chunks[i].DelayMs = 0
		}
	}
}

func openBench(t *testing.T, c Config) *bench {
	t.Helper()
	t.Setenv("CHECK_PAUSE", "0")
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.LocalServers == nil {
		c.LocalServers = []LocalServer{} // the machine's own are no part of a test
	}
	c.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	s, err := open(t.Context(), c, quick)
	if err != nil {
		t.Fatalf("open the studio: %v", err)
	}
	unpaced(s)
	web := httptest.NewServer(s.ServeHandler(server.Guard{Token: "secret"}))
	b := &bench{T: t, studio: s, url: web.URL, client: web.Client()}
	t.Cleanup(func() {
		if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("close the studio: %v", err)
		}
		web.Close()
	})
	return b
}

// call sends a request and returns the body of the answer, which must have the status wanted.
func (b *bench) call(method, path, body string, want int) string {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer secret")
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := b.client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		b.Fatal(err)
	}
	if response.StatusCode != want {
		b.Fatalf("%s %s gave %d, want %d: %s", method, path, response.StatusCode, want, answer)
	}
	return string(answer)
}

// fetch is call with the answer decoded.
func fetch[T any](b *bench, method, path, body string, want int) T {
	b.Helper()
	return decode[T](b, b.call(method, path, body, want))
}

func decode[T any](b *bench, text string) T {
	b.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		b.Fatalf("decode %s: %v", text, err)
	}
	return v
}

// asJSON is a request's body.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (b *bench) newThread(body string) threadView {
	b.Helper()
	return fetch[threadView](b, http.MethodPost, "/api/studio/threads", body, http.StatusCreated)
}

// logged is an event of a run as a client reads it.
type logged struct {
	Seq  int64
	Type string
	raw  string

	ID, ToolCallID, ToolName, Message, Code, State, Phase, Status, Error, ErrorCode, Delta, Reason string
	ArgsTextDelta, ArgumentsText                                                                   string
	Dropped                                                                                        bool
	Result, Details, Content, Presentation                                                         json.RawMessage
	Approvals                                                                                      []struct{ ApprovalID, ToolCallID, ArgumentsHash, ArgumentsText, Kind string }
}

// runLog is a run's events, once no stretch of it is at work.
type runLog struct {
	events []logged
	status string
}

func (b *bench) send(threadID, agentName, text string) (runID string) {
	b.Helper()
	body := asJSON(map[string]string{"threadId": threadID, "input": text})
	return fetch[struct{ RunID string }](b, http.MethodPost, "/api/agents/"+agentName+"/runs", body, http.StatusAccepted).RunID
}

// settled waits until a run has ended or waits for a person.
func (b *bench) settled(runID string) runLog {
	b.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		page := b.page(runID)
		if page.Status != "running" {
			return b.readLog(page.Events, page.Status)
		}
	}
	b.Fatalf("run %s did not settle: %s", runID, b.call(http.MethodGet, "/api/runs/"+runID+"/events", "", http.StatusOK))
	return runLog{}
}

type eventsPage struct {
	Events []json.RawMessage
	Status string
}

func (b *bench) page(runID string) eventsPage {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.url+"/api/runs/"+runID+"/events", nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer secret")
	request.Header.Set("Accept", "application/json")
	response, err := b.client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	var page eventsPage
	err = errors.Join(json.NewDecoder(response.Body).Decode(&page), response.Body.Close())
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("read the events of %s: %s %v", runID, response.Status, err)
	}
	return page
}

func (b *bench) readLog(events []json.RawMessage, status string) runLog {
	b.Helper()
	log := runLog{status: status}
	for _, raw := range events {
		event := decode[logged](b, string(raw))
		event.raw = string(raw)
		log.events = append(log.events, event)
	}
	return log
}

func (l runLog) last() logged { return l.events[len(l.events)-1] }

// of returns the events of a type.
func (l runLog) of(kind string) []logged {
	var out []logged
	for _, event := range l.events {
		if event.Type == kind {
			out = append(out, event)
		}
	}
	return out
}

func (l runLog) String() string {
	var out strings.Builder
	for _, event := range l.events {
		fmt.Fprintln(&out, event.raw)
	}
	return out.String()
}

// decideAll answers everything a paused run waits for.
func (b *bench) decideAll(log runLog, approved bool) {
	b.Helper()
	if log.status != "paused" {
		b.Fatalf("the run is %s, want it paused:\n%s", log.status, log)
	}
	required := log.of("approval-required")
	for _, a := range required[len(required)-1].Approvals {
		body := asJSON(map[string]any{"approved": approved, "argumentsHash": a.ArgumentsHash})
		b.call(http.MethodPost, "/api/approvals/"+a.ApprovalID+"/decision", body, http.StatusOK)
	}
}

func readFile(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func writeFile(t *testing.T, content string, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}
