package redact

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Stream is what a view sees of one run. It is fed the run's events from the first on, and gives them under the same numbers.
//
// A secret may come in pieces, so the texts of parts and arguments are masked joined: a delta whose text a later piece can change
// waits, with what comes after it, until it cannot or the part ends. Those that waited together share what is then given, none of
// them nothing: a log has no empty deltas, and each event keeps its number. Where there was no secret each has its own text again.
// Only where one came in more pieces than its mask has characters, and little else with it, the last are left without a text.
type Stream struct {
	policy *Policy
	masker *masker
	user   bool
	tools  map[string]string // names by call
	parts  map[string]*part
	held   []protocol.Frame // in order; the first is a delta whose text is not settled
	open   int              // parts with deltas that wait
}

// part is a text that comes in pieces.
type part struct {
	given   string   // the end of what is settled, unmasked
	pending string   // not settled yet
	out     string   // settled, masked, and not given: the deltas that wait share it
	masked  bool     // out has a mask in it
	waiting []*waits // the deltas that wait
	begun   bool
}

// waits is a delta that waits.
type waits struct {
	delta            *string
	brought, settled int // bytes of its own, and of out that came with it
}

// maxGiven is how much of what was given is looked at again with what follows, in bytes: the name before a value, the character before
// a word.
const maxGiven = 96

// Stream starts a view of a run.
func (p *Policy) Stream(view View) *Stream {
	return &Stream{policy: p, masker: p.masker(), user: view == User, tools: map[string]string{}, parts: map[string]*part{}}
}

// Push takes the run's next event and returns those that may go out now, in order.
func (s *Stream) Push(f protocol.Frame) []protocol.Frame {
	f.Event = s.event(f.Event)
	s.held = append(s.held, f)
	if s.open > 0 {
		return nil
	}
	out := s.held
	s.held = nil
	return out
}

// Passes reports whether an event may go out as it is stored, without Push: it holds no secret, it is no piece of a text, and nothing
// waits. It is for readers of long logs, to whom decoding each event would cost more than all the rest.
func (s *Stream) Passes(stored []byte) bool {
	if s.user || s.open > 0 || !s.masker.signed {
		return false
	}
	if s.masker.idle() {
		return true
	}
	if piece, text, ok := s.stored(stored); ok {
		return s.passes(piece, text)
	}
	if head := stored[:min(len(stored), 32)]; bytes.Contains(head, []byte(`-delta"`)) {
		return false // in other words than ours
	}
	text := string(stored)
	if len(s.masker.patterns) > 0 && signsIn(text) != 0 {
		return false
	}
	return len(s.masker.literals) == 0 || len(s.masker.spans(text)) == 0
}

// piece takes a delta of a part and keeps its place until its text is settled.
func (s *Stream) piece(key string, delta *string) {
	p := s.part(key)
	if len(p.waiting) == 0 {
		s.open++
	}
	text := p.given + p.pending + *delta
	n, spans := s.masker.settled(text)
	n = max(n, len(p.given))
	p.waiting = append(p.waiting, &waits{delta, len(*delta), p.settle(text, n, spans)})
	p.pending = text[n:]
	p.give(text, n)
	if p.pending == "" {
		s.share(p)
	}
}

// settle takes what of a text is settled, up to n, and returns how many bytes of out it is.
func (p *part) settle(text string, n int, spans []span) int {
	out := between(text, len(p.given), n, spans)
	p.out, p.masked = p.out+out, p.masked || out != text[len(p.given):n]
	return len(out)
}

// share gives the deltas that wait what is settled: each what it brought or, for that would tell a secret's length, what was settled
// when it came; but one character at least as long as there are any.
func (s *Stream) share(p *part) {
	runes := utf8.RuneCountInString(p.out)
	from, to := 0, 0
	for i, w := range p.waiting {
		after := len(p.waiting) - i - 1
		if to += w.brought; p.masked {
			to += w.settled - w.brought
		}
		end := from
		for runes > 0 && (end == from || end < to && runes > after) {
			_, size := utf8.DecodeRuneInString(p.out[end:])
			end, runes = end+size, runes-1
		}
		if after == 0 {
			end = len(p.out)
		}
		*w.delta, from = p.out[from:end], end
	}
	p.out, p.masked, p.waiting = "", false, nil
	s.open--
}

// part is the text of a key, begun where there is none.
func (s *Stream) part(key string) *part {
	p := s.parts[key]
	if p == nil {
		p = &part{}
		s.parts[key] = p
	}
	return p
}

// give keeps the end of what was given: n bytes of a text.
func (p *part) give(text string, n int) { p.given = text[runeStart(text[:n], n-maxGiven):n] }

func (s *Stream) endPart(key string) {
	p := s.parts[key]
	if p == nil {
		return
	}
	if len(p.waiting) > 0 {
		text := p.given + p.pending
		p.settle(text, len(text), s.masker.spans(text))
		s.share(p)
	}
	delete(s.parts, key)
}

// hide gives a delta of which nothing is shown: joined, the deltas of a part are first and blanks.
func (s *Stream) hide(key, first string) string {
	p := s.part(key)
	if p.begun {
		return " "
	}
	p.begun = true
	return first
}

