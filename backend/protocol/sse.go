package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
)

// What a server sends beside events.
const (
	KeepAlive = ": keep-alive\n\n" // while there is nothing else, so that the connection is not taken for dead
	Done      = "[DONE]"           // the data of the last event of a stream, after a Finish
)

// MaxSSEEvent is the longest event ReadSSE takes whole, in bytes: more than any server that keeps large payloads apart sends.
const MaxSSEEvent = 64 << 20

// cutSSEEvent is how much is kept of a longer one.
const cutSSEEvent = 4096

// SSEEvent is one server-sent event: what stood between two empty lines and had data.
type SSEEvent struct {
	ID   string // only when it stood in this very event
	Name string
	Data []byte
	Cut  bool // it was longer than MaxSSEEvent; Data is its beginning
}

// Seq is the event's number in its run; 0 of a server that does not number.
func (e SSEEvent) Seq() int64 {
	seq, err := strconv.ParseInt(e.ID, 10, 64)
	if err != nil || seq < 0 {
		return 0
	}
	return seq
}

// AppendSSE appends an event as it is sent. A seq of 0 is left out.
func AppendSSE(dst []byte, seq int64, json []byte) []byte {
	if seq > 0 {
		dst = append(dst, "id: "...)
		dst = strconv.AppendInt(dst, seq, 10)
		dst = append(dst, '\n')
	}
	// A line end in JSON is white space between tokens; only an event of another server has one.
	for {
		end := bytes.IndexAny(json, "\r\n")
		if end < 0 {
			break
		}
		dst = append(dst, "data: "...)
		dst = append(dst, json[:end]...)
		dst = append(dst, '\n')
		json = json[end+1:]
	}
	dst = append(dst, "data: "...)
	dst = append(dst, json...)
	return append(dst, "\n\n"...)
}

// ReadSSE yields the events of a stream as they come, until it ends. It takes LF, CRLF and CR line ends, a byte order mark, data
// over several lines, comments and unknown fields, and never waits for a byte it does not need. What the end leaves incomplete was
// cut off, and is no event. A non-nil error is the last thing it yields. Data is the caller's to keep.
func ReadSSE(r io.Reader) iter.Seq2[SSEEvent, error] {
	return func(yield func(SSEEvent, error) bool) {
		reader := sseReader{limit: MaxSSEEvent}
		buf := make([]byte, 32<<10)
		for {
			n, err := r.Read(buf)
			if !reader.push(buf[:n], func(e SSEEvent) bool { return yield(e, nil) }) {
				return
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(SSEEvent{}, fmt.Errorf("read events: %w", err))
				return
			}
		}
	}
}

// sseReader takes a stream in pieces cut anywhere.
type sseReader struct {
	limit   int
	begun   bool // the place of a byte order mark is past
	afterCR bool
	line    []byte
	lineCut bool
	event   SSEEvent
	hasData bool
}

var byteOrderMark = []byte("\uFEFF")

// push gives the events that data completes to emit, and reports false when that wants no more.
func (r *sseReader) push(data []byte, emit func(SSEEvent) bool) bool {
	for len(data) > 0 {
		if r.afterCR && data[0] == '\n' {
			data = data[1:]
		}
		r.afterCR = false
		end := bytes.IndexAny(data, "\r\n")
		if end < 0 {
			r.append(data)
			return true
		}
		r.append(data[:end])
		r.afterCR = data[end] == '\r'
		data = data[end+1:]
		if !r.endLine(emit) {
			return false
		}
	}
	return true
}

func (r *sseReader) append(piece []byte) {
	if r.lineCut {
		return
	}
	if len(r.line)+len(piece)+len(r.event.Data) > r.limit {
		r.lineCut = true
		r.line = r.line[:min(len(r.line), cutSSEEvent)]
		piece = piece[:min(len(piece), cutSSEEvent-len(r.line))]
	}
	r.line = append(r.line, piece...)
}

func (r *sseReader) endLine(emit func(SSEEvent) bool) bool {
	line := r.line
	if !r.begun {
		line = bytes.TrimPrefix(line, byteOrderMark)
		r.begun = true
	}
	more := true
	if len(line) > 0 {
		r.field(line)
	} else {
		if r.hasData {
			more = emit(r.event)
		}
		r.event = SSEEvent{}
		r.hasData = false
	}
	r.line = r.line[:0]
	if cap(r.line) > 1<<20 {
		r.line = nil // one long line must not keep its room for good
	}
	r.lineCut = false
	return more
}

func (r *sseReader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if r.hasData && !r.event.Cut {
			r.event.Data = append(r.event.Data, '\n')
		}
		if !r.event.Cut {
			r.event.Data = append(r.event.Data, value...)
		}
		r.hasData = true
		r.event.Cut = r.event.Cut || r.lineCut
	case "id":
		if len(value) > 0 && !bytes.ContainsRune(value, 0) {
			r.event.ID = string(value)
		}
	case "event":
		r.event.Name = string(value)
	}
}
