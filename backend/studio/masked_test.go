package studio

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"callboard/backend/redact"
)

const (
	plantedKey  = "hunter2hunter2" // the value of a variable of an MCP server
	planted     = plantedKey + " and " + sharedKey + " at postgres://ada:" + plantedWord + "@db"
	plantedWord = "correcthorse" // the password of an address
)

// patterns collects the patterns of routes.
type patterns []string

func (p *patterns) HandleFunc(pattern string, _ func(http.ResponseWriter, *http.Request)) {
	*p = append(*p, pattern)
}

// ask sends a request and returns all that came back, headers too.
func (b *bench) ask(method, path, body string) (status int, answer string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer secret")
	request.Header.Set("Accept", "application/json")
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := b.client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var out strings.Builder
	_ = response.Header.Write(&out)
	if _, err := io.Copy(&out, response.Body); err != nil {
		b.Fatal(err)
	}
	return response.StatusCode, out.String()
}

// plant puts secrets wherever a studio keeps a text, and returns a thread whose call waits.
func plant(b *bench) (threadID, runID string) {
	b.Helper()
	put := func(path string, body any) { b.call(http.MethodPut, "/api/studio/"+path, asJSON(body), http.StatusOK) }
	put("mcp/sec", map[string]any{
		"transport": overStdio, "command": "/nothing/" + sharedKey, "args": []string{"--key=" + sharedKey, "-v"},
		"env": map[string]string{"SECRETX": plantedKey}, "enabled": false, "keepSecrets": "memory",
	})
	put("providers/p1", map[string]string{"name": planted, "baseUrl": "http://127.0.0.1:1/" + sharedKey, "model": sharedKey})
	put("attached/s1", map[string]string{"url": "http://127.0.0.1:1/" + sharedKey})
	folder := b.TempDir()
	writeFile(b.T, planted, folder, "notes.txt")
	if err := os.Mkdir(filepath.Join(folder, sharedKey), 0o700); err != nil {
		b.Fatal(err)
	}
	put("settings", map[string]any{
		"folder": filepath.Join(folder, sharedKey), "browserHosts": []string{sharedKey}, "prices": []price{{Model: sharedKey}},
	})
	b.makeAgent(asJSON(map[string]string{"name": "own", "description": planted, "instructions": "Be brief.\nKey: " + planted + "\nEnd.", "model": sharedKey}))
	b.call(http.MethodPost, "/api/studio/rules", asJSON(map[string]any{
		"toolName": "run_command", "name": planted, "conditions": []map[string]string{{"path": "command", "op": "pattern", "value": "echo " + planted}},
	}), http.StatusCreated)
	threadID = b.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": folder})).ID
	b.call(http.MethodPost, "/api/threads/"+threadID+"/messages", asJSON(map[string]string{"role": "user", "content": planted}), http.StatusCreated)
	runID = b.send(threadID, workspaceAgent, "It is "+planted)
	if log := b.settled(runID); log.status != "paused" {
		b.Fatalf("the run is %s: %s", log.status, log)
	}
	return threadID, runID
}

func plantingScript(t *testing.T) string {
	return script(t,
		`remember {"text":"`+planted+`","tags":["`+sharedKey+`"]}`, `schedule {"message":"`+planted+`","delay":"2d"}`,
		`run_command {"command":"echo `+planted+` twice"}`, "done")
}

