package storetest

import (
	"errors"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// shown is a message that shows an image, and the blob of that image.
func shown(runID, toolCallID, hash string) (*model.Message, agent.Blob) {
	m := result(runID, toolCallID, "[image 1: image/png, 4x3]")
	blob := agent.Blob{Hash: hash, MediaType: "image/png", Body: []byte("bytes of " + hash + "\x00\xff")}
	m.Images = []model.Image{{Hash: hash, MediaType: "image/png", Bytes: len(blob.Body), Width: 4, Height: 3}}
	return m, blob
}

func testImages(t *testing.T, s Store) {
	first, blob := shown("r1", "c1", "aa")
	call := agent.Call{RunID: "r1", ToolCallID: "c1", State: protocol.StateDone, Message: first}
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Calls: []agent.Call{call}, Blobs: []agent.Blob{blob}})
	same(t, "ledger", one(t, s, "r1").Calls, []agent.Call{call})
	same(t, "history before the turn is over", len(thread(t, s, "t1").Messages), 0)

	// Two images of one message, one of them known; and a message that is in no ledger.
	second, other := shown("r1", "c2", "bb")
	second.Images = append(second.Images, first.Images[0])
	loose, _ := shown("r0", "c0", "aa")
	appendAll(t, s, &agent.Batch{
		Run: run("r1", "t1"), Messages: []*model.Message{first, second, loose}, Blobs: []agent.Blob{other},
		Calls: []agent.Call{{RunID: "r1", ToolCallID: "c2", State: protocol.StateDone, Message: second}},
	})
	same(t, "history", thread(t, s, "t1").Messages, []*model.Message{first, second, loose})
	same(t, "ledger of both", one(t, s, "r1").Calls[1].Message, second)

	// The bytes that came first stay, for another thread too.
	again, changed := shown("r2", "c1", "aa")
	changed.Body = []byte("other bytes of as long a kind")
	appendAll(t, s, &agent.Batch{Run: agent.Run{ThreadID: "t2"}, Messages: []*model.Message{again}, Blobs: []agent.Blob{changed}})
	body, mediaType, err := s.Blob(t.Context(), "aa")
	if string(body) != string(blob.Body) || mediaType != "image/png" || err != nil {
		t.Errorf("the blob is %q of %s (%v), want %q", body, mediaType, err, blob.Body)
	}

	unknown, _ := shown("r1", "c3", "cc")
	for name, b := range map[string]*agent.Batch{
		"a run":    {Run: run("r1", "t1"), Messages: []*model.Message{unknown}},
		"a thread": {Run: agent.Run{ThreadID: "t1"}, Messages: []*model.Message{unknown}},
		"a ledger": {Run: run("r1", "t1"), Calls: []agent.Call{{RunID: "r1", ToolCallID: "c3", Message: unknown}}},
	} {
		if err := s.Append(t.Context(), b); err == nil {
			t.Errorf("a message to %s that shows what is not stored was taken", name)
		}
	}
	same(t, "history after what was refused", len(thread(t, s, "t1").Messages), 3)

	ended := run("r1", "t1")
	ended.Status = protocol.StatusCompleted
	appendAll(t, s, &agent.Batch{Run: ended})
	for _, step := range []struct {
		thread string
		left   map[string]bool
	}{{"t1", map[string]bool{"aa": true, "bb": false}}, {"t2", map[string]bool{"aa": false, "bb": false}}} {
		if err := s.DeleteThread(t.Context(), step.thread); err != nil {
			t.Fatal(err)
		}
		for hash, want := range step.left {
			_, _, err := s.Blob(t.Context(), hash)
			if want && err != nil || !want && !errors.Is(err, agent.ErrNotFound) {
				t.Errorf("blob %s once thread %s is gone: %v, left should be %v", hash, step.thread, err, want)
			}
		}
	}
}
