package mcp

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// What is kept of what a server says beside its messages.
const (
	maxLines = 200
	maxLine  = 2000 // bytes
)

// tail keeps the last lines written to it, and how the process that wrote them ended.
type tail struct {
	mu    sync.Mutex
	kept  []string
	fresh int // how many of them are of the process of now
	rest  []byte
	end   string
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, p...)
	for {
		line, rest, whole := bytes.Cut(t.rest, []byte("\n"))
		if !whole {
			break
		}
		t.add(line)
		t.rest = rest
	}
	if len(t.rest) > maxLine {
		t.add(t.rest)
		t.rest = nil
	}
	return len(p), nil
}

// add keeps one line. t.mu is held.
func (t *tail) add(line []byte) {
	text := strings.ToValidUTF8(strings.TrimRight(string(line[:min(len(line), maxLine)]), "\r "), "\uFFFD")
	if text == "" {
		return
	}
	t.kept = append(t.kept, text)
	t.fresh++
	if extra := len(t.kept) - maxLines; extra > 0 {
		t.kept = slices.Delete(t.kept, 0, extra)
	}
}

// stray keeps a line of the standard output that is no message.
func (t *tail) stray(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(append([]byte("on its standard output, no message: "), line[:min(len(line), maxLine)]...))
}

func (t *tail) restart() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fresh, t.end, t.rest = 0, "", nil
}

func (t *tail) ended(how string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(t.rest)
	t.end, t.rest = how, nil
}

func (t *tail) status() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.end
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.kept)
}

// last returns the last lines of the process of now, n at most.
func (t *tail) last(n int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.kept[len(t.kept)-min(n, t.fresh, len(t.kept)):])
}
