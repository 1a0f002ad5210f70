package redact

import (
	"bytes"
	"strings"
)

// storedPieces is how the log writes a delta of each kind, up to its time and from its id on.
var storedPieces = []struct{ key, begins, text string }{
	{"text ", `{"type":"text-delta","at":`, `","delta":"`},
	{"call ", `{"type":"tool-call-delta","at":`, `","argsTextDelta":"`},
	{"reasoning ", `{"type":"reasoning-delta","at":`, `","delta":"`},
}

// stored reads a delta as it is stored, without decoding all of it: its part, and its text. It reads no \u, and nothing but what the
// log writes.
func (s *Stream) stored(event []byte) (of *part, text string, ok bool) {
	for _, kind := range storedPieces {
		rest, found := bytes.CutPrefix(event, []byte(kind.begins))
		if !found {
			continue
		}
		for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			rest = rest[1:]
		}
		rest, found = bytes.CutPrefix(rest, []byte(`,"id":"`))
		id, rest, hasText := bytes.Cut(rest, []byte(kind.text))
		rest, ends := bytes.CutSuffix(rest, []byte(`"}`))
		if !found || !hasText || !ends || bytes.IndexByte(id, '"') >= 0 || bytes.IndexByte(id, '\\') >= 0 {
			return nil, "", false
		}
		if text, ok = simpleString(rest); !ok {
			return nil, "", false
		}
		return s.part(kind.key + string(id)), text, true
	}
	return nil, "", false
}

// simpleString is what a string of JSON says, given what stands between its quotes; false where it has a \u, or ends before that.
func simpleString(text []byte) (string, bool) {
	if bytes.IndexByte(text, '"') < 0 && bytes.IndexByte(text, '\\') < 0 {
		return string(text), true
	}
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			sign, known := escapes[text[i]]
			if !known {
				return "", false
			}
			c = byte(sign)
		} else if c == '"' || c == '\\' {
			return "", false
		}
		out.WriteByte(c)
	}
	return out.String(), true
}

// passes reports whether a piece is settled as it is and holds no secret, and takes it as given then.
func (s *Stream) passes(p *part, piece string) bool {
	m, text := s.masker, p.given+piece
	if m.signs(text) != 0 || m.clear(text, 0) < len(text) || strings.IndexByte(text, '\\') >= 0 && !m.asWritten(text) {
		return false
	}
	for _, literal := range m.literals {
		if strings.Contains(text, literal) {
			return false
		}
	}
	p.give(text, len(text))
	return true
}
