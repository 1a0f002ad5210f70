package aisdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/redact"
	"callboard/backend/server"
	"callboard/backend/tool"
)

type edit struct {
	Path string `json:"path"`
}

type edited struct {
	Replacements int `json:"replacements"`
}

// gated is a model that waits, where its script says "|", for GET /let-go.
type gated struct {
	scripted.Backend
	gate chan struct{}
}

func (g *gated) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for chunk, err := range g.Backend.Stream(ctx, request) {
			if chunk.Text == "|" {
				select {
				case <-g.gate:
					continue
				case <-ctx.Done():
					err = ctx.Err()
				}
			}
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

// serve answers a ui-chat of an agent that plays turns, with the tools edit (details, presentations and progress), release (asks
// first) and fail. It returns the chat's address.
func serve(t *testing.T, change func(*server.Server), turns ...scripted.Turn) string {
	t.Helper()
	m := &gated{Backend: scripted.Backend{Turns: turns}, gate: make(chan struct{})}
	show := func(e edit) *tool.Presentation {
		return &tool.Presentation{Label: "Edit file", Icon: "pencil", Detail: e.Path}
	}
	a := &agent.Agent{Name: "demo", Backend: m, Tools: []*tool.Tool{
		tool.Must(tool.Config[edit, tool.Output[edited]]{
			Name: "edit", Description: "Edits", Present: show, Run: func(c tool.Context, e edit) (tool.Output[edited], error) {
				c.Update(tool.Update{Content: "half of " + e.Path})
				c.Update(tool.Update{Content: "all of " + e.Path})
				return tool.Output[edited]{Content: edited{1}, Details: map[string]string{"diff": "-a\n+b"}}, nil
			},
		}),
		tool.Must(tool.Config[edit, string]{
			Name: "release", Description: "Releases", Approval: tool.Always,
			Run: func(_ tool.Context, e edit) (string, error) { return "released " + e.Path, nil },
		}),
		tool.Must(tool.Config[edit, string]{
			Name: "fail", Description: "Fails", Run: func(tool.Context, edit) (string, error) { return "", errors.New("no such file") },
		}),
	}}
	log := slog.New(slog.DiscardHandler)
	s := &server.Server{Agents: []*agent.Agent{a}, Logger: log, Runner: &agent.Runner{MergeWindow: -1, Logger: log}}
	if change != nil {
		change(s)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", http.StripPrefix("/api", s.Handler()))
	mux.HandleFunc("GET /let-go", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case m.gate <- struct{}{}:
		case <-r.Context().Done():
		}
	})
	web := httptest.NewServer(mux)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := errors.Join(s.Runner.Close(ctx), s.Close(ctx)); err != nil {
			t.Errorf("close: %v", err)
		}
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL + "/api/agents/demo/ui-chat"
}

func TestARealUseChat(t *testing.T) {
	type chat struct {
		API   string            `json:"api"`
		Steps []json.RawMessage `json:"steps"`
	}
	chats := map[string]chat{}
	for name, test := range useChats {
		c := chat{API: serve(t, test.change, test.turns...) + test.query}
		for _, step := range test.steps {
			c.Steps = append(c.Steps, json.RawMessage(step))
		}
		chats[name] = c
	}
	stdin, err := json.Marshal(chats)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]seen
	if err := json.Unmarshal(node(t, stdin, "chat.mjs"), &all); err != nil {
		t.Fatal(err)
	}
	for name, test := range useChats {
		t.Run(name, func(t *testing.T) {
			s := all[name]
			if got := s.parts(t); got != strings.TrimSpace(test.want) {
				t.Errorf("got\n%s\nwant\n%s", got, strings.TrimSpace(test.want))
			}
			if got := strings.Join(s.Requests, ", "); got != test.requests {
				t.Errorf("got requests %s, want %s", got, test.requests)
			}
			if got := strings.Join(s.Errors, ", "); got != test.errors {
				t.Errorf("got errors %s, want %s", got, test.errors)
			}
			if test.more != nil {
				test.more(t, s)
			}
		})
	}
}

const (
	send     = `{"send":"Do it."}`
	letGo    = `{"fetch":"/let-go"}`
	finished = `{"finished":1}`
)

