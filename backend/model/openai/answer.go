package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"callboard/backend/internal/names"
	"callboard/backend/model"
)

// answer makes chunks of the pieces of one answer.
type answer struct {
	calls     calls
	piece     piece
	text      joiner
	reasoning joiner
	usage     model.Usage
	usageText []byte // what usage was read from last
	finish    model.FinishReason
	saidCalls bool // the reason was that it made calls
	any       bool // something came that is an answer
	lost      bool // a piece of a call came that could not be read
}

func newAnswer(n *names.Names, turn int) *answer {
	return &answer{calls: calls{names: n, turn: turn}}
}

// read reads one event, its mark in front, into chunk. The error is a *told when the server told of one.
func (a *answer) read(line []byte, chunk *model.Chunk) error {
	mark, data := line[0], line[1:]
	p := &a.piece
	if !p.decode(data) {
		if mark == markError {
			return readTold(data)
		}
		a.skip(data, chunk)
		return nil
	}
	if failure := p.failure(data, mark); failure != nil {
		return readTold(failure)
	}
	a.readUsage(chunk)
	if !p.hasDelta {
		if p.hasChoices && p.finishReason == nil {
			chunk.Problem = "a piece of the answer has no delta"
		}
	} else {
		a.any = true
		a.readDelta(chunk)
	}
	if reason := unquote(p.finishReason); len(reason) > 0 && a.finish == "" {
		return a.finished(string(reason), chunk)
	}
	return nil
}

// skip goes on without an event that is no JSON object.
func (a *answer) skip(data []byte, chunk *model.Chunk) {
	chunk.Problem = "a piece of the answer is malformed and was skipped: " + cutText(string(data))
	if bytes.Contains(data, []byte("tool_call")) || bytes.Contains(data, []byte("arguments")) {
		a.lost = true
	}
}

// failure returns what a piece says of a failure, nil when it says nothing.
func (p *piece) failure(data []byte, mark byte) []byte {
	switch {
	case p.err != nil && string(p.err) != `""` && string(p.err) != "false" && string(p.err) != "{}":
		return data
	case p.choiceErr != nil:
		return p.choiceErr
	case mark == markError, string(p.object) == `"error"`, string(p.kind) == `"error"`, !p.hasChoices && p.detail != nil:
		return data
	}
	return nil
}

func (a *answer) readDelta(chunk *model.Chunk) {
	p := &a.piece
	thinking := unquote(p.reasoning)
	if len(thinking) == 0 {
		thinking = unquote(p.thinking)
	}
	if len(thinking) > 0 {
		chunk.Reasoning = a.reasoning.push(thinking)
	}
	for _, words := range [][]byte{p.content, p.refusal} {
		switch {
		case len(words) == 0:
		case words[0] == '"':
			if said := unquote(words); len(said) > 0 {
				chunk.Text += a.text.push(said)
			}
		case words[0] == '[':
			a.readParts(words, chunk)
		default:
			chunk.Problem = "a piece of the answer has content that is no text: " + cutText(string(words))
		}
	}
	known := len(a.calls.list)
	for i := range p.calls {
		chunk.ToolInput = a.calls.add(&p.calls[i], chunk.ToolInput)
	}
	if len(a.calls.list) > known { // what was begun before a call does not go on behind it
		chunk.Reasoning += a.reasoning.rest()
		chunk.Text += a.text.rest()
	}
}

// readParts reads content that comes as a list of parts.
func (a *answer) readParts(list []byte, chunk *model.Chunk) {
	type part struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	var parts []part
	if err := json.Unmarshal(list, &parts); err != nil {
		chunk.Problem = "a piece of the answer has content that is no text: " + cutText(string(list))
		return
	}
	for _, p := range parts {
		chunk.Text += p.Text
		var inner []part
		var text string
		if json.Unmarshal(p.Thinking, &inner) == nil {
			for _, t := range inner {
				chunk.Reasoning += t.Text
			}
		} else if json.Unmarshal(p.Thinking, &text) == nil {
			chunk.Reasoning += text
		}
	}
}

// readUsage takes what the server counted so far. A count it leaves out stays as it was.
func (a *answer) readUsage(chunk *model.Chunk) {
	text := a.piece.usage
	if text == nil {
		text = a.piece.choiceUsage
	}
	if text == nil || bytes.Equal(text, a.usageText) {
		return
	}
	a.usageText = text
	var u struct {
		Prompt     count `json:"prompt_tokens"`
		Input      count `json:"input_tokens"`
		Completion count `json:"completion_tokens"`
		Output     count `json:"output_tokens"`
		Total      count `json:"total_tokens"`
		CacheHit   count `json:"prompt_cache_hit_tokens"`
		InDetails  struct {
			Cached count `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		OutDetails struct {
			Reasoning count `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(text, &u); err != nil && !errors.As(err, &wrong) {
		return // details of a wrong type are unknown; the rest is read
	}
	replace(&a.usage.InputTokens, u.Input, u.Prompt)
	replace(&a.usage.OutputTokens, u.Output, u.Completion)
	replace(&a.usage.TotalTokens, u.Total)
	replace(&a.usage.CachedInputTokens, u.CacheHit, u.InDetails.Cached)
	replace(&a.usage.ReasoningTokens, u.OutDetails.Reasoning)
	if a.usage != (model.Usage{}) {
		usage := a.usage
		chunk.Usage = &usage
	}
}

// count is a number of tokens; what is none is unknown.
type count struct{ n *int64 }

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(b []byte) error {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil && n >= 0 {
		c.n = &n
	}
	return nil
}

func replace(to **int64, with ...count) {
	for _, c := range with {
		if c.n != nil {
			*to = c.n
		}
	}
}

// finished takes the reason a server gives for its end.
func (a *answer) finished(reason string, chunk *model.Chunk) error {
	switch reason {
	case "length", "max_tokens", "model_length", "MAX_TOKENS":
		a.finish = model.FinishLength
		return nil
	case "content_filter", "safety", "refusal", "SAFETY":
		a.finish = model.FinishFilter
		return nil
	case "error":
		return &told{message: "the model ended with an error", all: "error"}
	}
	a.finish = model.FinishStop
	a.saidCalls = reason == "tool_calls"
	chunk.ToolInput = a.calls.endClosed(chunk.ToolInput)
	return nil
}

// whole reports whether an answer whose end nobody announced has complete calls all the same.
func (a *answer) whole() bool {
	return len(a.calls.list) > 0 && a.calls.closed()
}

// end adds what the end of the answer brings: what was held back, the calls, and why it finished.
func (a *answer) end(chunk *model.Chunk) error {
	chunk.Reasoning += a.reasoning.rest()
	chunk.Text += a.text.rest()
	if a.finish == "" && !a.any {
		return errors.New("it is empty")
	}
	if a.finish == model.FinishLength || a.finish == model.FinishFilter {
		chunk.FinishReason = a.finish
		return nil
	}
	if a.lost && (len(a.calls.list) > 0 || a.saidCalls) {
		return errors.New("a piece of a tool call in it could not be read")
	}
	var err error
	if chunk.ToolInput, err = a.calls.endAll(chunk.ToolInput); err != nil {
		return err
	}
	chunk.FinishReason = model.FinishStop
	if len(a.calls.list) > 0 {
		chunk.ToolCalls = a.calls.complete()
		chunk.FinishReason = model.FinishToolCalls
	}
	return nil
}
