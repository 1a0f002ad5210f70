package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/client"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/server"
	"callboard/backend/tool"
)

// A run on a server is followed event by event; what waits is decided, and the run goes on.
func ExampleClient_Stream() {
	remove := tool.Must(tool.Config[struct {
		Path string `json:"path"`
	}, string]{
		Name: "remove", Description: "Removes a file", Approval: tool.Always,
		Run: func(_ tool.Context, in struct {
			Path string `json:"path"`
		},
		) (string, error) {
			return "removed " + in.Path, nil
		},
	})
	tidy := &agent.Agent{Name: "tidy", Tools: []*tool.Tool{remove}, Backend: &scripted.Backend{Turns: []scripted.Turn{
		scripted.CallTool("c1", "remove", `{"path":"a.tmp"}`), scripted.Say("One file less."),
	}}}
	web := httptest.NewServer((&server.Server{Agents: []*agent.Agent{tidy}}).Handler())
	defer web.Close()

	ctx := context.Background()
	c := &client.Client{BaseURL: web.URL}
	var rows protocol.Transcript // the fold from events to what a screen shows
	for f, err := range c.Stream(ctx, "tidy", client.Input{Text: "Tidy up."}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		rows.Apply(f)
	}
	fmt.Println(rows.Calls()[0].State)

	waiting, err := c.Approvals(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := waiting[0]
	if _, err := c.Decide(ctx, a.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: a.ArgumentsHash}); err != nil {
		fmt.Println(err)
		return
	}
	// Events follows a run over its pauses until it is over, from any number on.
	for f, err := range c.Events(ctx, a.RunID, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		rows.Apply(f)
	}
	fmt.Println(rows.Calls()[0].State, string(rows.Calls()[0].Result))
	// Output:
	// waiting
	// done "removed a.tmp"
}
