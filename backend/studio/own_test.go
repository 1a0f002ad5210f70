package studio

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
)

// makeAgent makes an agent of what is said of it.
func (b *bench) makeAgent(body string) agentSpec {
	b.Helper()
	return fetch[agentSpec](b, http.MethodPost, "/api/studio/agents", body, http.StatusCreated)
}

func (b *bench) agentNames() (names []string) {
	b.Helper()
	for _, a := range fetch[struct{ Agents []struct{ Name string } }](b, http.MethodGet, "/api/agents", "", http.StatusOK).Agents {
		names = append(names, a.Name)
	}
	return names
}

// threadOf makes a thread of an agent in a fresh folder, with a file in it.
func (b *bench) threadOf(name string) threadView {
	b.Helper()
	folder := b.TempDir()
	writeFile(b.T, "hello\n", folder, "a.txt")
	return b.newThread(asJSON(map[string]string{"agentName": name, "folder": folder}))
}

func TestAnAgentIsMadeChangedAndDeleted(t *testing.T) {
	dir := t.TempDir()
	b := openBench(t, Config{Dir: dir, Script: script(t, `read_file {"path":"a.txt"}`, `read_file {"path":"a.txt"}`, "Read.")})
	made := b.makeAgent(`{"name":"reader","description":"Reads","instructions":"Read.","tools":["read_file"],"maxTurns":2}`)
	if made.BuiltIn || made.MaxTurns != 2 || len(made.Missing) > 0 || made.Version != agent.SnapshotVersion {
		t.Errorf("made %+v", made)
	}
	if got, want := b.agentNames(), []string{"demo", "workspace", "reader"}; !slices.Equal(got, want) {
		t.Errorf("the agents are %v, want %v", got, want)
	}
	thread := b.threadOf("reader")
	if got := b.offered(thread.ID); !slices.Equal(got, []string{"read_file"}) {
		t.Errorf("it is offered %v", got)
	}
	log := b.settled(b.send(thread.ID, "reader", "Read it"))
	if end := log.last(); end.Type != "finish" || !strings.Contains(end.raw, `"iterationLimitReached":true`) {
		t.Errorf("the run ended with %s, want its limit of 2 turns", end.raw)
	}

	changed := strings.Replace(asJSON(made.ownAgent), `"maxTurns":2`, `"maxTurns":9`, 1)
	if got := fetch[agentSpec](b, http.MethodPut, "/api/studio/agents/reader", changed, http.StatusOK); got.MaxTurns != 9 {
		t.Errorf("changed to %+v", got)
	}
	b.call(http.MethodPut, "/api/studio/settings", `{"agentName":"reader"}`, http.StatusOK)
	b.call(http.MethodDelete, "/api/studio/agents/reader", "", http.StatusNoContent)
	if got := b.agentNames(); slices.Contains(got, "reader") {
		t.Errorf("a deleted agent is listed: %v", got)
	}
	if got := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Settings.AgentName; got != workspaceAgent {
		t.Errorf("new threads get %q", got)
	}
	t.Run("and its thread still opens, and takes another agent", func(t *testing.T) {
		if got := fetch[threadView](b, http.MethodGet, "/api/studio/threads/"+thread.ID, "", http.StatusOK).AgentName; got != "reader" {
			t.Errorf("the thread's agent is %q", got)
		}
		if got := b.offered(thread.ID); len(got) != 0 {
			t.Errorf("a deleted agent is offered %v", got)
		}
		answer := b.call(http.MethodPost, "/api/agents/reader/runs", `{"input":"go","threadId":"`+thread.ID+`"}`, http.StatusNotFound)
		if !strings.Contains(answer, `no agent \"reader\"`) {
			t.Errorf("a message to it is answered %s", answer)
		}
		b.call(http.MethodPatch, "/api/studio/threads/"+thread.ID, `{"agentName":"workspace"}`, http.StatusOK)
		if log := b.settled(b.send(thread.ID, "workspace", "Go on")); log.status != "completed" {
			t.Errorf("the next run is %s:\n%s", log.status, log)
		}
	})
}

