package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

func TestRunAnswersWithItsOutcome(t *testing.T) {
	two, one := int64(2), int64(1)
	last := scripted.Say("It is done.")
	last.Chunks = append(last.Chunks, scripted.Chunk{Usage: &model.Usage{InputTokens: &two, OutputTokens: &one}})
	w := start(t, nil, scripted.CallTool("c1", "echo", `{"n": 1}`), last)
	var got runAnswer
	w.json("POST", "/agents/demo/run", `{"input":"go","threadId":"t 1/2","context":{"userId":"u","channelId":null}}`, &got)
	if got.Status != protocol.StatusCompleted || got.Output != "It is done." || got.ThreadID != "t 1/2" || got.RunID == "" {
		t.Errorf("got %+v", got)
	}
	if len(got.ToolCalls) != 1 || got.ToolCalls[0].ArgumentsText != `{"n": 1}` || string(got.ToolCalls[0].Arguments) != `{"n":1}` {
		t.Errorf("tool calls: got %+v", got.ToolCalls)
	}
	if got.Usage.InputTokens == nil || *got.Usage.InputTokens != 2 || got.Usage.ReasoningTokens != nil {
		t.Errorf("usage: got %+v", got.Usage)
	}

	t.Run("and the thread draws the same rows", func(t *testing.T) {
		w := &world{t: t, url: w.url, client: w.client}
		var thread threadAnswer
		w.json("GET", "/threads/t%201%2F2", "", &thread)
		var roles []string
		for _, m := range thread.Messages {
			roles = append(roles, string(m.Role))
		}
		if got, want := fmt.Sprint(roles), "[user assistant tool assistant]"; got != want {
			t.Fatalf("roles: got %s, want %s", got, want)
		}
		call, result := thread.Messages[1], thread.Messages[2]
		if len(call.ToolCalls) != 1 || call.ToolCalls[0].Name != "echo" || call.ToolCalls[0].ArgumentsText != `{"n": 1}` {
			t.Errorf("calls: got %+v", call.ToolCalls)
		}
		if len(result.ToolResults) != 1 || result.ToolResults[0].ToolCallID != call.ToolCalls[0].ID || string(result.ToolResults[0].Result) != `{"n":1}` {
			t.Errorf("results: got %+v", result.ToolResults)
		}
		if thread.CreatedAt == 0 || thread.UpdatedAt < thread.CreatedAt || thread.AgentName != "demo" {
			t.Errorf("got %+v", thread)
		}
		var runs struct{ Runs []runRow }
		w.json("GET", "/threads/t%201%2F2/runs", "", &runs)
		if len(runs.Runs) != 1 || runs.Runs[0].RunID != got.RunID || runs.Runs[0].Calls != 1 || runs.Runs[0].Status != protocol.StatusCompleted {
			t.Errorf("runs: got %+v", runs.Runs)
		}
	})
}

func TestAFailedRunAnswersWithTheStatusOfItsCode(t *testing.T) {
	for code, want := range map[string]int{
		model.CodeUnavailable: 503, model.CodeRateLimited: 429, model.CodeTimeout: 504, model.CodeInvalidResponse: 502,
		model.CodeContextLength: 400, model.CodeContentFiltered: 400, CodeInternal: 500,
	} {
		t.Run(code, func(t *testing.T) {
			w := start(t, nil, fails("it is <ill>", code))
			status, text := w.request("POST", "/agents/demo/run", `{"input":"x"}`)
			var answer errorAnswer
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				t.Fatal(err)
			}
			if status != want || answer.Error.Code != code || answer.RunID == "" || answer.ThreadID == "" {
				t.Errorf("got %d %s, want %d", status, text, want)
			}
			told := strings.Contains(text, "it is <ill>")
			if code == CodeInternal && (told || !strings.Contains(w.logged.String(), "it is <ill>")) {
				t.Errorf("an internal error is for the log alone: got %s", text)
			}
			if code != CodeInternal && !told {
				t.Errorf("the reason is missing: %s", text)
			}
		})
	}
}

