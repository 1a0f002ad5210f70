package agent_test

import (
	"context"
	"fmt"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// One agent hands the conversation over to another, which goes on in the same run.
func ExampleAgent_handoffs() {
	billing := &agent.Agent{
		Name: "billing", Description: "Knows invoices.", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Paid in May.")}},
	}
	desk := &agent.Agent{
		Name: "desk", Handoffs: []*agent.Agent{billing},
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("c1", "transfer_to_billing", "{}")}},
	}
	outcome, err := new(agent.Runner).Run(context.Background(), desk, agent.Input{Text: "Did I pay?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outcome.AgentName+":", outcome.Output)
	// Output:
	// billing: Paid in May.
}

// An agent works inside a call of another; its own calls are children of that call.
func ExampleAsTool() {
	type file struct {
		Path string `json:"path"`
	}
	remove := tool.Must(tool.Config[file, string]{
		Name: "remove", Description: "Removes a file",
		Run: func(_ tool.Context, in file) (string, error) { return "removed " + in.Path, nil },
	})
	helper := &agent.Agent{
		Name: "helper", Description: "Tidies up", Tools: []*tool.Tool{remove},
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("k1", "remove", `{"path":"a.tmp"}`), scripted.Say("One file less.")}},
	}
	ask, err := agent.AsTool(helper, agent.ToolConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	boss := &agent.Agent{
		Name: "boss", Tools: []*tool.Tool{ask},
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("c1", "helper", `{"input":"Tidy up."}`), scripted.Say("Tidy.")}},
	}
	var told protocol.Transcript
	r := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) { told.Apply(f) }}
	if _, err := r.Run(context.Background(), boss, agent.Input{Text: "Tidy up."}); err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range told.Calls() {
		fmt.Printf("%s calls %s inside %q: %s\n", c.AgentName, c.ToolName, c.ParentToolCallID, c.Result)
	}
	// Output:
	// boss calls helper inside "": "One file less."
	// helper calls remove inside "c1": "removed a.tmp"
}
