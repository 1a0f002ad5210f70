package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// hooked is a tool that says what it hears.
func hooked(name string, heard *runs) *tool.Tool {
	return tool.Must(tool.Config[echoInput, string]{
		Name: name, Description: "Is heard",
		Hooks: tool.InputHooks{
			OnInputStart:     func(id string) { heard.add(name + " start " + id) },
			OnInputDelta:     func(_, delta string) { heard.add(name + " delta " + delta) },
			OnInputAvailable: func(_, args string) { heard.add(name + " available " + args) },
			OnInputAbandoned: func(id, reason string) { heard.add(name + " abandoned " + id + " " + reason) },
		},
		Run: func(_ tool.Context, in echoInput) (string, error) {
			heard.add(name + " ran " + in.Text)
			return in.Text, nil
		},
	})
}

func contains(t *testing.T, log string, want ...string) {
	t.Helper()
	at := 0
	for _, w := range want {
		next := strings.Index(log[at:], w)
		if next < 0 {
			t.Errorf("the log lacks %s, or has it too early:\n%s", w, log)
			return
		}
		at += next
	}
}

func lacks(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(text, u) {
			t.Errorf("%s leaks:\n%s", u, text)
		}
	}
}

func TestS6WhatMiddlewareChangesIsCorrectedOnTheWire(t *testing.T) {
	var heard runs
	turn := scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "echo", Arguments: `{"text":"dropped"}`},
		model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"text":"renamed"}`},
		model.ToolCall{ID: "c3", Name: "echo", Arguments: `{"text":"reargued"}`},
	)
	a := demo([]*tool.Tool{hooked("echo", &heard), hooked("other", &heard)}, turn, scripted.Say("Done."))
	a.Middleware = []agent.Middleware{{Name: "editor", AfterModel: func(_ tool.Context, answer *agent.Answer) error {
		if len(answer.Calls) == 0 {
			return nil
		}
		answer.Calls = answer.Calls[1:]
		answer.Calls[0].Name = "other"
		answer.Calls[1].Arguments = `{"text":"safe"}`
		answer.Calls = append(answer.Calls, model.ToolCall{ID: "extra", Name: "other", Arguments: `{"text":"added"}`})
		return nil
	}}}
	w := newWorld(t, a)
	outcome := w.run("go")
	log := w.golden("middleware-amends", outcome.ID)
	contains(
		t, log, `"toolCallId":"c2","dropped":true,"reason":"discarded"`,
		`"type":"tool-call-start"`, `"toolName":"other","providerCallId":"c2"`,
		`"toolCallId":"c3","arguments":{"text":"safe"},"argumentsText":"{\"text\":\"safe\"}"`,
		`"id":"extra","toolName":"other"`, `"toolCallId":"c1","dropped":true,"reason":"discarded"`, `"result":"safe"`,
	)
	if got := heard.get(); !slices.Contains(got, "echo abandoned c1 discarded") || !slices.Contains(got, "echo abandoned c2 discarded") ||
		slices.Contains(got, "echo abandoned c3 discarded") || !slices.Contains(got, `other available {"text":"renamed"}`) {
		t.Errorf("the hooks heard %q", got)
	}
	ran := slices.DeleteFunc(heard.get(), func(s string) bool { return !strings.Contains(s, " ran ") })
	if want := []string{"other ran renamed", "echo ran safe", "other ran added"}; !slices.Equal(ran, want) {
		t.Errorf("got the runs %q, want %q", ran, want)
	}
	if calls := w.history()[1].ToolCalls; len(calls) != 3 || calls[1].Arguments != `{"text":"safe"}` || calls[0].Name != "other" {
		t.Errorf("the model reads the calls %+v, want those that ran", calls)
	}
	st := w.stored(outcome.ID)
	if st.CallCount != 3 || st.Calls[0].Proposed != `{"text":"reargued"}` || st.Calls[0].Executed != `{"text":"safe"}` {
		t.Errorf("the ledger has %d calls, the first %+v: what the model wrote has to be kept", st.CallCount, st.Calls[0])
	}
	w.checkHistory()
}

// stored is a run as the store has it.
func (w *world) stored(runID string) *agent.RunState {
	w.t.Helper()
	states, err := w.store.Runs(w.t.Context(), agent.RunQuery{ID: runID})
	if err != nil || len(states) != 1 {
		w.t.Fatalf("got %d runs, %v", len(states), err)
	}
	return states[0]
}

func TestS5ATurnThatIsHeldBackGoesOutOnceItIsChecked(t *testing.T) {
	var heard runs
	start := model.ToolInput{Type: model.ToolInputStart, ToolCallID: "c0", ToolName: "echo"}
	turn := scripted.CallTools(model.ToolCall{ID: "c1", Name: "echo", Arguments: `{"text":"a"}`}, model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"text":"SECRET"}`})
	turn.Chunks = append([]scripted.Chunk{
		{Reasoning: "I think SECRET"}, {Text: "Let me "}, {ToolInput: &start}, {Text: "see."},
	}, turn.Chunks...)
	a := demo([]*tool.Tool{hooked("echo", &heard)}, turn, scripted.Say("SECRET is out."))
	checked := 0
	a.Middleware = []agent.Middleware{{Name: "guard", HoldBack: true, AfterModel: func(ctx tool.Context, answer *agent.Answer) error {
		checked++
		if got := heard.get(); checked == 1 && len(got) > 0 {
			t.Errorf("a hook heard %q before the check", got)
		}
		if ctx.RunID == "" || ctx.AgentName != "demo" {
			t.Errorf("the middleware knows the run as %+v", ctx)
		}
		answer.Text = strings.ReplaceAll(answer.Text, "SECRET", "It")
		answer.Reasoning = strings.ReplaceAll(answer.Reasoning, "SECRET", "it")
		for i := range answer.Calls {
			answer.Calls[i].Arguments = strings.ReplaceAll(answer.Calls[i].Arguments, "SECRET", "b")
		}
		return nil
	}}}
	w := newWorld(t, a)
	outcome := w.run("go")
	log := w.golden("held", outcome.ID)
	lacks(t, log, "SECRET", "c0")
	contains(
		t, log, `"phase":"start"`, `"held":true`, `"type":"reasoning-delta"`, `"delta":"Let me see."`, `"id":"c1","toolName":"echo"`,
		`"id":"c1","argsTextDelta":"{\"text\":\"a\"}"`, `"type":"tool-call-end"`, `"id":"c2","argsTextDelta":"{\"text\":\"b\"}"`,
		`"phase":"end"`, `"state":"running"`, `"delta":"It is out."`,
	)
	if outcome.Output != "It is out." || checked != 2 {
		t.Errorf("got %q after %d checks", outcome.Output, checked)
	}
	want := "echo start c1, echo delta {\"text\":\"a\"}, echo available {\"text\":\"a\"}, echo start c2"
	if got := strings.Join(heard.get(), ", "); !strings.HasPrefix(got, want) || strings.Contains(got, "abandoned") {
		t.Errorf("the hooks heard %s", got)
	}
	for _, m := range w.history() {
		lacks(t, fmt.Sprintf("%+v", m), "SECRET")
	}
	w.checkHistory()
}

