package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"callboard/backend/approval"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

// bareWriter is what the window's asset handler gives: it cannot flush.
type bareWriter struct {
	header http.Header
	status int
	body   strings.Builder
}

func (b *bareWriter) Header() http.Header         { return b.header }
func (b *bareWriter) WriteHeader(status int)      { b.status = status }
func (b *bareWriter) Write(p []byte) (int, error) { return b.body.Write(p) }

func TestInTheWindowAllButStreamsWorks(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("done"))
	handler := http.StripPrefix("/api", w.server.Handler())
	ask := func(method, path, body string, header ...string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), method, "wails://wails/api"+path, struct{ io.Reader }{strings.NewReader(body)})
		r.Host, r.ContentLength = "wails", -1
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		out := &bareWriter{header: http.Header{}, status: 200}
		handler.ServeHTTP(out, r)
		return out.status, out.body.String()
	}
	for _, path := range []string{"/agents/demo/stream", "/chat", "/agents/demo/resume/stream"} {
		body := `{"input":"x"}`
		if status, text := ask("POST", path, body); status != 501 || !strings.Contains(text, CodeNoStream) {
			t.Errorf("%s: got %d %s", path, status, text)
		}
	}
	status, text := ask("POST", "/agents/demo/runs", `{"input":"x","threadId":"t/1"}`)
	if status != 202 {
		t.Fatalf("start: got %d %s", status, text)
	}
	var run started
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		t.Fatal(err)
	}
	w.eventually("the run waits", func() bool { return w.statusOf(run.RunID) == protocol.StatusPaused })
	for _, path := range []string{"/doorbell", "/runs/" + run.RunID + "/events"} {
		if status, text := ask("GET", path, ""); status != 501 {
			t.Errorf("%s: got %d %s", path, status, text)
		}
	}
	if status, text = ask("GET", "/runs/"+run.RunID+"/events", "", "Accept", "application/json"); status != 200 || !strings.Contains(text, `"status":"paused"`) {
		t.Errorf("events: got %d %s", status, text)
	}
	if status, text = ask("GET", "/threads/t%2F1", ""); status != 200 {
		t.Errorf("thread: got %d %s", status, text)
	}
	p := w.pending()[0]
	status, text = ask("POST", "/approvals/"+p.ApprovalID+"/decision", fmt.Sprintf(`{"approved":true,"argumentsHash":%q}`, approval.Hash(p.ArgumentsText)))
	if status != 200 || !strings.Contains(text, `"resumed":true`) {
		t.Errorf("decide: got %d %s", status, text)
	}
	w.eventually("the run ends", func() bool { return w.statusOf(run.RunID).Ended() })
	if status, text = ask("DELETE", "/threads/t%2F1", ""); status != 204 {
		t.Errorf("delete: got %d %s", status, text)
	}
}
