package server

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/redact"
	"callboard/backend/tool"
)

// alone lets clients call tools alone.
func alone(s *Server) { s.ToolRuns = true }

// calls calls a tool alone, and returns its run's log once that is over or waits.
func (w *world) calls(path, body string) (log, threadID string) {
	w.t.Helper()
	var run struct{ RunID, ThreadID string }
	w.json("POST", path, body, &run)
	w.eventually("the call is over", func() bool { return w.statusOf(run.RunID) != protocol.StatusRunning })
	var all strings.Builder
	for _, e := range w.logOf(run.RunID) {
		all.WriteString(e.data + "\n")
	}
	return all.String(), run.ThreadID
}

func TestAToolIsCalledAlone(t *testing.T) {
	w := start(t, alone)
	for name, c := range map[string]struct{ body, arguments, result string }{
		"with its arguments as text, byte for byte": {`{"argumentsText":"{ \"n\":1 }"}`, `"argsTextDelta":"{ \"n\":1 }"`, `"result":{"n":1}`},
		"with its arguments as JSON":                {`{"arguments":{"n": 7}}`, `"argsTextDelta":"{\"n\": 7}"`, `"result":{"n":7}`},
		"with both, of which the text wins":         {`{"arguments":{"n":1},"argumentsText":"{\"n\":2}"}`, `"argsTextDelta":"{\"n\":2}"`, `"result":{"n":2}`},
		"for a user of its own":                     {`{"arguments":{"n":3},"threadId":"mine","context":{"userId":"ada"}}`, `"threadId":"mine"`, `"status":"completed"`},
	} {
		t.Run(name, func(t *testing.T) {
			log, _ := w.calls("/tools/echo/runs", c.body)
			for _, want := range []string{c.arguments, c.result, `"agentName":"by-hand:echo"`, `"status":"completed"`} {
				if !strings.Contains(log, want) {
					t.Errorf("the log is\n%s\nwant %s", log, want)
				}
			}
		})
	}
	if _, text := w.request("GET", "/agents", ""); strings.Contains(text, "by-hand") {
		t.Errorf("who calls alone is listed: %s", text)
	}
	if status, text := w.request("POST", "/agents/by-hand:echo/runs", `{"input":"{}"}`); status != http.StatusNotFound {
		t.Errorf("started as an agent: got %d %s", status, text)
	}
}

func TestACallAloneWaitsWhereTheToolAsks(t *testing.T) {
	w := start(t, alone)
	log, threadID := w.calls("/tools/release/runs", `{"argumentsText":"{\"target\":\"staging\"}"}`)
	if !strings.Contains(log, `"approval-required"`) || w.ran.Load() != 0 {
		t.Fatalf("the log is\n%s\nwant it to wait", log)
	}
	again := `{"argumentsText":"{\"target\":\"live\"}","threadId":"` + threadID + `"`
	if status, text := w.request("POST", "/tools/release/runs", again+`}`); status != http.StatusConflict || !strings.Contains(text, CodeRunPaused) {
		t.Errorf("another call meanwhile: got %d %s", status, text)
	}
	w.calls("/tools/release/runs", again+`,"pending":"deny"}`)
	var waiting struct {
		Approvals []struct{ ApprovalID, ArgumentsHash, ArgumentsText string }
	}
	w.json("GET", "/approvals", "", &waiting)
	if len(waiting.Approvals) != 1 || !strings.Contains(waiting.Approvals[0].ArgumentsText, "live") {
		t.Fatalf("got %+v, want the second call alone to wait", waiting)
	}
	a := waiting.Approvals[0]
	var run struct{ RunID string }
	w.json("POST", "/approvals/"+a.ApprovalID+"/decision", `{"approved":true,"argumentsHash":"`+a.ArgumentsHash+`"}`, &run)
	w.eventually("it is done", func() bool { return w.statusOf(run.RunID) == protocol.StatusCompleted })
	if got := w.ran.Load(); got != 1 {
		t.Errorf("it ran %d times, want once", got)
	}
}

func TestACallAloneIsRefused(t *testing.T) {
	off, on := start(t, nil), start(t, func(s *Server) {
		alone(s)
		s.Agents[1].Handoffs = []*agent.Agent{s.Agents[0]}
		s.ViewOf = func(r *http.Request) redact.View { return redact.View(r.Header.Get("X-View")) }
	})
	for name, c := range map[string]struct {
		w                *world
		path, body, view string
		status           int
		message          string
	}{
		"by a server that does not say so":   {off, "/tools/echo/runs", `{}`, "", 403, "does not let clients call it alone"},
		"of a tool nobody has":               {on, "/tools/fly/runs", `{}`, "operator", 404, `no tool \"fly\"`},
		"of a tool that hands over":          {on, "/tools/transfer_to_demo/runs", `{}`, "operator", 403, "Only agents"},
		"from a user":                        {on, "/tools/echo/runs", `{}`, "user", 403, "Only the operator"},
		"with a value that does not fit":     {on, "/tools/release/runs", `{"arguments":{"target":7}}`, "operator", 400, "/target"},
		"with arguments that are no object":  {on, "/tools/echo/runs", `{"arguments":[1]}`, "operator", 400, "must be a JSON object"},
		"with arguments that are no JSON":    {on, "/tools/echo/runs", `{"argumentsText":"{"}`, "operator", 400, tool.CodeInvalidArgs},
		"with none, where one is needed":     {on, "/tools/echo/runs", `{}`, "operator", 400, "missing property 'n'"},
		"with a member nobody knows":         {on, "/tools/echo/runs", `{"input":"{}"}`, "operator", 400, "unknown member"},
		"with a thread that has a blank id":  {on, "/tools/echo/runs", `{"threadId":" "}`, "operator", 400, "threadId"},
		"as a message that is no call of it": {on, "/tools/echo/runs", `{"argumentsText":"[1]"}`, "operator", 400, tool.CodeInvalidArgs},
	} {
		t.Run(name, func(t *testing.T) {
			status, text := c.w.request("POST", c.path, c.body, "X-View", c.view)
			if status != c.status || !strings.Contains(text, c.message) {
				t.Errorf("got %d %s, want %d and %q", status, text, c.status, c.message)
			}
		})
	}
	for _, c := range []struct {
		w    *world
		want bool
	}{{off, false}, {on, true}} {
		if _, text := c.w.request("GET", "/tools", "", "X-View", "operator"); strings.Contains(text, `"callable":true`) != c.want {
			t.Errorf("the tools are listed as %s, want callable %v", text, c.want)
		}
	}
}

func TestWhatGuardsTheCallsOfAnAgentGuardsThoseAlone(t *testing.T) {
	asked := 0
	w := start(t, func(s *Server) {
		alone(s)
		s.Agents[0].Middleware = []agent.Middleware{{
			Name: "guard", HoldBack: true,
			BeforeModel: func(tool.Context, *model.Request) error { return errors.New("no model is asked here") },
			AfterModel:  func(tool.Context, *agent.Answer) error { return errors.New("no model answers here") },
			BeforeCall: func(_ tool.Context, _ *tool.Tool, call model.ToolCall) (*tool.Result, error) {
				asked++
				return nil, agent.Deny("not " + call.Arguments)
			},
		}}
	})
	log, _ := w.calls("/tools/echo/runs", `{"arguments":{"n":1}}`)
	if asked != 1 || !strings.Contains(log, `not {\"n\":1}`) || !strings.Contains(log, `"status":"completed"`) {
		t.Errorf("it was asked %d times, and the log is\n%s\nwant the call denied", asked, log)
	}
}
