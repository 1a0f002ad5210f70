package otlp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/trace"
	"callboard/backend/trace/otlp"
)

// The spans of a run go to the collector that the environment names.
func Example() {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Println(r.Method, r.URL.Path)
	}))
	defer collector.Close()
	_ = os.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	defer func() { _ = os.Unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT") }()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	exporter, err := otlp.New(ctx, "greeter")
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder := &trace.Recorder{Tracer: exporter.Tracer}
	greeter := &agent.Agent{Name: "greeter", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Hello.")}}}
	if _, err := (&agent.Runner{OnEvent: recorder.OnEvent}).Run(ctx, greeter, agent.Input{Text: "Hi."}); err != nil {
		fmt.Println(err)
	}
	if err := exporter.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// POST /v1/traces
}
