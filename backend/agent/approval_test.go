package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func twoCalls() scripted.Turn {
	return scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "echo", Arguments: `{"text":"free"}`},
		model.ToolCall{ID: "c2", Name: "danger", Arguments: `{"text":"bound"}`},
	)
}

func TestAnApprovalPausesTheRunAndADecisionResumesIt(t *testing.T) {
	edited := `{"text":"tamed"}`
	for name, c := range map[string]struct {
		decision approval.Decision
		ran      []string
		reads    string
		state    string
	}{
		"approved":          {approval.Decision{Approved: true, By: "ann"}, []string{"free", "bound"}, "did bound", `"state":"approved","by":"ann"`},
		"C5 C8 denied":      {approval.Decision{Reason: "wrong folder"}, []string{"free"}, "wrong folder", `"state":"denied","reason":"wrong folder"`},
		"C7 with an edit":   {approval.Decision{Approved: true, ArgumentsText: &edited}, []string{"free", "tamed"}, "changed the arguments", `"argumentsText":"{\"text\":\"tamed\"}"`},
		"one call given up": {approval.Decision{State: protocol.StateCancelled}, []string{"free"}, "cancelled by user", `"state":"cancelled"`},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " after a restart"}[restart], func(t *testing.T) {
				var did runs
				a := demo([]*tool.Tool{echo(&did), danger(&did)}, twoCalls(), scripted.Say("Done."))
				w := newWorld(t, a)
				outcome := w.run("go")
				if outcome.Status != protocol.StatusPaused || len(outcome.Pending) != 1 {
					t.Fatalf("got %s with %d pending, want paused with 1", outcome.Status, len(outcome.Pending))
				}
				if len(did.get()) != 0 {
					t.Errorf("%q ran before the decision", did.get())
				}
				if restart {
					w.open(a)
					if err := w.r.Recover(t.Context(), ""); err != nil {
						t.Fatal(err)
					}
				}
				p := outcome.Pending[0]
				c.decision.ArgumentsHash = p.ArgumentsHash
				_, h, err := w.r.Decide(t.Context(), p.ApprovalID, c.decision)
				if err != nil || h == nil {
					t.Fatalf("decide: handle %v, error %v", h, err)
				}
				if got := w.wait(h); got.Status != protocol.StatusCompleted || got.Output != "Done." {
					t.Errorf("got %s %q, want completed Done.", got.Status, got.Output)
				}
				if got := strings.Join(did.get(), ","); got != strings.Join(c.ran, ",") {
					t.Errorf("ran %s, want %s", got, c.ran)
				}
				if log := w.log(outcome.ID); !strings.Contains(log, c.state) {
					t.Errorf("the log lacks %s:\n%s", c.state, log)
				}
				if got := w.history()[3].Content; !strings.Contains(got, c.reads) {
					t.Errorf("the model reads %q, want %q in it", got, c.reads)
				}
				w.checkHistory()
				if name == "approved" && !restart {
					w.golden("approved", outcome.ID)
				}
			})
		}
	}
}

func TestADecisionIsChecked(t *testing.T) {
	var did runs
	w := newWorld(t, demo([]*tool.Tool{danger(&did)}, scripted.CallTool("c1", "danger", `{"text":"x"}`), scripted.Say("ok")))
	p := w.run("go").Pending[0]
	bad := `{"text":5}`
	if _, _, err := w.r.Decide(t.Context(), "apr_none", approval.Decision{Approved: true}); !errors.Is(err, approval.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if _, _, err := w.r.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: "other"}); !errors.Is(err, approval.ErrHash) {
		t.Errorf("got %v, want ErrHash", err)
	}
	var invalid *tool.Error
	if _, _, err := w.r.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsText: &bad}); !errors.As(err, &invalid) || !strings.Contains(invalid.Message, "text") {
		t.Errorf("got %v, want an error about text", err)
	}
	var wins, seconds int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, h, err := w.r.Decide(context.Background(), p.ApprovalID, approval.Decision{Approved: i%2 == 0})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && h != nil {
				wins++
				w.wait(h)
			} else if errors.Is(err, approval.ErrDecided) {
				seconds++
			}
		})
	}
	wg.Wait()
	if wins != 1 || seconds != 7 {
		t.Errorf("C2: %d won and %d were told they came second, want 1 and 7", wins, seconds)
	}
	if len(did.get()) > 1 {
		t.Errorf("ran %d times", len(did.get()))
	}
}

