package server

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/redact"
	"callboard/backend/tool"
)

// A blocked answer is in the stored request, for operators; a user's client gets it over no route.
func TestWhatWasBlockedIsForOperators(t *testing.T) {
	operator := func(*http.Request) redact.View { return redact.Operator }
	for name, viewOf := range map[string]func(*http.Request) redact.View{"a client nobody named": nil, "an operator": operator} {
		t.Run(name, func(t *testing.T) {
			show := viewOf != nil
			s := &Server{ViewOf: viewOf, Agents: []*agent.Agent{{
				Name: "demo", Backend: rawBackend{"The SECRET"},
				Middleware: []agent.Middleware{{HoldBack: true, AfterModel: func(tool.Context, *agent.Answer) error { return agent.Block("No.") }}},
			}}}
			h := s.Handler()
			t.Cleanup(func() {
				if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			ask := func(method, path, body string) string {
				r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					t.Fatalf("%s %s: got %d %s", method, path, w.Code, w.Body)
				}
				return w.Body.String()
			}
			answer := ask("POST", "/agents/demo/run", `{"input":"go"}`)
			var run runAnswer
			if err := json.Unmarshal([]byte(answer), &run); err != nil || !run.Blocked || run.Output != "No." {
				t.Fatalf("got %s %v, want it to be blocked", answer, err)
			}
			for _, path := range []string{"/runs/" + run.RunID + "/events", "/threads/" + run.ThreadID, "/threads"} {
				if got := ask("GET", path, ""); strings.Contains(got, "SECRET") {
					t.Errorf("%s leaks: %s", path, got)
				}
			}
			requests := ask("GET", "/runs/"+run.RunID+"/requests", "")
			if got := strings.Contains(requests, "SECRET"); got != show {
				t.Errorf("the requests show the answer: %v, want %v: %s", got, show, requests)
			}
			if got := strings.Contains(requests, `"withheld":true`); got == show {
				t.Errorf("the requests say that something is withheld: %v, want %v", got, !show)
			}
		})
	}
}

// rawBackend says a text, as it came over a wire.
type rawBackend struct{ text string }

func (b rawBackend) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{Text: b.text, Raw: []byte(b.text)}, nil) }
}
