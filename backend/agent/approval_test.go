package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

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
