package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"callboard/backend/tool"
	"callboard/backend/toolset/memory"
)

// The tools of an agent; a runner calls them as the model asks.
func Example() {
	tools, err := memory.Tools(&memory.Notes{})
	if err != nil {
		panic(err)
	}
	ctx := tool.Context{AgentName: "assistant"}
	for i, arguments := range []string{
		`{"text": "The staging server listens on port 9090", "tags": ["deploy"]}`,
		`{"query": "staging ports"}`,
	} {
		call, err := tools[i].Prepare(arguments)
		if err != nil {
			panic(err)
		}
		result := call.Run(ctx)
		fmt.Println(strings.TrimSpace(fmt.Sprint(tools[i].Name, ": ", result.Presentation.Detail, " ", result.Presentation.Summary)))
		var found struct{ Notes []struct{ Text string } }
		if json.Unmarshal(result.Content, &found) == nil && len(found.Notes) > 0 {
			fmt.Println(found.Notes[0].Text)
		}
	}
	// Output:
	// remember: The staging server listens on port 9090
	// recall: staging ports 1 note
	// The staging server listens on port 9090
}
