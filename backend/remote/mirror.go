package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/client"
	"callboard/backend/protocol"
)

// Limits of the copy of one run.
const (
	maxEvents  = 1_000_000
	maxMissing = 100       // events that never came, or could not be read
	maxRaw     = 4 << 10   // bytes that are kept of what could not be read
	maxBytes   = 512 << 20 // of texts and values, while one process copies it
)

// CodeWire is the code of a run whose server broke the protocol beyond what can be copied.
const CodeWire = "WIRE_ERROR"

// CodeForgotten is the code of a run its server does not know any more, and of a message to a thread of which that is so.
const CodeForgotten = "RUN_FORGOTTEN"

// The types of the events that stand in place of those of a server that are missing or unreadable.
const (
	kindUnreadable = "unreadable-event"
	kindMissing    = "missing-event"
)

// errWire says that a server broke the protocol so that nothing can follow.
var errWire = errors.New("the protocol is broken")

// mirror is the copy of one run. What it has taken is in the store.
type mirror struct {
	server   *Server
	id       string // here
	remoteID string // there; empty where the server numbers no events

	// Of what reads it now, or did last; guarded by the server's mu.
	stop context.CancelFunc
	left chan struct{} // closed when that has ended

	mu      sync.Mutex // one at a time writes
	row     agent.Run
	fold    protocol.Transcript
	rows    rows
	missing int
	bytes   int
	broken  bool // the store refused a batch: the fold is ahead of it
}

// baseID begins the ids of runs their server has no id for. Such a run cannot be read on after a connection broke.
const baseID = "base_"

// newMirror is the copy of a run of which nothing is loaded.
func (s *Server) newMirror(runID string) *mirror {
	m := &mirror{server: s, id: runID}
	if name, _ := Split(runID); !strings.HasPrefix(name, baseID) {
		m.remoteID = name
	}
	return m
}

func (m *mirror) base() bool { return m.remoteID == "" }

// load reads what the store has of the run.
func (m *mirror) load(ctx context.Context) error {
	log := m.server.Runner.Log()
	states, err := log.Runs(ctx, agent.RunQuery{ID: m.id})
	if err == nil && len(states) == 0 {
		err = agent.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("load the copy of run %s: %w", m.id, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.row, m.fold, m.broken = states[0].Run, protocol.Transcript{}, false
	m.rows = newRows()
	for after := int64(0); ; {
		records, err := log.Events(ctx, m.id, after, 1024)
		if err != nil {
			return fmt.Errorf("load the copy of run %s: %w", m.id, err)
		}
		for _, record := range records {
			after = record.Seq
			f, err := protocol.DecodeFrame(record.Seq, record.JSON)
			if err != nil {
				return fmt.Errorf("load the copy of run %s: %w", m.id, err)
			}
			m.fold.Apply(f)
			m.rows.derive(&agent.Batch{}, m, f) // they are stored
		}
		if len(records) == 0 {
			break
		}
	}
	if m.fold.Status == "" {
		m.fold.Status = protocol.StatusRunning
	}
	m.rows.remember(states[0].Approvals)
	return nil
}

func (m *mirror) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fold.Status.Ended()
}

// begun reports whether the run is in the store.
func (m *mirror) begun() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.row.ID != ""
}

// received is an event of the server, or what came in place of one.
type received struct {
	frame protocol.Frame
	err   error // *client.Gap, *client.WireError, or what ended the stream
}

// take stores events of the server in one transaction with their rows. It reports whether nothing can follow. With errWire the copy
// cannot go on; any other error is the store's, or of a value that could not be fetched, and the events may be taken again.
func (m *mirror) take(ctx context.Context, all []received) (ended bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &agent.Batch{}
	for _, r := range all {
		if m.fold.Status.Ended() {
			break // what a server sends after the end is nothing of the run
		}
		frames, err := m.admit(r)
		if err != nil {
			m.broken = len(b.Frames) > 0
			return false, err
		}
		for _, f := range frames {
			if err := m.fetch(ctx, b, f.Event); err != nil {
				m.broken = true
				return false, err
			}
			m.apply(b, f)
		}
	}
	return m.fold.Status.Ended(), m.commit(ctx, b)
}

