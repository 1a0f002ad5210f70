package openai

import (
	"cmp"
	"io"
	"math"
	"strconv"
	"strings"

	"callboard/backend/internal/names"
	"callboard/backend/model"
	"callboard/backend/model/internal/jsonscan"
)

// noOutput stands where a message has no content: servers refuse an empty one, or read it as missing.
const noOutput = "(no output)"

// payload is the body of a request in its parts: what stands before the messages, the messages, and what closes them. Messages
// come last, so that a request is the one before and a little more.
type payload struct {
	head, messages []byte
	tail           string
	names          *names.Names
	images         []placed
	urls           [][]byte // of the images, once they are loaded
	schema         bool     // the server is to hold the answer to a schema
}

func (p *payload) length() (n int64) {
	for _, part := range p.parts() {
		n += int64(len(part))
	}
	return n
}

// reader reads the payload from its start.
func (p *payload) reader() *payloadReader { return &payloadReader{parts: p.parts()} }

// payloadReader reads the parts one after the other, without copying them where it can write them out.
type payloadReader struct {
	parts [][]byte
}

func (r *payloadReader) Read(p []byte) (int, error) {
	for len(r.parts) > 0 && len(r.parts[0]) == 0 {
		r.parts = r.parts[1:]
	}
	if len(r.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.parts[0])
	r.parts[0] = r.parts[0][n:]
	return n, nil
}

