package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/aisdk"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// said is the body of a useChat that says something.
func said(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"trigger":"submit-message","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":%q}]}]}`, id, text)
}

// answered is the body of a useChat that answers an approval.
func answered(id, approvalID string, approved bool, hash string) string {
	return fmt.Sprintf(`{"id":%q,"message":{"id":"m1","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-release","toolCallId":"c1",
		"state":"approval-responded","approval":{"id":%q,"approved":%t,"descriptor":{"argumentsHash":%q}}}]}}`, id, approvalID, approved, hash)
}

// chunks are those of a stream that ended well.
func chunks(t *testing.T, body string) []aisdk.Chunk {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(body), "\n\n")
	if lines[len(lines)-1] != "data: [DONE]" {
		t.Fatalf("got %q at the end, want [DONE] in %s", lines[len(lines)-1], body)
	}
	var all []aisdk.Chunk
	for _, line := range lines[:len(lines)-1] {
		var c aisdk.Chunk
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, c)
	}
	return all
}

func (o opened) all(t *testing.T) string {
	t.Helper()
	text, err := io.ReadAll(o.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func types(all []aisdk.Chunk) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Type
	}
	return strings.Join(names, " ")
}

func TestAUIChatIsAnsweredWithAUIMessageStream(t *testing.T) {
	w := start(t, nil, scripted.Say("Hello."), scripted.Say("Hello again."))
	for _, path := range []string{"/agents/demo/ui-chat", "/ui-chat"} {
		response := w.open(t.Context(), "POST", path, said("t", "Hello"))
		if got := response.Header.Get(aisdk.HeaderName); response.StatusCode != http.StatusOK || got != aisdk.HeaderValue {
			t.Errorf("%s: got %d with %s %q", path, response.StatusCode, aisdk.HeaderName, got)
		}
		if got := types(chunks(t, response.all(t))); !strings.HasPrefix(got, "start start-step text-start") {
			t.Errorf("%s: got %s, want a text", path, got)
		}
	}
}

func TestWhatAUIChatCannotTake(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("done"))
	_, body := w.request("POST", "/agents/demo/ui-chat", said("t", "Release"))
	asked := approvalOf(t, chunks(t, body))
	for name, test := range map[string]struct {
		path, body string
		status     int
		want       string
	}{
		"an agent nobody has":            {"/agents/nobody/ui-chat", said("t2", "x"), 404, `no agent \"nobody\"`},
		"no id":                          {"/ui-chat", said(" ", "x"), 400, "id: must be the chat's id"},
		"no messages":                    {"/ui-chat", `{"id":"t2"}`, 400, "messages: is missing"},
		"an empty list":                  {"/ui-chat", `{"id":"t2","messages":[]}`, 400, "messages: must hold a message"},
		"messages and a message":         {"/ui-chat", `{"id":"t2","message":{"role":"user","parts":[{"type":"text","text":"x"}]},"messages":[]}`, 400, "exclude each other"},
		"a message of old":               {"/ui-chat", `{"id":"t2","messages":[{"role":"user","content":"x"}]}`, 400, "a role and a list of parts"},
		"a blank text":                   {"/ui-chat", said("t2", " "), 400, "must have text that is not blank"},
		"a file":                         {"/ui-chat", `{"id":"t2","messages":[{"role":"user","parts":[{"type":"file","url":"data:,"}]}]}`, 400, `part 0: an agent takes text, not \"file\"`},
		"a system message":               {"/ui-chat", `{"id":"t2","messages":[{"role":"system","parts":[]}]}`, 400, "role: must be user"},
		"the assistant's, unanswered":    {"/ui-chat", `{"id":"t2","messages":[{"role":"assistant","parts":[{"type":"text","text":"x"}]}]}`, 400, "no approval of it has an answer"},
		"an unknown trigger":             {"/ui-chat", `{"id":"t2","trigger":"shout","messages":[{"role":"user","parts":[{"type":"text","text":"x"}]}]}`, 400, "trigger: must be submit-message"},
		"an unknown member":              {"/ui-chat", `{"id":"t2","model":"x"}`, 400, `unknown member \"model\"`},
		"a message while the run waits":  {"/ui-chat", said("t", "And?"), 409, "RUN_PAUSED"},
		"an approval nobody asked for":   {"/ui-chat", answered("t", "apr_no", true, ""), 400, `the chat has no approval \"apr_no\"`},
		"an approval of another chat":    {"/ui-chat", answered("t2", asked.ApprovalID, true, ""), 400, "the chat has no approval"},
		"an answer for no arguments":     {"/ui-chat", answered("t", asked.ApprovalID, true, ""), 400, "with the argumentsHash of the arguments it was given for"},
		"an answer for other arguments":  {"/ui-chat", answered("t", asked.ApprovalID, true, "feed"), 409, "ARGUMENTS_CHANGED"},
		"a view the client may not have": {"/ui-chat?view=all", said("t2", "x"), 400, "view: must be"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := w.request("POST", test.path, test.body)
			if status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("got %d: %s, want %d with %s", status, body, test.status, test.want)
			}
		})
	}
	if n := w.ran.Load(); n != 0 {
		t.Errorf("the tool ran %d times, want never", n)
	}
}

