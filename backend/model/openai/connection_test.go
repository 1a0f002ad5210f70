package openai_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"callboard/backend/model"
	"callboard/backend/model/openai"
)

// slow is a server that sends pieces with pauses, over a real connection, and then waits until its client is gone.
func slow(t *testing.T, pause time.Duration, pieces ...string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i, p := range pieces {
			if i > 0 {
				time.Sleep(pause)
			}
			_, _ = io.WriteString(w, p)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	return server
}

func TestSilence(t *testing.T) {
	const idle = time.Second
	text := "data: " + said("a") + "\n\n"
	tests := []struct {
		name   string
		pieces []string
		want   []string
		stalls bool
	}{
		{"a server that sends nothing at all has stalled", nil, nil, true},
		{"a server that stops in the middle has stalled", []string{text}, []string{`text "a"`}, true},
		{"keep-alive lines are signs of life", []string{text, ": hi\n\n", ": hi\n\n", ": hi\n\n", ": hi\n\n", ": hi\n\n", text, "data: [DONE]\n\n"}, []string{`text "a"`, `text "a"`, "finish stop"}, false},
		{"a server that stays on after the reason has finished", []string{text + "data: " + stop("stop") + "\n\n"}, []string{`text "a"`, "finish stop"}, false},
		{"a server that stays on after [DONE] has finished", []string{text + "data: [DONE]\n\n"}, []string{`text "a"`, "finish stop"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // it takes its time
			server := slow(t, idle/4, test.pieces...)
			failure, lines := failureOf(t, &openai.Backend{BaseURL: server.URL + "/v1", HTTPClient: server.Client(), IdleTimeout: idle}, &model.Request{})
			if !slices.Equal(lines, test.want) {
				t.Errorf("got %q, want %q", lines, test.want)
			}
			if stalled := failure != nil && failure.Code == model.CodeTimeout && failure.Retryable && strings.Contains(failure.Message, "sent nothing for 1s"); stalled != test.stalls {
				t.Errorf("got the error %+v, want a stall: %t", failure, test.stalls)
			}
		})
	}
}

func TestAReaderThatIsSlowIsNoSilence(t *testing.T) {
	t.Parallel() // it takes its time
	const idle = time.Second
	server := slow(t, time.Millisecond, "data: "+said("a")+"\n\n", "data: "+said("b")+"\n\n", "data: [DONE]\n\n")
	backend := &openai.Backend{BaseURL: server.URL + "/v1", HTTPClient: server.Client(), IdleTimeout: idle}
	var got []string
	for c, err := range backend.Stream(t.Context(), &model.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, describe(c)...); len(got) == 1 {
			time.Sleep(idle + idle/4)
		}
	}
	if want := []string{`text "a"`, `text "b"`, "finish stop"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCancelEndsTheRequestAtOnce(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: "+said("a")+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	backend := &openai.Backend{BaseURL: server.URL + "/v1", HTTPClient: server.Client()}
	var last error
	start := time.Now()
	for c, err := range backend.Stream(ctx, &model.Request{}) {
		if c.Text != "" {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) || time.Since(start) > 30*time.Second {
		t.Errorf("got %v after %s, want the cancellation at once", last, time.Since(start))
	}
	<-gone
}

func TestACallerWhoStopsLetsGoOfTheConnection(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: "+said("a")+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	for c, err := range (&openai.Backend{BaseURL: server.URL + "/v1", HTTPClient: server.Client()}).Stream(t.Context(), &model.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Text != "" {
			break
		}
	}
	<-gone
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, events(said("a"), stop("stop")))
		_ = http.NewResponseController(w).Flush()
		time.Sleep(2 * time.Millisecond) // [DONE] comes before the end of the body
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	backend := &openai.Backend{BaseURL: server.URL + "/v1", HTTPClient: server.Client()}
	for range 5 {
		if failure, _ := failureOf(t, backend, &model.Request{}); failure != nil {
			t.Fatal(failure)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("five requests took %d connections, want 1", n)
	}
}
