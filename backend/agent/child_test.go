package agent_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

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
