package realtime

import (
	"fmt"
	"time"

	"callboard/backend/tool"
)

// Type is what an Event tells.
type Type string

const (
	TurnStart Type = "turn-start" // the model begins to answer
	TurnEnd   Type = "turn-end"   // with Status and Reason
	TextDelta Type = "text-delta" // Text is a piece of the answer
	Audio     Type = "audio"      // Audio is a piece of the answer, of MediaType
	// ReasoningDelta has in Text a piece of what the model thinks.
	ReasoningDelta Type = "reasoning-delta"
	// TranscriptDelta has in Text a piece of what the model says in its audio.
	TranscriptDelta Type = "transcript-delta"
	// InputTranscriptDelta has in Text a piece of what the user said. InputTranscript has the whole, where the provider gives it.
	InputTranscriptDelta Type = "input-transcript-delta"
	InputTranscript      Type = "input-transcript"

	// SpeechStart says that the user speaks, SpeechEnd that they stopped, where the provider tells. At a SpeechStart, and when the
	// answer was Interrupted, audio that is not played yet is to be thrown away.
	SpeechStart Type = "speech-start"
	SpeechEnd   Type = "speech-end"
	Interrupted Type = "interrupted"

	// A call is told in the words of the protocol's events. Each ToolCallStart has its one ToolResult, at the latest when the
	// session ends; one with Dropped says that the call will never run.
	ToolCallStart Type = "tool-call-start" // ToolCallID, ToolName, Presentation
	ToolCallDelta Type = "tool-call-delta" // Text is a piece of its arguments
	ToolCallEnd   Type = "tool-call-end"   // ArgumentsText is the whole, as the model wrote it; or Dropped
	ToolUpdate    Type = "tool-update"     // Update; the model hears nothing of it
	ToolResult    Type = "tool-result"     // Result, whole and uncut; or Dropped

	TokensUsed Type = "tokens-used" // Usage, of a turn
	GoingAway  Type = "going-away"  // the server will end the session in TimeLeft
	Failure    Type = "error"       // Err is a *ServerError; the session goes on
	Problem    Type = "problem"     // Raw could not be read, Err says why; it was skipped
	Other      Type = "other"       // Raw is all there is: what this package makes nothing of
)

// Event is one thing that happened in a session. Which fields are set is said at its Type.
type Event struct {
	Type Type
	// TurnID and ItemID are the provider's ids of the answer and of the item in it; empty where it has none.
	TurnID, ItemID string

	Text      string
	Audio     []byte
	MediaType string // such as "audio/pcm;rate=24000": 16 bits, little endian, one channel

	ToolCallID    string // unique in the session
	ToolName      string // the tool's own name, whatever the provider was told
	ArgumentsText string
	Presentation  *tool.Presentation // what is known without arguments
	Update        *tool.Update
	Result        *tool.Result
	Dropped       DropReason

	Status   Status
	Reason   string // of a turn that did not complete, in the provider's words
	Usage    *Usage
	TimeLeft time.Duration // 0 where the server did not say
	Err      error
	// Raw is the server's message of which this event is a part; nil of what the session tells by itself. It is not to be changed.
	Raw []byte
}

// size is what an event counts for among those that wait to be read.
func (e *Event) size() int {
	n := 256 + len(e.Raw) + len(e.Audio) + len(e.Text) + len(e.ArgumentsText)
	if e.Result != nil {
		n += len(e.Result.Content) + len(e.Result.Details)
	}
	return n
}

// Status is how a turn ended.
type Status string

const (
	Completed  Status = "completed"
	Cancelled  Status = "cancelled"  // the user spoke, or it was interrupted
	Incomplete Status = "incomplete" // cut off, as at the token limit
	Failed     Status = "failed"
)

// DropReason says why an announced call never ran.
type DropReason string

const (
	DroppedIncomplete DropReason = "incomplete" // its arguments never came complete
	DroppedDiscarded  DropReason = "discarded"  // complete, but its turn did not complete
)

// Usage is how many tokens a turn took.
type Usage struct {
	Input, Output, Total int
}

// ServerError is what a server said went wrong.
type ServerError struct {
	Type    string
	Code    string
	Param   string // the field it is about
	Message string
}

func (e *ServerError) Error() string {
	text := "the server reports an error"
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// CloseError is how a server ended a session.
type CloseError struct {
	Code   int // of RFC 6455, section 7.4
	Reason string
}

func (e *CloseError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("the server closed the session (code %d)", e.Code)
	}
	return fmt.Sprintf("the server closed the session (code %d): %s", e.Code, e.Reason)
}
