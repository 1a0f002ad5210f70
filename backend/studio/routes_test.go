package studio

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheStateOfAFreshStudio(t *testing.T) {
	before := float64(time.Now().UnixMilli())
	b := openBench(t, Config{Version: "1.2.3"})
	got := fetch[map[string]any](b, http.MethodGet, "/api/studio/state", "", http.StatusOK)
	want := decode[map[string]any](b, `{
		"version": "1.2.3", "revision": "",
		"agents": [
			{"name": "demo", "description": "Shows what Callboard does, on a sample project, without a model",
				"builtIn": true, "needsModel": false, "needsFolder": false, "providerId": "", "model": "", "missing": []},
			{"name": "workspace", "description": "Works in your folder with your model",
				"builtIn": true, "needsModel": true, "needsFolder": true, "providerId": "", "model": "", "missing": []}
		],
		"providers": [], "found": [], "mcpServers": [], "attached": [], "keychain": {"available": false, "reason": "there is no keychain here"},
		"settings": {"theme": "system", "folder": "", "agentName": "demo", "providerId": "", "model": "", "allowNativeFallback": true,
			"commands": {"in": "host", "image": "debian:stable-slim", "memory": "1GB", "pidsLimit": 512, "network": "none"}, "prices": [], "retentionDays": 0,
			"toolsets": {"memory": true, "scheduler": true, "browser": false}, "browserHosts": []},
		"folder": "", "lastFolder": "", "demoMessage": "Move the greeter to port 9090, run its checks, and release it to staging."
	}`)
	if at, _ := got["openedAt"].(float64); at < before || at > float64(time.Now().UnixMilli()) {
		t.Errorf("it was opened at %v, want a moment of this test", got["openedAt"])
	}
	if got["dataFolder"] != b.studio.dir {
		t.Errorf("the data folder is %v, want %s", got["dataFolder"], b.studio.dir)
	}
	delete(got, "openedAt")
	delete(got, "dataFolder")
	delete(got, "toolsets") // the browser's depends on the machine; they have a test of their own
	delete(got, "sandbox")  // and so does Docker
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the state is another one (-want +got):\n%s", diff)
	}
}

func TestTheStateNamesTheModelThatFlagsSet(t *testing.T) {
	script := writeFile(t, `{"turns": []}`, t.TempDir(), "ci.json")
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"a script": {Config{Script: script}, "script ci.json"},
		"a server": {Config{BaseURL: "http://127.0.0.1:9/v1", Model: "m1"}, "m1 at 127.0.0.1:9"},
	} {
		t.Run(name, func(t *testing.T) {
			b := openBench(t, c.config)
			if got := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Override; got == nil || got.Label != c.want {
				t.Errorf("the override is %+v, want %q", got, c.want)
			}
		})
	}
}

func TestSettingsAreKept(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	b := openBench(t, Config{Dir: dir})
	b.call(http.MethodPut, "/api/studio/settings", `{"theme":"dark"}`, http.StatusOK)
	b.call(http.MethodPut, "/api/studio/settings", asJSON(map[string]string{"folder": folder, "agentName": workspaceAgent}), http.StatusOK)
	b.call(http.MethodPut, "/api/studio/settings", `{"prices":[{"model":"m-*","input":1.25,"output":10,"cachedInput":0.125},{"model":"m-1"},{"model":"m-2","cachedInput":0}]}`, http.StatusOK)
	want := settings{
		Theme: "dark", Folder: folder, AgentName: workspaceAgent, AllowNativeFallback: true, Commands: usualCommands,
		Prices:   []price{{"m-*", 1.25, 10, new(0.125)}, {Model: "m-1"}, {Model: "m-2", CachedInput: new(0.0)}},
		Toolsets: switches{Memory: true, Scheduler: true}, BrowserHosts: []string{},
	}
	if diff := cmp.Diff(want, fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Settings); diff != "" {
		t.Errorf("the settings (-want +got):\n%s", diff)
	}
	if thread := b.newThread(`{}`); thread.AgentName != workspaceAgent || thread.Folder != folder || thread.Sample {
		t.Errorf("a new thread is %+v, want it to follow the settings", thread)
	}
}

