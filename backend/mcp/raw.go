package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// slot catches the bytes of the result of one request, as they came: what the SDK makes of them has lost the digits of large
// numbers, the order of members and every block it does not know. It goes with the request's context.
type slot struct {
	mu     sync.Mutex
	result json.RawMessage
}

type slotKey struct{}

func withSlot(ctx context.Context) (context.Context, *slot) {
	s := &slot{}
	return context.WithValue(ctx, slotKey{}, s), s
}

func slotOf(ctx context.Context) *slot {
	s, _ := ctx.Value(slotKey{}).(*slot)
	return s
}

func (s *slot) put(result json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result = bytes.Clone(result)
}

// or returns the bytes that came; where none were caught, those of what was decoded.
func (s *slot) or(decoded any) (json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.result != nil {
		return s.result, nil
	}
	return json.Marshal(decoded)
}

// caught reports whether a result came.
func (s *slot) caught() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.result != nil
}

// tapped is a process's connection that fills slots.
type tapped struct {
	sdk.Connection
	process *child

	mu    sync.Mutex
	slots map[any]*slot // by request id
}

func (t *tapped) Write(ctx context.Context, message jsonrpc.Message) error {
	request, ok := message.(*jsonrpc.Request)
	if s := slotOf(ctx); ok && s != nil && request.IsCall() {
		id := request.ID
		t.mu.Lock()
		t.slots[id] = s
		t.mu.Unlock()
		context.AfterFunc(ctx, func() { // an answer that never comes is not waited for
			t.mu.Lock()
			defer t.mu.Unlock()
			delete(t.slots, id)
		})
	}
	return t.Connection.Write(ctx, message)
}

func (t *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := t.Connection.Read(ctx)
	if response, ok := message.(*jsonrpc.Response); ok && err == nil {
		t.mu.Lock()
		s := t.slots[response.ID]
		delete(t.slots, response.ID)
		t.mu.Unlock()
		if s != nil && response.Error == nil {
			s.put(response.Result)
		}
	}
	return message, err
}

func (t *tapped) Close() error {
	t.process.stop()
	_ = t.Connection.Close() // its streams may be closed with the process
	return nil
}

// tapBody fills the slot of a request over HTTP from its response, JSON or a stream of events, while that is read.
func tapBody(ctx context.Context, response *http.Response) io.ReadCloser {
	s := slotOf(ctx)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if s == nil || kind != "application/json" && kind != "text/event-stream" {
		return response.Body
	}
	return &body{ReadCloser: response.Body, slot: s, events: kind == "text/event-stream"}
}

type body struct {
	io.ReadCloser
	slot   *slot
	events bool
	line   []byte // the line that is not whole yet; without events, all there is
	data   []byte // of the event that is not whole yet
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.line = append(b.line, p[:n]...)
	for b.events {
		line, rest, whole := bytes.Cut(b.line, []byte("\n"))
		if !whole {
			break
		}
		b.take(bytes.TrimSuffix(line, []byte("\r")))
		b.line = rest
	}
	if err != nil {
		b.take(b.line)
		b.line = nil
		b.deliver()
	}
	return n, err
}

func (b *body) take(line []byte) {
	switch value, isData := bytes.CutPrefix(line, []byte("data:")); {
	case !b.events:
		b.data = line
	case isData:
		b.data = append(append(b.data, value...), '\n')
	case len(line) == 0:
		b.deliver()
	}
}

// deliver looks at one message: the answer of a request has a result and no method.
func (b *body) deliver() {
	var message struct {
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(b.data, &message) == nil && message.Method == "" && message.Result != nil {
		b.slot.put(message.Result)
	}
	b.data = nil
}
