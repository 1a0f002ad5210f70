package storage

import (
	"cmp"
	"strings"

	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// SearchLimit is how much of each text is searched, in bytes: its beginning. A search does not find what stands after it.
const SearchLimit = 64 << 10

// Kind says what a text is that a search finds.
type Kind string

// The kinds of texts.
const (
	KindMessage   Kind = "message"   // what a run was started with
	KindText      Kind = "text"      // a part of the answer
	KindReasoning Kind = "reasoning" // of the model
	KindArguments Kind = "arguments" // of a call: as they were written, and where they were changed as they run
	// KindProgress is what a call that has ended had said last of how far it is, unless its result says the same.
	KindProgress Kind = "progress"
	KindResult   Kind = "result" // of a call, whole as the application got it, with the details
	KindError    Kind = "error"  // of a call, with the details, or the one that ended a run
)

// Kinds are all kinds of texts.
var Kinds = []Kind{KindMessage, KindText, KindReasoning, KindArguments, KindProgress, KindResult, KindError}

// isJSON says whether texts of a kind are JSON.
func (k Kind) isJSON() bool { return k == KindArguments || k == KindProgress || k == KindResult }

// shown is a text of a kind as a person reads it.
func (k Kind) shown(text string) string {
	if !k.isJSON() {
		return text
	}
	if k != KindArguments && strings.HasPrefix(text, `"`) {
		text = strings.TrimSuffix(text[1:], `"`)
	}
	return plain(text)
}

// entry is a text that is found.
type entry struct {
	run       int64 // 0: it is a message of no run
	thread    int64 // of such a message
	message   string
	seq, atMs int64
	kind      Kind
	agentName string
	call      *indexedCall // nil: of no call
	text      string
	details   string // what the call shows beside its result, as JSON
	row       string // what its row shows beside its label then
	apart     bool   // no event has the whole text
	grams     string // what it is found by, of the step that writes it
}

// shown is an entry's text as a person reads it.
func (e *entry) shown() string { return shown(e.kind, e.text, e.details, e.row) }

func shown(kind Kind, text, details, row string) string {
	text = kind.shown(text)
	if details != "" {
		text += "\n" + plainDetails(details)
	}
	if !saysAll(text, row) {
		text += "\n" + row
	}
	return text
}

// indexedCall is a call as far as it is in the index.
type indexedCall struct {
	*protocol.Call
	written string // the state its entries are found by; empty while it has no row
	label   string // as it is written
	named   bool   // its arguments are an entry
	said    *entry // its last progress, while it may become one
	entries []*entry
}

// changed says whether its row is not what it is now.
func (c *indexedCall) changed() bool {
	return c.written != string(c.State) || c.label != c.labelNow()
}

func (c *indexedCall) labelNow() string {
	if c.Presentation == nil {
		return ""
	}
	return c.Presentation.Label
}

// indexedRun folds a run's events into entries.
type indexedRun struct {
	n         int64
	id        string
	mark      int64 // up to here its entries are written
	stored    map[string]storedCall
	t         protocol.Transcript
	agentName string // who writes
	parts     map[string]*strings.Builder
	open      []string                // keys of parts, in the order they were opened
	live      map[string]*indexedCall // those that may still change
	touched   map[*indexedCall]struct{}
	fresh     []*entry // not written yet
	bytes     int      // of their texts
}

// storedCall is a call as an earlier process left it in the index.
type storedCall struct{ state, label string }

func newIndexedRun(n int64, id string, mark int64) *indexedRun {
	return &indexedRun{
		n: n, id: id, mark: mark, stored: map[string]storedCall{}, parts: map[string]*strings.Builder{}, live: map[string]*indexedCall{},
		touched: map[*indexedCall]struct{}{},
	}
}

// apply takes an event in. read reads the large values in whose place it has references.
func (r *indexedRun) apply(f protocol.Frame, read func(hash string) (string, error)) error {
	ended := r.t.Status.Ended()
	r.t.Apply(f)
	if ended {
		return nil // what came too late is not shown either
	}
	switch e := f.Event.(type) {
	case *protocol.Start:
		r.agentName = cmp.Or(e.AgentName, r.agentName)
	case *protocol.Message:
		r.add(f, &entry{kind: KindMessage, text: e.Content})
	case *protocol.Turn:
		if e.ParentToolCallID == "" {
			r.agentName = cmp.Or(e.AgentName, r.agentName)
		}
		if e.Phase == protocol.TurnRetry {
			r.sweep(f)
		}
	case *protocol.TextDelta:
		r.write(partKey(KindText, e.ID), e.Delta)
	case *protocol.ReasoningDelta:
		r.write(partKey(KindReasoning, e.ID), e.Delta)
	case *protocol.TextEnd:
		r.endPart(f, partKey(KindText, e.ID), e.Dropped)
	case *protocol.ReasoningEnd:
		r.endPart(f, partKey(KindReasoning, e.ID), e.Dropped)
	case *protocol.ToolCallStart:
		r.follow(e.ID)
	case *protocol.ToolCallEnd:
		r.touch(f, r.live[e.ID])
	case *protocol.CallState:
		r.touch(f, r.live[e.ToolCallID])
	case *protocol.ToolUpdate:
		return r.update(f, e, read)
	case *protocol.ToolResult:
		return r.result(f, e, read)
	case *protocol.ApprovalRequired:
		for i := range e.Approvals {
			r.touch(f, r.follow(e.Approvals[i].ToolCallID))
		}
	case *protocol.Error:
		r.end(f)
		r.add(f, &entry{kind: KindError, text: e.Message})
	case *protocol.Finish:
		r.end(f)
	default: // the start of a part and the pieces of a call are in the transcript
	}
	return nil
}

func partKey(kind Kind, id string) string { return string(kind) + ":" + id }

func (r *indexedRun) write(key, delta string) {
	part := r.parts[key]
	if part == nil {
		part = &strings.Builder{}
		r.parts[key] = part
		r.open = append(r.open, key)
	}
	if part.Len() < SearchLimit {
		part.WriteString(delta)
	}
}

func (r *indexedRun) endPart(f protocol.Frame, key string, dropped bool) {
	part := r.parts[key]
	if part == nil {
		return
	}
	delete(r.parts, key)
	if !dropped {
		kind, _, _ := strings.Cut(key, ":")
		r.add(f, &entry{kind: Kind(kind), text: part.String(), apart: true})
	}
}

// end takes in what an ended run, or a stretch of it, left open.
func (r *indexedRun) end(f protocol.Frame) {
	for _, key := range r.open {
		r.endPart(f, key, false)
	}
	r.open = nil
	r.sweep(f)
}

// sweep looks at all calls that are not over: an event may have changed each of them.
func (r *indexedRun) sweep(f protocol.Frame) {
	for _, c := range r.t.Calls() {
		if r.live[c.ID] != nil {
			r.touch(f, r.live[c.ID])
		}
	}
	for _, dropped := range r.t.Dropped {
		if c := r.live[dropped.ID]; c != nil && c.Call == dropped {
			r.touch(f, c)
		}
	}
}

// follow looks at a call from now on.
func (r *indexedRun) follow(id string) *indexedCall {
	call := r.t.Call(id)
	if call == nil {
		return nil
	}
	if known := r.live[id]; known != nil && known.Call == call {
		return known
	}
	if call.Settled() {
		return nil
	}
	c := &indexedCall{Call: call, written: r.stored[id].state, label: r.stored[id].label}
	r.live[id] = c
	return c
}

// touch takes in that a call changed.
func (r *indexedRun) touch(f protocol.Frame, c *indexedCall) {
	if c == nil {
		return
	}
	if !c.named && c.State != protocol.StateInput {
		c.named = true
		r.add(f, &entry{kind: KindArguments, call: c, text: c.ProposedText(), apart: true})
	}
	r.touched[c] = struct{}{}
}

func (r *indexedRun) update(f protocol.Frame, e *protocol.ToolUpdate, read func(hash string) (string, error)) error {
	c := r.live[e.ToolCallID]
	if c == nil {
		return nil
	}
	if c.Replaced != nil && (e.ArgumentsText != nil || e.Arguments != nil) {
		r.add(f, &entry{kind: KindArguments, call: c, text: *c.Replaced})
	}
	if e.Presentation != nil {
		r.touched[c] = struct{}{}
	}
	if len(e.Content) > 0 || e.ContentRef != nil {
		text, err := progressText(e, read)
		if err != nil {
			return err
		}
		c.said = &entry{seq: f.Seq, atMs: f.AtMs, kind: KindProgress, call: c, text: text}
	}
	c.Update = nil // the transcript need not keep what is not searched
	return nil
}

func progressText(e *protocol.ToolUpdate, read func(hash string) (string, error)) (string, error) {
	if e.ContentRef != nil {
		return read(e.ContentRef.Hash)
	}
	return string(e.Content), nil
}

func (r *indexedRun) result(f protocol.Frame, e *protocol.ToolResult, read func(hash string) (string, error)) error {
	c := r.live[e.ToolCallID]
	if c == nil {
		return nil
	}
	r.touch(f, c)
	if c.Settled() { // else it was dropped
		kind, text, details, err := resultTexts(e, read)
		if err != nil {
			return err
		}
		came := &entry{kind: kind, call: c, text: text, details: details, row: rowText(e.Presentation)}
		if c.said != nil && !saysAll(came.shown(), c.said.shown()) {
			r.add(f, c.said)
		}
		r.add(f, came)
	}
	c.Result, c.Details, c.said = nil, nil, nil // as above
	return nil
}

// resultTexts are what came of a call and its details, as they are searched.
func resultTexts(e *protocol.ToolResult, read func(hash string) (string, error)) (kind Kind, text, details string, err error) {
	kind, text, details = KindResult, string(e.Result), string(e.Details)
	if e.ResultRef != nil {
		if text, err = read(e.ResultRef.Hash); err != nil {
			return kind, "", "", err
		}
	}
	if e.DetailsRef != nil {
		if details, err = read(e.DetailsRef.Hash); err != nil {
			return kind, "", "", err
		}
	}
	if e.Error != "" {
		kind, text = KindError, e.Error
	}
	return kind, searchable(text), searchable(details), nil
}

// rowText is what a row shows beside its label, as it is searched.
func rowText(p *tool.Presentation) string {
	if p == nil {
		return ""
	}
	return searchable(strings.TrimSpace(p.Detail + "\n" + p.Summary))
}

// saysAll says whether each line of a text stands in another.
func saysAll(other, text string) bool {
	for line := range strings.Lines(text) {
		if !strings.Contains(other, strings.TrimSpace(line)) {
			return false
		}
	}
	return true
}

// add takes in an entry. One of an earlier event has its number and moment already, and is as new as the event it comes with.
func (r *indexedRun) add(f protocol.Frame, e *entry) {
	if e.seq == 0 {
		e.seq, e.atMs = f.Seq, f.AtMs
	}
	e.run, e.agentName, e.text = r.n, r.agentName, searchable(e.text)
	if e.call != nil {
		e.agentName = cmp.Or(e.call.AgentName, r.agentName)
		e.call.entries = append(e.call.entries, e)
	}
	if f.Seq > r.mark {
		r.fresh = append(r.fresh, e)
		r.bytes += len(e.text) + len(e.details) + len(e.row)
	}
}

// written forgets what need not be known for what comes.
func (r *indexedRun) written() {
	for c := range r.touched {
		c.written, c.label = string(c.State), c.labelNow()
		if c.Settled() || c.State == protocol.StateDropped || r.t.Status.Ended() {
			delete(r.live, c.ID)
		}
	}
	clear(r.touched)
	r.fresh, r.bytes = nil, 0
	r.mark = r.t.Last
}