func TestABlockedTurnLeavesNothing(t *testing.T) {
	for name, hold := range map[string]bool{"held": true, "streamed": false} {
		t.Run(name, func(t *testing.T) {
			var heard runs
			turn := scripted.CallTool("c1", "echo", `{"text":"SECRET"}`)
			turn.Chunks = append([]scripted.Chunk{{Reasoning: "SECRET thought"}, {Text: "The SECRET"}}, turn.Chunks...)
			turn.Chunks = append(turn.Chunks, scripted.Chunk{Usage: &model.Usage{TotalTokens: new(int64)}})
			a := demo([]*tool.Tool{hooked("echo", &heard)}, turn)
			a.Middleware = []agent.Middleware{
				{Name: "outer", AfterModel: func(tool.Context, *agent.Answer) error {
					t.Error("a middleware saw a turn that was blocked inside it")
					return nil
				}},
				{Name: "guard", HoldBack: hold, AfterModel: func(_ tool.Context, answer *agent.Answer) error {
					if strings.Contains(answer.Text, "SECRET") && len(answer.Calls) == 1 {
						return agent.Block("I cannot say that.")
					}
					return nil
				}},
			}
			w := newWorld(t, a)
			outcome := w.run("go")
			log := w.golden("blocked-"+name, outcome.ID)
			if outcome.Status != protocol.StatusCompleted || !outcome.Finish.Blocked || outcome.Output != "I cannot say that." || outcome.Usage == nil {
				t.Errorf("got %s %+v %q", outcome.Status, outcome.Finish, outcome.Output)
			}
			if hold {
				lacks(t, log, "SECRET", "c1", "tool")
				if got := heard.get(); len(got) > 0 {
					t.Errorf("a hook heard %q", got)
				}
			} else {
				contains(t, log, `"id":"part_1_0_1","dropped":true`, `"id":"part_1_0_2","dropped":true`, `"toolCallId":"c1","dropped":true,"reason":"discarded"`)
			}
			var tr protocol.Transcript
			w.fold(&tr, outcome.ID)
			if len(tr.Items) != 2 || tr.Items[1].Text() != "I cannot say that." {
				t.Errorf("a reader sees %d items, want the message and what is said instead", len(tr.Items))
			}
			for _, m := range w.history() {
				lacks(t, fmt.Sprintf("%+v", m), "SECRET")
			}
		})
	}
}

