package scripted

import (
	"strconv"

	"callboard/backend/model"
)

// memo is what the earlier requests of a run left.
type memo struct {
	key      key
	messages int            // how many were encoded
	last     *model.Message // the last of them
	length   int            // of what was sent, without what closes it
}

// key is what stands before the messages: while it stays the same, a request is the one before and more.
type key struct {
	agent, model string
	noTools      bool
	tools        *model.ToolSchema
	toolCount    int
	schema       *byte // of the answer
}

const closing = "]}"

// sent encodes the request as {"agent":…,"model":…,"noTools":…,"responseSchema":…,"tools":[…],"messages":[…]}, and each message once in a run.
func sent(r *model.Request) *model.Sent {
	k := key{agent: r.Agent, model: r.Model, noTools: r.NoTools, toolCount: len(r.Tools)}
	if k.toolCount > 0 {
		k.tools = &r.Tools[0]
	}
	if len(r.ResponseSchema) > 0 {
		k.schema = &r.ResponseSchema[0]
	}
	m := &memo{}
	if r.Memo != nil {
		if kept, ok := (*r.Memo).(*memo); ok && kept.goesOn(k, r.Messages) {
			m = kept
		} else {
			*r.Memo = m
		}
	}
	out := &model.Sent{Keep: m.length}
	if m.length == 0 {
		m.key = k
		out.Tail = appendHead(out.Tail, r)
	}
	for i := m.messages; i < len(r.Messages); i++ {
		if i > 0 {
			out.Tail = append(out.Tail, ',')
		}
		out.Tail = appendMessage(out.Tail, r.Messages[i])
		m.last = r.Messages[i]
	}
	m.messages = len(r.Messages)
	m.length = out.Keep + len(out.Tail)
	out.Tail = append(out.Tail, closing...)
	return out
}

func (m *memo) goesOn(k key, messages []*model.Message) bool {
	return m.key == k && m.messages <= len(messages) && (m.messages == 0 || messages[m.messages-1] == m.last)
}

func appendHead(dst []byte, r *model.Request) []byte {
	dst = append(dst, `{"agent":`...)
	dst = model.AppendQuoted(dst, r.Agent)
	dst = append(dst, `,"model":`...)
	dst = model.AppendQuoted(dst, r.Model)
	dst = append(dst, `,"noTools":`...)
	dst = strconv.AppendBool(dst, r.NoTools)
	if len(r.ResponseSchema) > 0 {
		dst = append(append(dst, `,"responseSchema":`...), r.ResponseSchema...)
	}
	dst = append(dst, `,"tools":[`...)
	for i, t := range r.Tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"name":`...)
		dst = model.AppendQuoted(dst, t.Name)
		dst = append(dst, `,"description":`...)
		dst = model.AppendQuoted(dst, t.Description)
		dst = append(dst, `,"parameters":`...)
		if len(t.Parameters) == 0 {
			dst = append(dst, "null"...)
		}
		dst = append(dst, t.Parameters...)
		dst = append(dst, '}')
	}
	return append(dst, `],"messages":[`...)
}

func appendMessage(dst []byte, m *model.Message) []byte {
	dst = append(dst, `{"role":`...)
	dst = model.AppendQuoted(dst, string(m.Role))
	dst = append(dst, `,"content":`...)
	dst = model.AppendQuoted(dst, m.Content)
	if m.Reasoning != "" {
		dst = append(dst, `,"reasoning":`...)
		dst = model.AppendQuoted(dst, m.Reasoning)
	}
	for i, c := range m.ToolCalls {
		if i == 0 {
			dst = append(dst, `,"toolCalls":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"id":`...)
		dst = model.AppendQuoted(dst, c.ID)
		dst = append(dst, `,"name":`...)
		dst = model.AppendQuoted(dst, c.Name)
		dst = append(dst, `,"arguments":`...)
		dst = model.AppendQuoted(dst, c.Arguments)
		dst = append(dst, '}')
	}
	if len(m.ToolCalls) > 0 {
		dst = append(dst, ']')
	}
	if m.ToolCallID != "" {
		dst = append(dst, `,"toolCallId":`...)
		dst = model.AppendQuoted(dst, m.ToolCallID)
	}
	for i, image := range m.Images {
		if i == 0 {
			dst = append(dst, `,"images":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = model.AppendQuoted(dst, "blob:"+image.Hash)
	}
	if len(m.Images) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}
