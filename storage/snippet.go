package storage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a text is shown of a hit: so many bytes of it about, and so many of them before the first mark.
const (
	snippetLength = 240
	snippetBefore = 60
)

// snippet is the piece of a text in which most of the terms stand, on one line, and the marks in it; found is false when the text
// does not have them all. Without terms it is the text's beginning.
func (t Terms) snippet(text string) (piece string, marks []Mark, found bool) {
	f := fold(text)
	spans, found := t.spans(f.text)
	if !found {
		return "", nil, false
	}
	first := densest(spans)
	start := 0
	if len(spans) > 0 {
		start = beginning(text, int(f.from[spans[first].start]))
	}
	end := min(len(text), start+snippetLength)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	w := lineWriter{space: true}
	if start > 0 {
		w.write("…")
	}
	at := start
	for _, s := range spans {
		from, to := int(f.from[s.start]), int(f.from[s.end])
		if from < at || from >= end { // before the piece, inside of another mark, or after the piece
			continue
		}
		to = min(to, end)
		w.write(text[at:from])
		begin := w.units
		w.write(text[from:to])
		marks = append(marks, Mark{begin, w.units})
		at = to
	}
	w.write(text[at:end])
	if end < len(text) {
		w.write("…")
	}
	return w.out.String(), marks, true
}

// densest is the index of the place after which most of the terms stand within a piece.
func densest(spans []span) (first int) {
	most := 0
	for i, s := range spans {
		terms := map[int]bool{}
		for _, next := range spans[i:] {
			if next.end > s.start+snippetLength-snippetBefore {
				break
			}
			terms[next.term] = true
		}
		if len(terms) > most {
			first, most = i, len(terms)
		}
	}
	return first
}

// beginning is where a piece begins whose first mark is at a place: a little before it, at the beginning of a word or a line.
func beginning(text string, mark int) int {
	start := mark - snippetBefore
	if start <= 0 {
		return 0
	}
	for !utf8.RuneStart(text[start]) {
		start++
	}
	if at := strings.IndexFunc(text[start:mark], unicode.IsSpace); at >= 0 {
		start += at
		start += len(text[start:mark]) - len(strings.TrimLeftFunc(text[start:mark], unicode.IsSpace))
	}
	return start
}

// lineWriter writes a text on one line and counts its UTF-16 code units.
type lineWriter struct {
	out   strings.Builder
	units int
	space bool // the last was one
}

func (w *lineWriter) write(text string) {
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if w.space {
				continue
			}
			r = ' '
		}
		w.space = r == ' '
		w.out.WriteRune(r)
		w.units++
		if r > 0xffff {
			w.units++
		}
	}
}
