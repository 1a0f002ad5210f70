package realtime_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"callboard/backend/realtime"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // skipped messages are warned of
	goleak.VerifyTestMain(m)
}

// step is one line of a conversation: what the server says, or what it must be told next.
type step struct {
	Server json.RawMessage  `json:"server"`
	Binary bool             `json:"binary"` // as Gemini sends its messages
	Raw    *string          `json:"raw"`    // said as it is
	Client json.RawMessage  `json:"client"`
	Wait   string           `json:"wait"` // for the test to open this gate
	Close  *json.RawMessage `json:"close"`
}

// fake is an endpoint that plays a conversation.
type fake struct {
	steps []step
	gates map[string]chan struct{}

	mu       sync.Mutex
	request  *http.Request
	failures []string
	done     chan struct{} // closed when the conversation is over
}

// play serves a conversation to one client and returns its address. What goes otherwise than written fails the test.
func play(t testing.TB, file string) (*fake, string) {
	t.Helper()
	f, err := newFake("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f)
	t.Cleanup(func() {
		server.Close()
		select {
		case <-f.done:
		case <-time.After(time.Minute):
			t.Error("the conversation did not come to its end")
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, failure := range f.failures {
			t.Error(failure)
		}
	})
	return f, "ws" + strings.TrimPrefix(server.URL, "http") + "/live"
}

func newFake(file string) (*fake, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f := &fake{gates: map[string]chan struct{}{}, done: make(chan struct{})}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		var s step
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if s.Wait != "" {
			f.gates[s.Wait] = make(chan struct{})
		}
		f.steps = append(f.steps, s)
	}
	return f, lines.Err()
}

func (f *fake) fail(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.request = r
	f.mu.Unlock()
	defer close(f.done)
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		f.fail("accept: %v", err)
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(-1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for n, s := range f.steps {
		if err := f.step(ctx, conn, s); err != nil {
			f.fail("line %d: %v", n+1, err)
			return
		}
		if s.Close != nil {
			return
		}
	}
	if _, message, err := conn.Read(ctx); err == nil {
		f.fail("after the end the server was told %s", message)
	}
}

func (f *fake) step(ctx context.Context, conn *websocket.Conn, s step) error {
	switch {
	case s.Wait != "":
		select {
		case <-f.gates[s.Wait]:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("nobody opened %q", s.Wait)
		}
	case s.Raw != nil:
		return conn.Write(ctx, websocket.MessageText, []byte(*s.Raw))
	case s.Binary:
		return conn.Write(ctx, websocket.MessageBinary, s.Server)
	case s.Server != nil:
		return conn.Write(ctx, websocket.MessageText, s.Server)
	case s.Close != nil:
		var c struct {
			Code   websocket.StatusCode
			Reason string
		}
		if err := json.Unmarshal(*s.Close, &c); err != nil {
			return err
		}
		_ = conn.Close(c.Code, c.Reason) // the client may be quicker
		return nil
	}
	_, message, err := conn.Read(ctx)
	if err != nil {
		return fmt.Errorf("it was to be told %s: %w", s.Client, err)
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(message, &got), json.Unmarshal(s.Client, &want)); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("the server was told\n%s\nwant\n%s", message, s.Client)
	}
	return nil
}

// open lets the conversation go on at a gate.
func (f *fake) open(gate string) { close(f.gates[gate]) }

// dial opens a session with a conversation, to be closed by the test's end.
func dial(t testing.TB, c realtime.Config) *realtime.Session {
	t.Helper()
	s, err := realtime.Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close("the test is over"); err != nil {
			t.Error(err)
		}
	})
	return s
}

// told writes an event on a line.
func told(e realtime.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", e.Type)
	say := func(name string, value any) {
		if text := fmt.Sprint(value); text != "" {
			fmt.Fprintf(&b, " %s=%s", name, text)
		}
	}
	say("turn", e.TurnID)
	say("item", e.ItemID)
	say("call", e.ToolCallID)
	say("tool", e.ToolName)
	if e.Text != "" {
		say("text", fmt.Sprintf("%q", e.Text))
	}
	if e.Audio != nil {
		say("audio", fmt.Sprintf("%d bytes", len(e.Audio)))
	}
	say("type", e.MediaType)
	say("arguments", e.ArgumentsText)
	if e.Presentation != nil {
		say("label", e.Presentation.Label)
	}
	if e.Update != nil {
		say("update", e.Update.Content)
	}
	if r := e.Result; r != nil {
		say("content", string(r.Content))
		say("details", string(r.Details))
		if r.Presentation != nil {
			say("label", r.Presentation.Label)
		}
		if r.Err != nil {
			say("failed", r.Err)
		}
	}
	say("dropped", e.Dropped)
	say("status", e.Status)
	say("reason", e.Reason)
	if e.Usage != nil {
		say("usage", *e.Usage)
	}
	if e.TimeLeft != 0 {
		say("left", e.TimeLeft)
	}
	if e.Err != nil {
		say("error", e.Err)
	}
	if e.Type == realtime.Other || e.Type == realtime.Problem {
		say("raw", string(e.Raw))
	}
	return b.String()
}

// golden compares the events with a file.
func golden(t *testing.T, file string, lines []string) {
	t.Helper()
	got := strings.Join(lines, "\n") + "\n"
	path := "testdata/" + file
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", file, got, want)
	}
}
