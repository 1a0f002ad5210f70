package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/server"
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
	for range 1000 {
		answer := fetch[struct{ Runs []struct{ Status string } }](b, http.MethodGet, "/api/threads/"+threadID+"/runs", "", http.StatusOK)
		if len(answer.Runs) == 1 && answer.Runs[0].Status == "completed" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Fatalf("the run of thread %s does not complete", threadID)
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
	b.call(http.MethodDelete, "/api/studio/attached/there", "", http.StatusNoContent)
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
