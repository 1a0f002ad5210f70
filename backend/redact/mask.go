package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// masker finds secrets in texts.
type masker struct {
	literals []string
	patterns []*regexp.Regexp
}

type span struct{ start, end int }

// literals are the secrets that are long enough.
func literals(secrets []string) []string {
	return slices.DeleteFunc(slices.Clone(secrets), func(secret string) bool { return len(secret) < MinSecret })
}

// spans are the places of secrets, in order and apart: as they are, and written with escapes of JSON.
func (m *masker) spans(text string) []span {
	if len(m.literals) == 0 && len(m.patterns) == 0 {
		return nil
	}
	all := m.found(text)
	for _, p := range plains(text) {
		for _, s := range m.found(p.text) {
			all = append(all, span{p.at[s.start], p.at[s.end]})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.start - b.start })
	apart := all[:0]
	for _, s := range all {
		if n := len(apart); n > 0 && s.start <= apart[n-1].end {
			apart[n-1].end = max(apart[n-1].end, s.end)
			continue
		}
		apart = append(apart, s)
	}
	return apart
}

// found are the places of secrets that stand in a text as they are.
func (m *masker) found(text string) []span {
	var all []span
	for _, literal := range m.literals {
		for at := 0; ; {
			i := strings.Index(text[at:], literal)
			if i < 0 {
				break
			}
			all = append(all, span{at + i, at + i + len(literal)})
			at += i + 1
		}
	}
	for _, pattern := range m.patterns {
		for _, match := range pattern.FindAllStringSubmatchIndex(text, -1) {
			s := span{match[0], match[1]}
			if len(match) > 2 && match[2] >= 0 {
				s = span{match[2], match[3]}
			}
			all = append(all, s)
		}
	}
	return all
}

func (m *masker) text(text string) string {
	spans := m.spans(text)
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

// maxOpen is how much of a text's end is held back at most while it may be the beginning of a secret, in bytes. A longer secret is
// masked in pieces.
const maxOpen = 16 << 10

// said is a word after which a secret may come, and what came of it.
var said = regexp.MustCompile(`(?i)(?:bearer|password|passwd|secret|token|api[_-]?key)["']?\s*[:=]?\s*["']?[^\s"',;&]*$`)

// A private key spans lines.
const keyBegins = "-----BEGIN "

var keyEnds = regexp.MustCompile(`-----END [A-Z ]*-----`)

// settled is how much of a text will be masked the same whatever follows: what comes after may be the beginning of a secret.
func (m *masker) settled(text string) int {
	if len(m.literals) == 0 && len(m.patterns) == 0 {
		return len(text)
	}
	n := m.clear(text)
	for _, p := range plains(text) {
		n = min(n, p.at[m.clear(p.text)])
	}
	for _, s := range m.spans(text) {
		if s.start < n && n < s.end {
			n = s.start
		}
	}
	if len(text)-n > maxOpen {
		n = len(text)
	}
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// clear is where the end of a text begins that may be the beginning of a secret.
func (m *masker) clear(text string) int {
	n := len(text)
	for _, literal := range m.literals {
		for k := min(len(literal)-1, len(text)); k > 0; k-- {
			if strings.HasSuffix(text, literal[:k]) {
				n = min(n, len(text)-k)
				break
			}
		}
	}
	if len(m.patterns) > 0 {
		n = min(n, strings.LastIndexAny(text, " \t\r\n\"'")+1)
		if at := said.FindStringIndex(text[max(0, len(text)-256):]); at != nil {
			n = min(n, max(0, len(text)-256)+at[0])
		}
		if at := strings.LastIndex(text, keyBegins); at >= 0 && !keyEnds.MatchString(text[at:]) {
			n = min(n, at)
		}
	}
	return n
}
