package agent_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// eventually waits until a run has a status.
func (w *world) eventually(runID string, want protocol.Status) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		states, err := w.store.Runs(w.t.Context(), agent.RunQuery{ID: runID})
		if err != nil {
			w.t.Fatal(err)
		}
		if states[0].Status == want {
			return
		}
	}
	w.t.Fatalf("run %s did not become %s:\n%s", runID, want, w.log(runID))
}

func TestC9AnApprovalThatExpiredIsADenialOfItsOwn(t *testing.T) {
	var did runs
	a := demo([]*tool.Tool{danger(&did)}, dangers("a"), scripted.Say("Done."))
	a.ApprovalTTL = time.Hour
	w := newWorld(t, a)
	outcome := w.run("go")
	p := outcome.Pending[0]
	if p.ExpiresAt != p.SinceMs+time.Hour.Milliseconds() {
		t.Errorf("it expires at %d, asked at %d, want an hour later", p.ExpiresAt, p.SinceMs)
	}
	if log := w.log(outcome.ID); !strings.Contains(log, `"expiresAt":`) {
		t.Errorf("the log does not say when it expires:\n%s", log)
	}
	w.mu.Lock()
	w.ms = p.ExpiresAt + 1
	w.mu.Unlock()
	decided, h, err := w.r.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: p.ArgumentsHash})
	if !errors.Is(err, approval.ErrDecided) || decided.Decision.State != protocol.StateExpired || decided.Decision.Approved {
		t.Fatalf("a late approval gives %+v and %v, want it expired", decided.Decision, err)
	}
	if got := w.wait(h); got.Status != protocol.StatusCompleted || len(did.get()) != 0 {
		t.Errorf("got %s and ran %q, want completed and nothing run", got.Status, did.get())
	}
	log := w.log(outcome.ID)
	if !strings.Contains(log, `"state":"expired"`) || strings.Contains(log, `"state":"denied"`) || !strings.Contains(log, "nobody decided in time") {
		t.Errorf("the log does not tell expired from denied:\n%s", log)
	}
	w.checkHistory()
}

func TestWhatExpiredEndsByItself(t *testing.T) {
	for name, restart := range map[string]bool{"while the program runs": false, "while it was off": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var did runs
				a := demo([]*tool.Tool{danger(&did)}, dangers("a", "b"), scripted.Say("Done."))
				a.ApprovalTTL = time.Hour
				w := newWorld(t, a)
				w.r.Now = nil // a timer needs the time that passes
				outcome := w.run("go")
				if outcome.Status != protocol.StatusPaused {
					t.Fatalf("got %s, want paused", outcome.Status)
				}
				if restart {
					if err := w.r.Close(t.Context()); err != nil {
						t.Fatal(err)
					}
					time.Sleep(2 * a.ApprovalTTL)
					if log := w.log(outcome.ID); strings.Contains(log, "expired") {
						t.Fatalf("a closed runner went on:\n%s", log)
					}
					w.open(a)
					w.r.Now = nil
					if err := w.r.Recover(t.Context(), ""); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(2 * a.ApprovalTTL)
				w.eventually(outcome.ID, protocol.StatusCompleted)
				if log := w.log(outcome.ID); strings.Count(log, `"state":"expired"`) != 2 || len(did.get()) != 0 {
					t.Errorf("%q ran, and the log is\n%s", did.get(), log)
				}
				w.checkHistory()
			})
		})
	}
}

func TestOneDecisionAndOneExpiryEndTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var did runs
		a := demo([]*tool.Tool{danger(&did)}, dangers("a", "b"), scripted.Say("Done."))
		a.ApprovalTTL = time.Hour
		w := newWorld(t, a)
		w.r.Now = nil
		outcome := w.run("go")
		if _, h, err := w.r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approval.Decision{Approved: true}); err != nil || h != nil {
			t.Fatalf("decide: handle %v, error %v", h, err)
		}
		time.Sleep(2 * a.ApprovalTTL)
		w.eventually(outcome.ID, protocol.StatusCompleted)
		if strings.Join(did.get(), " ") != "a" {
			t.Errorf("ran %q, want a alone", did.get())
		}
		w.checkHistory()
	})
}

func TestWithoutATTLACallWaitsForEver(t *testing.T) {
	var did runs
	w := newWorld(t, demo([]*tool.Tool{danger(&did)}, dangers("a"), scripted.Say("Done.")))
	if p := w.run("go").Pending[0]; p.ExpiresAt != 0 || p.Expired(time.Now().AddDate(100, 0, 0)) {
		t.Errorf("it expires at %d", p.ExpiresAt)
	}
}
