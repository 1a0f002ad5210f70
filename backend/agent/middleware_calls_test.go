package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func TestC6WhatMiddlewareMadeIsWhatIsShownAndRuns(t *testing.T) {
	var did runs
	turn := scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "danger", Arguments: `{"text":"as written"}`},
		model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"text":"as written"}`},
	)
	a := demo([]*tool.Tool{danger(&did), echo(&did)}, turn, scripted.Say("Done."))
	a.Middleware = []agent.Middleware{{AfterModel: func(_ tool.Context, answer *agent.Answer) error {
		for i := range answer.Calls {
			answer.Calls[i].Arguments = fmt.Sprintf(`{"text":"made %d"}`, i)
		}
		return nil
	}}}
	w := newWorld(t, a)
	outcome := w.run("go")
	p := outcome.Pending[0]
	if p.ArgumentsText != `{"text":"made 0"}` || p.ArgumentsHash != approval.Hash(p.ArgumentsText) {
		t.Errorf("asked about %s, want what middleware made", p.ArgumentsText)
	}
	w.open(a) // as after a restart: the sibling that waits with it is stored as changed, too
	_, h, err := w.r.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: p.ArgumentsHash})
	if err != nil {
		t.Fatal(err)
	}
	w.wait(h)
	if got := did.get(); !slices.Equal(got, []string{"made 0", "made 1"}) {
		t.Errorf("ran %q, want what was shown", got)
	}
	for _, c := range w.stored(outcome.ID).Calls {
		if c.Proposed != `{"text":"as written"}` || !strings.Contains(c.Executed, "made") {
			t.Errorf("the ledger has %+v, want both texts", c)
		}
	}
}

func TestMiddlewareAnswersAndDeniesCalls(t *testing.T) {
	var did, saw runs
	turn := scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "danger", Arguments: `{"text":"no"}`},
		model.ToolCall{ID: "c2", Name: "danger", Arguments: `{"text":"known"}`},
		model.ToolCall{ID: "c3", Name: "echo", Arguments: `{"text":"plain"}`},
	)
	a := demo([]*tool.Tool{danger(&did), echo(&did)}, turn, scripted.Say("Done."))
	after := func(name string) func(tool.Context, *tool.Tool, model.ToolCall, *tool.Result) error {
		return func(_ tool.Context, _ *tool.Tool, c model.ToolCall, _ *tool.Result) error {
			saw.add(name + " " + c.ID)
			return nil
		}
	}
	a.Middleware = []agent.Middleware{
		{Name: "outer", AfterCall: after("outer")},
		{Name: "policy", AfterCall: after("policy"), BeforeCall: func(_ tool.Context, d *tool.Tool, c model.ToolCall) (*tool.Result, error) {
			switch c.Arguments {
			case `{"text":"no"}`:
				return nil, agent.Deny(d.Name + " is not for today")
			case `{"text":"known"}`:
				return &tool.Result{Content: json.RawMessage(`"from the cache"`)}, nil
			}
			return nil, nil
		}},
		{Name: "inner", AfterCall: after("inner"), BeforeCall: func(_ tool.Context, _ *tool.Tool, c model.ToolCall) (*tool.Result, error) {
			if c.ID != "c3" {
				t.Errorf("an inner middleware was asked about %s", c.ID)
			}
			return nil, nil
		}},
	}
	w := newWorld(t, a)
	outcome := w.run("go")
	log := w.golden("middleware-calls", outcome.ID)
	if outcome.Status != protocol.StatusCompleted {
		t.Errorf("got %s: nobody is to be asked about calls a middleware decided", outcome.Status)
	}
	contains(
		t, log, `"toolCallId":"c1","state":"denied","by":"middleware:policy","reason":"danger is not for today"`, `"errorCode":"TOOL_DENIED"`,
		`"toolCallId":"c2","state":"running","by":"middleware:policy"`, `"result":"from the cache"`,
	)
	if got := did.get(); !slices.Equal(got, []string{"plain"}) {
		t.Errorf("ran %q, want the third alone", got)
	}
	if got := strings.Join(saw.get(), ", "); got != "outer c2, inner c3, policy c3, outer c3" {
		t.Errorf("results were seen by %s", got)
	}
	if got := w.history()[2].Content; !strings.Contains(got, "not for today") {
		t.Errorf("the model reads %s, want the reason", got)
	}
	w.checkHistory()
}

func TestACallDeniedWithoutAReasonSaysSo(t *testing.T) {
	var did runs
	a := demo([]*tool.Tool{echo(&did)}, scripted.CallTool("c1", "echo", `{"text":"x"}`), scripted.Say("Done."))
	a.Middleware = []agent.Middleware{{Name: "policy", BeforeCall: func(tool.Context, *tool.Tool, model.ToolCall) (*tool.Result, error) {
		return nil, agent.Deny("")
	}}}
	w := newWorld(t, a)
	w.run("go")
	if got, want := w.history()[2].Content, `{"error":"denied: no reason was given"}`; got != want || len(did.get()) > 0 {
		t.Errorf("the model reads %s after %d calls, want %s", got, len(did.get()), want)
	}
}

func TestAMiddlewareThatFailsFailsTheRunWithItsName(t *testing.T) {
	secret := errors.New("SECRET")
	for name, m := range map[string]agent.Middleware{
		"before the model":            {BeforeModel: func(tool.Context, *model.Request) error { return secret }},
		"before the model, panicking": {BeforeModel: func(tool.Context, *model.Request) error { panic("SECRET") }},
		"after the model":             {AfterModel: func(tool.Context, *agent.Answer) error { return secret }},
		"after the model, panicking":  {AfterModel: func(tool.Context, *agent.Answer) error { panic("SECRET") }},
		"after the model, text that is out": {AfterModel: func(_ tool.Context, answer *agent.Answer) error {
			answer.Text += "SECRET"
			return nil
		}},
		"before a call": {BeforeCall: func(tool.Context, *tool.Tool, model.ToolCall) (*tool.Result, error) { return nil, secret }},
		"before a call, panicking": {BeforeCall: func(tool.Context, *tool.Tool, model.ToolCall) (*tool.Result, error) {
			panic("SECRET")
		}},
		"before a call, no JSON": {BeforeCall: func(tool.Context, *tool.Tool, model.ToolCall) (*tool.Result, error) {
			return &tool.Result{Content: json.RawMessage("SECRET")}, nil
		}},
		"before a call, no content": {BeforeCall: func(tool.Context, *tool.Tool, model.ToolCall) (*tool.Result, error) {
			return &tool.Result{}, nil
		}},
		"before a call, details that are no JSON": {BeforeCall: func(tool.Context, *tool.Tool, model.ToolCall) (*tool.Result, error) {
			return &tool.Result{Content: json.RawMessage("1"), Details: json.RawMessage("SECRET")}, nil
		}},
		"after a call": {AfterCall: func(tool.Context, *tool.Tool, model.ToolCall, *tool.Result) error { return secret }},
		"after a call, panicking": {AfterCall: func(tool.Context, *tool.Tool, model.ToolCall, *tool.Result) error {
			panic("SECRET")
		}},
		"after a call, no JSON": {AfterCall: func(_ tool.Context, _ *tool.Tool, _ model.ToolCall, r *tool.Result) error {
			r.Content = json.RawMessage("SECRET")
			return nil
		}},
	} {
		for _, hold := range []bool{false, true} {
			if hold && strings.Contains(name, "text that is out") {
				continue // with HoldBack it is no mistake
			}
			t.Run(fmt.Sprintf("%s, held %v", name, hold), func(t *testing.T) {
				var did runs
				a := demo([]*tool.Tool{echo(&did)}, scripted.CallTool("c1", "echo", `{"text":"x"}`), scripted.Say("Done."))
				m := m
				m.Name, m.HoldBack = "watch", hold
				a.Middleware = []agent.Middleware{m}
				a.Parallel = true
				w := newWorld(t, a)
				outcome := w.run("go")
				if outcome.Status != protocol.StatusFailed || outcome.ErrorCode != agent.CodeMiddlewareFailed || !strings.Contains(outcome.Error, `"watch"`) {
					t.Errorf("got %s %s %q, want it to fail with the name", outcome.Status, outcome.ErrorCode, outcome.Error)
				}
				moment, _, _ := strings.Cut(name, ",")
				if !strings.Contains(outcome.Error, moment) {
					t.Errorf("got %q, want the moment %s", outcome.Error, moment)
				}
				lacks(t, w.log(outcome.ID), "SECRET")
				var tr protocol.Transcript
				w.fold(&tr, outcome.ID)
				for _, c := range tr.Calls() {
					if !c.Settled() {
						t.Errorf("call %s is left open", c.ID)
					}
				}
				w.checkHistory()
			})
		}
	}
}

func TestACallWhoseResultIsKeptBackHasRun(t *testing.T) {
	var did runs
	a := demo([]*tool.Tool{echo(&did)}, scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "echo", Arguments: `{"text":"x"}`}, model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"text":"y"}`},
	), scripted.Say("Done."))
	a.Middleware = []agent.Middleware{{AfterCall: func(tool.Context, *tool.Tool, model.ToolCall, *tool.Result) error { return errors.New("SECRET") }}}
	w := newWorld(t, a)
	id := w.run("go").ID
	ran, stopped := w.seen(id).Call("c1"), w.seen(id).Call("c2")
	if ran.State != protocol.StateFailed || !strings.Contains(ran.Error, "was carried out") {
		t.Errorf("the call that ran is %s: %q", ran.State, ran.Error)
	}
	if stopped.State != protocol.StateCancelled || strings.Contains(stopped.Error, "carried out") || len(did.get()) != 1 {
		t.Errorf("the call that did not is %s: %q; there ran %v", stopped.State, stopped.Error, did.get())
	}
	lacks(t, w.log(id), "SECRET")
}

func TestAResultIsCheckedThoughTheRunIsStopped(t *testing.T) {
	var w *world
	leak := tool.Must(tool.Config[echoInput, string]{
		Name: "leak", Description: "Ends though it was stopped",
		Run: func(ctx tool.Context, _ echoInput) (string, error) {
			if err := w.r.Cancel(context.Background(), ctx.RunID); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			return "SECRET", nil
		},
	})
	a := demo([]*tool.Tool{leak}, scripted.CallTool("c1", "leak", `{"text":"x"}`))
	a.Middleware = []agent.Middleware{{AfterCall: func(_ tool.Context, _ *tool.Tool, _ model.ToolCall, r *tool.Result) error {
		r.Content = json.RawMessage(`"masked"`)
		return nil
	}}}
	w = newWorld(t, a)
	id := w.run("go").ID
	contains(t, w.log(id), "masked")
	lacks(t, w.log(id), "SECRET")
}
