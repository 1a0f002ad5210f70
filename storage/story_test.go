package storage

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// story appends a run event by event.
type story struct {
	testing.TB
	db  *DB
	run agent.Run
}

func newStory(t testing.TB, db *DB, thread, run string, atMs int64) *story {
	return &story{TB: t, db: db, run: agent.Run{
		ID: run, ThreadID: thread, AgentName: "demo", Status: protocol.StatusRunning, CreatedAtMs: atMs, UpdatedAtMs: atMs,
	}}
}

// tell stores events, one a millisecond.
func (s *story) tell(events ...protocol.Event) {
	s.Helper()
	b := &agent.Batch{}
	for _, e := range events {
		s.run.Last++
		s.run.UpdatedAtMs++
		b.Frames = append(b.Frames, protocol.Frame{Seq: s.run.Last, AtMs: s.run.UpdatedAtMs, Event: e})
		switch e := e.(type) {
		case *protocol.Finish:
			s.run.Status = e.Status
		case *protocol.Error:
			s.run.Status = protocol.StatusFailed
		}
	}
	b.Run = s.run
	if err := s.db.Append(s.Context(), b); err != nil {
		s.Fatal(err)
	}
}

func (s *story) start(message string) {
	s.Helper()
	s.tell(&protocol.Start{MessageID: "m", ThreadID: s.run.ThreadID, RunID: s.run.ID, AgentName: s.run.AgentName},
		&protocol.Message{MessageID: "u-" + s.run.ID, Role: model.RoleUser, Content: message})
}

func (s *story) say(text string) {
	s.Helper()
	half := len(text) / 2
	s.tell(&protocol.TextStart{ID: "t" + text}, &protocol.TextDelta{ID: "t" + text, Delta: text[:half]},
		&protocol.TextDelta{ID: "t" + text, Delta: text[half:]}, &protocol.TextEnd{ID: "t" + text})
}

func (s *story) call(id, toolName, arguments string) {
	s.Helper()
	s.tell(&protocol.ToolCallStart{ID: id, ToolName: toolName}, &protocol.ToolCallDelta{ID: id, ArgsTextDelta: arguments},
		&protocol.ToolCallEnd{ID: id}, &protocol.ToolUpdate{ToolCallID: id, Presentation: &tool.Presentation{Label: "Label of " + id}})
}

func (s *story) running(id string) {
	s.tell(&protocol.CallState{ToolCallID: id, State: protocol.StateRunning})
}

func (s *story) result(id, result string) {
	s.tell(&protocol.ToolResult{ID: "e" + id, ToolCallID: id, Result: json.RawMessage(result)})
}

func (s *story) finish() {
	s.tell(&protocol.Finish{MessageID: "m", ThreadID: s.run.ThreadID, Status: protocol.StatusCompleted})
}

// whole is what a search finds once all is in the index.
func whole(t testing.TB, db *DB, q SearchQuery) *SearchPage {
	t.Helper()
	indexed(t, db)
	page, err := db.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// indexed waits until all is in the index.
func indexed(t testing.TB, db *DB) {
	t.Helper()
	for {
		page, err := db.Search(t.Context(), SearchQuery{})
		if err != nil || page.Fault != nil {
			t.Fatal(err, page.Fault)
		}
		if page.Behind == 0 {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the index was not whole in time")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// brief says of hits what they are.
func brief(hits []Hit) []string {
	out := []string{}
	for _, h := range hits {
		text := fmt.Sprintf("%s/%d %s", h.RunID, h.Seq, h.Kind)
		if h.ToolCallID != "" {
			text += fmt.Sprintf(" %s %s %s", h.ToolCallID, h.ToolName, h.State)
		}
		out = append(out, text)
	}
	return out
}

// tellAll is a database with a run of every kind of text.
func tellAll(t *testing.T, db *DB) {
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("Please fix the Größe of it")                                                                                                      // 2
	s.tell(&protocol.ReasoningStart{ID: "x"}, &protocol.ReasoningDelta{ID: "x", Delta: "maybe in parseSize"}, &protocol.ReasoningEnd{ID: "x"}) // 5
	s.say("I look at it.")                                                                                                                     // 9
	s.call("c1", "read_file", `{"path":"src/parse_size.go","note":"say \"hi\"\né"}`)                                                           // 12
	s.running("c1")
	s.result("c1", `"func parseSize() {\n\treturn 8080\n}"`)           // 15
	s.call("c2", "shell", `{"command":"go test ./... -run 'TestA*'"}`) // 18
	s.running("c2")
	s.tell(&protocol.ToolResult{ID: "ec2", ToolCallID: "c2", Result: json.RawMessage("null"), Error: "exit status 1", ErrorCode: "X"}) // 21
	s.tell(&protocol.ToolCallStart{ID: "c3", ToolName: "write_file"}, &protocol.ToolCallDelta{ID: "c3", ArgsTextDelta: `{"text":"half wri`},
		&protocol.ToolCallEnd{ID: "c3", Dropped: true}, &protocol.ToolResult{ID: "ec3", ToolCallID: "c3", Dropped: true, Reason: protocol.Incomplete}) // 24
	s.tell(&protocol.Error{Message: "budget exceeded", Code: "LLM"}) // 26
}
