package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"callboard/backend/model"
	"callboard/backend/tool"
)

// Transcript is a run as a reader sees it: the fold of its events, the same for live, stored and replayed ones. The zero value is
// that of a run without events. It is not safe for concurrent use.
type Transcript struct {
	RunID        string
	ThreadID     string
	AgentName    string
	MessageID    string // of the current stretch
	Status       Status // empty before the first event
	Items        []*Item
	Dropped      []*Call
	DroppedParts []*Item
	Turns        []*TurnRecord
	Approvals    []*Approval // every one that was asked, decided ones too
	Usage        *model.Usage
	Error        *Error
	Finish       *Finish // of the current stretch
	StartedMs    int64
	EndedMs      int64
	Last         int64 // the number of the last event
	Gaps         []Gap // numbers that never came; a reader that wants them folds anew
	WireErrors   []*WireError
	Unknown      []Frame // of types this version does not know
	Late         []Frame // what came for a run, a call or a part that had ended: kept, not shown

	turn      int            // of the run's own agent
	inside    map[string]int // of the agents that work inside calls
	open      *Item
	parts     map[string]*openParts
	keys      map[string]int
	turns     map[int]*TurnRecord
	calls     map[string]*Call
	gone      map[string]*Call   // dropped calls
	early     map[string][]Frame // what came for calls before they were announced
	earlyIDs  []string           // in the order they came
	approvals map[string]int     // places in Approvals
	asked     bool               // approval-required came in this stretch
}

// Gap is a stretch of numbers, both ends included.
type Gap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Item is what stands in a transcript, in order of appearance; what was dropped is gone.
type Item struct {
	Kind ItemKind
	Key  string // its own, made of kind and id; ids may repeat
	ID   string
	Role model.Role // of a message
	Turn int        // of a part
	Open bool       // of a part that is being written
	Call *Call      // of a call; a child's call has its place too

	text strings.Builder
}

// ItemKind is the kind of an Item.
type ItemKind string

const (
	ItemMessage   ItemKind = "message" // what the run was started with
	ItemText      ItemKind = "text"
	ItemReasoning ItemKind = "reasoning"
	ItemCall      ItemKind = "call"
)

// Text is that of a message or a part.
func (i *Item) Text() string { return i.text.String() }

// Call is a call as a reader sees it.
type Call struct {
	ID               string
	ToolName         string // empty of an orphan
	ParentToolCallID string
	ProviderCallID   string
	Children         []string // ids of the calls whose parent it is
	Turn             int      // 0 when not told
	AgentName        string
	State            State
	Presentation     *tool.Presentation
	// Replaced holds the arguments it runs with where they differ from those the model wrote.
	Replaced      *string
	Update        *Progress
	UpdateCount   int
	Approval      *Approval
	ApprovalID    string
	ArgumentsHash string
	By            string // who decided: a person, or rule:<name>
	Reason        string
	Result        json.RawMessage
	Details       json.RawMessage
	ResultRef     *Ref // in place of a large result
	DetailsRef    *Ref // in place of large details
	Error         string
	ErrorCode     string
	DurationMs    *int64
	DropReason    DropReason
	Orphan        bool // it was never announced, but something came for it
	StartedMs     int64
	WaitingMs     int64
	DecidedMs     int64
	RunningMs     int64
	EndedMs       int64

	proposed strings.Builder
	writing  bool // its argument text is still coming
	settled  bool // its one result came
}

// Progress is the latest a running call told.
type Progress struct {
	Content    json.RawMessage
	Details    json.RawMessage
	ContentRef *Ref // in place of large content
	DetailsRef *Ref // in place of large details
}

// ProposedText is the arguments as the model wrote them.
func (c *Call) ProposedText() string { return c.proposed.String() }

// ArgumentsText is the arguments the call runs with.
func (c *Call) ArgumentsText() string {
	if c.Replaced != nil {
		return *c.Replaced
	}
	return c.proposed.String()
}

