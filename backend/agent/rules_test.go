package agent_test

import (
	"context"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// ruled lets a runner follow rules, and counts how often each was used.
func ruled(w *world, rules ...*approval.Rule) {
	w.r.Rules = func(_ context.Context, c agent.RuleCall) (string, bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, rule := range rules {
			if rule.Enabled && rule.Allows(c.AgentName, c.ToolName, c.ArgumentsText) {
				rule.Uses++
				return rule.Name, true
			}
		}
		return "", false
	}
}

func saying(text string) *approval.Rule {
	return &approval.Rule{
		Name: "says " + text, ToolName: "danger", Enabled: true,
		Conditions: []approval.Condition{{Path: "text", Op: approval.OpEquals, Value: `"` + text + `"`}},
	}
}

func dangers(texts ...string) scripted.Turn {
	calls := make([]model.ToolCall, len(texts))
	for i, text := range texts {
		calls[i] = model.ToolCall{ID: "c_" + text, Name: "danger", Arguments: `{"text":"` + text + `"}`}
	}
	return scripted.CallTools(calls...)
}

func waitingTexts(outcome *agent.Outcome) string {
	var texts []string
	for _, p := range outcome.Pending {
		texts = append(texts, p.ArgumentsText)
	}
	return strings.Join(texts, " ")
}

func TestC20ACallARuleAllowsRunsAndTheLogNamesTheRule(t *testing.T) {
	var did runs
	w := newWorld(t, demo([]*tool.Tool{echo(&did), danger(&did)}, dangers("a"), scripted.Say("Done.")))
	rule := saying("a")
	ruled(w, rule)
	outcome := w.run("go")
	if outcome.Status != protocol.StatusCompleted || strings.Join(did.get(), " ") != "a" || rule.Uses != 1 {
		t.Fatalf("got %s, ran %q, used %d times, want completed, a, once", outcome.Status, did.get(), rule.Uses)
	}
	w.golden("ruled", outcome.ID)
	var transcript protocol.Transcript
	records, err := w.store.Events(t.Context(), outcome.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records {
		transcript.ApplyJSON(record.Seq, record.JSON)
	}
	if c := transcript.Call("c_a"); c.By != "rule:says a" || c.State != protocol.StateDone || len(transcript.Late) != 0 {
		t.Errorf("a reader sees the call %s, decided by %q", c.State, c.By)
	}
	states, err := w.store.Runs(t.Context(), agent.RunQuery{ID: outcome.ID})
	if err != nil {
		t.Fatal(err)
	}
	if p := states[0].Approvals; len(p) != 1 || p[0].Decision == nil || p[0].Decision.By != "rule:says a" {
		t.Errorf("the store has the approvals %+v, want one, decided by the rule", p)
	}
}

func TestC15WhatARuleDoesNotAllowAsks(t *testing.T) {
	for name, c := range map[string]struct {
		call  scripted.Turn
		rules func(w *world)
	}{
		"another argument": {dangers("b"), func(w *world) { ruled(w, saying("a")) }},
		"a rule that is off": {dangers("a"), func(w *world) {
			rule := saying("a")
			rule.Enabled = false
			ruled(w, rule)
		}},
		"rules that panic": {dangers("a"), func(w *world) {
			w.r.Rules = func(context.Context, agent.RuleCall) (string, bool) { panic("rules") }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			w := newWorld(t, demo([]*tool.Tool{danger(&did)}, c.call, scripted.Say("Done.")))
			c.rules(w)
			if outcome := w.run("go"); outcome.Status != protocol.StatusPaused || len(outcome.Pending) != 1 || len(did.get()) != 0 {
				t.Errorf("got %s, %d pending, ran %q, want it to ask", outcome.Status, len(outcome.Pending), did.get())
			}
		})
	}
}

func TestARuleIsNotAskedAboutCallsThatCannotRunOrNeedNobody(t *testing.T) {
	var did runs
	w := newWorld(t, demo([]*tool.Tool{echo(&did), danger(&did)}, scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "danger", Arguments: `{"text":5}`},
		model.ToolCall{ID: "c2", Name: "danger", Arguments: `{"text":"a","text":"b"}`},
		model.ToolCall{ID: "c3", Name: "echo", Arguments: `{"text":"free"}`},
		model.ToolCall{ID: "c4", Name: "none", Arguments: `{}`},
	), scripted.Say("Done.")))
	w.r.Rules = func(_ context.Context, c agent.RuleCall) (string, bool) {
		t.Errorf("asked about %s %s", c.ToolName, c.ArgumentsText)
		return "all", true
	}
	if w.run("go"); strings.Join(did.get(), " ") != "free" {
		t.Errorf("ran %q, want free alone", did.get())
	}
}

func TestARuledCallWaitsForItsSiblingsAndIsNotJudgedAgain(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(map[bool]string{false: "in one process", true: "after a restart"}[restart], func(t *testing.T) {
			var did runs
			a := demo([]*tool.Tool{danger(&did)}, dangers("a", "b"), scripted.Say("Done."))
			w := newWorld(t, a)
			rule := saying("a")
			ruled(w, rule)
			outcome := w.run("go")
			if got := waitingTexts(outcome); got != `{"text":"b"}` || len(did.get()) != 0 {
				t.Fatalf("%s waits and %q ran, want b to wait and nothing to run", got, did.get())
			}
			if restart {
				w.open(a)
				if err := w.r.Recover(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
			}
			rule.Enabled = false // what was allowed stays allowed
			ruled(w, rule)
			_, h, err := w.r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approval.Decision{Reason: "no"})
			if err != nil || h == nil {
				t.Fatalf("decide: handle %v, error %v", h, err)
			}
			if got := w.wait(h); got.Status != protocol.StatusCompleted || strings.Join(did.get(), " ") != "a" || rule.Uses != 1 {
				t.Errorf("got %s, ran %q, used %d times, want completed, a, once", got.Status, did.get(), rule.Uses)
			}
			if log := w.log(outcome.ID); strings.Count(log, `"by":"rule:says a"`) != 1 {
				t.Errorf("the log does not name the rule once:\n%s", log)
			}
			w.checkHistory()
		})
	}
}

func TestC16ApprovingThreeDoesNotCoverAFourth(t *testing.T) {
	var did runs
	w := newWorld(t, demo([]*tool.Tool{danger(&did)}, dangers("a", "b", "c"), dangers("d"), scripted.Say("Done.")))
	outcome := w.run("go")
	var h *agent.Handle
	for _, p := range outcome.Pending {
		var err error
		if _, h, err = w.r.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: p.ArgumentsHash}); err != nil {
			t.Fatal(err)
		}
	}
	outcome = w.wait(h)
	if got := waitingTexts(outcome); got != `{"text":"d"}` || strings.Join(did.get(), " ") != "a b c" {
		t.Errorf("%s waits and %q ran, want d to wait and a b c to have run", got, did.get())
	}
}