func TestWhatIsNoAgentIsRefusedWithTheReason(t *testing.T) {
	b := openBench(t, Config{})
	b.makeAgent(`{"name":"first"}`)
	for body, want := range map[string]string{
		`{"name":""}`:         "name:",
		`{"name":" x"}`:       "space at its ends",
		`{"name":"a/b"}`:      "slash",
		`{"name":".."}`:       "slash or is",
		`{"name":"a\u200bb"}`: "invisible",
		`{"name":"` + strings.Repeat("n", 200) + `"}`:                        "characters at most",
		`{"name":"x","maxTurns":-1}`:                                         "maxTurns: must be between",
		`{"name":"x","temperature":3}`:                                       "temperature",
		`{"name":"x","timeoutMs":99999999999999}`:                            "timeoutMs",
		`{"name":"x","tools":["read_file","read_file"]}`:                     "comes twice",
		`{"name":"x","tools":[" "]}`:                                         "has no name",
		`{"name":"x","handoffs":["x"]}`:                                      "itself",
		`{"name":"x","agentTools":["demo"]}`:                                 "follows a script",
		`{"name":"x","approvals":{"read_file":"maybe"}}`:                     "always or never",
		`{"name":"x","backend":"nobody"}`:                                    "no provider",
		`{"name":"x","middleware":["guard"]}`:                                "middleware",
		`{"name":"x","maxTurn":3}`:                                           "maxTurn",
		`{"name":"x","tools":"all"}`:                                         "the agent does not fit: tools: must be a list, got a string",
		`{"name":"x","approvalTtlMs":"soon"}`:                                "the agent does not fit: approvalTtlMs: must be a whole number, got a string",
		`{"name":"x","maxTurns":1.5}`:                                        "the agent does not fit: maxTurns: must be a whole number, got 1.5",
		`{"name":5}`:                                                         "the agent does not fit: name: must be a string, got a number",
		`{"name":"x","instructions":"` + strings.Repeat("i", 200_001) + `"}`: "200 KB",
	} {
		if answer := b.call(http.MethodPost, "/api/studio/agents", body, http.StatusBadRequest); !strings.Contains(answer, want) {
			t.Errorf("%.80s: got %s, want %q in it", body, answer, want)
		}
	}
	for _, one := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{http.MethodPost, "", `{"name":"first"}`, http.StatusConflict, codeTaken},
		{http.MethodPost, "", `{"name":"demo"}`, http.StatusConflict, codeTaken},
		{http.MethodPut, "/demo", `{"name":"demo"}`, http.StatusForbidden, "built in"},
		{http.MethodPut, "/first", `{"name":"second"}`, http.StatusBadRequest, "keeps its name"},
		{http.MethodPut, "/nobody", `{"name":"nobody"}`, http.StatusNotFound, "nobody"},
		{http.MethodDelete, "/workspace", "", http.StatusForbidden, "cannot be deleted"},
		{http.MethodDelete, "/nobody", "", http.StatusNotFound, "nobody"},
		{http.MethodGet, "/nobody", "", http.StatusNotFound, "nobody"},
		{http.MethodGet, "/nobody/file", "", http.StatusNotFound, "nobody"},
	} {
		if answer := b.call(one.method, "/api/studio/agents"+one.path, one.body, one.status); !strings.Contains(answer, one.want) {
			t.Errorf("%s %s: got %s, want %q in it", one.method, one.path, answer, one.want)
		}
	}
}

