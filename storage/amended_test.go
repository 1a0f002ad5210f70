package storage_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
	"callboard/storage"
)

// What middleware made of a call and what the model wrote both outlive the process, while the call and its sibling wait.
func TestACallThatMiddlewareChangedWaitsInTheStore(t *testing.T) {
	type input struct {
		Text string `json:"text"`
	}
	var ran []string
	say := tool.Must(tool.Config[input, string]{
		Name: "say", Description: "says it", Approval: tool.When(func(arguments json.RawMessage) bool { return string(arguments) == `{"text":"made 0"}` }),
		Run: func(_ tool.Context, in input) (string, error) {
			ran = append(ran, in.Text)
			return in.Text, nil
		},
	})
	a := &agent.Agent{
		Name: "demo", Tools: []*tool.Tool{say},
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTools(
			model.ToolCall{ID: "a", Name: "say", Arguments: `{"text":"written"}`}, model.ToolCall{ID: "b", Name: "say", Arguments: `{"text":"written"}`},
		), scripted.Say("Done.")}},
		Middleware: []agent.Middleware{{AfterModel: func(_ tool.Context, answer *agent.Answer) error {
			for i := range answer.Calls {
				answer.Calls[i].Arguments = []string{`{"text":"made 0"}`, `{"text":"made 1"}`}[i]
			}
			return nil
		}}},
	}
	path := filepath.Join(t.TempDir(), "test.db")
	open := func() (*storage.DB, *agent.Runner) {
		db, err := storage.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return db, &agent.Runner{Store: db, Resolve: agent.Agents(a)}
	}
	leave := func(db *storage.DB, r *agent.Runner) {
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	db, r := open()
	outcome, err := r.Run(t.Context(), a, agent.Input{ThreadID: "t1", Text: "go"})
	if err != nil || outcome.Status != protocol.StatusPaused {
		t.Fatalf("got %+v %v, want it to wait", outcome, err)
	}
	leave(db, r)

	db, r = open()
	defer leave(db, r)
	_, h, err := r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approval.Decision{Approved: true})
	if err != nil {
		t.Fatal(err)
	}
	if outcome, err = h.Wait(t.Context()); err != nil || outcome.Status != protocol.StatusCompleted {
		t.Fatalf("got %+v %v, want it to complete", outcome, err)
	}
	if len(ran) != 2 || ran[0] != "made 0" || ran[1] != "made 1" {
		t.Errorf("ran %q, want what was made", ran)
	}
	states, err := db.Runs(t.Context(), agent.RunQuery{ID: outcome.ID})
	if err != nil || len(states) != 1 {
		t.Fatalf("got %d runs, %v", len(states), err)
	}
	for _, c := range states[0].Calls {
		if c.Proposed != `{"text":"written"}` || c.Executed == c.Proposed || c.State != protocol.StateDone {
			t.Errorf("the ledger has %+v, want both texts", c)
		}
	}
}