func TestAThreadHasOneRunAtATime(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "hold", `{}`), scripted.CallTool("c2", "release", `{"target":"x"}`), scripted.Say("a"), scripted.Say("b"))
	run := w.begin("go")
	again := func(extra string) (int, string) {
		return w.request("POST", "/agents/demo/run", fmt.Sprintf(`{"input":"again","threadId":%q%s}`, run.ThreadID, extra))
	}
	want := func(what string, status int, text, code string) {
		t.Helper()
		if status != 409 || !strings.Contains(text, `"`+code+`"`) {
			t.Errorf("%s: got %d %s, want 409 %s", what, status, text, code)
		}
	}
	w.eventually("the call runs", func() bool { return strings.Contains(fmt.Sprint(w.logOf(run.RunID)), `"running"`) })
	status, text := again("")
	want("a message while it runs", status, text, CodeThreadBusy)
	status, text = w.request("DELETE", "/threads/"+run.ThreadID, "")
	want("deleting it while it runs", status, text, CodeThreadBusy)
	status, text = w.request("POST", "/threads/"+run.ThreadID+"/messages", `{"role":"user","content":"x"}`)
	want("adding to it while it runs", status, text, CodeThreadBusy)
	status, text = w.request("POST", "/agents/demo/resume", fmt.Sprintf(`{"threadId":%q}`, run.ThreadID))
	want("resuming it while it runs", status, text, CodeRunNotPaused)

	close(w.release)
	w.eventually("the run waits", func() bool { return w.statusOf(run.RunID) == protocol.StatusPaused })
	status, text = again("")
	want("a message while it waits", status, text, CodeRunPaused)
	status, text = w.request("POST", "/threads/"+run.ThreadID+"/messages", `{"role":"user","content":"x"}`)
	want("adding to it while it waits", status, text, CodeRunPaused)
	if status, text = again(`,"pending":"deny"`); status != 200 || !strings.Contains(text, `"output":"a"`) {
		t.Errorf("denying what waits: got %d %s", status, text)
	}
	if w.ran.Load() != 0 {
		t.Errorf("a denied call ran")
	}
	if got := w.statusOf(run.RunID); got != protocol.StatusCancelled {
		t.Errorf("the run that waited is %s", got)
	}
	status, text = w.request("POST", "/runs/"+run.RunID+"/cancel", "")
	want("cancelling what has ended", status, text, CodeRunEnded)
}

func TestThreadsAreListedRenamedAndDeleted(t *testing.T) {
	w := start(t, nil, scripted.Say("one"), scripted.Say("two"))
	for _, id := range []string{"a", "b"} {
		w.json("POST", "/agents/demo/run", fmt.Sprintf(`{"input":"Hello %s","threadId":%q}`, id, id), &struct{}{})
	}
	list := func(query string) string {
		var answer struct{ Threads []agent.ThreadSummary }
		w.json("GET", "/threads"+query, "", &answer)
		var ids []string
		for _, s := range answer.Threads {
			ids = append(ids, s.ID+"="+s.Title)
		}
		return fmt.Sprint(ids)
	}
	w.json("PATCH", "/threads/a", `{"title":" Release notes "}`, &struct{}{})
	if got, want := list("?query=NOTES"), "[a=Release notes]"; got != want {
		t.Errorf("searched: got %s, want %s", got, want)
	}
	if got := list(""); !strings.Contains(got, "a=Release notes") || !strings.Contains(got, "b=Hello b") {
		t.Errorf("all: got %s", got)
	}
	if got, want := list("?before=1"), "[]"; got != want {
		t.Errorf("before: got %s, want %s", got, want)
	}
	if status, text := w.request("DELETE", "/threads/a", ""); status != 204 || text != "" {
		t.Errorf("delete: got %d %q", status, text)
	}
	if got, want := list(""), "[b=Hello b]"; got != want {
		t.Errorf("after the delete: got %s, want %s", got, want)
	}

	if status, text := w.request("POST", "/threads/new/messages", `{"role":"assistant","content":"Welcome","metadata":{"from":"us"}}`); status != 201 {
		t.Fatalf("add a message: got %d %s", status, text)
	}
	var thread threadAnswer
	w.json("GET", "/threads/new", "", &thread)
	if len(thread.Messages) != 1 || thread.Messages[0].Content != "Welcome" || string(thread.Messages[0].Metadata) != `{"from":"us"}` {
		t.Errorf("the thread: got %+v", thread)
	}
}

