package realtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"callboard/backend/realtime"
	"callboard/backend/tool"
)

func TestACallThatWasTakenBackHoldsNoOtherUp(t *testing.T) {
	const (
		begin    = `{"toolCall":{"functionCalls":[{"name":"wait","id":"w"},{"name":"look","id":"l"}]}}`
		takeBack = `{"toolCallCancellation":{"ids":["w","w"]}}`
		want     = `{"toolResponse":{"functionResponses":[{"id":"l","name":"look","response":{"output":"seen"}}]}}`
	)
	for name, lookFirst := range map[string]bool{"its sibling was over before": true, "its sibling is over after": false} {
		t.Run(name, func(t *testing.T) {
			look, looked := make(chan struct{}), make(chan struct{})
			stubborn, answered := make(chan struct{}), make(chan string, 1)
			address := raw(t, func(ctx context.Context, conn *websocket.Conn) {
				if _, _, err := conn.Read(ctx); err != nil {
					t.Error(err)
					return
				}
				say(t, ctx, conn, `{"setupComplete":{}}`, begin)
				if lookFirst {
					close(look)
					<-looked
				}
				say(t, ctx, conn, takeBack)
				if !lookFirst {
					say(t, ctx, conn, `{"serverContent":{"interrupted":true}}`)
				}
				_, message, err := conn.Read(ctx)
				if err != nil {
					t.Error(err)
				}
				answered <- string(message)
				quiet(ctx, conn)
			})
			s := dial(t, realtime.Config{
				Provider: realtime.Gemini, URL: address, Model: "m", Tools: wares(t, func() {}),
				Caller: callerFunc(func(_ tool.Context, one *tool.Tool, _ string) tool.Result {
					if one.Name == "wait" { // it does not heed its context
						<-stubborn
						return tool.Result{Content: json.RawMessage(`"too late"`)}
					}
					<-look
					return tool.Result{Content: json.RawMessage(`"seen"`)}
				}),
			})
			var seen []string
			for e, err := range s.Events() {
				if err != nil {
					t.Error(err)
					break
				}
				line := told(e)
				switch {
				case strings.HasPrefix(line, "tool-result call=l"):
					close(looked)
					if got := <-answered; got != want {
						t.Errorf("got %s, want %s", got, want)
					}
					close(stubborn)
				case strings.HasPrefix(line, "interrupted") && !lookFirst: // it was taken back before this
					close(look)
				case strings.HasPrefix(line, "tool-result call=w"):
					go func() { _ = s.Close("") }() // the loop ends with it
				}
				if e.Type == realtime.ToolResult {
					seen = append(seen, e.ToolCallID)
				}
			}
			if got := strings.Join(seen, " "); got != "l w" {
				t.Errorf("got results of %s, want each call to have one", got)
			}
		})
	}
}
