package wasm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"callboard/backend/agent"
	"callboard/backend/sandbox"
	"callboard/backend/sandbox/wasm"
	"callboard/backend/tool"
)

type text struct {
	Text string `json:"text"`
}

// A tool whose calls run in a module. It has no Run, so there is nothing that could run on the host in its place.
func Example() {
	path := filepath.Join(os.TempDir(), "callboard-example.wasm")
	if err := os.WriteFile(path, answering(`{"words":2}`), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(path) //nolint:errcheck // a temporary file

	count := tool.Must(tool.Config[text, map[string]int]{
		Name: "count_words", Description: "Counts the words of a text",
		Sandbox: &tool.Sandbox{Type: tool.WASM, WasmModule: path, WasmFunction: "f", Resources: tool.Resources{Memory: "32MB"}},
	})
	engine := &wasm.Engine{}
	runner := &agent.Runner{Sandbox: &sandbox.Sandbox{WASM: engine}}

	result := runner.Call(tool.Context{}, count, `{"text":"two words"}`)
	fmt.Println(string(result.Content), result.Err)
	fmt.Println(engine.Close(context.Background()))
	// Output:
	// {"words":2} <nil>
	// <nil>
}
