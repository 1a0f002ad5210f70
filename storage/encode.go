package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"callboard/backend/agent"
	"callboard/backend/model"
)

// batch is an agent.Batch with its texts made, by the goroutine that brings it and not by the one that writes.
type batch struct {
	*agent.Batch
	events   []text
	metadata map[*model.Message]text
	row      runColumns
}

// text is a JSON text and what was cut out of it.
type text struct {
	rest  string
	parts []part
}

// runColumns are those columns of a run that change.
type runColumns struct {
	agentName, status, messageID string
	turn, callCount              int
	usage                        string
	error, errorCode             string
	createdMs, updatedMs         int64
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func encode(b *agent.Batch) (*batch, error) {
	e := &batch{Batch: b}
	if len(b.Frames) > 0 {
		if err := e.encodeEvents(); err != nil {
			return nil, fmt.Errorf("append to run %s: %w", b.Run.ID, err)
		}
	}
	for _, m := range b.Messages {
		e.encodeMetadata(m)
	}
	for _, c := range b.Children {
		e.encodeMetadata(c.Message)
	}
	for i := range b.Calls {
		if m := b.Calls[i].Message; m != nil {
			e.encodeMetadata(m)
		}
	}
	usage, err := optionalJSON(b.Run.Usage)
	if err != nil {
		return nil, fmt.Errorf("append to run %s: encode its usage: %w", b.Run.ID, err)
	}
	e.row = runColumns{
		agentName: b.Run.AgentName, status: string(b.Run.Status), messageID: b.Run.MessageID, turn: b.Run.Turn,
		callCount: b.Run.CallCount, usage: usage, error: b.Run.Error, errorCode: b.Run.ErrorCode,
		createdMs: b.Run.CreatedAtMs, updatedMs: b.Run.UpdatedAtMs,
	}
	return e, nil
}

// encodeEvents makes all events' texts in one buffer, and one string of it.
func (e *batch) encodeEvents() (err error) {
	pooled := buffers.Get().(*[]byte)
	defer buffers.Put(pooled)
	buffer := (*pooled)[:0]
	ends := make([]int, len(e.Frames))
	for i, f := range e.Frames {
		if buffer, err = f.AppendJSON(buffer); err != nil {
			return fmt.Errorf("event %d: %w", f.Seq, err)
		}
		ends[i] = len(buffer)
	}
	all := string(buffer)
	if cap(buffer) <= largeValue {
		*pooled = buffer
	}
	e.events = make([]text, len(ends))
	start := 0
	for i, end := range ends {
		e.events[i].rest, e.events[i].parts = cut(all[start:end])
		start = end
	}
	return nil
}

func (e *batch) encodeMetadata(m *model.Message) {
	if len(m.Metadata) <= largeValue {
		return
	}
	if e.metadata == nil {
		e.metadata = map[*model.Message]text{}
	}
	rest, parts := cut(string(m.Metadata))
	e.metadata[m] = text{rest, parts}
}

// optionalJSON is the JSON of what v points to, empty for nil.
func optionalJSON[T any](v *T) (string, error) {
	if v == nil {
		return "", nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
