package studio

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/mcp"
	"callboard/backend/tool"
)

type started struct{ RunID, ThreadID string }

// try tries a tool and returns the run.
func (b *bench) try(source, name, argumentsText string) started {
	b.Helper()
	return fetch[started](b, http.MethodPost, "/api/studio/tools/try", tryBody(source, name, argumentsText), http.StatusAccepted)
}

func tryBody(source, name, argumentsText string) string {
	return asJSON(map[string]string{"source": source, "name": name, "argumentsText": argumentsText})
}

// listed is a source as the list has it.
func (b *bench) listed(source string) toolSourceView {
	b.Helper()
	for _, one := range fetch[struct{ Sources []toolSourceView }](b, http.MethodGet, "/api/studio/tools", "", http.StatusOK).Sources {
		if one.ID == source {
			return one
		}
	}
	b.Fatalf("there is no source %s", source)
	return toolSourceView{}
}

func toolsByName(source toolSourceView) map[string]toolView {
	byName := map[string]toolView{}
	for _, one := range source.Tools {
		byName[one.Name] = one
	}
	return byName
}

func TestTheToolsOfEverySourceAreListed(t *testing.T) {
	b := openBench(t, Config{})
	var ids []string
	for _, one := range fetch[struct{ Sources []toolSourceView }](b, http.MethodGet, "/api/studio/tools", "", http.StatusOK).Sources {
		ids = append(ids, one.ID)
		for _, each := range one.Tools {
			if each.Description == "" || len(each.Parameters) == 0 || !each.Callable || each.Tried || each.Fault != "" {
				t.Errorf("%s of %s is listed as %+v, want it whole", each.Name, one.ID, each)
			}
		}
	}
	if d := cmp.Diff([]string{"workspace", "demo", "toolset/memory", "toolset/scheduler", "toolset/browser"}, ids); d != "" {
		t.Errorf("the sources (-want +got):\n%s", d)
	}
	files := toolsByName(b.listed("workspace"))
	for name, want := range map[string]tool.ApprovalMode{"read_file": tool.ApprovalNever, "run_command": tool.ApprovalAlways} {
		if got := files[name].Approval; got != want {
			t.Errorf("the approval of %s is %q, want %q", name, got, want)
		}
	}
	if got := files["edit_file"].SideEffects; len(got) != 1 || got[0] != tool.Filesystem {
		t.Errorf("the side effects of edit_file are %v", got)
	}
	if files["read_file"].ThreadID == toolsByName(b.listed("demo"))["read_file"].ThreadID {
		t.Error("two tools of one name share the thread of their tries")
	}
	if b.listed("toolset/memory").Off || !b.listed("toolset/browser").Off {
		t.Error("what is switched off is not told")
	}
}

func TestATryIsARunLikeAnyOther(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, "one\ntwo\n", folder, "a.txt")
	b := openBench(t, Config{Folder: folder})
	text := "{ \"path\" : \"a.txt\",\n  \"limit\":1.0 }"
	run := b.try("workspace", "read_file", text)
	log := b.settled(run.RunID)
	if got := log.String(); !strings.Contains(got, `one`) || len(log.of("tool-result")) != 1 || len(log.of("text-start")) != 0 {
		t.Errorf("the log is\n%s\nwant one call, its result, and no word more", got)
	}
	if got := log.of("tool-call-delta")[0].ArgsTextDelta; got != text {
		t.Errorf("the arguments are %q, want them byte for byte %q", got, text)
	}
	if one := toolsByName(b.listed("workspace"))["read_file"]; run.ThreadID != one.ThreadID || !one.Tried {
		t.Errorf("the thread is %s, want the one of %+v", run.ThreadID, one)
	}
	b.settled(b.try("workspace", "read_file", `{"path":"b.txt"}`).RunID)
	if _, inputs := b.runsOf(run.ThreadID); !cmp.Equal(inputs, []string{text, `{"path":"b.txt"}`}) {
		t.Errorf("the tries are %q, want both", inputs)
	}
	thread := fetch[threadView](b, http.MethodGet, "/api/studio/threads/"+run.ThreadID, "", http.StatusOK)
	want := threadView{
		ID: run.ThreadID, Title: "Tried by hand: read_file (Workspace)", AgentName: byHand, Folder: folder, Tried: &tried{"workspace", "read_file"},
	}
	if d := cmp.Diff(want, thread); d != "" {
		t.Errorf("the thread (-want +got):\n%s", d)
	}
	if found := b.call(http.MethodGet, "/api/threads?query=tried+by+hand", "", http.StatusOK); !strings.Contains(found, run.ThreadID) {
		t.Errorf("the search for it gave %s", found)
	}
	b.call(http.MethodPatch, "/api/studio/threads/"+run.ThreadID, `{"agentName":"workspace"}`, http.StatusBadRequest)
	b.call(http.MethodDelete, "/api/threads/"+run.ThreadID, "", http.StatusNoContent)
	b.settled(b.try("workspace", "read_file", text).RunID)
	if _, inputs := b.runsOf(run.ThreadID); len(inputs) != 1 {
		t.Errorf("after the thread was deleted it has the tries %q, want the new one", inputs)
	}
}

