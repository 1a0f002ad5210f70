package agent_test

import (
	"errors"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

func TestStoppingReachesAgentsInsideCalls(t *testing.T) {
	for name, c := range map[string]struct {
		stop   func(w *world, runID string) error
		status protocol.Status
		states map[string]protocol.State
	}{
		"the run": {
			func(w *world, runID string) error { return w.r.Cancel(w.t.Context(), runID) }, protocol.StatusCancelled,
			map[string]protocol.State{"c1": protocol.StateCancelled, "k1": protocol.StateCancelled},
		},
		"the call around it": {
			func(w *world, runID string) error { return w.r.CancelCall(w.t.Context(), runID, "c1") }, protocol.StatusCompleted,
			map[string]protocol.State{"c1": protocol.StateCancelled, "k1": protocol.StateCancelled},
		},
		"a call inside": {
			func(w *world, runID string) error { return w.r.CancelCall(w.t.Context(), runID, "k1") }, protocol.StatusCompleted,
			map[string]protocol.State{"c1": protocol.StateDone, "k1": protocol.StateCancelled},
		},
	} {
		t.Run(name, func(t *testing.T) {
			started := make(chan string, 1)
			w := newWorld(t, family(t, sleeper(started)))
			h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
			if err != nil {
				t.Fatal(err)
			}
			<-started
			if err := c.stop(w, h.RunID); err != nil {
				t.Fatal(err)
			}
			if got := w.wait(h).Status; got != c.status {
				t.Errorf("got %s, want %s", got, c.status)
			}
			transcript := w.seen(h.RunID)
			for id, want := range c.states {
				if got := transcript.Call(id).State; got != want {
					t.Errorf("call %s is %s, want %s", id, got, want)
				}
			}
			w.checkHistory()
			w.golden("child-stopped-"+strings.ReplaceAll(name, " ", "-"), h.RunID)
		})
	}
}

func TestStoppingReachesAgentsInsideCallsThatWait(t *testing.T) {
	for name, c := range map[string]struct {
		stop   func(w *world, runID string) error
		status protocol.Status
	}{
		"the run":            {func(w *world, runID string) error { return w.r.Cancel(w.t.Context(), runID) }, protocol.StatusCancelled},
		"the call around it": {func(w *world, runID string) error { return w.r.CancelCall(w.t.Context(), runID, "c1") }, protocol.StatusCompleted},
		"the call that waits": {
			func(w *world, runID string) error { return w.r.CancelCall(w.t.Context(), runID, "k1") }, protocol.StatusCompleted,
		},
		"a message that denies": {func(w *world, _ string) error {
			h, err := w.r.Start(w.t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "rather not", DenyPending: true})
			if err == nil {
				w.wait(h)
			}
			return err
		}, protocol.StatusCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			a := family(t, danger(&did))
			works := a.Backend.(answering)
			a.Backend = answering(func(messages []*model.Message) scripted.Turn {
				if messages[len(messages)-1].Content == "rather not" {
					return scripted.Say("As you wish.")
				}
				return works(messages)
			})
			w := newWorld(t, a)
			outcome := w.run("go")
			if err := c.stop(w, outcome.ID); err != nil {
				t.Fatal(err)
			}
			st := w.settled(outcome.ID)
			if st.Status != c.status || len(st.Approvals) != 1 || st.Approvals[0].Decision == nil {
				t.Errorf("got %s with the approvals %+v, want %s and one, decided", st.Status, st.Approvals, c.status)
			}
			if len(did.get()) > 0 {
				t.Errorf("%q ran", did.get())
			}
			for _, call := range w.seen(outcome.ID).Calls() {
				if !call.Settled() {
					t.Errorf("call %s is %s in the end", call.ID, call.State)
				}
			}
			w.checkHistory()
			if err := w.r.CancelCall(t.Context(), outcome.ID, "k1"); !errors.Is(err, agent.ErrEnded) {
				t.Errorf("got %v, want ErrEnded", err)
			}
		})
	}
}
