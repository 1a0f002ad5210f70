package storage

import (
	"slices"
	"strings"
)

// Terms are what a search looks for: every one of them stands in a text that is found. Text between quotation marks is one term, else
// each word is; no other sign means anything. Capitals and accents count for nothing, and a line break is a space.
type Terms []string

// maxGrams is how many grams of a query the index is asked for. The rest of a longer one is looked for in the texts themselves.
const maxGrams = 24

// ParseTerms reads a query as a person types it. A quotation mark without a second is a sign like any other.
func ParseTerms(query string) Terms {
	var terms Terms
	for query != "" {
		at := strings.IndexByte(query, '"')
		length := -1
		if at >= 0 {
			length = strings.IndexByte(query[at+1:], '"')
		}
		if length < 0 {
			return terms.add(strings.Fields(query)...)
		}
		phrase := query[at+1 : at+1+length]
		terms = terms.add(strings.Fields(query[:at])...)
		terms = terms.add(phrase)
		query = query[at+length+2:]
	}
	return terms
}

// add appends what is something once it is folded, each once.
func (t Terms) add(texts ...string) Terms {
	for _, text := range texts {
		term := strings.TrimSpace(foldText(text))
		if term != "" && !slices.Contains(t, term) {
			t = append(t, term)
		}
	}
	return t
}

// grams are what the index is asked for. A text that has them all may still not be found: they may stand apart in it.
func (t Terms) grams() []string {
	var all []string
	for _, term := range t {
		for word := range strings.FieldsSeq(term) {
			all = gramsOf(all, word)
		}
	}
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(gram string) bool {
		again := seen[gram]
		seen[gram] = true
		return again
	})
	return all[:min(len(all), maxGrams)]
}

// Mark is a place in a text, in UTF-16 code units, as JavaScript counts.
type Mark struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// span is where a term stands in a folded text, in bytes.
type span struct {
	start, end int
	term       int
}

// spans are where the terms stand in a folded text, in order; found is false when one of them is missing.
func (t Terms) spans(text string) (all []span, found bool) {
	for i, term := range t {
		at := strings.Index(text, term)
		if at < 0 {
			return nil, false
		}
		for n := 0; n < maxSpans; n++ {
			all = append(all, span{at, at + len(term), i})
			next := strings.Index(text[at+len(term):], term)
			if next < 0 {
				break
			}
			at += len(term) + next
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.start - b.start })
	return all, true
}

// maxSpans is how many places of a term are looked at in one text.
const maxSpans = 200
