package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// json masks a JSON text without touching what holds no secret: digits, order and escapes stay. With stringsOnly it leaves numbers,
// and the names of members tell nothing.
func (m *masker) json(text []byte, stringsOnly bool) []byte {
	if m.idle() {
		return text
	}
	if !json.Valid(text) {
		return []byte(m.text(string(text)))
	}
	var out []byte // nil while nothing was changed
	kept := 0
	replace := func(start, end int, with []byte) {
		out = append(append(out, text[kept:start]...), with...)
		kept = end
	}
	m.values(text, func(start, end int, s string, secret bool) {
		if stringsOnly && text[start] != '"' {
			return
		}
		switch masked := m.text(s); {
		case secret && !stringsOnly && s != "" && !m.leaves(s):
			replace(start, end, quoted(Mask))
		case masked == s:
		case text[start] == '"':
			replace(start, end, quoted(masked))
		default: // of a number nothing is left
			replace(start, end, quoted(Mask))
		}
	})
	if out == nil {
		return text
	}
	return append(out, text[kept:]...)
}

// values calls do for each string and number of a valid JSON text: where it stands, what it says, and whether its member has a telling
// name.
func (m *masker) values(text []byte, do func(start, end int, says string, secret bool)) {
	secret, member := false, "" // the value that comes has a telling name
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case c == '"':
			i = stringEnd(text, i)
			name := isName(text, i)
			s := string(text[start+1 : i-1])
			if strings.IndexByte(s, '\\') >= 0 {
				_ = json.Unmarshal(text[start:i], &s) // the text is valid
			}
			do(start, i, s, !name && (secret && !stands.MatchString(s) || isServiceKey(member, s)))
			if secret, member = false, ""; name && len(m.patterns) > 0 {
				secret, member = isTelling(s), s
			}
		case c == '-' || c >= '0' && c <= '9':
			for i < len(text) && bytes.IndexByte([]byte("+-.0123456789eE"), text[i]) >= 0 {
				i++
			}
			do(start, i, string(text[start:i]), secret)
			secret, member = false, ""
		default:
			if c == '{' || c == '[' || c == 't' || c == 'f' || c == 'n' {
				secret, member = false, ""
			}
			i++
		}
	}
}

// stringEnd is the place after the string that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// isName reports whether a colon follows.
func isName(text []byte, i int) bool {
	rest := bytes.TrimLeft(text[i:], " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

func quoted(s string) []byte {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always encodes
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
