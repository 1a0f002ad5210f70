// Package tool defines what a tool is: its declaration, its schema, its checked arguments, one call of it and what that gives.
// It knows nothing of models, agents, storage or the wire.
package tool

import (
	"context"
	"encoding/json"
	"time"
)

// SideEffect is what a tool may touch.
type SideEffect string

const (
	Filesystem SideEffect = "filesystem" // reads or writes files
	Network    SideEffect = "network"
	Database   SideEffect = "database"
	Process    SideEffect = "process"  // starts processes
	External   SideEffect = "external" // acts on services of others
)

// Tone is how a result is to be taken, where a check mark would say too much.
type Tone string

// ToneWarning is for a call that did its work, of which something is wrong: a command that exits with 1.
const ToneWarning Tone = "warning"

// Presentation says how a client shows a call without the tool's code.
type Presentation struct {
	Label   string `json:"label"`
	Icon    string `json:"icon,omitempty" jsonschema_description:"A Lucide name"`
	Detail  string `json:"detail,omitempty" jsonschema_description:"What the call is about, one line"`
	Summary string `json:"summary,omitempty" jsonschema_description:"A few words on the result: '3 matches'"`
	Tone    Tone   `json:"tone,omitempty" jsonschema_description:"Of the result; empty is all well"`
}

// Update is progress of a running call, for people only: nothing of it reaches the model or the memory.
type Update struct {
	Content      any
	Details      any
	Presentation *Presentation
}

// Context is what a tool knows of the call it serves. Its zero value, with a Context, works.
type Context struct {
	context.Context // done when the run is cancelled or timed out, or the tool's own timeout is over

	AgentName   string
	RunID       string
	ThreadID    string
	ToolCallID  string
	UserID      string
	ChannelType string
	ChannelID   string

	// OnUpdate hears the call's updates, in order; nil drops them.
	OnUpdate func(Update)
}

// Update reports progress. After the tool returned, or its run was cancelled, it does nothing.
func (c Context) Update(u Update) {
	if c.OnUpdate != nil {
		c.OnUpdate(u)
	}
}

// Result is what came of a call, split by reader.
type Result struct {
	Content      json.RawMessage // whole and uncut; nil when the call failed
	Details      json.RawMessage // for the application; may be nil
	Presentation *Presentation   // the result's own, else the tool's; nil if neither gives one
	Err          error           // an *Error when a code says why
	Duration     time.Duration
	// Left is set when the tool was given up on while it still ran; it is closed once the tool returns.
	Left <-chan struct{}
}

// Error codes of calls (PROTOCOL.md, Routes).
const (
	CodeNotFound        = "TOOL_NOT_FOUND"
	CodeInvalidArgs     = "TOOL_INVALID_ARGS"
	CodeExecutionFailed = "TOOL_EXECUTION_FAILED"
	CodeTimeout         = "TOOL_TIMEOUT"
	CodeCancelled       = "TOOL_CANCELLED"
	CodeDenied          = "TOOL_DENIED"
)

// Error is a failed call: a message the model may read, and a code for the application's code.
type Error struct {
	Code    string
	Message string
	Err     error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error beneath.
func (e *Error) Unwrap() error { return e.Err }

// InputHooks hear a tool's calls as they are written (Cogitator, Streaming Tool Input). Each may be nil. One that panics is
// logged, and the turn goes on. They are called in order, from one goroutine per run.
type InputHooks struct {
	OnInputStart     func(toolCallID string)
	OnInputDelta     func(toolCallID, delta string)
	OnInputAvailable func(toolCallID, arguments string)
	OnInputAbandoned func(toolCallID, reason string) // "incomplete" or "discarded"
}
