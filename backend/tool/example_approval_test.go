package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"callboard/backend/tool"
)

func ExampleTool_ApprovalMode() {
	type deploy struct {
		Target string `json:"target"`
	}
	deployTool := func(approval tool.Approval) *tool.Tool {
		return tool.Must(tool.Config[deploy, string]{
			Name: "deploy", Description: "Deploys to a target", Approval: approval,
			Run: func(_ tool.Context, in deploy) (string, error) { return "deployed to " + in.Target, nil },
		})
	}
	toProduction := tool.When(func(arguments json.RawMessage) bool { return bytes.Contains(arguments, []byte("production")) })
	for _, approval := range []tool.Approval{{}, tool.Always, toProduction} {
		fmt.Println(deployTool(approval).ApprovalMode())
	}
	// Output:
	// never
	// always
	// arguments
}