func TestD7OneOfTwoAnswersIsKeptAndTheRunWaits(t *testing.T) {
	var did runs
	a := demo([]*tool.Tool{danger(&did)}, scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "danger", Arguments: `{"text":"1"}`}, model.ToolCall{ID: "c2", Name: "danger", Arguments: `{"text":"2"}`},
	), scripted.Say("ok"))
	w := newWorld(t, a)
	pending := w.run("go").Pending
	if _, h, err := w.r.Decide(t.Context(), pending[0].ApprovalID, approval.Decision{Approved: true}); err != nil || h != nil {
		t.Fatalf("got handle %v, error %v, want neither", h, err)
	}
	w.open(a)
	if err := w.r.Recover(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if len(did.get()) != 0 {
		t.Fatalf("%q ran with one of two answers", did.get())
	}
	_, h, err := w.r.Decide(t.Context(), pending[1].ApprovalID, approval.Decision{Reason: "no"})
	if err != nil || h == nil {
		t.Fatalf("got handle %v, error %v", h, err)
	}
	w.wait(h)
	if got := did.get(); len(got) != 1 || got[0] != "1" {
		t.Errorf("ran %q, want 1", got)
	}
	w.checkHistory()
}

func TestAPreviewThatChangedIsShownAgain(t *testing.T) {
	shown := "before"
	ran := 0
	previewed := tool.Must(tool.Config[echoInput, string]{
		Name: "danger", Description: "d", Approval: tool.Always,
		Preview: func(tool.Context, echoInput) (any, error) { return map[string]string{"text": shown}, nil },
		Run:     func(tool.Context, echoInput) (string, error) { ran++; return "ok", nil },
	})
	w := newWorld(t, demo([]*tool.Tool{previewed}, scripted.CallTool("c1", "danger", `{"text":"x"}`), scripted.Say("ok")))
	first := w.run("go").Pending[0]
	shown = "after"
	_, h, err := w.r.Decide(t.Context(), first.ApprovalID, approval.Decision{Approved: true})
	if err != nil {
		t.Fatal(err)
	}
	outcome := w.wait(h)
	if outcome.Status != protocol.StatusPaused || ran != 0 {
		t.Fatalf("got %s and %d runs, want paused and none", outcome.Status, ran)
	}
	second := outcome.Pending[0]
	if !strings.Contains(string(second.Details), "after") {
		t.Errorf("the new card shows %s", second.Details)
	}
	_, h, err = w.r.Decide(t.Context(), second.ApprovalID, approval.Decision{Approved: true})
	if err != nil {
		t.Fatal(err)
	}
	if w.wait(h); ran != 1 {
		t.Errorf("ran %d times, want once", ran)
	}
}

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