func TestTheFolderThatWasChosenLastIsKnown(t *testing.T) {
	dir := t.TempDir()
	b := openBench(t, Config{Dir: dir})
	known := func() string {
		return fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).LastFolder
	}
	b.newThread(`{}`)
	if got := known(); got != "" {
		t.Errorf("with a sample, that nobody chose, it is %q", got)
	}
	first, second := t.TempDir(), t.TempDir()
	thread := b.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": first}))
	if got := known(); got != first {
		t.Errorf("after a thread was made in %s it is %q", first, got)
	}
	b.call(http.MethodPatch, "/api/studio/threads/"+thread.ID, asJSON(map[string]string{"folder": second}), http.StatusOK)
	b.call(http.MethodPatch, "/api/studio/threads/"+thread.ID, asJSON(map[string]string{"folder": second + "-gone"}), http.StatusBadRequest)
	if got := known(); got != second {
		t.Errorf("after %s was chosen for it, and one that is not there, it is %q", second, got)
	}
	b.call(http.MethodPut, "/api/studio/settings", asJSON(map[string]string{"folder": first}), http.StatusOK)
	if got := known(); got != first {
		t.Errorf("after %s was chosen in the settings it is %q", first, got)
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	if got := known(); got != "" {
		t.Errorf("after it was removed it is %q", got)
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	b := openBench(t, Config{})
	file := writeFile(t, "x", t.TempDir(), "file")
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		message            string
	}{
		"a theme nobody knows":       {"PUT", "settings", `{"theme":"pink"}`, 400, "pink"},
		"an agent nobody knows":      {"PUT", "settings", `{"agentName":"x"}`, 400, `no agent \"x\"`},
		"a provider nobody knows":    {"PUT", "settings", `{"providerId":"x"}`, 400, `no provider \"x\"`},
		"a price of no model":        {"PUT", "settings", `{"prices":[{"input":1}]}`, 400, "no model"},
		"a price below nothing":      {"PUT", "settings", `{"prices":[{"model":"m","input":-1}]}`, 400, "between 0"},
		"a cached price below it":    {"PUT", "settings", `{"prices":[{"model":"m","cachedInput":-1}]}`, 400, "between 0"},
		"a price that is no number":  {"PUT", "settings", `{"prices":[{"model":"m","input":"1"}]}`, 400, "does not fit: prices.input: must be a number, got a string"},
		"two prices of one model":    {"PUT", "settings", `{"prices":[{"model":"m"},{"model":"m"}]}`, 400, "twice"},
		"a star inside a model":      {"PUT", "settings", `{"prices":[{"model":"a*b"}]}`, 400, "at its end"},
		"a folder that is a file":    {"PUT", "settings", asJSON(map[string]string{"folder": file}), 400, "not a folder"},
		"a folder without its path":  {"POST", "threads", `{"folder":"here"}`, 400, "full path"},
		"a folder that is gone":      {"POST", "threads", asJSON(map[string]string{"folder": file + "-gone"}), 400, "no such file"},
		"a thread nobody made":       {"GET", "threads/thr_0", "", 404, "no such thread"},
		"a body that is no JSON":     {"PUT", "settings", `{"theme":`, 400, "does not fit"},
		"a body of another shape":    {"PUT", "settings", `[]`, 400, "does not fit: must be an object, got a list"},
		"a body that is too large":   {"PUT", "settings", `"` + strings.Repeat("x", maxBody) + `"`, 413, ""},
		"a provider's odd id":        {"PUT", "providers/a.b", `{}`, 400, "letters, digits"},
		"a provider's odd address":   {"PUT", "providers/p", `{"baseUrl":"api.openai.com"}`, 400, "whole address"},
		"a key in an address":        {"PUT", "providers/p", `{"baseUrl":"https://me:sk-1@example.com/v1"}`, 400, "no key"},
		"a key kept elsewhere":       {"PUT", "providers/p", `{"keepKey":"cloud"}`, 400, "cloud"},
		"no environment to speak of": {"PUT", "providers/env", `{"model":"m"}`, 400, "OPENAI_API_KEY"},
		"a provider that is gone":    {"DELETE", "providers/p", "", 404, "no provider"},
		"a test of none":             {"POST", "providers/p/test", "", 404, "no provider"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := b.call(c.method, "/api/studio/"+c.path, c.body, c.status)
			if !strings.Contains(answer, `{"error":{"`) || !strings.Contains(answer, c.message) {
				t.Errorf("the answer is %s, want %q in its error", answer, c.message)
			}
		})
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/api/studio/settings", strings.NewReader(`{"theme":"dark"}`))
	request.Header.Set("Content-Type", "text/plain")
	answer := httptest.NewRecorder()
	b.studio.Handler().ServeHTTP(answer, request)
	if answer.Code != http.StatusUnsupportedMediaType {
		t.Errorf("a form's media type gave %d", answer.Code)
	}
}