var useChats = map[string]struct {
	change   func(*server.Server)
	turns    []scripted.Turn
	query    string
	steps    []string
	want     string
	requests string
	errors   string
	more     func(*testing.T, seen)
}{
	"reads text and reasoning": {
		turns: []scripted.Turn{say(scripted.Chunk{Reasoning: "Hm."}, scripted.Chunk{Text: "I am"}, scripted.Chunk{Text: " here."})},
		steps: []string{send, finished},
		want: `
{"id":"part_1_0_1","state":"done","text":"Hm.","type":"reasoning"}
{"state":"done","text":"I am here.","type":"text"}`,
		requests: "POST 200 v1",
		more: func(t *testing.T, s seen) {
			m, metadata := s.Messages[1], string(s.Messages[1].Metadata)
			if !strings.HasPrefix(m.ID, "msg_") || !strings.Contains(metadata, `"runId":"run_`) || !strings.Contains(metadata, `"status":"completed"`) {
				t.Errorf("got message %s with %s, want the run's, which is completed", m.ID, metadata)
			}
		},
	},
	"sees a call as it is written, its output, details and presentation": {
		turns: []scripted.Turn{
			say(
				written(model.ToolInputStart, ""), written(model.ToolInputDelta, `{"path":"a`), scripted.Chunk{Text: "|"},
				written(model.ToolInputDelta, `.txt"}`), written(model.ToolInputEnd, ""), call("c1", "edit", `{"path":"a.txt"}`),
			),
			scripted.Say("Done."),
		},
		steps: []string{send, `{"until":"\"state\":\"input-streaming\",\"input\":{\"path\":\"a\"}"}`, letGo, finished},
		want: `
{"input":{"path":"a.txt"},"output":{"replacements":1},"state":"output-available","toolCallId":"c1","type":"tool-edit"}
{"data":{"detail":"a.txt","icon":"pencil","label":"Edit file"},"id":"c1","type":"data-tool-presentation"}
{"data":{"content":"all of a.txt"},"id":"c1","type":"data-tool-progress"}
{"data":{"diff":"-a\n+b"},"id":"c1","type":"data-tool-details"}
{"state":"done","text":"Done.","type":"text"}`,
		requests: "POST 200 v1",
	},
	"sees calls that failed, and goes on": {
		turns: []scripted.Turn{say(call("c1", "fail", `{"path":"x"}`), call("c2", "nothing", `{`)), scripted.Say("It failed.")},
		steps: []string{send, finished},
		want: `
{"errorText":"no such file","input":{"path":"x"},"state":"output-error","toolCallId":"c1","toolMetadata":{"errorCode":"TOOL_EXECUTION_FAILED"},"type":"tool-fail"}
{"errorText":"There is no tool \"nothing\". The tools are: edit, release, fail.","input":"{","state":"output-error","toolCallId":"c2","toolMetadata":{"errorCode":"TOOL_NOT_FOUND"},"type":"tool-nothing"}
{"state":"done","text":"It failed.","type":"text"}`,
		requests: "POST 200 v1",
	},
	"loses a call the model gave up, and hears of it": {
		turns: []scripted.Turn{say(scripted.Chunk{Text: "I will."}, written(model.ToolInputStart, ""), written(model.ToolInputDelta, `{"pa`), scripted.Chunk{FinishReason: model.FinishLength})},
		steps: []string{send, finished},
		want:  `{"state":"done","text":"I will.","type":"text"}`, requests: "POST 200 v1",
		more: func(t *testing.T, s seen) {
			for _, part := range s.Data {
				if part["type"] == "data-tool-dropped" && part["id"] == "c1" {
					return
				}
			}
			t.Errorf("got data %v, want the dropped call", s.Data)
		},
	},
	"loses what a failed try had said": {
		turns: []scripted.Turn{say(scripted.Chunk{Text: "I wi"}, scripted.Chunk{Error: "reset", Retryable: true}), scripted.Say("I will.")},
		steps: []string{send, finished},
		want:  `{"state":"done","text":"I will.","type":"text"}`, requests: "POST 200 v1",
	},
	"is told that a run failed": {
		turns:    []scripted.Turn{say(scripted.Chunk{Text: "I am"}, scripted.Chunk{Error: "no more", Code: model.CodeContentFiltered})},
		steps:    []string{send, finished},
		want:     `{"state":"done","text":"I am","type":"text"}`,
		requests: "POST 200 v1", errors: "no more",
	},
	"approves a call, and the one beside it runs too": {
		turns: []scripted.Turn{say(call("c1", "release", `{"path":"x"}`), call("c2", "fail", `{"path":"y"}`)), scripted.Say("Released.")},
		steps: []string{send, finished, `{"answer":true,"reason":"go"}`, `{"finished":2}`},
		want: `
{"approval":{"approved":true,"reason":"go"},"input":{"path":"x"},"output":"released x","state":"output-available","toolCallId":"c1","type":"tool-release"}
{"approval":{"approved":true,"isAutomatic":true,"reason":"It runs, or goes on, once the calls beside it are decided."},"errorText":"no such file","input":{"path":"y"},"state":"output-error","toolCallId":"c2","toolMetadata":{"errorCode":"TOOL_EXECUTION_FAILED"},"type":"tool-fail"}
{"state":"done","text":"Released.","type":"text"}`,
		requests: "POST 200 v1, POST 200 v1",
		more: func(t *testing.T, s seen) {
			if got := string(s.Messages[1].Metadata); !strings.Contains(got, `"status":"completed"`) || !strings.Contains(got, `"pendingApprovals":0`) {
				t.Errorf("got metadata %s, want it completed, with nothing open", got)
			}
		},
	},
	"denies one of two calls, after a reload": {
		turns: []scripted.Turn{say(call("c1", "release", `{"path":"x"}`), call("c2", "release", `{"path":"y"}`)), scripted.Say("Not all.")},
		steps: []string{send, finished, `{"open":{"resume":true}}`, finished, `{"answer":false,"reason":"no"}`, `{"answer":true}`, `{"finished":2}`},
		want: `
{"approval":{"approved":false,"reason":"no"},"input":{"path":"x"},"state":"output-denied","toolCallId":"c1","type":"tool-release"}
{"approval":{"approved":true},"input":{"path":"y"},"output":"released y","state":"output-available","toolCallId":"c2","type":"tool-release"}
{"state":"done","text":"Not all.","type":"text"}`,
		requests: "POST 200 v1, GET 200 v1, POST 200 v1",
	},
	"comes back to a run it left": {
		turns:    []scripted.Turn{say(scripted.Chunk{Text: "I am"}, scripted.Chunk{Text: "|"}, scripted.Chunk{Text: " here."})},
		steps:    []string{send, `{"until":"I am"}`, `{"stop":true}`, `{"open":{"resume":true}}`, `{"until":"I am"}`, letGo, finished},
		want:     `{"state":"done","text":"I am here.","type":"text"}`,
		requests: "POST 200 v1, GET 200 v1",
	},
	"asks again": {
		turns:    []scripted.Turn{scripted.Say("One."), scripted.Say("Two.")},
		steps:    []string{send, finished, `{"again":true}`, `{"finished":2}`},
		want:     `{"state":"done","text":"Two.","type":"text"}`,
		requests: "POST 200 v1, POST 200 v1",
	},
	"answers what an agent inside a call asks": {
		change: func(s *server.Server) {
			a := s.Agents[0]
			child := &agent.Agent{
				Name: "clerk", Description: "Releases", Tools: a.Tools,
				Backend: &scripted.Backend{Turns: []scripted.Turn{say(call("k1", "release", `{"path":"z"}`)), scripted.Say("I released it.")}},
			}
			made, err := agent.AsTool(child, agent.ToolConfig{})
			if err != nil {
				panic(err)
			}
			a.Tools = append(a.Tools[:len(a.Tools):len(a.Tools)], made)
		},
		turns: []scripted.Turn{say(call("c1", "clerk", `{"input":"Release z"}`)), scripted.Say("Done.")},
		steps: []string{send, finished, `{"answer":true}`, `{"finished":2}`},
		want: `
{"approval":{"approved":true,"isAutomatic":true,"reason":"It runs, or goes on, once the calls beside it are decided."},"input":{"input":"Release z"},"output":"I released it.","state":"output-available","title":"clerk","toolCallId":"c1","type":"tool-clerk"}
{"data":{"detail":"Release z","icon":"bot","label":"clerk"},"id":"c1","type":"data-tool-presentation"}
{"approval":{"approved":true},"input":{"path":"z"},"output":"released z","state":"output-available","toolCallId":"k1","toolMetadata":{"parentToolCallId":"c1"},"type":"tool-release"}
{"data":{"content":"I released it."},"id":"c1","type":"data-tool-progress"}
{"state":"done","text":"Done.","type":"text"}`,
		requests: "POST 200 v1, POST 200 v1",
	},
	"has the answer as a value": {
		change: func(s *server.Server) { s.Agents[0].Output = agent.MustOutput[edited]() },
		turns:  []scripted.Turn{scripted.Say(`{"replacements":2}`)},
		steps:  []string{send, finished},
		want: `
{"state":"done","text":"{\"replacements\":2}","type":"text"}
{"data":{"replacements":2},"id":"structured","type":"data-structured"}`,
		requests: "POST 200 v1",
	},
	"is opened again and goes on": {
		turns: []scripted.Turn{
			say(scripted.Chunk{Reasoning: "I look."}, call("c1", "edit", `{"path":"a"}`), call("c2", "fail", `{"path":"b"}`)),
			scripted.Say("Done."), scripted.Say("More."),
		},
		steps: []string{send, finished, `{"reopen":false}`, `{"until":"Done."}`, `{"send":"More?"}`, `{"until":"More."}`, finished},
		want: `
{"state":"done","text":"More.","type":"text"}`,
		requests: "POST 200 v1, POST 200 v1",
		more: func(t *testing.T, s seen) {
			if len(s.Messages) != 4 {
				t.Fatalf("got %d messages, want 4", len(s.Messages))
			}
			s.Messages = s.Messages[:2]
			want := strings.TrimSpace(`
{"id":"part_1_0_1","state":"done","text":"I look.","type":"reasoning"}
{"input":{"path":"a"},"output":{"replacements":1},"state":"output-available","toolCallId":"c1","type":"tool-edit"}
{"data":{"detail":"a","icon":"pencil","label":"Edit file"},"id":"c1","type":"data-tool-presentation"}
{"errorText":"no such file","input":{"path":"b"},"state":"output-error","toolCallId":"c2","toolMetadata":{"errorCode":"TOOL_EXECUTION_FAILED"},"type":"tool-fail"}
{"data":{"content":"all of a"},"id":"c1","type":"data-tool-progress"}
{"data":{"diff":"-a\n+b"},"id":"c1","type":"data-tool-details"}
{"state":"done","text":"Done.","type":"text"}`)
			if got := s.parts(t); got != want {
				t.Errorf("got the old message\n%s\nwant\n%s", got, want)
			}
		},
	},
	"waits still when it is opened again": {
		turns: []scripted.Turn{say(call("c1", "release", `{"path":"a"}`)), scripted.Say("Done.")},
		steps: []string{send, finished, `{"reopen":true}`, finished, `{"answer":true}`, `{"finished":2}`},
		want: `
{"approval":{"approved":true},"input":{"path":"a"},"output":"released a","state":"output-available","toolCallId":"c1","type":"tool-release"}
{"state":"done","text":"Done.","type":"text"}`,
		requests: "POST 200 v1, GET 200 v1, POST 200 v1",
	},
	"sees as a user labels, states and answers": {
		query: "?view=user",
		turns: []scripted.Turn{
			say(scripted.Chunk{Reasoning: "My secret"}, call("c1", "edit", `{"path":"the path"}`), call("c2", "fail", `{"path":"secret"}`)),
			scripted.Say("Done."),
		},
		steps: []string{send, finished},
		want: `
{"id":"part_1_0_1","state":"done","text":"[hidden]","type":"reasoning"}
{"input":{},"output":"[hidden]","state":"output-available","toolCallId":"c1","type":"tool-edit"}
{"data":{"icon":"pencil","label":"Edit file"},"id":"c1","type":"data-tool-presentation"}
{"errorText":"The call failed.","input":{},"state":"output-error","toolCallId":"c2","toolMetadata":{"errorCode":"TOOL_EXECUTION_FAILED"},"type":"tool-fail"}
{"state":"done","text":"Done.","type":"text"}`,
		requests: "POST 200 v1",
	},
	"sees no secret": {
		change: func(s *server.Server) {
			s.Redact = &redact.Policy{Secrets: func() []string { return []string{"s3cr3t-of-ada"} }}
		},
		turns: []scripted.Turn{
			say(scripted.Chunk{Text: "It is s3cr"}, scripted.Chunk{Text: "3t-of-ada."}, call("c1", "release", `{"path":"s3cr3t-of-ada"}`)),
			scripted.Say("Done."),
		},
		steps: []string{send, finished, `{"answer":true}`, `{"finished":2}`},
		want: `
{"state":"done","text":"It is [redacted].","type":"text"}
{"approval":{"approved":true},"input":{"path":"[redacted]"},"output":"released [redacted]","state":"output-available","toolCallId":"c1","type":"tool-release"}
{"state":"done","text":"Done.","type":"text"}`,
		requests: "POST 200 v1, POST 200 v1",
	},
}
