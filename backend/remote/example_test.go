package remote_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/model/scripted"
	"callboard/backend/remote"
	"callboard/backend/server"
)

// An agent on another server is run, and its run is in the store here.
func Example() {
	there := &server.Server{Agents: []*agent.Agent{{Name: "greeter", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Hello.")}}}}}
	web := httptest.NewServer(there.Handler())
	here := &agent.Runner{}
	s := &remote.Server{Name: "there", Client: &client.Client{BaseURL: web.URL}, Runner: here}

	ctx := context.Background()
	found, err := s.Refresh(ctx)
	fmt.Println(len(found.Agents), err)
	run, err := s.Start(ctx, "greeter@there", agent.Input{Text: "Greet me."})
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, err := run.Wait(ctx)
	fmt.Println(outcome.Output, err)
	s.Close()
	_ = there.Close(ctx)
	web.Close()

	thread, err := here.Log().Thread(ctx, run.ThreadID)
	fmt.Println(len(thread.Messages), err)
	// Output:
	// 1 <nil>
	// Hello. <nil>
	// 2 <nil>
}
