package openai

import (
	"bytes"
	"errors"
	"io"
	"time"

	"callboard/backend/model/internal/jsonscan"
)

const (
	firstBuffer = 4 << 10
	nextBuffer  = 32 << 10
	// maxEvent is how long one event may be, in bytes.
	maxEvent = 16 << 20
	// maxStray is how much is kept of what is not an event stream.
	maxStray = 64 << 10
	// lastWait is how long the end of a body may take after the last event; with it the connection can be used again.
	lastWait = 25 * time.Millisecond
)

var errLongEvent = errors.New("an event is longer than 16 MiB")

// Each event goes to go-openai as one line "data: " with a mark before what the server sent. The mark keeps go-openai from
// reading it: it would take error chunks for itself, and see no difference between [DONE] and a broken connection.
const (
	markEvent = '|'
	markError = '!' // the server named the event "error"
	doneLine  = string(markEvent) + "[DONE]"
)

// events reads a server's event stream and gives it out again event by event, in the one form that go-openai reads. A Read
// returns bytes of one event only, so that takeRaw after it has the bytes that event came in. It takes any line ends, data over
// several lines, events without an empty line between them, a byte order mark, comments, and bare JSON in place of an event.
type events struct {
	source io.ReadCloser
	idle   time.Duration // how long a read may take
	silent func()        // called when one takes longer; it has to end the read
	timer  *time.Timer

	// buffer's bytes are never written twice, so what was cut out of it stays.
	buffer []byte
	raw    int // where the bytes start that no chunk has had
	start  int // where the current line starts
	scan   int // up to where it was searched for its end
	begun  bool
	skipLF bool  // the last line ended with CR: a LF now belongs to it
	err    error // of the source; what came before it is read first
	ended  bool  // all of it was

	data  [][]byte // the data lines of the current event
	size  int      // of data, in bytes
	value progress // how far data is a JSON value
	bare  bool     // data is JSON without "data:"
	named bool     // the current event is called "error"
	queue []event  // to give out
	given int      // of queue
	line  []byte   // the current event as go-openai gets it
	out   []byte   // what of it was not read yet

	count int    // events given out
	stray []byte // text that belongs to no event
}

type event struct {
	mark byte
	data []byte
}

