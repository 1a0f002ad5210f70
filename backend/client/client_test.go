package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/server"
	"callboard/backend/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type target struct {
	Target string `json:"target"`
}

// newServer serves an agent "demo" that plays turns and has the tool release, which waits for approval, behind a guard.
func newServer(t *testing.T, turns ...scripted.Turn) (*Client, *agent.Runner) {
	t.Helper()
	runner := &agent.Runner{MergeWindow: -1}
	s := &server.Server{Runner: runner, Agents: []*agent.Agent{{
		Name: "demo", Description: "Shows", Backend: &scripted.Backend{Turns: turns}, Tools: []*tool.Tool{
			tool.Must(tool.Config[target, string]{
				Name: "release", Description: "Releases", Approval: tool.Always,
				Run: func(_ tool.Context, in target) (string, error) { return "released to " + in.Target, nil },
			}),
		},
	}}}
	handler := server.Guard{Token: "s3cret"}.Wrap(http.StripPrefix("/api", s.Handler()))
	web := httptest.NewServer(handler)
	client := &Client{BaseURL: web.URL + "/api/", Token: "s3cret", HTTP: web.Client(), RetryDelay: time.Millisecond}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := runner.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
		web.CloseClientConnections()
		web.Close()
	})
	return client, runner
}

func TestTheOtherRoutes(t *testing.T) {
	c, runner := newServer(t, scripted.Say("one"), scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("two"))
	ctx := t.Context()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	must("ready", c.Ready(ctx))
	agents, err := c.Agents(ctx)
	must("agents", err)
	if len(agents) != 1 || agents[0].Name != "demo" || fmt.Sprint(agents[0].Tools) != "[release]" {
		t.Errorf("agents: got %+v", agents)
	}
	tools, err := c.Tools(ctx)
	must("tools", err)
	if len(tools) != 1 || tools[0].Name != "release" || !json.Valid(tools[0].Parameters) {
		t.Errorf("tools: got %+v", tools)
	}
	outcome, err := c.Run(ctx, "demo", Input{Text: "Hello", ThreadID: "a/b"})
	must("run", err)
	if outcome.Status != protocol.StatusCompleted || outcome.Output != "one" || outcome.ThreadID != "a/b" {
		t.Errorf("run: got %+v", outcome)
	}
	must("add a message", c.AddMessage(ctx, "a/b", model.RoleUser, "By the way"))
	must("rename", c.RenameThread(ctx, "a/b", "Named"))
	thread, err := c.Thread(ctx, "a/b")
	must("thread", err)
	if thread.Title != "Named" || len(thread.Messages) != 3 || thread.Messages[2].Content != "By the way" {
		t.Errorf("thread: got %+v", thread)
	}
	threads, err := c.Threads(ctx, "name", time.Now().Add(time.Hour).UnixMilli())
	must("threads", err)
	if len(threads) != 1 || threads[0].ID != "a/b" {
		t.Errorf("threads: got %+v", threads)
	}
	started, err := c.Start(ctx, "demo", Input{Text: "Again", ThreadID: "a/b"})
	must("start", err)
	for f, err := range c.Events(ctx, started.RunID, 0) {
		must("events", err)
		if e, ok := f.Event.(*protocol.Finish); ok && e.Status == protocol.StatusPaused {
			break
		}
	}
	var said *Error
	if _, err := c.Run(ctx, "demo", Input{Text: "More", ThreadID: "a/b"}); !errors.As(err, &said) || said.Status != 409 || said.Code != "RUN_PAUSED" {
		t.Errorf("a message while it waits: got %v", err)
	}
	outcome, err = c.Run(ctx, "demo", Input{Text: "More", ThreadID: "a/b", DenyPending: true})
	must("run, denying what waits", err)
	if outcome.Output != "two" {
		t.Errorf("run: got %+v", outcome)
	}
	runs, err := c.Runs(ctx, "a/b")
	must("runs", err)
	if len(runs) != 3 || runs[1].RunID != started.RunID || runs[1].Status != protocol.StatusCancelled {
		t.Errorf("runs: got %+v", runs)
	}
	if err := c.Cancel(ctx, started.RunID); !errors.As(err, &said) || said.Code != "RUN_ENDED" {
		t.Errorf("cancel what has ended: got %v", err)
	}
	if err := c.CancelCall(ctx, "nope", "c1"); !errors.As(err, &said) || said.Status != 404 {
		t.Errorf("cancel a call of no run: got %v", err)
	}
	must("delete", c.DeleteThread(ctx, "a/b"))
	if _, err := c.Thread(ctx, "a/b"); !errors.As(err, &said) || said.Code != "NOT_FOUND" {
		t.Errorf("the deleted thread: got %v", err)
	}
	if _, err := c.Run(ctx, "demo", Input{Text: "x", ThreadID: "z"}); err != nil {
		t.Errorf("run: %v", err)
	}
	stranger := *c
	stranger.Token = ""
	if _, err := stranger.Agents(ctx); !errors.As(err, &said) || said.Status != 401 || said.Code != "UNAUTHORIZED" {
		t.Errorf("without the token: got %v", err)
	}
	if runner.Live() != 0 {
		t.Errorf("%d runs are live", runner.Live())
	}
}

func TestAServerThatIsNone(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/agents" {
			w.WriteHeader(http.StatusBadGateway)
		}
		_, _ = io.WriteString(w, "<html>")
	}))
	defer web.Close()
	c := &Client{BaseURL: web.URL, HTTP: web.Client(), Retries: -1}
	var said *Error
	if _, err := c.Agents(t.Context()); !errors.As(err, &said) || said.Status != 502 || !strings.Contains(err.Error(), "502") {
		t.Errorf("an error page: got %v", err)
	}
	if _, err := c.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "not what the protocol says") {
		t.Errorf("a page: got %v", err)
	}
	for _, err := range c.Events(t.Context(), "r", 0) {
		if !errors.As(err, &said) || !strings.Contains(err.Error(), "text/html") {
			t.Errorf("a page for a stream: got %v", err)
		}
	}
}
