package agent_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// answering is a model whose answer follows from what it reads, so that a request that is made again is answered as before.
type answering func(messages []*model.Message) scripted.Turn

func (f answering) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	again := *request
	again.Index = 0
	return (&scripted.Backend{Turns: []scripted.Turn{f(request.Messages)}}).Stream(ctx, &again)
}

// steps plays a turn for each answer the model has read since the last message of its user.
func steps(turns ...scripted.Turn) answering {
	return func(messages []*model.Message) scripted.Turn {
		said := 0
		for _, m := range messages {
			switch m.Role {
			case model.RoleUser:
				said = 0
			case model.RoleAssistant:
				said++
			}
		}
		return turns[min(said, len(turns)-1)]
	}
}

func asTool(t *testing.T, a *agent.Agent) *tool.Tool {
	t.Helper()
	made, err := agent.AsTool(a, agent.ToolConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// researcher is an agent that makes one call of a tool and says what came of it.
func researcher(name string, tools []*tool.Tool, calls ...model.ToolCall) *agent.Agent {
	return &agent.Agent{
		Name: name, Description: "Finds things out", Instructions: "Look.", Tools: tools,
		Backend: answering(func(messages []*model.Message) scripted.Turn {
			if last := messages[len(messages)-1]; last.Role == model.RoleTool {
				found := scripted.Turn{Chunks: []scripted.Chunk{{Text: "Found "}, {Text: last.Content + "."}}}
				return found
			}
			turn := scripted.CallTools(calls...)
			turn.Chunks = append([]scripted.Chunk{{Text: "I look."}}, turn.Chunks...)
			return turn
		}),
	}
}

func ask(id, name string) model.ToolCall {
	return model.ToolCall{ID: id, Name: name, Arguments: `{"input":"look for ` + id + `"}`}
}

// family is an agent that asks a researcher, which makes a call of its own.
func family(t *testing.T, inner *tool.Tool) *agent.Agent {
	t.Helper()
	child := researcher("researcher", []*tool.Tool{inner}, model.ToolCall{ID: "k1", Name: inner.Name, Arguments: `{"text":"x"}`})
	return &agent.Agent{
		Name: "demo", Tools: []*tool.Tool{asTool(t, child)}, Backend: steps(scripted.CallTools(ask("c1", "researcher")), scripted.Say("Done.")),
	}
}

// reads are the roles and contents of what thread t1's model reads next.
func (w *world) reads() string {
	w.t.Helper()
	var lines []string
	for _, m := range w.history() {
		lines = append(lines, string(m.Role)+" "+m.ToolCallID+m.Content)
	}
	return strings.Join(lines, "\n")
}

func TestAnAgentWorksInsideACall(t *testing.T) {
	var did runs
	a := family(t, echo(&did))
	w := newWorld(t, a)
	outcome := w.run("go")
	if outcome.Status != protocol.StatusCompleted || outcome.Output != "Done." || len(outcome.ToolCalls) != 1 || outcome.CallCount != 2 {
		t.Errorf("got %s %q, %d own calls of %d, want completed Done. with 1 of 2", outcome.Status, outcome.Output, len(outcome.ToolCalls), outcome.CallCount)
	}
	w.golden("child", outcome.ID)
	if d := cmp.Diff("user go\nassistant \ntool c1Found {\"said\":\"x\"}.\nassistant Done.", w.reads()); d != "" {
		t.Errorf("the history (-want +got):\n%s", d)
	}
	states, err := w.store.Runs(t.Context(), agent.RunQuery{ID: outcome.ID})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range states[0].Children {
		said = append(said, m.ParentToolCallID+" "+m.Content)
	}
	if d := cmp.Diff([]string{"c1 I look.", "c1 Found {\"said\":\"x\"}."}, said); d != "" {
		t.Errorf("what was said inside (-want +got):\n%s", d)
	}
	thread, err := w.store.Thread(t.Context(), "t1")
	if err != nil || thread.Requests["demo"] != 2 || thread.Requests["researcher"] != 2 {
		t.Errorf("counted are the requests %v (%v), want 2 of each", thread.Requests, err)
	}
	w.run("again")
	if got := len(did.get()); got != 2 {
		t.Errorf("two messages ran it %d times, want twice", got)
	}
}

func TestC10WhatAnAgentInsideACallAsksIsTheRunsQuestion(t *testing.T) {
	edited := `{"text":"tamed"}`
	for name, c := range map[string]struct {
		decision approval.Decision
		ran      string
		reads    string
	}{
		"approved":  {approval.Decision{Approved: true, By: "ann"}, "x", "Found did x."},
		"edited":    {approval.Decision{Approved: true, ArgumentsText: &edited}, "tamed", "did tamed"},
		"denied":    {approval.Decision{Reason: "wrong folder"}, "", "wrong folder"},
		"cancelled": {approval.Decision{State: protocol.StateCancelled}, "", "cancelled by user"},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " after a restart"}[restart], func(t *testing.T) {
				var did runs
				a := family(t, danger(&did))
				w := newWorld(t, a)
				outcome := w.run("go")
				if outcome.Status != protocol.StatusPaused || len(outcome.Pending) != 1 || w.r.Live() != 0 {
					t.Fatalf("got %s with %d pending, %d live, want paused with 1 and none", outcome.Status, len(outcome.Pending), w.r.Live())
				}
				p := outcome.Pending[0]
				if p.ParentToolCallID != "c1" || p.AgentName != "researcher" || p.RunID != outcome.ID {
					t.Errorf("asked is %+v, want a call inside c1 of this run by the researcher", p)
				}
				if got := w.ledger(outcome.ID, "c1").State; got != protocol.StateWaiting {
					t.Errorf("the call around it is %s, want waiting", got)
				}
				if restart {
					w.open(a)
					if err := w.r.Recover(t.Context(), ""); err != nil {
						t.Fatal(err)
					}
				}
				bad := `{"text":5}`
				var invalid *tool.Error
				if _, _, err := w.r.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsText: &bad}); !errors.As(err, &invalid) {
					t.Errorf("got %v, want an edit that does not fit refused", err)
				}
				_, h, err := w.r.Decide(t.Context(), p.ApprovalID, c.decision)
				if err != nil || h == nil {
					t.Fatalf("decide: handle %v, error %v", h, err)
				}
				if got := w.wait(h); got.Status != protocol.StatusCompleted || got.Output != "Done." {
					t.Errorf("got %s %q %s, want completed Done.", got.Status, got.Output, got.Error)
				}
				if got := strings.Join(did.get(), ","); got != c.ran {
					t.Errorf("ran %q, want %q", got, c.ran)
				}
				if got := w.history()[2].Content; !strings.Contains(got, c.reads) {
					t.Errorf("the caller's model reads %q, want %q in it", got, c.reads)
				}
				w.checkHistory()
				if name == "approved" && !restart {
					w.golden("child-approval", outcome.ID)
				}
			})
		}
	}
}

