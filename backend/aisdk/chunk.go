// Package aisdk speaks the UI message stream of the AI SDK (npm package ai, version 7): what a server sends to useChat and what
// useChat sends back. A Mapper is a pure fold from a run's events to the chunks of that stream. It knows nothing of HTTP, stores or
// agents; package server mounts it as POST /agents/{name}/ui-chat and GET /agents/{name}/ui-chat/{id}/stream.
//
// A page that is opened again gets what was said before from GET /agents/{name}/ui-chat/{id}/messages, for useChat({messages, resume:
// true}). The message that is under way, or waits for a person, is not among them: resume brings it.
//
// The thread has the history, and nothing of it is unsaid. What regenerate or an edited message asks for is said anew: the thread, and so
// the model's next request and the messages of a page that is opened again, hold the message of the user and its first answer too,
// where the page that asked shows the second alone.
//
// A browser's page of another origin is refused by server.Guard, and there are no CORS headers: let the page's own server pass the
// requests on, as rewrites in Next.js or server.proxy in Vite do, with the host and the origin of the target. The token goes along as
// DefaultChatTransport({headers: {Authorization: `Bearer ${token}`}}), or the passing server adds it, so that no page has it.
//
// One run is one message of the assistant, over all its pauses, and one turn is one step of it.
//
//	output of a tool part     a call's content, when it has its result; never its progress
//	data-tool-details         the details of a result; the part's id is the call's
//	data-tool-presentation    how to show a call: label, icon, detail, summary; the latest replaces the one before
//	data-tool-progress        {content?, details?} of a call that runs; the latest replaces the one before
//	data-tool-dropped         {toolName, reason} of a call that will never run; transient, so that only onData hears of it
//	data-structured           the answer as a value, where the agent has a type for it
//	toolMetadata              parentToolCallId of a call made inside another; errorCode and durationMs of one that ended
//	metadata of the message   runId, threadId, agentName; at the end status, usage and what cut it short
//
// What is taken back (the parts of a turn that is tried again, a call that will never run) leaves the message: its step is reset and
// what stays of it is said again.
//
// A call that waits for a person is a tool approval; its descriptor is the approval of the protocol, with the exact text of the
// arguments and their hash, which the answer brings back. While a run waits, its other calls are answered automatically
// (isAutomatic), so that lastAssistantMessageIsCompleteWithApprovalResponses sends once every person's answer is there.
package aisdk

import (
	"bytes"
	"encoding/json"
	"fmt"

	"callboard/backend/protocol"
)

// HeaderName and HeaderValue stand at the head of every answer that is a UI message stream.
const (
	HeaderName  = "X-Vercel-Ai-Ui-Message-Stream"
	HeaderValue = "v1"
)

// The types of data parts that a client of this package's streams meets.
const (
	DataDetails      = "data-tool-details"
	DataPresentation = "data-tool-presentation"
	DataProgress     = "data-tool-progress"
	DataDropped      = "data-tool-dropped"
	DataStructured   = "data-structured"
)

// Chunk is one piece of a UI message stream. Type says which of the other fields it has.
type Chunk struct {
	Type string `json:"type"`

	MessageID       string    `json:"messageId,omitempty"`
	MessageMetadata *Metadata `json:"messageMetadata,omitempty"`
	FinishReason    string    `json:"finishReason,omitempty"`

	ID    string `json:"id,omitempty"` // of a part of text, reasoning or data
	Delta string `json:"delta,omitempty"`

	ToolCallID       string          `json:"toolCallId,omitempty"`
	ToolName         string          `json:"toolName,omitempty"`
	Title            string          `json:"title,omitempty"`
	InputTextDelta   string          `json:"inputTextDelta,omitempty"`
	Input            json.RawMessage `json:"input,omitempty"`
	Output           json.RawMessage `json:"output,omitempty"`
	ErrorText        string          `json:"errorText,omitempty"`
	ProviderExecuted bool            `json:"providerExecuted,omitempty"`
	ToolMetadata     *ToolMetadata   `json:"toolMetadata,omitempty"`

	ApprovalID         string             `json:"approvalId,omitempty"`
	ApprovalDescriptor *protocol.Approval `json:"approvalDescriptor,omitempty"`
	IsAutomatic        bool               `json:"isAutomatic,omitempty"`
	Approved           *bool              `json:"approved,omitempty"`
	Reason             string             `json:"reason,omitempty"`

	Data      json.RawMessage `json:"data,omitempty"`
	Transient bool            `json:"transient,omitempty"`
}

// ToolMetadata is what a tool part tells of its call beside input and output.
type ToolMetadata struct {
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
	ErrorCode        string `json:"errorCode,omitempty"`
	DurationMs       *int64 `json:"durationMs,omitempty"`
}

// AppendJSON appends the chunk's JSON, on one line, to dst.
func (c Chunk) AppendJSON(dst []byte) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		return dst, fmt.Errorf("encode %s chunk: %w", c.Type, err)
	}
	return append(dst, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...), nil
}