func TestATryThatCannotBeIsRefused(t *testing.T) {
	b := openBench(t, Config{})
	for name, c := range map[string]struct {
		body    string
		status  int
		message string
	}{
		"a source nobody knows":      {tryBody("mars", "read_file", "{}"), 404, "no source"},
		"a tool nobody knows":        {tryBody("workspace", "fly", "{}"), 404, "no tool"},
		"a value of another type":    {tryBody("demo", "read_file", `{"path":7}`), 400, "/path"},
		"a value that is missing":    {tryBody("demo", "read_file", ``), 400, "missing property 'path'"},
		"arguments that are no JSON": {tryBody("demo", "read_file", `{"path":1e}`), 400, "not valid JSON"},
		"a member twice":             {tryBody("demo", "read_file", `{"path":"a","path":"b"}`), 400, "path"},
		"no folder":                  {tryBody("workspace", "read_file", `{"path":"a"}`), 400, "folder"},
		"a folder that is gone":      {asJSON(map[string]string{"source": "workspace", "name": "read_file", "argumentsText": `{"path":"a"}`, "folder": "/no/such"}), 400, "/no/such"},
		"no object":                  {`[]`, 400, "does not fit"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := b.call(http.MethodPost, "/api/studio/tools/try", c.body, c.status); !strings.Contains(got, c.message) {
				t.Errorf("the answer is %s, want %q", got, c.message)
			}
		})
	}
	if got := b.call(http.MethodPost, "/api/agents/by-hand/runs", `{"threadId":"thr_x","input":"{}"}`, http.StatusNotFound); !strings.Contains(got, "no tool is tried") {
		t.Errorf("a message into another thread gave %s", got)
	}
	if got := b.call(http.MethodPost, "/api/studio/agents", `{"name":"by-hand"}`, http.StatusBadRequest); !strings.Contains(got, "by hand") {
		t.Errorf("an agent of that name gave %s", got)
	}
	b.call(http.MethodPost, "/api/agents/by-hand/runs", `{"threadId":"thr_x","input":" "}`, http.StatusBadRequest)
}

func TestAMessageInAThreadOfTriesIsTheArguments(t *testing.T) {
	b := openBench(t, Config{})
	run := b.try("demo", "read_file", `{"path":"config.json"}`)
	b.settled(run.RunID)
	send := func(text string) string {
		body := asJSON(map[string]string{"threadId": run.ThreadID, "input": text})
		return b.settled(fetch[started](b, http.MethodPost, "/api/agents/by-hand/runs", body, http.StatusAccepted).RunID).String()
	}
	for text, want := range map[string]string{
		`{"path":"README.md"}`: `"state":"running"`,
		`{"path":7}`:           tool.CodeInvalidArgs,
		`{"path":`:             tool.CodeInvalidArgs,
		"What is in it?":       "a message is its arguments",
		"[1]":                  "a message is its arguments",
	} {
		if got := send(text); !strings.Contains(got, want) {
			t.Errorf("after %s the log is\n%s\nwant %s in it", text, got, want)
		}
	}
}

