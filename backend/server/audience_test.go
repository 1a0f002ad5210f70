package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

// grace is of a run whose client does not come back.
const grace = 100 * time.Millisecond

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

// alone is the timer that runs while nobody listens to a run that is watched; nil while somebody does, or it is not.
func (w *world) alone(runID string) *time.Timer {
	w.server.audience.mu.Lock()
	defer w.server.audience.mu.Unlock()
	if run := w.server.audience.runs[runID]; run != nil && run.owned {
		return run.left
	}
	return nil
}

func TestARunGoesOnWithoutItsClientWhen(t *testing.T) {
	hold := []scripted.Turn{scripted.CallTool("c1", "hold", `{}`), scripted.Say("done")}
	long := func(s *Server) { s.Grace = time.Hour }
	// goesOn wants a run that is not about to be cancelled, and lets it go to its end.
	goesOn := func(w *world, id string) {
		w.t.Helper()
		w.eventually("the run is left alone", func() bool { return w.alone(id) == nil })
		if got := w.statusOf(id); got != protocol.StatusRunning {
			w.t.Fatalf("the run is %s", got)
		}
		close(w.release)
		w.eventually("the run completes", func() bool { return w.statusOf(id) == protocol.StatusCompleted })
	}
	// left starts a run whose client has left, and which is cancelled in an hour.
	left := func(w *world) string {
		w.t.Helper()
		id := w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeCallState)
		w.eventually("the leaving is noticed", func() bool { return w.alone(id) != nil })
		return id
	}

	t.Run("it came back", func(t *testing.T) {
		w := start(t, long, hold...)
		id := left(w)
		w.open(t.Context(), "GET", "/runs/"+id+"/events", "")
		goesOn(w, id)
	})
	t.Run("it came back, until it leaves again: the grace period begins anew", func(t *testing.T) {
		w := start(t, long, hold...)
		id := left(w)
		ctx, leave := context.WithCancel(t.Context())
		back := w.open(ctx, "GET", "/runs/"+id+"/events", "")
		w.eventually("the client is back", func() bool { return w.alone(id) == nil })
		leave()
		_ = back.Body.Close()
		w.eventually("the leaving is noticed", func() bool { return w.alone(id) != nil })
	})
	t.Run("it asks for the events again and again, without a stream", func(t *testing.T) {
		w := start(t, long, hold...)
		id := left(w)
		for range 3 {
			before := w.alone(id)
			w.request("GET", "/runs/"+id+"/events", "", "Accept", "application/json")
			w.eventually("the grace period begins anew", func() bool { now := w.alone(id); return now != nil && now != before })
		}
		close(w.release)
		w.eventually("the run completes", func() bool { return w.statusOf(id) == protocol.StatusCompleted })
	})
	t.Run("it was started with /runs", func(t *testing.T) {
		w := start(t, long, hold...)
		goesOn(w, w.begin("go").RunID)
	})
	t.Run("the server keeps runs", func(t *testing.T) {
		w := start(t, func(s *Server) { s.Grace, s.KeepRuns = time.Hour, true }, hold...)
		goesOn(w, w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeCallState))
	})
	t.Run("it waits, and when it was decided since", func(t *testing.T) {
		w := start(t, long, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.CallTool("c2", "hold", `{}`), scripted.Say("done"))
		id := w.leaveAfter("/agents/demo/stream", `{"input":"go"}`, protocol.TypeApprovalRequired)
		w.eventually("the run waits", func() bool { return w.statusOf(id) == protocol.StatusPaused })
		w.server.abandon(id) // as when the grace period is over
		if got := w.statusOf(id); got != protocol.StatusPaused {
			t.Fatalf("the run is %s", got)
		}
		w.decideAll(true)
		w.eventually("the run goes on", func() bool { return w.statusOf(id) == protocol.StatusRunning })
		w.server.abandon(id)
		close(w.release)
		w.eventually("the run completes", func() bool { return w.statusOf(id) == protocol.StatusCompleted })
	})
	t.Run("it came to wait, and was decided, after the client left", func(t *testing.T) {
		w := start(
			t, long, scripted.CallTool("c1", "hold", `{}`), scripted.CallTool("c2", "release", `{"target":"x"}`), scripted.CallTool("c3", "hold", `{}`), scripted.Say("done"),
		)
		id := left(w)
		w.release <- struct{}{}
		w.eventually("the run waits", func() bool { return w.statusOf(id) == protocol.StatusPaused })
		w.decideAll(true)
		w.eventually("the run goes on", func() bool { return w.statusOf(id) == protocol.StatusRunning })
		w.server.abandon(id)
		close(w.release)
		w.eventually("the run completes", func() bool { return w.statusOf(id) == protocol.StatusCompleted })
	})
	t.Run("the server closes", func(t *testing.T) {
		w := start(t, long, hold...)
		id := left(w)
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
