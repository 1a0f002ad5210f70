package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"callboard/backend/tool"
)

// A tool that is declared with all that people see of it: a label while its arguments are written, its target in the row, what it
// would do on the approval card, its progress, and a result of which they see more than the model.
func Example() {
	type deploy struct {
		Target   string `json:"target" jsonschema:"enum=staging,enum=production" jsonschema_description:"Where to"`
		Replicas int    `json:"replicas,omitempty" jsonschema:"minimum=1,maximum=9,default=2"`
	}
	type deployed struct {
		URL string `json:"url"`
	}
	t := tool.Must(tool.Config[deploy, tool.Output[deployed]]{
		Name: "deploy", Description: "Deploys the last build", SideEffects: []tool.SideEffect{tool.External},
		Approval:     tool.When(func(arguments json.RawMessage) bool { return bytes.Contains(arguments, []byte("production")) }),
		Presentation: &tool.Presentation{Label: "Deploy", Icon: "rocket"},
		Present: func(in deploy) *tool.Presentation {
			return &tool.Presentation{Label: "Deploy", Icon: "rocket", Detail: in.Target}
		},
		Preview: func(_ tool.Context, in deploy) (any, error) {
			return map[string]any{"text": fmt.Sprintf("Starts %d replicas on %s.", in.Replicas, in.Target)}, nil
		},
		Hooks: tool.InputHooks{
			OnInputStart: func(toolCallID string) { fmt.Println(toolCallID, "is being written") },
		},
		Run: func(c tool.Context, in deploy) (tool.Output[deployed], error) {
			for i := range in.Replicas {
				c.Update(tool.Update{Content: fmt.Sprintf("replica %d of %d", i+1, in.Replicas)})
			}
			return tool.Output[deployed]{
				Content:      deployed{URL: "https://" + in.Target + ".example"},
				Details:      map[string]any{"terminal": strings.Repeat("started\n", in.Replicas)},
				Presentation: &tool.Presentation{Summary: fmt.Sprintf("%d replicas", in.Replicas)},
			}, nil
		},
	})

	// What an agent.Runner does with it when a model calls it.
	t.Hooks.OnInputStart("call_1")
	const arguments = `{"target":"production"}`
	call, err := t.Prepare(arguments)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(call.Presentation().Label, call.Presentation().Detail, t.NeedsApproval(arguments))
	preview, err := call.Preview(tool.Context{})
	fmt.Println(string(preview), err)
	result := call.Run(tool.Context{OnUpdate: func(u tool.Update) { fmt.Println(u.Content) }})
	fmt.Println("the model reads", string(result.Content))
	fmt.Printf("people see %s %s\n", result.Presentation.Summary, result.Details)
	_, err = t.Prepare(`{"target":"the moon"}`)
	fmt.Println(err)
	// Output:
	// call_1 is being written
	// Deploy production true
	// {"text":"Starts 2 replicas on production."} <nil>
	// replica 1 of 2
	// replica 2 of 2
	// the model reads {"url":"https://production.example"}
	// people see 2 replicas {"terminal":"started\nstarted\n"}
	// Invalid arguments: at '/target': value must be one of 'staging', 'production'
}
