package studio

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