func TestBuiltInAgentsAreCopied(t *testing.T) {
	b := openBench(t, Config{})
	for _, name := range []string{demoAgent, workspaceAgent} {
		spec := fetch[agentSpec](b, http.MethodGet, "/api/studio/agents/"+name, "", http.StatusOK)
		if !spec.BuiltIn {
			t.Errorf("%s is not built in", name)
		}
		copied := spec.ownAgent
		copied.Name = name + " copy"
		made := b.makeAgent(asJSON(copied))
		if diff := cmp.Diff(copied, made.ownAgent); diff != "" {
			t.Errorf("the copy of %s is (-want +got):\n%s", name, diff)
		}
		if got, want := b.offered(b.threadOf(copied.Name).ID), b.offered(b.threadOf(workspaceAgent).ID); spec.AllTools && !slices.Equal(got, want) {
			t.Errorf("the copy is offered %v, want %v", got, want)
		}
	}
}

func TestAnAgentSaysWhichCallsWait(t *testing.T) {
	b := openBench(t, Config{Script: script(t, `read_file {"path":"a.txt"}`, "Read.", `run_command {"command":"echo ran"}`, "Ran.")})
	b.makeAgent(`{"name":"wary","allTools":true,"approvals":{"read_file":"always","run_command":"never"}}`)
	thread := b.threadOf("wary")
	log := b.settled(b.send(thread.ID, "wary", "Read it"))
	b.decideAll(log, true)
	b.until("the read is done", func() bool { return b.settled(b.lastRun(thread.ID)).status == "completed" })
	if log := b.settled(b.send(thread.ID, "wary", "Run it")); log.status != "completed" || !strings.Contains(log.String(), "ran") {
		t.Errorf("the command is %s:\n%s", log.status, log)
	}
}

func (b *bench) lastRun(threadID string) string {
	b.Helper()
	ids, _ := b.runsOf(threadID)
	return ids[len(ids)-1]
}

func TestCallsOfAnAgentAreCutAtItsLimit(t *testing.T) {
	b := openBench(t, Config{Script: script(t, `run_command {"command":"sleep 60"}`, "Done.")})
	b.makeAgent(`{"name":"hasty","tools":["run_command"],"approvals":{"run_command":"never"},"toolTimeoutMs":50}`)
	thread := b.threadOf("hasty")
	log := b.settled(b.send(thread.ID, "hasty", "Wait"))
	if results := log.of("tool-result"); len(results) != 1 || results[0].ErrorCode != "TOOL_TIMEOUT" {
		t.Errorf("got %s", log)
	}
}

func TestAnAgentGoesOnWithoutWhatIsMissingAndNamesIt(t *testing.T) {
	b := openBench(t, Config{Script: script(t, "Hi.")})
	made := b.makeAgent(`{"name":"far","tools":["read_file","browser_open","elsewhere_search"],"handoffs":["workspace","gone"]}`)
	want := []string{
		"the tool browser_open: the tool set browser is switched off in Settings",
		"the tool elsewhere_search: no tool set and no MCP server that answers has it",
		"the agent gone: it was deleted",
	}
	if diff := cmp.Diff(want, made.Missing); diff != "" {
		t.Errorf("missing is (-want +got):\n%s", diff)
	}
	thread := b.threadOf("far")
	if got, want := b.offered(thread.ID), []string{"read_file", "transfer_to_workspace"}; !slices.Equal(got, want) {
		t.Errorf("it is offered %v, want %v", got, want)
	}
	if log := b.settled(b.send(thread.ID, "far", "Hello")); log.status != "completed" {
		t.Errorf("the run is %s", log.status)
	}
	b.call(http.MethodPut, "/api/studio/settings", `{"toolsets":{"browser":true}}`, http.StatusOK)
	if got := b.offered(thread.ID); !slices.Contains(got, "browser_open") {
		t.Errorf("with the browser on it is offered %v", got)
	}
}

