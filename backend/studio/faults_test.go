package studio

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

const secretKey = "sk-test-4f1d9c0b7a"

// connected opens a studio with a provider at a fake server and a thread that uses it.
func connected(t *testing.T, handler http.HandlerFunc) (*bench, threadView) {
	t.Helper()
	provider := httptest.NewServer(handler)
	t.Cleanup(provider.Close)
	b := openBench(t, Config{})
	b.call(http.MethodPut, "/api/studio/providers/fake",
		asJSON(map[string]string{"name": "Fake", "baseUrl": provider.URL + "/v1", "model": "m1", "key": secretKey}), http.StatusOK)
	return b, b.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": t.TempDir(), "providerId": "fake"}))
}

func TestAProviderThatFailsEndsInAClearErrorInTheThread(t *testing.T) {
	status := func(code int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			_, _ = fmt.Fprint(w, body)
		}
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		code    string
		message string // part of what the thread says
	}{
		"401":             {status(401, "application/json", `{"error":{"message":"Incorrect API key provided: `+secretKey+`"}}`), model.CodeUnavailable, "Incorrect API key"},
		"404":             {status(404, "application/json", `{"error":{"message":"The model m1 does not exist"}}`), model.CodeUnavailable, "m1 does not exist"},
		"429":             {status(429, "application/json", `{"error":{"message":"Rate limit reached"}}`), model.CodeRateLimited, "Rate limit reached"},
		"500":             {status(500, "application/json", `{"error":{"message":"The server had an error"}}`), model.CodeUnavailable, "The server had an error"},
		"HTML":            {status(200, "text/html", "<html><body>Welcome to nginx</body></html>"), model.CodeInvalidResponse, "web page"},
		"nothing":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, model.CodeUnavailable, "failed: EOF"},
		"an empty stream": {status(200, "text/event-stream", ""), model.CodeUnavailable, "empty answer"},
		"a stream that stops in the middle": {
			status(200, "text/event-stream", `data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}`+"\n\n"), model.CodeUnavailable, "in the middle",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, thread := connected(t, c.handler)
			log := b.settled(b.send(thread.ID, workspaceAgent, "Hello"))
			last := log.last()
			if log.status != "failed" || last.Type != "error" || last.Code != c.code || !strings.Contains(last.Message, c.message) {
				t.Errorf("the run is %s and ended with %s, want %s and %q", log.status, last.raw, c.code, c.message)
			}
			if strings.Contains(log.String(), secretKey) {
				t.Error("the key is in the log")
			}
			again := b.settled(b.send(thread.ID, workspaceAgent, "Hello again"))
			if again.status != "failed" {
				t.Errorf("the thread did not take another message: %s", again)
			}
		})
	}
}

