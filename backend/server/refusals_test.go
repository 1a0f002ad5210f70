package server

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
)

func TestBadRequestsAreRefused(t *testing.T) {
	w := start(t, func(s *Server) { s.MaxBody = 500; s.ContextKeys = []string{"tenant"} }, scripted.Say("hi"))
	const run, chat, resume = "/agents/demo/run", "/agents/demo/chat", "/agents/demo/resume"
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		code, says               string
	}{
		{"no such route", "GET", "/nothing", "", 404, CodeNotFound, "/nothing"},
		{"a path that is not clean", "GET", "/threads/../agents", "", 404, CodeNotFound, "no route"},
		{"a path with a slash at its end", "GET", "/agents/", "", 404, CodeNotFound, "no route"},
		{"another method", "GET", run, "", 405, CodeMethodNotAllowed, "POST"},
		{"no such agent", "POST", "/agents/nobody/run", `{"input":"x"}`, 404, CodeNotFound, `"nobody"`},
		{"no such agent, in a stream", "POST", "/agents/nobody/stream", `{"input":"x"}`, 404, CodeNotFound, `"nobody"`},

		{"no body", "POST", run, " ", 400, CodeInvalidInput, "not JSON"},
		{"no JSON", "POST", run, `{"input":`, 400, CodeInvalidInput, "not JSON"},
		{"a list", "POST", run, `[]`, 400, CodeInvalidInput, "must be a JSON object"},
		{"data after the object", "POST", run, `{"input":"x"}{"input":"y"}`, 400, CodeInvalidInput, "not JSON"},
		{"bytes that are no UTF-8", "POST", run, "{\"input\":\"\xff\"}", 400, CodeInvalidInput, "UTF-8"},
		{"an unknown member", "POST", run, `{"input":"x","stream":true}`, 400, CodeInvalidInput, `unknown member "stream"`},
		{"a member in other letters", "POST", run, `{"Input":"x"}`, 400, CodeInvalidInput, `unknown member "Input"`},
		{"a member twice", "POST", run, `{"input":"x","input":"y"}`, 400, CodeInvalidInput, `"input" comes twice`},
		{"no input", "POST", run, `{}`, 400, CodeInvalidInput, "input:"},
		{"a null input", "POST", run, `{"input":null}`, 400, CodeInvalidInput, "input:"},
		{"a blank input", "POST", run, `{"input":" \n"}`, 400, CodeInvalidInput, "input:"},
		{"an input that is no string", "POST", run, `{"input":5}`, 400, CodeInvalidInput, "input: must be a string"},
		{"a blank thread", "POST", run, `{"input":"x","threadId":" "}`, 400, CodeInvalidInput, "threadId:"},
		{"a thread that is no string", "POST", run, `{"input":"x","threadId":7}`, 400, CodeInvalidInput, "threadId:"},
		{"a context that is no object", "POST", run, `{"input":"x","context":"u"}`, 400, CodeInvalidInput, "context:"},
		{"an unknown context key", "POST", run, `{"input":"x","context":{"admin":true}}`, 400, CodeInvalidInput, `"admin"`},
		{"a user id that is no string", "POST", run, `{"input":"x","context":{"userId":1}}`, 400, CodeInvalidInput, "userId: must be a string"},
		{"another word for what waits", "POST", run, `{"input":"x","pending":"approve"}`, 400, CodeInvalidInput, "pending:"},
		{"a body too large", "POST", run, `{"input":"` + strings.Repeat("x", 600) + `"}`, 413, CodePayloadTooLarge, "500"},

		{"a chat without messages", "POST", chat, `{}`, 400, CodeInvalidInput, "messages:"},
		{"messages that are no list", "POST", chat, `{"messages":{}}`, 400, CodeInvalidInput, "messages:"},
		{"no message of the user", "POST", chat, `{"messages":[{"role":"assistant","content":"x"}]}`, 400, CodeInvalidInput, "messages:"},
		{"a blank last message of the user", "POST", chat, `{"messages":[{"role":"user","content":"x"},{"role":"user","content":" "}]}`, 400, CodeInvalidInput, "messages:"},
		{"an unknown role", "POST", chat, `{"messages":[{"role":"boss","content":"x"}]}`, 400, CodeInvalidInput, "role:"},
		{"content that is no string", "POST", chat, `{"messages":[{"role":"user","content":[]}]}`, 400, CodeInvalidInput, "content:"},
		{"a message without content", "POST", chat, `{"messages":[{"role":"user"}]}`, 400, CodeInvalidInput, "content:"},

		{"resume without a thread", "POST", resume, `{}`, 400, CodeInvalidInput, "threadId:"},
		{"resume of an unknown thread", "POST", resume, `{"threadId":"nope"}`, 404, CodeNotFound, `"nope"`},
		{"resume without approved", "POST", resume, `{"threadId":"t","decisions":{"c1":{}}}`, 400, CodeInvalidInput, `"c1": approved:`},
		{"a call decided twice", "POST", resume, `{"threadId":"t","decisions":{"c1":{"approved":true},"c1":{"approved":false}}}`, 400, CodeInvalidInput, "twice"},
		{"arguments for all calls", "POST", resume, `{"threadId":"t","defaultDecision":{"approved":true,"argumentsText":"{}"}}`, 400, CodeInvalidInput, "argumentsText:"},

		{"no such thread", "GET", "/threads/nope", "", 404, CodeNotFound, `"nope"`},
		{"no such thread, for its runs", "GET", "/threads/nope/runs", "", 404, CodeNotFound, `"nope"`},
		{"no such thread to rename", "PATCH", "/threads/nope", `{"title":"x"}`, 404, CodeNotFound, `"nope"`},
		{"a title that is no string", "PATCH", "/threads/nope", `{"title":1}`, 400, CodeInvalidInput, "title:"},
		{"no title", "PATCH", "/threads/nope", `{}`, 400, CodeInvalidInput, "title:"},
		{"a title too long", "PATCH", "/threads/nope", `{"title":"` + strings.Repeat("ä", maxTitle+1) + `"}`, 400, CodeInvalidInput, "title:"},
		{"no such thread to delete", "DELETE", "/threads/nope", "", 404, CodeNotFound, `"nope"`},
		{"before that is no number", "GET", "/threads?before=x", "", 400, CodeInvalidInput, "before:"},
		{"a message of the system", "POST", "/threads/t/messages", `{"role":"system","content":"x"}`, 400, CodeInvalidInput, "role:"},
		{"a result of no call", "POST", "/threads/t/messages", `{"role":"tool","content":"x"}`, 400, CodeInvalidInput, "toolResults:"},
		{"a result a user gives", "POST", "/threads/t/messages", `{"role":"user","content":"x","toolResults":[{"toolCallId":"c1"}]}`, 400, CodeInvalidInput, "toolResults:"},
		{"two results", "POST", "/threads/t/messages", `{"role":"tool","toolResults":[{"toolCallId":"c1"},{"toolCallId":"c2"}]}`, 400, CodeInvalidInput, "one result"},
		{"a call without a name", "POST", "/threads/t/messages", `{"role":"assistant","toolCalls":[{"id":"c1"}]}`, 400, CodeInvalidInput, "toolCalls: each call"},
		{"a call of a user", "POST", "/threads/t/messages", `{"role":"user","content":"x","toolCalls":[{"id":"c1","name":"echo"}]}`, 400, CodeInvalidInput, "toolCalls: only"},
		{"an image nobody has", "POST", "/threads/t/messages", `{"role":"tool","toolResults":[{"toolCallId":"c1"}],"images":[{"hash":"ab"}]}`, 400, CodeInvalidInput, "images: there is no"},
		{"a result from a user", "POST", "/threads/t/messages?view=user", `{"role":"tool","toolResults":[{"toolCallId":"c1"}]}`, 403, CodeForbidden, "operator"},
		{"a blank message", "POST", "/threads/t/messages", `{"role":"user","content":""}`, 400, CodeInvalidInput, "content:"},

		{"no such run", "GET", "/runs/nope/events", "", 404, CodeNotFound, `"nope"`},
		{"no such run, for its requests", "GET", "/runs/nope/requests", "", 404, CodeNotFound, `"nope"`},
		{"no such run to cancel", "POST", "/runs/nope/cancel", "", 404, CodeNotFound, `"nope"`},
		{"no such run with a call to cancel", "POST", "/runs/nope/calls/c1/cancel", "", 404, CodeNotFound, `"nope"`},
		{"no such approval", "POST", "/approvals/nope/decision", `{"approved":true,"argumentsHash":"x"}`, 404, CodeNotFound, `"nope"`},
		{"a decision without a hash", "POST", "/approvals/nope/decision", `{"approved":true}`, 400, CodeInvalidInput, "argumentsHash:"},
		{"a decision without approved", "POST", "/approvals/nope/decision", `{"argumentsHash":"x"}`, 400, CodeInvalidInput, "approved:"},
		{"approved that is no flag", "POST", "/approvals/nope/decision", `{"approved":"true","argumentsHash":"x"}`, 400, CodeInvalidInput, "approved:"},
		{"no such blob", "GET", "/blobs/nope", "", 404, CodeNotFound, `"nope"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, text := w.request(c.method, c.path, c.body)
			var answer errorAnswer
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				t.Fatalf("status %d: %v in %s", status, err, text)
			}
			if status != c.status || answer.Error.Code != c.code || !strings.Contains(answer.Error.Message, c.says) {
				t.Errorf("got %d %+v, want %d %s with %q", status, answer.Error, c.status, c.code, c.says)
			}
		})
	}
	t.Run("nothing of it was kept or started", func(t *testing.T) {
		runs, err := w.runner.Log().Runs(t.Context(), agent.RunQuery{})
		if err != nil || len(runs) != 0 {
			t.Errorf("got %d runs, %v", len(runs), err)
		}
	})
}

func TestOnlyJSONIsRead(t *testing.T) {
	w := start(t, nil, scripted.Say("hi"))
	for contentType, want := range map[string]int{
		"application/json":                  200,
		"application/json; charset=UTF-8":   200,
		"application/vnd.callboard+json":    200,
		"application/json; charset=latin1":  415,
		"application/x-www-form-urlencoded": 415,
		"text/plain":                        415,
		"text/json":                         415,
		"":                                  415,
		"nonsense/":                         415,
	} {
		t.Run(contentType, func(t *testing.T) {
			w := &world{t: t, url: w.url, client: w.client}
			status, text := w.request("POST", "/agents/demo/run", `{"input":"x","threadId":"`+contentType+`."}`, "Content-Type", contentType)
			if status != want {
				t.Errorf("got %d %s, want %d", status, text, want)
			}
			if want == 415 && !strings.Contains(text, CodeUnsupportedMediaType) {
				t.Errorf("got %s", text)
			}
		})
	}
}
