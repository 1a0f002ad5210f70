package redact

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// telling is a member's name whose value is a secret.
var telling = regexp.MustCompile(`(?i)^(?:.*[_-])?(?:password|passwd|secret|token|api[_-]?key|authorization|cookie|set-cookie|private[_-]?key)$`)

// json masks a JSON text without touching what holds no secret: digits, order and escapes stay.
func (m *masker) json(text []byte) []byte {
	if len(m.literals) == 0 && len(m.patterns) == 0 {
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
	secret := false // the value that comes has a telling name
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case c == '"':
			i = stringEnd(text, i)
			name := isName(text, i)
			var s string
			_ = json.Unmarshal(text[start:i], &s) // the text is valid
			masked := m.text(s)
			if secret && !name && s != "" {
				masked = Mask
			}
			secret = name && len(m.patterns) > 0 && telling.MatchString(s)
			if masked != s {
				replace(start, i, quoted(masked))
			}
		case c == '-' || c >= '0' && c <= '9':
			for i < len(text) && bytes.IndexByte([]byte("+-.0123456789eE"), text[i]) >= 0 {
				i++
			}
			if number := string(text[start:i]); secret || m.text(number) != number {
				replace(start, i, quoted(Mask))
			}
			secret = false
		default:
			if c == '{' || c == '[' || c == 't' || c == 'f' || c == 'n' {
				secret = false
			}
			i++
		}
	}
	if out == nil {
		return text
	}
	return append(out, text[kept:]...)
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
