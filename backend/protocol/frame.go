package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
)

// Frame is an event under its number in its run's log.
type Frame struct {
	Seq   int64 // counts the events of a run from 1 without gaps
	AtMs  int64 // Unix ms
	Event Event
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// AppendJSON appends the frame's JSON, on one line, to dst: "type" first, then "at", then the event's own fields. The number is
// not in it; it goes into the SSE id line and the store's key.
func (f Frame) AppendJSON(dst []byte) ([]byte, error) {
	if u, ok := f.Event.(*Unknown); ok {
		return append(dst, u.Raw...), nil
	}
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	encoder := json.NewEncoder(buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f.Event); err != nil {
		return dst, fmt.Errorf("encode %s event: %w", f.Event.Type(), err)
	}
	dst = append(dst, `{"type":"`...)
	dst = append(dst, f.Event.Type()...)
	dst = append(dst, `","at":`...)
	dst = strconv.AppendInt(dst, f.AtMs, 10)
	if body := bytes.TrimSuffix(buf.Bytes(), []byte("\n")); len(body) > 2 {
		dst = append(dst, ',')
		dst = append(dst, body[1:]...)
		return dst, nil
	}
	return append(dst, '}'), nil
}
