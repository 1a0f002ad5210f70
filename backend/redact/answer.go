package redact

import (
	"slices"
	"strings"
)

// Withheld stands in a model's answer where something cannot be read as what belongs to it, and so may be a piece of a secret.
const Withheld = "[withheld]"

// Answer masks the bytes of a model's answer, given in the pieces they came in. Models write a few characters in an event, so a secret
// stands in no event as a whole: beside the bytes as they are, the strings of the events are masked joined, in every order in which a
// client may join them. A secret is masked where it begins, and nothing of it is left elsewhere.
//
// What is neither JSON nor a line of server-sent events, in an answer that has JSON, may belong anywhere, and with it what was written
// before and after: then Withheld stands in its place and in that of each text, and withheld counts what could not be read. Pieces without
// a secret stay as they are.
func (p *Policy) Answer(pieces []string) (masked []string, withheld int) {
	m := p.masker()
	if m.idle() {
		return pieces, 0
	}
	text := strings.Join(pieces, "")
	read := readAnswer(text)
	var cuts []replaced
	for _, s := range m.spans(text) {
		cuts = append(cuts, replaced{s.start, s.end, Mask})
	}
	for _, join := range joins {
		cuts = append(cuts, read.joined(m, join)...)
	}
	return replace(pieces, apart(append(cuts, read.withheld()...))), len(read.unread)
}

// withheld are the places nobody can vouch for.
func (r *readAnswers) withheld() []replaced {
	if len(r.unread) == 0 {
		return nil
	}
	all := slices.Clone(r.unread)
	for _, s := range r.said {
		if s.start < s.end && !slices.Contains(aboutAnswers, s.name) {
			all = append(all, replaced{s.start, s.end, Withheld})
		}
	}
	return all
}

// replaced is a place in a text, and what stands there instead.
type replaced struct {
	start, end int
	with       string // Withheld, Mask, or nothing where a secret goes on
}

// apart joins places that overlap. What is withheld wins, then the mask.
func apart(all []replaced) []replaced {
	slices.SortFunc(all, func(a, b replaced) int { return a.start - b.start })
	out := all[:0]
	for _, c := range all {
		if n := len(out); n > 0 && c.start < out[n-1].end {
			last := &out[n-1]
			last.end = max(last.end, c.end)
			if last.with == "" || c.with == Withheld {
				last.with = c.with
			}
			continue
		}
		out = append(out, c)
	}
	return out
}

// replace gives a text that came in pieces with places of it replaced, each in the piece it begins in.
func replace(pieces []string, cuts []replaced) []string {
	if len(cuts) == 0 {
		return pieces
	}
	out := slices.Clone(pieces)
	start := 0 // of the piece in the text
	for i, piece := range pieces {
		end, at := start+len(piece), start
		var left strings.Builder
		for _, c := range cuts {
			if c.start >= end {
				break
			}
			if c.start >= start {
				left.WriteString(piece[at-start:c.start-start] + c.with)
			}
			at = min(c.end, end)
		}
		out[i] = left.String() + piece[at-start:]
		start = end
		for len(cuts) > 0 && cuts[0].end <= start {
			cuts = cuts[1:]
		}
	}
	return out
}

// joins are the ways to tell which strings of an answer belong together: by where they stand, whatever else tells two of that place
// apart; by the number or the id that an object with them has; by the kind of the event; by the name alone, for servers that change
// the place; and all of them as they came, but those that tell of the answer.
var joins = []func(saying) (belongs group, ok bool){
	func(s saying) (group, bool) { return group{place: s.place()}, true },
	func(s saying) (group, bool) { return group{place: s.place(), marks: s.in.indexes}, s.in.indexes != "" },
	func(s saying) (group, bool) { return group{place: s.place(), marks: s.in.ids}, s.in.ids != "" },
	func(s saying) (group, bool) {
		return group{place: s.place(), marks: s.in.indexes + s.in.positions()}, true
	},
	func(s saying) (group, bool) {
		return group{place: s.place(), marks: s.in.indexes + s.in.root().kind}, true
	},
	func(s saying) (group, bool) { return group{place: place{name: s.name}}, true },
	func(s saying) (group, bool) { return group{}, !slices.Contains(aboutAnswers, s.name) },
}

// aboutAnswers are members of events that tell of the answer, and hold nothing a model wrote.
var aboutAnswers = []string{
	"id", "object", "model", "type", "role", "finish_reason", "finishReason", "system_fingerprint", "service_tier", "obfuscation", "item_id",
	"event", "event_id", "response_id", "status", "logprobs", "modelVersion", "responseId", "created_at", "done_reason", "retry", comment,
}

// group is what strings have in common that are joined.
type group struct {
	place place
	marks string
}

// joined finds the secrets in the strings that belong together.
func (r *readAnswers) joined(m *masker, join func(saying) (group, bool)) []replaced {
	var order []group
	groups := map[group][]saying{}
	for _, s := range r.said {
		g, ok := join(s)
		if !ok {
			continue
		}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], s)
	}
	var cuts []replaced
	for _, g := range order {
		cuts = append(cuts, r.across(m, groups[g])...)
	}
	return cuts
}

// across finds the secrets in strings that follow each other, and where they stand in the answer.
func (r *readAnswers) across(m *masker, all []saying) []replaced {
	var joined strings.Builder
	for _, s := range all {
		joined.WriteString(r.text[s.start:s.end])
	}
	// A pair of escapes may be cut between two strings, so they are joined as they are written.
	plain := unescape(joined.String())
	var cuts []replaced
	start := 0 // of all[0] in the joined text
	for _, span := range m.spans(plain.text) {
		from, to := plain.at[span.start], plain.at[span.end]
		for len(all) > 0 && start+all[0].end-all[0].start <= from {
			start += all[0].end - all[0].start
			all = all[1:]
		}
		with := Mask
		for at, i := start, 0; i < len(all) && at < to; i++ {
			s := all[i]
			length := s.end - s.start
			if length > 0 {
				cuts = append(cuts, replaced{s.start + max(0, from-at), s.start + min(length, to-at), with})
				with = ""
			}
			at += length
		}
	}
	return cuts
}
