package server

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/redact"
)

const secret = "s3cr3t-of-ada"

// secretive has a secret in everything a run makes: the input, the text in pieces, arguments, a result, an approval.
func secretive(t *testing.T, change func(*Server)) (w *world, runID string) {
	t.Helper()
	w = start(t, func(s *Server) {
		s.Redact = &redact.Policy{Secrets: func() []string { return []string{secret} }}
		if change != nil {
			change(s)
		}
	}, scripted.Turn{Chunks: []scripted.Chunk{
		{Text: "It is s3cr"},
		{Text: "3t-of"},
		{Text: "-ada, said"},
		{ToolCalls: []model.ToolCall{{ID: "c1", Name: "release", Arguments: `{"target":"` + secret + `"}`}}},
	}})
	var run struct {
		RunID string `json:"runId"`
	}
	w.json("POST", "/agents/demo/run", `{"input":"It is `+secret+`","threadId":"t"}`, &run)
	return w, run.RunID
}

func TestNoRouteGivesASecretAway(t *testing.T) {
	w, run := secretive(t, nil)
	routes := []struct{ method, path, body, accept string }{
		{"GET", "/runs/" + run + "/events", "", "application/json"},
		{"GET", "/runs/" + run + "/events?after=5", "", "application/json"},
		{"GET", "/runs/" + run + "/events?view=user", "", "application/json"},
		{"GET", "/runs/" + run + "/requests", "", ""},
		{"GET", "/threads", "", ""},
		{"GET", "/threads/t", "", ""},
		{"GET", "/threads/t/runs", "", ""},
		{"GET", "/approvals", "", ""},
		{"POST", "/agents/demo/resume/stream", `{"threadId":"t"}`, ""},
		{"POST", "/agents/demo/resume", `{"threadId":"t"}`, ""},
	}
	for _, route := range routes {
		status, body := w.request(route.method, route.path, route.body, "Accept", route.accept)
		if status != http.StatusOK || strings.Contains(body, secret) || !strings.Contains(body, redact.Mask) && !strings.Contains(route.path, "after=") {
			t.Errorf("%s %s: got %d: %s", route.method, route.path, status, body)
		}
	}
}

func TestEachPageOfAViewGoesOnWhereTheOneBeforeEnded(t *testing.T) {
	w, run := secretive(t, nil)
	type page struct {
		Events []struct {
			Seq   int64  `json:"seq"`
			Type  string `json:"type"`
			Delta string `json:"delta"`
		} `json:"events"`
	}
	var whole page
	read := func(query string, to *page) {
		_, body := w.request("GET", "/runs/"+run+"/events?"+query, "", "Accept", "application/json")
		if err := json.Unmarshal([]byte(body), to); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
	}
	read("view=operator", &whole)
	text := ""
	for _, e := range whole.Events {
		if e.Type == "text-delta" {
			text += e.Delta
		}
	}
	if want := "It is [redacted], said"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	for after := range whole.Events {
		var rest page
		read("after="+strconv.Itoa(after), &rest)
		if len(rest.Events) != len(whole.Events)-after || rest.Events[0] != whole.Events[after] {
			t.Errorf("after %d: got %v, want %v", after, rest.Events, whole.Events[after:])
		}
	}
}

func TestAUserSeesLess(t *testing.T) {
	w, run := secretive(t, func(s *Server) {
		s.ViewOf = func(r *http.Request) redact.View {
			if r.Header.Get("X-Client") == "user" {
				return redact.User
			}
			return redact.Operator
		}
	})
	for _, path := range []string{"/runs/" + run + "/requests", "/runs/" + run + "/events?view=operator", "/blobs/abc"} {
		if status, body := w.request("GET", path, "", "X-Client", "user"); status != http.StatusForbidden {
			t.Errorf("GET %s as a user: got %d: %s", path, status, body)
		}
	}
	for _, path := range []string{"/runs/" + run + "/events", "/threads/t", "/approvals"} {
		status, body := w.request("GET", path, "", "X-Client", "user", "Accept", "application/json")
		if status != http.StatusOK || strings.Contains(body, "target") {
			t.Errorf("GET %s as a user: got %d: %s", path, status, body)
		}
		if _, whole := w.request("GET", path, "", "Accept", "application/json"); !strings.Contains(whole, "target") {
			t.Errorf("GET %s as the operator: got %s", path, whole)
		}
	}
	if status, body := w.request("GET", "/threads/t?view=all", ""); status != http.StatusBadRequest || !strings.Contains(body, "got") {
		t.Errorf("another view: got %d: %s", status, body)
	}
}
