package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

// brokenStore takes nothing from the first batch with a text of the model on, until it is mended.
type brokenStore struct {
	agent.Store
	broken, mended atomic.Bool
}

func (s *brokenStore) Append(ctx context.Context, b *agent.Batch) error {
	for _, f := range b.Frames {
		if f.Event.Type() == protocol.TypeTextDelta {
			s.broken.Store(true)
		}
	}
	if s.broken.Load() && !s.mended.Load() {
		return errFull
	}
	return s.Store.Append(ctx, b)
}

func stored(w *world, runID string) *agent.RunState {
	w.t.Helper()
	runs, err := w.store.Runs(w.t.Context(), agent.RunQuery{ID: runID})
	if err != nil || len(runs) != 1 {
		w.t.Fatalf("got %d runs: %v", len(runs), err)
	}
	return runs[0]
}

func TestTheEndOfARunIsStoredOnceStoringWorksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := demo(nil, scripted.Say("Done."), scripted.Say("Room again."))
		store := &brokenStore{Store: &agent.Memory{}}
		w := newWorld(t, a)
		w.store = store
		w.open(a)
		bell := w.r.Bell().Listen("")
		defer bell.Close()

		outcome := w.run("go")
		if got := stored(w, outcome.ID); got.Status != protocol.StatusRunning {
			t.Fatalf("while nothing can be stored the run is %s in the store", got.Status)
		}
		if rings := bell.Take(); len(rings) != 1 || !strings.Contains(rings[0].Error, "disk is full") {
			t.Errorf("the doorbell tells %+v, want the reason", rings)
		}
		time.Sleep(time.Minute)
		store.mended.Store(true)
		time.Sleep(time.Minute)
		if st := stored(w, outcome.ID); st.Status != protocol.StatusFailed || !strings.Contains(st.Error, "disk is full") {
			t.Errorf("with room again the run is %s %q, want failed with the reason", st.Status, st.Error)
		}
		w.checkHistory()
		if got := w.run("again"); got.Status != protocol.StatusCompleted {
			t.Errorf("the thread does not go on: %s %s", got.Status, got.Error)
		}
	})
}

func TestARunnerThatClosesGivesUpOnWhatCannotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := demo(nil, scripted.Say("Done."))
		w := newWorld(t, a)
		w.store = &brokenStore{Store: &agent.Memory{}}
		w.open(a)
		w.run("go")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		if err := w.r.Close(ctx); err != nil || time.Since(begun) > 0 {
			t.Errorf("closed after %s: %v, want at once", time.Since(begun), err)
		}
	})
}
