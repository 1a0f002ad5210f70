package storage_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model/openai"
	"callboard/backend/protocol"
	"callboard/backend/tool"
	"callboard/storage"
)

// signing is a server that signs its calls, and refuses a history in which a call comes back without its signature, as Gemini does.
func signing(w http.ResponseWriter, r *http.Request) {
	const signature = `"extra_content":{"google": {"thought_signature":"A+/\u003d1.0"}}`
	body, err := io.ReadAll(r.Body)
	text := string(body)
	if calls := strings.Count(text, `"type":"function","function":{"name":"deploy","arguments"`); err != nil || calls != strings.Count(text, signature) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"Function call is missing a thought_signature"}}`)
		return
	}
	delta := `{"content":"Done."}`
	if !strings.Contains(text[strings.LastIndex(text, `"role":"`):], "is online") {
		delta = `{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"deploy","arguments":"{}"},` + signature + `}]}`
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\ndata: [DONE]\n\n", delta)
}

// TestACallKeepsItsSignature has a server's signature survive a person's decision, a restart, an export and an import.
func TestACallKeepsItsSignature(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(signing))
	t.Cleanup(server.Close)
	deploy := tool.Must(tool.Config[struct{}, string]{
		Name: "deploy", Description: "Puts it online", Approval: tool.Always,
		Run: func(tool.Context, struct{}) (string, error) { return "it is online", nil },
	})
	a := &agent.Agent{Name: "ops", Tools: []*tool.Tool{deploy}, Backend: &openai.Backend{BaseURL: server.URL + "/v1", Model: "gemini"}}
	ask := func(db *storage.DB) *approval.Pending {
		t.Helper()
		r := &agent.Runner{Store: db, Resolve: agent.Agents(a)}
		outcome, err := r.Run(t.Context(), a, agent.Input{ThreadID: "t1", Text: "Deploy."})
		if err != nil || outcome.Status != protocol.StatusPaused {
			t.Fatalf("asked for a call: got %+v, %v", outcome, err)
		}
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		return outcome.Pending[0]
	}
	decide := func(db *storage.DB, p *approval.Pending) {
		t.Helper()
		r := &agent.Runner{Store: db, Resolve: agent.Agents(a)}
		_, h, err := r.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, By: "ann", ArgumentsHash: p.ArgumentsHash})
		if err != nil {
			t.Fatal(err)
		}
		if outcome, err := h.Wait(t.Context()); err != nil || outcome.Status != protocol.StatusCompleted || outcome.Output != "Done." {
			t.Errorf("after the decision: got %+v, %v", outcome, err)
		}
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "callboard.db")
	db, err := storage.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	waits := ask(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = storage.Open(path); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	f := &forkable{T: t, db: db}
	decide(f.db, waits)
	other := f.elsewhere()
	if err := other.db.ImportThread(t.Context(), storage.Import{Lines: linesOf(f.file("t1"))}); err != nil {
		t.Fatal(err)
	}
	decide(other.db, ask(other.db))
}
