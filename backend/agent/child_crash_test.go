package agent_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// settle decides all that waits until the run ends, giving up what is unknown and approving the rest.
func (w *world) settleAll(runID string) *agent.RunState {
	w.t.Helper()
	for range 20 {
		st := w.settled(runID)
		if st.Status.Ended() {
			return st
		}
		for _, p := range st.Approvals {
			if p.Decision != nil {
				continue
			}
			d := approval.Decision{Approved: p.Kind == protocol.KindApproval, Reason: "gave up"}
			_, h, err := w.r.Decide(w.t.Context(), p.ApprovalID, d)
			if err != nil {
				w.t.Fatal(err)
			}
			if h != nil {
				w.wait(h)
			}
		}
	}
	w.t.Fatal("the run does not end")
	return nil
}

func TestACrashInsideACallLosesNothingAndRunsNothingTwice(t *testing.T) {
	for name, c := range map[string]struct {
		inner    func(*runs) *tool.Tool
		parallel bool
	}{
		"a call that is free": {echo, false}, "a call that is asked about": {danger, false}, "two at once": {echo, true},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			a := family(t, c.inner(&did))
			if c.parallel {
				a.Parallel = true
				a.Tools = append(a.Tools, asTool(t, researcher("other", []*tool.Tool{echo(&did)}, model.ToolCall{ID: "k2", Name: "echo", Arguments: `{"text":"y"}`})))
				a.Backend = steps(scripted.CallTools(ask("c1", "researcher"), ask("c2", "other")), scripted.Say("Done."))
			}
			w := newWorld(t, a)
			whole := w.settleAll(w.run("go").ID)
			length := int(whole.Last)
			for n := 1; n < length; n++ {
				did.texts = nil
				cut := &cutStore{Store: &agent.Memory{}, left: n}
				w.store, w.ids = cut, map[string]int{}
				w.open(a)
				h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
				if err != nil {
					t.Fatal(err)
				}
				if o := w.wait(h); o.Status == protocol.StatusPaused && o.Pending != nil && cut.left > 0 {
					if _, h, err := w.r.Decide(t.Context(), o.Pending[0].ApprovalID, approval.Decision{Approved: true}); err == nil && h != nil {
						w.wait(h)
					}
				}
				w.store = cut.Store
				ranBefore := len(did.get())
				left := w.seen(h.RunID)
				w.open(a)
				if err := w.r.Recover(t.Context(), ""); err != nil {
					t.Fatalf("cut after %d: %v", n, err)
				}
				end := w.settleAll(h.RunID)
				speaking := len(left.Turns) == 0
				for _, turn := range left.Turns {
					speaking = speaking || turn.ParentToolCallID == "" && turn.EndedMs == 0
				}
				if want := map[bool]protocol.Status{true: protocol.StatusFailed, false: protocol.StatusCompleted}[speaking]; end.Status != want {
					t.Errorf("cut after %d: got %s %s, want %s", n, end.Status, end.Error, want)
				}
				started := 0
				for _, call := range left.Calls() {
					if call.ParentToolCallID != "" && call.RunningMs > 0 {
						started++
					}
				}
				if most := max(ranBefore, map[bool]int{true: 2, false: 1}[c.parallel]+ranBefore-started); len(did.get()) > most {
					t.Errorf("cut after %d: what ran %d times before, with %d starts stored, ran %d times", n, ranBefore, started, len(did.get()))
				}
				for _, call := range w.seen(h.RunID).Calls() {
					if !call.Settled() {
						t.Errorf("cut after %d: call %s is %s in the end", n, call.ID, call.State)
					}
				}
				w.checkHistory()
				if got := w.reads(); strings.Contains(got, "I look") {
					t.Errorf("cut after %d: the history has what was said inside:\n%s", n, got)
				}
			}
		})
	}
}

