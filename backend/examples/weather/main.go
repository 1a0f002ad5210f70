// Command weather is an agent server in a few lines: one tool, one agent, one handler. With OPENAI_API_KEY set a model of OpenAI
// speaks (OPENAI_BASE_URL and OPENAI_MODEL choose another one); without it a script does, once in each thread.
//
//	go run ./backend/examples/weather
//	curl -d '{"input":"How is the weather in Oslo?"}' -H 'Content-Type: application/json' http://127.0.0.1:4830/agents/weather/run
package main

import (
	"cmp"
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
	"callboard/backend/model/openai"
	"callboard/backend/model/scripted"
	"callboard/backend/server"
	"callboard/backend/tool"
)

// Question is what the model asks the tool.
type Question struct {
	City string `json:"city" jsonschema_description:"The name of a city, in English"`
}

// Report is what the model reads.
type Report struct {
	Celsius int    `json:"celsius"`
	Sky     string `json:"sky"`
}

var weather = tool.Must(tool.Config[Question, Report]{
	Name:        "get_weather",
	Description: "The weather in a city now",
	Present: func(q Question) *tool.Presentation {
		return &tool.Presentation{Label: "Weather", Icon: "cloud-sun", Detail: q.City}
	},
	Run: func(_ tool.Context, q Question) (Report, error) {
		report, known := reports[q.City]
		if !known {
			return report, fmt.Errorf("no station in %q; there are stations in Lima, Nairobi and Oslo", q.City)
		}
		return report, nil
	},
})

var reports = map[string]Report{"Lima": {19, "fog"}, "Nairobi": {24, "sun"}, "Oslo": {-3, "snow"}}

func main() {
	addr := flag.String("addr", "127.0.0.1:4830", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *addr); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, addr string) error {
	agents := &server.Server{ToolRuns: true, Agents: []*agent.Agent{{
		Name: "weather", Description: "Knows the weather", Instructions: "Answer in one sentence.",
		Backend: backend(), Model: cmp.Or(os.Getenv("OPENAI_MODEL"), "gpt-5-mini"), Tools: []*tool.Tool{weather},
	}}}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("serving on http://%s\n", listener.Addr())
	web := &http.Server{Handler: server.Guard{}.Wrap(agents.Handler()), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = agents.Close(context.WithoutCancel(ctx)); _ = web.Close() })
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func backend() model.Backend {
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		return &openai.Backend{Key: func() string { return key }, BaseURL: os.Getenv("OPENAI_BASE_URL")}
	}
	log.Print("OPENAI_API_KEY is not set: a script answers, of Oslo whatever is asked")
	return &scripted.Backend{Turns: []scripted.Turn{
		scripted.CallTool("c1", "get_weather", `{"city":"Oslo"}`),
		scripted.Say("It is snowing in Oslo, at -3 °C."),
	}}
}
