package scripted

import (
	"context"
	"fmt"
	"iter"
	"time"

	"callboard/backend/model"
)

// Backend is a model.Backend that plays turns. Turns written in Go are not checked, so that a test can play what no file may
// hold. It is safe for concurrent use and not changed once it plays.
type Backend struct {
	Name  string // of the script, for errors: the file it came from
	Turns []Turn
}

// Turn is one answer of the model.
type Turn struct {
	Chunks []Chunk
}

// Chunk is one step of a turn; the package comment says what each means. Of a chunk with several parts set, they are played in
// the order of the fields.
type Chunk struct {
	DelayMs      int
	Reasoning    string
	Text         string
	ToolInput    *model.ToolInput
	ToolCalls    []model.ToolCall
	Error        string // not empty ends the turn with this message
	Retryable    bool   // of Error
	Code         string // of Error; empty is model.CodeUnavailable
	FinishReason model.FinishReason
	Usage        *model.Usage

	raw []byte // the chunk as the file has it
}

// Say is a turn that answers text.
func Say(text string) Turn {
	return Turn{Chunks: []Chunk{{Text: text}, {FinishReason: model.FinishStop}}}
}

// CallTool is a turn that makes one call, with arguments as their JSON text, and writes it out piece by piece first.
func CallTool(id, name, arguments string) Turn {
	return CallTools(model.ToolCall{ID: id, Name: name, Arguments: arguments})
}

// CallTools is a turn that makes calls, each written out in a start, one delta and an end.
func CallTools(calls ...model.ToolCall) Turn {
	var t Turn
	for _, c := range calls {
		t.Chunks = append(t.Chunks,
			Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputStart, ToolCallID: c.ID, ToolName: c.Name}},
			Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputDelta, ToolCallID: c.ID, Delta: c.Arguments}},
			Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputEnd, ToolCallID: c.ID}},
		)
	}
	t.Chunks = append(t.Chunks, Chunk{ToolCalls: calls}, Chunk{FinishReason: model.FinishToolCalls})
	return t
}

// Stream plays the turn of the request's index.
func (b *Backend) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(model.Chunk{}, fmt.Errorf("play turn %d of %s: %w", request.Index+1, b.name(), err))
			return
		}
		if !yield(model.Chunk{Sent: sent(request)}, nil) {
			return
		}
		if request.Index < 0 || request.Index >= len(b.Turns) {
			yield(model.Chunk{}, b.ended(request.Index))
			return
		}
		b.play(ctx, request.Index, yield)
	}
}

func (b *Backend) play(ctx context.Context, index int, yield func(model.Chunk, error) bool) {
	finished, calls := false, false
	chunks := b.Turns[index].Chunks
	for i := range chunks {
		c := &chunks[i]
		if err := wait(ctx, c.DelayMs); err != nil {
			yield(model.Chunk{}, fmt.Errorf("play turn %d of %s: %w", index+1, b.name(), err))
			return
		}
		out := model.Chunk{
			Raw: c.raw, Reasoning: c.Reasoning, Text: c.Text, ToolCalls: c.ToolCalls, FinishReason: c.FinishReason, Usage: c.Usage,
		}
		if c.ToolInput != nil {
			out.ToolInput = []model.ToolInput{*c.ToolInput}
		}
		if !c.silent() && !yield(out, nil) {
			return
		}
		if c.Error != "" {
			yield(model.Chunk{}, c.failure())
			return
		}
		finished = finished || c.FinishReason != ""
		calls = calls || len(c.ToolCalls) > 0
	}
	if finished {
		return
	}
	reason := model.FinishStop
	if calls {
		reason = model.FinishToolCalls
	}
	yield(model.Chunk{FinishReason: reason}, nil)
}

// silent reports whether the chunk has nothing for the reader: it only waits or fails.
func (c *Chunk) silent() bool {
	return c.Reasoning == "" && c.Text == "" && c.ToolInput == nil && len(c.ToolCalls) == 0 && c.FinishReason == "" && c.Usage == nil
}

func (c *Chunk) failure() *model.Error {
	code := c.Code
	if code == "" {
		code = model.CodeUnavailable
	}
	return &model.Error{Code: code, Message: c.Error, Retryable: c.Retryable}
}

func (b *Backend) ended(index int) *model.Error {
	turns := fmt.Sprintf("%d turns", len(b.Turns))
	if len(b.Turns) == 1 {
		turns = "1 turn"
	}
	return &model.Error{
		Code:    model.CodeInvalidResponse,
		Message: fmt.Sprintf("%s has %s and ended: there is no turn for request %d; add one, or begin a new thread", b.name(), turns, index+1),
	}
}

func (b *Backend) name() string {
	if b.Name == "" {
		return "the script"
	}
	return "the script " + b.Name
}

func wait(ctx context.Context, ms int) error {
	if ms <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
