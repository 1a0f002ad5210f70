package aisdk_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/aisdk"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/server"
)

// A run told to a stream of one's own: each event adds its chunks.
func ExampleMapper() {
	var m aisdk.Mapper
	tell := func(chunks []aisdk.Chunk) {
		for _, chunk := range chunks {
			text, err := chunk.AppendJSON(nil)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("data: %s\n", text)
		}
	}
	runner := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		switch f.Event.(type) { // the others tell of ids, which are new each time
		case *protocol.TextStart, *protocol.TextDelta, *protocol.TextEnd:
			tell(m.Push(f.Event))
		}
	}}
	a := &agent.Agent{Name: "greeter", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Good morning.")}}}
	if _, err := runner.Run(context.Background(), a, agent.Input{Text: "Hello"}); err != nil {
		log.Fatal(err)
	}
	tell(m.Flush())
	// Output:
	// data: {"type":"start"}
	// data: {"type":"text-start","id":"part_1_0_1"}
	// data: {"type":"text-delta","id":"part_1_0_1","delta":"Good morning."}
	// data: {"type":"text-end","id":"part_1_0_1"}
}

// A server that useChat talks to: new DefaultChatTransport({ api: '/agents/greeter/ui-chat' }).
func Example() {
	a := &agent.Agent{Name: "greeter", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Good morning.")}}}
	agents := &server.Server{Agents: []*agent.Agent{a}}
	defer func() { _ = agents.Close(context.Background()) }()
	body := `{"id":"chat-1","messages":[{"id":"m1","role":"user","parts":[{"type":"text","text":"Hello"}]}]}`
	request := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/agents/greeter/ui-chat", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	agents.Handler().ServeHTTP(answer, request)
	for line := range strings.Lines(answer.Body.String()) {
		if strings.Contains(line, `"text-delta"`) || strings.Contains(line, "[DONE]") {
			fmt.Print(line)
		}
	}
	// Output:
	// data: {"type":"text-delta","id":"part_1_0_1","delta":"Good morning."}
	// data: [DONE]
}