// seen is the stored log of a run as a reader sees it, which has to be in order.
func (w *world) seen(runID string) *protocol.Transcript {
	w.t.Helper()
	var transcript protocol.Transcript
	records, err := w.store.Events(w.t.Context(), runID, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, record := range records {
		transcript.ApplyJSON(record.Seq, record.JSON)
	}
	if len(transcript.Late)+len(transcript.Gaps)+len(transcript.WireErrors) > 0 {
		w.t.Errorf("a reader finds %d events late, %d gaps, %d errors", len(transcript.Late), len(transcript.Gaps), len(transcript.WireErrors))
	}
	return &transcript
}

func TestAnAnswerGivenInsideACallIsNotAskedForAgain(t *testing.T) {
	var did runs
	a := family(t, echo(&did))
	// The answer is stored before the result is told, and then the process dies.
	a.Middleware = []agent.Middleware{{Name: "slow", AfterCall: func(tool.Context, *tool.Tool, model.ToolCall, *tool.Result) error {
		time.Sleep(20 * time.Millisecond)
		return nil
	}}}
	w := newWorld(t, a)
	dying := &dyingStore{Store: w.store, after: `"turn":3,"phase":"end"`}
	w.store = dying
	w.open(a)
	id := w.run("go").ID
	w.store = dying.Store
	if left := w.seen(id); left.Call("c1").Settled() || left.Turns[2].EndedMs == 0 {
		t.Fatal("the process died at another moment")
	}
	w.open(a)
	if err := w.r.Recover(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if end := w.settled(id); end.Status != protocol.StatusCompleted || end.Turn != 4 || len(did.get()) != 1 {
		t.Errorf("got %s after %d turns and %q, want completed after 4 and one run", end.Status, end.Turn, did.get())
	}
	if got := w.history()[2].Content; got != `Found {"said":"x"}.` {
		t.Errorf("the caller's model reads %s", got)
	}
}

func TestD4ACallInsideThatRanWhenTheProcessDiedIsUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		decision approval.Decision
		ran      string
		reads    string
	}{
		"run again":        {approval.Decision{Approved: true}, "x", "Found did x."},
		"give up":          {approval.Decision{Reason: "gave up"}, "", "gave up"},
		"hand in a result": {approval.Decision{Approved: true, Result: json.RawMessage(`"handed in"`)}, "", "Found handed in."},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			inner := tool.Must(tool.Config[echoInput, string]{Name: "act", Description: "d", Run: func(_ tool.Context, in echoInput) (string, error) {
				did.add(in.Text)
				return "did " + in.Text, nil
			}})
			a := family(t, inner)
			w := newWorld(t, a)
			dying := &dyingStore{Store: w.store, after: `"toolCallId":"k1","state":"running"`}
			w.store = dying
			w.open(a)
			id := w.run("go").ID
			w.store = dying.Store
			w.mu.Lock()
			w.frames[id] = w.frames[id][:w.last(id)] // what the process that died told nobody stored
			w.mu.Unlock()
			did.texts = nil
			w.open(a)
			if err := w.r.Recover(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			st := w.settled(id)
			p := st.Approvals[len(st.Approvals)-1]
			if st.Status != protocol.StatusPaused || p.Kind != protocol.KindUnknown || p.ParentToolCallID != "c1" || p.AgentName != "researcher" {
				t.Fatalf("got %s and %+v, want paused with an unknown call inside c1 of the researcher", st.Status, p)
			}
			if got := w.ledger(id, "c1").State; got != protocol.StateWaiting || len(did.get()) > 0 {
				t.Errorf("the call around it is %s after %q ran, want waiting and none", got, did.get())
			}
			_, h, err := w.r.Decide(t.Context(), p.ApprovalID, c.decision)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.wait(h); got.Status != protocol.StatusCompleted {
				t.Errorf("got %s %s, want completed", got.Status, got.Error)
			}
			if got := strings.Join(did.get(), ","); got != c.ran {
				t.Errorf("ran %q, want %q", got, c.ran)
			}
			if got := w.history()[2].Content; !strings.Contains(got, c.reads) {
				t.Errorf("the caller's model reads %q, want %q", got, c.reads)
			}
			w.checkHistory()
			if name == "run again" {
				w.golden("child-unknown", id)
			}
		})
	}
}

// last is how many events of a run are stored.
func (w *world) last(runID string) int {
	w.t.Helper()
	records, err := w.store.Events(w.t.Context(), runID, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(records)
}