func TestAgentsHandOverAndAskEachOther(t *testing.T) {
	b := openBench(t, Config{Script: script(t, `transfer_to_second {}`, "Second speaks.")})
	b.makeAgent(`{"name":"second","tools":["read_file"]}`)
	b.makeAgent(`{"name":"first","handoffs":["second"],"agentTools":["second"]}`)
	// They may know each other in a circle.
	b.call(http.MethodPut, "/api/studio/agents/second", `{"tools":["read_file"],"handoffs":["first"],"agentTools":["first"]}`, http.StatusOK)
	thread := b.threadOf("first")
	if got, want := b.offered(thread.ID), []string{"ask_second", "transfer_to_second"}; !slices.Equal(got, want) {
		t.Errorf("first is offered %v, want %v", got, want)
	}
	log := b.settled(b.send(thread.ID, "first", "Go"))
	if log.status != "completed" || !strings.Contains(log.String(), `"agentName":"second"`) {
		t.Errorf("the run is %s:\n%s", log.status, log)
	}
}

func TestAThreadOfADeletedAgentGoesOnToItsEnd(t *testing.T) {
	dir := t.TempDir()
	c := Config{Dir: dir, Script: script(t, `write_file {"path":"b.txt","content":"x"}`, "Done.")}
	b := openBench(t, c)
	b.makeAgent(`{"name":"brief","tools":["write_file"],"approvals":{"write_file":"always"}}`)
	thread := b.threadOf("brief")
	log := b.settled(b.send(thread.ID, "brief", "Write"))
	b.call(http.MethodDelete, "/api/studio/agents/brief", "", http.StatusNoContent)
	b.decideAll(log, true)
	runID := b.lastRun(thread.ID)
	b.until("its run has ended", func() bool { return b.settled(runID).status != "paused" })
	log = b.settled(runID)
	if results := log.of("tool-result"); len(results) != 1 || results[0].ErrorCode != "TOOL_NOT_FOUND" {
		t.Errorf("a tool of a deleted agent gave %s", log)
	}
	if last := log.last(); !strings.Contains(last.Message, "The agent brief of this thread was deleted") {
		t.Errorf("the run ended with %s", last.raw)
	}
}

func TestRunFindsTheAgentsThatWereMade(t *testing.T) {
	b := openBench(t, Config{Script: script(t, "Hi.")})
	b.makeAgent(`{"name":"Helper one","tools":[]}`)
	outcome, err := b.studio.Run(t.Context(), RunInput{Agent: "Helper one", Text: "Hello"})
	if err != nil || outcome.Output != "Hi." {
		t.Errorf("got %+v, %v", outcome, err)
	}
	_, err = b.studio.Run(t.Context(), RunInput{Agent: "nobody", Text: "Hello"})
	if err == nil || !strings.Contains(err.Error(), "there are demo, workspace, Helper one") {
		t.Errorf("got %v", err)
	}
}

func TestAnAgentSpeaksWithItsOwnModelUnlessTheThreadHasOne(t *testing.T) {
	b := openBench(t, Config{})
	for _, id := range []string{"p1", "p2"} {
		b.call(http.MethodPut, "/api/studio/providers/"+id, `{"baseUrl":"http://127.0.0.1:1/`+id+`","model":"of-`+id+`"}`, http.StatusOK)
	}
	b.makeAgent(`{"name":"own","backend":"p2","model":"special"}`)
	b.makeAgent(`{"name":"plain"}`)
	for name, want := range map[string]string{"own": "special", "plain": "of-p1"} {
		thread := b.threadOf(name)
		if a, err := b.studio.resolve(t.Context(), name, thread.ID); err != nil || a.Model != want {
			t.Errorf("%s speaks with %v (%v), want %s", name, a, err, want)
		}
		b.call(http.MethodPatch, "/api/studio/threads/"+thread.ID, `{"providerId":"p1","model":"chosen"}`, http.StatusOK)
		if a, err := b.studio.resolve(t.Context(), name, thread.ID); err != nil || a.Model != "chosen" {
			t.Errorf("%s speaks with %v (%v), want the thread's choice", name, a, err)
		}
	}
}

