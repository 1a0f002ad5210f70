package realtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"callboard/backend/realtime"
	"callboard/backend/tool"
)

// serve is an endpoint that does as the test says once the session is set up, and returns its address.
func serve(t testing.TB, do func(ctx context.Context, conn *websocket.Conn)) string {
	t.Helper()
	return raw(t, func(ctx context.Context, conn *websocket.Conn) {
		if _, _, err := conn.Read(ctx); err != nil {
			t.Error(err)
			return
		}
		say(t, ctx, conn, `{"type":"session.updated"}`)
		do(ctx, conn)
	})
}

func raw(t testing.TB, do func(ctx context.Context, conn *websocket.Conn)) string {
	t.Helper()
	var wg sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wg.Add(1)
		defer wg.Done()
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.CloseNow() }()
		conn.SetReadLimit(-1)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		do(ctx, conn)
	}))
	t.Cleanup(func() {
		server.Close()
		wg.Wait()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

func say(t testing.TB, ctx context.Context, conn *websocket.Conn, messages ...string) {
	t.Helper()
	for _, m := range messages {
		if err := conn.Write(ctx, websocket.MessageText, []byte(m)); err != nil && !errors.Is(err, context.Canceled) {
			t.Log(err) // the client may have left
			return
		}
	}
}

// drain reads what the client says until it leaves, and returns how it left.
func drain(ctx context.Context, conn *websocket.Conn) (messages []string, left error) {
	for {
		_, m, err := conn.Read(ctx)
		if err != nil {
			return messages, err
		}
		messages = append(messages, string(m))
	}
}

func quiet(ctx context.Context, conn *websocket.Conn) { _, _ = drain(ctx, conn) }

func openAI(address string) realtime.Config {
	return realtime.Config{Provider: realtime.OpenAI, URL: address, Model: "m"}
}

// calls is an answer that makes one call of each tool.
func calls(names ...string) []string {
	messages := []string{`{"type":"response.created","response":{"id":"r"}}`}
	var items []string
	for i, name := range names {
		items = append(items, fmt.Sprintf(`{"id":"i%d","type":"function_call","status":"completed","call_id":"c%d","name":%q,"arguments":"{}"}`, i, i, name))
	}
	return append(messages, `{"type":"response.done","response":{"id":"r","status":"completed","output":[`+strings.Join(items, ",")+`]}}`)
}

func TestASessionThatCannotBeOpenedSaysWhy(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "Incorrect API key\n provided: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), http.StatusUnauthorized)
	}))
	defer refusing.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	ware := wares(t, func() {})[0]
	for _, c := range []struct {
		name   string
		adjust func(*realtime.Config)
		want   string
	}{
		{"an unknown provider", func(c *realtime.Config) { c.Provider = "x" }, `unknown Provider "x": it is "openai" or "gemini"`},
		{"no model", func(c *realtime.Config) { c.Model = " " }, "no Model is named"},
		{"tools and nobody to run them", func(c *realtime.Config) { c.Tools = []*tool.Tool{ware} }, "there are tools and no Caller to run them; an *agent.Runner is one"},
		{"a tool that is nil", func(c *realtime.Config) { c.Tools, c.Caller = []*tool.Tool{ware, nil}, caller() }, "tool 2 of 2 is nil"},
		{"two tools of one name", func(c *realtime.Config) { c.Tools, c.Caller = []*tool.Tool{ware, ware}, caller() }, `there are two tools named "files.read"`},
		{"options that are a list", func(c *realtime.Config) { c.Options = json.RawMessage(`[]`) }, "the Options are no JSON object"},
		{"options that are nothing", func(c *realtime.Config) { c.Options = json.RawMessage(`null`) }, "the Options are no JSON object"},
		{"Gemini's audio type", func(c *realtime.Config) { c.AudioType = "audio/x" }, `AudioType is Gemini's: set "audio.input.format" in Options`},
		{"a negative length", func(c *realtime.Config) { c.MaxResultLength = -2 }, "MaxResultLength is -2: it is a length, 0, or NoLimit"},
		{"half an address", func(c *realtime.Config) { c.URL = "example.com/v1" }, "the URL must be a whole one, such as wss://example.com/v1/realtime"},
		{"an address of another kind", func(c *realtime.Config) { c.URL = "ftp://example.com" }, "the URL must be a whole one, such as wss://example.com/v1/realtime"},
		{
			"a key that is refused", func(c *realtime.Config) { c.URL = refusing.URL + "/v1?token=hidden" },
			"connect to " + refusing.URL + "/v1: the server answered 401 Unauthorized: Incorrect API key provided: [the key]",
		},
		{
			"nobody there", func(c *realtime.Config) { c.URL = gone.URL + "?token=hidden" },
			"connect to " + gone.URL + ": dial tcp " + strings.TrimPrefix(gone.URL, "http://") + ": connect: connection refused",
		},
		{
			"a setup that is refused", func(c *realtime.Config) {
				c.URL = raw(t, func(ctx context.Context, conn *websocket.Conn) {
					say(t, ctx, conn, `{"type":"session.created"}`, `{"type":"error","error":{"code":"invalid_value","message":"No such voice."}}`)
					quiet(ctx, conn)
				})
			}, "the server reports an error: No such voice. (invalid_value)",
		},
		{
			"a server that hangs up at the setup", func(c *realtime.Config) {
				c.Provider = realtime.Gemini
				c.URL = raw(t, func(ctx context.Context, conn *websocket.Conn) {
					_ = conn.Close(websocket.StatusInvalidFramePayloadData, "Unknown name \"x\"")
				})
			}, `the server closed the session (code 1007): Unknown name "x"`,
		},
		{
			"parameters that lead nowhere, for Gemini", func(c *realtime.Config) {
				c.Provider, c.Caller = realtime.Gemini, caller()
				c.Tools = []*tool.Tool{tool.Must(tool.Config[json.RawMessage, string]{
					Name: "odd", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"string"}}}`),
					Run: func(tool.Context, json.RawMessage) (string, error) { return "", nil },
				})}
			}, `the parameters of tool "odd": a: the reference "#/properties/b" leads nowhere`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := openAI("ws://127.0.0.1:1")
			config.Key = key
			c.adjust(&config)
			s, err := realtime.Dial(t.Context(), config)
			if err == nil {
				_ = s.Close("")
				t.Fatal("it was opened")
			}
			if got, want := err.Error(), "open a voice session: "+c.want; got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
		})
	}
}

func TestOpeningEndsWithItsContext(t *testing.T) {
	address := raw(t, quiet)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := realtime.Dial(ctx, openAI(address)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a session that is never set up: got %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := realtime.Dial(cancelled, openAI(address)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: got %v", err)
	}
}

func TestNobodyWaitsForASlowReader(t *testing.T) {
	long := `{"type":"response.output_text.delta","delta":"` + strings.Repeat("x", 10<<20) + `"}`
	s := dial(t, openAI(serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for range 8 {
			say(t, ctx, conn, long)
		}
		quiet(ctx, conn)
	})))
	for s.SendAudio(nil) == nil { // it ends while nobody reads
		time.Sleep(time.Millisecond)
	}
	if err := s.SendText("x"); !errors.Is(err, realtime.ErrBehind) {
		t.Errorf("sending: got %v", err)
	}
	texts := 0
	var end error
	for e, err := range s.Events() {
		if end = err; e.Type == realtime.TextDelta {
			texts++
		}
	}
	if !errors.Is(end, realtime.ErrBehind) || texts < 2 || texts > 6 {
		t.Errorf("got %v after %d texts of 20 MiB: what waited is to be read, and then the end", end, texts)
	}
}

func TestASilentServerIsLeft(t *testing.T) {
	over := make(chan struct{})
	config := openAI(serve(t, func(context.Context, *websocket.Conn) { <-over })) // pings are answered where somebody reads
	defer close(over)
	config.Silence = 500 * time.Millisecond
	s := dial(t, config)
	began := time.Now()
	piece := make([]byte, 1<<18)
	var sending error
	for sending == nil { // until the connection takes no more
		sending = s.SendAudio(piece)
	}
	if !errors.Is(sending, realtime.ErrSilent) || time.Since(began) > 30*time.Second {
		t.Errorf("sending ended with %v after %s", sending, time.Since(began))
	}
	if _, end := listen(s, nil); !errors.Is(end, realtime.ErrSilent) {
		t.Errorf("the end: got %v", end)
	}
}

func TestAQuietServerThatLivesIsKept(t *testing.T) {
	t.Parallel() // it takes its time
	config := openAI(serve(t, quiet))
	config.Silence = 2 * time.Second
	s := dial(t, config)
	time.Sleep(2 * config.Silence)
	if err := s.SendText("still there?"); err != nil {
		t.Error(err)
	}
}
