package trace_test

import (
	"context"
	"fmt"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/trace"
)

func ExampleRecorder() {
	spans := tracetest.NewSpanRecorder() // an exporter: package trace/otlp has one
	recorder := &trace.Recorder{Tracer: sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)).Tracer("example")}
	runner := &agent.Runner{OnEvent: recorder.OnEvent}
	greeter := &agent.Agent{Name: "greeter", Backend: &scripted.Backend{Turns: []scripted.Turn{{Chunks: []scripted.Chunk{{Text: "Hello."}}}}}}
	if _, err := runner.Run(context.Background(), greeter, agent.Input{Text: "Hi."}); err != nil {
		fmt.Println(err)
	}
	for _, span := range spans.Ended() {
		fmt.Println(span.Name())
	}
	// Output:
	// llm.chat
	// agent.run
}
