package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// maxID is how long an id or a name is at most, in bytes.
const maxID = 512

// check holds what a line has to fit.
type check struct {
	begun     bool
	blobs     map[string]bool
	runs      map[string]*checkedRun
	run       *checkedRun // the one that was begun last
	approvals map[string]bool
	messages  map[string]bool // of the history and of children
	history   bool            // the runs are over
}

type checkedRun struct {
	id       string
	seq      int64
	calls    map[string]string // ids of their results by ids of calls
	sent     map[string]int    // lengths of what was sent last, by parents
	requests map[[2]int]bool   // turns and tries
}

func newCheck() *check {
	return &check{
		blobs: map[string]bool{}, runs: map[string]*checkedRun{}, approvals: map[string]bool{}, messages: map[string]bool{},
	}
}

func (c *check) line(line Line) error {
	if _, first := line.(*Head); first == c.begun {
		return errors.New("the head is the first line, and only that")
	}
	switch l := line.(type) {
	case *Head:
		c.begun = true
		return c.head(l)
	case *Blob:
		return c.blob(l)
	case *Run:
		return c.newRun(l)
	case *History:
		c.history = true
		return c.entry(l)
	case *End:
		return nil
	}
	if c.run == nil || c.history {
		return fmt.Errorf("a %s belongs to no run", line.kind())
	}
	switch l := line.(type) {
	case *Call:
		return c.call(l)
	case *Approval:
		return c.approval(l)
	case *Child:
		return c.child(l)
	case *Event:
		return c.event(l)
	case *Request:
		return c.request(l)
	case *Received:
		if !c.run.requests[[2]int{l.Turn, l.Try}] {
			return fmt.Errorf("there was no request %d of turn %d", l.Try, l.Turn)
		}
	}
	return nil
}

func (c *check) head(h *Head) error {
	if h.Version < 1 {
		return fmt.Errorf("there is no version %d", h.Version)
	}
	return errors.Join(id("thread", h.Thread.ID), name("agentName", h.Thread.AgentName))
}

func (c *check) blob(b *Blob) error {
	if c.run != nil || c.history {
		return errors.New("blobs stand before the runs")
	}
	if sum := sha256.Sum256(b.Body); hex.EncodeToString(sum[:]) != b.Hash {
		return fmt.Errorf("blob %.80q is not what its hash says", b.Hash)
	}
	if c.blobs[b.Hash] {
		return fmt.Errorf("blob %s comes twice", b.Hash)
	}
	c.blobs[b.Hash] = true
	return name("mediaType", b.MediaType)
}

func (c *check) newRun(r *Run) error {
	if c.history {
		return errors.New("the runs stand before the history")
	}
	if c.runs[r.ID] != nil {
		return fmt.Errorf("run %s comes twice", r.ID)
	}
	if !r.Status.Ended() && r.Status != protocol.StatusRunning && r.Status != protocol.StatusPaused {
		return fmt.Errorf("run %s: there is no status %q", r.ID, r.Status)
	}
	if r.Turn < 0 || r.CallCount < 0 {
		return fmt.Errorf("run %s: a count is below 0", r.ID)
	}
	c.run = &checkedRun{id: r.ID, calls: map[string]string{}, sent: map[string]int{}, requests: map[[2]int]bool{}}
	c.runs[r.ID] = c.run
	return errors.Join(id("run", r.ID), name("agentName", r.AgentName), name("messageId", r.MessageID), aValue("context", r.Context))
}

// callStates are those a row of the ledger may have.
var callStates = []protocol.State{
	protocol.StateRunning, protocol.StateWaiting, protocol.StateDone, protocol.StateFailed, protocol.StateDenied, protocol.StateExpired,
	protocol.StateCancelled, protocol.StateUnknown, protocol.StateProposed, protocol.StateApproved,
}

func (c *check) call(l *Call) error {
	if _, twice := c.run.calls[l.ToolCallID]; twice {
		return fmt.Errorf("call %s comes twice", l.ToolCallID)
	}
	if !slices.Contains(callStates, l.State) {
		return fmt.Errorf("call %s: there is no state %q", l.ToolCallID, l.State)
	}
	c.run.calls[l.ToolCallID] = ""
	if m := l.Message; m != nil {
		if m.Role != model.RoleTool || m.ToolCallID != l.ToolCallID || m.ToolName != l.ToolName || m.RunID != c.run.id ||
			m.Reasoning != "" || len(m.ToolCalls) > 0 {
			return fmt.Errorf("call %s: its result is that of another call", l.ToolCallID)
		}
		c.run.calls[l.ToolCallID] = m.ID
		if err := c.message(m); err != nil {
			return err
		}
	}
	return errors.Join(id("call", l.ToolCallID), name("parentToolCallId", l.ParentToolCallID), name("toolName", l.ToolName))
}