// ledger is the row of a call.
func (w *world) ledger(runID, toolCallID string) agent.Call {
	w.t.Helper()
	states, err := w.store.Runs(w.t.Context(), agent.RunQuery{ID: runID})
	if err != nil || len(states) == 0 {
		w.t.Fatal(err)
	}
	for _, c := range states[0].Calls {
		if c.ToolCallID == toolCallID {
			return c
		}
	}
	return agent.Call{}
}

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

func TestAgentsInsideCallsNestAndWait(t *testing.T) {
	var did runs
	inner := researcher("inner", []*tool.Tool{danger(&did)}, model.ToolCall{ID: "d1", Name: "danger", Arguments: `{"text":"deep"}`})
	middle := researcher("middle", []*tool.Tool{asTool(t, inner), echo(&did)}, ask("m1", "inner"), model.ToolCall{ID: "m2", Name: "echo", Arguments: `{"text":"after"}`})
	a := demo([]*tool.Tool{asTool(t, middle), echo(&did)})
	a.Backend = steps(scripted.CallTools(ask("c1", "middle"), model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"text":"last"}`}), scripted.Say("Done."))
	w := newWorld(t, a)
	outcome := w.run("go")
	if len(outcome.Pending) != 1 || outcome.Pending[0].ParentToolCallID != "m1" || len(did.get()) > 0 {
		t.Fatalf("got %+v after %q, want one question inside m1, and those in order behind it still to come", outcome.Pending, did.get())
	}
	for id, want := range map[string]protocol.State{"c1": protocol.StateWaiting, "m1": protocol.StateWaiting, "d1": protocol.StateWaiting, "c2": protocol.StateProposed} {
		if got := w.seen(outcome.ID).Call(id).State; got != want {
			t.Errorf("while it waits %s is %s, want %s", id, got, want)
		}
	}
	w.open(a)
	w.settleAll(outcome.ID)
	if got := strings.Join(did.get(), " "); got != "deep after last" {
		t.Errorf("ran %q, want each once, in order", got)
	}
	w.golden("child-nested", outcome.ID)
}

func TestAgentsSideBySideDoNotMixUp(t *testing.T) {
	var did runs
	a := &agent.Agent{Name: "demo", Parallel: true}
	var calls []model.ToolCall
	for _, name := range []string{"ann", "bob", "cy", "dee"} {
		inner := echo(&did)
		if name == "bob" || name == "dee" {
			inner = danger(&did)
		}
		// All call by the same id: it is unique in a run all the same.
		child := researcher(name, []*tool.Tool{inner}, model.ToolCall{ID: "k", Name: inner.Name, Arguments: `{"text":"` + name + `"}`})
		a.Tools = append(a.Tools, asTool(t, child))
		calls = append(calls, ask("c_"+name, name))
	}
	a.Backend = steps(scripted.CallTools(calls...), scripted.Say("Done."))
	w := newWorld(t, a)
	outcome := w.run("go")
	if len(outcome.Pending) != 2 {
		t.Fatalf("got %d questions, want those of bob and dee", len(outcome.Pending))
	}
	if _, h, err := w.r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approved); err != nil || h != nil {
		t.Fatalf("one of two answers: handle %v, error %v", h, err)
	}
	w.open(a)
	if err := w.r.Recover(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	w.settleAll(outcome.ID)
	transcript := w.seen(outcome.ID)
	for _, call := range transcript.Calls() {
		if call.ParentToolCallID == "" {
			continue
		}
		name := strings.TrimPrefix(call.ParentToolCallID, "c_")
		if call.AgentName != name || !strings.Contains(call.ArgumentsText(), name) || !strings.Contains(string(call.Result), name) {
			t.Errorf("call %s of %s inside %s has %s and gave %s", call.ID, call.AgentName, call.ParentToolCallID, call.ArgumentsText(), call.Result)
		}
		if got := string(transcript.Call(call.ParentToolCallID).Result); !strings.Contains(got, name) {
			t.Errorf("%s got %s", call.ParentToolCallID, got)
		}
	}
	if len(did.get()) != 4 {
		t.Errorf("ran %q, want each once", did.get())
	}
	w.checkHistory()
}

func TestRulesAndExpiryHoldInsideCalls(t *testing.T) {
	t.Run("a rule", func(t *testing.T) {
		var did runs
		w := newWorld(t, family(t, danger(&did)))
		var asked agent.RuleCall
		w.r.Rules = func(_ context.Context, c agent.RuleCall) (string, bool) { asked = c; return "all", true }
		outcome := w.run("go")
		if outcome.Status != protocol.StatusCompleted || asked.AgentName != "researcher" || asked.ParentToolCallID != "c1" {
			t.Errorf("got %s, asked about %+v, want completed and a call of the researcher inside c1", outcome.Status, asked)
		}
		if got := w.seen(outcome.ID).Call("k1").By; got != "rule:all" {
			t.Errorf("the log says it was allowed by %q", got)
		}
	})
	t.Run("expiry", func(t *testing.T) {
		var did runs
		child := researcher("researcher", []*tool.Tool{danger(&did)}, model.ToolCall{ID: "k1", Name: "danger", Arguments: `{"text":"x"}`})
		child.ApprovalTTL = time.Millisecond
		a := demo([]*tool.Tool{asTool(t, child)})
		a.Backend = steps(scripted.CallTools(ask("c1", "researcher")), scripted.Say("Done."))
		w := newWorld(t, a)
		outcome := w.run("go")
		w.eventually(outcome.ID, protocol.StatusCompleted)
		if got := w.seen(outcome.ID).Call("k1").State; got != protocol.StateExpired || len(did.get()) > 0 {
			t.Errorf("got %s after %q ran, want expired and none", got, did.get())
		}
	})
}

func TestAnAgentInsideACallThatFailsIsAResult(t *testing.T) {
	started := make(chan string, 1)
	self := &agent.Agent{Name: "self", Description: "asks itself"}
	self.Tools = []*tool.Tool{asTool(t, self)}
	self.Backend = steps(scripted.CallTools(ask("s1", "self")), scripted.Say("Done."))
	for name, c := range map[string]struct {
		child *agent.Agent
		code  string
		reads string
	}{
		"its model": {
			&agent.Agent{Name: "child", Description: "d", Backend: steps(scripted.Turn{Chunks: []scripted.Chunk{{Text: "half"}, {Error: "no such model", Code: model.CodeUnavailable}}})},
			model.CodeUnavailable, "The agent child failed: no such model",
		},
		"its time": {
			&agent.Agent{
				Name: "child", Description: "d", Timeout: 20 * time.Millisecond, Tools: []*tool.Tool{sleeper(started)},
				Backend: steps(scripted.CallTool("k1", "sleep", `{"text":"long"}`), scripted.Say("ok")),
			},
			tool.CodeTimeout, "timed out after 20ms",
		},
		"its limit": {
			&agent.Agent{
				Name: "child", Description: "d", MaxRepeats: 2, Tools: []*tool.Tool{echo(&runs{})},
				Backend: answering(func([]*model.Message) scripted.Turn { return scripted.CallTool("k1", "echo", `{"text":"x"}`) }),
			},
			tool.CodeExecutionFailed, "repeated-calls",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := demo([]*tool.Tool{asTool(t, c.child)})
			a.Backend = steps(scripted.CallTools(ask("c1", "child")), scripted.Say("I see."))
			w := newWorld(t, a)
			outcome := w.run("go")
			if outcome.Status != protocol.StatusCompleted || outcome.Output != "I see." {
				t.Errorf("got %s %q, the run must go on", outcome.Status, outcome.Output)
			}
			transcript := w.seen(outcome.ID)
			if got := transcript.Call("c1"); got.ErrorCode != c.code || !strings.Contains(got.Error, c.reads) {
				t.Errorf("got %s %q, want %s and %q", got.ErrorCode, got.Error, c.code, c.reads)
			}
			for _, call := range transcript.Calls() {
				if !call.Settled() {
					t.Errorf("call %s is %s in the end", call.ID, call.State)
				}
			}
			w.checkHistory()
		})
	}
	t.Run("its depth", func(t *testing.T) {
		w := newWorld(t, demo(nil))
		outcome, err := w.r.Run(t.Context(), self, agent.Input{Text: "go"})
		if err != nil || outcome.Output != "Done." {
			t.Fatalf("got %v, %v", outcome, err)
		}
		if log := w.log(outcome.ID); !strings.Contains(log, "8 deep") {
			t.Error("nothing says how deep agents may work")
		}
	})
}

func TestWaitingInsideACallCountsAgainstNoTimeout(t *testing.T) {
	var did runs
	child := researcher("researcher", []*tool.Tool{danger(&did)}, model.ToolCall{ID: "k1", Name: "danger", Arguments: `{"text":"x"}`})
	child.Timeout = 200 * time.Millisecond
	a := demo([]*tool.Tool{asTool(t, child)})
	a.Backend = steps(scripted.CallTools(ask("c1", "researcher")), scripted.Say("Done."))
	w := newWorld(t, a)
	p := w.run("go").Pending[0]
	time.Sleep(250 * time.Millisecond)
	_, h, err := w.r.Decide(t.Context(), p.ApprovalID, approved)
	if err != nil {
		t.Fatal(err)
	}
	w.wait(h)
	if got := w.seen(h.RunID).Call("c1"); got.State != protocol.StateDone {
		t.Errorf("got %s %s: the wait was counted", got.State, got.Error)
	}
}

func TestUsageOfAgentsInsideCallsIsTheRuns(t *testing.T) {
	usage := func(n int64) scripted.Chunk {
		return scripted.Chunk{Usage: &model.Usage{InputTokens: &n, OutputTokens: &n}}
	}
	say := func(n int64, turn scripted.Turn) scripted.Turn {
		turn.Chunks = append(turn.Chunks, usage(n))
		return turn
	}
	child := &agent.Agent{Name: "child", Description: "d", Backend: steps(say(10, scripted.Say("found")))}
	a := demo([]*tool.Tool{asTool(t, child)})
	a.Backend = steps(say(1, scripted.CallTools(ask("c1", "child"))), say(2, scripted.Say("ok")))
	outcome := newWorld(t, a).run("go")
	if got := outcome.Usage; got == nil || *got.InputTokens != 13 || *got.TotalTokens != 26 {
		t.Errorf("got %+v, want 13 in and 26 together", got)
	}
}

func TestWhatAnAgentInsideACallGivesIsTheResult(t *testing.T) {
	type answer struct {
		N int `json:"n"`
	}
	output, err := agent.OutputOf[answer]()
	if err != nil {
		t.Fatal(err)
	}
	child := &agent.Agent{Name: "child", Description: "d", Output: output, Backend: steps(scripted.Say(`{"n":1}`))}
	a := demo([]*tool.Tool{asTool(t, child)})
	a.Backend = steps(scripted.CallTools(ask("c1", "child")), scripted.Say("ok"))
	w := newWorld(t, a)
	if got := w.seen(w.run("go").ID).Call("c1").Result; string(got) != `{"n":1}` {
		t.Errorf("got %s, want the structured output", got)
	}
}

func TestAToolThatIsAnAgentIsDeclaredWhole(t *testing.T) {
	if _, err := agent.AsTool(&agent.Agent{}, agent.ToolConfig{}); err == nil || !strings.Contains(err.Error(), "Name") {
		t.Errorf("got %v, want an error that names what is missing", err)
	}
	made, err := agent.AsTool(&agent.Agent{Name: "a"}, agent.ToolConfig{Name: "b", Description: "c", Approval: tool.Always})
	if err != nil || made.Name != "b" || made.Description != "c" || !made.NeedsApproval("{}") {
		t.Errorf("got %+v, %v", made, err)
	}
	if _, err := made.Prepare(`{"input":" "}`); err == nil {
		t.Error("a blank input was taken")
	}
}