func TestChatTakesTheThreadsAgent(t *testing.T) {
	w := start(t, nil, scripted.Say("one"), scripted.Say("two"))
	w.json("POST", "/agents/other/run", `{"input":"x","threadId":"t"}`, &struct{}{})
	for thread, want := range map[string]string{"t": "other", "new": "demo"} {
		events := w.stream("POST", "/chat", fmt.Sprintf(`{"threadId":%q,"messages":[{"role":"user","content":"x"}],"metadata":{}}`, thread))
		if !strings.Contains(events[0].data, fmt.Sprintf(`"agentName":%q`, want)) {
			t.Errorf("thread %s: got %s, want %s", thread, events[0].data, want)
		}
	}
}

func TestAgentsAndToolsAreListed(t *testing.T) {
	w := start(t, nil)
	_, agents := w.request("GET", "/agents", "")
	if strings.Contains(agents, "secret") || strings.Contains(strings.ToLower(agents), "instructions") {
		t.Errorf("the agents' instructions are told: %s", agents)
	}
	want := `{"agents":[{"name":"demo","description":"Shows","tools":["echo","release","hold"]},{"name":"other","description":"Shows too","tools":["echo"]}]}`
	if got := strings.TrimSpace(agents); got != want {
		t.Errorf("agents: got %s, want %s", got, want)
	}
	var tools struct {
		Tools []struct {
			Name        string
			Parameters  struct{ Type string }
			SideEffects []string
		}
	}
	w.json("GET", "/tools", "", &tools)
	if got, want := fmt.Sprint(tools.Tools), "[{echo {object} []} {release {object} [external]} {hold {object} []}]"; got != want {
		t.Errorf("tools: got %s, want %s", got, want)
	}
	var health struct {
		Status            string
		Uptime, Timestamp int64
	}
	w.json("GET", "/health", "", &health)
	if health.Status != "ok" || health.Timestamp == 0 {
		t.Errorf("health: got %+v", health)
	}
	w.json("GET", "/ready", "", &health)
}

func TestEventsAsJSONAreOneALineWithTheirNumberFirst(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "release", `{"target":"<1.0>"}`), scripted.Say("done"))
	run := w.paused()
	log := w.logOf(run.RunID)
	for _, after := range []int{0, 1, len(log) - 1, len(log)} {
		t.Run(fmt.Sprintf("after %d", after), func(t *testing.T) {
			w := &world{t: t, url: w.url, client: w.client}
			status, got := w.request("GET", fmt.Sprintf("/runs/%s/events?after=%d", run.RunID, after), "", "Accept", "application/json")
			var lines []string
			for _, e := range log[after:] {
				lines = append(lines, fmt.Sprintf(`{"seq":%d,%s`, e.seq, e.data[1:]))
			}
			want := fmt.Sprintf("{\"events\":[\n%s\n],\"last\":%d,\"status\":\"paused\"}\n", strings.Join(lines, ",\n"), len(log))
			want = strings.Replace(want, "[\n\n]", "[\n]", 1)
			if status != 200 || got != want {
				t.Errorf("got %d\n%s\nwant\n%s", status, got, want)
			}
			if !json.Valid([]byte(got)) {
				t.Error("it is no JSON")
			}
		})
	}
	status, text := w.request("GET", fmt.Sprintf("/runs/%s/events?after=%d", run.RunID, len(log)+1), "", "Accept", "application/json")
	if status != 400 || !strings.Contains(text, fmt.Sprint(len(log))) {
		t.Errorf("after a number the run does not have: got %d %s", status, text)
	}
}

func TestRequestsAreShownWhole(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "echo", `{"n":1}`), scripted.Say("done"))
	run := w.begin("go")
	w.eventually("the run ends", func() bool { return w.statusOf(run.RunID).Ended() })
	var answer struct{ Requests []requestAnswer }
	w.json("GET", "/runs/"+run.RunID+"/requests", "", &answer)
	if len(answer.Requests) != 2 {
		t.Fatalf("got %d requests", len(answer.Requests))
	}
	for i, r := range answer.Requests {
		if r.Turn != i+1 || r.Try != 0 || r.AgentName != "demo" || r.At == 0 || !json.Valid([]byte(r.Sent)) {
			t.Errorf("request %d: got %+v", i, r)
		}
	}
	if first, second := answer.Requests[0].Sent, answer.Requests[1].Sent; len(second) <= len(first) || !strings.Contains(second, "c1") {
		t.Errorf("the second request does not hold what was said since: %s", second)
	}

	all := answer.Requests
	for query, want := range map[string][]requestAnswer{
		"turn=2": all[1:], "turn=1&try=0": all[:1], "try=0": all, "try=1": {}, "turn=3": {}, "turn=0": {}, "turn=": all,
	} {
		w.json("GET", "/runs/"+run.RunID+"/requests?"+query, "", &answer)
		if diff := cmp.Diff(want, answer.Requests); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	for _, query := range []string{"turn=x", "try=-1"} {
		if status, text := w.request("GET", "/runs/"+run.RunID+"/requests?"+query, ""); status != 400 || !strings.Contains(text, CodeInvalidInput) {
			t.Errorf("%s: got %d %s", query, status, text)
		}
	}
}