// admit makes of what came the frames that follow the last one.
func (m *mirror) admit(r received) ([]protocol.Frame, error) {
	next := m.row.Last + 1
	var gap *client.Gap
	var wire *client.WireError
	switch {
	case errors.As(r.err, &gap):
		count := gap.To - gap.From + 1
		if gap.From != next || count < 1 || int64(m.missing)+count > maxMissing {
			return nil, fmt.Errorf("events %d to %d never came: %w", gap.From, gap.To, errWire)
		}
		m.missing += int(count)
		frames := make([]protocol.Frame, count)
		for i := range frames {
			frames[i] = placeholder(next+int64(i), kindMissing, "it never came", nil)
		}
		return frames, nil
	case errors.As(r.err, &wire):
		if wire.Seq != next && (!m.base() || wire.Seq != 0) {
			return nil, fmt.Errorf("event %d came after event %d, and cannot be read: %w", wire.Seq, next-1, errWire)
		}
		return m.unreadable(wire.Err.Error(), []byte(wire.Raw))
	}
	f := r.frame
	if m.base() {
		f.Seq = next // the server counts nothing, or not what is stored here
		if f.AtMs == 0 {
			f.AtMs = time.Now().UnixMilli()
		}
	}
	switch {
	case f.Seq != next:
		return nil, fmt.Errorf("event %d came after event %d: %w", f.Seq, next-1, errWire)
	case f.Seq > maxEvents:
		return nil, fmt.Errorf("it has over %d events: %w", maxEvents, errWire)
	}
	if m.bytes += weight(f.Event); m.bytes > maxBytes {
		return nil, fmt.Errorf("it has over %d MiB: %w", maxBytes>>20, errWire)
	}
	if why := m.own(f.Event); why != "" {
		raw, _ := f.AppendJSON(nil) // it was just read
		return m.unreadable(why, raw)
	}
	return m.withInput(f), nil
}

// withInput puts what the run was started with after its first event, where the server does not tell it.
func (m *mirror) withInput(f protocol.Frame) []protocol.Frame {
	_, told := f.Event.(*protocol.Message)
	if !m.base() || told || m.row.Last != 1 {
		return []protocol.Frame{f}
	}
	input := protocol.Frame{Seq: f.Seq, AtMs: f.AtMs, Event: &protocol.Message{
		MessageID: m.id + "_input", Role: "user", Content: m.row.Input,
	}}
	f.Seq++
	return []protocol.Frame{input, f}
}

func (m *mirror) unreadable(why string, raw []byte) ([]protocol.Frame, error) {
	if m.missing++; m.missing > maxMissing {
		return nil, fmt.Errorf("over %d events cannot be read, the last because %s: %w", maxMissing, why, errWire)
	}
	return []protocol.Frame{placeholder(m.row.Last+1, kindUnreadable, why, raw)}, nil
}

// placeholder is the event that stands where there should be another.
func placeholder(seq int64, kind, why string, raw []byte) protocol.Frame {
	at := time.Now().UnixMilli()
	text, _ := json.Marshal(struct { // strings and numbers always encode
		Type string `json:"type"`
		At   int64  `json:"at"`
		Why  string `json:"why"`
		Raw  string `json:"raw,omitempty"`
	}{kind, at, why, strings.ToValidUTF8(string(raw[:min(len(raw), maxRaw)]), "\uFFFD")})
	return protocol.Frame{Seq: seq, AtMs: at, Event: &protocol.Unknown{Kind: protocol.Type(kind), Raw: text}}
}

// own gives an event the names its run, thread, agents and approvals have here; why it is none of the run's is not empty.
func (m *mirror) own(event protocol.Event) (why string) {
	switch e := event.(type) {
	case *protocol.Start:
		if !m.base() && e.RunID != "" && e.RunID != m.remoteID {
			return fmt.Sprintf("it is of run %q", e.RunID)
		}
		e.RunID, e.ThreadID = m.id, m.row.ThreadID
		e.AgentName = m.agentName(e.AgentName)
		if e.MessageID == "" { // each stretch has one
			e.MessageID = fmt.Sprintf("%s_%d", m.id, m.row.Last+1)
		}
	case *protocol.Message:
		if e.MessageID != "" { // other servers may call theirs the same
			e.MessageID = Qualify(e.MessageID, m.server.Name)
		}
	case *protocol.Turn:
		e.AgentName = m.agentName(e.AgentName)
	case *protocol.Finish:
		e.ThreadID = m.row.ThreadID
	case *protocol.CallState:
		if e.ApprovalID != "" {
			e.ApprovalID = m.approvalID(e.ApprovalID)
		}
	case *protocol.ApprovalRequired:
		e.ThreadID = m.row.ThreadID
		for i := range e.Approvals {
			m.ownApproval(&e.Approvals[i])
		}
	}
	return ""
}

