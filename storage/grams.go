package storage

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// grams collects what an entry is found by (migrations/0007_search.sql). It is used again for the next entry.
type grams struct {
	seen map[uint64]struct{}
	out  strings.Builder
}

// of returns the grams of a folded text, and of names that a search may ask for.
func (g *grams) of(text string, names ...string) string {
	if g.seen == nil {
		g.seen = map[uint64]struct{}{}
	}
	clear(g.seen)
	g.out.Reset()
	for word := range strings.FieldsSeq(text) {
		for at := range word {
			g.from(word[at:])
		}
	}
	for _, name := range names {
		g.out.WriteString(name)
		g.out.WriteByte(' ')
	}
	return g.out.String()
}

// from adds the grams of one, two and three characters a text begins with.
func (g *grams) from(text string) {
	var packed uint64
	end := 0
	for range 3 {
		r, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 {
			return
		}
		end += size
		packed = packed<<21 | uint64(r) //nolint:gosec // a character has 21 bits
		if _, seen := g.seen[packed]; seen {
			continue
		}
		g.seen[packed] = struct{}{}
		g.out.WriteString(text[:end])
		g.out.WriteByte(' ')
	}
}

// gramsOf appends grams all of which a text has that holds a word: one for a short word, and of a longer one every second three
// characters, and the last. All of them would leave out hardly more, and cost twice as much to ask for.
func gramsOf(all []string, word string) []string {
	runes := []rune(word)
	if len(runes) <= 3 {
		return append(all, word)
	}
	last := len(runes) - 3
	for i := 0; i < last; i += 2 {
		all = append(all, string(runes[i:i+3]))
	}
	return append(all, string(runes[last:]))
}

// The names of a gram that is no text: longer than three characters, so that no text has it.
const (
	kindGram  = "kind"
	stateGram = "state"
	toolGram  = "tool"
	agentGram = "agent"
)

func nameGram(of, name string) string { return of + "=" + hex.EncodeToString([]byte(name)) }
