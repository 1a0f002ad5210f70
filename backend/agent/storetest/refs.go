package storetest

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/protocol"
)

func testRefs(t *testing.T, s Store) {
	quoted := func(n int, unit string) json.RawMessage {
		return json.RawMessage(`"` + strings.Repeat(unit, n/len(unit)) + `"`)
	}
	object := json.RawMessage(`{"text":` + string(quoted(100<<10, `é\n`)) + `,"n":1.0}`)
	plan := []protocol.Event{
		&protocol.ToolUpdate{ToolCallID: "c1", Content: quoted(70<<10, "p"), Details: json.RawMessage(`{"n":1.0}`)},
		&protocol.ToolResult{ID: "e1", ToolCallID: "c1", Result: quoted(1<<20, "abc"), Details: object, Error: "so"},
		&protocol.ToolCallDelta{ID: "c2", ArgsTextDelta: strings.Repeat("x", 100<<10)},
		&protocol.ToolResult{ID: "e2", ToolCallID: "c2", Result: json.RawMessage(`7`), Details: quoted(60<<10, "y")},
		&protocol.Unknown{Kind: "later", Raw: json.RawMessage(`{"type":"later","result":` + string(object) + `}`)},
	}
	var frames, want []protocol.Frame
	values := map[string][]byte{}
	for i, event := range plan {
		f := protocol.Frame{Seq: int64(i + 1), AtMs: 5, Event: event}
		frames = append(frames, f)
		referring, texts := protocol.Refer(event)
		f.Event = referring
		want = append(want, f)
		for hash, text := range texts {
			values[hash] = text
		}
	}
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Frames: frames})
	records, err := s.EventRefs(t.Context(), "r1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := func(seq int, text []byte) protocol.Frame { // the order of its members is the store's
		f, err := protocol.DecodeFrame(int64(seq), text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for i, text := range encoded(t, want) {
		same(t, "an event that refers", read(i+1, records[i].JSON), read(i+1, []byte(text)))
	}
	same(t, "events that hold", events(t, s, "r1", 0, 0), encoded(t, frames))
	if len(values) != 3 {
		t.Errorf("%d values are referred to, want 3", len(values))
	}
	for hash, text := range values {
		body, mediaType, err := s.Blob(t.Context(), hash)
		if string(body) != string(text) || mediaType != "application/json" || err != nil {
			t.Errorf("blob %s has %d bytes of %s (%v), want %d", hash, len(body), mediaType, err, len(text))
		}
	}
	page, err := s.EventRefs(t.Context(), "r1", 1, 1)
	if err != nil || len(page) != 1 || page[0].Seq != 2 {
		t.Errorf("one event after the first is %d of them (%v)", len(page), err)
	}
	if _, err := s.EventRefs(t.Context(), "nope", 0, 0); err == nil {
		t.Error("a run that is not there has events")
	}
}