func TestARealModelWorksInTheThreadsFolder(t *testing.T) {
	asked := 0
	b, thread := connected(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secretKey {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		asked++
		w.Header().Set("Content-Type", "text/event-stream")
		chunk := `{"choices":[{"index":0,"delta":{"content":"It is written."},"finish_reason":"stop"}]}`
		if asked == 1 {
			chunk = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"w1","type":"function","function":{"name":"write_file","arguments":"{\"path\":\"a.txt\",\"content\":\"hello\"}"}}]},"finish_reason":"tool_calls"}]}`
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
	})
	runID := b.send(thread.ID, workspaceAgent, "Write a file")
	log := b.settled(runID)
	for log.status == "paused" {
		b.decideAll(log, true)
		log = b.settled(runID)
	}
	if log.status != "completed" || readFile(t, thread.Folder, "a.txt") != "hello" {
		t.Errorf("the run is %s:\n%s", log.status, log)
	}
}

func TestAThreadThatCannotWorkSaysWhy(t *testing.T) {
	b := openBench(t, Config{})
	gone := t.TempDir() + "/project"
	mkdir(t, gone)
	noModel := b.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": t.TempDir()}))
	noFolder := b.newThread(asJSON(map[string]string{"agentName": workspaceAgent}))
	vanished := b.newThread(asJSON(map[string]string{"agentName": demoAgent, "folder": gone}))
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		thread threadView
		code   string
		want   string
	}{
		"no model":               {noModel, model.CodeUnavailable, "connect one in Settings"},
		"no folder":              {noFolder, codeFolderMissing, "no folder to work in"},
		"a folder that vanished": {vanished, codeFolderMissing, gone},
	} {
		t.Run(name, func(t *testing.T) {
			log := b.settled(b.send(c.thread.ID, c.thread.AgentName, "Hello"))
			if last := log.last(); log.status != "failed" || last.Code != c.code || !strings.Contains(last.Message, c.want) {
				t.Errorf("the run is %s and ended with %s, want %s and %q", log.status, last.raw, c.code, c.want)
			}
		})
	}
	path := "/api/studio/threads/" + vanished.ID
	if got := fetch[threadView](b, http.MethodGet, path, "", http.StatusOK); !got.FolderMissing {
		t.Errorf("the thread is %+v, want its folder missing", got)
	}
	located := b.studio.samplePath("elsewhere")
	if err := unpackSample(located); err != nil {
		t.Fatal(err)
	}
	got := fetch[threadView](b, http.MethodPatch, path, asJSON(map[string]string{"folder": located}), http.StatusOK)
	if got.FolderMissing || got.Folder != located || got.Sample {
		t.Errorf("after it was located the thread is %+v", got)
	}
	if log := b.settled(b.send(vanished.ID, demoAgent, "Again")); log.status == "failed" && strings.Contains(log.last().Message, gone) {
		t.Errorf("the located folder is not used: %s", log.last().raw)
	}
}

// A decision for a call in a folder that vanished meanwhile: the call fails, and the thread says why.
func TestAFolderThatVanishesWhileACallWaits(t *testing.T) {
	b := openBench(t, Config{})
	thread := b.newThread(`{}`)
	runID := b.send(thread.ID, demoAgent, demoMessage)
	asked := b.settled(runID)
	if err := os.RemoveAll(thread.Folder); err != nil {
		t.Fatal(err)
	}
	b.decideAll(asked, true)
	log := b.settled(runID)
	if last := log.last(); log.status != "failed" || last.Code != codeFolderMissing || !strings.Contains(last.Message, thread.Folder) {
		t.Errorf("the run is %s and ended with %s", log.status, last.raw)
	}
	if release := callWith(t, log, "sh scripts/release.sh staging"); release.result.Error == "" {
		t.Errorf("the call in the vanished folder gave %s", release.result.raw)
	}
}

func TestAToolThatMisbehavesEndsInAnErrorAndTheRunGoesOn(t *testing.T) {
	type none struct{}
	release := make(chan struct{})
	tools := []*tool.Tool{
		tool.Must(tool.Config[none, string]{Name: "hangs", Description: "hangs", Timeout: 20 * time.Millisecond, Run: func(tool.Context, none) (string, error) {
			<-release
			return "late", nil
		}}),
		tool.Must(tool.Config[none, string]{Name: "panics", Description: "panics", Run: func(tool.Context, none) (string, error) {
			panic("out of cheese")
		}}),
		tool.Must(tool.Config[none, string]{Name: "floods", Description: "floods", Run: func(tool.Context, none) (string, error) {
			return strings.Repeat("0123456789", 5<<20), nil
		}}),
	}
	heard := &ear{Backend: &scripted.Backend{Turns: []scripted.Turn{
		scripted.CallTool("c1", "hangs", "{}"), scripted.CallTool("c2", "panics", "{}"), scripted.CallTool("c3", "floods", "{}"), scripted.Say("I went on."),
	}}}
	b := openBench(t, Config{})
	t.Cleanup(func() { close(release) })
	b.studio.runner.Resolve = func(context.Context, string, string) (*agent.Agent, error) {
		return &agent.Agent{Name: demoAgent, Backend: heard, Tools: tools}, nil
	}
	thread := b.newThread(`{}`)
	log := b.settled(b.send(thread.ID, demoAgent, "Go"))
	if log.status != "completed" {
		t.Fatalf("the run is %s: %s", log.status, log.last().raw)
	}
	results := log.of("tool-result")
	if results[0].ErrorCode != tool.CodeTimeout || !strings.Contains(results[0].Error, `"hangs" timed out after 20ms`) {
		t.Errorf("the tool that hangs gave %s", results[0].raw)
	}
	if results[1].ErrorCode != tool.CodeExecutionFailed || !strings.Contains(results[1].Error, "out of cheese") {
		t.Errorf("the tool that panics gave %s", results[1].raw)
	}
	if results[2].ErrorCode != tool.CodeExecutionFailed || !strings.Contains(results[2].Error, "too large: 50.0 MiB") {
		t.Errorf("the tool that floods gave %.300s", results[2].raw)
	}
	if !strings.Contains(heard.last, "too large") {
		t.Errorf("of the flood the model read %.300s", heard.last)
	}
}

// ear remembers the last message a model was sent.
type ear struct {
	model.Backend
	last string
}

func (e *ear) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	e.last = request.Messages[len(request.Messages)-1].Content
	return e.Backend.Stream(ctx, request)
}

func TestAKeyThatAServerRepeatsIsNotInWhatIsStoredOfItsAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, ": you are %s\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
			r.Header.Get("Authorization"))
	}))
	defer server.Close()
	b := openBench(t, Config{Key: secretKey + "\n", EnvBaseURL: server.URL})
	env, err := b.studio.provider(t.Context(), envProvider)
	if err != nil {
		t.Fatal(err)
	}
	var raw, text string
	for chunk, err := range b.studio.connect(env).Stream(t.Context(), &model.Request{Model: "m1"}) {
		if err != nil {
			t.Fatal(err)
		}
		raw += string(chunk.Raw)
		text += chunk.Text
	}
	if strings.Contains(raw, secretKey) || !strings.Contains(raw, ": you are Bearer "+mask) || text != "Hi" {
		t.Errorf("stored is %q, said is %q", raw, text)
	}
}