func TestATryThatNeedsApprovalWaitsThroughARestart(t *testing.T) {
	config := Config{Dir: t.TempDir(), Folder: t.TempDir()}
	s, err := open(t.Context(), config, quick)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	b := &bench{T: t, studio: s, url: web.URL, client: web.Client()}
	run := b.try("workspace", "run_command", `{"command":"echo hi > made.txt"}`)
	waiting := b.settled(run.RunID)
	if len(waiting.of("approval-required")) != 1 {
		t.Fatalf("the log is\n%s\nwant the call to wait", waiting)
	}
	if got := b.call(http.MethodPost, "/api/studio/tools/try", tryBody("workspace", "run_command", `{"command":"true"}`), http.StatusConflict); !strings.Contains(got, "waits for a decision") {
		t.Errorf("another try meanwhile gave %s", got)
	}
	web.Close()
	if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	config.Folder = "" // the thread has its own
	b = openBench(t, config)
	b.decideAll(b.settled(run.RunID), true)
	if log := b.settled(run.RunID); !strings.Contains(log.String(), `"status":"completed"`) {
		t.Errorf("the log is\n%s\nwant the try completed", log)
	}
	if got := readFile(t, fetch[threadView](b, http.MethodGet, "/api/studio/threads/"+run.ThreadID, "", http.StatusOK).Folder, "made.txt"); got != "hi\n" {
		t.Errorf("the command wrote %q", got)
	}
}

// wrongServer answers over MCP with a list of which the second tool has no schema, and the third one that leads nowhere.
func wrongServer(t *testing.T, label string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "no stream here", http.StatusMethodNotAllowed)
			return
		}
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		request := decode[struct {
			ID     *int
			Method string
			Params struct{ Name string }
		}](&bench{T: t}, string(body))
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"wrong","version":"1"}}`,
			"tools/list": `{"tools":[
				{"name":"search","inputSchema":{"type":"object","properties":{"n":{"type":"number","maximum":1e401}}},"annotations":{"readOnlyHint":true}},
				{"name":"bare","description":"It has no schema","annotations":{"readOnlyHint":true}},
				{"name":"lost","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/gone"}}},"annotations":{"readOnlyHint":true}}]}`,
			"tools/call": `{"content":[],"structuredContent":{"from":"` + label + `","id":2512292042121000001}}`,
		}[request.Method]
		if request.Params.Name == "bare" {
			result = `{"content":[]}`
		}
		w.Header().Set("Content-Type", "application/json")
		if request.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"result":` + result
		if result == "" {
			answer = `"error":{"code":-32601,"message":"there is no such method"}`
		}
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + asJSON(*request.ID) + `,` + answer + `}`))
	}))
	t.Cleanup(web.Close)
	return web.URL
}

func TestOneBadToolDropsNoneAndTwoOfOneNameAreBothCalled(t *testing.T) { // CASES I3, I8, I9, I10
	b := openBench(t, Config{})
	for _, name := range []string{"one", "two"} {
		b.call(http.MethodPut, "/api/studio/mcp/"+name, asJSON(map[string]string{"transport": "http", "url": wrongServer(t, name)}), http.StatusOK)
		waitMCP(b, name, mcp.StateReady)
	}
	source := b.listed("mcp/one")
	faults := map[string]string{"search": "", "bare": "no input schema", "lost": "$defs/gone"}
	if len(source.Tools) != len(faults) {
		t.Fatalf("the tools are %+v, want all three", source.Tools)
	}
	for _, one := range source.Tools {
		if !one.Callable || !strings.Contains(one.Fault, faults[one.Name]) || (one.Fault == "") != (faults[one.Name] == "") {
			t.Errorf("%s is %+v, want the fault %q", one.Name, one, faults[one.Name])
		}
	}
	for _, c := range []struct{ source, name, arguments, want string }{
		{"mcp/one", "search", `{"n":1e400}`, `"result":{"from":"one","id":2512292042121000001}`},
		{"mcp/two", "search", `{"n":2512292042121000001}`, `"result":{"from":"two","id":2512292042121000001}`},
		{"mcp/one", "lost", `{"a":1.0}`, `"result":{"from":"one","id":2512292042121000001}`},
		{"mcp/one", "bare", `{}`, `"summary":"empty result"`},
	} {
		log := b.settled(b.try(c.source, c.name, c.arguments).RunID)
		if !strings.Contains(log.String(), c.want) {
			t.Errorf("%s of %s: the log is\n%s\nwant %s in it", c.name, c.source, log, c.want)
		}
	}
	b.call(http.MethodDelete, "/api/studio/mcp/one", "", http.StatusNoContent)
	b.call(http.MethodPost, "/api/studio/tools/try", tryBody("mcp/one", "search", "{}"), http.StatusNotFound)
	thread := toolsByName(source)["search"].ThreadID // its thread is still there, and says what is gone
	body := asJSON(map[string]string{"threadId": thread, "input": "{}"})
	log := b.settled(fetch[started](b, http.MethodPost, "/api/agents/by-hand/runs", body, http.StatusAccepted).RunID)
	if !strings.Contains(log.String(), tool.CodeNotFound) {
		t.Errorf("a try of a tool that is gone: the log is\n%s", log)
	}
}

