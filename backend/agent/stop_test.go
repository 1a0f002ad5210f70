package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func TestCancelAndAMessageEndAPausedRun(t *testing.T) {
	for name, end := range map[string]func(w *world, runID string) error{
		"cancel": func(w *world, runID string) error { return w.r.Cancel(w.t.Context(), runID) },
		"a message that denies": func(w *world, _ string) error {
			if _, err := w.r.Start(w.t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "rather not"}); !errors.Is(err, agent.ErrPaused) {
				t.Errorf("got %v, want ErrPaused", err)
			}
			h, err := w.r.Start(w.t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "rather not", DenyPending: true})
			if err == nil {
				w.wait(h)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			w := newWorld(t, demo([]*tool.Tool{echo(&did), danger(&did)}, twoCalls(), scripted.Say("ok")))
			outcome := w.run("go")
			if err := end(w, outcome.ID); err != nil {
				t.Fatal(err)
			}
			states, err := w.store.Runs(t.Context(), agent.RunQuery{ID: outcome.ID})
			if err != nil || states[0].Status != protocol.StatusCancelled {
				t.Errorf("got %v %v, want cancelled", states, err)
			}
			if states[0].Approvals[0].Decision == nil {
				t.Error("the approval still waits")
			}
			if len(did.get()) != 0 {
				t.Errorf("%q ran", did.get())
			}
			w.golden("ended-"+strings.ReplaceAll(name, " ", "-"), outcome.ID)
			w.checkHistory()
			if err := w.r.Cancel(t.Context(), outcome.ID); !errors.Is(err, agent.ErrEnded) {
				t.Errorf("got %v, want ErrEnded", err)
			}
		})
	}
}

// heldStore stores the pause of a run only once it is let go.
type heldStore struct {
	agent.Store
	once          sync.Once
	held, release chan struct{}
}

func (s *heldStore) Append(ctx context.Context, b *agent.Batch) error {
	if b.Run.Status == protocol.StatusPaused {
		s.once.Do(func() { close(s.held) })
		<-s.release
	}
	return s.Store.Append(ctx, b)
}

func TestWhatIsStoppedWhileItsRunPausesIsStopped(t *testing.T) {
	for name, stop := range map[string]func(w *world, runID string) error{
		"the run":  func(w *world, runID string) error { return w.r.Cancel(w.t.Context(), runID) },
		"the call": func(w *world, runID string) error { return w.r.CancelCall(w.t.Context(), runID, "c1") },
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			a := demo([]*tool.Tool{danger(&did)}, scripted.CallTool("c1", "danger", `{"text":"x"}`), scripted.Say("Done."))
			w := newWorld(t, a)
			store := &heldStore{Store: w.store, held: make(chan struct{}), release: make(chan struct{})}
			w.store = store
			w.open(a)
			h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
			if err != nil {
				t.Fatal(err)
			}
			<-store.held
			stopped := make(chan error, 1)
			go func() { stopped <- stop(w, h.RunID) }()
			close(store.release)
			if err := <-stopped; err != nil {
				t.Errorf("got %v", err)
			}
			w.wait(h)
			if got := w.settled(h.RunID); !got.Status.Ended() || got.Approvals[0].Decision == nil || len(did.get()) > 0 {
				t.Errorf("the run is %s, and %q ran", got.Status, did.get())
			}
			w.checkHistory()
		})
	}
}

func sleeper(started chan<- string) *tool.Tool {
	return tool.Must(tool.Config[echoInput, string]{
		Name: "sleep", Description: "waits",
		Run: func(ctx tool.Context, in echoInput) (string, error) {
			started <- in.Text
			if in.Text == "quick" {
				return "done", nil
			}
			<-ctx.Done()
			ctx.Update(tool.Update{Content: "late"})
			return "", ctx.Err()
		},
	})
}

func TestE4StopReachesTheToolAndE1TheNextMessageWorks(t *testing.T) {
	started := make(chan string, 4)
	w := newWorld(t, demo([]*tool.Tool{sleeper(started)}, scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "sleep", Arguments: `{"text":"quick"}`},
		model.ToolCall{ID: "c2", Name: "sleep", Arguments: `{"text":"long"}`},
		model.ToolCall{ID: "c3", Name: "sleep", Arguments: `{"text":"never"}`},
	), scripted.Say("on we go")))
	h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	<-started
	<-started
	if err := w.r.Cancel(t.Context(), h.RunID); err != nil {
		t.Fatal(err)
	}
	outcome := w.wait(h)
	if outcome.Status != protocol.StatusCancelled {
		t.Errorf("got %s, want cancelled", outcome.Status)
	}
	log := w.golden("cancelled", outcome.ID)
	if strings.Contains(log, "late") {
		t.Error("an update after the cancel was told")
	}
	if !strings.HasSuffix(strings.TrimSpace(log), `"status":"cancelled"}`) {
		t.Error("the log does not end in finish cancelled")
	}
	w.checkHistory()
	if got := w.run("again").Output; got != "on we go" {
		t.Errorf("the next message gave %q", got)
	}
}

func TestE5OneCallIsCancelledAndItsRunGoesOn(t *testing.T) {
	started := make(chan string, 4)
	a := demo([]*tool.Tool{sleeper(started)}, scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "sleep", Arguments: `{"text":"quick"}`},
		model.ToolCall{ID: "c2", Name: "sleep", Arguments: `{"text":"long"}`},
		model.ToolCall{ID: "c3", Name: "sleep", Arguments: `{"text":"quick"}`},
	), scripted.Say("fine"))
	a.Parallel = true
	w := newWorld(t, a)
	h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-started
	}
	if err := w.r.CancelCall(t.Context(), h.RunID, "c2"); err != nil {
		t.Fatal(err)
	}
	outcome := w.wait(h)
	if outcome.Status != protocol.StatusCompleted {
		t.Errorf("got %s, want completed", outcome.Status)
	}
	messages := w.history()
	for i, want := range []string{"done", "cancelled by user", "done"} {
		if got := messages[2+i].Content; !strings.Contains(got, want) {
			t.Errorf("the model reads %q of call %d, want %q", got, i+1, want)
		}
	}
	w.checkHistory()
}

func TestE3AHalfWrittenCallIsDroppedOnStop(t *testing.T) {
	var did runs
	w := newWorld(t, demo([]*tool.Tool{echo(&did)}, scripted.Turn{Chunks: []scripted.Chunk{
		{Text: "I begin"},
		{ToolInput: &model.ToolInput{Type: model.ToolInputStart, ToolCallID: "c1", ToolName: "echo"}},
		{ToolInput: &model.ToolInput{Type: model.ToolInputDelta, ToolCallID: "c1", Delta: `{"te`}},
		{DelayMs: 60_000},
	}}, scripted.Say("next")))
	h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(w.log(h.RunID), "tool-call-delta") {
		time.Sleep(time.Millisecond)
	}
	if err := w.r.Cancel(t.Context(), h.RunID); err != nil {
		t.Fatal(err)
	}
	outcome := w.wait(h)
	if log := w.log(outcome.ID); !strings.Contains(log, `"toolCallId":"c1","dropped":true,"reason":"incomplete"`) {
		t.Errorf("the call was not dropped:\n%s", log)
	}
	messages := w.history()
	if len(messages) != 2 || len(messages[1].ToolCalls) != 0 || messages[1].Content != "I begin" {
		t.Errorf("the history keeps %+v", messages)
	}
	if got := w.run("next").Output; got != "next" {
		t.Errorf("the next message gave %q", got)
	}
}
