package scripted

import (
	"fmt"
	"os"
	"slices"

	"callboard/backend/model"
	"callboard/backend/model/internal/jsonscan"
)

const maxDelayMs = 24 * 60 * 60 * 1000

// Load reads the script in a file. The package comment says what it may hold.
func Load(file string) (*Backend, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("load script: %w", err)
	}
	return Parse(data, file)
}

// Parse reads a script; name stands for its file in errors. It keeps parts of data.
func Parse(data []byte, name string) (*Backend, error) {
	p := &parser{data: data, name: name}
	if err := p.valid(); err != nil {
		return nil, err
	}
	start := jsonscan.Space(data, 0)
	turns, err := p.script(span{start, len(data)})
	if err != nil {
		return nil, err
	}
	return &Backend{Name: name, Turns: turns}, nil
}

func (p *parser) script(s span) ([]Turn, error) {
	members, err := p.object(s, "the script", "turns")
	if err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, p.fail(s.start, `the script has no "turns"`)
	}
	spans, err := p.array(members[0].value, `"turns"`)
	if err != nil {
		return nil, err
	}
	turns := make([]Turn, len(spans))
	for i, s := range spans {
		if turns[i].Chunks, err = p.chunks(i, s); err != nil {
			return nil, err
		}
	}
	return turns, nil
}

func (p *parser) chunks(index int, s span) ([]Chunk, error) {
	p.turn, p.chunk = index+1, 0
	members, err := p.object(s, "a turn", "chunks")
	if err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, p.fail(s.start, `the turn has no "chunks"`)
	}
	spans, err := p.array(members[0].value, `"chunks"`)
	if err != nil {
		return nil, err
	}
	chunks := make([]Chunk, len(spans))
	open := map[string]bool{}
	for i, s := range spans {
		p.chunk = i + 1
		if err := p.step(s, &chunks[i]); err != nil {
			return nil, err
		}
		if err := p.order(s, chunks[i].ToolInput, open); err != nil {
			return nil, err
		}
	}
	return chunks, nil
}

// order checks that the pieces of a call stand between its start and its end.
func (p *parser) order(s span, in *model.ToolInput, open map[string]bool) error {
	switch {
	case in == nil:
	case in.Type == model.ToolInputStart:
		open[in.ToolCallID] = true
	case !open[in.ToolCallID]:
		return p.fail(s.start, "a %s of call %q, which was not started", in.Type, in.ToolCallID)
	case in.Type == model.ToolInputEnd:
		open[in.ToolCallID] = false
	}
	return nil
}

// kinds says which members of a chunk go together: the names of one kind, the first of which names it.
var kinds = [][]string{
	{"text"}, {"reasoning"}, {"toolInput"}, {"toolCalls"}, {"delayMs"}, {"error", "retryable", "code"}, {"finishReason", "usage"},
}

var stepNames = slices.Concat(kinds...)

func (p *parser) step(s span, c *Chunk) error {
	members, err := p.object(s, "a chunk", stepNames...)
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return p.fail(s.start, "an empty chunk; it needs one of text, reasoning, toolInput, toolCalls, delayMs, error and finishReason")
	}
	kind := slices.IndexFunc(kinds, func(k []string) bool { return slices.Contains(k, members[0].name) })
	for _, m := range members {
		if !slices.Contains(kinds[kind], m.name) {
			return p.fail(m.at, "%q and %q in one chunk; they need one each", members[0].name, m.name)
		}
		if err := p.part(m, c); err != nil {
			return err
		}
	}
	if kinds[kind][0] == "error" && c.Error == "" {
		return p.fail(s.start, `the "error" is missing or empty`)
	}
	c.raw = p.data[s.start:s.end:s.end]
	return nil
}

