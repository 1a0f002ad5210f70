package workspace_test

import (
	"fmt"

	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

// Commands run in a container that has the folder alone; where Docker cannot be reached, an agent.Runner's Sandbox says what
// happens.
func ExampleTools_sandbox() {
	tools, err := workspace.Tools(workspace.Options{
		Root: ".",
		Sandbox: &tool.Sandbox{
			Type: tool.Docker, Image: "golang:1.26", Network: tool.NetworkBridge, Resources: tool.Resources{Memory: "2GB", PidsLimit: 500},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range tools {
		if t.Sandbox != nil {
			fmt.Printf("%s runs in %s; asks first: %t\n", t.Name, t.Sandbox, t.NeedsApproval(`{"command":"go test"}`))
		}
	}
	// Output: run_command runs in a container of golang:1.26 with a network, with 2GB of memory and 500 processes at most; asks first: true
}
