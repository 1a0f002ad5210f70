package trace_test

import (
	"path/filepath"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"callboard/backend/agent"
	"callboard/backend/agent/storetest"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
	"callboard/backend/trace"
	"callboard/storage"
)

// BenchmarkTracing compares the CPU of a stored run of 1,000 calls in 100 turns with that of making and exporting its spans, to
// nowhere: the least of several rounds of each, since whatever else the machine does only adds. Spans may cost 5 % of the loop.
func BenchmarkTracing(b *testing.B) {
	turns := storetest.Turns(100, 10)
	var log []protocol.Frame
	loop := func() {
		a := &agent.Agent{
			Name: "demo", Backend: &scripted.Backend{Turns: turns}, Tools: []*tool.Tool{storetest.Quiet()},
			MaxTurns: len(turns) + 1, MaxRepeats: -1,
		}
		db, err := storage.Open(filepath.Join(b.TempDir(), "callboard.db"))
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		log = log[:0]
		r := &agent.Runner{Store: db, MergeWindow: -1, OnEvent: func(_ string, f protocol.Frame) { log = append(log, f) }}
		if _, err := r.Run(b.Context(), a, agent.Input{Text: "go"}); err != nil {
			b.Fatal(err)
		}
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(tracetest.NewNoopExporter()))
	defer func() { _ = provider.Shutdown(b.Context()) }()
	recorder := &trace.Recorder{Tracer: provider.Tracer("bench")}
	spans := func() {
		for _, f := range log {
			recorder.OnEvent("run", f)
		}
		_ = provider.ForceFlush(b.Context())
	}
	run, traced := time.Hour, time.Hour
	for b.Loop() {
		for range 10 {
			run, traced = min(run, cpu(loop)), min(traced, cpu(spans))
		}
	}
	share := float64(traced) / float64(run)
	b.ReportMetric(float64(run.Microseconds())/1000, "cpu-ms/run")
	b.ReportMetric(float64(traced.Microseconds())/1000, "cpu-ms/spans")
	b.ReportMetric(share*100, "%")
	b.ReportMetric(share/0.05, "of-budget")
}

func cpu(work func()) time.Duration {
	began := storetest.CPU()
	work()
	return storetest.CPU() - began
}
