package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/tool"
)

// shared is the browser most tests use, each in a thread of its own.
var shared = New(Options{Allow: admitted.has, Unasked: true})

// admitted are the hosts of servers that tests let the browser reach.
var admitted hostSet

type hostSet struct{ hosts sync.Map }

func (s *hostSet) has(hostPort string) bool {
	_, ok := s.hosts.Load(hostPort)
	return ok
}

func TestMain(m *testing.M) {
	code := m.Run()
	shared.Close()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// needBrowser skips a test where there is none.
func needBrowser(t *testing.T) {
	t.Helper()
	if _, err := Find(); err != nil {
		t.Skip(err)
	}
}

// site serves pages by their path; what is no path of it is 404. The browser may reach it.
func site(t *testing.T, pages map[string]string) *httptest.Server {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		put(w, "%s", page)
	}))
}

// put writes to a client that may have left.
func put(w io.Writer, format string, values ...any) { _, _ = fmt.Fprintf(w, format, values...) }

func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	admitted.hosts.Store(strings.TrimPrefix(server.URL, "http://"), true)
	return server
}

// seat is a thread that uses a browser.
type seat struct {
	*testing.T
	browser *Browser
	thread  string
}

func newSeat(t *testing.T, b *Browser) *seat {
	t.Helper()
	needBrowser(t)
	return &seat{t, b, t.Name()}
}

func (s *seat) prepare(name, arguments string) (*tool.Call, error) {
	s.Helper()
	tools, err := s.browser.Tools()
	if err != nil {
		s.Fatal(err)
	}
	for _, made := range tools {
		if made.Name == name {
			return made.Prepare(arguments)
		}
	}
	s.Fatalf("there is no tool %s", name)
	return nil, nil
}

func (s *seat) callWith(ctx context.Context, name string, arguments args) tool.Result {
	s.Helper()
	if arguments == nil {
		arguments = args{}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		s.Fatal(err)
	}
	call, err := s.prepare(name, string(text))
	if err != nil {
		return tool.Result{Err: err}
	}
	return call.Run(tool.Context{Context: ctx, ThreadID: s.thread})
}

type args map[string]any

// do calls a tool and returns what the model reads.
func (s *seat) do(name string, arguments args) string {
	s.Helper()
	r := s.callWith(s.Context(), name, arguments)
	if r.Err != nil {
		s.Fatalf("%s %v: %v", name, arguments, r.Err)
	}
	return string(r.Content)
}

// fails calls a tool that must fail with want in its error.
func (s *seat) fails(name string, arguments args, want string) {
	s.Helper()
	r := s.callWith(s.Context(), name, arguments)
	if r.Err == nil {
		s.Fatalf("%s %v: got %s, want an error with %q", name, arguments, r.Content, want)
	}
	if !strings.Contains(r.Err.Error(), want) {
		s.Errorf("%s %v: got error %q, want %q in it", name, arguments, r.Err, want)
	}
}

func (s *seat) holds(got string, want ...string) {
	s.Helper()
	for _, one := range want {
		if !strings.Contains(got, one) {
			s.Errorf("got %s, want %s in it", got, one)
		}
	}
}

// until waits for what must become true.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}
