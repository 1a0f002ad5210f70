package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/server"
	"callboard/backend/tool"
)

const attachToken = "sesame-attach"

// serveAgent serves an agent of that name to those who have the token.
func serveAgent(t *testing.T, name string) *httptest.Server {
	t.Helper()
	there := &server.Server{Version: "9.9", Agents: []*agent.Agent{{
		Name: name, Description: "Is elsewhere", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("From there."), scripted.Say("Again.")}},
	}}}
	web := httptest.NewServer(server.Guard{Token: attachToken}.Wrap(there.Handler()))
	t.Cleanup(func() {
		if err := there.Close(context.Background()); err != nil {
			t.Error(err)
		}
		web.Close()
	})
	return web
}

// completed waits until the one run of a thread has completed.
func completed(b *bench, threadID string) {
	b.Helper()
	b.until("the run of thread "+threadID+" to complete", func() bool {
		answer := fetch[struct{ Runs []struct{ Status string } }](b, http.MethodGet, "/api/threads/"+threadID+"/runs", "", http.StatusOK)
		return len(answer.Runs) == 1 && answer.Runs[0].Status == "completed"
	})
}

func TestAServerIsAttachedRunAndForgotten(t *testing.T) {
	dir := t.TempDir()
	web := serveAgent(t, "demo") // as one of ours is called
	b := openBench(t, Config{Dir: dir})
	test := func(body string) attachedTest {
		b.call(http.MethodPut, "/api/studio/attached/there", body, http.StatusOK)
		return fetch[attachedTest](b, http.MethodPost, "/api/studio/attached/there/test", "", http.StatusOK)
	}
	if got := test(asJSON(map[string]string{"url": web.URL})); got.OK || !strings.Contains(got.Error, "does not take the token") {
		t.Fatalf("without a token: got %+v", got)
	}
	if got := test(asJSON(map[string]string{"url": strings.TrimPrefix(web.URL, "http://")})); got.Server.URL != web.URL || !strings.Contains(got.Error, "take the token; give the one") {
		t.Fatalf("without a scheme: got %+v", got)
	}
	got := test(asJSON(map[string]string{"url": web.URL + "/?token=" + attachToken, "keepToken": "file"}))
	if !got.OK || got.Server.Version != "9.9" || got.Server.URL != web.URL || !got.Server.HasToken || got.Server.TokenKept != keptInFile {
		t.Fatalf("got %+v", got)
	}
	var names []string
	for _, a := range fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Agents {
		names = append(names, a.Name)
	}
	if text := strings.Join(names, " "); text != "demo workspace demo@there" {
		t.Fatalf("the agents are %s", text)
	}
	thread := b.newThread(`{"agentName":"demo@there"}`)
	if thread.Folder != "" || thread.Sample {
		t.Errorf("a thread that is elsewhere works in %q", thread.Folder)
	}
	start := func(want int) string {
		return b.call(http.MethodPost, "/api/agents/demo@there/runs", asJSON(map[string]string{"input": "Go.", "threadId": thread.ID}), want)
	}
	runID := decode[struct{ RunID string }](b, start(http.StatusAccepted)).RunID
	completed(b, thread.ID)
	requests := "/api/runs/" + runID + "/requests"
	type sent struct{ AgentName, Sent string }
	if got := fetch[struct{ Requests []sent }](b, http.MethodGet, requests, "", http.StatusOK).Requests; len(got) != 1 || got[0].AgentName != "demo@there" || !strings.Contains(got[0].Sent, "Go.") {
		t.Errorf("its model was sent %+v", got)
	}
	if !strings.HasSuffix(runID, "@there") {
		t.Errorf("the run is called %s", runID)
	}
	if text := b.call(http.MethodPost, "/api/agents/demo/runs", asJSON(map[string]string{"input": "Go.", "threadId": thread.ID}), http.StatusBadRequest); !strings.Contains(text, "begin a new thread") {
		t.Errorf("another agent in the thread: got %s", text)
	}
	if text := b.call(http.MethodGet, "/api/studio/threads/"+thread.ID+"/next", "", http.StatusBadRequest); !strings.Contains(text, "made by there") {
		t.Errorf("the next request: got %s", text)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "callboard.db")); err != nil || bytes.Contains(content, []byte(attachToken)) {
		t.Errorf("the token is in the database, or that cannot be read: %v", err)
	}
	web.Close()
	if text := start(http.StatusBadGateway); !strings.Contains(text, "does not answer") {
		t.Errorf("once it is gone: got %s", text)
	}
	messages := fetch[struct{ Messages []json.RawMessage }](b, http.MethodGet, "/api/threads/"+thread.ID, "", http.StatusOK).Messages
	if len(messages) != 2 {
		t.Errorf("the thread has %d messages", len(messages))
	}
	if text := b.call(http.MethodGet, requests, "", http.StatusBadGateway); !strings.Contains(text, "does not answer") {
		t.Errorf("what its model was sent: got %s", text)
	}
	b.call(http.MethodDelete, "/api/studio/attached/there", "", http.StatusNoContent)
	if text := b.call(http.MethodGet, requests, "", http.StatusNotFound); !strings.Contains(text, "not attached any more") {
		t.Errorf("what its model was sent, once it is detached: got %s", text)
	}
	if text := start(http.StatusNotFound); !strings.Contains(text, "demo@there") {
		t.Errorf("once it is detached: got %s", text)
	}
	completed(b, thread.ID)
}