// event returns a copy of an event as the view sees it.
func (s *Stream) event(event protocol.Event) protocol.Event {
	switch e := event.(type) {
	case *protocol.Message:
		c := *e
		c.Content = s.masker.text(c.Content)
		return &c
	case *protocol.Turn:
		c := *e
		if c.Reason = s.masker.text(c.Reason); s.user {
			c.Reason = ""
		}
		return &c
	case *protocol.TextDelta:
		c := *e
		s.piece("text "+c.ID, &c.Delta)
		return &c
	case *protocol.TextEnd:
		s.endPart("text " + e.ID)
	case *protocol.ReasoningDelta:
		c := *e
		if s.user && !s.policy.Reasoning {
			c.Delta = s.hide("reasoning "+c.ID, Hidden)
		} else {
			s.piece("reasoning "+c.ID, &c.Delta)
		}
		return &c
	case *protocol.ReasoningEnd:
		s.endPart("reasoning " + e.ID)
	case *protocol.ToolCallStart:
		c := *e
		s.tools[c.ID] = c.ToolName
		c.ToolName = s.masker.text(c.ToolName) // a model may write any
		c.Presentation = s.presentation(c.Presentation, s.show(c.ID))
		return &c
	case *protocol.ToolCallDelta:
		c := *e
		if s.show(c.ID).Arguments {
			s.piece("call "+c.ID, &c.ArgsTextDelta)
		} else {
			c.ArgsTextDelta = s.hide("call "+c.ID, "{}")
		}
		return &c
	case *protocol.ToolCallEnd:
		s.endPart("call " + e.ID)
	case *protocol.ToolUpdate:
		return s.update(e)
	case *protocol.CallState:
		c := *e
		c.Reason = s.masker.text(c.Reason)
		if !s.show(c.ToolCallID).Arguments {
			c.ArgumentsHash = "" // of a short text, it gives the text away
		}
		return &c
	case *protocol.ToolResult:
		return s.result(e)
	case *protocol.ApprovalRequired:
		c := *e
		c.Approvals = make([]protocol.Approval, len(e.Approvals))
		for i, a := range e.Approvals {
			c.Approvals[i] = s.approval(a)
		}
		return &c
	case *protocol.Error:
		s.endAll()
		c := *e
		if c.Message = s.masker.text(c.Message); s.user {
			c.Message = "The run failed."
		}
		return &c
	case *protocol.Finish:
		s.endAll()
		c := *e
		c.Structured, c.StructuredError = s.raw(c.Structured), s.masker.text(c.StructuredError)
		return &c
	case *protocol.Unknown:
		c := *e
		if c.Raw = s.raw(c.Raw); s.user {
			c.Raw, _ = json.Marshal(map[string]protocol.Type{"type": c.Kind}) // a map of a string always encodes
		}
		return &c
	}
	return event
}

func (s *Stream) endAll() {
	for key := range s.parts {
		s.endPart(key)
	}
}

// show is what the view sees of a call.
func (s *Stream) show(toolCallID string) Show {
	if !s.user {
		return Show{Arguments: true, Result: true, Details: true, Error: true, DetailLine: true}
	}
	return s.policy.show(s.tools[toolCallID])
}

func (s *Stream) update(e *protocol.ToolUpdate) *protocol.ToolUpdate {
	c, show := *e, s.show(e.ToolCallID)
	c.Presentation = s.presentation(c.Presentation, show)
	c.Content, c.Details = s.raw(c.Content), s.raw(c.Details)
	if !show.Details {
		c.Content, c.Details, c.ContentRef, c.DetailsRef = nil, nil, nil, nil
	}
	if c.ArgumentsText != nil || c.Arguments != nil {
		if !show.Arguments {
			text := "{}"
			c.ArgumentsText, c.Arguments = &text, json.RawMessage(text)
		} else if c.Arguments = s.raw(c.Arguments); c.ArgumentsText != nil {
			text := s.masker.text(*c.ArgumentsText)
			c.ArgumentsText = &text
		}
	}
	return &c
}

func (s *Stream) result(e *protocol.ToolResult) *protocol.ToolResult {
	c, show := *e, s.show(e.ToolCallID)
	c.Presentation = s.presentation(c.Presentation, show)
	c.Result, c.Details, c.Error = s.raw(c.Result), s.raw(c.Details), s.masker.text(c.Error)
	if !show.Details {
		c.Details, c.DetailsRef = nil, nil
	}
	if !show.Result {
		if c.ResultRef = nil; !c.Dropped && c.Error == "" {
			c.Result = quoted(Hidden)
		}
	}
	if !show.Error && c.Error != "" {
		c.Error = "The call failed."
	}
	return &c
}

func (s *Stream) approval(a protocol.Approval) protocol.Approval {
	if _, known := s.tools[a.ToolCallID]; !known {
		s.tools[a.ToolCallID] = a.ToolName
	}
	show := s.show(a.ToolCallID)
	a.ToolName = s.masker.text(a.ToolName)
	a.Presentation, a.Description = s.presentation(a.Presentation, show), s.masker.text(a.Description)
	shown := s.masker.text(a.ArgumentsText)
	a.Masked = a.Masked || shown != a.ArgumentsText // an attached server may have masked them before
	a.Arguments, a.ArgumentsText, a.Details = s.raw(a.Arguments), shown, s.raw(a.Details)
	if !show.Arguments {
		a.Arguments, a.ArgumentsText, a.ArgumentsHash, a.Masked, a.Details = json.RawMessage("{}"), "{}", "", false, nil
		a.Hidden = true
	}
	return a
}

func (s *Stream) presentation(p *tool.Presentation, show Show) *tool.Presentation {
	if p == nil {
		return nil
	}
	c := *p
	c.Label, c.Detail, c.Summary = s.masker.text(c.Label), s.masker.text(c.Detail), s.masker.text(c.Summary)
	if !show.DetailLine {
		c.Detail, c.Summary = "", ""
	}
	return &c
}

func (s *Stream) raw(text json.RawMessage) json.RawMessage {
	if text == nil {
		return nil
	}
	return s.masker.json(text, false)
}
