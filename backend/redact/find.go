package redact

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// Hit is a secret that a policy finds in a text.
type Hit struct {
	Rule   string // what found it: the name of a pattern, or of another way
	Secret string
	Fixed  bool // it is one of Policy.Secrets, and no Leave lets it through
	Known  bool // it is one of Policy.Known, or what is left of one
	// Before and After are what stands around it, with what else is secret masked.
	Before, After string
}

// contextLength is how many bytes of a text around a hit are shown at most, on each side.
const contextLength = 48

// around is how many bytes on each side are looked at, which secrets in them make shorter.
const around = 4 << 10

// Find returns the secrets Text masks, in their order. What several rules find is there once for each.
func (p *Policy) Find(text string) []Hit { return p.masker().hits(text) }

// FindJSON returns the secrets JSON masks, in their order.
func (p *Policy) FindJSON(text []byte) []Hit {
	m := p.masker()
	if m.idle() {
		return nil
	}
	if !json.Valid(text) {
		return m.hits(string(text))
	}
	var all []Hit
	m.values(text, func(start, end int, s string, secret bool) {
		if !secret || s == "" || m.leaves(s) {
			all = append(all, m.hits(s)...)
			return
		}
		// What stands around a value that is secret as a whole is its name.
		name := string(text[max(0, start-4*contextLength):start])
		all = append(all, Hit{Rule: namedSecret, Secret: s, Before: before(name, len(name), m.spans(name))})
	})
	return all
}

func (m *masker) hits(text string) []Hit {
	var all []Hit
	found := m.found(text)
	spans := joined(slices.Clone(found))
	for _, s := range found {
		whole := spans[behind(spans, s.start)] // others may overlap it
		all = append(all, Hit{
			Rule: s.rule, Secret: s.secret, Fixed: s.rule == keyRule, Known: s.rule == knownRule,
			Before: before(text, whole.start, spans), After: following(text, whole.end, spans),
		})
	}
	return all
}

// before is the end of what stands before a hit in a text with secrets, and following the beginning of what stands behind it. They are
// masked before they are cut, so that no half of a secret is left.
func before(text string, end int, spans []span) string {
	shown := between(text, outside(spans, runeStart(text, end-around)), end, spans)
	return shown[runeStart(shown, len(shown)-contextLength):]
}

func following(text string, start int, spans []span) string {
	end := min(len(text), start+around)
	if i := behind(spans, end); i < len(spans) && spans[i].start < end {
		end = spans[i].end
	}
	shown := between(text, start, end, spans)
	return shown[:runeEnd(shown, contextLength)]
}

// runeEnd is where a character ends at or before a place.
func runeEnd(text string, at int) int {
	at = min(at, len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// runeStart is where a character begins at or after a place.
func runeStart(text string, at int) int {
	at = max(0, at)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