func approvalOf(t *testing.T, all []aisdk.Chunk) *protocol.Approval {
	t.Helper()
	for _, c := range all {
		if c.Type == "tool-approval-request" && !c.IsAutomatic {
			return c.ApprovalDescriptor
		}
	}
	t.Fatalf("no approval is asked for in %s", types(all))
	return nil
}

func TestAnAnsweredApprovalGoesOnWhereTheClientStands(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("done"))
	_, body := w.request("POST", "/ui-chat", said("t", "Release"))
	asked := approvalOf(t, chunks(t, body))
	want := "start tool-approval-response message-metadata tool-output-available start-step text-start text-delta text-end finish-step finish"
	for _, which := range []string{"first", "sent again by a client that lost what came of it"} {
		status, body := w.request("POST", "/ui-chat", answered("t", asked.ApprovalID, true, asked.ArgumentsHash))
		all := chunks(t, body)
		if got := types(all); status != http.StatusOK || got != want {
			t.Errorf("%s: got %d: %s, want %s", which, status, got, want)
		}
		if all[0].MessageID != "m1" {
			t.Errorf("%s: got message %q, want the client's own", which, all[0].MessageID)
		}
	}
	if n := w.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times, want once", n)
	}
	if status, body := w.request("POST", "/ui-chat", answered("t", asked.ApprovalID, false, asked.ArgumentsHash)); status != http.StatusConflict || !strings.Contains(body, CodeDecided) {
		t.Errorf("the other answer: got %d: %s, want a conflict", status, body)
	}
}

func TestWhileAnswersAreMissingTheStreamAsksAgain(t *testing.T) {
	turn := scripted.Turn{Chunks: []scripted.Chunk{{ToolCalls: []model.ToolCall{
		{ID: "c1", Name: "release", Arguments: `{"target":"x"}`}, {ID: "c2", Name: "release", Arguments: `{"target":"y"}`},
	}}}}
	w := start(t, nil, turn, scripted.Say("done"))
	_, body := w.request("POST", "/ui-chat", said("t", "Release"))
	asked := approvalOf(t, chunks(t, body))
	_, body = w.request("POST", "/ui-chat", answered("t", asked.ApprovalID, true, asked.ArgumentsHash))
	all := chunks(t, body)
	if got, want := types(all), "start tool-approval-response tool-approval-request finish"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := approvalOf(t, all).ToolCallID; got != "c2" {
		t.Errorf("got a question about %s, want c2", got)
	}
}

// CASES C2, C18, D7: a client answers all calls in one request, and one of them was answered elsewhere meanwhile.
func TestAnAnswerStandsBesideOneThatComesTooLate(t *testing.T) {
	turn := scripted.Turn{Chunks: []scripted.Chunk{{ToolCalls: []model.ToolCall{
		{ID: "c1", Name: "release", Arguments: `{"target":"x"}`}, {ID: "c2", Name: "release", Arguments: `{"target":"y"}`},
	}}}}
	w := start(t, nil, turn, scripted.Say("done"))
	w.request("POST", "/ui-chat", said("t", "Release"))
	one, two := w.pending()[0], w.pending()[1]
	elsewhere := `{"approved":true,"argumentsHash":"` + one.ArgumentsHash + `"}`
	if status, body := w.request("POST", "/approvals/"+one.ApprovalID+"/decision", elsewhere); status != http.StatusOK {
		t.Fatalf("got %d: %s", status, body)
	}
	part := `{"type":"tool-release","state":"approval-responded","approval":{"id":%q,"approved":false,"descriptor":{"argumentsHash":%q}}}`
	both := fmt.Sprintf(`{"id":"t","message":{"id":"m1","role":"assistant","parts":[`+part+`,`+part+`]}}`,
		one.ApprovalID, one.ArgumentsHash, two.ApprovalID, two.ArgumentsHash)
	want := "start tool-approval-response tool-approval-response tool-output-denied message-metadata tool-output-available " +
		"start-step text-start text-delta text-end finish-step finish"
	for _, which := range []string{"first", "sent again by a client that lost what came of it"} {
		status, body := w.request("POST", "/ui-chat", both)
		if status != http.StatusOK {
			t.Fatalf("%s: got %d: %s", which, status, body)
		}
		all := chunks(t, body)
		if got := types(all); got != want {
			t.Errorf("%s: got %s, want %s", which, got, want)
		}
		if c := all[1]; c.ApprovalID != one.ApprovalID || !*c.Approved {
			t.Errorf("%s: got %+v, want the client told that the first was approved", which, c)
		}
	}
	if n := w.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times, want once", n)
	}
	status, body := w.request("POST", "/ui-chat", answered("t", one.ApprovalID, false, one.ArgumentsHash))
	if status != http.StatusConflict || !strings.Contains(body, "approved by user") {
		t.Errorf("the late answer alone: got %d: %s, want a conflict", status, body)
	}
}

