package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

// A failed call that nobody can mend stops the run with a reason that is safe to show; other errors the model may read.
func ExampleAgent_onToolError() {
	type nothing struct{}
	ledger := tool.Must(tool.Config[nothing, string]{
		Name: "read_ledger", Description: "Reads the ledger",
		Run: func(tool.Context, nothing) (string, error) {
			return "", errors.New("dial 10.0.0.7:5432: password authentication failed")
		},
	})
	a := &agent.Agent{
		Name: "books", Tools: []*tool.Tool{ledger},
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTools(model.ToolCall{ID: "c1", Name: "read_ledger", Arguments: "{}"})}},
		OnToolError: func(_ tool.Context, e agent.ToolError) error {
			if e.ToolName == "read_ledger" {
				return errors.New("The ledger cannot be read now. Try again in an hour.")
			}
			return nil // the model reads the error and goes on
		},
	}
	runner := &agent.Runner{Logger: slog.New(slog.DiscardHandler)} // it gets what the ledger said
	defer func() { _ = runner.Close(context.Background()) }()
	outcome, err := runner.Run(context.Background(), a, agent.Input{Text: "What do we have?"})
	fmt.Println(outcome.Status, err)
	// Output: failed The ledger cannot be read now. Try again in an hour.
}