func (c *check) approval(a *Approval) error {
	if c.approvals[a.ApprovalID] {
		return fmt.Errorf("approval %s comes twice", a.ApprovalID)
	}
	c.approvals[a.ApprovalID] = true
	// Servers of others that are attached need tell neither a kind nor a hash.
	if a.Kind != protocol.KindApproval && a.Kind != protocol.KindUnknown && a.Kind != "" {
		return fmt.Errorf("approval %s: there is no kind %q", a.ApprovalID, a.Kind)
	}
	if a.ArgumentsHash != "" && approval.Hash(string(a.ArgumentsText)) != a.ArgumentsHash {
		return fmt.Errorf("approval %s: its arguments are not those its hash says", a.ApprovalID)
	}
	err := errors.Join(aValue("arguments", a.Arguments), aValue("details", a.Details), aValue("sideEffects", a.SideEffects),
		aValue("presentation", a.Presentation))
	if d := a.Decision; d != nil {
		err = errors.Join(err, aValue("result", d.Result))
	}
	_, pendingErr := a.pending("", "")
	return errors.Join(err, pendingErr, id("approval", a.ApprovalID), id("call", a.ToolCallID), name("toolName", a.ToolName),
		name("agentName", a.AgentName), name("parentToolCallId", a.ParentToolCallID))
}

func (c *check) child(l *Child) error {
	m := &l.Message
	if m.Role != model.RoleAssistant || m.RunID != c.run.id {
		return fmt.Errorf("message %s: only an agent of the run speaks inside a call", m.ID)
	}
	return errors.Join(id("call", l.ParentToolCallID), c.newMessage(m))
}

func (c *check) event(l *Event) error {
	if l.Seq != c.run.seq+1 {
		return fmt.Errorf("event %d follows event %d", l.Seq, c.run.seq)
	}
	c.run.seq = l.Seq
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(l.JSON, &head); err != nil || head.Type == "" {
		return fmt.Errorf("event %d is not an event", l.Seq)
	}
	return nil
}

func (c *check) request(l *Request) error {
	at := [2]int{l.Turn, l.Try}
	if c.run.requests[at] || l.Turn < 0 || l.Try < 0 {
		return fmt.Errorf("request %d of turn %d comes twice, or is none", l.Try, l.Turn)
	}
	c.run.requests[at] = true
	if l.Keep != nil {
		sent := c.run.sent[l.ParentToolCallID]
		if *l.Keep < 0 || *l.Keep > sent {
			return fmt.Errorf("request %d of turn %d keeps %d bytes of %d", l.Try, l.Turn, *l.Keep, sent)
		}
		c.run.sent[l.ParentToolCallID] = *l.Keep + len(l.Tail)
	} else if l.Tail != "" {
		return fmt.Errorf("request %d of turn %d has a text that was not sent", l.Try, l.Turn)
	}
	return errors.Join(name("agentName", l.AgentName), name("parentToolCallId", l.ParentToolCallID))
}

func (c *check) entry(h *History) error {
	if h.Message != nil {
		if h.RunID != "" || h.ToolCallID != "" {
			return errors.New("an entry of the history is a message or the result of a call, not both")
		}
		return c.newMessage(h.Message)
	}
	run := c.runs[h.RunID]
	if run == nil || run.calls[h.ToolCallID] == "" {
		return fmt.Errorf("the history has the result of call %s of run %s, which is not there", h.ToolCallID, h.RunID)
	}
	return c.once(run.calls[h.ToolCallID])
}

func (c *check) newMessage(m *Message) error { return errors.Join(c.message(m), c.once(m.ID)) }

func (c *check) once(messageID string) error {
	if c.messages[messageID] {
		return fmt.Errorf("message %s comes twice", messageID)
	}
	c.messages[messageID] = true
	return nil
}

var roles = []model.Role{model.RoleSystem, model.RoleUser, model.RoleAssistant, model.RoleTool}

func (c *check) message(m *Message) error {
	if !slices.Contains(roles, m.Role) {
		return fmt.Errorf("message %s: there is no role %q", m.ID, m.Role)
	}
	for _, image := range m.Images {
		if !c.blobs[image.Hash] {
			return fmt.Errorf("message %s shows image %.80q, which is not in the file", m.ID, image.Hash)
		}
	}
	for _, call := range m.ToolCalls {
		if err := errors.Join(id("call", call.ID), name("name", call.Name), name("providerId", call.ProviderID), aValue("extra", call.Extra)); err != nil {
			return err
		}
	}
	return errors.Join(id("message", m.ID), name("runId", m.RunID), name("toolCallId", m.ToolCallID), name("toolName", m.ToolName),
		aValue("metadata", m.Metadata))
}

// id refuses what names nothing, or what no store should take as a name.
func id(what, value string) error {
	if strings.TrimSpace(value) == "" {
		return fmt.Errorf("a %s has no id", what)
	}
	return name(what, value)
}

func name(what, value string) error {
	if len(value) > maxID || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return fmt.Errorf("%s: %.80q is not a name", what, value)
	}
	return nil
}

func aValue(what string, e exact) error {
	if len(e) > 0 && !json.Valid(e) {
		return fmt.Errorf("%s is not JSON", what)
	}
	return nil
}
