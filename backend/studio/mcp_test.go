package studio

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

const mcpToken = "Bearer sesame-open"

type lookup struct {
	Word string `json:"word"`
}

// serveMCP serves two tools over MCP to those who have the token.
func serveMCP(t *testing.T) string {
	t.Helper()
	define := func(name string, effects ...tool.SideEffect) *tool.Tool {
		return tool.Must(tool.Config[lookup, string]{
			Name: name, Description: "Looks up a word", SideEffects: effects,
			Run: func(_ tool.Context, in lookup) (string, error) { return in.Word + ": found", nil },
		})
	}
	handler, err := (&mcp.Server{Tools: []*tool.Tool{define("search"), define("replace", tool.External)}}).Handler()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != mcpToken {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// waitMCP reads the state until the server is in the one wanted.
func waitMCP(b *bench, name string, want mcp.State) mcpView {
	b.Helper()
	var last mcpView
	for range 6000 {
		for _, v := range fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).MCPServers {
			if v.Name == name {
				last = v
			}
		}
		if last.State == want {
			return last
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Fatalf("the server is %+v, want it %s", last, want)
	return last
}

func TestAnMCPServerIsSetUpTestedAndForgotten(t *testing.T) {
	dir := t.TempDir()
	b := openBench(t, Config{Dir: dir})
	put := asJSON(map[string]any{"transport": "http", "url": serveMCP(t), "headers": map[string]string{"Authorization": mcpToken}, "keepSecrets": "file"})
	answer := b.call(http.MethodPut, "/api/studio/mcp/words", put, http.StatusOK)
	got := waitMCP(b, "words", mcp.StateReady)
	want := []mcpTool{{Name: "replace", ToolName: "words_replace", Description: "Looks up a word"}, {Name: "search", ToolName: "words_search", Description: "Looks up a word"}}
	if diff := cmp.Diff(want, got.Tools); diff != "" || got.SecretsKept != keptInFile || len(got.Missing) > 0 {
		t.Errorf("the server is %+v (-want +got):\n%s", got, diff)
	}
	state := b.call(http.MethodGet, "/api/studio/state", "", http.StatusOK)
	tested := b.call(http.MethodPost, "/api/studio/mcp/words/test", "", http.StatusOK)
	if strings.Contains(answer+state+tested, "sesame") {
		t.Error("an answer holds the token")
	}
	if result := decode[mcpTest](b, tested); !result.OK || len(result.Tools) != 2 {
		t.Errorf("the test gave %s, want both tools", tested)
	}
	if keys := readFile(t, dir, "keys.json"); !strings.Contains(keys, "sesame") {
		t.Errorf("keys.json is %s, want the token kept as asked for", keys)
	}
	// null keeps the token; a new place does too
	again := asJSON(map[string]any{"transport": "http", "url": got.URL, "headers": map[string]any{"Authorization": nil}, "keepSecrets": "memory", "asks": "never"})
	b.call(http.MethodPut, "/api/studio/mcp/words", again, http.StatusOK)
	if got := waitMCP(b, "words", mcp.StateReady); got.SecretsKept != keptInRAM || got.Asks != mcp.AskNever {
		t.Errorf("the server is %+v, want the token in memory", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "keys.json")); err == nil {
		t.Error("keys.json is still there")
	}
	if tools := b.call(http.MethodGet, "/api/tools", "", http.StatusOK); !strings.Contains(tools, `"words_search"`) {
		t.Errorf("the tools are %s, want the server's among them", tools)
	}
	// off, it has no tools, and a test starts it for itself
	b.call(http.MethodPut, "/api/studio/mcp/words", strings.Replace(again, `"asks"`, `"enabled":false,"asks"`, 1), http.StatusOK)
	waitMCP(b, "words", mcp.StateOff)
	if tools := b.call(http.MethodGet, "/api/tools", "", http.StatusOK); strings.Contains(tools, `"words_search"`) {
		t.Error("the tools of a server that is off are listed")
	}
	if result := fetch[mcpTest](b, http.MethodPost, "/api/studio/mcp/words/test", "", http.StatusOK); !result.OK {
		t.Errorf("the test gave %+v, want it to work", result)
	}
	b.call(http.MethodDelete, "/api/studio/mcp/words", "", http.StatusNoContent)
	b.call(http.MethodDelete, "/api/studio/mcp/words", "", http.StatusNotFound)
	b.call(http.MethodPost, "/api/studio/mcp/words/test", "", http.StatusNotFound)
	if key, _ := b.studio.keys.get("mcp/words/header/Authorization"); key != "" {
		t.Error("the token outlived its server")
	}
}

func TestAnMCPServerThatDoesNotWorkSaysWhy(t *testing.T) {
	b := openBench(t, Config{})
	b.call(http.MethodPut, "/api/studio/mcp/gone", `{"command":"/no/such/program","env":{"TOKEN":"sesame-open"}}`, http.StatusOK)
	if got := waitMCP(b, "gone", mcp.StateFailed); !strings.Contains(got.Error, "start /no/such/program") || got.Env[0] != "TOKEN" {
		t.Errorf("the server is %+v, want it to say why", got)
	}
	if result := fetch[mcpTest](b, http.MethodPost, "/api/studio/mcp/gone/test", "", http.StatusOK); result.OK || !strings.Contains(result.Error, "no such file") {
		t.Errorf("the test gave %+v, want the reason", result)
	}
	b.call(http.MethodPut, "/api/studio/mcp/gone", `{"command":"/no/such/program","env":{"TOKEN":""}}`, http.StatusOK)
	if got := waitMCP(b, "gone", mcp.StateFailed); len(got.Missing) != 1 || got.Missing[0] != "TOKEN" {
		t.Errorf("the server is %+v, want its value missing", got)
	}
	for name, put := range map[string]string{
		"a_b": `{"command":"x"}`, "none": `{}`, "way": `{"transport":"pigeon"}`, "asks": `{"command":"x","asks":"perhaps"}`,
		"env": `{"command":"x","env":{"A=B":"c"}}`, "header": `{"transport":"http","url":"http://x","headers":{"A B":"c"}}`,
		"value": `{"transport":"http","url":"http://x","headers":{"A":"b\nc"}}`, "keep": `{"command":"x","keepSecrets":"attic"}`, "url": `{"transport":"http","url":"x"}`,
	} {
		b.call(http.MethodPut, "/api/studio/mcp/"+name, put, http.StatusBadRequest)
	}
}

func TestAnMCPServerThatIsSavedForATestIsStartedOnce(t *testing.T) {
	b := openBench(t, Config{Dir: t.TempDir()})
	starts := filepath.Join(t.TempDir(), "starts")
	put := map[string]any{"command": "sh", "args": []string{"-c", "echo started >> " + starts + "; echo no key >&2; exit 3"}, "start": false}
	b.call(http.MethodPut, "/api/studio/mcp/dies", asJSON(put), http.StatusOK)
	waitMCP(b, "dies", mcp.StateOff)
	result := fetch[mcpTest](b, http.MethodPost, "/api/studio/mcp/dies/test", "", http.StatusOK)
	if got, err := os.ReadFile(starts); err != nil || string(got) != "started\n" {
		t.Errorf("it was started like this: %q, %v; want once", got, err)
	}
	if diff := cmp.Diff([]string{"no key"}, result.Log); diff != "" || result.OK {
		t.Errorf("the test gave %+v, log (-want +got):\n%s", result, diff)
	}
}

func TestARefusalOfAnMCPServerIsASentence(t *testing.T) {
	b := openBench(t, Config{Dir: t.TempDir()})
	got := b.call(http.MethodPut, "/api/studio/mcp/a_b", `{"command":"sh"}`, http.StatusBadRequest)
	if !strings.Contains(got, `"An MCP server's name is made of letters, digits and -`) {
		t.Errorf("got %s", got)
	}
}

func TestARunCallsAnMCPServersTools(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	script := writeFile(t, `{"turns": [
		{"chunks": [{"toolCalls": [{"id": "c1", "name": "words_search", "arguments": "{\"word\":\"call\"}"}]}]},
		{"chunks": [{"toolCalls": [{"id": "c2", "name": "words_replace", "arguments": "{\"word\":\"board\"}"}]}]},
		{"chunks": [{"text": "Done."}]}
	]}`, t.TempDir(), "script.json")
	config := Config{Dir: dir, Folder: folder, Script: script}
	s, err := open(t.Context(), config, quick)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	b := &bench{T: t, studio: s, url: web.URL, client: web.Client()}
	put := asJSON(map[string]any{"transport": "http", "url": serveMCP(t), "headers": map[string]string{"Authorization": mcpToken}, "keepSecrets": "file"})
	b.call(http.MethodPut, "/api/studio/mcp/words", put, http.StatusOK) // the run waits for it to start
	thread := b.newThread(`{"agentName":"workspace"}`)
	run := b.send(thread.ID, workspaceAgent, "Go")
	log := b.settled(run)
	if !strings.Contains(log.String(), `"result":"call: found"`) || len(log.of("approval-required")) != 1 {
		t.Errorf("the log is\n%s\nwant the reading tool run and the other one asked about", log)
	}
	web.Close()
	if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	// in the next process the call that waits still finds its tool
	b = openBench(t, config)
	b.decideAll(b.settled(run), true)
	if log := b.settled(run); !strings.Contains(log.String(), `"result":"board: found"`) {
		t.Errorf("the log is\n%s\nwant the approved call run", log)
	}
}
