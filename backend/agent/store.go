package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Store keeps what runs produce: the event log, and the rows derived from it. It is safe for concurrent use. Memory (in this
// package) and storage.DB pass one test, storetest.Run.
type Store interface {
	// Append writes a batch in one transaction. It returns ErrConflict, and writes nothing, when another writer has taken one
	// of the batch's sequence numbers.
	Append(ctx context.Context, b *Batch) error
	// Events returns up to limit events of a run after number n, in order; limit 0 returns all. An unknown run is ErrNotFound.
	Events(ctx context.Context, runID string, after int64, limit int) ([]Record, error)
	// Thread returns a thread with its messages, or ErrNotFound.
	Thread(ctx context.Context, id string) (*Thread, error)
	// Runs returns the runs that match, oldest first.
	Runs(ctx context.Context, q RunQuery) ([]*RunState, error)
	// Blob returns bytes that were stored by their hash, or ErrNotFound.
	Blob(ctx context.Context, hash string) (body []byte, mediaType string, err error)
}

// What callers compare.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("another writer was first")
)

// Record is a stored event as it goes over the wire.
type Record struct {
	Seq  int64
	JSON []byte
}

// Batch is what is written together. Every part may be empty.
type Batch struct {
	// Run's row is inserted or replaced; its Input and Context stay those of its first batch, and its Last is the last event's
	// number. Without an ID the batch adds Messages to the thread of ThreadID, and has nothing else.
	Run    Run
	Frames []protocol.Frame
	// Blobs are what messages of this thread show, or of this batch: one the store has already is not written again.
	Blobs []Blob
	// Messages are appended to the thread's history in order. A message whose ID the thread has already is left as it is.
	Messages []*model.Message
	// Children are messages of agents that work inside calls of this run. They belong to the run and never to the thread's history;
	// one whose message the run has already is left as it is.
	Children  []ChildMessage
	Calls     []Call              // inserted or replaced by (run, call)
	Approvals []*approval.Pending // inserted or replaced by approval id
	Requests  []Request
	// Durable asks that the batch survive a loss of power, not only of the process: a decision, the start of a call whose
	// tool declares side effects.
	Durable bool
}

// Blob is bytes that are stored once, by their hash, for all threads that hold them; with the last of these they go.
type Blob struct {
	Hash      string // hex SHA-256 of Body
	MediaType string
	Body      []byte
}

// Run is the row of a run.
type Run struct {
	ID        string
	ThreadID  string
	AgentName string
	Input     string
	Status    protocol.Status
	MessageID string // of the current stretch
	Turn      int    // the last turn that began, from 1
	Last      int64  // the number of the last event
	CallCount int    // calls announced and not dropped
	Usage     *model.Usage
	Error     string
	ErrorCode string
	// Context is the run's own (userId, channelType, …) as it was given.
	Context     json.RawMessage
	CreatedAtMs int64
	UpdatedAtMs int64
}

// Call is the ledger's row of a call: written before it starts, and again before its result is told.
type Call struct {
	RunID            string
	ToolCallID       string
	ParentToolCallID string // the call whose agent made it; empty when the run's own agent did
	ToolName         string
	Turn             int
	State            protocol.State // running, waiting (an agent inside it does), done, failed, denied, expired, cancelled, unknown
	Proposed         string         // the arguments as the model wrote them
	Executed         string         // the arguments it ran with
	StartedMs        int64
	EndedMs          int64
	// Message is the tool message the model will read, once the call has ended: of this run, call and tool.
	Message *model.Message
}

// Request is one try of a turn: what was sent and what came back, as bytes.
type Request struct {
	RunID     string
	ThreadID  string
	AgentName string
	Turn      int
	Try       int // from 0
	AtMs      int64
	// ParentToolCallID names the call inside which the agent asked. What was sent is a difference to the request before it of the
	// same call.
	ParentToolCallID string
	// Sent is set when the request goes out; Received with each batch of bytes that came, in order.
	Sent     *model.Sent
	Received []Received
}

// Received is a piece of a provider's answer and the moment it came, counted from the request's AtMs.
type Received struct {
	After time.Duration
	Bytes []byte
}

// Thread is a thread as the loop reads it.
type Thread struct {
	ID          string
	Title       string
	AgentName   string
	CreatedAtMs int64
	UpdatedAtMs int64
	Messages    []*model.Message
	// Requests counts the requests each agent made in this thread, tries that failed included.
	Requests map[string]int
}

// RunQuery selects runs; empty fields match all.
type RunQuery struct {
	ID         string
	ThreadID   string
	ApprovalID string // the run one of whose approvals has this id
	Statuses   []protocol.Status
	// Bare leaves Calls, Approvals and Children out.
	Bare bool
}

// RunState is a run with what is needed to go on with it.
type RunState struct {
	Run
	Calls     []Call              // of the ledger, in the order they were written first
	Approvals []*approval.Pending // decided ones too, in the order they were asked
	Children  []ChildMessage      // in the order they were written
}

// ChildMessage is what an agent said that works inside a call. The results of its own calls are in the ledger.
type ChildMessage struct {
	ParentToolCallID string // that call
	*model.Message
}
