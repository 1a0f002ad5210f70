// Command progress runs an agent whose tool takes a while and tells how far it is. Progress is for people: the model reads the result
// alone, which the tool splits by reader. An observer prints what an application would draw.
//
//	go run ./backend/examples/progress
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Suite is what the tool is asked to run.
type Suite struct {
	Files []string `json:"files" jsonschema:"minItems=1"`
}

// Verdict is what the model reads.
type Verdict struct {
	Passed int      `json:"passed"`
	Failed []string `json:"failed"`
}

// runTests tells of each file, and how many are done of how many.
func runTests(pause time.Duration) *tool.Tool {
	return tool.Must(tool.Config[Suite, tool.Output[Verdict]]{
		Name: "run_tests", Description: "Runs tests", Timeout: time.Minute,
		Presentation: &tool.Presentation{Label: "Run tests", Icon: "flask-conical"},
		Run: func(ctx tool.Context, s Suite) (tool.Output[Verdict], error) {
			verdict, log := Verdict{Failed: []string{}}, ""
			for i, file := range s.Files {
				select {
				case <-time.After(pause):
				case <-ctx.Done(): // the run or the call was cancelled, or its time is over
					return tool.Output[Verdict]{}, context.Cause(ctx)
				}
				said := file + ": passed"
				if file == "c_test.go" {
					said = file + ": failed"
					verdict.Failed = append(verdict.Failed, file)
				} else {
					verdict.Passed++
				}
				log += said + "\n"
				done, total := float64(i+1), float64(len(s.Files))
				ctx.Update(tool.Update{Content: said, Details: tool.Progress{Done: done, Total: total, Unit: "files"}})
			}
			return tool.Output[Verdict]{
				Content: verdict,
				Details: tool.Terminal(log),
				Presentation: &tool.Presentation{
					Label: "Run tests", Icon: "flask-conical", Summary: fmt.Sprintf("%d of %d passed", verdict.Passed, len(s.Files)), Tone: tool.ToneWarning,
				},
			}, nil
		},
	})
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, 500*time.Millisecond, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, pause time.Duration, out io.Writer) error {
	// Each update is told, also of two that come faster than a screen shows them.
	runner := &agent.Runner{MergeWindow: -1, OnEvent: func(_ string, f protocol.Frame) {
		switch e := f.Event.(type) {
		case *protocol.ToolUpdate:
			if e.Content != nil {
				_, _ = fmt.Fprintf(out, "  %s %s\n", e.Content, e.Details)
			}
		case *protocol.ToolResult:
			_, _ = fmt.Fprintf(out, "%s: %s\nthe model reads %s\n", e.Presentation.Label, e.Presentation.Summary, e.Result)
		}
	}}
	tester := &agent.Agent{Name: "tester", Tools: []*tool.Tool{runTests(pause)}, Backend: &scripted.Backend{Turns: []scripted.Turn{
		scripted.CallTool("c1", "run_tests", `{"files":["a_test.go","b_test.go","c_test.go"]}`),
		scripted.Say("One of three fails."),
	}}}
	outcome, err := runner.Run(ctx, tester, agent.Input{Text: "Do the tests pass?"})
	if err := errors.Join(err, runner.Close(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, outcome.Output)
	return err
}
