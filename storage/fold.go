package storage

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"callboard/backend/protocol"
)

// folded is a text as a search sees it: without capitals and accents, and with one space for each stretch of spaces, line breaks
// and control characters.
type folded struct {
	text string
	from []int32 // of each byte of text, where its character begins in the text that was folded; one more for the end
}

// fold folds a text and remembers where everything stood.
func fold(text string) folded {
	f := folded{from: make([]int32, 0, len(text)+1)}
	var out strings.Builder
	out.Grow(len(text))
	for at, r := range text {
		before := out.Len()
		if foldRune(&out, r) {
			continue
		}
		for range out.Len() - before {
			f.from = append(f.from, int32(at)) //nolint:gosec // a text has SearchLimit bytes at most
		}
	}
	f.from = append(f.from, int32(len(text))) //nolint:gosec // as above
	f.text = out.String()
	return f
}

// foldText is fold for what needs no way back.
func foldText(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for _, r := range text {
		foldRune(&out, r)
	}
	return out.String()
}

// foldRune appends a character as it is folded; nothing for an accent, or for a space after a space.
func foldRune(out *strings.Builder, r rune) (nothing bool) {
	switch {
	case r > ' ' && r < 0x7f:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
	case unicode.IsSpace(r) || unicode.IsControl(r):
		if strings.HasSuffix(out.String(), " ") {
			return true
		}
		r = ' '
	case isAccent(r):
		return true
	default:
		r = bare(r)
	}
	out.WriteRune(r)
	return false
}

func isAccent(r rune) bool { return 0x0300 <= r && r <= 0x036f }

// bare is a letter without its accents, small. Letters of scripts whose marks are more than accents stay as they are.
func bare(r rune) rune {
	var encoded [utf8.UTFMax]byte
	n := utf8.EncodeRune(encoded[:], r)
	if parts := norm.NFD.Properties(encoded[:n]).Decomposition(); parts != nil {
		base, size := utf8.DecodeRune(parts)
		accents := parts[size:]
		for len(accents) > 0 {
			accent, size := utf8.DecodeRune(accents)
			if !isAccent(accent) {
				return unicode.ToLower(r)
			}
			accents = accents[size:]
		}
		r = base
	}
	if r = unicode.ToLower(r); r == 'ς' {
		return 'σ'
	}
	return r
}

// plain is JSON text with the escapes in its strings as the characters they stand for, as a person reads it; an image's bytes are no
// text and left out. Other text comes back as it is.
func plain(text string) string {
	if strings.Contains(text, imageBytes) {
		text = withoutImages(text)
	}
	if !strings.Contains(text, `\`) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			i++
			continue
		}
		r, size := unescape(text[i:])
		out.WriteRune(r)
		i += size
	}
	return out.String()
}

// unescape reads the escape a text begins with. What is none stands for itself.
func unescape(text string) (r rune, size int) {
	switch text[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case '"', '\\', '/':
		return rune(text[1]), 2
	case 'u':
		high, ok := hex4(text[2:])
		if !ok {
			return '\\', 1
		}
		if utf16.IsSurrogate(high) {
			if len(text) > 7 && text[6] == '\\' && text[7] == 'u' {
				if low, ok := hex4(text[8:]); ok {
					if both := utf16.DecodeRune(high, low); both != unicode.ReplacementChar {
						return both, 12
					}
				}
			}
			return unicode.ReplacementChar, 6
		}
		return high, 6
	}
	return '\\', 1
}

func hex4(text string) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:4], 16, 32)
	return rune(n), err == nil //nolint:gosec // four digits
}

const imageBytes = ";base64,"

func withoutImages(text string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, imageBytes)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString(imageBytes)
		text = strings.TrimLeftFunc(after, isBase64)
	}
}

func isBase64(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '+' || r == '/' || r == '='
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;:?]*[ -/]*[@-~]`)

// plainDetails is a call's details as a person reads them: the texts of their blocks, without colours, and of an image what it shows.
func plainDetails(details string) string {
	var out strings.Builder
	for _, b := range protocol.DetailsBlocks(json.RawMessage(details)) {
		switch b.Kind {
		case protocol.BlockText, protocol.BlockMarkdown, protocol.BlockDiff, protocol.BlockCode:
			out.WriteString(b.Text)
		case protocol.BlockTerminal:
			out.WriteString(escapes.ReplaceAllString(b.Text, ""))
		case protocol.BlockTable:
			out.WriteString(strings.Join(b.Columns, " "))
			for _, row := range b.Rows {
				out.WriteByte('\n')
				for _, cell := range row {
					out.WriteString(KindResult.shown(string(cell)) + " ")
				}
			}
		case protocol.BlockImage:
			out.WriteString(b.Alt)
		case protocol.BlockFile:
			out.WriteString(b.Path)
		case protocol.BlockProgress:
			out.WriteString(b.Unit)
		case protocol.BlockJSON:
			out.WriteString(plain(string(b.Raw)))
		}
		out.WriteByte('\n')
	}
	return out.String()
}