// Settled reports whether the call's result came.
func (c *Call) Settled() bool { return c.settled }

// TurnRecord is one model request.
type TurnRecord struct {
	Turn             int
	ParentToolCallID string // the call inside which the agent asked
	AgentName        string
	Model            string
	StartedMs        int64
	EndedMs          int64
	FirstMs          int64 // when the first piece of its newest try came
	FirstTokenMs     *int64
	FinishReason     model.FinishReason
	Usage            *model.Usage
	Retries          []Retry
	Dropped          int // calls of this turn that were dropped
	Held             bool
	Cut              *Cut // the newest that was told
}

// Retry is a try of a turn that was taken back.
type Retry struct {
	AtMs   int64  `json:"at"`
	Reason string `json:"reason,omitempty"`
	Code   string `json:"code,omitempty"`
}

// endedBefore is why a call stands unknown or cancelled that an ended run left without a result.
const endedBefore = "the run ended before its result"

// Call returns the call with an id; nil when there is none, or it was dropped.
func (t *Transcript) Call(id string) *Call { return t.calls[id] }

// Calls returns the calls in the order they were announced, without the dropped ones.
func (t *Transcript) Calls() []*Call {
	calls := make([]*Call, 0, len(t.calls))
	for _, item := range t.Items {
		if item.Kind == ItemCall {
			calls = append(calls, item.Call)
		}
	}
	return calls
}

// OpenPart returns the part that is being written; an empty id is none.
func (t *Transcript) OpenPart() (id string, kind ItemKind) {
	if t.open == nil {
		return "", ""
	}
	return t.open.ID, t.open.Kind
}

// Pending returns the calls that wait for a person, in the order they were asked.
func (t *Transcript) Pending() []*Call {
	var pending []*Call
	for _, approval := range t.Approvals {
		if c := t.calls[approval.ToolCallID]; c != nil && c.Approval == approval && c.waits() && !t.Status.Ended() {
			pending = append(pending, c)
		}
	}
	return pending
}

func (c *Call) waits() bool {
	return !c.settled && (c.State == StateWaiting || c.State == StateUnknown && c.Approval.Kind == KindUnknown)
}

// Apply takes one event into the transcript, at a cost that does not grow with it. An event whose number came already is ignored;
// one without a number follows the last.
func (t *Transcript) Apply(f Frame) {
	if !t.count(f.Seq) {
		return
	}
	t.StartedMs = cmp.Or(t.StartedMs, f.AtMs)
	if t.Status.Ended() {
		t.Late = append(t.Late, f)
		return
	}
	switch e := f.Event.(type) {
	case *TextDelta:
		t.partDelta(ItemText, f, e.ID, e.Delta)
	case *ReasoningDelta:
		t.partDelta(ItemReasoning, f, e.ID, e.Delta)
	case *TextStart:
		t.openPart(ItemText, e.ID)
	case *ReasoningStart:
		t.openPart(ItemReasoning, e.ID)
	case *TextEnd:
		t.partEnd(ItemText, f, e.ID, e.Dropped)
	case *ReasoningEnd:
		t.partEnd(ItemReasoning, f, e.ID, e.Dropped)
	case *ToolCallStart:
		t.callStart(f, e)
	case *ToolCallDelta:
		t.forCall(f, e.ID)
	case *ToolCallEnd:
		t.forCall(f, e.ID)
	case *ToolUpdate:
		t.forCall(f, e.ToolCallID)
	case *CallState:
		t.forCall(f, e.ToolCallID)
	case *ToolResult:
		t.forCall(f, e.ToolCallID)
	case *ApprovalRequired:
		t.approvalRequired(f, e)
	case *Turn:
		t.takeTurn(f, e)
	case *Start:
		t.start(e)
	case *Message:
		item := &Item{Kind: ItemMessage, Key: t.key(ItemMessage, e.MessageID), ID: e.MessageID, Role: e.Role}
		item.text.WriteString(e.Content)
		t.Items = append(t.Items, item)
	case *Error:
		t.Error = e
		t.end(f, StatusFailed)
	case *Finish:
		t.finish(f, e)
	default:
		t.Unknown = append(t.Unknown, f)
	}
}

