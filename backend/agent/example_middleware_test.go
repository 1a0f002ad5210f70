package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

func remove() *tool.Tool {
	type file struct {
		Path string `json:"path"`
	}
	return tool.Must(tool.Config[file, string]{
		Name: "remove", Description: "Removes a file",
		Run: func(_ tool.Context, in file) (string, error) { return "removed " + in.Path, nil },
	})
}

// A policy looks at each call before it runs.
func ExampleMiddleware() {
	a := &agent.Agent{
		Name: "files", Tools: []*tool.Tool{remove()},
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.CallTool("c1", "remove", `{"path":"/etc/passwd"}`), scripted.Say("I may not do that."),
		}},
		Middleware: []agent.Middleware{{
			Name: "policy",
			BeforeCall: func(_ tool.Context, _ *tool.Tool, call model.ToolCall) (*tool.Result, error) {
				if strings.Contains(call.Arguments, "/etc/") {
					return nil, agent.Deny("/etc is not yours")
				}
				return nil, nil
			},
		}},
	}
	r := &agent.Runner{}
	outcome, err := r.Run(context.Background(), a, agent.Input{ThreadID: "t1", Text: "Tidy up."})
	if err != nil {
		fmt.Println(err)
		return
	}
	thread, err := r.Log().Thread(context.Background(), "t1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the model reads:", thread.Messages[2].Content)
	fmt.Println(outcome.Output)
	// Output:
	// the model reads: {"error":"denied: /etc is not yours"}
	// I may not do that.
}

// A guardrail sees a whole turn before anyone else does.
func ExampleBlock() {
	a := &agent.Agent{
		Name: "help", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Your password is hunter2.")}},
		Middleware: []agent.Middleware{{
			Name: "guardrail", HoldBack: true,
			AfterModel: func(_ tool.Context, answer *agent.Answer) error {
				if strings.Contains(answer.Text, "password is") {
					return agent.Block("I cannot help with passwords.")
				}
				return nil
			},
		}},
	}
	outcome, err := new(agent.Runner).Run(context.Background(), a, agent.Input{Text: "What is my password?"})
	fmt.Println(outcome.Output, outcome.Finish.Blocked, err)
	// Output: I cannot help with passwords. true <nil>
}

func ExampleStructured() {
	type city struct {
		Name   string `json:"name"`
		People int    `json:"people" jsonschema:"minimum=1"`
	}
	a := &agent.Agent{
		Name: "cities", Output: agent.MustOutput[city](),
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.Say("Oslo has 717,710 people."), // does not fit, and is asked for again
			scripted.Say(`{"name": "Oslo", "people": 717710}`),
		}},
	}
	outcome, err := new(agent.Runner).Run(context.Background(), a, agent.Input{Text: "How big is Oslo?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(agent.Structured[city](outcome))
	// Output: {Oslo 717710} <nil>
}

func ExampleSnapshot() {
	var tools tool.Registry
	if err := tools.Register(remove()); err != nil {
		fmt.Println(err)
	}
	parts := agent.Parts{Tools: &tools, Backends: map[string]model.Backend{"script": &scripted.Backend{}}}
	a := &agent.Agent{Name: "files", Backend: parts.Backends["script"], Tools: tools.All(), MaxTurns: 5}

	snapshot, err := a.Snapshot(parts)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(snapshot)
	fmt.Println(string(text), err)

	if snapshot, err = agent.ReadSnapshot(text); err != nil {
		fmt.Println(err)
		return
	}
	restored, err := snapshot.Restore(parts)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(restored.Name, restored.Tools[0].Name, restored.MaxTurns)
	_, err = snapshot.Restore(agent.Parts{Backends: parts.Backends})
	fmt.Println(err)
	// Output:
	// {"version":1,"name":"files","backend":"script","tools":["remove"],"maxTurns":5} <nil>
	// files remove 5
	// restore agent "files": there is no tool "remove"
}

// The history of a thread is cut by whole exchanges once it is more than the model is to read.
func ExampleAgent_contextTokens() {
	a := &agent.Agent{
		Name: "brief", ContextTokens: 100,
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.Say(strings.Repeat("long ", 50)), scripted.Say(strings.Repeat("longer ", 40)), scripted.Say("The end."),
		}},
	}
	r := &agent.Runner{}
	for _, text := range []string{"First?", "Second?", "Third?"} {
		if _, err := r.Run(context.Background(), a, agent.Input{ThreadID: "t1", Text: text}); err != nil {
			fmt.Println(err)
			return
		}
	}
	next, err := r.Next(context.Background(), "brief", "t1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(next.Cut.Messages, "messages are left out; the model reads on from", next.Messages[0].Content)
	// Output: 2 messages are left out; the model reads on from Second?
}
