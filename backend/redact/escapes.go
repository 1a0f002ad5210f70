package redact

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain is a text with the escapes of JSON as the characters they stand for: a secret can be written in many ways that mean the same.
// It ends before an escape that is not whole.
type plain struct {
	text string
	at   []int // for each byte, and the end, where it stands in the text it was made of
}

// depth is how often JSON may stand as a text in JSON: arguments in an event, and texts of JSON in them.
const depth = 3

// plains are a text without its escapes, without those of the text that leaves, and so on.
func plains(text string) []plain {
	var all []plain
	for range depth {
		if strings.IndexByte(text, '\\') < 0 {
			break
		}
		p := unescape(text)
		again := p.text != text
		if n := len(all); n > 0 {
			outer := all[n-1]
			for i, at := range p.at {
				p.at[i] = outer.at[at]
			}
		}
		all, text = append(all, p), p.text
		if !again {
			break
		}
	}
	return all
}

// plains are those of a text in which there may be something that the text itself does not show.
func (m *masker) plains(text string) []plain {
	if strings.IndexByte(text, '\\') < 0 || m.asWritten(text) && m.signs(text) == 0 {
		return nil
	}
	return plains(text)
}

// asWritten reports whether no escape of a text can hide what is looked for, or a beginning of it at the text's end.
func (m *masker) asWritten(text string) bool {
	return !m.escaped && !strings.Contains(text, `\u`) && strings.IndexByte(text[max(0, len(text)-len(keyBegins)):], '\\') < 0
}

// isEscaped reports whether JSON writes a text, or may write it, with escapes other than \u.
func isEscaped(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == '/' })
}

func unescape(text string) plain {
	var out strings.Builder
	p := plain{at: make([]int, 0, len(text)+1)}
	i := 0
	for i < len(text) {
		r, size := rune(0), 0
		if text[i] == '\\' {
			if r, size = escape(text[i:]); size == 0 && isCut(text[i:]) {
				break
			}
		}
		from := out.Len()
		if size == 0 {
			out.WriteByte(text[i])
			size = 1
		} else {
			out.WriteRune(r)
		}
		for range out.Len() - from {
			p.at = append(p.at, i)
		}
		i += size
	}
	p.text, p.at = out.String(), append(p.at, i)
	return p
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape is the character a text begins with as an escape, and how long that is: 0 where it is none.
func escape(text string) (rune, int) {
	if len(text) < 2 {
		return 0, 0
	}
	if r, found := escapes[text[1]]; found {
		return r, 2
	}
	r, ok := unit(text)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if low, ok := unit(text[6:]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, 12
			}
		}
		if isCut(text[6:]) {
			return 0, 0
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// unit is what stands after \u.
func unit(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// isCut reports whether a text that begins with a backslash, or is empty, may become an escape with what follows it.
func isCut(text string) bool {
	for i, c := range []byte(text) {
		hex := c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
		switch {
		case i == 0 && c != '\\', i == 1 && c != 'u', i > 1 && !hex:
			return false
		case i > 5: // the first of a pair, whose other is to come
			return isCut(text[6:])
		}
	}
	return true
}
