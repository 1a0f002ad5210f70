package archive

import (
	"bytes"
	"fmt"
	"iter"

	"callboard/backend/approval"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// Masking keeps secrets out of a copy of a thread. Texts are masked, ids are not: they hold a thread together.
type Masking struct {
	Policy *redact.Policy
	// Findings are what Find found by the same policy in the same lines.
	Findings *Findings
	// Redacted is what the copy says of itself; nil: nothing, as only the program's own keys were looked for. With NoImages it has no
	// blobs, with NoAnswers nothing of the bytes models answered with, in which a secret may stand in pieces nobody sees.
	Redacted *Redacted
}

// Lines are the lines without the secrets. Those in which there is none stay as they are.
func (m *Masking) Lines(lines iter.Seq2[Line, error]) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		x := &masking{Masking: m, hashes: map[string]string{}}
		for line, err := range lines {
			keep := true
			if err == nil {
				keep, err = x.line(line)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if keep && !yield(line, nil) {
				return
			}
		}
	}
}

// masking is a copy under way.
type masking struct {
	*Masking
	runID  string
	stream *redact.Stream             // of the run's events, but for pieces of texts
	sent   map[string]*redact.Growing // by parents
	hashes map[string]string          // of masked arguments, by those of the arguments
}

func (x *masking) line(line Line) (keep bool, err error) {
	switch l := line.(type) {
	case *Head:
		l.Redacted = x.Redacted
	case *Blob:
		return x.Redacted == nil || !x.Redacted.NoImages, nil
	case *Run:
		x.runID = l.ID
		x.stream = x.Policy.Stream(redact.Operator)
		x.sent = map[string]*redact.Growing{}
	case *Event:
		return true, x.event(l)
	case *Request:
		x.request(l)
		return true, nil
	case *Received:
		leaves := x.Redacted != nil && x.Redacted.NoAnswers || x.Findings.answers[x.runID]
		return !leaves, nil
	}
	visit(line, x.runID, x)
	if x.Redacted != nil && x.Redacted.NoImages {
		withoutImages(line)
	}
	return true, nil
}

func withoutImages(line Line) {
	switch l := line.(type) {
	case *Call:
		if l.Message != nil {
			l.Message.Images = nil
		}
	case *History:
		if l.Message != nil {
			l.Message.Images = nil
		}
	}
}

func (x *masking) text(at Place, s string) string {
	masked := x.Policy.Text(s)
	if at.Kind == InArguments && masked != s {
		x.hashes[approval.Hash(s)] = approval.Hash(masked)
	}
	return masked
}

func (x *masking) json(_ Place, value []byte) []byte { return x.Policy.JSON(value) }

// hash is that of the masked arguments: the one of a short secret would give it away.
func (x *masking) hash(h string) string {
	if masked, ok := x.hashes[h]; ok {
		return masked
	}
	return h
}

func (x *masking) event(l *Event) error {
	f, err := protocol.DecodeFrame(l.Seq, l.JSON)
	if err != nil {
		l.JSON = x.Policy.JSON(l.JSON)
		return nil //nolint:nilerr // what is no event is JSON
	}
	before, err := f.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("event %d: %w", l.Seq, err)
	}
	if delta := protocol.Piece(f.Event); delta != nil {
		if masked, is := x.Findings.pieces[pieceKey{x.runID, l.Seq}]; is {
			*delta = masked
		}
	} else {
		x.names(f.Event)
		f = x.stream.Push(f)[0] // without pieces of texts it holds nothing back
		x.rehash(f.Event)
	}
	after, err := f.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("event %d: %w", l.Seq, err)
	}
	if !bytes.Equal(before, after) {
		l.JSON = after
	}
	return nil
}

// namesOf are the names an event tells, of tools, agents, models and people.
func namesOf(event protocol.Event) []*string {
	switch e := event.(type) {
	case *protocol.Start:
		return []*string{&e.AgentName}
	case *protocol.Turn:
		return []*string{&e.AgentName, &e.Model}
	case *protocol.ToolCallStart:
		return []*string{&e.ToolName}
	case *protocol.CallState:
		return []*string{&e.By}
	case *protocol.ApprovalRequired:
		var all []*string
		for i := range e.Approvals {
			all = append(all, &e.Approvals[i].ToolName)
		}
		return all
	}
	return nil
}

func (x *masking) names(event protocol.Event) {
	for _, name := range namesOf(event) {
		*name = x.Policy.Text(*name)
	}
}

func (x *masking) rehash(event protocol.Event) {
	switch e := event.(type) {
	case *protocol.CallState:
		e.ArgumentsHash = x.hash(e.ArgumentsHash)
	case *protocol.ApprovalRequired:
		for i := range e.Approvals {
			e.Approvals[i].ArgumentsHash = x.hash(e.Approvals[i].ArgumentsHash)
		}
	}
}

func (x *masking) request(l *Request) {
	l.AgentName = x.Policy.Text(l.AgentName)
	if l.Keep == nil {
		return
	}
	growing := x.sent[l.ParentToolCallID]
	if growing == nil {
		growing = x.Policy.Growing()
		x.sent[l.ParentToolCallID] = growing
	}
	keep, tail := growing.Next(*l.Keep, string(l.Tail))
	l.Keep, l.Tail = &keep, text(tail)
}