func TestNoRouteOfTheStudioGivesASecretAway(t *testing.T) { // CASES H1
	b := openBench(t, Config{Script: plantingScript(t)})
	threadID, runID := plant(b)
	rule := asJSON(map[string]any{"toolName": "run_command", "conditions": []map[string]string{{"path": "command", "op": "pattern", "value": "echo *"}}})
	wrong := asJSON(map[string]string{"agentName": planted, "name": planted, "theme": planted, "text": planted, "messageId": planted, "url": planted, "transport": planted})
	type request struct {
		path, body string
		shows      bool // what holds a secret, masked
	}
	one := func(path, body string, shows bool) []request { return []request{{path, body, shows}} }
	thread := "/api/studio/threads/" + threadID
	requests := map[string][]request{
		"GET /api/studio/state":                        one("/api/studio/state", "", true),
		"PUT /api/studio/settings":                     {{"/api/studio/settings", "{}", true}, {"/api/studio/settings", wrong, true}},
		"POST /api/studio/threads":                     one("/api/studio/threads", wrong, true),
		"GET /api/studio/threads/{id}":                 one(thread, "", true),
		"PATCH /api/studio/threads/{id}":               one(thread, asJSON(map[string]string{"model": sharedKey}), true),
		"GET /api/studio/threads/{id}/file":            {{thread + "/file?path=notes.txt", "", true}, {thread + "/file?path=" + sharedKey, "", true}},
		"GET /api/studio/threads/{id}/next":            one(thread+"/next", "", true),
		"POST /api/studio/threads/{id}/fork":           one(thread+"/fork", wrong, true),
		"GET /api/studio/threads/{id}/added":           one(thread+"/added", "", true),
		"GET /api/studio/rules":                        one("/api/studio/rules", "", true),
		"POST /api/studio/rules":                       one("/api/studio/rules", asJSON(map[string]string{"toolName": planted}), true),
		"POST /api/studio/rules/preview":               one("/api/studio/rules/preview", rule, true),
		"PATCH /api/studio/rules/{id}":                 one("/api/studio/rules/"+plantedKey, "{}", true),
		"DELETE /api/studio/rules/{id}":                one("/api/studio/rules/"+plantedKey, "", true),
		"PUT /api/studio/providers/{id}":               one("/api/studio/providers/p2", asJSON(map[string]string{"name": planted, "baseUrl": "http://127.0.0.1:1/" + sharedKey}), true),
		"DELETE /api/studio/providers/{id}":            one("/api/studio/providers/"+plantedKey, "", true),
		"POST /api/studio/providers/{id}/models":       one("/api/studio/providers/p1/models", "", false),
		"POST /api/studio/providers/{id}/test":         one("/api/studio/providers/p1/test", "{}", false),
		"POST /api/studio/agents":                      one("/api/studio/agents", asJSON(map[string]string{"name": "own", "description": planted}), false),
		"POST /api/studio/agents/import":               one("/api/studio/agents/import", wrong, false),
		"POST /api/studio/agents/preview":              one("/api/studio/agents/preview", asJSON(map[string]string{"text": `{"version":1,"name":"a","instructions":"` + planted + `"}`}), true),
		"GET /api/studio/agents/{name}":                one("/api/studio/agents/own", "", true),
		"PUT /api/studio/agents/{name}":                one("/api/studio/agents/own", asJSON(map[string]string{"name": "own", "instructions": "Key: " + planted}), true),
		"DELETE /api/studio/agents/{name}":             one("/api/studio/agents/"+plantedKey, "", true),
		"GET /api/studio/agents/{name}/file":           one("/api/studio/agents/own/file", "", true),
		"PUT /api/studio/mcp/{name}":                   one("/api/studio/mcp/m2", asJSON(map[string]string{"transport": planted}), true),
		"DELETE /api/studio/mcp/{name}":                one("/api/studio/mcp/"+plantedKey, "", true),
		"POST /api/studio/mcp/{name}/test":             one("/api/studio/mcp/sec/test", "{}", true),
		"POST /api/studio/sandbox/test":                one("/api/studio/sandbox/test", asJSON(map[string]string{"image": planted + " x"}), true),
		"GET /api/studio/tools":                        one("/api/studio/tools", "", false),
		"POST /api/studio/tools/try":                   one("/api/studio/tools/try", tryBody(planted, planted, "{}"), true),
		"POST /api/agents/by-hand/runs":                one("/api/agents/by-hand/runs", asJSON(map[string]string{"threadId": plantedKey, "input": planted}), false),
		"GET /api/studio/found":                        one("/api/studio/found", "", false),
		"GET /api/studio/search":                       {{"/api/studio/search?q=" + plantedKey, "", false}, {"/api/studio/search?kind=" + plantedKey, "", true}},
		"GET /api/studio/folders":                      one("/api/studio/folders?path=/nowhere/"+plantedKey, "", true),
		"GET /api/studio/schedules":                    one("/api/studio/schedules", "", true),
		"DELETE /api/studio/schedules/{id}":            one("/api/studio/schedules/"+plantedKey, "", true),
		"GET /api/studio/notes":                        one("/api/studio/notes", "", true),
		"DELETE /api/studio/notes/{id}":                one("/api/studio/notes/"+plantedKey, "", true),
		"GET /api/studio/threads/{id}/export":          {{thread + "/export?redact=true", "", true}, {thread + "/export?redact=true&format=markdown", "", true}, {thread + "/export?redact=" + plantedKey, "", false}},
		"POST /api/studio/threads/{id}/export":         {{thread + "/export", `{"redact":true}`, true}, {thread + "/export", asJSON(map[string]string{"format": planted}), true}},
		"POST /api/studio/threads/{id}/export/preview": one(thread+"/export/preview", `{"redact":true}`, true),
		"POST /api/studio/import":                      one("/api/studio/import", planted, false),
		"PUT /api/studio/attached/{name}":              one("/api/studio/attached/s2", asJSON(map[string]string{"url": planted}), false),
		"DELETE /api/studio/attached/{name}":           one("/api/studio/attached/"+plantedKey, "", true),
		"POST /api/studio/attached/{name}/test":        one("/api/studio/attached/s1/test", "{}", true),
		"/api/studio/":                                 one("/api/studio/nothing/"+plantedKey, "", true),
		// The server's, which have the same policy.
		"GET /api/threads":              one("/api/threads", "", true),
		"GET /api/threads/{id}":         {{"/api/threads/" + threadID, "", true}, {"/api/threads/" + threadID + "?view=user", "", true}},
		"GET /api/threads/{id}/runs":    one("/api/threads/"+threadID+"/runs", "", true),
		"GET /api/runs/{id}/requests":   one("/api/runs/"+runID+"/requests", "", true),
		"GET /api/approvals":            one("/api/approvals", "", true),
		"GET /api/agents":               one("/api/agents", "", false),
		"GET /api/tools":                one("/api/tools", "", false),
		"POST /api/agents/{name}/runs":  one("/api/agents/"+plantedKey+"/runs", `{"input":"x"}`, true),
		"GET /api/blobs/{hash}":         one("/api/blobs/"+plantedKey, "", true),
		"POST /api/approvals/{id}/dec.": one("/api/approvals/"+plantedKey+"/decision", `{"approved":true,"argumentsHash":"x"}`, true),
	}
	var all patterns
	b.studio.routes(&all)
	for _, pattern := range append(all, "POST /api/agents/by-hand/runs") {
		if len(requests[pattern]) == 0 {
			t.Errorf("no request of this test asks %s", pattern)
		}
	}
	for pattern, list := range requests {
		method, _, found := strings.Cut(pattern, " ")
		if !found {
			method = http.MethodGet
		}
		for _, r := range list {
			status, answer := b.ask(method, r.path, r.body)
			for _, secret := range []string{plantedKey, sharedKey, plantedWord} {
				if strings.Contains(answer, secret) {
					t.Errorf("%s %s gives %s away: %d %s", method, r.path, secret, status, answer)
				}
			}
			if status >= 500 && status != http.StatusBadGateway || r.shows && !strings.Contains(answer, redact.Mask) {
				t.Errorf("%s %s: got %d, with nothing masked: %s", method, r.path, status, answer)
			}
		}
	}
	if _, seen := b.ask(http.MethodGet, "/api/runs/"+runID+"/events?after=0&view=user", ""); strings.Contains(seen, "twice") || !strings.Contains(seen, `"label"`) {
		t.Errorf("a user reads the command, or not even labels: %s", seen)
	}
	if log := strings.Join(rawEvents(b.page(runID)), "\n"); strings.Contains(log, plantedKey) || strings.Contains(log, sharedKey) || !strings.Contains(log, `"masked":true`) {
		t.Errorf("the events give a secret away, or no sign that one is masked: %s", log)
	}
}

