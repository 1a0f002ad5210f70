package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/server"
	"callboard/backend/tool"
)

// A tool of a server is called alone, without a model. The server has to allow it.
func ExampleClient_StartTool() {
	greet := tool.Must(tool.Config[struct {
		Name string `json:"name"`
	}, string]{
		Name: "greet", Description: "Greets somebody",
		Run: func(_ tool.Context, in struct {
			Name string `json:"name"`
		},
		) (string, error) {
			return "Hello, " + in.Name + ".", nil
		},
	})
	there := &server.Server{ToolRuns: true, Agents: []*agent.Agent{{Name: "greeter", Backend: &scripted.Backend{}, Tools: []*tool.Tool{greet}}}}
	web := httptest.NewServer(there.Handler())
	defer web.Close()
	defer func() { _ = there.Close(context.Background()) }()

	ctx := context.Background()
	c := &client.Client{BaseURL: web.URL}
	run, err := c.StartTool(ctx, "greet", client.ToolInput{ArgumentsText: `{"name":"Ada"}`})
	if err != nil {
		fmt.Println(err)
		return
	}
	for f, err := range c.Events(ctx, run.RunID, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if result, ok := f.Event.(*protocol.ToolResult); ok {
			fmt.Println(string(result.Result))
		}
	}
	_, err = c.StartTool(ctx, "greet", client.ToolInput{ArgumentsText: `{"name":7}`})
	fmt.Println(err)
	// Output:
	// "Hello, Ada."
	// Invalid arguments: at '/name': got number, want string (TOOL_INVALID_ARGS)
}
