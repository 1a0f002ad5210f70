// Package archive is a thread as one file: its format, what is kept out of a copy, and the thread as Markdown for people. It knows
// nothing of where threads are stored.
//
// A file, whose name ends in .callboard, is UTF-8 text. Each line is a JSON object with a "type"; nothing in it is compressed, so
// that it can be read, searched and compared with the tools for texts, and is never larger than it looks. The lines in their order:
//
//	callboard-thread  the head: the version of the format, what is masked, the thread's id, title and times
//	blob              bytes that messages and details name by their hash (images), in base64
//	run               begins a run, oldest first; what follows belongs to it:
//	call              its calls as the ledger has them, in its order
//	approval          what was asked of a person, with the decision
//	child             what agents said that worked inside calls
//	event             its events from 1 on, without a gap, byte for byte
//	request           what a model was sent, as a difference to the request before it of the same call
//	received          what came back, with the moments
//	history           what the model reads next time, in its order: a message, or the call whose result it is
//	end               how many lines stand before it, and the hex SHA-256 of their bytes; nothing follows
//
// Texts that must stay as they are, arguments above all, are JSON strings; a text that is not UTF-8 is {"$base64": "…"}. JSON that a
// run stored stands in the line as it is, digits, order of keys and doubled keys too; where it has line breaks or blanks, or is not
// JSON, it is {"$text": "…"} or {"$base64": "…"}. Times are Unix ms.
//
// A line has at most MaxLine bytes. The version counts up when a reader of the one before would misread a file.
package archive

