package openai

import (
	"strconv"

	"callboard/backend/model/internal/jsonscan"
)

// piece is one chunk of an answer as the server sent it. Its fields are cut out of the chunk as they stand there, strings with
// their quotes; nil is absent or null. Of a member that comes twice, the last counts.
type piece struct {
	hasChoices   bool
	hasDelta     bool
	content      []byte
	reasoning    []byte // reasoning_content
	thinking     []byte // reasoning
	refusal      []byte
	finishReason []byte
	calls        []callPiece
	usage        []byte
	choiceUsage  []byte // some servers put it into the choice
	err          []byte
	choiceErr    []byte
	object       []byte
	kind         []byte // the member type
	detail       []byte
}

// callPiece is a part of a call.
type callPiece struct {
	index     int // -1 when there is none
	id        []byte
	name      []byte
	arguments []byte
	extra     []byte // extra_content
}

// decode reads a chunk into p. It reports whether the chunk is a JSON object.
func (p *piece) decode(b []byte) bool {
	*p = piece{calls: p.calls[:0]}
	start := jsonscan.Space(b, 0)
	if start >= len(b) || b[start] != '{' {
		return false
	}
	end, ok := members(b, start, func(name []byte, at int) (int, bool) {
		switch string(name) {
		case `"choices"`:
			return p.choices(b, at)
		case `"usage"`:
			return cut(b, at, &p.usage)
		case `"error"`:
			return cut(b, at, &p.err)
		case `"object"`:
			return cut(b, at, &p.object)
		case `"type"`:
			return cut(b, at, &p.kind)
		case `"detail"`:
			return cut(b, at, &p.detail)
		}
		return jsonscan.Value(b, at)
	})
	return ok && jsonscan.Space(b, end) == len(b)
}

// members calls each with the name of every member of the object at i and where its value stands; each returns where the value
// ends. A name with escapes is written plainly first.
func members(b []byte, i int, each func(name []byte, at int) (int, bool)) (end int, ok bool) {
	i++
	for more := false; ; more = true {
		name, at, ok := jsonscan.Member(b, i, more)
		if !ok || name == nil {
			return at, ok
		}
		if i, ok = each(plainName(name), at); !ok {
			return i, false
		}
	}
}

func plainName(name []byte) []byte {
	for _, c := range name {
		if c == '\\' {
			return append(append([]byte{'"'}, unquote(name)...), '"')
		}
	}
	return name
}

// cut sets to to the value at i.
func cut(b []byte, i int, to *[]byte) (end int, ok bool) {
	end, ok = jsonscan.Value(b, i)
	*to = nil
	if ok && b[i] != 'n' {
		*to = b[i:end:end]
	}
	return end, ok
}

// choices reads the first choice: the one with index 0, or without one.
func (p *piece) choices(b []byte, i int) (end int, ok bool) {
	p.clearChoice()
	p.hasChoices = false
	if i >= len(b) || b[i] != '[' {
		return jsonscan.Value(b, i)
	}
	i++
	for more := false; ; more = true {
		at, found, ok := jsonscan.Element(b, i, more)
		if !ok || !found {
			return at, ok
		}
		if p.hasChoices || b[at] != '{' {
			if i, ok = jsonscan.Value(b, at); !ok {
				return i, false
			}
			continue
		}
		if i, ok = p.choice(b, at); !ok {
			return i, false
		}
	}
}

func (p *piece) choice(b []byte, i int) (end int, ok bool) {
	var index []byte
	p.hasChoices = true
	end, ok = members(b, i, func(name []byte, at int) (int, bool) {
		switch string(name) {
		case `"index"`:
			return cut(b, at, &index)
		case `"delta"`, `"message"`: // a server that does not stream sends a message
			return p.delta(b, at)
		case `"finish_reason"`:
			return cut(b, at, &p.finishReason)
		case `"usage"`:
			return cut(b, at, &p.choiceUsage)
		case `"error"`:
			return cut(b, at, &p.choiceErr)
		}
		return jsonscan.Value(b, at)
	})
	if index != nil && string(index) != "0" {
		p.clearChoice()
		p.hasChoices = false
	}
	return end, ok
}

func (p *piece) clearChoice() {
	p.clearDelta()
	p.finishReason, p.choiceErr, p.choiceUsage = nil, nil, nil
}

func (p *piece) clearDelta() {
	p.hasDelta = false
	p.content, p.reasoning, p.thinking, p.refusal, p.calls = nil, nil, nil, nil, p.calls[:0]
}

func (p *piece) delta(b []byte, i int) (end int, ok bool) {
	p.clearDelta()
	if i >= len(b) || b[i] != '{' {
		return jsonscan.Value(b, i)
	}
	p.hasDelta = true
	return members(b, i, func(name []byte, at int) (int, bool) {
		switch string(name) {
		case `"content"`:
			return cut(b, at, &p.content)
		case `"reasoning_content"`:
			return cut(b, at, &p.reasoning)
		case `"reasoning"`:
			return cut(b, at, &p.thinking)
		case `"refusal"`:
			return cut(b, at, &p.refusal)
		case `"tool_calls"`:
			return p.toolCalls(b, at)
		case `"function_call"`:
			if at < len(b) && b[at] == '{' {
				c := callPiece{index: -1}
				end, ok := c.function(b, at)
				p.calls = append(p.calls, c)
				return end, ok
			}
		}
		return jsonscan.Value(b, at)
	})
}

func (p *piece) toolCalls(b []byte, i int) (end int, ok bool) {
	if i < len(b) && b[i] == '{' { // one call without the list
		return p.toolCall(b, i)
	}
	if i >= len(b) || b[i] != '[' {
		return jsonscan.Value(b, i)
	}
	i++
	for more := false; ; more = true {
		at, found, ok := jsonscan.Element(b, i, more)
		if !ok || !found {
			return at, ok
		}
		if b[at] == '{' {
			i, ok = p.toolCall(b, at)
		} else {
			i, ok = jsonscan.Value(b, at)
		}
		if !ok {
			return i, false
		}
	}
}

func (p *piece) toolCall(b []byte, i int) (end int, ok bool) {
	c := callPiece{index: -1}
	var index []byte
	end, ok = members(b, i, func(name []byte, at int) (int, bool) {
		switch string(name) {
		case `"index"`:
			return cut(b, at, &index)
		case `"id"`:
			return cut(b, at, &c.id)
		case `"function"`:
			return c.function(b, at)
		case `"extra_content"`:
			return cut(b, at, &c.extra)
		}
		return jsonscan.Value(b, at)
	})
	if n, err := strconv.Atoi(string(index)); err == nil && n >= 0 {
		c.index = n
	}
	p.calls = append(p.calls, c)
	return end, ok
}

func (c *callPiece) function(b []byte, i int) (end int, ok bool) {
	c.name, c.arguments = nil, nil
	if i >= len(b) || b[i] != '{' {
		return jsonscan.Value(b, i)
	}
	return members(b, i, func(name []byte, at int) (int, bool) {
		switch string(name) {
		case `"name"`:
			return cut(b, at, &c.name)
		case `"arguments"`:
			return cut(b, at, &c.arguments)
		}
		return jsonscan.Value(b, at)
	})
}
