package redact

import (
	"slices"
	"strings"
)

// Growing masks texts that mostly begin as the one before did, as the requests of a run do, at a cost that grows with what is new.
// The zero value is not usable: a policy makes it.
type Growing struct {
	masker *masker
	text   string // the last one
	masked string
	spans  []span
	fresh  int // where what is new in the last one begins
}

// Growing starts with an empty text.
func (p *Policy) Growing() *Growing { return &Growing{masker: p.masker()} }

// Next takes the next text as what it shares with the one before, its first keep bytes, and what follows them; keep is at most the
// length of the one before. It returns the masked text in the same way, as a difference to the masked one before.
func (g *Growing) Next(keep int, tail string) (maskedKeep int, maskedTail string) {
	settled := g.settled(keep)
	var kept []span
	at := settled // in the masked text
	for _, s := range g.spans {
		if s.end > settled {
			break
		}
		kept = append(kept, s)
		at += len(Mask) - (s.end - s.start)
	}
	text := g.text[:keep] + tail
	fresh := g.masker.spans(text[settled:])
	rest := masked(text[settled:], fresh)
	shared := sharedLength(rest[:maskedLength(keep-settled, fresh)], g.masked[at:])

	g.masked = g.masked[:at] + rest
	g.text, g.spans, g.fresh = text, kept, settled
	for _, s := range fresh {
		s.start, s.end, s.from = s.start+settled, s.end+settled, s.from+settled
		g.spans = append(g.spans, s)
	}
	return at + shared, rest[shared:]
}

// Hits are the secrets in what was new in the last text.
func (g *Growing) Hits() []Hit { return g.masker.hits(g.text[g.fresh:]) }

// settled is how much of the beginning of the last text is masked the same in one that shares keep bytes with it.
func (g *Growing) settled(keep int) int {
	from := runeStart(g.text[:keep], keep-4*maxOpen)
	text := g.text[from:keep]
	n, _ := g.masker.settled(text)
	for least := max(0, n-maxGiven); n > least && isWord(text[n-1]); n-- { // at the beginning of a text a pattern finds what it may not within a word
	}
	spans := slices.Clone(g.spans)
	for i := range spans {
		spans[i].from, spans[i].end = spans[i].from-from, spans[i].end-from
	}
	return from + border(g.masker.plains(text), spans, n)
}

// maskedLength is how long the first n bytes of a text are once they are masked; of a secret that goes on behind them nothing counts.
func maskedLength(n int, spans []span) int {
	length := n
	for _, s := range spans {
		switch {
		case s.end <= n:
			length += len(Mask) - (s.end - s.start)
		case s.start < n:
			length -= n - s.start
		}
	}
	return length
}

func sharedLength(a, b string) int {
	n := min(len(a), len(b))
	if strings.HasPrefix(b, a[:n]) {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