func TestARuleAllowsTriesByHand(t *testing.T) {
	b := openBench(t, Config{Folder: t.TempDir()})
	b.call(http.MethodPost, "/api/studio/rules", `{"toolName":"run_command","agentName":"by-hand","conditions":[{"path":"command","op":"equals","value":"\"true\""}]}`, http.StatusCreated)
	if log := b.settled(b.try("workspace", "run_command", `{"command":"true"}`).RunID); !strings.Contains(log.String(), `"by":"rule:`) || log.status != "completed" {
		t.Errorf("the log is\n%s\nwant the call allowed by the rule", log)
	}
	b.call(http.MethodPost, "/api/studio/rules", `{"toolName":"run_command","agentName":"nobody"}`, http.StatusBadRequest)
}

func TestATryIsSentAgainInOtherWords(t *testing.T) {
	b := openBench(t, Config{})
	run := b.try("demo", "read_file", `{"path":"README.md"}`)
	b.settled(run.RunID)
	body := asJSON(map[string]string{"messageId": b.messageOf(run.RunID)})
	fork := fetch[threadView](b, http.MethodPost, "/api/studio/threads/"+run.ThreadID+"/fork", body, http.StatusCreated)
	if fork.Tried == nil || fork.AgentName != byHand {
		t.Fatalf("the copy is %+v, want a thread of tries", fork)
	}
	again := b.settled(b.send(fork.ID, byHand, `{"path":"no such file"}`))
	if got := again.of("tool-result"); len(got) != 1 || got[0].ErrorCode != tool.CodeExecutionFailed {
		t.Errorf("the log is\n%s\nwant the tool called with the other path", again)
	}
}

func TestTheDemosToolsAreTriedOnOneSample(t *testing.T) {
	b := openBench(t, Config{})
	b.settled(b.try("demo", "write_file", `{"path":"new.txt","content":"new"}`).RunID)
	log := b.settled(b.try("demo", "read_file", `{"path":"new.txt"}`).RunID)
	if !strings.Contains(log.String(), "new") || strings.Contains(log.String(), tool.CodeExecutionFailed) {
		t.Errorf("the log is\n%s\nwant the file that was written", log)
	}
	if _, err := os.Stat(filepath.Join(b.studio.triedSample(), "new.txt")); err != nil {
		t.Error(err)
	}
	thread := fetch[threadView](b, http.MethodGet, "/api/studio/threads/"+toolsByName(b.listed("demo"))["read_file"].ThreadID, "", http.StatusOK)
	if !thread.Sample {
		t.Errorf("the thread is %+v, want its folder called the sample", thread)
	}
}

func TestATryCanBeCancelled(t *testing.T) {
	b := openBench(t, Config{Folder: t.TempDir()})
	run := b.try("workspace", "run_command", `{"command":"sleep 600"}`)
	b.decideAll(b.settled(run.RunID), true)
	b.until("the call runs", func() bool {
		runs, err := b.studio.db.Runs(t.Context(), agent.RunQuery{ID: run.RunID})
		return err == nil && len(runs[0].Calls) > 0 && runs[0].Calls[0].StartedMs > 0
	})
	if got := b.call(http.MethodPost, "/api/studio/tools/try", tryBody("workspace", "run_command", `{"command":"true"}`), http.StatusConflict); !strings.Contains(got, "still runs") {
		t.Errorf("another try meanwhile gave %s", got)
	}
	b.call(http.MethodPost, "/api/runs/"+run.RunID+"/cancel", "", http.StatusAccepted)
	if log := b.settled(run.RunID); !strings.Contains(log.String(), `"status":"cancelled"`) {
		t.Errorf("the log is\n%s\nwant it cancelled", log)
	}
}
