package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// recording is a run's events as they are put together.
type recording struct {
	events  []protocol.Event
	waiting []protocol.Approval
}

func (r *recording) add(events ...protocol.Event) { r.events = append(r.events, events...) }

// propose writes a call whose arguments come in two pieces; those that are no JSON yet stay open.
func (r *recording) propose(id, toolName string, p *tool.Presentation, arguments string) {
	half := len(arguments) / 2
	r.add(
		&protocol.ToolCallStart{ID: id, ToolName: toolName, Presentation: p},
		&protocol.ToolCallDelta{ID: id, ArgsTextDelta: arguments[:half]},
		&protocol.ToolCallDelta{ID: id, ArgsTextDelta: arguments[half:]},
	)
	if json.Valid([]byte(arguments)) {
		r.add(&protocol.ToolCallEnd{ID: id})
	}
}

func (r *recording) run(id string, ms int64, result string) {
	r.add(
		&protocol.CallState{ToolCallID: id, State: protocol.StateRunning},
		&protocol.ToolResult{ID: id + "-r", ToolCallID: id, Result: json.RawMessage(result), DurationMs: &ms},
	)
}

func (r *recording) fail(id, code, message string) {
	ms := int64(30_000)
	r.add(
		&protocol.CallState{ToolCallID: id, State: protocol.StateRunning},
		&protocol.ToolResult{ID: id + "-r", ToolCallID: id, Result: json.RawMessage("null"), Error: message, ErrorCode: code, DurationMs: &ms},
	)
}

func (r *recording) refuse(id string, state protocol.State, by, reason string) {
	r.add(
		&protocol.CallState{ToolCallID: id, State: protocol.StateWaiting, ApprovalID: "approval-" + id},
		&protocol.CallState{ToolCallID: id, State: state, By: by, Reason: reason},
		&protocol.ToolResult{ID: id + "-r", ToolCallID: id, Result: json.RawMessage("null"), Error: "it was not allowed to run", ErrorCode: tool.CodeDenied},
	)
}

func (r *recording) wait(id, toolName string, p *tool.Presentation, arguments string) {
	r.propose(id, toolName, p, arguments)
	hash := sha256.Sum256([]byte(arguments))
	asked := protocol.Approval{
		ToolCallID: id, ToolName: toolName, Arguments: json.RawMessage(arguments), Description: "It reaches outside of this machine.",
		SideEffects: []tool.SideEffect{tool.Network, tool.External}, ApprovalID: "approval-" + id, Kind: protocol.KindApproval,
		ArgumentsText: arguments, ArgumentsHash: hex.EncodeToString(hash[:]), Presentation: p,
	}
	r.add(&protocol.CallState{ToolCallID: id, State: protocol.StateWaiting, ApprovalID: asked.ApprovalID, ArgumentsHash: asked.ArgumentsHash})
	r.waiting = append(r.waiting, asked)
}