// ownApproval makes a question one that can be asked here: with an id of its own, and the hash of what is shown.
func (m *mirror) ownApproval(a *protocol.Approval) {
	if a.ApprovalID == "" {
		a.ApprovalID = a.ToolCallID // of a server that has no ids for them
	}
	a.ApprovalID = m.approvalID(a.ApprovalID)
	if a.ArgumentsText == "" {
		a.ArgumentsText = string(a.Arguments)
	}
	a.ArgumentsHash = approval.Hash(a.ArgumentsText)
	if a.Kind == "" {
		a.Kind = protocol.KindApproval
	}
}

func (m *mirror) agentName(theirs string) string {
	if theirs == "" {
		return ""
	}
	return Qualify(theirs, m.server.Name)
}

func (m *mirror) approvalID(theirs string) string { return Qualify(theirs, m.id) }

// theirApproval is what the server calls an approval.
func (m *mirror) theirApproval(ours string) string { return strings.TrimSuffix(ours, separator+m.id) }

// weight is about how many bytes of an event are text.
func weight(event protocol.Event) int {
	const head = 100
	switch e := event.(type) {
	case *protocol.TextDelta:
		return head + len(e.Delta)
	case *protocol.ReasoningDelta:
		return head + len(e.Delta)
	case *protocol.ToolCallDelta:
		return head + len(e.ArgsTextDelta)
	case *protocol.ToolUpdate:
		return head + len(e.Content) + len(e.Details)
	case *protocol.ToolResult:
		return head + len(e.Result) + len(e.Details) + len(e.Error)
	case *protocol.Unknown:
		return head + len(e.Raw)
	}
	return head
}

// apply adds a frame, and the rows it means, to a batch.
func (m *mirror) apply(b *agent.Batch, f protocol.Frame) {
	b.Frames = append(b.Frames, f)
	m.row.Last = f.Seq
	m.fold.Apply(f)
	m.rows.derive(b, m, f)
	m.row.Status, m.row.MessageID, m.row.Usage = m.fold.Status, m.fold.MessageID, m.fold.Usage
	if e := m.fold.Error; e != nil {
		m.row.Error, m.row.ErrorCode = e.Message, e.Code
	}
	if t, ok := f.Event.(*protocol.Turn); ok && t.ParentToolCallID == "" {
		m.row.Turn = max(m.row.Turn, t.Turn)
	}
}

// commit stores a batch and tells of it. The caller holds the lock.
func (m *mirror) commit(ctx context.Context, b *agent.Batch) error {
	if len(b.Frames)+len(b.Approvals) == 0 {
		return nil
	}
	m.row.UpdatedAtMs = time.Now().UnixMilli()
	m.row.CallCount = len(m.fold.Calls())
	b.Run = m.row
	if err := m.server.Runner.Log().Append(context.WithoutCancel(ctx), b); err != nil {
		m.broken = true
		return fmt.Errorf("store what %s told of run %s: %w", m.server.Name, m.id, err)
	}
	m.server.Runner.Announce(b.Frames, b.Run)
	return nil
}

// fail ends the copy with an error of ours. A run that has ended stays as it is.
func (m *mirror) fail(ctx context.Context, code, message string) error {
	return m.close(ctx, &protocol.Error{Message: message, Code: code})
}

// close ends the copy with an event of ours, after what it leaves open.
func (m *mirror) close(ctx context.Context, end protocol.Event) error {
	m.mu.Lock()
	broken := m.broken
	m.mu.Unlock()
	if broken {
		if err := m.load(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fold.Status.Ended() {
		return nil
	}
	b := &agent.Batch{}
	say := func(event protocol.Event) {
		m.apply(b, protocol.Frame{Seq: m.row.Last + 1, AtMs: time.Now().UnixMilli(), Event: event})
	}
	for _, event := range leftOpen(&m.fold) {
		say(event)
	}
	say(end)
	return m.commit(ctx, b)
}
