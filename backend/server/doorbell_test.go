package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

func TestTheDoorbellTellsOfThreadsThatAreDeleted(t *testing.T) {
	w := start(t, nil, scripted.Say("done"))
	run := w.begin("go")
	w.eventually("the run to end", func() bool { return w.statusOf(run.RunID) == protocol.StatusCompleted })
	r := newReader(t, w.open(t.Context(), "GET", "/doorbell", "").Body)
	if status, answer := w.request("DELETE", "/threads/"+run.ThreadID, ""); status != http.StatusNoContent {
		t.Fatalf("got %d %s", status, answer)
	}
	for {
		e, ok := r.next()
		if !ok {
			t.Fatal("the doorbell ended")
		}
		if strings.Contains(e.data, `"deleted":true`) {
			if !strings.Contains(e.data, run.ThreadID) || !strings.Contains(e.data, `"runId":""`) {
				t.Errorf("got %s", e.data)
			}
			return
		}
	}
}

func TestTheDoorbellRingsForEveryRun(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("done"))
	old := w.paused()
	bell := w.open(t.Context(), "GET", "/doorbell", "")
	r := newReader(t, bell.Body)
	first, _ := r.next()
	if !strings.Contains(first.data, old.RunID) || !strings.Contains(first.data, `"paused"`) || first.seq != 0 {
		t.Errorf("the first ring: got %v, want the paused run, without a number", first)
	}
	run := w.begin("go")
	for {
		e, ok := r.next()
		if !ok {
			t.Fatal("the doorbell ended")
		}
		if strings.Contains(e.data, run.RunID) && strings.Contains(e.data, `"paused"`) {
			if want := fmt.Sprintf(`"last":%d`, len(w.logOf(run.RunID))); !strings.Contains(e.data, want) {
				t.Errorf("got %s, want %s", e.data, want)
			}
			return
		}
	}
}

func TestASilentStreamSendsComments(t *testing.T) {
	w := start(t, func(s *Server) { s.KeepAlive = 10 * time.Millisecond }, scripted.CallTool("c1", "hold", `{}`), scripted.Say("done"))
	stream := newReader(t, w.open(t.Context(), "POST", "/agents/demo/stream", `{"input":"go"}`).Body)
	bell := newReader(t, w.open(t.Context(), "GET", "/doorbell", "").Body)
	for name, r := range map[string]*reader{"stream": stream, "doorbell": bell} {
		for comments := 0; comments < 3; {
			if !r.lines.Scan() {
				t.Fatalf("the %s ended after %d comments", name, comments)
			}
			if strings.HasPrefix(r.lines.Text(), ": ") {
				comments++
			}
		}
	}
	close(w.release)
	for _, e := range stream.all() {
		if e.seq == 0 && e.data != "[DONE]" {
			t.Errorf("event without a number: %v", e)
		}
	}
}

func TestAHeadRequestOfAStreamIsAnsweredAtOnce(t *testing.T) {
	w := start(t, nil)
	if response := w.open(t.Context(), "HEAD", "/doorbell", ""); response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %d %v", response.StatusCode, response.Header)
	}
}
