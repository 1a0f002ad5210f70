package realtime_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"callboard/backend/agent"
	"callboard/backend/realtime"
	"callboard/backend/tool"
)

type place struct {
	City string `json:"city"`
}

// A question in text, answered in text, with a tool called in between. With the provider's own address, a key and audio in place
// of text it is a voice session.
func Example() {
	weather := tool.Must(tool.Config[place, tool.Output[string]]{
		Name: "weather", Description: "The weather in a city now",
		Run: func(_ tool.Context, in place) (tool.Output[string], error) {
			return tool.Output[string]{Content: "rain", Details: map[string]string{"text": "14 °C, from station 12"}}, nil
		},
	})
	conversation, err := newFake("testdata/example.jsonl") // a provider that says what is written
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(conversation)
	defer server.Close()

	session, err := realtime.Dial(context.Background(), realtime.Config{
		Provider: realtime.OpenAI, URL: server.URL, Model: "gpt-realtime", TextOnly: true,
		Tools: []*tool.Tool{weather}, Caller: new(agent.Runner),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := session.SendText("Shall I take an umbrella in Rome?"); err != nil {
		fmt.Println(err)
		return
	}
	answered := false
	for e, err := range session.Events() {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e.Type {
		case realtime.ToolCallEnd:
			fmt.Println("calls", e.ToolName, e.ArgumentsText)
		case realtime.ToolResult:
			fmt.Println("the model reads", string(e.Result.Content))
			fmt.Println("people see", string(e.Result.Details))
			answered = true
		case realtime.TextDelta:
			fmt.Print(e.Text)
		}
		if e.Type == realtime.TurnEnd && answered {
			fmt.Println()
			break
		}
	}
	if err := session.Close("answered"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// calls weather {"city":"Rome"}
	// the model reads "rain"
	// people see {"text":"14 °C, from station 12"}
	// Yes, it rains.
}
