package studio

import (
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