// ApplyJSON takes the JSON of an event, or takes note that it is none.
func (t *Transcript) ApplyJSON(seq int64, data []byte) {
	f, err := DecodeFrame(seq, data)
	if err == nil {
		t.Apply(f)
		return
	}
	wire := &WireError{Seq: seq, Raw: bytes.Clone(data), Err: err}
	errors.As(err, &wire)
	t.ApplyError(wire)
}

// ApplyError takes note of something that is not an event. It counts under its number, so that it makes no gap.
func (t *Transcript) ApplyError(e *WireError) {
	if t.count(e.Seq) {
		t.WireErrors = append(t.WireErrors, e)
	}
}

func (t *Transcript) count(seq int64) bool {
	if seq != 0 && seq <= t.Last {
		return false
	}
	if t.calls == nil {
		t.Status = StatusRunning
		t.parts = map[string]*openParts{}
		t.keys = map[string]int{}
		t.turns = map[int]*TurnRecord{}
		t.inside = map[string]int{}
		t.calls = map[string]*Call{}
		t.gone = map[string]*Call{}
		t.early = map[string][]Frame{}
		t.approvals = map[string]int{}
	}
	if seq > t.Last+1 {
		t.Gaps = append(t.Gaps, Gap{t.Last + 1, seq - 1})
	}
	t.Last = cmp.Or(seq, t.Last+1)
	return true
}

// key makes ids, which may repeat on the wire, unique.
func (t *Transcript) key(kind ItemKind, id string) string {
	name := string(kind) + ":" + id
	t.keys[name]++
	if n := t.keys[name]; n > 1 {
		return name + "#" + strconv.Itoa(n)
	}
	return name
}

func (t *Transcript) start(e *Start) {
	t.Status = StatusRunning
	t.MessageID = e.MessageID
	t.ThreadID = cmp.Or(e.ThreadID, t.ThreadID)
	t.RunID = cmp.Or(e.RunID, t.RunID)
	t.AgentName = cmp.Or(e.AgentName, t.AgentName)
	t.Finish = nil
	t.asked = false
}

// pieceCame takes note that a piece of a turn's answer came.
func (t *Transcript) pieceCame(f Frame, turn int) {
	if record := t.turns[turn]; record != nil && record.FirstMs == 0 && record.EndedMs == 0 {
		record.FirstMs = f.AtMs
	}
}

func (t *Transcript) takeTurn(f Frame, e *Turn) {
	record := t.turns[e.Turn]
	if record == nil {
		record = &TurnRecord{Turn: e.Turn, ParentToolCallID: e.ParentToolCallID, StartedMs: f.AtMs}
		t.turns[e.Turn] = record
		t.Turns = append(t.Turns, record)
	}
	if e.ParentToolCallID == "" {
		t.turn = e.Turn
	} else {
		t.inside[e.ParentToolCallID] = e.Turn
	}
	record.AgentName = cmp.Or(e.AgentName, record.AgentName)
	record.Model = cmp.Or(e.Model, record.Model)
	record.Held = record.Held || e.Held
	record.Cut = cmp.Or(e.Cut, record.Cut)
	switch e.Phase {
	case TurnRetry:
		if e.ParentToolCallID == "" {
			t.takeBack(f, e.Turn)
		} else {
			t.takeBackInside(f, e.ParentToolCallID, e.Turn)
		}
		record.Retries = append(record.Retries, Retry{f.AtMs, e.Reason, e.Code})
		record.FirstMs = 0
	case TurnEnd:
		record.EndedMs = f.AtMs
		record.FinishReason = e.FinishReason
		record.Usage = e.Usage
		record.FirstTokenMs = e.FirstTokenMs
	case TurnStart:
	}
}
