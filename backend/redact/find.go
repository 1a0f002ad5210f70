package redact

import (
	"encoding/json"
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

// around is how many bytes on each side are looked at for other secrets.
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
		all = append(all, Hit{Rule: namedSecret, Secret: s, Before: m.before(string(text[max(0, start-4*contextLength):start]))})
	})
	return all
}

func (m *masker) hits(text string) []Hit {
	var all []Hit
	spans := m.spans(text)
	for _, s := range m.found(text) {
		start, end := s.start, s.end
		for _, whole := range spans { // others may overlap it
			if whole.start <= s.start && s.end <= whole.end {
				start, end = whole.start, whole.end
			}
		}
		all = append(all, Hit{
			Rule: s.rule, Secret: s.secret, Fixed: s.rule == keyRule, Known: s.rule == knownRule,
			Before: m.before(text[:start]), After: m.following(text[end:]),
		})
	}
	return all
}

// before is the end of what stands before a hit, and following the beginning of what stands behind it. They are masked before they are
// cut, so that no half of a secret is left.
func (m *masker) before(text string) string {
	text = m.text(text[runeStart(text, len(text)-around):])
	return text[runeStart(text, len(text)-contextLength):]
}

func (m *masker) following(text string) string {
	text = m.text(text[:min(len(text), around)])
	cut := min(len(text), contextLength)
	for cut > 0 && cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// runeStart is where a character begins at or after a place.
func runeStart(text string, at int) int {
	at = max(0, at)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
