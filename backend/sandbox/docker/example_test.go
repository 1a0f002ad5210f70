package docker_test

import (
	"context"
	"errors"
	"fmt"

	"callboard/backend/sandbox"
	"callboard/backend/sandbox/docker"
	"callboard/backend/tool"
)

// A program that wants containers or nothing asks whether there are any, and forbids the host in their place.
func Example() {
	engine := &docker.Engine{Host: "unix:///nobody/listens/here.sock"} // &docker.Engine{} is the machine's own
	executor := &sandbox.Sandbox{Docker: engine, NativeFallback: func() bool { return false }}

	var failed *tool.Error
	if err := engine.Check(context.Background()); errors.As(err, &failed) {
		fmt.Println(failed.Code)
	}
	_, err := executor.Execute(tool.Context{Context: context.Background()}, tool.Job{
		ToolName: "shell", Arguments: []byte(`{"command":"ls"}`), Sandbox: tool.Sandbox{Type: tool.Docker, Image: "alpine"},
	})
	fmt.Println(errors.As(err, &failed), failed.Code)
	fmt.Println(engine.Close())
	// Output:
	// SANDBOX_UNAVAILABLE
	// true SANDBOX_UNAVAILABLE
	// <nil>
}
