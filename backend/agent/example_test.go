package agent_test

import (
	"context"
	"errors"
	"fmt"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

type city struct {
	City string `json:"city" jsonschema_description:"The name of a city"`
}

// An agent with one tool answers a question. A scripted backend stands for a model.
func Example() {
	weather := tool.Must(tool.Config[city, string]{
		Name: "get_weather", Description: "The weather in a city now",
		Run: func(_ tool.Context, in city) (string, error) { return "rain in " + in.City, nil },
	})
	a := &agent.Agent{
		Name: "weather", Instructions: "Answer in one sentence.", Tools: []*tool.Tool{weather},
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.CallTool("c1", "get_weather", `{"city":"Bergen"}`), scripted.Say("It rains."),
		}},
	}
	outcome, err := new(agent.Runner).Run(context.Background(), a, agent.Input{Text: "How is Bergen?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outcome.Status, outcome.Output)
	// Output:
	// completed It rains.
}

// A call that needs approval pauses its run, which then holds no goroutine. The decision that was missing resumes it, from the
// store: in this process, or in the next one.
func ExampleRunner_Decide() {
	type release struct {
		Version string `json:"version"`
	}
	deploy := tool.Must(tool.Config[release, string]{
		Name: "deploy", Description: "Puts a version online", SideEffects: []tool.SideEffect{tool.External}, Approval: tool.Always,
		Run: func(_ tool.Context, in release) (string, error) { return in.Version + " is online", nil },
	})
	a := &agent.Agent{
		Name: "ops", Tools: []*tool.Tool{deploy},
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("c1", "deploy", `{"version":"1.2"}`), scripted.Say("Done.")}},
	}
	ctx := context.Background()
	r := &agent.Runner{Resolve: agent.Agents(a)}
	paused, err := r.Run(ctx, a, agent.Input{Text: "Deploy 1.2."})
	if err != nil {
		fmt.Println(err)
		return
	}
	waits := paused.Pending[0]
	fmt.Println(paused.Status, waits.ToolName, waits.ArgumentsText)

	_, resumed, err := r.Decide(ctx, waits.ApprovalID, approval.Decision{Approved: true, By: "ann", ArgumentsHash: waits.ArgumentsHash})
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, err := resumed.Wait(ctx)
	fmt.Println(outcome.Status, outcome.Output, err)
	// Output:
	// paused deploy {"version":"1.2"}
	// completed Done. <nil>
}

// A tool is called outside a run as it is inside: its arguments are checked, and its result is split by reader.
func ExampleRunner_Call() {
	add := tool.Must(tool.Config[struct {
		A, B int
	}, tool.Output[int]]{
		Name: "add", Description: "Adds two numbers",
		Run: func(_ tool.Context, in struct{ A, B int }) (tool.Output[int], error) {
			return tool.Output[int]{Content: in.A + in.B, Details: map[string]int{"carried": 0}}, nil
		},
	})
	c := tool.Context{Context: context.Background()}
	sum := new(agent.Runner).Call(c, add, `{"A":1,"B":2}`)
	fmt.Println("the model reads", string(sum.Content), "and the application", string(sum.Details))

	wrong := new(agent.Runner).Call(c, add, `{"A":"one"}`)
	var failed *tool.Error
	fmt.Println(errors.As(wrong.Err, &failed), failed.Code)
	// Output:
	// the model reads 3 and the application {"carried":0}
	// true TOOL_INVALID_ARGS
}

// The log of a run is read from the store.
func ExampleRunner_Frames() {
	a := &agent.Agent{Name: "greeter", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Hello.")}}}
	ctx := context.Background()
	r := &agent.Runner{}
	outcome, err := r.Run(ctx, a, agent.Input{Text: "Hi."})
	if err != nil {
		fmt.Println(err)
		return
	}
	for f, err := range r.Frames(ctx, outcome.ID) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(f.Seq, f.Event.Type())
	}
	// Output:
	// 1 start
	// 2 message
	// 3 turn
	// 4 text-start
	// 5 text-delta
	// 6 text-end
	// 7 turn
	// 8 finish
}