func TestADeletedThreadLeavesNothing(t *testing.T) {
	b := openBench(t, Config{})
	thread := b.newThread(`{}`)
	b.call(http.MethodDelete, "/api/threads/"+thread.ID, "", http.StatusNoContent)
	if _, err := os.Stat(thread.Folder); !os.IsNotExist(err) {
		t.Errorf("the sample is still there: %v", err)
	}
	b.call(http.MethodGet, "/api/studio/threads/"+thread.ID, "", http.StatusNotFound)
}

func TestAThreadOfTheProtocolIsBoundAtItsFirstRun(t *testing.T) {
	b := openBench(t, Config{Script: writeFile(t, `{"turns": []}`, t.TempDir(), "script.json")})
	for _, id := range []string{"plain", "../../odd id/ü"} {
		b.settled(b.send(id, demoAgent, "Hello"))
		path := "/api/studio/threads/" + url.PathEscape(id)
		thread := fetch[threadView](b, http.MethodGet, path, "", http.StatusOK)
		if !thread.Sample || filepath.Dir(thread.Folder) != filepath.Join(b.studio.dir, "samples") || thread.FolderMissing {
			t.Errorf("the thread %q is %+v, want it on a sample of its own", id, thread)
		}
	}
}

func TestFolders(t *testing.T) {
	b := openBench(t, Config{})
	root := t.TempDir()
	for _, name := range []string{"beta", "Alpha", ".hidden"} {
		mkdir(t, filepath.Join(root, name))
	}
	writeFile(t, "x", root, "file")
	if err := os.Symlink(filepath.Join(root, "beta"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "file"), filepath.Join(root, "to-file")); err != nil {
		t.Fatal(err)
	}
	got := fetch[folderList](b, http.MethodGet, "/api/studio/folders?path="+root, "", http.StatusOK)
	want := folderList{Path: root, Parent: filepath.Dir(root)}
	for _, name := range []string{"Alpha", "beta", "link"} {
		want.Entries = append(want.Entries, folderEntry{Name: name, Path: filepath.Join(root, name)})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the folders are others (-want +got):\n%s", diff)
	}
	gone := fetch[folderList](b, http.MethodGet, "/api/studio/folders?path="+root+"/gone", "", http.StatusOK)
	if !strings.Contains(gone.Error, "gone cannot be listed: no such file") || gone.Parent != root || gone.Entries == nil {
		t.Errorf("a folder that is gone gave %+v", gone)
	}
	if home := fetch[folderList](b, http.MethodGet, "/api/studio/folders", "", http.StatusOK); home.Path != homeFolder() {
		t.Errorf("without a path the folder is %s", home.Path)
	}
	b.call(http.MethodGet, "/api/studio/folders?path=x", "", http.StatusBadRequest)
}