func (p *parser) part(m member, c *Chunk) (err error) {
	switch m.name {
	case "text":
		c.Text, err = p.text(m)
	case "reasoning":
		c.Reasoning, err = p.text(m)
	case "toolInput":
		c.ToolInput, err = p.toolInput(m.value)
	case "toolCalls":
		c.ToolCalls, err = p.toolCalls(m.value)
	case "delayMs":
		var ms int64
		if ms, err = p.count(m); err == nil && ms > maxDelayMs {
			err = p.fail(m.value.start, "\"delayMs\" is %d; the most is %d, a day", ms, maxDelayMs)
		}
		c.DelayMs = int(ms)
	case "error":
		c.Error, err = p.text(m)
	case "retryable":
		c.Retryable, err = p.bool(m)
	case "code":
		c.Code, err = oneOf(p, m, model.CodeUnavailable, model.CodeRateLimited, model.CodeTimeout, model.CodeInvalidResponse,
			model.CodeContextLength, model.CodeContentFiltered)
	case "finishReason":
		c.FinishReason, err = oneOf(p, m, model.FinishStop, model.FinishToolCalls, model.FinishLength, model.FinishFilter)
	case "usage":
		c.Usage, err = p.usage(m.value)
	}
	return err
}

func (p *parser) toolInput(s span) (*model.ToolInput, error) {
	members, err := p.object(s, `"toolInput"`, "type", "toolCallId", "toolName", "delta")
	if err != nil {
		return nil, err
	}
	in := &model.ToolInput{}
	hasDelta := false
	for _, m := range members {
		switch m.name {
		case "type":
			in.Type, err = oneOf(p, m, model.ToolInputStart, model.ToolInputDelta, model.ToolInputEnd)
		case "toolCallId":
			in.ToolCallID, err = p.text(m)
		case "toolName":
			in.ToolName, err = p.text(m)
		case "delta":
			hasDelta = true
			in.Delta, err = p.text(m)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case in.Type == "":
		return nil, p.fail(s.start, `"toolInput" has no "type"`)
	case in.ToolCallID == "":
		return nil, p.fail(s.start, `"toolInput" has no "toolCallId"`)
	case in.Type == model.ToolInputStart && in.ToolName == "":
		return nil, p.fail(s.start, `a start has no "toolName"`)
	case in.Type == model.ToolInputDelta && !hasDelta:
		return nil, p.fail(s.start, `a delta has no "delta"`)
	case in.Type != model.ToolInputDelta && hasDelta:
		return nil, p.fail(s.start, `"delta" in the %s of a call; it goes into a chunk of type delta`, in.Type)
	}
	return in, nil
}

func (p *parser) toolCalls(s span) ([]model.ToolCall, error) {
	spans, err := p.array(s, `"toolCalls"`)
	if err != nil {
		return nil, err
	}
	if len(spans) == 0 {
		return nil, p.fail(s.start, `"toolCalls" is empty`)
	}
	calls := make([]model.ToolCall, len(spans))
	for i, s := range spans {
		members, err := p.object(s, "a call", "id", "name", "arguments")
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			switch m.name {
			case "id":
				calls[i].ID, err = p.text(m)
			case "name":
				calls[i].Name, err = p.text(m)
			case "arguments":
				calls[i].Arguments, err = p.string(m, `a string with their JSON text, such as "{\"path\":\"a\"}"`)
			}
			if err != nil {
				return nil, err
			}
		}
		if calls[i].ID == "" || calls[i].Name == "" {
			return nil, p.fail(s.start, `a call needs an "id" and a "name"`)
		}
	}
	return calls, nil
}

func (p *parser) usage(s span) (*model.Usage, error) {
	members, err := p.object(s, `"usage"`, "inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens")
	if err != nil {
		return nil, err
	}
	u := &model.Usage{}
	for _, m := range members {
		n, err := p.count(m)
		if err != nil {
			return nil, err
		}
		switch m.name {
		case "inputTokens":
			u.InputTokens = &n
		case "outputTokens":
			u.OutputTokens = &n
		case "totalTokens":
			u.TotalTokens = &n
		case "reasoningTokens":
			u.ReasoningTokens = &n
		case "cachedInputTokens":
			u.CachedInputTokens = &n
		}
	}
	return u, nil
}
