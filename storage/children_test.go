package storage_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
	"callboard/storage"
)

// What an agent inside a call waits for outlives the program: it goes on where it was, and nothing runs twice.
func TestAnAgentInsideACallGoesOnAfterTheProgramWasClosed(t *testing.T) {
	var ran []string
	act := tool.Must(tool.Config[forkInput, string]{
		Name: "act", Description: "d", Approval: tool.When(func(arguments json.RawMessage) bool { return strings.Contains(string(arguments), "ask") }),
		Run: func(_ tool.Context, in forkInput) (string, error) {
			ran = append(ran, in.Text)
			return "did " + in.Text, nil
		},
	})
	child := &agent.Agent{Name: "child", Description: "d", Instructions: "Help.", Tools: []*tool.Tool{act}, Backend: &scripted.Backend{Turns: []scripted.Turn{
		scripted.CallTool("k", "act", `{"text":"free"}`), scripted.CallTool("k", "act", `{"text":"ask"}`), scripted.Say("Helped."),
	}}}
	help, err := agent.AsTool(child, agent.ToolConfig{})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent.Agent{Name: "demo", Tools: []*tool.Tool{help}, Backend: &scripted.Backend{Turns: []scripted.Turn{
		scripted.CallTools(model.ToolCall{ID: "c1", Name: "child", Arguments: `{"input":"help"}`}), scripted.Say("Done."),
	}}}
	path := filepath.Join(t.TempDir(), "callboard.db")
	program := func(do func(r *agent.Runner, db *storage.DB)) {
		t.Helper()
		db, err := storage.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r := &agent.Runner{Store: db, Resolve: agent.Agents(a)}
		if err := r.Recover(t.Context(), ""); err != nil {
			t.Error(err)
		}
		do(r, db)
		if err := errors.Join(r.Close(context.WithoutCancel(t.Context())), db.Close()); err != nil {
			t.Error(err)
		}
	}
	var waiting *approval.Pending
	program(func(r *agent.Runner, _ *storage.DB) {
		outcome, err := r.Run(t.Context(), a, agent.Input{ThreadID: "t1", Text: "go"})
		if err != nil || outcome.Status != protocol.StatusPaused {
			t.Fatalf("got %+v, %v", outcome, err)
		}
		waiting = outcome.Pending[0]
	})
	program(func(*agent.Runner, *storage.DB) {})
	program(func(r *agent.Runner, db *storage.DB) {
		_, h, err := r.Decide(t.Context(), waiting.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: waiting.ArgumentsHash})
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := h.Wait(t.Context())
		if err != nil || outcome.Output != "Done." || strings.Join(ran, " ") != "free ask" {
			t.Errorf("got %+v (%v) after %q, want Done. after free and ask, once each", outcome, err, ran)
		}
		thread, err := db.Thread(t.Context(), "t1")
		if err != nil || len(thread.Messages) != 4 || thread.Messages[2].Content != "Helped." {
			t.Errorf("the history has %d messages (%v), want 4 and what the agent said as the result", len(thread.Messages), err)
		}
		states, err := db.Runs(t.Context(), agent.RunQuery{ID: outcome.ID})
		if err != nil || len(states[0].Children) != 3 || states[0].Children[1].ToolCalls[0].ProviderID != "k" {
			t.Errorf("inside the call stand %+v (%v), want three messages, the second with a call k of its provider", states[0].Children, err)
		}
	})
}
