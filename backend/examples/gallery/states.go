package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// The recorded run, and the thread it stands in.
const (
	statesRun    = "states"
	statesThread = "thread_states"
	pace         = 100 * time.Millisecond // from event to event
)

// record puts a run into a store in which calls stand in every state, as if a server had streamed it: at its end it waits for a
// decision.
func record(ctx context.Context, store agent.Store, now time.Time) error {
	events := states()
	at := now.Add(-time.Duration(len(events)) * pace).UnixMilli()
	batch := &agent.Batch{Run: agent.Run{
		ID: statesRun, ThreadID: statesThread, AgentName: "gallery", Input: asked, Status: protocol.StatusPaused,
		MessageID: "m1", Turn: 2, Last: int64(len(events)), CallCount: 12, CreatedAtMs: at, UpdatedAtMs: now.UnixMilli(),
	}}
	for i, event := range events {
		batch.Frames = append(batch.Frames, protocol.Frame{Seq: int64(i + 1), AtMs: at + int64(i)*pace.Milliseconds(), Event: event})
	}
	if err := store.Append(ctx, batch); err != nil {
		return fmt.Errorf("record the states: %w", err)
	}
	return nil
}

const asked = "Show me a call in every state."

func states() []protocol.Event {
	var r recording
	r.add(
		&protocol.Start{MessageID: "m1", ThreadID: statesThread, RunID: statesRun, AgentName: "gallery"},
		&protocol.Message{MessageID: "u1", Role: "user", Content: asked},
		&protocol.Turn{Turn: 1, Phase: protocol.TurnStart, AgentName: "gallery", Model: "recorded"},
		&protocol.TextStart{ID: "t1"},
		&protocol.TextDelta{ID: "t1", Delta: "Calls end in more ways than one."},
		&protocol.TextEnd{ID: "t1"},
	)
	r.propose("dropped", "write_file", nil, `{"path":"notes.md","content":"# Notes\n\nThe first li`)
	r.add(
		&protocol.ToolCallEnd{ID: "dropped", Dropped: true},
		&protocol.ToolResult{ID: "dropped-r", ToolCallID: "dropped", Dropped: true, Reason: protocol.Incomplete},
	)
	for _, id := range []string{"read1", "read2", "read3", "read4"} {
		r.propose(id, "read_file", &tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "internal/" + id + ".go"}, `{"path":"internal/`+id+`.go"}`)
		r.run(id, 12, `"package internal"`)
	}
	r.propose("failed", "run_tests", &tool.Presentation{Label: "Run tests", Icon: "flask-conical", Detail: "./internal/…"}, `{"packages":["./internal/..."]}`)
	r.fail("failed", tool.CodeExecutionFailed, "exit status 1: 2 of 40 tests failed")
	r.propose("timeout", "fetch", &tool.Presentation{Label: "Fetch", Icon: "globe", Detail: "https://example.com/slow"}, `{"url":"https://example.com/slow"}`)
	r.fail("timeout", tool.CodeTimeout, "no answer in 30 s")
	r.propose("denied", "remove", &tool.Presentation{Label: "Remove", Icon: "trash-2", Detail: "dist/"}, `{"path":"dist/","recursive":true}`)
	r.refuse("denied", protocol.StateDenied, "ann", "Wrong folder: dist is what is served.")
	r.propose("expired", "pay", &tool.Presentation{Label: "Pay", Icon: "credit-card", Detail: "invoice 4711"}, `{"invoice":2512292042121000001}`)
	r.refuse("expired", protocol.StateExpired, "", "")
	r.propose("cancelled", "crawl", &tool.Presentation{Label: "Crawl", Icon: "bug", Detail: "example.com"}, `{"site":"example.com"}`)
	r.add(
		&protocol.CallState{ToolCallID: "cancelled", State: protocol.StateRunning},
		&protocol.ToolUpdate{ToolCallID: "cancelled", Details: json.RawMessage(`{"progress":{"done":3,"total":40,"unit":"pages"}}`)},
		&protocol.CallState{ToolCallID: "cancelled", State: protocol.StateCancelled, Reason: "still at work"},
	)
	r.propose("unknown", "send_mail", &tool.Presentation{Label: "Send mail", Icon: "mail", Detail: "to 3 people"}, `{"to":["ann","bo","cy"],"subject":"Release"}`)
	r.add(
		&protocol.CallState{ToolCallID: "unknown", State: protocol.StateRunning},
		&protocol.CallState{ToolCallID: "unknown", State: protocol.StateUnknown, Reason: "the app stopped while it ran"},
		&protocol.ToolResult{ID: "unknown-r", ToolCallID: "unknown", Result: json.RawMessage("null"), Error: "whether it was done is not known", ErrorCode: tool.CodeExecutionFailed},
		&protocol.Turn{Turn: 1, Phase: protocol.TurnEnd},
		&protocol.Turn{Turn: 2, Phase: protocol.TurnStart, AgentName: "gallery", Model: "recorded"},
	)
	r.wait("waiting", "run_command", &tool.Presentation{Label: "Run command", Icon: "terminal", Detail: "./release.sh 1.4"}, `{"command":"./release.sh 1.4","timeout":2512292042121000001}`)
	r.propose("approved", "tag", &tool.Presentation{Label: "Tag", Icon: "tag", Detail: "v1.4"}, `{"name":"v1.4"}`)
	r.add(
		&protocol.CallState{ToolCallID: "approved", State: protocol.StateApproved, By: "rule:tags of releases"},
		&protocol.ApprovalRequired{ThreadID: statesThread, Approvals: r.waiting},
		&protocol.Finish{MessageID: "m1", ThreadID: statesThread, Status: protocol.StatusPaused, PendingApprovals: len(r.waiting)},
	)
	return r.events
}