import (
	"cmp"
	"encoding/json"
	"errors"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Version is that of the format this package writes, and the newest it reads.
const Version = 1

// Extension is how the name of a file ends.
const Extension = ".callboard"

// MaxLine is how long a line is at most, in bytes.
const MaxLine = 64 << 20

// What callers compare.
var (
	// ErrForeign says that a file is not a thread of Callboard.
	ErrForeign = errors.New("this is not a thread file of Callboard")
	// ErrNewer says that a file has a newer version of the format.
	ErrNewer = errors.New("the file was written by a newer Callboard")
	// ErrDamaged says that a file is cut, or not as it was written.
	ErrDamaged = errors.New("the file is damaged")
)

// Line is a line of a file: *Head, *Blob, *Run, *Call, *Approval, *Child, *Event, *Request, *Received, *History or *End.
type Line interface{ kind() string }

// Head is the first line.
type Head struct {
	Version      int       `json:"version"`
	Program      string    `json:"program,omitempty"` // who wrote it
	ExportedAtMs int64     `json:"exportedAt"`
	Redacted     *Redacted `json:"redacted,omitempty"` // nil when nothing was kept out on purpose
	Thread       Thread    `json:"thread"`
}

// Thread is what a file says of its thread as a whole.
type Thread struct {
	ID          string `json:"id"`
	Title       text   `json:"title"`          // of its first message
	Name        text   `json:"name,omitempty"` // given by a person; wins over title
	AgentName   string `json:"agentName,omitempty"`
	CreatedAtMs int64  `json:"createdAt"`
	UpdatedAtMs int64  `json:"updatedAt"`
}

// Shown is what the thread is called; empty is untitled.
func (h *Head) Shown() string { return cmp.Or(string(h.Thread.Name), string(h.Thread.Title)) }

// Redacted says what was kept out of a file.
type Redacted struct {
	Secrets   int  `json:"secrets"`             // different ones that were masked
	LeftIn    int  `json:"leftIn,omitempty"`    // found, and left in on purpose
	NoImages  bool `json:"noImages,omitempty"`  // images were left out
	NoAnswers bool `json:"noAnswers,omitempty"` // the bytes models answered with were left out
}

// Blob is bytes by their hash.
type Blob struct {
	Hash      string `json:"hash"` // hex SHA-256
	MediaType string `json:"mediaType"`
	Body      []byte `json:"base64"`
}

// Run is the row of a run; its input and context are those it was started with.
type Run struct {
	ID          string          `json:"id"`
	AgentName   string          `json:"agentName"`
	Input       text            `json:"input"`
	Status      protocol.Status `json:"status"`
	MessageID   string          `json:"messageId"`
	Turn        int             `json:"turn"`
	CallCount   int             `json:"callCount"`
	Usage       *model.Usage    `json:"usage,omitempty"`
	Error       text            `json:"error,omitempty"`
	ErrorCode   string          `json:"errorCode,omitempty"`
	Context     exact           `json:"context,omitempty"`
	CreatedAtMs int64           `json:"createdAt"`
	UpdatedAtMs int64           `json:"updatedAt"`
}

// Call is the ledger's row of a call.
type Call struct {
	ToolCallID       string         `json:"toolCallId"`
	ParentToolCallID string         `json:"parentToolCallId,omitempty"`
	ToolName         string         `json:"toolName"`
	Turn             int            `json:"turn"`
	State            protocol.State `json:"state"`
	Proposed         text           `json:"proposed"`
	Executed         *text          `json:"executed,omitempty"` // nil is the same as Proposed
	StartedMs        int64          `json:"startedAt"`
	EndedMs          int64          `json:"endedAt,omitempty"`
	Message          *Message       `json:"message,omitempty"` // its result, as the model reads it
}

// Approval is a row of what waited for a person.
type Approval struct {
	ApprovalID       string                `json:"approvalId"`
	ToolCallID       string                `json:"toolCallId"`
	ParentToolCallID string                `json:"parentToolCallId,omitempty"`
	ToolName         string                `json:"toolName"`
	AgentName        string                `json:"agentName"`
	Kind             protocol.ApprovalKind `json:"kind"`
	Description      text                  `json:"description"`
	SideEffects      exact                 `json:"sideEffects,omitempty"`
	Arguments        exact                 `json:"arguments,omitempty"` // a parsed copy
	ArgumentsText    text                  `json:"argumentsText"`
	ArgumentsHash    string                `json:"argumentsHash"`
	Presentation     exact                 `json:"presentation,omitempty"`
	Details          exact                 `json:"details,omitempty"`
	SinceMs          int64                 `json:"since"`
	ExpiresAtMs      int64                 `json:"expiresAt,omitempty"`
	Decision         *Decision             `json:"decision,omitempty"` // nil while it waits
	DecidedAtMs      int64                 `json:"decidedAt,omitempty"`
}

// Decision is a person's answer, or a rule's.
type Decision struct {
	Approved      bool           `json:"approved"`
	Reason        text           `json:"reason,omitempty"`
	ArgumentsText *text          `json:"argumentsText,omitempty"`
	ArgumentsHash string         `json:"argumentsHash,omitempty"`
	Result        exact          `json:"result,omitempty"`
	By            text           `json:"by,omitempty"`
	State         protocol.State `json:"state,omitempty"`
}

// Child is what an agent said that worked inside a call.
type Child struct {
	ParentToolCallID string  `json:"parentToolCallId"`
	Message          Message `json:"message"`
}

// Event is an event as it is stored.
type Event struct {
	Seq  int64 `json:"seq"`
	JSON exact `json:"event"`
}

// Request is one try of a turn. What was sent begins as the request before it of the same parent did, for Keep bytes.
type Request struct {
	AgentName        string `json:"agentName"`
	Turn             int    `json:"turn"`
	Try              int    `json:"try"`
	AtMs             int64  `json:"at"`
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
	Keep             *int   `json:"keep,omitempty"` // nil while nothing was sent
	Tail             text   `json:"tail,omitempty"`
}

// Received is what came back to a request, in pieces.
type Received struct {
	Turn   int     `json:"turn"`
	Try    int     `json:"try"`
	Pieces []Piece `json:"pieces"`
}

// Piece is a piece of an answer and the moment it came, in ns since its request.
type Piece struct {
	AfterNs int64 `json:"after"`
	Bytes   text  `json:"bytes"`
}

// History is an entry of what the model reads next time: a message, or with RunID and ToolCallID the result of that call.
type History struct {
	Message    *Message `json:"message,omitempty"`
	RunID      string   `json:"runId,omitempty"`
	ToolCallID string   `json:"toolCallId,omitempty"`
}

// Message is a message as a model reads it.
type Message struct {
	ID         string        `json:"id"`
	Role       model.Role    `json:"role"`
	Content    text          `json:"content"`
	Reasoning  text          `json:"reasoning,omitempty"`
	ToolCalls  []ToolCall    `json:"toolCalls,omitempty"`
	ToolCallID string        `json:"toolCallId,omitempty"`
	ToolName   string        `json:"toolName,omitempty"`
	Images     []model.Image `json:"images,omitempty"`
	RunID      string        `json:"runId,omitempty"`
	AtMs       int64         `json:"at,omitempty"`
	Metadata   exact         `json:"metadata,omitempty"`
}

// ToolCall is a call a model wrote.
type ToolCall struct {
	ID            string `json:"id"`
	ProviderID    string `json:"providerId,omitempty"`
	Name          string `json:"name"`
	ArgumentsText text   `json:"argumentsText"`
	Extra         exact  `json:"extra,omitempty"`
}

// End is the last line.
type End struct {
	Lines  int64  `json:"lines"`
	SHA256 string `json:"sha256"`
}

func (*Head) kind() string     { return "callboard-thread" }
func (*Blob) kind() string     { return "blob" }
func (*Run) kind() string      { return "run" }
func (*Call) kind() string     { return "call" }
func (*Approval) kind() string { return "approval" }
func (*Child) kind() string    { return "child" }
func (*Event) kind() string    { return "event" }
func (*Request) kind() string  { return "request" }
func (*Received) kind() string { return "received" }
func (*History) kind() string  { return "history" }
func (*End) kind() string      { return "end" }

// newLine is an empty line of a kind; nil for an unknown one.
func newLine(kind string) Line {
	switch kind {
	case "callboard-thread":
		return &Head{}
	case "blob":
		return &Blob{}
	case "run":
		return &Run{}
	case "call":
		return &Call{}
	case "approval":
		return &Approval{}
	case "child":
		return &Child{}
	case "event":
		return &Event{}
	case "request":
		return &Request{}
	case "received":
		return &Received{}
	case "history":
		return &History{}
	case "end":
		return &End{}
	}
	return nil
}

// raw is a JSON text as others hold it; nil when there is none.
func raw(e exact) json.RawMessage {
	if len(e) == 0 {
		return nil
	}
	return json.RawMessage(e)
}
