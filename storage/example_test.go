package storage_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/storage"
)

// A runner with a database keeps its threads: the next one goes on where this one stopped.
func Example() {
	dir, err := os.MkdirTemp("", "callboard")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	a := &agent.Agent{Name: "greeter", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Hello."), scripted.Say("Hello again.")}}}

	thread := ""
	for range 2 {
		db, err := storage.Open(filepath.Join(dir, "callboard.db"))
		if err != nil {
			fmt.Println(err)
			return
		}
		outcome, err := (&agent.Runner{Store: db}).Run(ctx, a, agent.Input{Text: "Hi.", ThreadID: thread})
		if err != nil {
			fmt.Println(err)
			return
		}
		thread = outcome.ThreadID
		fmt.Println(outcome.Output)
		if err := db.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// Hello.
	// Hello again.
}
