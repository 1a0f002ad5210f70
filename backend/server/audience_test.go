package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

// grace is long enough to come back within on a busy machine.
const grace = 500 * time.Millisecond

// leaveAfter opens a stream, reads up to an event, leaves, and returns the run's id.
func (w *world) leaveAfter(path, body string, kind protocol.Type) string {
	w.t.Helper()
	ctx, leave := context.WithCancel(w.t.Context())
	defer leave()
	response := w.open(ctx, "POST", path, body)
	events := newReader(w.t, response.Body).until(kind)
	first, err := protocol.DecodeFrame(1, []byte(events[0].data))
	if err != nil {
		w.t.Fatal(err)
	}
	return first.Event.(*protocol.Start).RunID
}

func TestARunWhoseClientLeftIsCancelled(t *testing.T) {
	for path, body := range map[string]string{
		"/agents/demo/stream": `{"input":"go"}`,
		"/chat":               `{"messages":[{"role":"user","content":"go"}]}`,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := start(t, func(s *Server) { s.Grace = grace }, scripted.CallTool("c1", "hold", `{}`), scripted.Say("done"))
			left := time.Now()
			id := w.leaveAfter(path, body, protocol.TypeCallState)
			w.eventually("the run is cancelled", func() bool { return w.statusOf(id) == protocol.StatusCancelled })
			if got := time.Since(left); got < grace {
				t.Errorf("cancelled after %v, within the grace period", got)
			}
		})
	}
}

func TestARunGoesOnWithoutItsClientWhen(t *testing.T) {
	hold := []scripted.Turn{scripted.CallTool("c1", "hold", `{}`), scripted.Say("done")}
	short := func(s *Server) { s.Grace = grace }
	goesOn := func(w *world, id string) {
		w.t.Helper()
		time.Sleep(2 * grace)
		if got := w.statusOf(id); got != protocol.StatusRunning {
			w.t.Fatalf("the run is %s", got)
		}
		close(w.release)
		w.eventually("the run completes", func() bool { return w.statusOf(id) == protocol.StatusCompleted })
	}

	t.Run("it came back", func(t *testing.T) {
		t.Parallel()
		w := start(t, short, hold...)
		id := w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeCallState)
		w.open(t.Context(), "GET", "/runs/"+id+"/events", "")
		goesOn(w, id)
	})
	t.Run("it came back and left again: the grace period begins anew", func(t *testing.T) {
		t.Parallel()
		w := start(t, short, hold...)
		id := w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeCallState)
		ctx, leave := context.WithCancel(t.Context())
		back := w.open(ctx, "GET", "/runs/"+id+"/events", "")
		time.Sleep(2 * grace)
		leave()
		_ = back.Body.Close()
		w.eventually("the run is cancelled", func() bool { return w.statusOf(id) == protocol.StatusCancelled })
	})
	t.Run("it asks for the events again and again, without a stream", func(t *testing.T) {
		t.Parallel()
		w := start(t, short, hold...)
		id := w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeCallState)
		for range 20 {
			time.Sleep(grace / 10)
			w.request("GET", "/runs/"+id+"/events", "", "Accept", "application/json")
		}
		if got := w.statusOf(id); got != protocol.StatusRunning {
			t.Fatalf("the run is %s", got)
		}
		close(w.release)
		w.eventually("the run completes", func() bool { return w.statusOf(id) == protocol.StatusCompleted })
	})
	t.Run("it was started with /runs", func(t *testing.T) {
		t.Parallel()
		w := start(t, short, hold...)
		goesOn(w, w.begin("go").RunID)
	})
	t.Run("the server keeps runs", func(t *testing.T) {
		t.Parallel()
		w := start(t, func(s *Server) { s.Grace, s.KeepRuns = grace, true }, hold...)
		goesOn(w, w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeCallState))
	})
	t.Run("it waits, and when it was decided since", func(t *testing.T) {
		t.Parallel()
		w := start(t, short, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.CallTool("c2", "hold", `{}`), scripted.Say("done"))
		id := w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeApprovalRequired)
		time.Sleep(2 * grace)
		if got := w.statusOf(id); got != protocol.StatusPaused {
			t.Fatalf("the run is %s", got)
		}
		w.decideAll(true)
		w.eventually("the run goes on", func() bool { return w.statusOf(id) == protocol.StatusRunning })
		goesOn(w, id)
	})
	t.Run("it came to wait, and was decided, after the client left", func(t *testing.T) {
		t.Parallel()
		asks := slowly(100*time.Millisecond, "I will release it.")
		asks.Chunks = append(asks.Chunks[:2], scripted.CallTool("c1", "release", `{"target":"x"}`).Chunks...)
		w := start(t, short, asks, scripted.CallTool("c2", "hold", `{}`), scripted.Say("done"))
		id := w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeMessage)
		w.eventually("the run waits", func() bool { return w.statusOf(id) == protocol.StatusPaused })
		w.decideAll(true)
		w.eventually("the run goes on", func() bool { return w.statusOf(id) == protocol.StatusRunning })
		goesOn(w, id)
	})
	t.Run("the server closes", func(t *testing.T) {
		t.Parallel()
		w := start(t, short, hold...)
		id := w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeCallState)
		if err := w.server.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		goesOn(w, id)
	})
}

func TestARunThatIsOverIsForgotten(t *testing.T) {
	w := start(t, nil, scripted.Say("one"), fails("it is ill", "LLM_TIMEOUT"), scripted.CallTool("c1", "release", `{"target":"x"}`))
	for range 3 {
		w.stream("POST", "/agents/demo/stream", `{"input":"go","threadId":"t"}`)
	}
	w.server.audience.mu.Lock()
	defer w.server.audience.mu.Unlock()
	if got := len(w.server.audience.runs); got != 0 {
		t.Errorf("%d runs are still watched", got)
	}
}

func TestWhoHeardOfARunBeforeItWasWatchedListensToItToo(t *testing.T) {
	for name, firstLeaves := range map[string]bool{"and leaves before who started it": true, "and leaves after who started it": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				abandoned := make(chan string, 1)
				a := &audience{grace: grace, abandon: func(runID string) { abandoned <- runID }}
				defer a.close()
				first := a.join("r")
				a.own("r")
				last := a.join("r")
				if !firstLeaves {
					first, last = last, first
				}
				first()
				time.Sleep(2 * grace)
				synctest.Wait()
				if len(abandoned) > 0 {
					t.Fatal("the run is abandoned, though one still listens")
				}
				last()
				time.Sleep(2 * grace)
				synctest.Wait()
				if len(abandoned) == 0 {
					t.Error("the run is not abandoned, though nobody listens")
				}
			})
		})
	}
}
