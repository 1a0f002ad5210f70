package realtime

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"callboard/backend/internal/names"
)

// openAI speaks the Realtime API, with the names of events it has now and those of its beta.
type openAI struct {
	config *Config
	names  *names.Names

	// What decides whether an answer may be asked for: one at a time, and not while the user speaks.
	active   map[string]bool // answers at work, by id
	asked    string          // id of a response.create that nothing came of yet
	speaking bool
	wanted   bool            // there is something to answer
	unseen   map[string]bool // items sent that the server has not confirmed
	number   int             // of items and questions sent

	writing []*written
	used    map[string]string // ids of calls told, with the answers they belong to

	format audioFormat
	heard  struct { // the audio item the user heard last
		itemID string
		index  int
		bytes  int
	}
}

// audioFormat is how the server sends audio.
type audioFormat struct {
	Type string `json:"type"`
	Rate int    `json:"rate"`
}

func (f audioFormat) mediaType() string {
	if f.Rate == 0 {
		return f.Type
	}
	return fmt.Sprintf("%s;rate=%d", f.Type, f.Rate)
}

// duration is how long so many bytes play; false where the format does not tell.
func (f audioFormat) duration(size int) (time.Duration, bool) {
	bytesPerSecond := 0
	switch f.Type {
	case "audio/pcm":
		bytesPerSecond = 2 * f.Rate
	case "audio/pcmu", "audio/pcma":
		bytesPerSecond = 8000
	}
	if bytesPerSecond == 0 {
		return 0, false
	}
	return time.Duration(size) * time.Second / time.Duration(bytesPerSecond), true
}

func newOpenAI(c *Config, n *names.Names) *openAI {
	return &openAI{
		config: c, names: n, active: map[string]bool{}, unseen: map[string]bool{}, used: map[string]string{},
		format: audioFormat{Type: "audio/pcm", Rate: 24000},
	}
}

func (o *openAI) endpoint() (*url.URL, http.Header, error) {
	u, err := o.config.address(DefaultOpenAIURL)
	if err != nil {
		return nil, nil, err
	}
	if q := u.Query(); !q.Has("model") {
		q.Set("model", o.config.Model)
		u.RawQuery = q.Encode()
	}
	header := http.Header{}
	if key := o.config.key(); key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	return u, header, nil
}

type openAITool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func (o *openAI) opening() ([]byte, error) {
	session := map[string]any{"type": "realtime", "output_modalities": []string{"audio"}}
	if o.config.TextOnly {
		session["output_modalities"] = []string{"text"}
	}
	if o.config.Instructions != "" {
		session["instructions"] = o.config.Instructions
	}
	if o.config.Voice != "" {
		session["audio"] = map[string]any{"output": map[string]any{"voice": o.config.Voice}}
	}
	if len(o.config.Tools) > 0 {
		tools := make([]openAITool, len(o.config.Tools))
		for i, t := range o.config.Tools {
			schema := t.Schema()
			tools[i] = openAITool{"function", o.names.Sent()[i], schema.Description, schema.Parameters}
		}
		session["tools"], session["tool_choice"] = tools, "auto"
	}
	text, err := encode(session)
	if err == nil && o.config.Options != nil {
		text, err = overlay(text, o.config.Options)
	}
	if err != nil {
		return nil, fmt.Errorf("encode the session: %w", err)
	}
	return encode(map[string]any{"type": "session.update", "session": json.RawMessage(text)})
}

// item is something added to the conversation.
type item struct {
	ID      string    `json:"id"`
	Type    string    `json:"type"`
	Role    string    `json:"role,omitempty"`
	Content []content `json:"content,omitempty"`
	CallID  string    `json:"call_id,omitempty"`
	Output  *string   `json:"output,omitempty"` // may be empty, but not missing
}

type content struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

type itemCreate struct {
	Type string `json:"type"`
	Item item   `json:"item"`
}

func (o *openAI) add(i item) itemCreate {
	o.number++
	i.ID = fmt.Sprintf("callboard_%d", o.number)
	o.unseen[i.ID] = true
	return itemCreate{"conversation.item.create", i}
}

func (o *openAI) send(c command) ([][]byte, error) {
	var messages []any
	switch c.kind {
	case sendText:
		messages = append(messages, o.add(item{Type: "message", Role: "user", Content: []content{{Type: "input_text", Text: c.text}}}))
		messages = append(messages, o.want()...)
	case sendAudio:
		messages = append(messages, map[string]any{
			"type": "input_audio_buffer.append", "audio": base64.StdEncoding.EncodeToString(c.audio),
		})
	case endAudio:
		o.speaking = false
		messages = append(messages, map[string]any{"type": "input_audio_buffer.commit"})
		messages = append(messages, o.want()...)
	case interrupt:
		messages = o.interrupt(c.played)
	case answered:
		messages = append(messages, o.output(c.call.providerID, c.call.answer.text))
		if len(c.call.answer.images) > 0 {
			messages = append(messages, o.add(item{Type: "message", Role: "user", Content: pictures(c.call)}))
		}
		if c.call.group.open == 0 {
			messages = append(messages, o.want()...)
		}
	default:
		return nil, errors.ErrUnsupported
	}
	return encodeAll(messages...)
}

func (o *openAI) output(callID, text string) itemCreate {
	return o.add(item{Type: "function_call_output", CallID: callID, Output: &text})
}

// pictures shows the images of a result: an output can only hold text.
func pictures(c *call) []content {
	var parts []content
	for i, p := range c.answer.images {
		parts = append(parts,
			content{Type: "input_text", Text: fmt.Sprintf("Image %d of the result of %s (%s):", i+1, c.name, c.providerID)},
			content{Type: "input_image", ImageURL: "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Bytes)})
	}
	return parts
}

// want asks for an answer, now or as soon as it may.
func (o *openAI) want() []any {
	o.wanted = true
	return o.ask()
}

// ask asks for an answer where one is wanted and may be asked for. The server refuses a second beside one that is at work.
func (o *openAI) ask() []any {
	if !o.wanted || o.asked != "" || len(o.active) > 0 || o.speaking {
		return nil
	}
	o.number++
	o.wanted, o.asked = false, fmt.Sprintf("callboard_%d", o.number)
	return []any{map[string]any{"type": "response.create", "event_id": o.asked}}
}

func (o *openAI) interrupt(played time.Duration) []any {
	var messages []any
	o.wanted = false
	if len(o.active) > 0 || o.asked != "" {
		messages = append(messages, map[string]any{"type": "response.cancel"})
	}
	whole, known := o.format.duration(o.heard.bytes)
	if o.heard.itemID != "" && (!known || played < whole) {
		messages = append(messages, map[string]any{
			"type": "conversation.item.truncate", "item_id": o.heard.itemID, "content_index": o.heard.index,
			"audio_end_ms": max(played, 0).Milliseconds(),
		})
	}
	o.heard.itemID = ""
	return messages
}