// CASES C6: whom the arguments are shown to decides on those; who does not see them is told so, and decides without.
func TestWhoSeesNoArgumentsDecidesOnEveryRouteWithoutTheirHash(t *testing.T) {
	for _, route := range []string{"/ui-chat", "/approvals"} {
		t.Run(route, func(t *testing.T) {
			user := func(s *Server) {
				s.Redact, s.ViewOf = &redact.Policy{}, func(*http.Request) redact.View { return redact.User }
			}
			w := start(t, user, scripted.CallTool("c1", "release", `{"target":"x"}`), scripted.Say("done"))
			_, body := w.request("POST", "/ui-chat", said("t", "Release"))
			asked := approvalOf(t, chunks(t, body))
			if !asked.Hidden || asked.ArgumentsHash != "" || asked.ArgumentsText != "{}" {
				t.Errorf("got %+v, want its arguments marked as hidden", asked)
			}
			path, answer := "/ui-chat", answered("t", asked.ApprovalID, true, "")
			if route == "/approvals" {
				path, answer = "/approvals/"+asked.ApprovalID+"/decision", `{"approved":true}`
			}
			if status, body := w.request("POST", path, answer); status != http.StatusOK {
				t.Errorf("got %d: %s", status, body)
			}
			w.eventually("the call runs", func() bool { return w.ran.Load() == 1 })
		})
	}
}

func TestAUIChatIsResumed(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "hold", `{}`), scripted.Say("done"))
	for _, path := range []string{"/ui-chat/t/stream", "/agents/demo/ui-chat/t/stream"} {
		if status, body := w.request("GET", path, ""); status != http.StatusNoContent || body != "" {
			t.Errorf("%s of an idle chat: got %d: %s, want no content", path, status, body)
		}
	}
	if status, _ := w.request("GET", "/agents/nobody/ui-chat/t/stream", ""); status != http.StatusNotFound {
		t.Errorf("of an agent nobody has: got %d, want 404", status)
	}
	first := w.open(t.Context(), "POST", "/ui-chat", said("t", "Hold"))
	others := map[string]opened{}
	for _, path := range []string{"/ui-chat/t/stream", "/agents/demo/ui-chat/t/stream"} {
		others[path] = w.open(t.Context(), "GET", path, "")
	}
	close(w.release)
	one := first.all(t)
	for path, other := range others {
		if two := other.all(t); one != two || !strings.Contains(two, `"output":"let go"`) {
			t.Errorf("%s: got %s, want the whole message as the first client has it: %s", path, two, one)
		}
	}
}

func TestAUIChatsRunIsCancelledWhenItsClientLeaves(t *testing.T) {
	w := start(t, func(s *Server) { s.Grace = -1 }, scripted.CallTool("c1", "hold", `{}`), scripted.Say("done"))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	w.open(ctx, "POST", "/ui-chat", said("t", "Hold"))
	runs, err := w.runner.Log().Runs(t.Context(), agent.RunQuery{ThreadID: "t"})
	if err != nil || len(runs) != 1 {
		t.Fatalf("got %d runs, %v, want one", len(runs), err)
	}
	leave()
	w.eventually("the run is cancelled", func() bool { return w.statusOf(runs[0].ID) == protocol.StatusCancelled })
}

func TestTheMessagesOfAUIChatAreReadAgain(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "echo", `{"n":1}`), scripted.Say("Hello."), scripted.CallTool("c2", "release", `{"target":"x"}`))
	var none, all, seen struct {
		Messages []aisdk.Message
	}
	w.json("GET", "/ui-chat/t/messages", "", &none)
	if none.Messages == nil || len(none.Messages) != 0 {
		t.Errorf("got %v of a chat that nothing was said in, want an empty list", none.Messages)
	}
	w.request("POST", "/ui-chat", said("t", "Hello"))
	w.request("POST", "/threads/t/messages", `{"role":"assistant","content":"By the way."}`)
	w.request("POST", "/ui-chat", said("t", "Release"))
	w.json("GET", "/agents/demo/ui-chat/t/messages", "", &all)
	w.json("GET", "/ui-chat/t/messages?view=user", "", &seen)
	for name, messages := range map[string][]aisdk.Message{"operator": all.Messages, "user": seen.Messages} {
		var got []string
		for _, m := range messages {
			for _, p := range m.Parts {
				switch {
				case p.Text != nil:
					got = append(got, m.Role+": "+*p.Text)
				case p.ToolCallID != "":
					got = append(got, p.Type+" "+string(p.Input)+" "+string(p.Output))
				}
			}
		}
		call := map[string]string{"operator": `tool-echo {"n":1} {"n":1}`, "user": `tool-echo {} "[hidden]"`}[name]
		want := []string{"user: Hello", call, "assistant: Hello.", "assistant: By the way.", "user: Release"} // what waits is the stream's
		if !slices.Equal(got, want) {
			t.Errorf("the %s gets %q, want %q", name, got, want)
		}
	}
	if status, _ := w.request("GET", "/agents/nobody/ui-chat/t/messages", ""); status != http.StatusNotFound {
		t.Errorf("of an agent nobody has: got %d, want 404", status)
	}
}
