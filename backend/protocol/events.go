// Package protocol is the streaming protocol between an agent server and its clients: the events of a run, their JSON, their
// order and their framing as server-sent events. It knows nothing of who makes the events or who stores them.
// frontend/src/protocol mirrors it by file and field; testdata/ serves both.
package protocol

import (
	"encoding/json"

	"callboard/backend/model"
	"callboard/backend/tool"
)

// Type is the kind of an event, its "type" on the wire.
type Type string

const (
	TypeStart            Type = "start"
	TypeMessage          Type = "message"
	TypeTurn             Type = "turn"
	TypeTextStart        Type = "text-start"
	TypeTextDelta        Type = "text-delta"
	TypeTextEnd          Type = "text-end"
	TypeReasoningStart   Type = "reasoning-start"
	TypeReasoningDelta   Type = "reasoning-delta"
	TypeReasoningEnd     Type = "reasoning-end"
	TypeToolCallStart    Type = "tool-call-start"
	TypeToolCallDelta    Type = "tool-call-delta"
	TypeToolCallEnd      Type = "tool-call-end"
	TypeToolUpdate       Type = "tool-update"
	TypeCallState        Type = "call-state"
	TypeToolResult       Type = "tool-result"
	TypeApprovalRequired Type = "approval-required"
	TypeError            Type = "error"
	TypeFinish           Type = "finish"
)

// Event is one event of a run: a pointer to one of the structs of this file.
type Event interface{ Type() Type }

// Events are the events there are, an empty one of each.
func Events() []Event {
	return []Event{
		&Start{}, &Message{}, &Turn{}, &TextStart{}, &TextDelta{}, &TextEnd{}, &ReasoningStart{}, &ReasoningDelta{}, &ReasoningEnd{},
		&ToolCallStart{}, &ToolCallDelta{}, &ToolCallEnd{}, &ToolUpdate{}, &CallState{}, &ToolResult{}, &ApprovalRequired{}, &Error{}, &Finish{},
	}
}

// Start opens a run and every resumed stretch of it.
type Start struct {
	MessageID string `json:"messageId"`
	ThreadID  string `json:"threadId"`
	RunID     string `json:"runId,omitempty"`
	AgentName string `json:"agentName,omitempty"`
}

// Message is what the run was started with, after its first Start.
type Message struct {
	MessageID string     `json:"messageId"`
	Role      model.Role `json:"role"`
	Content   string     `json:"content" jsonschema_description:"What the agent was told"`
}

// Turn brackets one model request. Turns are numbered through all agents of a run.
type Turn struct {
	Turn             int                `json:"turn" jsonschema_description:"From 1"`
	Phase            TurnPhase          `json:"phase"`
	AgentName        string             `json:"agentName,omitempty"`
	Model            string             `json:"model,omitempty"`
	FinishReason     model.FinishReason `json:"finishReason,omitempty" jsonschema_description:"Of an end: why the model stopped"`
	Usage            *model.Usage       `json:"usage,omitempty" jsonschema_description:"Of an end: the turn's tokens"`
	FirstTokenMs     *int64             `json:"firstTokenMs,omitempty" jsonschema_description:"Of an end: how long the first piece of the answer took"`
	Reason           string             `json:"reason,omitempty" jsonschema_description:"Of a retry"`
	Code             string             `json:"code,omitempty" jsonschema_description:"Of what failed the try before a retry"`
	ParentToolCallID string             `json:"parentToolCallId,omitempty" jsonschema_description:"The call inside which the agent works that asks"`
	Held             bool               `json:"held,omitempty" jsonschema_description:"Of a start: nothing of the answer goes out before it was checked"`
	Cut              *Cut               `json:"cut,omitempty" jsonschema_description:"Of a start or a retry: what its request leaves out, where that changed in this run"`
}

