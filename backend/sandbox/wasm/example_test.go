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

// twoWords is a module such as a compiler makes, of which f answers whatever it is given with {"words":2}:
//
//	(module
//	  (memory (export "memory") 1)
//	  (data (i32.const 16) "{\"words\":2}")
//	  (func (export "alloc") (param i32) (result i32) i32.const 1024)
//	  (func (export "f") (param i32 i32) (result i64)
//	    i64.const 16 i64.const 32 i64.shl i64.const 11 i64.or)) ;; where the answer stands, and how long it is
const twoWords = "\x00asm\x01\x00\x00\x00" +
	"\x01\x0c\x02`\x01\x7f\x01\x7f`\x02\x7f\x7f\x01~" +
	"\x03\x03\x02\x00\x01" +
	"\x05\x03\x01\x00\x01" +
	"\x07\x16\x03\x06memory\x02\x00\x05alloc\x00\x00\x01f\x00\x01" +
	"\x0a\x12\x02\x05\x00A\x80\x08\x0b\x0a\x00B\x10B \x86B\x0b\x84\x0b" +
	"\x0b\x11\x01\x00A\x10\x0b\x0b{\"words\":2}"

type text struct {
	Text string `json:"text"`
}

// A tool whose calls run in a module. It has no Run, so there is nothing that could run on the host in its place.
func Example() {
	path := filepath.Join(os.TempDir(), "callboard-example.wasm")
	if err := os.WriteFile(path, []byte(twoWords), 0o600); err != nil {
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