func rawEvents(page eventsPage) (texts []string) {
	for _, raw := range page.Events {
		texts = append(texts, string(raw))
	}
	return texts
}

func TestAFormThatComesBackMaskedKeepsItsSecrets(t *testing.T) {
	b := openBench(t, Config{Script: plantingScript(t)})
	plant(b)
	stored := func() ownAgent {
		t.Helper()
		all, err := b.studio.ownAgents(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("got %+v, %v", all, err)
		}
		return all[0]
	}
	before := stored()
	t.Run("an agent whose other lines were edited", func(t *testing.T) {
		spec := fetch[agentSpec](b, http.MethodGet, "/api/studio/agents/own", "", http.StatusOK)
		if strings.Contains(spec.Instructions, sharedKey) {
			t.Fatalf("the form has %q", spec.Instructions)
		}
		spec.Instructions = strings.Replace(spec.Instructions, "Be brief.", "Be long.", 1)
		b.call(http.MethodPut, "/api/studio/agents/own", asJSON(spec.ownAgent), http.StatusOK)
		if got := stored(); got.Instructions != "Be long.\nKey: "+planted+"\nEnd." || got.Description != before.Description || got.Model != before.Model {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("an agent whose masked line was edited is refused, and stays", func(t *testing.T) {
		spec := fetch[agentSpec](b, http.MethodGet, "/api/studio/agents/own", "", http.StatusOK)
		spec.Instructions = strings.Replace(spec.Instructions, "Key:", "The key:", 1)
		answer := b.call(http.MethodPut, "/api/studio/agents/own", asJSON(spec.ownAgent), http.StatusBadRequest)
		if !strings.Contains(answer, "a secret is masked") || !strings.Contains(stored().Instructions, planted) {
			t.Errorf("got %s, stored %+v", answer, stored())
		}
	})
	t.Run("an MCP server that was only switched", func(t *testing.T) {
		view := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).MCPServers[0]
		b.call(http.MethodPut, "/api/studio/mcp/sec", asJSON(map[string]any{
			"transport": view.Transport, "command": view.Command, "args": append([]string{"-q"}, view.Args...), "env": map[string]any{"SECRETX": nil}, "enabled": false,
		}), http.StatusOK)
		all, err := b.studio.mcpServers(t.Context())
		if want := []string{"-q", "--key=" + sharedKey, "-v"}; err != nil || all[0].Command != "/nothing/"+sharedKey || !slices.Equal(all[0].Args, want) {
			t.Errorf("got %+v, %v", all, err)
		}
	})
	t.Run("a provider", func(t *testing.T) {
		view := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Providers[0]
		b.call(http.MethodPut, "/api/studio/providers/p1", asJSON(map[string]string{"name": "Mine", "baseUrl": view.BaseURL, "model": view.Model}), http.StatusOK)
		p, err := b.studio.provider(t.Context(), "p1")
		if err != nil || p.BaseURL != "http://127.0.0.1:1/"+sharedKey || p.Model != sharedKey || p.Name != "Mine" {
			t.Errorf("got %+v, %v", p, err)
		}
	})
	t.Run("an attached server", func(t *testing.T) {
		view := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Attached[0]
		b.call(http.MethodPut, "/api/studio/attached/s1", asJSON(map[string]string{"url": view.URL}), http.StatusOK)
		if got := b.studio.attachments.get("s1").url; got != "http://127.0.0.1:1/"+sharedKey {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a rule of what was shown masked is refused", func(t *testing.T) {
		body := asJSON(map[string]any{"toolName": "run_command", "conditions": []map[string]string{{"path": "command", "op": "equals", "value": `"echo [redacted]"`}}})
		if answer := b.call(http.MethodPost, "/api/studio/rules", body, http.StatusBadRequest); !strings.Contains(answer, "fit no call") {
			t.Errorf("got %s", answer)
		}
	})
}
