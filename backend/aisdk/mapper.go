package aisdk

import (
	"cmp"
	"encoding/json"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Mapper turns the events of one run, from the first on, into chunks. Its zero value is ready; it is not safe for concurrent use.
type Mapper struct {
	// MessageID is the id of the message that is told, for a client that knows it under one; empty is that of the run's first stretch.
	MessageID string

	out     []Chunk
	begun   bool // the stretch has its start chunk
	asking  bool // it asked for approvals
	over    bool // the run has ended: what comes now comes too late
	pending int  // approvals the message's metadata says are open
	first   *Metadata
	agent   string
	calls   map[string]*call
	order   []*call
	current step
	open    string          // the key of the part of text or reasoning that is being written
	ended   map[string]bool // keys of those that were
}

// Metadata is what a message's metadata tells; a later one's members replace those before.
type Metadata struct {
	RunID                 string          `json:"runId,omitempty"`
	ThreadID              string          `json:"threadId,omitempty"`
	AgentName             string          `json:"agentName,omitempty"`
	Status                protocol.Status `json:"status,omitempty"`
	Usage                 *model.Usage    `json:"usage,omitempty"`
	PendingApprovals      *int            `json:"pendingApprovals,omitempty"` // 0 once those told before are decided
	StructuredError       string          `json:"structuredError,omitempty"`
	Truncated             bool            `json:"truncated,omitempty"`
	Blocked               bool            `json:"blocked,omitempty"`
	IterationLimitReached bool            `json:"iterationLimitReached,omitempty"`
	Limit                 string          `json:"limit,omitempty"`
	ErrorCode             string          `json:"errorCode,omitempty"`
}

// Push takes the run's next event and returns what it adds to the message. Events of an unknown type, and of calls that were never
// announced, add nothing.
func (m *Mapper) Push(event protocol.Event) []Chunk {
	if m.over {
		return nil
	}
	switch e := event.(type) {
	case *protocol.Start:
		m.start(e)
	case *protocol.Turn:
		m.turn(e)
	case *protocol.TextStart:
		m.openPart(text, e.ID)
	case *protocol.TextDelta:
		m.delta(text, e.ID, e.Delta)
	case *protocol.TextEnd:
		m.endPart(text, e.ID, e.Dropped)
	case *protocol.ReasoningStart:
		m.openPart(reasoning, e.ID)
	case *protocol.ReasoningDelta:
		m.delta(reasoning, e.ID, e.Delta)
	case *protocol.ReasoningEnd:
		m.endPart(reasoning, e.ID, e.Dropped)
	case *protocol.ToolCallStart:
		m.callStart(e)
	case *protocol.ToolCallDelta:
		m.callDelta(e)
	case *protocol.ToolCallEnd:
		m.callEnd(e)
	case *protocol.ToolUpdate:
		m.update(e)
	case *protocol.CallState:
		m.callState(e)
	case *protocol.ToolResult:
		m.result(e)
	case *protocol.ApprovalRequired:
		m.approvals(e)
	case *protocol.Error:
		m.failed(e)
	case *protocol.Finish:
		m.finish(e)
	}
	return m.take()
}

// Flush returns what Push has kept back: that something was taken back, in case more of it follows. It is for when no event is at hand.
func (m *Mapper) Flush() []Chunk {
	m.restate()
	return m.take()
}

func (m *Mapper) take() []Chunk {
	out := m.out
	m.out = nil
	return out
}

// say adds a chunk to the message, as one of a part of the current step that has a key.
func (m *Mapper) say(key string, c Chunk) {
	m.restate()
	m.begin()
	m.out = append(m.out, c)
	if key != "" {
		m.current.keep(key, c)
	}
}

// begin opens the stretch, should its start not be told.
func (m *Mapper) begin() {
	if m.begun {
		return
	}
	m.begun = true
	m.out = append(m.out, Chunk{Type: "start", MessageID: m.MessageID, MessageMetadata: m.first})
	m.first = nil
}

// restate takes back the step of which something was dropped, and says again what stays of it.
func (m *Mapper) restate() {
	if !m.current.stale {
		return
	}
	m.current.stale = false
	m.begin()
	m.out = append(m.out, Chunk{Type: "reset-step"})
	m.out = m.current.appendTo(m.out)
}

func (m *Mapper) start(e *protocol.Start) {
	m.MessageID = cmp.Or(m.MessageID, e.MessageID)
	m.first = &Metadata{RunID: e.RunID, ThreadID: e.ThreadID, AgentName: e.AgentName, Status: protocol.StatusRunning, PendingApprovals: m.waiting(0)}
	m.agent, m.asking = e.AgentName, false
	if m.begun { // a decision was told before the stretch it brought about
		m.say("", Chunk{Type: "message-metadata", MessageMetadata: m.first})
		m.first = nil
		return
	}
	m.begin()
}

// turn begins a step with each turn of the run's own agents; those that work inside a call have none.
func (m *Mapper) turn(e *protocol.Turn) {
	if e.ParentToolCallID != "" {
		return
	}
	switch e.Phase {
	case protocol.TurnStart:
		m.endStep()
		m.say("", Chunk{Type: "start-step"})
		m.current = step{open: true}
		if e.AgentName != "" && e.AgentName != m.agent {
			m.agent = e.AgentName
			m.say("", Chunk{Type: "message-metadata", MessageMetadata: &Metadata{AgentName: e.AgentName}})
		}
	case protocol.TurnRetry:
		m.takeBack()
	case protocol.TurnEnd: // its calls are still to run
	}
}

func (m *Mapper) endStep() {
	m.restate()
	if m.current.open {
		m.current.open = false
		m.say("", Chunk{Type: "finish-step"})
	}
}

// end settles what an ended run left open. A server that keeps the protocol's order leaves nothing.
func (m *Mapper) end() {
	m.closePart()
	for _, c := range m.order {
		switch {
		case c.settled:
		case !c.available:
			m.drop(c, protocol.Incomplete)
		case !c.started && c.asked == "" && !c.answered:
			m.drop(c, protocol.Discarded)
		case !c.denied:
			m.fail(c, "The run ended before its result.", c.metadata("", nil))
		}
	}
	m.endStep()
}

func (m *Mapper) failed(e *protocol.Error) {
	m.end()
	m.say("", Chunk{Type: "message-metadata", MessageMetadata: &Metadata{
		Status: protocol.StatusFailed, ErrorCode: e.Code, PendingApprovals: m.waiting(0),
	}})
	m.say("", Chunk{Type: "error", ErrorText: cmp.Or(e.Message, "The run failed.")})
	m.over = true
}

func (m *Mapper) finish(e *protocol.Finish) {
	if e.Structured != nil {
		m.say("", Chunk{Type: DataStructured, ID: "structured", Data: value(e.Structured)})
	}
	status := e.Status
	if status == "" { // of a server that does not say
		status = protocol.StatusCompleted
		if m.asking {
			status = protocol.StatusPaused
		}
	}
	if status == protocol.StatusPaused {
		m.closePart()
		m.endStep()
	} else {
		m.end()
		m.over = true
	}
	reason := "stop"
	switch {
	case status == protocol.StatusPaused:
		reason = "tool-calls"
	case status == protocol.StatusCancelled:
		reason = "interrupted"
		m.say("", Chunk{Type: "abort", Reason: "The run was cancelled."})
	case e.Blocked:
		reason = "content-filter"
	case e.Truncated:
		reason = "length"
	case e.IterationLimitReached, e.Limit != "":
		reason = "other"
	}
	m.say("", Chunk{Type: "finish", FinishReason: reason, MessageMetadata: &Metadata{
		Status: status, Usage: e.Usage, PendingApprovals: m.waiting(e.PendingApprovals), StructuredError: e.StructuredError,
		Truncated: e.Truncated, Blocked: e.Blocked, IterationLimitReached: e.IterationLimitReached, Limit: e.Limit,
	}})
	m.begun = false // another stretch has a start of its own
}

// waiting is how many approvals are open, as the metadata tells it: nil while it has told of none, since members stay until they are
// replaced.
func (m *Mapper) waiting(approvals int) *int {
	if approvals == 0 && m.pending == 0 {
		return nil
	}
	m.pending = approvals
	return &approvals
}

// encoded is the JSON of a value of this package or of the protocol, none of which fails.
func encoded(value any) json.RawMessage {
	text, _ := json.Marshal(value)
	return text
}

// value is JSON of others as it goes out: what does not encode, being no JSON or too deep, as the text it is.
func value(text json.RawMessage) json.RawMessage {
	if text == nil || json.Valid(text) {
		return text
	}
	return encoded(string(text))
}