func TestPiecesAreCutOnCharacters(t *testing.T) {
	text := "aé🙂z"
	for cut := range len(text) + 1 {
		for next := cut; next <= len(text); next++ {
			received := []agent.Received{{Bytes: []byte(text[:cut])}, {Bytes: []byte(text[cut:next])}, {Bytes: []byte(text[next:])}}
			joined := ""
			for _, p := range pieces(received) {
				if strings.ContainsRune(p.Text, '\uFFFD') {
					t.Errorf("cut at %d and %d: %q", cut, next, p.Text)
				}
				joined += p.Text
			}
			if joined != text {
				t.Errorf("cut at %d and %d: got %q", cut, next, joined)
			}
		}
	}
	if got := pieces([]agent.Received{{Bytes: []byte("a\xf0")}}); got[0].Text != "a\xf0" {
		t.Errorf("bytes that never become a character are kept: got %q", got[0].Text)
	}
}

// blobStore has one large payload.
type blobStore struct{ agent.Memory }

func (*blobStore) Blob(_ context.Context, hash string) ([]byte, string, error) {
	if hash == "panic" {
		panic("the store has a bug")
	}
	return []byte("<svg onload=alert(1)>"), "image/svg+xml", nil
}

func TestABlobRunsNothing(t *testing.T) {
	w := start(t, func(s *Server) { s.Runner.Store = &blobStore{} })
	response := w.open(t.Context(), "GET", "/blobs/abc", "")
	body, _ := io.ReadAll(response.Body)
	if string(body) != "<svg onload=alert(1)>" || response.Header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("got %s as %s", body, response.Header.Get("Content-Type"))
	}
	if policy := response.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "sandbox") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy: got %q", policy)
	}
	if got := response.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("nosniff: got %q", got)
	}
}

func TestAPanicIsLoggedAndTheServerLives(t *testing.T) {
	w := start(t, func(s *Server) { s.Runner.Store = &blobStore{} })
	status, text := w.request("GET", "/blobs/panic", "")
	if status != 500 || !strings.Contains(text, CodeInternal) || strings.Contains(text, "bug") {
		t.Errorf("got %d %s", status, text)
	}
	if !strings.Contains(w.logged.String(), "the store has a bug") {
		t.Errorf("not logged: %s", w.logged)
	}
	if status, _ := w.request("GET", "/health", ""); status != 200 {
		t.Errorf("health: got %d", status)
	}
}

func TestAServerOfAgentsAloneServes(t *testing.T) {
	s := &Server{Agents: []*agent.Agent{{Name: "demo", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("hi")}}}}}
	mux := http.NewServeMux()
	mux.Handle("/deep/down/", http.StripPrefix("/deep/down", s.Handler()))
	out := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/deep/down/agents/demo/run", strings.NewReader(`{"input":"x"}`))
	r.Header.Set("Content-Type", "application/json")
	mux.ServeHTTP(out, r)
	if out.Code != 200 || !strings.Contains(out.Body.String(), `"output":"hi"`) {
		t.Errorf("got %d %s", out.Code, out.Body)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Errorf("close: %v", err)
	}
	out = httptest.NewRecorder()
	r = httptest.NewRequestWithContext(t.Context(), "POST", "/deep/down/agents/demo/run", strings.NewReader(`{"input":"x"}`))
	r.Header.Set("Content-Type", "application/json")
	mux.ServeHTTP(out, r)
	if out.Code != 503 {
		t.Errorf("after Close: got %d %s", out.Code, out.Body)
	}
}
