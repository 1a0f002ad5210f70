// Package agent is the run loop: it asks a model, runs the calls the model makes, lets those wait that need a person, and writes
// every step to the log before anyone hears of it. It knows nothing of HTTP, SQLite or windows.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Agent is a model with instructions and tools. It does not change once it runs.
type Agent struct {
	Name         string
	Description  string
	Instructions string
	Backend      model.Backend
	Model        string // the backend's name for the model; empty is its default
	Tools        []*tool.Tool
	// OwnToolsOnly leaves out the Runner's Tools.
	OwnToolsOnly bool
	// Middleware acts around the model and around calls; the first is the outermost.
	Middleware []Middleware
	// Output is what the answer of a run has to be; nil is text. OutputOf makes one.
	Output *Output
	// ContextTokens limits what a request has the model read, as CountTokens counts: what is more is left out of the history in
	// whole exchanges, the oldest first (protocol.Cut). 0 is no limit.
	ContextTokens int
	// CountTokens says how many tokens a message is; nil is EstimateTokens. It has to give the same number each time.
	CountTokens func(*model.Message) int
	// OnToolError hears of a call that ran and failed, before an AfterCall, the model or a client reads its error. An error it returns
	// stops the run, which then fails with that error's text, or a general one where it has none: a safe reason, for the model, the log and clients read nothing else. After nil
	// the model reads the call's error and goes on. One that panics is logged, as if it had returned nil. It is called from the
	// goroutine of the call.
	OnToolError func(tool.Context, ToolError) error
	// Handoffs are agents this one may hand the conversation over to, each by a tool transfer_to_<name>: from the next turn on that
	// agent goes on in the same run. A runner has to find them by name in later runs; Agents and Runner.Run see to that.
	Handoffs []*Agent
	// Parallel runs the calls of one turn side by side; off, they run in order.
	Parallel bool
	// MaxTurns limits the model requests of a run, or of a call the agent works in, those of agents it hands over to included;
	// 0 is DefaultMaxTurns. In the last turn the model must answer in words.
	MaxTurns int
	// MaxRepeats stops a run in which so many turns in a row made the same calls with the same results; 0 is DefaultMaxRepeats,
	// negative is no limit.
	MaxRepeats int
	// MaxResultLength, in Unicode characters, cuts what the model reads of a result; 0 is DefaultMaxResultLength,
	// tool.NoLimit cuts nothing. A tool's own wins.
	MaxResultLength int
	// ApprovalTTL is how long a call waits for a person before that counts as a denial; 0 is for ever.
	ApprovalTTL time.Duration
	// Timeout limits the working time of a run, or of a call the agent works in; waiting for a person does not count. 0 is none.
	Timeout     time.Duration
	Temperature *float64
	MaxTokens   int
	// MaxRetries is how often a failed turn is tried again; 0 is DefaultMaxRetries, negative is never.
	MaxRetries int
}

// Defaults of an Agent's limits.
const (
	DefaultMaxTurns        = 100
	DefaultMaxRequests     = 1000 // of a Runner
	DefaultMaxRepeats      = 10
	DefaultMaxResultLength = 50_000
	DefaultMaxRetries      = 3
)