// Cut is what a request leaves out of the history: whole exchanges, so that the model reads no more than it can.
type Cut struct {
	Messages        int    `json:"messages" jsonschema_description:"How many are left out"`
	BeforeMessageID string `json:"beforeMessageId,omitempty" jsonschema_description:"The first message after them that is sent"`
	Limit           int    `json:"limit,omitempty" jsonschema_description:"In tokens, the one that was set"`
	Refused         bool   `json:"refused,omitempty" jsonschema_description:"The provider had refused more"`
}

// TurnPhase says which moment of a turn a Turn event marks.
type TurnPhase string

const (
	TurnStart TurnPhase = "start"
	TurnRetry TurnPhase = "retry" // the try before was taken back; another begins
	TurnEnd   TurnPhase = "end"
)

// TextStart opens a part of the answer's text; its first delta follows.
type TextStart struct {
	ID string `json:"id"`
}

// TextDelta is the text that follows what came before; never empty.
type TextDelta struct {
	ID    string `json:"id"`
	Delta string `json:"delta"`
}

// TextEnd closes a part. Dropped takes it back: the reader removes it.
type TextEnd struct {
	ID      string `json:"id"`
	Dropped bool   `json:"dropped,omitempty" jsonschema_description:"The reader removes the part"`
}

// ReasoningStart, ReasoningDelta and ReasoningEnd are to the model's reasoning what TextStart, TextDelta and TextEnd are to text.
type (
	ReasoningStart struct {
		ID string `json:"id"`
	}
	ReasoningDelta struct {
		ID    string `json:"id"`
		Delta string `json:"delta"`
	}
	ReasoningEnd struct {
		ID      string `json:"id"`
		Dropped bool   `json:"dropped,omitempty" jsonschema_description:"The reader removes the part"`
	}
)

// ToolCallStart announces a call as soon as its id and name are known.
type ToolCallStart struct {
	ID               string             `json:"id" jsonschema_description:"The call's, unique in its run"`
	ToolName         string             `json:"toolName"`
	Presentation     *tool.Presentation `json:"presentation,omitempty" jsonschema_description:"What is known without arguments"`
	ParentToolCallID string             `json:"parentToolCallId,omitempty" jsonschema_description:"The call inside which it is made"`
	ProviderCallID   string             `json:"providerCallId,omitempty" jsonschema_description:"The provider's id for it, where that is another"`
}

// ToolCallDelta is a piece of a call's arguments; joined they are its JSON text byte for byte.
type ToolCallDelta struct {
	ID            string `json:"id"`
	ArgsTextDelta string `json:"argsTextDelta" jsonschema_description:"Joined they are the arguments' JSON text, byte for byte"`
}

// ToolCallEnd says the call is complete, or with Dropped that the model never finished it.
type ToolCallEnd struct {
	ID      string `json:"id"`
	Dropped bool   `json:"dropped,omitempty" jsonschema_description:"The model never finished it"`
}

// ToolUpdate is progress of a call, or the arguments it runs with when they differ from those streamed.
type ToolUpdate struct {
	ToolCallID    string             `json:"toolCallId"`
	Content       json.RawMessage    `json:"content,omitempty" jsonschema_description:"Progress, which replaces that before"`
	Details       json.RawMessage    `json:"details,omitempty" jsonschema_description:"For people; replaces those before"`
	Presentation  *tool.Presentation `json:"presentation,omitempty" jsonschema_description:"Stays until a newer one"`
	Arguments     json.RawMessage    `json:"arguments,omitempty" jsonschema_description:"Those the call runs with, where they are not the streamed ones"`
	ArgumentsText *string            `json:"argumentsText,omitempty" jsonschema_description:"Exact; wins over arguments"`
	ContentRef    *Ref               `json:"contentRef,omitempty" jsonschema_description:"In place of a large content"`
	DetailsRef    *Ref               `json:"detailsRef,omitempty" jsonschema_description:"In place of large details"`
}

