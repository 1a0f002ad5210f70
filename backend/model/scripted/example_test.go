package scripted_test

import (
	"fmt"

	"callboard/backend/model/scripted"
)

// A script is JSON; what is wrong with one is said with its place.
func ExampleParse() {
	b, err := scripted.Parse([]byte(`{"turns": [{"chunks": [{"text": "Hello."}]}]}`), "hello.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(b.Turns), b.Turns[0].Chunks[0].Text)

	_, err = scripted.Parse([]byte(`{"turns": [{"chunks": [{"txt": "Hello."}]}]}`), "hello.json")
	fmt.Println(err)
	// Output:
	// 1 Hello.
	// load script hello.json:1:25: turn 1, chunk 1: a chunk has an unknown member "txt"; it may have text, reasoning, toolInput, toolCalls, delayMs, error, retryable, code, finishReason, usage
}