// WriteTo writes what is left, each part at once.
func (r *payloadReader) WriteTo(w io.Writer) (total int64, err error) {
	for ; len(r.parts) > 0; r.parts = r.parts[1:] {
		n, err := w.Write(r.parts[0])
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// Close does nothing.
func (r *payloadReader) Close() error { return nil }

// memo is what the earlier requests of a run left.
type memo struct {
	key      key
	learned  *learned
	head     []byte
	messages []byte   // each encoded once; bytes that were sent are never written again
	images   []placed // in messages
	unshown  []*model.Message
	count    int            // of the messages in it
	last     *model.Message // the last of them
	names    *names.Names
	ids      map[string]string // what a call's id was sent as, by its own; of equal ones, the latest
	usedIDs  map[string]bool   // what was sent as an id
	words    string            // what the first message still has to say of the answer
}

// key is all that goes into the head and into how a message is written.
type key struct {
	model            string
	tools            *model.ToolSchema
	toolCount        int
	temperature      float64
	hasTemperature   bool
	maxTokens        int
	noStreamOptions  bool
	completionTokens bool
	reasoning        bool
	noExtra          bool
	refusals         int64 // of images
	schema           *byte // of the answer
	inWords          bool  // the model is told of it, not the server
}

// encode makes the body of a request. Within a run it encodes only the messages that are new.
func (b *Backend) encode(r *model.Request) (*payload, *model.Sent) {
	k := key{
		model: cmp.Or(r.Model, b.Model), toolCount: len(r.Tools), maxTokens: r.MaxTokens,
		noStreamOptions: b.learned.noStreamOptions.Load(), completionTokens: b.learned.completionTokens.Load(),
		reasoning: b.learned.wantsReasoning.Load(), noExtra: b.learned.noExtra.Load(), refusals: b.learned.refusals.Load(),
	}
	if len(r.Tools) > 0 {
		k.tools = &r.Tools[0]
	}
	if t := r.Temperature; t != nil && !math.IsNaN(*t) && !math.IsInf(*t, 0) {
		k.temperature, k.hasTemperature = *t, true
	}
	if len(r.ResponseSchema) > 0 {
		k.schema = &r.ResponseSchema[0]
		// Many servers hold every answer to the schema: a model that may make calls could make none.
		k.inWords = b.learned.noSchema.Load() || len(r.Tools) > 0 && !r.NoTools
	}
	var m *memo
	if r.Memo != nil {
		m, _ = (*r.Memo).(*memo)
	}
	sent := &model.Sent{}
	if m != nil && m.goesOn(k, r.Messages) {
		sent.Keep = len(m.head) + len(m.messages)
	} else {
		m = newMemo(k, r, &b.learned)
		sent.Tail = append(sent.Tail, m.head...)
		if r.Memo != nil {
			*r.Memo = m
		}
	}
	before := len(m.messages)
	for _, message := range r.Messages[m.count:] {
		if message.Role != model.RoleTool {
			m.showImages()
		}
		if m.count > 0 {
			m.messages = append(m.messages, ',')
		}
		m.add(message)
		if message.Role == model.RoleTool && len(message.Images) > 0 {
			m.unshown = append(m.unshown, message)
		}
	}
	m.showImages()
	p := &payload{head: m.head, messages: m.messages[:len(m.messages):len(m.messages)], tail: "]}", names: m.names, images: m.images}
	p.schema = k.schema != nil && !k.inWords
	if r.NoTools && len(r.Tools) > 0 {
		p.tail = `],"tool_choice":"none"}`
	}
	sent.Tail = append(append(sent.Tail, m.messages[before:]...), p.tail...)
	return p, sent
}

func (m *memo) goesOn(k key, messages []*model.Message) bool {
	return m.key == k && m.count <= len(messages) && (m.count == 0 || messages[m.count-1] == m.last)
}

func newMemo(k key, r *model.Request, l *learned) *memo {
	tools := r.Tools
	m := &memo{key: k, learned: l, ids: map[string]string{}, usedIDs: map[string]bool{}}
	realNames := make([]string, len(tools))
	for i, t := range tools {
		realNames[i] = t.Name
	}
	m.names = names.New(realNames)
	h := append(m.head, `{"model":`...)
	h = model.AppendQuoted(h, k.model)
	h = append(h, `,"stream":true`...)
	if !k.noStreamOptions {
		h = append(h, `,"stream_options":{"include_usage":true}`...)
	}
	if k.hasTemperature {
		h = append(h, `,"temperature":`...)
		h = strconv.AppendFloat(h, k.temperature, 'f', -1, 64)
	}
	if k.maxTokens > 0 && k.completionTokens {
		h = append(h, `,"max_completion_tokens":`...)
		h = strconv.AppendInt(h, int64(k.maxTokens), 10)
	} else if k.maxTokens > 0 {
		h = append(h, `,"max_tokens":`...)
		h = strconv.AppendInt(h, int64(k.maxTokens), 10)
	}
	if k.schema != nil && !k.inWords {
		h = append(h, `,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":`...)
		h = append(append(h, r.ResponseSchema...), "}}"...)
	}
	for i, t := range tools {
		h = appendTool(appendComma(h, i, `,"tools":[`), t, m.names.Sent()[i])
	}
	if len(tools) > 0 {
		h = append(h, ']')
	}
	m.head = append(h, `,"messages":[`...)
	if k.schema != nil && k.inWords && len(r.Messages) > 0 {
		m.words = answerWords + string(r.ResponseSchema)
		if r.Messages[0].Role != model.RoleSystem {
			h := append(m.head, `{"role":"system","content":`...)
			m.head = append(model.AppendQuoted(h, m.words), "},"...)
			m.words = ""
		}
	}
	return m
}

// answerWords tells a model of the schema its answer is held to. They go into the one system message: servers refuse a second.
const answerWords = "When you give your answer, give one JSON object and nothing else: no words around it, no Markdown. It has to fit this JSON Schema: "

func appendTool(dst []byte, t model.ToolSchema, name string) []byte {
	dst = append(dst, `{"type":"function","function":{"name":`...)
	dst = model.AppendQuoted(dst, name)
	if t.Description != "" {
		dst = append(dst, `,"description":`...)
		dst = model.AppendQuoted(dst, t.Description)
	}
	dst = append(dst, `,"parameters":`...)
	if len(t.Parameters) == 0 {
		dst = append(dst, `{"type":"object","properties":{}}`...)
	}
	dst = append(dst, t.Parameters...)
	return append(dst, "}}"...)
}

// add encodes one message.
func (m *memo) add(message *model.Message) {
	d := append(m.messages, `{"role":`...)
	d = model.AppendQuoted(d, string(message.Role))
	if message.Role == model.RoleTool {
		d = append(d, `,"tool_call_id":`...)
		d = model.AppendQuoted(d, cmp.Or(m.ids[message.ToolCallID], message.ToolCallID))
	}
	d = append(d, `,"content":`...)
	switch {
	case m.words != "":
		d = model.AppendQuoted(d, message.Content+"\n\n"+m.words)
		m.words = ""
	case message.Content != "":
		d = model.AppendQuoted(d, message.Content)
	case len(message.ToolCalls) > 0:
		d = append(d, "null"...)
	default:
		d = model.AppendQuoted(d, noOutput)
	}
	if m.key.reasoning && message.Role == model.RoleAssistant {
		d = append(d, `,"reasoning_content":`...)
		d = model.AppendQuoted(d, message.Reasoning)
	}
	for i, c := range message.ToolCalls {
		d = append(appendComma(d, i, `,"tool_calls":[`), `{"id":`...)
		d = model.AppendQuoted(d, m.wireID(c))
		d = append(d, `,"type":"function","function":{"name":`...)
		d = model.AppendQuoted(d, m.names.ToWire(c.Name))
		d = append(d, `,"arguments":`...)
		d = append(model.AppendQuoted(d, sendableArguments(c.Arguments)), '}')
		if len(c.Extra) > 0 && !m.key.noExtra {
			d = append(append(d, `,"extra_content":`...), c.Extra...)
		}
		d = append(d, '}')
	}
	if len(message.ToolCalls) > 0 {
		d = append(d, ']')
	}
	m.messages = append(d, '}')
	m.count++
	m.last = message
}

// wireID is the id under which a call is sent: the provider's own where there is one, and none twice in a history.
func (m *memo) wireID(c model.ToolCall) string {
	id := cmp.Or(c.ProviderID, c.ID)
	if m.usedIDs[id] {
		id = c.ID
	}
	for n := 2; m.usedIDs[id]; n++ {
		id = c.ID + "_" + strconv.Itoa(n)
	}
	m.usedIDs[id] = true
	m.ids[c.ID] = id
	return id
}

// sendableArguments is the text of a call's arguments as a provider can read it: an object, else {}. Half a surrogate pair in
// it becomes U+FFFD, for servers parse the text and cannot write such a string.
func sendableArguments(text string) string {
	b := []byte(text)
	start := jsonscan.Space(b, 0)
	if start == len(b) || b[start] != '{' || !jsonscan.Valid(b) {
		return "{}"
	}
	if !strings.Contains(text, `\u`) {
		return text
	}
	return string(mendSurrogates(b))
}

// mendSurrogates writes \ufffd in place of each escape that is half a surrogate pair, in a text known to be valid JSON.
func mendSurrogates(b []byte) []byte {
	half := func(i int, from, to rune) bool {
		if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
			return false
		}
		r := hexRune(b[i+2 : i+6])
		return r >= from && r <= to
	}
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] != '\\':
		case half(i, 0xD800, 0xDBFF) && half(i+6, 0xDC00, 0xDFFF):
			i += 11
		case half(i, 0xD800, 0xDFFF):
			copy(b[i:], `\ufffd`)
			i += 5
		default:
			i++
		}
	}
	return b
}

// appendComma writes what stands before element i of a list: its opening, or a comma.
func appendComma(dst []byte, i int, opening string) []byte {
	if i > 0 {
		opening = ","
	}
	return append(dst, opening...)
}
