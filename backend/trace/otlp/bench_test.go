package otlp_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/agent/storetest"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
	"callboard/backend/trace"
	"callboard/backend/trace/otlp"
	"callboard/storage"
)

// BenchmarkTracing compares the CPU of a stored run of 1,000 calls in 100 turns, whose calls do nothing, with what tracing adds: making
// the spans, which holds up the loop and may cost 5 % of it, and with sending them, beside the loop, to a collector in a process of its
// own. Of each it takes the least of several rounds, since whatever else the machine does only adds.
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
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector(b))
	exporter, err := otlp.New(b.Context(), "callboard")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = exporter.Shutdown(b.Context()) }()
	recorder := &trace.Recorder{Tracer: exporter.Tracer, Provider: "openai"}
	spans := func() {
		for _, f := range log {
			recorder.OnEvent("run", f)
		}
	}
	send := func() {
		if err := exporter.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	run, traced, sent := time.Hour, time.Hour, time.Hour
	for b.Loop() {
		for range 10 {
			run, traced, sent = min(run, cpu(loop)), min(traced, cpu(spans)), min(sent, cpu(send))
		}
	}
	share := float64(traced) / float64(run)
	b.ReportMetric(float64(run.Microseconds())/1000, "cpu-ms/run")
	b.ReportMetric(float64(traced.Microseconds())/1000, "cpu-ms/spans")
	b.ReportMetric(share*100, "%")
	b.ReportMetric(float64(traced+sent)/float64(run)*100, "%-with-sending")
	b.ReportMetric(share/0.05, "of-budget")
}

func cpu(work func()) time.Duration {
	began := storetest.CPU()
	work()
	return storetest.CPU() - began
}

// collecting is the environment variable under which this test program is a collector.
const collecting = "CALLBOARD_TEST_COLLECTOR"

func TestMain(m *testing.M) {
	if os.Getenv(collecting) == "" {
		os.Exit(m.Run())
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("http://" + listener.Addr().String() + "\n")
	panic(http.Serve(listener, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))) //nolint:gosec // it is killed
}

// collector starts a process that takes spans, and returns its address.
func collector(b *testing.B) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), collecting+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}
