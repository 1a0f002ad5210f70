package openai

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the text of a JSON string, which is known to be valid, without judging its bytes: those that are no UTF-8
// stay, and half of a surrogate pair stays as the three bytes it would have. A joiner makes text of both. What is no string is
// nil. The result may be a part of quoted.
func unquote(quoted []byte) []byte {
	if len(quoted) < 2 || quoted[0] != '"' {
		return nil
	}
	in := quoted[1 : len(quoted)-1]
	i := bytes.IndexByte(in, '\\')
	if i < 0 {
		return in
	}
	out := make([]byte, 0, len(in))
	for {
		out = append(out, in[:i]...)
		in = in[i+1:]
		size := 1
		switch c := in[0]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := hexRune(in[1:5])
			size = 5
			if utf16.IsSurrogate(r) {
				if len(in) >= 11 && in[5] == '\\' && in[6] == 'u' {
					if pair := utf16.DecodeRune(r, hexRune(in[7:11])); pair != utf8.RuneError {
						out = utf8.AppendRune(out, pair)
						size = 11
						break
					}
				}
				out = append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
				break
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
		in = in[size:]
		if i = bytes.IndexByte(in, '\\'); i < 0 {
			return append(out, in...)
		}
	}
}

func hexRune(b []byte) (r rune) {
	for _, c := range b {
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		r = r<<4 | rune(c)
	}
	return r
}

// joiner makes text of pieces that may be cut inside a character: it holds a part of one back until the rest comes. What is no
// character becomes U+FFFD.
type joiner struct {
	held []byte
}

// push adds a piece and returns the text that is whole.
func (j *joiner) push(piece []byte) string {
	if len(j.held) == 0 && utf8.Valid(piece) {
		return string(piece)
	}
	b := append(j.held, piece...)
	var out strings.Builder
	for len(b) > 0 {
		if r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1 {
			out.Write(b[:size])
			b = b[size:]
			continue
		}
		high, isHigh := surrogate(b, 0xA0)
		if isHigh {
			if low, isLow := surrogate(b[3:], 0xB0); isLow {
				out.WriteRune(utf16.DecodeRune(high, low))
				b = b[6:]
				continue
			}
			if mayBeLow(b[3:]) {
				break
			}
		}
		if _, isLow := surrogate(b, 0xB0); isHigh || isLow {
			out.WriteRune(utf8.RuneError)
			b = b[3:]
			continue
		}
		if !utf8.FullRune(b) || (len(b) == 2 && b[0] == 0xED && b[1]&0xE0 == 0xA0) {
			break
		}
		out.WriteRune(utf8.RuneError)
		b = b[1:]
	}
	j.held = bytes.Clone(b)
	return out.String()
}

// rest returns what stands for a character that never came whole.
func (j *joiner) rest() string {
	if len(j.held) == 0 {
		return ""
	}
	j.held = nil
	return string(utf8.RuneError)
}

// mayBeLow reports whether b can be the beginning of a second half.
func mayBeLow(b []byte) bool {
	return len(b) == 0 || (len(b) < 3 && b[0] == 0xED && (len(b) < 2 || b[1]&0xF0 == 0xB0))
}

// surrogate reads half of a surrogate pair as unquote leaves it; from is 0xA0 for the first half and 0xB0 for the second.
func surrogate(b []byte, from byte) (r rune, ok bool) {
	if len(b) < 3 || b[0] != 0xED || b[1] < from || b[1] > from+0x0F || b[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F), true
}