// Read gives go-openai the next event, or a part of it.
func (e *events) Read(p []byte) (int, error) {
	if len(e.out) == 0 {
		if e.given == len(e.queue) {
			e.queue, e.given = e.queue[:0], 0
			if !e.ended {
				e.next()
			}
			if len(e.queue) == 0 {
				return 0, e.err
			}
		}
		next := e.queue[e.given]
		e.given++
		e.count++
		e.line = append(append(append(e.line[:0], "data: "...), next.mark), next.data...)
		e.line = append(e.line, '\n')
		e.out = e.line
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// Close ends the answer.
func (e *events) Close() error { return e.source.Close() }

// takeRaw returns the bytes that came since it was called last, as far as they were read as events.
func (e *events) takeRaw() []byte {
	raw := e.buffer[e.raw:e.start:e.start]
	e.raw = e.start
	return raw
}

// drain reads what is left after the last event, and returns it.
func (e *events) drain() []byte {
	e.idle = lastWait
	for e.err == nil && len(e.buffer)-e.start < maxStray {
		e.fill()
	}
	e.start = len(e.buffer)
	return e.takeRaw()
}

// next reads until the queue has an event or the stream ends.
func (e *events) next() {
	for len(e.queue) == 0 {
		line, ok := e.readLine()
		if !ok {
			e.last()
			return
		}
		e.take(line)
	}
}

// take reads one line.
func (e *events) take(line []byte) {
	if e.bare && bytes.HasPrefix(line, []byte("data:")) {
		e.dispatch() // the JSON never ended
	}
	switch {
	case e.bare:
		e.add(line)
	case len(line) == 0:
		e.dispatch()
		e.named = false
	case line[0] == ':':
	case bytes.HasPrefix(line, []byte("data:")):
		e.add(bytes.TrimPrefix(line[len("data:"):], []byte(" ")))
	case bytes.HasPrefix(line, []byte("event:")):
		e.named = string(bytes.TrimSpace(line[len("event:"):])) == "error"
	case bytes.HasPrefix(line, []byte("id:")), bytes.HasPrefix(line, []byte("retry:")), string(line) == "data":
	case line[0] == '{', line[0] == '[':
		e.bare = true
		e.add(line)
	case len(e.stray) < maxStray:
		e.stray = append(append(e.stray, line...), '\n')
	}
}

// add adds a line to the current event, and gives the event out when it is known to be whole: some servers send no empty line
// between events, and one that is late must not hold an event back.
func (e *events) add(line []byte) {
	e.data = append(e.data, line)
	e.size += len(line)
	if e.size > maxEvent {
		e.err = errLongEvent
		return
	}
	if len(e.data) == 1 && !e.bare && e.start < len(e.buffer) && (e.buffer[e.start] == '\n' || e.buffer[e.start] == '\r') {
		return // an empty line comes next
	}
	before := e.value.closed
	e.value.read(line)
	if string(line) == "[DONE]" || (e.value.closed && !before && jsonscan.Valid(e.joined())) {
		e.dispatch()
	}
}

// joined is the data of the current event in one line; a line end in it can only be white space, or the event is malformed.
func (e *events) joined() []byte {
	if len(e.data) == 1 {
		return e.data[0]
	}
	return bytes.Join(e.data, []byte(" "))
}

// dispatch gives the current event out, if there is one. Lines that make no value together are events of their own.
func (e *events) dispatch() {
	lines := e.data
	if len(lines) > 1 {
		if joined := e.joined(); e.bare || jsonscan.Valid(joined) {
			lines = append(lines[:0], joined)
		}
	}
	mark := byte(markEvent)
	if e.named {
		mark = markError
	}
	for _, line := range lines {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e.queue = append(e.queue, event{mark, line})
		}
	}
	e.data, e.size, e.value, e.bare = e.data[:0], 0, progress{}, false
}

// last takes what stands at the end without a line end, and gives out what no empty line ended.
func (e *events) last() {
	if rest := e.buffer[e.start:]; errors.Is(e.err, io.EOF) && len(rest) > 0 {
		e.start = len(e.buffer)
		e.take(rest)
	}
	e.start = len(e.buffer)
	e.ended = true
	if e.bare {
		e.stray = append(e.stray, e.joined()...)
		e.data, e.bare = nil, false
	}
	e.dispatch()
}

// readLine returns the next line without its end.
func (e *events) readLine() (line []byte, ok bool) {
	for {
		if e.skipLF && e.start < len(e.buffer) {
			e.skipLF = false
			if e.buffer[e.start] == '\n' {
				e.start++
				e.scan = e.start
			}
		}
		if i := lineEnd(e.buffer[e.scan:]); i >= 0 {
			end := e.scan + i
			line = e.buffer[e.start:end:end]
			e.skipLF = e.buffer[end] == '\r'
			if e.skipLF && end+1 < len(e.buffer) && e.buffer[end+1] == '\n' {
				e.skipLF = false
				end++
			}
			e.start, e.scan = end+1, end+1
			if !e.begun {
				e.begun = true
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			return line, true
		}
		e.scan = len(e.buffer)
		if e.err != nil {
			return nil, false
		}
		if e.scan-e.start > maxEvent {
			e.err = errLongEvent
			return nil, false
		}
		e.fill()
	}
}

func lineEnd(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if j := bytes.IndexByte(b[:i], '\r'); j >= 0 {
		return j
	}
	return i
}

// fill reads once.
func (e *events) fill() {
	if cap(e.buffer)-len(e.buffer) < firstBuffer/4 {
		kept := e.buffer[e.raw:]
		size := nextBuffer
		if e.buffer == nil {
			size = firstBuffer
		}
		e.buffer = append(make([]byte, 0, max(size, 2*len(kept))), kept...)
		e.start, e.scan, e.raw = e.start-e.raw, e.scan-e.raw, 0
	}
	if e.timer == nil {
		e.timer = time.AfterFunc(e.idle, e.silent)
	} else {
		e.timer.Reset(e.idle)
	}
	n, err := e.source.Read(e.buffer[len(e.buffer):cap(e.buffer)])
	e.timer.Stop()
	e.buffer = e.buffer[:len(e.buffer)+n]
	e.err = err
}
