package redact

import (
	"regexp"
	"unicode"
	"unicode/utf8"
)

// word is a text that is looked for in any case.
type word struct {
	text    string
	pattern *regexp.Regexp
}

func newWord(text string) word {
	return word{text, regexp.MustCompile(`(?i)` + regexp.QuoteMeta(text))}
}

// begun is how many bytes at a text's end may be the beginning of the word.
func (w word) begun(text string) int {
	// A character may be of other length in another case.
	for at := max(0, len(text)-utf8.UTFMax*len(w.text)); at < len(text); {
		if isBegun(w.text, text[at:]) {
			return len(text) - at
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return 0
}

// isBegun reports whether a text is the beginning of another, and not all of it, in any case.
func isBegun(whole, text string) bool {
	for _, r := range text {
		other, size := utf8.DecodeRuneInString(whole)
		if size == 0 || other != r && !sameFold(other, r) {
			return false
		}
		whole = whole[size:]
	}
	return whole != ""
}

func sameFold(a, b rune) bool {
	for r := unicode.SimpleFold(a); r != a; r = unicode.SimpleFold(r) {
		if r == b {
			return true
		}
	}
	return false
}
