package archive

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"

	"callboard/backend/protocol"
	"callboard/backend/redact"
	"callboard/backend/tool"
)

// Findings are the secrets a policy finds in a thread.
type Findings struct {
	All []*Finding // those found most often first

	pieces  map[pieceKey]string // masked, of the texts that came in pieces, where they differ
	answers map[string]bool     // runs in whose answers a secret may stand
}

type pieceKey struct {
	runID string
	seq   int64
}

// Finding is one secret, wherever it stands.
type Finding struct {
	Secret string
	Rules  []string // what found it
	Fixed  bool     // a key of the program: no Leave lets it through
	Spots  []Spot   // in the thread's order

	known string // the rule that finds what is known
}

// Certain are the secrets that are to be masked wherever they stand, as redact.Policy.Known: those that are no everyday words, as the
// value of a member "token" may be.
func (f *Findings) Certain() []string {
	var all []string
	for _, finding := range f.All {
		s := finding.Secret
		mixed := strings.ContainsFunc(s, unicode.IsDigit) && strings.ContainsFunc(s, unicode.IsLetter)
		// What a title has of a longer secret is found with that.
		part := slices.ContainsFunc(f.All, func(other *Finding) bool { return len(other.Secret) > len(s) && strings.HasPrefix(other.Secret, s) })
		if !finding.Fixed && !part && (len(s) >= minMixed && mixed || len(s) >= minPlain) {
			all = append(all, s)
		}
	}
	return all
}

// How long a secret is, in bytes, that is no everyday word: one of letters and digits, and any other.
const (
	minMixed = 8
	minPlain = 20
)

// Spot is a place where a secret stands, once or more often.
type Spot struct {
	Place
	Before, After string // what stands around it, with all secrets masked
	Times         int
}

// Find finds the secrets of a thread. It reads the lines and changes none.
func Find(policy *redact.Policy, lines iter.Seq2[Line, error]) (*Findings, error) {
	x := &finding{
		policy: policy, found: &Findings{pieces: map[pieceKey]string{}, answers: map[string]bool{}}, bySecret: map[string]*Finding{},
	}
	for line, err := range lines {
		if err != nil {
			return nil, err
		}
		x.line(line)
	}
	x.endAll()
	for _, f := range x.found.All {
		if len(f.Rules) > 1 { // what it is says more than that it is known
			f.Rules = slices.DeleteFunc(f.Rules, func(rule string) bool { return rule == f.known })
		}
	}
	slices.SortStableFunc(x.found.All, func(a, b *Finding) int { return cmp.Compare(len(b.Spots), len(a.Spots)) })
	return x.found, nil
}

// finding is a search under way.
type finding struct {
	policy   *redact.Policy
	found    *Findings
	bySecret map[string]*Finding
	runID    string
	parts    map[string]*openPart // by kind and id: texts that come in pieces
	order    []string             // of parts
	sent     map[string]*redact.Growing
	received []string
	answered [2]int // the turn and try of received
}

type openPart struct {
	at     Place
	seqs   []int64
	pieces []string
}

func (x *finding) line(line Line) {
	switch l := line.(type) {
	case *Run:
		x.endAll()
		x.runID, x.parts, x.sent = l.ID, map[string]*openPart{}, map[string]*redact.Growing{}
	case *Event:
		x.event(l)
		return
	case *Request:
		x.request(l)
		return
	case *Received:
		x.answer(l)
		return
	case *History:
		x.endAll()
	}
	visit(line, x.runID, x)
}

func (x *finding) text(at Place, s string) string {
	x.take(at, x.policy.Find(s))
	return s
}

func (x *finding) json(at Place, value []byte) []byte {
	x.take(at, x.policy.FindJSON(value))
	return value
}

func (x *finding) hash(h string) string { return h }

// take notes hits in one text. A text that is stored more than once counts once.
func (x *finding) take(at Place, hits []redact.Hit) {
	times := map[*Finding]int{}
	for _, hit := range hits {
		f := x.bySecret[hit.Secret]
		if f == nil {
			f = &Finding{Secret: hit.Secret}
			x.bySecret[hit.Secret] = f
			x.found.All = append(x.found.All, f)
		}
		f.Fixed = f.Fixed || hit.Fixed
		if hit.Known {
			f.known = hit.Rule
		}
		if !slices.Contains(f.Rules, hit.Rule) {
			f.Rules = append(f.Rules, hit.Rule)
		}
		times[f]++
		i := slices.IndexFunc(f.Spots, func(s Spot) bool { return s.Place == at })
		if i < 0 {
			i = len(f.Spots)
			f.Spots = append(f.Spots, Spot{Place: at, Before: hit.Before, After: hit.After})
		}
		f.Spots[i].Times = max(f.Spots[i].Times, times[f])
	}
}