func TestAnAgentWithoutFileToolsNeedsNoFolder(t *testing.T) {
	b := openBench(t, Config{Script: script(t, "Hi.")})
	b.makeAgent(`{"name":"talker","tools":["remember"]}`)
	b.makeAgent(`{"name":"worker","tools":["read_file"]}`)
	for name, want := range map[string]string{"talker": "completed", "worker": "failed"} {
		thread := b.newThread(asJSON(map[string]string{"agentName": name}))
		if log := b.settled(b.send(thread.ID, name, "Hello")); log.status != want {
			t.Errorf("%s in no folder: the run is %s, want %s", name, log.status, want)
		}
	}
}

func TestAnAgentComesBackFromItsFile(t *testing.T) {
	b := openBench(t, Config{})
	b.call(http.MethodPut, "/api/studio/providers/p1", `{"name":"Local","baseUrl":"http://127.0.0.1:1/v1","model":"m","key":"sk-very-secret"}`, http.StatusOK)
	made := b.makeAgent(`{"name":"Whole one","description":"d","instructions":"Be <brief> & kind.","backend":"p1","model":"special",
		"tools":["read_file","run_command"],"handoffs":["workspace"],"agentTools":["workspace"],"approvals":{"run_command":"never","read_file":"always"},
		"parallel":true,"maxTurns":3,"maxRepeats":-1,"maxResultLength":-1,"contextTokens":9000,"timeoutMs":1000,"toolTimeoutMs":500,
		"approvalTtlMs":60000,"temperature":0.5,"maxTokens":100,"maxRetries":-1}`)
	file := b.call(http.MethodGet, "/api/studio/agents/Whole%20one/file", "", http.StatusOK)
	if strings.Contains(file, "sk-very-secret") || strings.Contains(file, "p1\"") {
		t.Errorf("the file holds a key or an id: %s", file)
	}
	if _, err := agent.ReadSnapshot(decode[struct{ Agent json.RawMessage }](b, file).Agent); err != nil {
		t.Errorf("its snapshot is none of the library's: %v", err)
	}
	b.call(http.MethodDelete, "/api/studio/agents/Whole%20one", "", http.StatusNoContent)
	body := func(more string) string {
		return asJSON(map[string]string{"text": file})[:1] + more + asJSON(map[string]string{"text": file})[1:]
	}
	preview := fetch[importPreview](b, http.MethodPost, "/api/studio/agents/preview", body(""), http.StatusOK)
	if preview.Taken || len(preview.Missing) > 0 || preview.Model != "special of Local" {
		t.Errorf("the preview is %+v", preview)
	}
	back := fetch[agentSpec](b, http.MethodPost, "/api/studio/agents/import", body(""), http.StatusCreated)
	if diff := cmp.Diff(asJSON(made), asJSON(back)); diff != "" {
		t.Errorf("it came back as (-want +got):\n%s", diff)
	}
	t.Run("and a name that is taken is given anew, or replaced", func(t *testing.T) {
		preview := fetch[importPreview](b, http.MethodPost, "/api/studio/agents/preview", body(""), http.StatusOK)
		if !preview.Taken || preview.Free != "Whole one 2" {
			t.Errorf("the preview is %+v", preview)
		}
		if answer := b.call(http.MethodPost, "/api/studio/agents/import", body(""), http.StatusConflict); !strings.Contains(answer, codeTaken) {
			t.Errorf("got %s", answer)
		}
		b.call(http.MethodPost, "/api/studio/agents/import", body(`"name":"Whole one 2",`), http.StatusCreated)
		b.call(http.MethodPost, "/api/studio/agents/import", body(`"replace":true,`), http.StatusCreated)
		b.call(http.MethodPost, "/api/studio/agents/import", body(`"replace":true,"name":"demo",`), http.StatusForbidden)
		if got, want := b.agentNames()[2:], []string{"Whole one", "Whole one 2"}; !slices.Equal(got, want) {
			t.Errorf("the agents are %v, want %v", got, want)
		}
	})
	t.Run("and elsewhere it says what is missing", func(t *testing.T) {
		other := openBench(t, Config{})
		preview := fetch[importPreview](other, http.MethodPost, "/api/studio/agents/preview", body(""), http.StatusOK)
		want := []string{"the model's server Local (http://127.0.0.1:1/v1): connect it in Settings, and choose it in the agent"}
		if diff := cmp.Diff(want, preview.Missing); diff != "" || preview.Model != "the model of the thread" {
			t.Errorf("missing is (-want +got):\n%s", diff)
		}
		if got := fetch[agentSpec](other, http.MethodPost, "/api/studio/agents/import", body(""), http.StatusCreated); got.Backend != "" || got.Model != "" {
			t.Errorf("it speaks with %q of %q", got.Model, got.Backend)
		}
	})
}

