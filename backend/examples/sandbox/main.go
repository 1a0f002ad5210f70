// Command sandbox runs an agent whose tools run in sandboxes: one in a WebAssembly module, one in a Docker container. Where there is
// no Docker, the command runs in the host's shell, and the log warns; with -strict it fails instead.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o words.wasm ./backend/examples/sandbox/words
//	go run ./backend/examples/sandbox -module words.wasm
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/sandbox"
	"callboard/backend/sandbox/docker"
	"callboard/backend/sandbox/wasm"
	"callboard/backend/tool"
)

// Text has words that are counted.
type Text struct {
	Text string `json:"text" jsonschema_description:"What to count"`
}

// Script is a command for a shell.
type Script struct {
	Command string `json:"command" jsonschema_description:"Shell command, run in a container without a network"`
}

func main() {
	module := flag.String("module", "words.wasm", "the module that counts words")
	image := flag.String("image", "busybox", "the image commands run in")
	strict := flag.Bool("strict", false, "run nothing on the host")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *module, *image, *strict); err != nil {
		log.Fatal(err)
	}
}

// tools are what the agent has. Neither has a Run of its own: without Docker the command runs in the host's shell, if it may, and a
// module that is not there does not run at all.
func tools(module, image string) []*tool.Tool {
	return []*tool.Tool{
		tool.Must(tool.Config[Text, map[string]int]{
			Name: "count_words", Description: "Counts the words and letters of a text",
			Sandbox: &tool.Sandbox{
				Type: tool.WASM, WasmModule: module, WasmFunction: "count",
				Resources: tool.Resources{Memory: "64MB"}, Timeout: 5 * time.Second,
			},
		}),
		tool.Must(tool.Config[Script, tool.CommandResult]{
			Name: "run_script", Description: "Runs a shell command",
			SideEffects: []tool.SideEffect{tool.Process},
			Sandbox: &tool.Sandbox{
				Type: tool.Docker, Image: image, Network: tool.NetworkNone,
				Resources: tool.Resources{Memory: "128MB", PidsLimit: 50}, Timeout: 30 * time.Second,
			},
		}),
	}
}

func run(ctx context.Context, out io.Writer, module, image string, strict bool) (err error) {
	containers, modules := &docker.Engine{}, &wasm.Engine{}
	defer func() { err = errors.Join(err, containers.Close(), modules.Close(context.WithoutCancel(ctx))) }()
	runner := &agent.Runner{
		Sandbox: &sandbox.Sandbox{Docker: containers, WASM: modules, NativeFallback: func() bool { return !strict }},
		OnEvent: func(_ string, f protocol.Frame) {
			switch e := f.Event.(type) {
			case *protocol.ToolCallStart:
				fmt.Fprintf(out, "%s:\n", e.ToolName) //nolint:errcheck // a reader that left needs no answer
			case *protocol.ToolResult:
				fmt.Fprintf(out, "  %s %s %s\n", e.Result, e.ErrorCode, e.Error) //nolint:errcheck // as above
			}
		},
	}
	outcome, err := runner.Run(ctx, &agent.Agent{
		Name: "boxed", Tools: tools(module, image),
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.CallTool("c1", "count_words", `{"text":"Nothing leaves the box"}`),
			scripted.CallTool("c2", "run_script", `{"command":"echo in a shell"}`),
			scripted.Say("Done."),
		}},
	}, agent.Input{Text: "Count the words, then say hello from a shell."})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, outcome.Output) //nolint:errcheck // as above
	return runner.Close(ctx)
}