// CallState is a step between a call's end and its result.
type CallState struct {
	ToolCallID    string `json:"toolCallId"`
	State         State  `json:"state"`
	By            string `json:"by,omitempty" jsonschema_description:"Who decided: a person, 'rule:NAME' or 'middleware:NAME'"`
	Reason        string `json:"reason,omitempty"`
	ApprovalID    string `json:"approvalId,omitempty" jsonschema_description:"Of a call that waits; without one it is the parent of a call that waits"`
	ArgumentsHash string `json:"argumentsHash,omitempty" jsonschema_description:"Hex SHA-256 of the arguments that are asked about"`
}

// State is where a call stands (PROTOCOL.md, Events). The wire names those between input and result; a reader derives the others.
type State string

const (
	StateInput     State = "input"    // being written
	StateProposed  State = "proposed" // complete, not decided or not started
	StateWaiting   State = "waiting"
	StateApproved  State = "approved"
	StateDenied    State = "denied"
	StateExpired   State = "expired"
	StateRunning   State = "running"
	StateDone      State = "done"
	StateFailed    State = "failed"
	StateCancelled State = "cancelled"
	StateUnknown   State = "unknown" // the process died while it ran
	StateDropped   State = "dropped" // announced, but never became a call
)

// ToolResult is the one end of a call: its result, or with Dropped the word that it will never run.
type ToolResult struct {
	ID           string             `json:"id" jsonschema_description:"The event's own"`
	ToolCallID   string             `json:"toolCallId"`
	Result       json.RawMessage    `json:"result,omitempty" jsonschema_description:"The whole content; null for a failed call"`
	Details      json.RawMessage    `json:"details,omitempty" jsonschema_description:"For people"`
	Presentation *tool.Presentation `json:"presentation,omitempty"`
	Error        string             `json:"error,omitempty"`
	ErrorCode    string             `json:"errorCode,omitempty" jsonschema_description:"Such as TOOL_EXECUTION_FAILED"`
	DurationMs   *int64             `json:"durationMs,omitempty"`
	Dropped      bool               `json:"dropped,omitempty" jsonschema_description:"The call will never run"`
	Reason       DropReason         `json:"reason,omitempty" jsonschema_description:"Of one that is dropped: whether its arguments came complete"`
	ResultRef    *Ref               `json:"resultRef,omitempty" jsonschema_description:"In place of a large result"`
	DetailsRef   *Ref               `json:"detailsRef,omitempty" jsonschema_description:"In place of large details"`
}

// DropReason says why an announced call never ran.
type DropReason string

const (
	Incomplete DropReason = "incomplete" // its arguments never came complete
	Discarded  DropReason = "discarded"  // complete, but the turn kept no such call
)

// ApprovalRequired lists what a paused run waits for, right before its Finish.
type ApprovalRequired struct {
	ThreadID  string     `json:"threadId"`
	Approvals []Approval `json:"approvals"`
}

// Approval is one call that waits for a person.
type Approval struct {
	ToolCallID       string             `json:"toolCallId"`
	ToolName         string             `json:"toolName"`
	Arguments        json.RawMessage    `json:"arguments" jsonschema_description:"A parsed copy; null when the text is not JSON"`
	Description      string             `json:"description" jsonschema_description:"The tool's"`
	SideEffects      []tool.SideEffect  `json:"sideEffects,omitempty"`
	ApprovalID       string             `json:"approvalId,omitempty"`
	Kind             ApprovalKind       `json:"kind,omitempty" jsonschema_description:"unknown: it was running when the process died; run it again, give up, or hand in its result"`
	ArgumentsText    string             `json:"argumentsText" jsonschema_description:"Exact"`
	ArgumentsHash    string             `json:"argumentsHash,omitempty" jsonschema_description:"Hex SHA-256 of argumentsText, also where that is masked here"`
	Masked           bool               `json:"masked,omitempty" jsonschema_description:"A secret is masked in the arguments; the call runs with the secret"`
	Hidden           bool               `json:"hidden,omitempty" jsonschema_description:"The arguments are not shown, {} stands for them, and no hash"`
	Presentation     *tool.Presentation `json:"presentation,omitempty"`
	Details          json.RawMessage    `json:"details,omitempty" jsonschema_description:"An effect-free preview"`
	ExpiresAt        int64              `json:"expiresAt,omitempty" jsonschema_description:"Unix ms"`
	ParentToolCallID string             `json:"parentToolCallId,omitempty" jsonschema_description:"The call inside which it is made"`
}