func TestAServerOfTheCommandLineIsKept(t *testing.T) {
	web := serveAgent(t, "weather")
	dir := t.TempDir()
	a, err := ReadAttachment(web.URL+"/?token="+attachToken, "another")
	if err != nil || a.Token != attachToken || a.URL != web.URL {
		t.Fatalf("got %+v, %v", a, err)
	}
	for range 2 { // the second time it is there already
		s, err := Open(t.Context(), Config{Dir: dir, LocalServers: []LocalServer{}, Attach: []Attachment{a}})
		if err != nil {
			t.Fatal(err)
		}
		if views := s.viewAttached(); len(views) != 1 || views[0].Name != strings.TrimPrefix(web.URL, "http://") || !views[0].HasToken {
			t.Errorf("got %+v", views)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ReadAttachment("ftp://there", ""); err == nil {
		t.Error("an address that is none is taken")
	}
}

func TestAStudioIsAttachedByTheAddressItPrints(t *testing.T) {
	there := openBench(t, Config{Assets: fstest.MapFS{"index.html": {Data: []byte("<title>Callboard</title>")}}})
	printed := there.url + "/?token=secret"
	put := func(b *bench) {
		b.call(http.MethodPut, "/api/studio/attached/there", asJSON(map[string]string{"url": printed}), http.StatusOK)
	}
	for name, attach := range map[string]func(*testing.T) *bench{
		"on the command line": func(t *testing.T) *bench {
			a, err := ReadAttachment(printed, "")
			if err != nil {
				t.Fatal(err)
			}
			return openBench(t, Config{Attach: []Attachment{a}})
		},
		"in the form, saved": func(t *testing.T) *bench {
			b := openBench(t, Config{})
			put(b)
			return b
		},
		"in the form, saved and tested": func(t *testing.T) *bench {
			b := openBench(t, Config{})
			put(b)
			if got := fetch[attachedTest](b, http.MethodPost, "/api/studio/attached/there/test", "", http.StatusOK); !got.OK || got.Server.URL != there.url+"/api" {
				t.Errorf("the test says %+v", got)
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := attach(t)
			var views []attachedView
			b.until("the server to be asked", func() bool {
				views = fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Attached
				return len(views) == 1 && views[0].State != attachedAsking
			})
			if got := views[0]; got.State != attachedReady || got.URL != there.url+"/api" || !got.HasToken || len(got.Agents) == 0 {
				t.Errorf("got %+v, want it ready at /api", got)
			}
			stored, err := b.studio.storedAttachments(t.Context())
			if err != nil || len(stored) != 1 || stored[0].URL != there.url+"/api" {
				t.Errorf("kept is %+v, %v", stored, err)
			}
		})
	}
}

func TestAnAttachedStudioDoesNotListTheAgentsItIsAttachedTo(t *testing.T) {
	b := openBench(t, Config{Assets: fstest.MapFS{"index.html": {Data: []byte("<title>Callboard</title>")}}})
	own := len(fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Agents)
	for range 2 {
		b.attachAs("self", b.url+"/?token=secret")
		if got := len(fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Agents); got != 2*own {
			t.Errorf("a studio attached to itself has %d agents, want its own %d twice", got, own)
		}
	}
	if tools := b.call(http.MethodGet, "/api/tools?agent=demo@self", "", http.StatusOK); !strings.Contains(tools, `"edit_file"`) {
		t.Errorf("the tools of the agent elsewhere are %s", tools)
	}
	if list := b.call(http.MethodGet, "/api/agents", "", http.StatusOK); strings.Contains(list, "@self") {
		t.Errorf("agents of another server are listed: %s", list)
	}
}

func TestARunOfAnAttachedAgentNeedsNoThreadMadeBefore(t *testing.T) {
	b := openBench(t, Config{})
	b.attachAs("there", serveTools(t, true, &agent.Memory{}).URL)
	for _, body := range []string{`{"input":"Go."}`, `{"input":"Go.","threadId":"thr_of_my_own"}`} {
		started := fetch[struct{ RunID, ThreadID string }](b, http.MethodPost, "/api/agents/mover@there/runs", body, http.StatusAccepted)
		b.settled(started.RunID)
		for range 2 {
			thread := fetch[threadView](b, http.MethodGet, "/api/studio/threads/"+started.ThreadID, "", http.StatusOK)
			if thread.AgentName != "mover@there" {
				t.Errorf("the thread is with %s", thread.AgentName)
			}
			again := fetch[struct{ RunID string }](b, http.MethodPost, "/api/agents/mover@there/runs",
				asJSON(map[string]string{"input": "Go on.", "threadId": started.ThreadID}), http.StatusAccepted)
			b.settled(again.RunID)
		}
	}
}

// serveTools serves an agent with a tool that runs at once and one that waits, which clients may call alone if open.
func serveTools(t *testing.T, open bool, store agent.Store) *httptest.Server {
	t.Helper()
	type city struct {
		City string `json:"city"`
	}
	tools := []*tool.Tool{
		tool.Must(tool.Config[city, string]{
			Name: "look_up", Description: "Looks a city up", Category: "places",
			Run: func(_ tool.Context, in city) (string, error) { return "found " + in.City, nil },
		}),
		tool.Must(tool.Config[city, string]{
			Name: "move", Description: "Moves a city", Approval: tool.Always, SideEffects: []tool.SideEffect{tool.External},
			Run: func(_ tool.Context, in city) (string, error) { return "moved " + in.City, nil },
		}),
	}
	there := &server.Server{
		Agents: []*agent.Agent{{Name: "mover", Description: "Moves", Backend: &scripted.Backend{}, Tools: tools}}, ToolRuns: open,
		Runner: &agent.Runner{Store: store},
	}
	web := httptest.NewServer(there.Handler())
	t.Cleanup(func() {
		ctx := context.Background()
		if err := errors.Join(there.Close(ctx), there.Runner.Close(ctx)); err != nil {
			t.Error(err)
		}
		web.CloseClientConnections()
		web.Close()
	})
	return web
}

// attachAs attaches a server under a name, and asks it what it has.
func (b *bench) attachAs(name, url string) {
	b.Helper()
	b.call(http.MethodPut, "/api/studio/attached/"+name, asJSON(map[string]string{"url": url}), http.StatusOK)
	if got := fetch[attachedTest](b, http.MethodPost, "/api/studio/attached/"+name+"/test", "", http.StatusOK); !got.OK {
		b.Fatalf("the server is attached as %+v", got)
	}
}

func TestTheToolsOfAnAttachedServerAreTriedWhereItAllowsThat(t *testing.T) {
	b := openBench(t, Config{})
	b.attachAs("open", serveTools(t, true, &agent.Memory{}).URL)
	b.attachAs("shut", serveTools(t, false, &agent.Memory{}).URL)
	shut := toolsByName(b.listed("attached/shut"))["look_up"]
	if shut.Callable || shut.Category != "places" {
		t.Errorf("a tool clients may not call is listed as %+v", shut)
	}
	if got := b.call(http.MethodPost, "/api/studio/tools/try", tryBody("attached/shut", "look_up", `{"city":"Oslo"}`), http.StatusBadRequest); !strings.Contains(got, "does not let clients") {
		t.Errorf("it was tried: %s", got)
	}
	listed := toolsByName(b.listed("attached/open"))["move"]
	if !listed.Callable || listed.Approval != tool.ApprovalAlways || len(listed.SideEffects) != 1 || listed.Tried {
		t.Errorf("a tool clients may call is listed as %+v", listed)
	}
	if got := b.call(http.MethodPost, "/api/studio/tools/try", tryBody("attached/open", "move", `{"city":7}`), http.StatusBadRequest); !strings.Contains(got, "/city") {
		t.Errorf("arguments that do not fit: got %s", got)
	}

	text := `{ "city" : "Oslo" }`
	run := b.try("attached/open", "look_up", text)
	log := b.settled(run.RunID)
	if got := log.of("tool-call-delta")[0].ArgsTextDelta; got != text || !strings.Contains(log.String(), "found Oslo") || !strings.HasSuffix(run.RunID, "@open") {
		t.Errorf("run %s called it with %q, and its log is\n%s", run.RunID, got, log)
	}
	for _, name := range []string{"by-hand", "by-hand:look_up@open"} { // what the thread says, and what the run says
		b.settled(b.send(run.ThreadID, name, `{"city":"Lima"}`))
	}
	if _, inputs := b.runsOf(run.ThreadID); len(inputs) != 3 {
		t.Errorf("the thread has the tries %q, want three", inputs)
	}
	thread := fetch[threadView](b, http.MethodGet, "/api/studio/threads/"+run.ThreadID, "", http.StatusOK)
	if thread.Title != "Tried by hand: look_up (open)" || thread.AgentName != byHand || thread.Tried == nil {
		t.Errorf("the thread is %+v", thread)
	}

	waiting := b.try("attached/open", "move", `{"city":"Oslo"}`)
	b.decideAll(b.settled(waiting.RunID), true)
	b.until("the approved call to run", func() bool {
		log := b.settled(waiting.RunID)
		return strings.Contains(log.String(), "moved Oslo") && log.status == "completed"
	})
	b.call(http.MethodDelete, "/api/studio/attached/open", "", http.StatusNoContent)
	if got := b.call(http.MethodPost, "/api/agents/by-hand/runs", asJSON(map[string]string{"threadId": run.ThreadID, "input": "{}"}), http.StatusNotFound); !strings.Contains(got, "not attached any more") {
		t.Errorf("once it is detached: got %s", got)
	}
}

func TestAToolIsTriedAgainOnAServerThatForgotItsTries(t *testing.T) {
	b := openBench(t, Config{})
	b.attachAs("there", serveTools(t, true, &agent.Memory{}).URL)
	first := b.try("attached/there", "look_up", `{"city":"Oslo"}`)
	b.settled(first.RunID)
	b.attachAs("there", serveTools(t, true, &agent.Memory{}).URL)
	again := b.try("attached/there", "look_up", `{"city":"Lima"}`)
	if log := b.settled(again.RunID); again.ThreadID != first.ThreadID || !strings.Contains(log.String(), "found Lima") {
		t.Errorf("in thread %s the log is\n%s\nwant another try in %s", again.ThreadID, log, first.ThreadID)
	}
}

func TestAClientOfTheStudioCallsItsToolsAlone(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, "one\n", folder, "a.txt")
	there := openBench(t, Config{Folder: folder})
	here := openBench(t, Config{})
	here.attachAs("studio", there.url+"/api?token=secret")
	run := here.try("attached/studio", "read_file", `{"path":"a.txt"}`)
	if log := here.settled(run.RunID); !strings.Contains(log.String(), "one") || log.status != "completed" {
		t.Errorf("the log is\n%s\nwant the file", log)
	}
	if tries := toolsByName(there.listed("workspace"))["read_file"]; tries.Tried {
		t.Error("the tries of two studios share a thread")
	}
	thread := there.newThread(`{"agentName":"workspace"}`)
	body := asJSON(map[string]any{"arguments": map[string]string{"path": "a.txt"}, "threadId": thread.ID})
	if got := there.call(http.MethodPost, "/api/tools/read_file/runs", body, http.StatusBadRequest); !strings.Contains(got, "not tried by hand") {
		t.Errorf("in the thread of an agent: got %s", got)
	}
	if got := there.call(http.MethodPost, "/api/studio/agents", `{"name":"by-hand:read_file"}`, http.StatusBadRequest); !strings.Contains(got, "by hand") {
		t.Errorf("an agent of such a name: got %s", got)
	}
}

func TestARunWhoseStartAnAttachedServerCouldNotAnswerIsThereAfterARestart(t *testing.T) {
	var cut atomic.Bool // the connection, from the start's answer on
	there := &server.Server{Agents: []*agent.Agent{{Name: "far", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("From there.")}}}}}
	handler := there.Handler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cut.Load() {
			if r.Method == http.MethodPost {
				handler.ServeHTTP(httptest.NewRecorder(), r)
			}
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		if err := there.Close(context.Background()); err != nil {
			t.Error(err)
		}
		web.CloseClientConnections()
		web.Close()
	})
	config := Config{Dir: t.TempDir()}
	config.LocalServers = []LocalServer{}
	s, err := open(t.Context(), config, quick)
	if err != nil {
		t.Fatal(err)
	}
	window := httptest.NewServer(s.Handler())
	b := &bench{T: t, studio: s, url: window.URL, client: window.Client()}
	b.attachAs("there", web.URL)
	thread := b.newThread(`{"agentName":"far@there"}`)
	cut.Store(true)
	if got := b.call(http.MethodPost, "/api/agents/far@there/runs", asJSON(map[string]string{"input": "Go.", "threadId": thread.ID}), http.StatusBadGateway); !strings.Contains(got, "its run appears in the thread") {
		t.Errorf("the answer is %s", got)
	}
	window.Close()
	if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	cut.Store(false)
	b = openBench(t, config)
	completed(b, thread.ID)
	b.until("the start is forgotten", func() bool {
		left, err := (*unanswered)(b.studio).All(t.Context())
		return err == nil && len(left) == 0
	})
}