func TestD4ACallThatRanWhenTheProcessDiedIsUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		decision approval.Decision
		ran      int
		reads    string
	}{
		"run again":        {approval.Decision{Approved: true}, 1, "did x"},
		"give up":          {approval.Decision{Reason: "gave up"}, 0, "gave up"},
		"hand in a result": {approval.Decision{Approved: true, Result: json.RawMessage(`{"handed":"in"}`)}, 0, `{"handed":"in"}`},
		"hand in no more":  {approval.Decision{Result: json.RawMessage(`{"handed":"in"}`)}, 0, `{"handed":"in"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			a := demo([]*tool.Tool{danger(&did)}, scripted.CallTool("c1", "danger", `{"text":"x"}`), scripted.Say("ok"))
			w := newWorld(t, a)
			outcome := w.run("go")
			frozen := &dyingStore{Store: w.store, after: `"state":"running"`}
			w.r.Store = nil
			w.store = frozen
			w.open(a)
			_, h, err := w.r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approval.Decision{Approved: true})
			if err != nil {
				t.Fatal(err)
			}
			w.wait(h) // what follows the start is lost
			w.store = frozen.Store
			did.texts = nil
			w.open(a)
			if err := w.r.Recover(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			states, err := w.store.Runs(t.Context(), agent.RunQuery{ID: outcome.ID})
			if err != nil {
				t.Fatal(err)
			}
			st := states[0]
			p := st.Approvals[len(st.Approvals)-1]
			if st.Status != protocol.StatusPaused || p.Kind != protocol.KindUnknown || st.Calls[0].State != protocol.StateUnknown {
				t.Fatalf("got %s, %s, %s, want paused with an unknown call", st.Status, p.Kind, st.Calls[0].State)
			}
			if p.Description == "" || len(p.SideEffects) == 0 {
				t.Errorf("it is asked about with the description %q and the side effects %v, want those of its tool", p.Description, p.SideEffects)
			}
			if len(did.get()) != 0 {
				t.Error("it ran again without a word")
			}
			_, h, err = w.r.Decide(t.Context(), p.ApprovalID, c.decision)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.wait(h); got.Status != protocol.StatusCompleted {
				t.Errorf("got %s, want completed", got.Status)
			}
			if len(did.get()) != c.ran {
				t.Errorf("ran %d times, want %d", len(did.get()), c.ran)
			}
			if got := w.history()[2].Content; !strings.Contains(got, c.reads) {
				t.Errorf("the model reads %q, want %q", got, c.reads)
			}
			w.checkHistory()
		})
	}
}

// dyingStore stores nothing after the batch that holds a text, and says so to nobody: as if the process had died there.
type dyingStore struct {
	agent.Store
	mu    sync.Mutex
	after string
	dead  bool
}

func (s *dyingStore) Append(ctx context.Context, b *agent.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return nil
	}
	for _, f := range b.Frames {
		line, err := f.AppendJSON(nil)
		if err != nil {
			return err
		}
		s.dead = s.dead || strings.Contains(string(line), s.after)
	}
	return s.Store.Append(ctx, b)
}

func TestACrashAtAnyMomentLosesNothingAndRunsNothingTwice(t *testing.T) {
	// The log of a whole run, cut after each of its events: what a process that died there left behind.
	var did runs
	a := demo([]*tool.Tool{echo(&did)}, scripted.CallTool("c1", "echo", `{"text":"once"}`), scripted.Say("Done."))
	w := newWorld(t, a)
	outcome := w.run("go")
	lines := strings.Split(strings.TrimSpace(w.log(outcome.ID)), "\n")
	for n := 1; n < len(lines); n++ {
		did.texts = nil
		cut := &cutStore{Store: &agent.Memory{}, left: n}
		w.store, w.ids = cut, map[string]int{}
		w.open(a)
		h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		w.wait(h)
		w.store = cut.Store
		ranBefore := len(did.get())
		left := w.log(h.RunID)
		w.open(a)
		if err := w.r.Recover(t.Context(), ""); err != nil {
			t.Fatalf("cut after %d: %v", n, err)
		}
		states := w.settled(h.RunID)
		started := strings.Contains(left, `"state":"running"`)
		ended := strings.Contains(left, `"type":"tool-result"`)
		switch {
		case started && !ended:
			if states.Status != protocol.StatusPaused {
				t.Errorf("cut after %d: got %s, want paused with an unknown call", n, states.Status)
			}
		case !states.Status.Ended():
			t.Errorf("cut after %d: got %s, want an end", n, states.Status)
		}
		if started && len(did.get()) > ranBefore {
			t.Errorf("cut after %d: the call ran twice", n)
		}
		if states.Status.Ended() {
			w.checkHistory()
		}
	}
}

// cutStore stores so many events and no more.
type cutStore struct {
	agent.Store
	mu   sync.Mutex
	left int
}

func (s *cutStore) Append(ctx context.Context, b *agent.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left <= 0 {
		return nil
	}
	s.left -= len(b.Frames)
	return s.Store.Append(ctx, b)
}

// settled waits until a run is not at work.
func (w *world) settled(runID string) *agent.RunState {
	w.t.Helper()
	for range 60_000 {
		states, err := w.store.Runs(w.t.Context(), agent.RunQuery{ID: runID})
		if err != nil {
			w.t.Fatal(err)
		}
		if len(states) > 0 && states[0].Status != protocol.StatusRunning {
			return states[0]
		}
		time.Sleep(time.Millisecond)
	}
	w.t.Fatal("the run did not settle")
	return nil
}
