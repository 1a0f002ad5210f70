package otlp_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/protocol"
	"callboard/backend/trace"
	"callboard/backend/trace/otlp"
)

func TestSpansReachACollector(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	type post struct {
		path string
		body []byte
	}
	posts := make(chan post, 4)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posts <- post{r.URL.Path, body}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)

	exporter, err := otlp.New(t.Context(), "callboard")
	if err != nil {
		t.Fatal(err)
	}
	recorder := &trace.Recorder{Tracer: exporter.Tracer}
	recorder.OnEvent("run_1", protocol.Frame{Seq: 1, AtMs: 1, Event: &protocol.Start{AgentName: "demo"}})
	recorder.OnEvent("run_1", protocol.Frame{Seq: 2, AtMs: 2, Event: &protocol.Finish{Status: protocol.StatusCompleted}})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := exporter.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	got := <-posts
	if got.path != "/v1/traces" {
		t.Errorf("got a post to %s", got.path)
	}
	for _, want := range []string{"agent.run", "callboard", "run_1"} {
		if !bytes.Contains(got.body, []byte(want)) {
			t.Errorf("the post does not name %s", want)
		}
	}
}
