// Command mcp is both ends of the Model Context Protocol. With -serve it serves one tool over stdio, for any MCP client:
//
//	npx @modelcontextprotocol/inspector go run ./backend/examples/mcp -serve
//
// Without, it runs an agent whose tools come from such a server: its own by default, or the command that stands after the flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/mcp"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// script stands in for a model: it looks at one word and says what it found.
const script = `{"turns": [
	{"chunks": [{"toolCalls": [{"id": "c1", "name": "words_count_letters", "arguments": "{\"word\":\"callboard\"}"}]}]},
	{"chunks": [{"text": "I counted them."}]}
]}`

type word struct {
	Word string `json:"word" jsonschema_description:"A word"`
}

type letters struct {
	Letters  int `json:"letters"`
	Distinct int `json:"distinct"`
}

var countLetters = tool.Must(tool.Config[word, letters]{
	Name: "count_letters", Description: "Counts the letters of a word",
	Presentation: &tool.Presentation{Label: "Count letters", Icon: "case-sensitive"},
	Run: func(_ tool.Context, in word) (letters, error) {
		distinct := map[rune]bool{}
		for _, r := range in.Word {
			distinct[r] = true
		}
		return letters{Letters: len([]rune(in.Word)), Distinct: len(distinct)}, nil
	},
})

func main() {
	serves := flag.Bool("serve", false, "serve the tool over stdin and stdout")
	flag.Parse()
	var err error
	if *serves {
		err = serve(context.Background(), os.Stdin, os.Stdout)
	} else {
		err = run(context.Background(), os.Stdout, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	server := &mcp.Server{Name: "words", Tools: []*tool.Tool{countLetters}}
	return server.Serve(ctx, in, out)
}

// run lists a server's tools and lets an agent use them.
func run(ctx context.Context, out io.Writer, command []string) error {
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		command = []string{self, "-serve"}
	}
	words := &mcp.Source{Name: "words", Command: command[0], Args: command[1:]}
	defer words.Close()
	tools, err := words.Tools(ctx)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, strings.Join(words.Log(), "\n"))
	}
	for _, t := range tools {
		_, _ = fmt.Fprintf(out, "%s: %s\n", t.Name, t.Description)
	}
	backend, err := scripted.Parse([]byte(script), "of the example")
	if err != nil {
		return err
	}
	runner := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		switch e := f.Event.(type) {
		case *protocol.ToolCallStart:
			_, _ = fmt.Fprintf(out, "%s is called\n", e.ToolName)
		case *protocol.ToolResult:
			_, _ = fmt.Fprintf(out, "it gave %s%s\n", e.Result, e.Error)
		}
	}}
	reader := &agent.Agent{Name: "reader", Backend: backend, Tools: tools}
	outcome, err := runner.Run(ctx, reader, agent.Input{Text: "How many letters has callboard?"})
	if err := errors.Join(err, runner.Close(ctx)); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(out, outcome.Output)
	return nil
}