// ApprovalKind says what is asked.
type ApprovalKind string

const (
	KindApproval ApprovalKind = "approval" // may it run?
	KindUnknown  ApprovalKind = "unknown"  // it was running when the process died: run again, give up, or hand in its result?
)

// Error ends a stream that failed, instead of Finish.
type Error struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty" jsonschema_description:"Such as LLM_UNAVAILABLE"`
}

// Finish is the last event of a stretch that did not fail.
type Finish struct {
	MessageID             string          `json:"messageId"`
	Usage                 *model.Usage    `json:"usage,omitempty" jsonschema_description:"Of the whole run"`
	ThreadID              string          `json:"threadId,omitempty"`
	Status                Status          `json:"status,omitempty"`
	PendingApprovals      int             `json:"pendingApprovals,omitempty"`
	Structured            json.RawMessage `json:"structured,omitempty" jsonschema_description:"The answer as a value, where the agent has a type for it"`
	StructuredError       string          `json:"structuredError,omitempty" jsonschema_description:"Why the answer is no such value"`
	Truncated             bool            `json:"truncated,omitempty" jsonschema_description:"The last turn was cut at the token limit"`
	Blocked               bool            `json:"blocked,omitempty" jsonschema_description:"A check of the agent did not let the answer through"`
	IterationLimitReached bool            `json:"iterationLimitReached,omitempty"`
	Limit                 string          `json:"limit,omitempty" jsonschema_description:"What stopped the run: 'turns', 'requests' (of all its agents) or 'repeated-calls'"`
}

// Status is where a run stands.
type Status string

const (
	StatusRunning   Status = "running"
	StatusPaused    Status = "paused" // waits for a person
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusCancelled Status = "cancelled"
)

// Ended reports whether no event can follow.
func (s Status) Ended() bool {
	return s == StatusCompleted || s == StatusFailed || s == StatusCancelled
}

// Unknown is an event of a type this version does not know, kept as it came.
type Unknown struct {
	Kind Type
	Raw  json.RawMessage
}

func (*Start) Type() Type            { return TypeStart }
func (*Message) Type() Type          { return TypeMessage }
func (*Turn) Type() Type             { return TypeTurn }
func (*TextStart) Type() Type        { return TypeTextStart }
func (*TextDelta) Type() Type        { return TypeTextDelta }
func (*TextEnd) Type() Type          { return TypeTextEnd }
func (*ReasoningStart) Type() Type   { return TypeReasoningStart }
func (*ReasoningDelta) Type() Type   { return TypeReasoningDelta }
func (*ReasoningEnd) Type() Type     { return TypeReasoningEnd }
func (*ToolCallStart) Type() Type    { return TypeToolCallStart }
func (*ToolCallDelta) Type() Type    { return TypeToolCallDelta }
func (*ToolCallEnd) Type() Type      { return TypeToolCallEnd }
func (*ToolUpdate) Type() Type       { return TypeToolUpdate }
func (*CallState) Type() Type        { return TypeCallState }
func (*ToolResult) Type() Type       { return TypeToolResult }
func (*ApprovalRequired) Type() Type { return TypeApprovalRequired }
func (*Error) Type() Type            { return TypeError }
func (*Finish) Type() Type           { return TypeFinish }

// Type returns the type the event came with.
func (u *Unknown) Type() Type { return u.Kind }

// Piece is where an event holds the piece of a text that it brings: of an answer, of reasoning, of arguments. It is nil when it brings
// none.
func Piece(event Event) *string {
	switch e := event.(type) {
	case *TextDelta:
		return &e.Delta
	case *ReasoningDelta:
		return &e.Delta
	case *ToolCallDelta:
		return &e.ArgsTextDelta
	}
	return nil
}
