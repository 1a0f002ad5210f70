package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/agent/storetest"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// mixed is an agent whose one turn makes a call that is free and one that needs approval.
func mixed(did *runs) *agent.Agent {
	return demo([]*tool.Tool{echo(did), danger(did)}, scripted.CallTools(
		model.ToolCall{ID: "a", Name: "echo", Arguments: `{"text":"free"}`},
		model.ToolCall{ID: "b", Name: "danger", Arguments: `{"text": "asked"}`},
	), scripted.Say("Done."))
}

func TestD1AndD2ABatchThatWaitedRunsEachCallOnce(t *testing.T) {
	var did runs
	w := newWorld(t, mixed(&did))
	p := w.run("go").Pending[0]
	if got := did.get(); len(got) > 0 {
		t.Errorf("%q ran before the batch was decided", got)
	}
	w.open(mixed(&did)) // C1: the card is back in the next process, with the same arguments
	st := w.stored(p.RunID)
	if got := st.Approvals[0]; got.ApprovalID != p.ApprovalID || got.ArgumentsText != `{"text": "asked"}` {
		t.Errorf("the card came back as %+v", got)
	}
	_, h, err := w.r.Decide(t.Context(), p.ApprovalID, approved)
	if err != nil {
		t.Fatal(err)
	}
	w.wait(h)
	if got := did.get(); !slices.Equal(got, []string{"free", "asked"}) {
		t.Errorf("ran %q, want each once", got)
	}
	w.checkHistory()
}

// dying is a store whose process dies right after a decision was stored.
type dying struct {
	agent.Store
	mu   sync.Mutex
	dead bool
}

var errDead = errors.New("the process is gone")

func (s *dying) Append(ctx context.Context, b *agent.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return errDead
	}
	s.dead = slices.ContainsFunc(b.Approvals, func(p *approval.Pending) bool { return p.Decision != nil })
	return s.Store.Append(ctx, b)
}

func TestD3ADecisionOutlivesACrashBeforeTheCallStarts(t *testing.T) {
	var did runs
	w := newWorld(t, mixed(&did))
	stored := w.store
	w.store = &dying{Store: stored}
	w.open(mixed(&did))
	p := w.run("go").Pending[0]
	if _, _, err := w.r.Decide(t.Context(), p.ApprovalID, approved); !errors.Is(err, errDead) {
		t.Fatalf("got %v, want the process to be gone", err)
	}
	if got := did.get(); len(got) > 0 {
		t.Errorf("%q ran without a word in the log", got)
	}
	w.store = stored
	w.open(mixed(&did))
	if err := w.r.Recover(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if got := w.settled(p.RunID); got.Status != protocol.StatusCompleted || len(got.Approvals) != 1 {
		t.Errorf("got %s after %d questions, want it completed without asking again", got.Status, len(got.Approvals))
	}
	if got := did.get(); !slices.Equal(got, []string{"free", "asked"}) {
		t.Errorf("ran %q, want each once", got)
	}
}

func TestD5AndD8TheModelIsAskedOnceEveryCallHasItsRealResult(t *testing.T) {
	var did runs
	w := newWorld(t, mixed(&did))
	p := w.run("go").Pending[0]
	if got := w.requests(p.RunID); len(got) != 1 {
		t.Errorf("the model was asked %d times while a call waits, want once", len(got))
	}
	_, h, err := w.r.Decide(t.Context(), p.ApprovalID, approval.Decision{Reason: "wrong folder"})
	if err != nil {
		t.Fatal(err)
	}
	outcome := w.wait(h)
	next := w.requests(p.RunID)[1]
	contains(t, next, `{\"said\":\"free\"}`, `denied by a person: wrong folder`)
	if _, _, err := w.r.Decide(t.Context(), p.ApprovalID, approved); !errors.Is(err, approval.ErrDecided) {
		t.Errorf("a late answer got %v, want to be told that it was decided", err)
	}
	if err := w.r.CancelCall(t.Context(), p.RunID, "b"); !errors.Is(err, agent.ErrEnded) {
		t.Errorf("a late cancel got %v", err)
	}
	var tr protocol.Transcript
	w.fold(&tr, outcome.ID)
	tr.Apply(protocol.Frame{Event: &protocol.ToolResult{ID: "late", ToolCallID: "b", Result: []byte(`"approved"`)}})
	if c := tr.Call("b"); c.State != protocol.StateDenied || string(c.Result) != "null" || len(tr.Late) != 1 {
		t.Errorf("the call is %s with %s after a late result", c.State, c.Result)
	}
	if got := did.get(); !slices.Equal(got, []string{"free"}) {
		t.Errorf("ran %q, want the free one alone", got)
	}
}

func TestE1AfterAStopTheNextRequestHasOneResultForEachCall(t *testing.T) {
	started := make(chan string, 1)
	var did runs
	a := demo([]*tool.Tool{echo(&did), sleeper(started)}, scripted.CallTools(
		model.ToolCall{ID: "a", Name: "echo", Arguments: `{"text":"done"}`}, model.ToolCall{ID: "b", Name: "sleep", Arguments: `{"text":"long"}`},
	), scripted.Say("Hello again."))
	w := newWorld(t, a)
	h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	<-started
	if err := w.r.Cancel(t.Context(), h.RunID); err != nil {
		t.Fatal(err)
	}
	w.wait(h)
	request := w.requests(w.run("again").ID)[0]
	contains(t, request, `"toolCalls":[{"id":"a"`, `"role":"tool"`, `done`, `"toolCallId":"a"`, `cancelled by user`, `"toolCallId":"b"`, `"content":"again"`)
	if got := strings.Count(request, `"role":"tool"`); got != 2 {
		t.Errorf("the request has %d results, want 2", got)
	}
}

// B24: sixteen times the arguments cost about sixteen times the time; reading them anew with each piece would cost 256 times.
func TestB24ArgumentsCostWhatTheyAreLong(t *testing.T) {
	cost := func(pieces int) float64 {
		a := &agent.Agent{Name: "demo", Backend: &scripted.Backend{Turns: storetest.LongArguments(pieces)}, Tools: []*tool.Tool{storetest.Quiet()}}
		began := storetest.CPU()
		if outcome, err := new(agent.Runner).Run(t.Context(), a, agent.Input{Text: "go"}); err != nil || outcome.Status != protocol.StatusCompleted {
			t.Fatalf("the run ended in %v: %v", outcome, err)
		}
		return float64(storetest.CPU() - began)
	}
	cost(1 << 12)
	short, long := cost(1<<14), cost(1<<18)
	if growth := long / short; growth > 80 {
		t.Errorf("1 MB in pieces of 4 bytes cost %.0f times what 64 KB cost", growth)
	}
}
