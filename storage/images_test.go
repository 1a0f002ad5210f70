package storage_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/openai"
	"callboard/backend/tool"
	"callboard/storage"
)

// seer is a server that asks for a screenshot, then says what it saw, and keeps what it was asked.
type seer struct {
	mu     sync.Mutex
	bodies []string
}

func (s *seer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.bodies = append(s.bodies, string(body))
	n := len(s.bodies)
	s.mu.Unlock()
	delta, reason := `{"content":"I see."}`, "stop"
	if n == 1 {
		delta, reason = `{"tool_calls":[{"index":0,"id":"p1","function":{"name":"screenshot","arguments":"{}"}}]}`, "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, `data: {"choices":[{"delta":`+delta+`,"finish_reason":"`+reason+`"}]}`+"\n\ndata: [DONE]\n\n") // or the test fails
}

// CASES.md F6.
func TestAnImageIsStoredOnceAndReadAsOne(t *testing.T) {
	picture := make([]byte, 2<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(picture) // it never fails
	copy(picture, "\x89PNG\x0D\x0A\x1A\x0A")
	shot := tool.Must(tool.Config[struct{}, map[string]any]{
		Name: "screenshot", Description: "Takes one",
		Run: func(tool.Context, struct{}) (map[string]any, error) {
			return map[string]any{"image": picture, "of": "page"}, nil
		},
	})
	var asked seer
	server := httptest.NewServer(&asked)
	defer server.Close()
	path := filepath.Join(t.TempDir(), "callboard.db")
	open := func() (*storage.DB, *agent.Runner) {
		db, err := storage.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		a := &agent.Agent{Name: "demo", Tools: []*tool.Tool{shot}, Backend: &openai.Backend{BaseURL: server.URL + "/v1", Model: "m"}}
		return db, &agent.Runner{Store: db, Resolve: agent.Agents(a)}
	}
	send := func(r *agent.Runner, threadID, messageID string) *agent.Outcome {
		h, err := r.Start(t.Context(), "demo", agent.Input{ThreadID: threadID, MessageID: messageID, Text: "Look."})
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := h.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return outcome
	}
	closeAll := func(db *storage.DB, r *agent.Runner) {
		if err := errors.Join(r.Close(context.WithoutCancel(t.Context())), db.Close()); err != nil {
			t.Error(err)
		}
	}

	db, r := open()
	first := send(r, "t1", "u1")
	url := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(picture) + `"}}`
	if got := asked.bodies[1]; strings.Count(got, url) != 1 || !strings.Contains(got, `"content":"{\"image\":\"[image 1: image/png]\",\"of\":\"page\"}"`) {
		t.Errorf("the model reads %s", strings.ReplaceAll(got, url, "<the image>"))
	}
	records, err := db.Events(t.Context(), first.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, record := range records {
		size += len(record.JSON)
	}
	requests, err := db.RunRequests(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range requests {
		size += len(request.Sent.Tail)
	}
	if size > 10_000 {
		t.Errorf("events and requests have %d bytes", size)
	}
	closeAll(db, r)

	// A restart sends the same bytes and more.
	db, r = open()
	send(r, "t1", "u2")
	if before := strings.TrimSuffix(asked.bodies[1], "]}"); !strings.HasPrefix(asked.bodies[2], before) {
		t.Error("after a restart the request does not begin with the one before")
	}
	if err := db.ForkThread(t.Context(), storage.Fork{ThreadID: "t1", MessageID: "u2", NewID: "t2"}); err != nil {
		t.Fatal(err)
	}
	if err := db.DeleteThread(t.Context(), "t1"); err != nil {
		t.Fatal(err)
	}
	send(r, "t2", "u2")
	if strings.Count(asked.bodies[3], url) != 1 {
		t.Error("a fork without its original does not show the image")
	}
	thread, err := db.Thread(t.Context(), "t2")
	if err != nil {
		t.Fatal(err)
	}
	var image model.Image
	for _, m := range thread.Messages {
		for _, image = range m.Images {
			if image.Bytes != len(picture) || image.MediaType != "image/png" {
				t.Errorf("the fork's image is %+v", image)
			}
		}
	}
	if body, _, err := db.Blob(t.Context(), image.Hash); !bytes.Equal(body, picture) || err != nil {
		t.Errorf("its blob has %d bytes (%v)", len(body), err)
	}
	if err := db.DeleteThread(t.Context(), "t2"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Blob(t.Context(), image.Hash); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("the image outlives its threads: %v", err)
	}
	closeAll(db, r)
}
