// Command gallery serves agents that show all there is to see: the tools of one return details of every kind, one answers with JSON,
// one works inside a call of another, one hands over. Beside them stands a recorded run in which calls stand in every state. A client is tried
// against it.
//
//	go run ./backend/examples/gallery
//	curl -d '{"input":"Show me everything."}' -H 'Content-Type: application/json' http://127.0.0.1:4831/agents/gallery/runs
//	curl -H 'Accept: application/json' http://127.0.0.1:4831/runs/states/events
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/server"
	"callboard/backend/tool"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:4831", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *addr); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, addr string) error {
	shown, err := exhibits()
	if err != nil {
		return err
	}
	plans, err := planner()
	if err != nil {
		return err
	}
	releases, err := captain()
	if err != nil {
		return err
	}
	received, err := reception()
	if err != nil {
		return err
	}
	store := &agent.Memory{}
	if err := record(ctx, store, time.Now()); err != nil {
		return err
	}
	agents := &server.Server{
		Agents: []*agent.Agent{guide(shown), plans, releases, received}, Runner: &agent.Runner{Store: store}, KeepRuns: true, ToolRuns: true,
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("serving on http://%s\n", listener.Addr())
	web := &http.Server{Handler: server.Guard{}.Wrap(agents.Handler()), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() {
		closing := context.WithoutCancel(ctx)
		_ = errors.Join(agents.Close(closing), agents.Runner.Close(closing), web.Close())
	})
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// guide calls each tool once, in the order of the exhibition, and says what was shown.
func guide(shown []*tool.Tool) *agent.Agent {
	calls := make([]model.ToolCall, len(shown))
	for i, t := range shown {
		calls[i] = model.ToolCall{ID: fmt.Sprintf("call_%02d", i+1), Name: t.Name, Arguments: "{}"}
	}
	return &agent.Agent{
		Name: "gallery", Description: "Shows details of every kind", Tools: shown, MaxRetries: -1,
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			{Chunks: []scripted.Chunk{
				{Reasoning: "Everything is asked for.\nThen everything is shown."},
				{Text: "This is **everything** a call can show.\n\n```go\nfunc show(w io.Writer) error { // in colours\n\treturn json.NewEncoder(w).Encode(\"all\")\n}\n```\n"},
				{ToolCalls: calls},
				{FinishReason: model.FinishToolCalls},
			}},
			scripted.Say("That was all. See [the protocol](https://example.com/protocol) for more."),
		}},
	}
}
