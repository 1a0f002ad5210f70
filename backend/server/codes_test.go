package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// refused is a server in which requests fail in one way, and what stands in for the names in their paths and bodies.
type refused struct {
	*world
	elsewhere map[string]*world // of operations that fail on a server of another kind
	body      map[string]string // by how the names of operations begin
	values    []string          // name, value, name, value
}

// bodies are what each operation takes, where nothing else is said.
var bodies = map[string]string{
	"runAgent": `{"input":"x","threadId":"t"}`, "streamAgent": `{"input":"x","threadId":"t"}`, "startRun": `{"input":"x","threadId":"t"}`,
	"chat": `{"messages":[{"role":"user","content":"x"}],"threadId":"t"}`, "chatWithAgent": `{"messages":[{"role":"user","content":"x"}],"threadId":"t"}`,
	"uiChat": said("t", "x"), "uiChatWithAgent": said("t", "x"), "callTool": `{"arguments":{"n":1},"threadId":"t"}`,
	"resumeAgent": `{"threadId":"t","defaultDecision":{"approved":true}}`, "resumeAgentStream": `{"threadId":"t","defaultDecision":{"approved":true}}`,
	"renameThread": `{"title":"x"}`, "addMessage": `{"role":"user","content":"x"}`, "decide": `{"approved":true,"argumentsHash":"HASH"}`,
}

// Each code a route is said to have is one it answers with.
func TestEveryRouteFailsAsItSays(t *testing.T) {
	busy := func(t *testing.T) *refused {
		w := start(t, alone, scripted.CallTool("c1", "hold", `{}`))
		w.json("POST", "/agents/demo/runs", bodies["startRun"], new(started))
		return &refused{world: w}
	}
	ended := func(t *testing.T) *refused {
		w := start(t, alone, scripted.CallTool("c1", "echo", `{"n":1}`), scripted.Say("done"))
		var answer runAnswer
		w.json("POST", "/agents/demo/run", bodies["runAgent"], &answer)
		return &refused{world: w, values: []string{"RUN", answer.RunID, "CALL", answer.ToolCalls[0].ID}}
	}
	ways := map[string]func(t *testing.T) *refused{
		CodeThreadBusy: busy, CodeRunPaused: func(t *testing.T) *refused { return waits(t) }, CodeRunNotPaused: ended, CodeRunEnded: ended,
		CodeNotFound: func(t *testing.T) *refused {
			r := &refused{world: start(t, alone), values: []string{"demo", "nobody", "echo", "nobody"}}
			none := start(t, func(s *Server) { s.Agents, s.Threads = nil, noThreads{} })
			r.elsewhere = map[string]*world{"chat": none, "uiChat": none, "listThreads": none}
			return r
		},
		CodeUnavailable: func(t *testing.T) *refused {
			r := waits(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := r.server.Close(ctx); err != nil {
				t.Fatal(err)
			}
			if err := r.runner.Close(ctx); err != nil {
				t.Fatal(err)
			}
			return r
		},
		CodeDecided: func(t *testing.T) *refused {
			r := waits(t)
			for _, p := range r.pending() {
				r.json("POST", "/approvals/"+p.ApprovalID+"/decision", `{"approved":false,"argumentsHash":"`+p.ArgumentsHash+`"}`, new(decidedAnswer))
				r.body = map[string]string{"uiChat": answered("t", p.ApprovalID, true, p.ArgumentsHash)}
			}
			return r
		},
		CodeArgumentsChanged: func(t *testing.T) *refused {
			r := waits(t)
			r.body = map[string]string{"uiChat": answered("t", r.pending()[0].ApprovalID, true, "another"), "decide": `{"approved":true,"argumentsHash":"another"}`}
			return r
		},
		tool.CodeInvalidArgs: func(t *testing.T) *refused {
			r := waits(t)
			resume := `{"threadId":"t","decisions":{"CALL":{"approved":true,"argumentsText":"{}"}}}`
			r.body = map[string]string{
				"resumeAgent": resume, "resumeAgentStream": resume, "callTool": `{"arguments":{"n":"one"}}`,
				"decide": `{"approved":true,"argumentsHash":"HASH","argumentsText":"{}"}`,
			}
			return r
		},
	}
	for _, code := range failing() {
		ways[code] = func(t *testing.T) *refused {
			ill := fails("It is ill.", code)
			r := waits(t, ill, ill) // a thread that is too long is tried again, shorter
			r.body = map[string]string{"runAgent": `{"input":"x","threadId":"t","pending":"deny"}`}
			return r
		}
	}
	made := map[string]*refused{}
	for pattern, route := range new(Server).routes() {
		for _, code := range route.codes {
			if slices.Contains([]string{CodeDecided, CodeArgumentsChanged}, code) && strings.HasPrefix(route.name, "resume") {
				continue // only where another client decides between its look at the run and its decision
			}
			if ways[code] == nil {
				t.Errorf("%s: no test has the code %s", pattern, code)
				continue
			}
			// A run that failed lets the next one begin.
			if made[code] == nil || slices.Contains(failing(), code) {
				made[code] = ways[code](t)
			}
			made[code].ask(t, pattern, route.name, code)
		}
	}
}

// waits is a server with a run that waits, and what its model says next.
func waits(t *testing.T, next ...scripted.Turn) *refused {
	w := start(t, alone, append([]scripted.Turn{scripted.CallTool("c1", "release", `{"target":"x"}`)}, next...)...)
	var answer runAnswer
	w.json("POST", "/agents/demo/run", bodies["runAgent"], &answer)
	if answer.Status != protocol.StatusPaused {
		t.Fatalf("got %+v, want a run that waits", answer)
	}
	p := w.pending()[0]
	return &refused{world: w, values: []string{"RUN", answer.RunID, "CALL", p.ToolCallID, "APPROVAL", p.ApprovalID, "HASH", p.ArgumentsHash}}
}

func (r *refused) ask(t *testing.T, pattern, name, code string) {
	t.Helper()
	method, path, _ := strings.Cut(pattern, " ")
	for _, fill := range [][2]string{
		{"/agents/{name}", "/agents/demo"},
		{"/tools/{name}", "/tools/echo"},
		{"/threads/{id}", "/threads/t"},
		{"/ui-chat/{id}", "/ui-chat/t"},
		{"/runs/{id}", "/runs/RUN"},
		{"{toolCallId}", "CALL"},
		{"/approvals/{id}", "/approvals/APPROVAL"},
	} {
		path = strings.ReplaceAll(path, fill[0], fill[1])
	}
	body := bodies[name]
	for operation, other := range r.body {
		if strings.HasPrefix(name, operation) {
			body = other
		}
	}
	values := strings.NewReplacer(r.values...)
	w := r.world
	if other := r.elsewhere[name]; other != nil {
		w = other
	}
	status, text := w.request(method, values.Replace(path), values.Replace(body))
	var answer errorAnswer
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Error.Code != code || status != statusOf(code) {
		t.Errorf("%s: got %d %s, want %s", pattern, status, text, fmt.Sprint(statusOf(code), " ", code))
	}
}
