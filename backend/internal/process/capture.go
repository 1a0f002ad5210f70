package process

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// HeadBytes and TailBytes are how much of an output is kept, from its beginning and its end.
const (
	HeadBytes = 64 << 10
	TailBytes = 192 << 10
)

// Capture keeps the beginning and the end of what is written to it, in constant memory.
type Capture struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // the last bytes after head; up to twice TailBytes before it is cut
	total int64
}

// Write never fails.
func (c *Capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += int64(n)
	if room := HeadBytes - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	if len(p) > TailBytes {
		p = p[len(p)-TailBytes:]
	}
	if len(c.tail)+len(p) > 2*TailBytes {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-TailBytes:]...)
	}
	c.tail = append(c.tail, p...)
	return n, nil
}

// Size is how many bytes were written.
func (c *Capture) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// Text gives at most head bytes from the beginning and tail bytes from the end, with a marker between them that says how much
// is missing. Bytes that are no UTF-8 are replaced.
func (c *Capture) Text(head, tail int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.tail[max(0, len(c.tail)-TailBytes):]
	if c.total == int64(len(c.head)+len(kept)) && len(c.head)+len(kept) <= head+tail {
		return valid(slices.Concat(c.head, kept))
	}
	first := WholeRunes(c.head[:min(head, len(c.head))])
	both := kept
	if len(kept) < tail { // the end reaches back into the head
		both = slices.Concat(c.head[len(first):], kept)
	}
	last := fromRune(both[max(0, len(both)-tail):])
	missing := c.total - int64(len(first)+len(last))
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", valid(first), missing, valid(last))
}

// Latest gives the last whole lines, at most n bytes of them.
func (c *Capture) Latest(n int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.tail
	if len(from) < n {
		from = slices.Concat(c.head, c.tail)
	}
	if len(from) > n {
		from = fromRune(from[len(from)-n:])
		if at := bytes.IndexByte(from, '\n'); at >= 0 && at+1 < len(from) {
			from = from[at+1:]
		}
	}
	return valid(from)
}

// fromRune leaves out the rest of a character that was cut at the beginning.
func fromRune(b []byte) []byte {
	for i := range min(len(b), utf8.UTFMax) {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// WholeRunes leaves out the character that was cut at the end.
func WholeRunes(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			return b
		}
	}
	return b
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