func (x *finding) event(l *Event) {
	f, err := protocol.DecodeFrame(l.Seq, l.JSON)
	if err != nil {
		x.json(x.at(InOther, ""), l.JSON)
		return
	}
	if delta := protocol.Piece(f.Event); delta != nil {
		x.piece(l.Seq, f.Event, *delta)
		return
	}
	for _, name := range namesOf(f.Event) {
		x.text(Place{Kind: InName}, *name)
	}
	switch e := f.Event.(type) {
	case *protocol.TextEnd:
		x.end("text " + e.ID)
	case *protocol.ReasoningEnd:
		x.end("reasoning " + e.ID)
	case *protocol.ToolCallEnd:
		x.end("call " + e.ID)
	case *protocol.Message:
		x.text(x.at(InMessage, ""), e.Content)
	case *protocol.Turn:
		x.text(x.at(InError, ""), e.Reason)
	case *protocol.ToolCallStart:
		x.presentation(e.ID, e.Presentation)
	case *protocol.ToolUpdate:
		x.update(e)
	case *protocol.CallState:
		x.text(x.at(InDecision, e.ToolCallID), e.Reason)
	case *protocol.ToolResult:
		x.presentation(e.ToolCallID, e.Presentation)
		x.json(x.at(InResult, e.ToolCallID), e.Result)
		x.json(x.at(InDetails, e.ToolCallID), e.Details)
		x.text(x.at(InError, e.ToolCallID), e.Error)
	case *protocol.ApprovalRequired:
		for i := range e.Approvals {
			x.approval(&e.Approvals[i])
		}
	case *protocol.Error:
		x.text(x.at(InError, ""), e.Message)
	case *protocol.Finish:
		x.json(x.at(InAnswer, ""), e.Structured)
		x.text(x.at(InError, ""), e.StructuredError)
	case *protocol.Unknown:
		x.json(x.at(InOther, ""), e.Raw)
	}
}

func (x *finding) at(kind PlaceKind, call string) Place {
	return Place{Kind: kind, RunID: x.runID, ToolCallID: call}
}

func (x *finding) presentation(call string, p *tool.Presentation) {
	if p == nil {
		return
	}
	for _, s := range []string{p.Label, p.Detail, p.Summary} {
		x.text(x.at(InLabel, call), s)
	}
}

func (x *finding) update(e *protocol.ToolUpdate) {
	x.presentation(e.ToolCallID, e.Presentation)
	x.json(x.at(InProgress, e.ToolCallID), e.Content)
	x.json(x.at(InProgress, e.ToolCallID), e.Details)
	x.json(x.at(InArguments, e.ToolCallID), e.Arguments)
	if e.ArgumentsText != nil {
		x.text(x.at(InArguments, e.ToolCallID), *e.ArgumentsText)
	}
}

func (x *finding) approval(a *protocol.Approval) {
	x.presentation(a.ToolCallID, a.Presentation)
	x.text(x.at(InOther, a.ToolCallID), a.Description)
	x.text(x.at(InArguments, a.ToolCallID), a.ArgumentsText)
	x.json(x.at(InArguments, a.ToolCallID), a.Arguments)
	x.json(x.at(InDetails, a.ToolCallID), a.Details)
}

// piece takes a piece of a text, which is looked at once it is whole.
func (x *finding) piece(seq int64, event protocol.Event, delta string) {
	var key string
	var at Place
	switch e := event.(type) {
	case *protocol.TextDelta:
		key, at = "text "+e.ID, x.at(InAnswer, "")
	case *protocol.ReasoningDelta:
		key, at = "reasoning "+e.ID, x.at(InReasoning, "")
	case *protocol.ToolCallDelta:
		key, at = "call "+e.ID, x.at(InArguments, e.ID)
	}
	part := x.parts[key]
	if part == nil {
		part = &openPart{at: at}
		x.parts[key] = part
		x.order = append(x.order, key)
	}
	part.seqs, part.pieces = append(part.seqs, seq), append(part.pieces, delta)
}

func (x *finding) end(key string) {
	part := x.parts[key]
	if part == nil {
		return
	}
	delete(x.parts, key)
	hits := x.policy.Find(strings.Join(part.pieces, ""))
	if len(hits) == 0 {
		return
	}
	x.take(part.at, hits)
	x.found.answers[x.runID] = true
	for i, masked := range x.policy.Pieces(part.pieces) {
		if masked != part.pieces[i] {
			x.found.pieces[pieceKey{x.runID, part.seqs[i]}] = masked
		}
	}
}

func (x *finding) endAll() {
	for _, key := range x.order {
		x.end(key)
	}
	x.order = nil
	x.endAnswer()
}

func (x *finding) request(l *Request) {
	x.text(Place{Kind: InName}, l.AgentName)
	if l.Keep == nil {
		return
	}
	growing := x.sent[l.ParentToolCallID]
	if growing == nil {
		growing = x.policy.Growing()
		x.sent[l.ParentToolCallID] = growing
	}
	growing.Next(*l.Keep, string(l.Tail))
	x.take(Place{Kind: InRequest, RunID: x.runID, Turn: l.Turn}, growing.Hits())
}

// answer takes bytes of an answer, which are looked at once they are whole. What stands in them in the model's own words was seen.
func (x *finding) answer(l *Received) {
	if at := [2]int{l.Turn, l.Try}; at != x.answered {
		x.endAnswer()
		x.answered = at
	}
	for _, piece := range l.Pieces {
		x.received = append(x.received, string(piece.Bytes))
	}
}

func (x *finding) endAnswer() {
	if masked, unread := x.policy.Answer(x.received); unread > 0 || !slices.Equal(masked, x.received) {
		x.found.answers[x.runID] = true
	}
	x.received = nil
}
