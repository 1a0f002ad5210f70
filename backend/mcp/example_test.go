package mcp_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

type greeting struct {
	Name string `json:"name" jsonschema_description:"Whom to greet"`
}

// A tool of ours is served over HTTP, and found again there by a source: once out and once in.
func Example() {
	greet := tool.Must(tool.Config[greeting, string]{
		Name: "greet", Description: "Greets somebody",
		Run: func(_ tool.Context, in greeting) (string, error) { return "Hello, " + in.Name, nil },
	})
	handler, err := (&mcp.Server{Tools: []*tool.Tool{greet}}).Handler()
	if err != nil {
		fmt.Println(err)
		return
	}
	web := httptest.NewServer(handler)
	defer web.Close()

	source := &mcp.Source{Name: "hall", URL: web.URL}
	defer source.Close()
	tools, err := source.Tools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	call, err := tools[0].Prepare(`{"name":"Ada"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tools[0].Name, string(call.Run(tool.Context{}).Content))
	// Output:
	// hall_greet "Hello, Ada"
}

// What is wrong with a server is its state; what it wrote to its standard error is its log.
func ExampleSource_State() {
	source := &mcp.Source{Name: "files", Command: "/no/such/program"}
	defer source.Close()
	if _, err := source.Tools(context.Background()); err != nil {
		fmt.Println(err)
	}
	state, _ := source.State()
	fmt.Println(state, len(source.Log()))
	// Output:
	// the MCP server "files" did not start: start /no/such/program: fork/exec /no/such/program: no such file or directory
	// failed 0
}
