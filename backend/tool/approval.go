package tool

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Approval says which calls wait for a person. The zero value is none.
type Approval struct {
	always bool
	when   func(arguments json.RawMessage) bool
}

// Always lets every call wait.
var Always = Approval{always: true}

// When decides from the raw arguments as sent, before schema and defaults. A check that panics counts as true.
func When(check func(arguments json.RawMessage) bool) Approval { return Approval{when: check} }

// ApprovalMode says which calls of a tool wait for a person.
type ApprovalMode string

// The modes.
const (
	ApprovalNever       ApprovalMode = "never"
	ApprovalAlways      ApprovalMode = "always"
	ApprovalByArguments ApprovalMode = "arguments" // the tool's check decides
)

// ApprovalMode returns which of the tool's calls wait.
func (t *Tool) ApprovalMode() ApprovalMode {
	switch {
	case t.approval.when != nil:
		return ApprovalByArguments
	case t.approval.always:
		return ApprovalAlways
	}
	return ApprovalNever
}

// NeedsApproval asks the tool's check about the raw argument text.
func (t *Tool) NeedsApproval(argumentsText string) (needed bool) {
	if t.approval.when == nil {
		return t.approval.always
	}
	defer func() {
		if p := recover(); p != nil {
			logPanic("approval check panicked; the call waits for a person", t.Name, p)
			needed = true
		}
	}()
	return t.approval.when(json.RawMessage(argumentsText))
}

func logPanic(message, toolName string, p any) {
	slog.Error(message, "tool", toolName, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
}
