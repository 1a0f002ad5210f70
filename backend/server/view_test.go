package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/openai"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
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

// H1: a secret is found in the joined text, not in single pieces.
func TestTheRawAnswerGivesNoSecretAwayInItsPieces(t *testing.T) {
	chunk := func(delta string) string { return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n" }
	for name, test := range map[string]struct {
		deltas []string
		unread int
	}{
		"content":   {[]string{chunk(`{"content":"It is s3cr"}`), chunk(`{"content":"3t-of-"}`), chunk(`{"content":"ada."}`)}, 0},
		"reasoning": {[]string{chunk(`{"reasoning_content":"It is s3cr"}`), chunk(`{"reasoning_content":"3t-of-ada."}`), chunk(`{"content":"no"}`)}, 0},
		"arguments": {[]string{
			chunk(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"release","arguments":"{\"target\":\"s3cr"}}]}`),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"3t-of-ada\"}"}}]}`),
		}, 0},
		"a piece that cannot be read": {[]string{chunk(`{"content":"It is s3cr"}`), "data: 3t-of\n\n", chunk(`{"content":"-ada."}`)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			provider := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Type", "text/event-stream")
				for _, delta := range test.deltas {
					_, _ = io.WriteString(rw, delta)
				}
				_, _ = io.WriteString(rw, "data: [DONE]\n\n")
			}))
			defer provider.Close()
			w := start(t, func(s *Server) {
				s.Redact = &redact.Policy{Secrets: func() []string { return []string{secret} }}
				s.Agents[0].Backend = &openai.Backend{BaseURL: provider.URL}
			})
			run := w.begin("go")
			w.eventually("the run ends or waits", func() bool { s := w.statusOf(run.RunID); return s.Ended() || s == protocol.StatusPaused })
			var answer struct{ Requests []requestAnswer }
			w.json("GET", "/runs/"+run.RunID+"/requests", "", &answer)
			first := answer.Requests[0]
			var got strings.Builder
			for _, piece := range first.Received {
				got.WriteString(piece.Text)
			}
			for _, part := range []string{"s3cr", "3t-of", "-ada"} {
				if strings.Contains(got.String(), part) {
					t.Errorf("%q is in %s", part, got.String())
				}
			}
			want := redact.Mask
			if test.unread > 0 {
				want = redact.Withheld
			}
			if !strings.Contains(got.String(), want) || first.Unread != test.unread {
				t.Errorf("got %d places that could not be read in %s, want %d and %s", first.Unread, got.String(), test.unread, want)
			}
		})
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

// CASES H1: a secret could be guessed letter by letter.
func TestAThreadIsFoundByWhatItsTitleShows(t *testing.T) {
	w, _ := secretive(t, nil)
	for query, want := range map[string]int{"": 1, "it IS": 1, "[redacted]": 1, "s3cr": 0, secret: 0} {
		for _, as := range []string{"", "&view=user"} {
			var list struct{ Threads []agent.ThreadSummary }
			w.json("GET", "/threads?query="+url.QueryEscape(query)+as, "", &list)
			if got := len(list.Threads); got != want {
				t.Errorf("?query=%s%s finds %d threads, want %d", query, as, got, want)
			}
		}
	}
}

func TestAUserReadsOfAFailedRunThatItFailed(t *testing.T) {
	w := start(t, nil, scripted.Turn{Chunks: []scripted.Chunk{{Error: "quota of org-7 at host10.internal"}}})
	w.begin("go")
	var list struct{ Threads []agent.ThreadSummary }
	w.eventually("the run fails", func() bool {
		w.json("GET", "/threads", "", &list)
		return len(list.Threads) == 1 && strings.Contains(list.Threads[0].Error, "org-7")
	})
	w.json("GET", "/threads?view=user", "", &list)
	if got := list.Threads[0].Error; got != "The run failed." {
		t.Errorf("a user reads %q", got)
	}
}