// modelServer is a small OpenAI-compatible server that knows one key.
func modelServer(t *testing.T, calls bool) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"m1"},{"id":"m2"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		chunk := `{"choices":[{"index":0,"delta":{"content":"I am ready."},"finish_reason":"stop"}]}`
		if calls {
			chunk = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"report_ready","arguments":"{\"word\":\"ready\"}"}}]},"finish_reason":"tool_calls"}]}`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secretKey {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"Incorrect API key: %s"}}`, r.Header.Get("Authorization"))
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestAProviderIsTested(t *testing.T) {
	able, unable := modelServer(t, true), modelServer(t, false)
	for name, c := range map[string]struct {
		baseURL, key string
		want         testResult
		message      string
	}{
		"a model that calls the tool": {able, secretKey, testResult{OK: true, ToolCall: true, Models: []string{"m1", "m2"}}, ""},
		"a model that calls no tools": {unable, secretKey, testResult{OK: true, Models: []string{"m1", "m2"}}, ""},
		"a key the server refuses":    {able, "sk-wrong-0001", testResult{Models: []string{}}, "Incorrect API key"},
		"a server that is not there":  {"http://127.0.0.1:1/v1", "", testResult{Models: []string{}}, "127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := openBench(t, Config{})
			b.call(http.MethodPut, "/api/studio/providers/p", asJSON(map[string]string{"name": "P", "baseUrl": c.baseURL, "key": c.key}), http.StatusOK)
			listed := fetch[testResult](b, http.MethodPost, "/api/studio/providers/p/models", "", http.StatusOK)
			if diff := cmp.Diff(c.want.Models, listed.Models); diff != "" || listed.OK != c.want.OK || listed.ToolCall {
				t.Errorf("the list is %+v (-want +got of its models):\n%s", listed, diff)
			}
			answer := b.call(http.MethodPost, "/api/studio/providers/p/test", "", http.StatusOK)
			got := decode[testResult](b, answer)
			if c.message != "" {
				if got.Error == nil || got.Error.Code == "" || !strings.Contains(got.Error.Message, c.message) {
					t.Errorf("the test gave %s, want %q", answer, c.message)
				}
				if c.key != "" && strings.Contains(answer, c.key) {
					t.Errorf("the key is in the answer: %s", answer)
				}
				got.Error = nil
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the test gave (-want +got):\n%s", diff)
			}
			providers := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Providers
			if diff := cmp.Diff(c.want.Models, providers[0].Models); diff != "" {
				t.Errorf("the models kept are (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoKeyIsInTheDataFolderUnlessItIsAskedFor(t *testing.T) {
	dir := t.TempDir()
	baseURL := modelServer(t, true)
	b := openBench(t, Config{Dir: dir, Key: "sk-env-7777777777"})
	put := func(id, keep string) {
		answer := b.call(http.MethodPut, "/api/studio/providers/"+id,
			asJSON(map[string]string{"baseUrl": baseURL, "model": "m1", "key": secretKey, "keepKey": keep}), http.StatusOK)
		if strings.Contains(answer, secretKey) {
			t.Errorf("the key came back out: %s", answer)
		}
	}
	put("mine", "memory")
	thread := b.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": t.TempDir(), "providerId": "mine"}))
	b.settled(b.send(thread.ID, workspaceAgent, "Hello"))
	for _, key := range []string{secretKey, "sk-env-7777777777"} {
		if files := filesWith(t, dir, key); len(files) > 0 {
			t.Errorf("the key %s is in %v", key, files)
		}
	}

	put("mine", "file")
	if files := filesWith(t, dir, secretKey); len(files) != 1 || files[0] != "keys.json" {
		t.Errorf("the key that is to be kept is in %v, want keys.json alone", files)
	}
	info, err := os.Stat(filepath.Join(dir, "keys.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("keys.json has the mode %v (%v)", info.Mode(), err)
	}
	if view := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Providers; len(view) != 2 || view[0].KeyKept != "env" || view[1].KeyKept != "file" || !view[1].HasKey {
		t.Errorf("the providers are %+v", view)
	}
	again, err := openKeyFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if key, err := again.Get(t.Context(), "mine"); err != nil || key != secretKey {
		t.Errorf("after a restart the key is %q, %v", key, err)
	}

	b.call(http.MethodPut, "/api/studio/providers/mine", asJSON(map[string]string{"baseUrl": baseURL, "keepKey": "memory"}), http.StatusOK)
	if files := filesWith(t, dir, secretKey); len(files) > 0 {
		t.Errorf("the key that is not to be kept any more is in %v", files)
	}
	if key, kept := b.studio.keys.get("mine"); key != secretKey || kept != keptInRAM {
		t.Errorf("the key is %q, kept %q, want it in memory", key, kept)
	}
	b.call(http.MethodDelete, "/api/studio/providers/mine", "", http.StatusNoContent)
	if key, _ := b.studio.keys.get("mine"); key != "" {
		t.Error("the key outlived its provider")
	}
	b.call(http.MethodDelete, "/api/studio/providers/env", "", http.StatusBadRequest)
}

// filesWith returns the files under dir that hold text.
func filesWith(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		if strings.Contains(string(content), text) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// listing answers a question for models with text.
func listing(t *testing.T, status int, text string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, text)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

func TestServersOfModelsOnThisMachineAreFoundByAskingThem(t *testing.T) {
	ollama := listing(t, http.StatusOK, `{"object":"list","data":[{"id":"qwen3:4b"},{"id":"llama3.2:3b"}]}`)
	empty := listing(t, http.StatusOK, `{"object":"list","data":[]}`)
	b := openBench(t, Config{EnvBaseURL: "http://127.0.0.1:9/v1", LocalServers: []LocalServer{
		{"ollama", "Ollama", ollama},
		{"page", "A page", listing(t, http.StatusOK, `<html>`)},
		{"other", "Another API", listing(t, http.StatusOK, `{"models":3}`)},
		{"refuses", "One that wants a key", listing(t, http.StatusUnauthorized, `{"object":"list","data":[]}`)},
		{"nobody", "Nobody", "http://127.0.0.1:1"},
		{"empty", "LM Studio", empty + "/"},
	}})
	want := []found{
		{ID: "env", Name: "127.0.0.1:9 (environment)", BaseURL: "http://127.0.0.1:9/v1", Models: []string{}, Source: "environment"},
		{ID: "ollama", Name: "Ollama", BaseURL: ollama + "/v1", Models: []string{"qwen3:4b", "llama3.2:3b"}, Source: "local"},
		{ID: "empty", Name: "LM Studio", BaseURL: empty + "/v1", Models: []string{}, Source: "local"},
	}
	if diff := cmp.Diff(want, fetch[struct{ Found []found }](b, http.MethodGet, "/api/studio/found", "", http.StatusOK).Found); diff != "" {
		t.Errorf("found is (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Found); diff != "" {
		t.Errorf("the state's found is (-want +got):\n%s", diff)
	}
}

func TestAServerThatDoesNotAnswerHoldsNothingUp(t *testing.T) {
	hang := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer silent.Close()
	defer close(hang)
	here := listing(t, http.StatusOK, `{"object":"list","data":[{"id":"m"}]}`)
	b := openBench(t, Config{LocalServers: []LocalServer{{"silent", "Silent", silent.URL}, {"here", "Here", here}}})
	b.call(http.MethodGet, "/api/studio/state", "", http.StatusOK) // while it is asked
	if got := fetch[struct{ Found []found }](b, http.MethodGet, "/api/studio/found", "", http.StatusOK).Found; len(got) != 1 || got[0].ID != "here" {
		t.Errorf("found is %+v", got)
	}
}
