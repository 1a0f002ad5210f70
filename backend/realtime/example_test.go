package realtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/coder/websocket"

	"callboard/backend/agent"
	"callboard/backend/realtime"
	"callboard/backend/tool"
)

type place struct {
	City string `json:"city"`
}

// provider stands for OpenAI: it says what is written, and waits for the client's turn where it is the client's.
func provider(w http.ResponseWriter, r *http.Request) {
	written, err := os.Open("testdata/example.jsonl")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer written.Close() //nolint:errcheck // it was only read
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow() //nolint:errcheck // it is over
	for lines := json.NewDecoder(written); lines.More(); {
		var line struct{ Server, Client json.RawMessage }
		if err = lines.Decode(&line); err == nil && line.Server != nil {
			err = conn.Write(r.Context(), websocket.MessageText, line.Server)
		} else if err == nil {
			_, _, err = conn.Read(r.Context())
		}
		if err != nil {
			return
		}
	}
	_, _, _ = conn.Read(r.Context()) // until the client has closed
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
	server := httptest.NewServer(http.HandlerFunc(provider))
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