// Runner runs agents. Its fields are set before the first run and not changed after.
type Runner struct {
	// Store keeps the log; nil is a Memory of the runner's own.
	Store Store
	// Resolve finds the agent of a thread by name, for runs started by name and runs that are resumed. An unknown name is
	// ErrNotFound. Agents is the common case.
	Resolve func(ctx context.Context, name, threadID string) (*Agent, error)
	// Tools are offered to every agent that has not OwnToolsOnly, after its own; of one name the agent's own wins. They are read when a run begins and when
	// it goes on, and before a turn if they changed.
	Tools *tool.Registry
	// OnEvent hears every event after it was stored, in the order of its run, from one goroutine per run. One that panics is
	// logged, and the run goes on. A slow one slows its run. It must not wait for its own run: Decide does, from a goroutine it may.
	OnEvent func(runID string, f protocol.Frame)
	// MaxRequests limits the model requests of a whole run, those of agents inside its calls included; 0 is DefaultMaxRequests, or
	// the MaxTurns of the run's own agent where that is more. Once they are made, each of its agents must answer in words.
	MaxRequests int
	// MergeWindow is how long consecutive deltas are gathered into one event, and progress of a call that newer progress replaces
	// is left out; 0 is 16 ms, negative never merges.
	MergeWindow time.Duration
	// RetryDelay is the wait before the first repetition of a failed turn when the provider names none, doubled each time; 0 is 1 s.
	RetryDelay time.Duration
	// Rules decides in a person's place: it is asked about a call that needs approval before anyone else is, and returns the name
	// of the rule that allows it. It is asked once for each call. nil allows nothing. A call it allows in a sandbox runs there or not at
	// all, and without an executor of sandboxes it is not asked about one.
	Rules func(ctx context.Context, c RuleCall) (name string, ok bool)
	// Approve decides a call made with Call whose tool needs approval; it may block. nil denies.
	Approve func(tool.Context, protocol.Approval) approval.Decision
	// Sandbox runs the calls of tools that declare a sandbox. nil runs their own Run on the host, with a warning in the log.
	Sandbox tool.Executor
	// Elsewhere says of a stored run that it is not this runner's own but the copy of one on another server: Recover leaves it
	// alone. nil: all are its own.
	Elsewhere func(runID string) bool

	Logger *slog.Logger               // nil is slog.Default()
	NewID  func(prefix string) string // nil makes time-ordered random ids
	Now    func() time.Time           // nil is time.Now

	runtime runtime
}

// RuleCall is a call a rule may allow. Its arguments fit its tool's schema.
type RuleCall struct {
	RunID         string
	ThreadID      string
	AgentName     string
	ToolCallID    string
	ToolName      string
	ArgumentsText string
	// Sandbox is where it would run; nil is in this process.
	Sandbox *tool.Sandbox
	// ParentToolCallID names the call inside which the agent works; empty of the run's own.
	ParentToolCallID string
}

// Input starts a run.
type Input struct {
	ThreadID  string // empty makes a new thread; an unknown one is created
	Text      string
	MessageID string // of the user's message; empty makes one
	// Context goes to the tools: userId, channelType, channelId and whatever the server allows.
	Context json.RawMessage
	// DenyPending denies what the thread's paused run waits for, ends that run, and goes on with this one.
	DenyPending bool
}

// Outcome is how a stretch of a run ended.
type Outcome struct {
	Run
	Output    string // the text of the last turn
	ToolCalls []model.ToolCall
	Pending   []*approval.Pending // what a paused run waits for
	Finish    *protocol.Finish    // nil when the run failed
}

// What callers compare.
var (
	ErrBusy      = errors.New("the thread has a live run")
	ErrPaused    = errors.New("the thread's run waits for a decision")
	ErrNotPaused = errors.New("the run does not wait for a decision")
	ErrEnded     = errors.New("the run has ended")
	ErrClosed    = errors.New("the runner is closed")
)

// Ring says a run has more events: nothing else, and possibly late or twice.
type Ring struct {
	RunID    string          `json:"runId"`
	ThreadID string          `json:"threadId"`
	Last     int64           `json:"last" jsonschema_description:"The number of the last event"`
	Status   protocol.Status `json:"status,omitempty"`
	Error    string          `json:"error,omitempty" jsonschema_description:"Why a run stopped whose end could not be stored"`
	Notice   string          `json:"notice,omitempty" jsonschema_description:"What keeps a run that is elsewhere from being read on, while it lasts"`
	// Deleted says that the thread is gone; the ring is of none of its runs.
	Deleted bool `json:"deleted,omitempty" jsonschema_description:"The thread was deleted; the ring is of none of its runs"`
}

func (a *Agent) maxTurns() int {
	if a.MaxTurns == 0 {
		return DefaultMaxTurns
	}
	return a.MaxTurns
}

func (a *Agent) maxRepeats() int {
	if a.MaxRepeats == 0 {
		return DefaultMaxRepeats
	}
	return a.MaxRepeats
}

func (a *Agent) maxRetries() int {
	if a.MaxRetries == 0 {
		return DefaultMaxRetries
	}
	return a.MaxRetries
}

// resultLength is how much of a result of t the model reads.
func (a *Agent) resultLength(t *tool.Tool) int {
	if t != nil && t.MaxResultLength != 0 {
		return t.MaxResultLength
	}
	if a.MaxResultLength == 0 {
		return DefaultMaxResultLength
	}
	return a.MaxResultLength
}