func TestAnEditDoesNotRunTheMask(t *testing.T) { // CASES C6, C7
	w, run := secretive(t, nil)
	var list struct {
		Approvals []struct {
			ApprovalID, ArgumentsHash, ArgumentsText string
			Masked                                   bool
		}
	}
	w.json("GET", "/approvals", "", &list)
	shown := list.Approvals[0]
	if sum := sha256.Sum256([]byte(`{"target":"` + secret + `"}`)); !shown.Masked || shown.ArgumentsText != `{"target":"[redacted]"}` || shown.ArgumentsHash != hex.EncodeToString(sum[:]) {
		t.Errorf("got %+v, want it masked, with the hash of what runs", shown)
	}
	decision := func(argumentsText string) string {
		text, _ := json.Marshal(map[string]any{"approved": true, "argumentsHash": shown.ArgumentsHash, "argumentsText": argumentsText})
		return string(text)
	}
	path := "/approvals/" + shown.ApprovalID + "/decision"
	for _, edited := range []string{`{"target":"[redacted] too"}`, `{"target":"\u005bredacted]"}`} {
		if status, body := w.request("POST", path, decision(edited)); status != http.StatusBadRequest || !strings.Contains(body, "a secret is masked") {
			t.Errorf("decide with %s: got %d: %s", edited, status, body)
		}
		text, _ := json.Marshal(edited)
		resume := `{"threadId":"t","decisions":{"c1":{"approved":true,"argumentsText":` + string(text) + `}}}`
		for _, route := range []string{"/agents/demo/resume", "/agents/demo/resume/stream"} {
			if status, body := w.request("POST", route, resume); status != http.StatusBadRequest || !strings.Contains(body, "a secret is masked") {
				t.Errorf("%s with %s: got %d: %s", route, edited, status, body)
			}
		}
	}
	if got := len(w.pending()); got != 1 {
		t.Errorf("%d calls wait, want the one", got)
	}
	if status, body := w.request("POST", path, decision(`{"target":"another"}`)); status != http.StatusOK {
		t.Errorf("decide without the mask: got %d: %s", status, body)
	}
	w.eventually("the run ends", func() bool { return w.statusOf(run).Ended() })
}

func TestAnEditMayHoldTheMaskWhereNothingWasMasked(t *testing.T) {
	w := start(t, func(s *Server) { s.Redact = &redact.Policy{} }, scripted.CallTool("c1", "release", `{"target":"[redacted]"}`), scripted.Say("done"))
	run := w.paused()
	p := w.pending()[0]
	body := `{"approved":true,"argumentsHash":"` + p.ArgumentsHash + `","argumentsText":"{\"target\":\"[redacted] too\"}"}`
	if status, text := w.request("POST", "/approvals/"+p.ApprovalID+"/decision", body); p.Masked || status != http.StatusOK {
		t.Errorf("masked %t, got %d: %s", p.Masked, status, text)
	}
	w.eventually("the run ends", func() bool { return w.statusOf(run.RunID).Ended() })
}

func TestATitleThatComesBackMaskedStays(t *testing.T) {
	w, _ := secretive(t, nil)
	for _, c := range []struct {
		title  string
		status int
		want   string // in the store
	}{
		{"It is " + redact.Mask, http.StatusOK, "It is " + secret},
		{"It was " + redact.Mask, http.StatusBadRequest, "It is " + secret},
		{"Another", http.StatusOK, "Another"},
	} {
		status, body := w.request("PATCH", "/threads/t", `{"title":"`+c.title+`"}`)
		thread, err := w.server.log.Thread(t.Context(), "t")
		if err != nil || status != c.status || strings.Contains(body, secret) || thread.Title != c.want {
			t.Errorf("rename to %q: got %d %s, stored %+v, %v", c.title, status, body, thread, err)
		}
	}
}

// Every answer passes through one writer, so that a route that says what no view was asked about gives no secret away either.
func TestAnErrorGivesNoSecretAway(t *testing.T) {
	w, _ := secretive(t, nil)
	for _, route := range []string{"/threads/" + secret, "/runs/" + secret + "/events", "/threads?view=" + secret, "/nothing/" + secret} {
		if status, body := w.request("GET", route, ""); status < 400 || strings.Contains(body, secret) || !strings.Contains(body, redact.Mask) {
			t.Errorf("GET %s: got %d: %s", route, status, body)
		}
	}
}
