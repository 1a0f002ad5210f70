package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

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
	synctest.Test(t, func(t *testing.T) {
		var did runs
		child := researcher("researcher", []*tool.Tool{danger(&did)}, model.ToolCall{ID: "k1", Name: "danger", Arguments: `{"text":"x"}`})
		child.Timeout = time.Minute
		a := demo([]*tool.Tool{asTool(t, child)})
		a.Backend = steps(scripted.CallTools(ask("c1", "researcher")), scripted.Say("Done."))
		w := newWorld(t, a)
		p := w.run("go").Pending[0]
		time.Sleep(2 * child.Timeout)
		_, h, err := w.r.Decide(t.Context(), p.ApprovalID, approved)
		if err != nil {
			t.Fatal(err)
		}
		w.wait(h)
		if got := w.seen(h.RunID).Call("c1"); got.State != protocol.StateDone {
			t.Errorf("got %s %s: the wait was counted", got.State, got.Error)
		}
	})
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

	child.Backend = steps(scripted.Say("just 1"))
	a.Backend = steps(scripted.CallTools(ask("c1", "child")), scripted.Say("ok"))
	w = newWorld(t, a)
	call := w.seen(w.run("go").ID).Call("c1")
	if call.State != protocol.StateFailed || call.ErrorCode != model.CodeInvalidResponse || !strings.Contains(call.Error, "does not fit") || !strings.Contains(call.Error, "just 1") {
		t.Errorf("got %s %s %q, want the call to fail once no repair is left", call.State, call.ErrorCode, call.Error)
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

func TestWhatStopsTheRunFromInsideACallStopsIt(t *testing.T) {
	bad := tool.Must(tool.Config[echoInput, string]{
		Name: "bad", Description: "d", Run: func(tool.Context, echoInput) (string, error) { return "", errors.New("SECRET") },
	})
	a := family(t, bad)
	child := researcher("researcher", []*tool.Tool{bad}, model.ToolCall{ID: "k1", Name: "bad", Arguments: `{"text":"x"}`})
	child.OnToolError = func(tool.Context, agent.ToolError) error { return errors.New("the disk is full") }
	a.Tools = []*tool.Tool{asTool(t, child)}
	w := newWorld(t, a)
	outcome := w.run("go")
	if outcome.Status != protocol.StatusFailed || outcome.Error != "the disk is full" {
		t.Errorf("got %s %q, want failed with the safe reason", outcome.Status, outcome.Error)
	}
	if log := w.log(outcome.ID); strings.Contains(log, "SECRET") {
		t.Errorf("the log tells what nobody is to read:\n%s", log)
	}
	for _, call := range w.seen(outcome.ID).Calls() {
		if !call.Settled() {
			t.Errorf("call %s is %s in the end", call.ID, call.State)
		}
	}
	w.checkHistory()
}

func TestACallInsideThatIsAboutToWaitIsNotCancelledYet(t *testing.T) {
	var did runs
	started := make(chan string, 1)
	a := family(t, danger(&did))
	a.Parallel = true
	a.Tools = append(a.Tools, sleeper(started))
	a.Backend = steps(scripted.CallTools(ask("c1", "researcher"), model.ToolCall{ID: "c2", Name: "sleep", Arguments: `{"text":"long"}`}), scripted.Say("Done."))
	w := newWorld(t, a)
	h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	<-started
	for range 60_000 { // until the agent inside waits
		if err = w.r.CancelCall(t.Context(), h.RunID, "k1"); errors.Is(err, agent.ErrBusy) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !errors.Is(err, agent.ErrBusy) {
		t.Fatalf("got %v, want ErrBusy", err)
	}
	if err := w.r.CancelCall(t.Context(), h.RunID, "c2"); err != nil {
		t.Fatal(err)
	}
	if got := w.wait(h); got.Status != protocol.StatusPaused || len(got.Pending) != 1 {
		t.Fatalf("got %s with %d questions, want paused with one", got.Status, len(got.Pending))
	}
	w.settleAll(h.RunID)
	w.checkHistory()
}

func TestB26AgentsThatAskThemselvesStopAtTheLimitOfRequests(t *testing.T) {
	a := &agent.Agent{Name: "demo", Description: "Asks itself", MaxTurns: 4}
	a.Tools = []*tool.Tool{asTool(t, a)}
	requests := 0
	a.Backend = answering(func([]*model.Message) scripted.Turn {
		requests++
		return scripted.CallTools(ask("", "demo"), ask("", "demo"))
	})
	w := newWorld(t, a)
	w.r.MaxRequests = 50
	outcome := w.run("go")
	if finish := outcome.Finish; outcome.Status != protocol.StatusCompleted || finish == nil || finish.Limit != "requests" {
		t.Errorf("got %s and %+v, want it to end at the limit of requests", outcome.Status, finish)
	}
	if requests < 50 || requests > 50+20 { // each call that is open then gets its one last turn
		t.Errorf("got %d requests, want hardly more than 50", requests)
	}
}

func TestACallWhoseAgentWasBlockedShowsThatItWas(t *testing.T) {
	child := &agent.Agent{
		Name: "researcher", Description: "Finds things out", Backend: steps(scripted.Say("The code is 1234.")),
		Middleware: []agent.Middleware{{Name: "guard", HoldBack: true, AfterModel: func(tool.Context, *agent.Answer) error { return agent.Block("") }}},
	}
	w := newWorld(t, &agent.Agent{
		Name: "demo", Tools: []*tool.Tool{asTool(t, child)}, Backend: steps(scripted.CallTools(ask("c1", "researcher")), scripted.Say("Done.")),
	})
	outcome := w.run("go")
	if got, want := w.history()[2].Content, agent.DefaultBlockText; got != want {
		t.Errorf("the caller reads %s, want %s", got, want)
	}
	got := w.seen(outcome.ID).Call("c1").Presentation
	if got == nil || got.Summary != "blocked" || got.Tone != tool.ToneWarning || got.Label != "researcher" {
		t.Errorf("the call is shown as %+v, want blocked", got)
	}
}
