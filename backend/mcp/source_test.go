package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

// CASES.md F12.
func TestProgressGoesForwardsAndNeverPastItsTotal(t *testing.T) {
	count := toolsOf(t, started(t, "lively"))["x_count"]
	until := filepath.Join(t.TempDir(), "heard")
	var updates []tool.Update
	got := call(t, count, tool.Context{OnUpdate: func(u tool.Update) {
		updates = append(updates, u)
		if len(updates) == 3 {
			if err := os.WriteFile(until, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}}, `{"until":`+strconv.Quote(until)+`}`)
	if string(got.Content) != `"counted"` {
		t.Fatalf("got %s, %v, want the result and no progress in it", got.Content, got.Err)
	}
	text, err := json.Marshal(updates)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"Content":"one","Details":{"progress":{"done":1,"total":4}},"Presentation":null},` +
		`{"Content":"three of nobody knows","Details":{"progress":{"done":3}},"Presentation":null},` +
		`{"Content":"over","Details":{"progress":{"done":4,"total":4}},"Presentation":null}]`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("updates (-want +got):\n%s", diff)
	}
	if got := call(t, count, tool.Context{}, `{}`); string(got.Content) != `"nobody listens"` {
		t.Errorf("got %s, want no notes asked for where nobody hears them", got.Content)
	}
}

// CASES.md E4.
func TestTheServerHearsThatACallIsCancelled(t *testing.T) {
	for name, server := range map[string]func(*testing.T) *mcp.Source{
		"over stdio": func(t *testing.T) *mcp.Source { return started(t, "lively") },
		"over HTTP":  overHTTP,
	} {
		for reason, timeout := range map[string]time.Duration{"by a person": 0, "by its timeout": 300 * time.Millisecond} {
			t.Run(name+" "+reason, func(t *testing.T) {
				s := server(t)
				s.CallTimeout = timeout
				folder := t.TempDir()
				asleep, woken := filepath.Join(folder, "asleep"), filepath.Join(folder, "woken")
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					if waitFor(asleep); timeout == 0 {
						cancel()
					}
				}()
				began := time.Now()
				got := call(t, toolsOf(t, s)["x_sleep"], tool.Context{Context: ctx}, `{"asleep":`+strconv.Quote(asleep)+`,"woken":`+strconv.Quote(woken)+`}`)
				cancel()
				var failure *tool.Error
				want := map[time.Duration]string{0: tool.CodeCancelled}[timeout]
				if timeout > 0 {
					want = tool.CodeTimeout
				}
				if !errors.As(got.Err, &failure) || failure.Code != want || time.Since(began) > 30*time.Second {
					t.Errorf("got %v after %s, want %s at once", got.Err, time.Since(began), want)
				}
				if _, err := os.Stat(waitFor(woken)); err != nil {
					t.Errorf("the server was not told: %v", err)
				}
				if state, _ := s.State(); state != mcp.StateReady {
					t.Errorf("got the state %s, want the server still there", state)
				}
			})
		}
	}
}

func overHTTP(t *testing.T) *mcp.Source {
	t.Helper()
	server := livelyServer()
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	s := &mcp.Source{Name: "x", URL: web.URL}
	t.Cleanup(web.Close)
	t.Cleanup(s.Close)
	return s
}

func TestADeadServerIsStartedAgainByTheNextCall(t *testing.T) {
	var changes atomic.Int64
	s := started(t, "lively", func(s *mcp.Source) { s.OnChange = func() { changes.Add(1) } })
	tools := toolsOf(t, s)
	got := call(t, tools["x_die"], tool.Context{}, `{}`)
	for _, want := range []string{`the MCP server "x" ended (exit status 3)`, "It said: out of luck", "may have been carried out or not", "the next call starts the server again"} {
		if !strings.Contains(messageOf(got.Err), want) {
			t.Errorf("got %v, want it to say %q", got.Err, want)
		}
	}
	if state, why := s.State(); state != mcp.StateFailed || why == nil {
		t.Errorf("got %s, %v, want the failure known", state, why)
	}
	if got := call(t, tools["x_echo"], tool.Context{}, `{"n":2512292042121000001}`); string(got.Content) != `"{\"n\":2512292042121000001}"` {
		t.Errorf("got %s, %v, want an answer of the server started anew", got.Content, got.Err)
	}
	if got := s.Log(); len(got) != 2 || got[0] != "out of luck" || len(got[1]) != 2000 {
		t.Errorf("got the log %q, want what the server said before it ended", got)
	}
	if changes.Load() < 4 {
		t.Errorf("got %d changes told, want starting, ready, failed, ready", changes.Load())
	}
	// it dies again and again; only the first time it had answered a call before, and after the last it is left alone for 16 seconds
	for death := range 6 {
		got := messageOf(call(t, tools["x_die"], tool.Context{}, `{}`).Err)
		if death == 0 && !strings.HasSuffix(got, "; the next call starts the server again") || death == 5 && !strings.HasSuffix(got, "s at the earliest") {
			t.Errorf("death %d: got %s, want to be told when the server is started again", death, got)
		}
		if n := len(got); n > 600 || strings.Contains(got, "closed") {
			t.Errorf("got %d bytes, %s, want a long line cut and nothing of what was closed", n, got)
		}
		if death == 5 {
			break
		}
		if err := s.Refresh(t.Context()); err != nil {
			t.Fatalf("got %v, want a person's try made at once", err)
		}
	}
	got = call(t, tools["x_echo"], tool.Context{}, `{}`)
	if !strings.Contains(messageOf(got.Err), "It is started again in") || !strings.Contains(messageOf(got.Err), "out of luck") {
		t.Errorf("got %v, want to be told when it is tried again, and why it ended", got.Err)
	}
	if list, err := s.Tools(t.Context()); err == nil || len(list) != len(tools) {
		t.Errorf("got %d tools and %v, want the last known beside the error", len(list), err)
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Errorf("got %v, want a person's try made at once", err)
	}
}

func TestAServerThatForgotTheSessionIsGreetedAgain(t *testing.T) {
	var handler atomic.Pointer[http.Handler]
	fresh := func() {
		server := livelyServer()
		t.Cleanup(func() {
			for session := range server.Sessions() { // one of a server that forgot it stays
				_ = session.Close()
			}
		})
		var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
		handler.Store(&h)
	}
	fresh()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	s := &mcp.Source{Name: "x", URL: web.URL}
	t.Cleanup(s.Close)
	echo := toolsOf(t, s)["x_echo"]
	fresh() // as after a restart of the server
	if got := call(t, echo, tool.Context{}, `{"n":1}`); string(got.Content) != `"{\"n\":1}"` {
		t.Errorf("got %s, %v, want the call made in a new session", got.Content, got.Err)
	}
}

func TestAChangedListIsReadAgain(t *testing.T) {
	for name, server := range map[string]func(*testing.T) *mcp.Source{
		"over stdio": func(t *testing.T) *mcp.Source { return started(t, "lively") },
		"over HTTP":  overHTTP,
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			changed := make(chan struct{}, 100)
			s.OnChange = func() { changed <- struct{}{} }
			before := toolsOf(t, s)
			if again := toolsOf(t, s); again["x_echo"] != before["x_echo"] {
				t.Error("want the same tools while the list is the same")
			}
			call(t, before["x_grow"], tool.Context{}, `{}`)
			deadline := time.After(time.Minute)
			for {
				tools := toolsOf(t, s)
				if tools["x_grown"] != nil && tools["x_echo"] == nil {
					break
				}
				select {
				case <-changed:
				case <-deadline:
					t.Fatal("the new tool was not listed")
				}
			}
		})
	}
}

func TestWhatAServerStartedEndsWithIt(t *testing.T) {
	s := started(t, "lively")
	got := call(t, toolsOf(t, s)["x_child"], tool.Context{}, `{}`)
	pid, err := strconv.Atoi(strings.Trim(string(got.Content), `"`))
	if err != nil {
		t.Skipf("no sleep program: %v", got.Err)
	}
	began := time.Now()
	s.Close()
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("closing took %s, want it to end on its own once its input is closed", took)
	}
	for range 6000 {
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err != nil || strings.Contains(string(stat), ") Z") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

func TestAServerSeesOnlyThePlainEnvironmentAndItsOwn(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-this-program")
	s := started(t, "lively", func(s *mcp.Source) { s.Env = append(s.Env, "OWN=its own") })
	environment := toolsOf(t, s)["x_environment"]
	for name, want := range map[string]string{"OPENAI_API_KEY": `"empty result"`, "OWN": `"its own"`} {
		if got := call(t, environment, tool.Context{}, `{"name":"`+name+`"}`); string(got.Content) != want {
			t.Errorf("%s: got %s, want %s", name, got.Content, want)
		}
	}
}

func TestAServerThatDoesNotStartSaysWhy(t *testing.T) {
	for name, tc := range map[string]struct {
		source *mcp.Source
		want   []string
		not    string
	}{
		"it ends": {
			started(t, "broken", func(s *mcp.Source) { s.Env = append(s.Env, "DB_PASSWORD=hunter2000") }),
			[]string{`the MCP server "x" did not start (exit status 7)`, "It said: no such database: •••"},
			"hunter2000",
		},
		"it says nothing": {
			started(t, "silent", func(s *mcp.Source) { s.StartTimeout = 200 * time.Millisecond }), []string{"did not answer within 200ms"}, "",
		},
		"there is no program": {&mcp.Source{Name: "x", Command: "/no/such/program"}, []string{"start /no/such/program"}, ""},
		"nobody listens":      {&mcp.Source{Name: "x", URL: "http://127.0.0.1:1/mcp?key=sesame-open"}, []string{"connection refused"}, "sesame-open"},
		"the key is wrong":    {&mcp.Source{Name: "x", URL: refusing(t), Header: http.Header{"Authorization": {"Bearer sesame-open"}}}, []string{"Unauthorized"}, "sesame-open"},
		"its name divides":    {&mcp.Source{Name: "a_b", Command: "true"}, []string{`"a_b" is not`}, ""},
		"two ways to it":      {&mcp.Source{Name: "x", Command: "true", URL: "http://127.0.0.1"}, []string{"one of the two"}, ""},
		"no whole address":    {&mcp.Source{Name: "x", URL: "127.0.0.1:80"}, []string{"must be a whole one"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(tc.source.Close)
			tools, err := tc.source.Tools(t.Context())
			for _, want := range tc.want {
				if !strings.Contains(messageOf(err), want) {
					t.Errorf("got %v, want it to say %q", err, want)
				}
			}
			if tc.not != "" && strings.Contains(messageOf(err)+strings.Join(tc.source.Log(), "\n"), tc.not) {
				t.Errorf("%v holds a secret", err)
			}
			if state, _ := tc.source.State(); len(tools) > 0 || state != mcp.StateFailed {
				t.Errorf("got %d tools and the state %s, want none and failed", len(tools), state)
			}
		})
	}
}

func refusing(t *testing.T) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no "+r.Header.Get("Authorization"), http.StatusUnauthorized)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

func TestHeadersGoToTheServersHostAlone(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]string{}
	note := func(who string, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[who] += r.Header.Get("X-Token")
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note("elsewhere", r)
		http.NotFound(w, r)
	}))
	t.Cleanup(elsewhere.Close)
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note("home", r)
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(home.Close)
	s := &mcp.Source{Name: "x", URL: home.URL, Header: http.Header{"x-token": {"sesame"}}}
	t.Cleanup(s.Close)
	if _, err := s.Tools(t.Context()); err == nil {
		t.Error("want an error of a server that is none")
	}
	mu.Lock()
	defer mu.Unlock()
	if got, ok := seen["elsewhere"]; !strings.HasPrefix(seen["home"], "sesame") || !ok || got != "" {
		t.Errorf("got %v, want the token at home and nowhere else", seen)
	}
}

func TestAClosedSourceEndsItsCalls(t *testing.T) {
	s := started(t, "lively")
	folder := t.TempDir()
	asleep, woken := filepath.Join(folder, "asleep"), filepath.Join(folder, "woken")
	sleep := toolsOf(t, s)["x_sleep"]
	go func() {
		waitFor(asleep)
		s.Close()
	}()
	got := call(t, sleep, tool.Context{}, `{"asleep":`+strconv.Quote(asleep)+`,"woken":`+strconv.Quote(woken)+`}`)
	if !errors.Is(got.Err, mcp.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", got.Err)
	}
	if got := call(t, sleep, tool.Context{}, `{}`); !errors.Is(got.Err, mcp.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", got.Err)
	}
	new(mcp.Source).Close() // one that was never used has nothing to end
}
