package workspace

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// headBytes and tailBytes are how much of a command's output is kept for people, from its beginning and its end.
	headBytes = 64 << 10
	tailBytes = 192 << 10
	// modelHeadBytes and modelTailBytes are how much of it the model reads; a run's own limit would cut the end, which says most.
	modelHeadBytes = 8 << 10
	modelTailBytes = 24 << 10
)

// capture keeps the beginning and the end of what is written to it, in constant memory.
type capture struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // the last bytes after head; up to twice tailBytes before it is cut
	total int64
}

// Write never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += int64(n)
	if room := headBytes - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	if len(p) > tailBytes {
		p = p[len(p)-tailBytes:]
	}
	if len(c.tail)+len(p) > 2*tailBytes {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-tailBytes:]...)
	}
	c.tail = append(c.tail, p...)
	return n, nil
}

func (c *capture) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// text gives at most head bytes from the beginning and tail bytes from the end, with a marker between them that says how much
// is missing. Bytes that are no UTF-8 are replaced.
func (c *capture) text(head, tail int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.tail[max(0, len(c.tail)-tailBytes):]
	if c.total == int64(len(c.head)+len(kept)) && len(c.head)+len(kept) <= head+tail {
		return valid(slices.Concat(c.head, kept))
	}
	first := wholeRunes(c.head[:min(head, len(c.head))])
	both := kept
	if len(kept) < tail { // the end reaches back into the head
		both = slices.Concat(c.head[len(first):], kept)
	}
	last := fromRune(both[max(0, len(both)-tail):])
	missing := c.total - int64(len(first)+len(last))
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", valid(first), missing, valid(last))
}

// latest gives the last whole lines, at most n bytes of them.
func (c *capture) latest(n int) string {
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

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])`)

// plain is what a terminal would show of a text: no colours, and of a line that was written over, its last state.
func plain(s string) string {
	s = withLF(escapes.ReplaceAllString(s, ""))
	if !strings.Contains(s, "\r") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		end := strings.TrimRight(line, "\r\n")
		if at := strings.LastIndexByte(end, '\r'); at >= 0 {
			line = line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// lastLines gives the last n lines of a text.
func lastLines(s string, n int) string {
	s = strings.TrimRight(s, "\n")
	at := len(s)
	for range n {
		at = strings.LastIndexByte(s[:at], '\n')
		if at < 0 {
			return s
		}
	}
	return s[at+1:]
}
