// Package model is the boundary to language models: what is asked of one, and the pieces in which it answers.
// It knows nothing of tools that run, agents, storage or the wire.
package model

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Backend is a language model behind some provider. Implementations are safe for concurrent use.
type Backend interface {
	// Stream sends one request and yields the answer in pieces as they come. A non-nil error is the last thing it yields; it
	// is an *Error where the backend knows more than a sentence. It stops at once, and lets go of its connection, when ctx is
	// done or the caller stops ranging. It never retries: the run loop does, after taking back what was shown.
	Stream(ctx context.Context, request *Request) iter.Seq2[Chunk, error]
}

// Request is one question to a model.
type Request struct {
	Model    string // the provider's name for the model; empty is the backend's default
	Agent    string // who asks; for logs and scripts
	ThreadID string
	// Index counts the requests this agent made in this thread before this one, tries that failed included, as the stored log
	// has them.
	Index    int
	Messages []*Message // append-only within a run: the same pointers, in the same order, then new ones
	Tools    []ToolSchema
	NoTools  bool // the model must answer in words
	// ResponseSchema is the JSON Schema of an object the answer has to be, where it makes no calls; nil leaves it free. A backend
	// that cannot hold the model to it tells the model so. The answer is checked by who asked.
	ResponseSchema json.RawMessage
	Temperature    *float64
	MaxTokens      int // 0 leaves the limit to the provider
	// Memo is a place owned by one run in which a backend keeps what it made of the messages it already sent, so that a long
	// history is encoded once. May be nil.
	Memo *any
	// Image returns the bytes of an image a message shows. Histories do not hold them: a backend asks when it builds a request.
	Image func(ctx context.Context, hash string) ([]byte, error)
}

// ToolSchema is what a model is told of one tool.
type ToolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema, made once
}

// Role says who speaks in a Message.
type Role string

const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of what a model reads: the history of a thread, in its order.
type Message struct {
	ID        string     `json:"id"`
	Role      Role       `json:"role"`
	Content   string     `json:"content"`
	Reasoning string     `json:"reasoning,omitempty"`
	ToolCalls []ToolCall `json:"toolCalls,omitempty"` // of an assistant
	// ToolCallID names the call a tool message answers.
	ToolCallID string `json:"toolCallId,omitempty"`
	ToolName   string `json:"toolName,omitempty"`
	// Images are what a tool message shows beside its content, which has a place holder for each, in their order.
	Images []Image `json:"images,omitempty"`
	RunID  string  `json:"runId,omitempty"`
	AtMs   int64   `json:"at,omitempty"`
	// Metadata is for clients (details, presentation, error code of a tool's result). No backend sends it.
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

// Image is an image in a message, by the hash of its bytes.
type Image struct {
	Hash      string `json:"hash" jsonschema_description:"Hex SHA-256"`
	MediaType string `json:"mediaType"`
	Bytes     int    `json:"bytes"`
	Width     int    `json:"width,omitempty" jsonschema_description:"In pixels, 0 where that is not known"`
	Height    int    `json:"height,omitempty"`
}

// ToolCall is a call a model wrote.
type ToolCall struct {
	ID string `json:"id"` // unique in its run
	// ProviderID is the id the provider gave, where it differs.
	ProviderID string `json:"providerId,omitempty"`
	Name       string `json:"name"`
	// Arguments is the JSON text byte for byte as the model wrote it; it may be malformed.
	Arguments string `json:"argumentsText"`
	// Extra is what else the provider gave with the call and wants back with it, byte for byte; nil for most.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// Chunk is one piece of an answer. Any of its parts may be set; they are read in the order of the fields.
type Chunk struct {
	Sent *Sent // what went over the wire, once per request, first
	// ToolNames are the names under which the request's tools were sent, in their order; it comes with Sent, where any is not the
	// tool's own. Calls come back under the tools' own names.
	ToolNames []string
	// Raw is what came over the wire for this chunk, keep-alive lines and line ends included: joined, the whole answer. The
	// receiver may keep it.
	Raw []byte
	// Problem says, for people, what of Raw could not be read and was skipped. The answer goes on.
	Problem   string
	Reasoning string
	Text      string
	// ToolInput has the calls as they are written. A backend that cannot tell leaves it out.
	ToolInput []ToolInput
	// ToolCalls has calls that are complete, each once, whether or not they came as ToolInput before (then under the same id).
	ToolCalls    []ToolCall
	FinishReason FinishReason
	Usage        *Usage // of the request so far: a later one replaces an earlier one
}

// Sent is the request as the provider got it, as a difference to the one before in the same run: its first Keep bytes, then Tail.
// Where the provider got the bytes of an image, blob: and their hash stand in it.
type Sent struct {
	Keep int
	Tail []byte
}

// ToolInput is a part of a call that is being written.
type ToolInput struct {
	Type       ToolInputType `json:"type"`
	ToolCallID string        `json:"toolCallId"` // names the call within this answer only; may be reused by a later one
	ToolName   string        `json:"toolName,omitempty"`
	Delta      string        `json:"delta,omitempty"`
}

// ToolInputType is the kind of a ToolInput.
type ToolInputType string

const (
	ToolInputStart ToolInputType = "start" // id and name are known
	ToolInputDelta ToolInputType = "delta" // a piece of the arguments' text
	ToolInputEnd   ToolInputType = "end"   // the model finished writing this call
)

// FinishReason is why a model stopped.
type FinishReason string

const (
	FinishStop      FinishReason = "stop"
	FinishToolCalls FinishReason = "tool_calls"
	FinishLength    FinishReason = "length"         // cut at the token limit: no call of the turn runs
	FinishFilter    FinishReason = "content_filter" // the provider refused
)

// Usage counts tokens. A nil field was not told by the provider; it is never reported as 0.
type Usage struct {
	InputTokens       *int64 `json:"inputTokens,omitempty"`
	OutputTokens      *int64 `json:"outputTokens,omitempty"`
	TotalTokens       *int64 `json:"totalTokens,omitempty"`
	ReasoningTokens   *int64 `json:"reasoningTokens,omitempty"`
	CachedInputTokens *int64 `json:"cachedInputTokens,omitempty"`
}

// Error codes of models (PROTOCOL.md, Routes).
const (
	CodeUnavailable     = "LLM_UNAVAILABLE"
	CodeRateLimited     = "LLM_RATE_LIMITED"
	CodeTimeout         = "LLM_TIMEOUT"
	CodeInvalidResponse = "LLM_INVALID_RESPONSE"
	CodeContextLength   = "LLM_CONTEXT_LENGTH_EXCEEDED"
	CodeContentFiltered = "LLM_CONTENT_FILTERED"
)

// Error is a failed request.
type Error struct {
	Code       string // one of the LLM_ codes
	Message    string // for people: what was tried, what the provider said, what to do
	Status     int    // the HTTP status, 0 when there was none
	Retryable  bool
	RetryAfter time.Duration // what the provider asked for, 0 when it did not
	Err        error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error beneath.
func (e *Error) Unwrap() error { return e.Err }
