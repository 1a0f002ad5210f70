package memory

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Words are what a text is found by: its letters and digits in lower case, without accents, cut where anything else stands. A
// character of a script that writes no spaces is a word.
func Words(text string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, norm.NFC.String(word.String()))
			word.Reset()
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case unicode.In(r, unspaced...):
			end()
			words = append(words, string(r))
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mc, r):
			word.WriteRune(unicode.ToLower(r))
		default:
			end()
		}
	}
	end()
	return words
}

// maxQueryWords is how many words of a query count.
const maxQueryWords = 64

// QueryWords are the words of a query, each once, as many as count.
func QueryWords(query string) []string {
	var words []string
	for _, word := range Words(query) {
		if len(words) < maxQueryWords && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// Beginning is what a word must begin with to match a word of a query. Of a longer word the last two letters, often an ending, do
// not count: "ports" finds "port".
func Beginning(word string) string {
	const whole = 4 // letters that count in any case
	runes := []rune(word)
	if len(runes) <= whole {
		return word
	}
	return string(runes[:max(whole, len(runes)-2)])
}