func TestWhatIsNoAgentsFileSaysWhy(t *testing.T) {
	b := openBench(t, Config{})
	for text, want := range map[string]string{
		``:            "not JSON",
		`{"events":[`: "not JSON",
		`[]`:          "not JSON",
		`{"type":"callboard-thread","version":1}` + "\n": "a thread's file",
		`{"type":"callboard-thread","version":9}` + "\n": "a thread's file",
		`{}`:                            "version 0",
		`{"format":"callboard-thread"}`: `its format is \"callboard-thread\"`,
		`{"format":"callboard-agent","version":2,"agent":{}}`:                                               "newer Callboard",
		`{"format":"callboard-agent","version":1,"agent":{"version":1,"name":"x","backend":""},"run":"rm"}`: `\"run\"`,
		`{"format":"callboard-agent","version":1,"agent":{"version":1,"name":"","backend":""}}`:             "name:",
		`{"version":1,"name":"x","backend":"","maxTurns":-4}`:                                               "maxTurns",
	} {
		answer := b.call(http.MethodPost, "/api/studio/agents/preview", asJSON(map[string]string{"text": text}), http.StatusBadRequest)
		if !strings.Contains(answer, want) {
			t.Errorf("%s: got %s, want %s in it", text, answer, want)
		}
	}
	if got := b.agentNames(); len(got) != 2 {
		t.Errorf("the agents are %v", got)
	}
}

func TestASnapshotOfAGoProgramIsImported(t *testing.T) {
	b := openBench(t, Config{})
	text := `{"version":1,"name":"theirs","backend":"script","model":"m","tools":["read_file","forecast"],"middleware":["guard"],"maxTurns":4}`
	preview := fetch[importPreview](b, http.MethodPost, "/api/studio/agents/preview", asJSON(map[string]string{"text": text}), http.StatusOK)
	for i, want := range []string{"middleware", `server "script"`, "tool forecast"} {
		if i >= len(preview.Missing) || !strings.Contains(preview.Missing[i], want) {
			t.Errorf("missing is %q, want %s in number %d", preview.Missing, want, i+1)
		}
	}
	got := fetch[agentSpec](b, http.MethodPost, "/api/studio/agents/import", asJSON(map[string]string{"text": text}), http.StatusCreated)
	if got.MaxTurns != 4 || got.Model != "" || len(got.Middleware) > 0 {
		t.Errorf("it came as %+v", got)
	}
}

func TestAgentsAreThereAfterARestart(t *testing.T) {
	dir := t.TempDir()
	first := openBench(t, Config{Dir: dir})
	made := first.makeAgent(`{"name":"stays","tools":["read_file"]}`)
	if err := first.studio.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	second := openBench(t, Config{Dir: dir})
	if diff := cmp.Diff(asJSON(made), asJSON(fetch[agentSpec](second, http.MethodGet, "/api/studio/agents/stays", "", http.StatusOK))); diff != "" {
		t.Errorf("after the restart it is (-want +got):\n%s", diff)
	}
}
