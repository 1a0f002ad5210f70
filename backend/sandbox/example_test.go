package sandbox_test

import (
	"fmt"
	"log/slog"

	"callboard/backend/agent"
	"callboard/backend/sandbox"
	"callboard/backend/tool"
)

type script struct {
	Command string `json:"command" jsonschema_description:"Shell command that runs python3"`
}

// Where its sandbox is not there, a tool's own Run does the call, after the same approval, and the log warns. Where the host may not
// be used, the call fails instead.
func Example() {
	runPython := tool.Must(tool.Config[script, any]{
		Name: "run_python", Description: `Run a Python one-liner, e.g. python3 -c "print(2 ** 10)"`,
		Sandbox: &tool.Sandbox{
			Type: tool.Docker, Image: "python:3.12-alpine",
			Resources: tool.Resources{Memory: "512MB", PidsLimit: 100}, Network: tool.NetworkNone,
		},
		Run: func(_ tool.Context, in script) (any, error) {
			return map[string]string{"error": "sandbox unavailable", "command": in.Command}, nil
		},
	})
	call := func(s *sandbox.Sandbox) {
		s.Logger = slog.New(slog.DiscardHandler)
		result := (&agent.Runner{Sandbox: s}).Call(tool.Context{}, runPython, `{"command":"python3 -V"}`)
		fmt.Println(string(result.Content), result.Err)
	}
	call(&sandbox.Sandbox{}) // with Docker: &docker.Engine{} the command runs in a container
	call(&sandbox.Sandbox{NativeFallback: func() bool { return false }})
	// Output:
	// {"command":"python3 -V","error":"sandbox unavailable"} <nil>
	//  no docker sandbox is set up; and calls may not run on the host in its place
}