func (w *world) fold(tr *protocol.Transcript, runID string) {
	w.t.Helper()
	records, err := w.store.Events(w.t.Context(), runID, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range records {
		tr.ApplyJSON(r.Seq, r.JSON)
	}
}

func TestARequestThatIsBlockedIsNotMade(t *testing.T) {
	a := demo(nil)
	a.Middleware = []agent.Middleware{{BeforeModel: func(tool.Context, *model.Request) error { return agent.Block("") }}}
	w := newWorld(t, a)
	outcome := w.run("go")
	if !outcome.Finish.Blocked || outcome.Output != agent.DefaultBlockText {
		t.Errorf("got %+v %q", outcome.Finish, outcome.Output)
	}
	if sent := w.requests(outcome.ID); len(sent) != 1 || sent[0] != "" {
		t.Errorf("got the requests %q, want nothing sent", sent)
	}
}

// requests are the bytes of each try that went to the model.
func (w *world) requests(runID string) []string {
	w.t.Helper()
	rows, err := w.store.(*agent.Memory).RunRequests(w.t.Context(), runID)
	if err != nil {
		w.t.Fatal(err)
	}
	var sent []byte
	var all []string
	for _, row := range rows {
		if row.Sent == nil {
			all = append(all, "")
			continue
		}
		sent = append(sent[:row.Sent.Keep], row.Sent.Tail...)
		if !json.Valid(sent) {
			w.t.Errorf("request %d.%d does not go on where the one before ended: %s", row.Turn, row.Try, sent)
		}
		all = append(all, string(sent))
	}
	return all
}

func TestMiddlewareIsAskedInItsOrder(t *testing.T) {
	var did, order runs
	layer := func(name string) agent.Middleware {
		return agent.Middleware{
			Name:        name,
			BeforeModel: func(tool.Context, *model.Request) error { order.add(name + " before model"); return nil },
			AfterModel:  func(tool.Context, *agent.Answer) error { order.add(name + " after model"); return nil },
			BeforeCall: func(tool.Context, *tool.Tool, model.ToolCall) (*tool.Result, error) {
				order.add(name + " before call")
				return nil, nil
			},
			AfterCall: func(_ tool.Context, _ *tool.Tool, _ model.ToolCall, r *tool.Result) error {
				order.add(name + " after call")
				r.Content = json.RawMessage(strings.Replace(string(r.Content), "]", ","+`"`+name+`"]`, 1))
				return nil
			},
		}
	}
	lister := tool.Must(tool.Config[echoInput, []string]{Name: "list", Description: "lists", Run: func(_ tool.Context, in echoInput) ([]string, error) {
		did.add(in.Text)
		return []string{in.Text}, nil
	}})
	a := demo([]*tool.Tool{lister}, scripted.CallTool("c1", "list", `{"text":"x"}`), scripted.Say("Done."))
	a.Middleware = []agent.Middleware{layer("outer"), {}, layer("inner")}
	w := newWorld(t, a)
	w.run("go")
	want := "outer before model, inner before model, inner after model, outer after model, outer before call, inner before call, " +
		"inner after call, outer after call, outer before model, inner before model, inner after model, outer after model"
	if got := strings.Join(order.get(), ", "); got != want {
		t.Errorf("got the order\n%s, want\n%s", got, want)
	}
	if got := w.history()[2].Content; got != `["x","inner","outer"]` {
		t.Errorf("the model reads %s", got)
	}
}

func TestAMiddlewareMayEndARunWithAReasonOfItsOwn(t *testing.T) {
	a := demo(nil, scripted.Say("x"))
	a.Middleware = []agent.Middleware{{AfterModel: func(tool.Context, *agent.Answer) error {
		return &agent.RunError{Code: "QUOTA_SPENT", Message: "The quota of today is spent."}
	}}}
	w := newWorld(t, a)
	if got := w.run("go"); got.ErrorCode != "QUOTA_SPENT" || got.Error != "The quota of today is spent." {
		t.Errorf("got %s %q", got.ErrorCode, got.Error)
	}
}

func TestAHeldTurnThatDoesNotComeWholeLeavesNothing(t *testing.T) {
	held := []agent.Middleware{{HoldBack: true}}
	half := func(rest ...scripted.Chunk) scripted.Turn {
		return scripted.Turn{Chunks: append([]scripted.Chunk{
			{Text: "SECRET"}, {ToolInput: &model.ToolInput{Type: model.ToolInputStart, ToolCallID: "c1", ToolName: "echo"}},
		}, rest...)}
	}
	t.Run("a try that failed", func(t *testing.T) {
		var heard runs
		a := demo([]*tool.Tool{hooked("echo", &heard)}, half(scripted.Chunk{Error: "overloaded", Retryable: true}), scripted.Say("Hello."))
		a.Middleware = held
		w := newWorld(t, a)
		outcome := w.run("go")
		log := w.log(outcome.ID)
		lacks(t, log, "SECRET", "c1", "dropped")
		contains(t, log, `"phase":"retry"`, "Hello.")
		if got := heard.get(); len(got) > 0 || outcome.Output != "Hello." {
			t.Errorf("got %q, the hooks heard %q", outcome.Output, got)
		}
	})
	t.Run("failed for good", func(t *testing.T) {
		a := demo(nil, half(scripted.Chunk{Error: "the key is wrong"}))
		a.Middleware = held
		w := newWorld(t, a)
		lacks(t, w.log(w.run("go").ID), "SECRET", "c1")
		for _, m := range w.history() {
			lacks(t, m.Content, "SECRET")
		}
	})
	t.Run("the last turn may not call", func(t *testing.T) {
		var did runs
		a := demo([]*tool.Tool{echo(&did)}, scripted.CallTool("c1", "echo", `{"text":"x"}`))
		a.Middleware = []agent.Middleware{{HoldBack: true, AfterModel: func(_ tool.Context, answer *agent.Answer) error {
			if len(answer.Calls) > 0 {
				t.Errorf("the calls %v of the last turn are shown", answer.Calls)
			}
			answer.Calls = []model.ToolCall{{ID: "c9", Name: "echo", Arguments: `{"text":"x"}`}}
			return nil
		}}}
		a.MaxTurns = 1
		w := newWorld(t, a)
		outcome := w.run("go")
		lacks(t, w.log(outcome.ID), "tool-call-start")
		if len(did.get()) > 0 || !outcome.Finish.IterationLimitReached {
			t.Errorf("got %+v after %q ran", outcome.Finish, did.get())
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		a := demo(nil, half(scripted.Chunk{DelayMs: 60_000}))
		a.Middleware = held
		w := newWorld(t, a)
		h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.r.Cancel(t.Context(), h.RunID); err != nil {
			t.Fatal(err)
		}
		outcome := w.wait(h)
		if outcome.Status != protocol.StatusCancelled {
			t.Errorf("got %s, want cancelled", outcome.Status)
		}
		lacks(t, w.log(h.RunID), "SECRET", "c1")
		for _, m := range w.history() {
			lacks(t, m.Content, "SECRET")
		}
	})
}

func TestBeforeModelChangesWhatIsAskedAndNothingElse(t *testing.T) {
	var did runs
	a := demo([]*tool.Tool{echo(&did), danger(&did)}, scripted.CallTool("c1", "echo", `{"text":"x"}`), scripted.CallTool("c2", "echo", `{"text":"y"}`), scripted.Say("Done."))
	turn := 0
	a.Middleware = []agent.Middleware{{BeforeModel: func(_ tool.Context, request *model.Request) error {
		turn++
		hint := &model.Message{Role: model.RoleUser, Content: fmt.Sprintf("hint %d", turn)}
		if turn == 2 { // in the middle: what was sent before does not hold any more
			request.Messages = slices.Insert(slices.Clone(request.Messages), 1, hint)
		} else {
			request.Messages = append(request.Messages, hint)
		}
		request.Tools = request.Tools[:1]
		return nil
	}}}
	w := newWorld(t, a)
	sent := w.requests(w.run("go").ID)
	if len(sent) != 3 {
		t.Fatalf("got %d requests, want 3", len(sent))
	}
	for i, request := range sent {
		if got := strings.Count(request, "hint "); got != 1 || !strings.Contains(request, fmt.Sprintf("hint %d", i+1)) || strings.Contains(request, "danger") {
			t.Errorf("request %d is %s", i+1, request)
		}
	}
	for _, m := range w.history() {
		lacks(t, m.Content, "hint")
	}
}
