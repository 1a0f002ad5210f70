package storage

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"callboard/backend/protocol"
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
	KindResult    Kind = "result"    // of a call, whole as the application got it
	KindError     Kind = "error"     // of a call, or the one that ended a run
)

// Kinds are all kinds of texts.
var Kinds = []Kind{KindMessage, KindText, KindReasoning, KindArguments, KindResult, KindError}

// isJSON says whether texts of a kind are JSON.
func (k Kind) isJSON() bool { return k == KindArguments || k == KindResult }

// shown is a text of a kind as a person reads it.
func (k Kind) shown(text string) string {
	if !k.isJSON() {
		return text
	}
	if k == KindResult && strings.HasPrefix(text, `"`) {
		text = strings.TrimSuffix(text[1:], `"`)
	}
	return plain(text)
}

// entry is a text that is found.
type entry struct {
	seq, atMs int64
	kind      Kind
	agentName string
	call      *indexedCall // nil: of no call
	text      string
	apart     bool   // no event has the whole text
	grams     string // what it is found by, of the step that writes it
}

// indexedCall is a call as far as it is in the index.
type indexedCall struct {
	*protocol.Call
	written string // the state its entries are found by; empty while it has no row
	label   string // as it is written
	named   bool   // its arguments are an entry
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

// apply takes an event in. result is the text of its result where the event has a reference in its place.
func (r *indexedRun) apply(f protocol.Frame, result func(hash string) (string, error)) error {
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
		r.update(f, e)
	case *protocol.ToolResult:
		return r.result(f, e, result)
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

func (r *indexedRun) update(f protocol.Frame, e *protocol.ToolUpdate) {
	c := r.live[e.ToolCallID]
	if c == nil {
		return
	}
	if c.Replaced != nil && (e.ArgumentsText != nil || e.Arguments != nil) {
		r.add(f, &entry{kind: KindArguments, call: c, text: *c.Replaced})
	}
	if e.Presentation != nil {
		r.touched[c] = struct{}{}
	}
	c.Update = nil // the transcript need not keep what is not searched
}

func (r *indexedRun) result(f protocol.Frame, e *protocol.ToolResult, read func(hash string) (string, error)) error {
	c := r.live[e.ToolCallID]
	if c == nil {
		return nil
	}
	r.touch(f, c)
	switch {
	case !c.Settled(): // dropped
	case e.Error != "":
		r.add(f, &entry{kind: KindError, call: c, text: e.Error})
	default:
		text, err := resultText(e, read)
		if err != nil {
			return err
		}
		r.add(f, &entry{kind: KindResult, call: c, text: text})
	}
	c.Result, c.Details = nil, nil // as above
	return nil
}

// resultText is a result as it is searched, before it is cut.
func resultText(e *protocol.ToolResult, read func(hash string) (string, error)) (string, error) {
	if e.ResultRef != nil {
		return read(e.ResultRef.Hash)
	}
	return string(e.Result), nil
}

func (r *indexedRun) add(f protocol.Frame, e *entry) {
	e.seq, e.atMs, e.agentName, e.text = f.Seq, f.AtMs, r.agentName, searchable(e.text)
	if e.call != nil {
		e.agentName = cmp.Or(e.call.AgentName, r.agentName)
		e.call.entries = append(e.call.entries, e)
	}
	if e.seq > r.mark {
		r.fresh = append(r.fresh, e)
		r.bytes += len(e.text)
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

// searchable is what of a text is searched.
func searchable(text string) string {
	if len(text) <= SearchLimit {
		return text
	}
	end := SearchLimit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// eventText is the text that an event has, as it is searched.
func eventText(f protocol.Frame, read func(hash string) (string, error)) (string, error) {
	var text string
	var err error
	switch e := f.Event.(type) {
	case *protocol.Message:
		text = e.Content
	case *protocol.Error:
		text = e.Message
	case *protocol.ToolUpdate:
		if text = string(e.Arguments); e.ArgumentsText != nil {
			text = *e.ArgumentsText
		}
	case *protocol.ToolResult:
		if text = e.Error; text == "" {
			text, err = resultText(e, read)
		}
	default: // no entry refers to another
	}
	return searchable(text), err
}
