package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

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
