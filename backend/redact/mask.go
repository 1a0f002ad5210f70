package redact

import (
	"iter"
	"slices"
	"sort"
	"strings"
)

// masker finds secrets in texts.
type masker struct {
	literals []string
	patterns []Pattern
	words    []word
	known    *index                  // but those that leave lets through
	leave    func(found string) bool // may be nil
	signed   bool                    // all that is looked for beside literals has a sign
	escaped  bool                    // what is looked for may stand in JSON with escapes other than \u
}

// span is the place of a secret, and the name of what found it.
type span struct {
	start, end int
	rule       string
	from       int    // where begins what it was found by
	secret     string // what it says, without escapes
}

// idle reports whether there is nothing to look for.
func (m *masker) idle() bool {
	return len(m.literals)+len(m.patterns)+len(m.words) == 0 && m.known == nil
}

func (m *masker) leaves(found string) bool { return m.leave != nil && m.leave(found) }

// literals are the secrets that are long enough.
func literals(secrets []string) []string {
	return slices.DeleteFunc(slices.Clone(secrets), func(secret string) bool { return len(secret) < MinSecret })
}

// found are the places of secrets, by all that finds them, in order: as they are, and written with escapes of JSON. They may overlap.
func (m *masker) found(text string) []span {
	if m.idle() {
		return nil
	}
	all := m.direct(text)
	plains := m.plains(text)
	for _, p := range plains {
		for _, s := range m.direct(p.text) {
			s.start, s.end, s.from = p.at[s.start], p.at[s.end], p.at[s.from]
			all = append(all, s)
		}
	}
	if len(plains) > 0 {
		all = unique(all)
	}
	slices.SortStableFunc(all, func(a, b span) int { return a.start - b.start })
	return all
}

func unique(all []span) []span {
	there := make(map[span]bool, len(all))
	return slices.DeleteFunc(all, func(s span) bool {
		again := there[s]
		there[s] = true
		return again
	})
}

// direct are the places of secrets that stand in a text as they are.
func (m *masker) direct(text string) []span {
	var all []span
	add := func(start, end int, rule string, from int) {
		if secret := text[start:end]; start < end && (rule == keyRule || !m.leaves(secret)) {
			all = append(all, span{start, end, rule, from, secret})
		}
	}
	for _, literal := range m.literals {
		for at := range places(text, literal) {
			add(at, at+len(literal), keyRule, at)
		}
	}
	for at, secret := range m.known.places(text) {
		all = append(all, span{at, at + len(secret), knownRule, at, secret})
	}
	cut := strings.TrimRight(text, ellipsis)
	n, secrets := m.known.begun(cut, MinSecret+1) // as few as MinSecret may be anything
	for _, secret := range secrets {
		all = append(all, span{len(cut) - n, len(cut), knownRule, len(cut) - n, secret})
	}
	signs, borders := m.signs(text), borders(text, all)
	for _, pattern := range m.patterns {
		if pattern.sign != 0 && pattern.sign&signs == 0 {
			continue
		}
		for _, f := range pattern.finds(text) {
			add(f.start, f.end, pattern.Name, f.from)
		}
		for _, at := range borders {
			if f, ok := pattern.findAt(text, at); ok {
				add(f.start, f.end, pattern.Name, f.from)
			}
		}
	}
	for _, w := range m.words {
		for _, match := range w.pattern.FindAllStringIndex(text, -1) {
			add(match[0], match[1], wordRule, match[0])
		}
	}
	return all
}

// borders are where another secret begins right behind one that was found: the mask is a border, what it stands for need be none.
func borders(text string, found []span) (at []int) {
	for _, s := range found {
		if s.end > 0 && s.end < len(text) && isWord(text[s.end-1]) && slices.ContainsFunc(beginnings, func(b string) bool {
			return strings.HasPrefix(text[s.end:], b)
		}) {
			at = append(at, s.end)
		}
	}
	return at
}

// ends reports whether a text ends with a secret that is known.
func (m *masker) ends(text string) bool {
	ends := func(secret string) bool { return strings.HasSuffix(text, secret) }
	return slices.ContainsFunc(m.literals, ends) || m.known.ends(text)
}

// places are where a text has another.
func places(text, other string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			i := strings.Index(text[at:], other)
			if i < 0 || !yield(at+i) {
				return
			}
			at += i
		}
	}
}

// ellipsis is what may stand where a text was cut.
const ellipsis = "….\u00a0 "

// signs are those that stand in a text as they are: none where no pattern asks, and all where one has none that is known.
func (m *masker) signs(text string) sign {
	switch {
	case len(m.patterns) == 0:
		return 0
	case slices.ContainsFunc(m.patterns, func(p Pattern) bool { return p.sign == 0 }):
		return allSigns
	}
	return signsAsIs(text)
}

// spans are the places of secrets, in order and apart.
func (m *masker) spans(text string) []span { return joined(m.found(text)) }

// joined joins what overlaps, in place.
func joined(all []span) []span {
	apart := all[:0]
	for _, s := range all {
		if n := len(apart); n > 0 && s.start < apart[n-1].end {
			apart[n-1].end, apart[n-1].from = max(apart[n-1].end, s.end), min(apart[n-1].from, s.from)
			continue
		}
		apart = append(apart, s)
	}
	return apart
}

func (m *masker) text(text string) string { return masked(text, m.spans(text)) }

// between masks what stands in a text between two places that are inside of no secret, given the secrets of all of it.
func between(text string, from, to int, spans []span) string {
	var inside []span
	for _, s := range spans[behind(spans, from):] {
		if s.start >= to {
			break
		}
		s.start, s.end = max(s.start, from)-from, min(s.end, to)-from
		inside = append(inside, s)
	}
	return masked(text[from:to], inside)
}

// behind is where in spans that are apart those begin that end behind a place.
func behind(spans []span, at int) int {
	return sort.Search(len(spans), func(i int) bool { return spans[i].end > at })
}

// masked is a text with the mask in the place of each span.
func masked(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	at := 0
	for _, s := range spans {
		out.WriteString(text[at:s.start])
		out.WriteString(Mask)
		at = s.end
	}
	out.WriteString(text[at:])
	return out.String()
}

// outside is the last place at or before n that stands in no span, and in nothing a span was found by.
func outside(spans []span, n int) int {
	for _, s := range slices.Backward(spans) {
		if s.from < n && n < s.end {
			n = s.from
		}
	}
	return n
}

// Pieces masks a text that came in pieces, as if whole: a secret over several is masked in the one it begins in, and gone from the
// others, of which nothing may be left. Pieces without a part of a secret stay as they are.
func (p *Policy) Pieces(pieces []string) []string {
	spans := p.masker().spans(strings.Join(pieces, ""))
	out := slices.Clone(pieces)
	start := 0 // of the piece in the text
	for i, piece := range pieces {
		end := start + len(piece)
		var left strings.Builder
		at := start
		for _, s := range spans {
			if s.end <= start || s.start >= end {
				continue
			}
			if s.start >= start {
				left.WriteString(piece[at-start : s.start-start])
				left.WriteString(Mask)
			}
			at = min(s.end, end)
		}
		left.WriteString(piece[at-start:])
		out[i] = left.String()
		start = end
		for len(spans) > 0 && spans[0].end <= start {
			spans = spans[1:]
		}
	}
	return out
}
