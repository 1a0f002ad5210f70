package realtime

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"callboard/backend/internal/names"
	"callboard/backend/tool"
)

// gemini speaks the Live API.
type gemini struct {
	config *Config
	names  *names.Names

	turn        bool // the model is at an answer
	interrupted bool // that answer was
	used        map[string]bool
}

func newGemini(c *Config, n *names.Names) *gemini {
	return &gemini{config: c, names: n, used: map[string]bool{}}
}

// endpoint has the key in a header, where the provider's SDK has it too: an address ends up in logs.
func (g *gemini) endpoint() (*url.URL, http.Header, error) {
	u, err := g.config.address(DefaultGeminiURL)
	if err != nil {
		return nil, nil, err
	}
	header := http.Header{}
	if key := g.config.key(); key != "" {
		header.Set("X-Goog-Api-Key", key)
	}
	return u, header, nil
}

type geminiTool struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Parameters  *geminiShape `json:"parameters,omitempty"` // missing where there are no arguments: an object without members is refused
}

func (g *gemini) opening() ([]byte, error) {
	generation := map[string]any{"responseModalities": []string{"AUDIO"}}
	if g.config.TextOnly {
		generation["responseModalities"] = []string{"TEXT"}
	}
	if g.config.Voice != "" {
		generation["speechConfig"] = map[string]any{
			"voiceConfig": map[string]any{"prebuiltVoiceConfig": map[string]any{"voiceName": g.config.Voice}},
		}
	}
	setup := map[string]any{"model": g.config.Model, "generationConfig": generation, "inputAudioTranscription": struct{}{}}
	if !strings.Contains(g.config.Model, "/") {
		setup["model"] = "models/" + g.config.Model
	}
	if !g.config.TextOnly {
		setup["outputAudioTranscription"] = struct{}{}
	}
	if g.config.Instructions != "" {
		setup["systemInstruction"] = map[string]any{"parts": []any{map[string]any{"text": g.config.Instructions}}}
	}
	if len(g.config.Tools) > 0 {
		declared, err := g.declare(g.config.Tools)
		if err != nil {
			return nil, err
		}
		setup["tools"] = []any{map[string]any{"functionDeclarations": declared}}
	}
	text, err := encode(setup)
	if err == nil && g.config.Options != nil {
		text, err = overlay(text, g.config.Options)
	}
	if err != nil {
		return nil, fmt.Errorf("encode the session: %w", err)
	}
	return encode(map[string]any{"setup": json.RawMessage(text)})
}

func (g *gemini) declare(tools []*tool.Tool) ([]geminiTool, error) {
	declared := make([]geminiTool, len(tools))
	for i, t := range tools {
		schema := t.Schema()
		shape, err := shapeForGemini(schema.Parameters)
		if err != nil {
			return nil, fmt.Errorf("the parameters of tool %q: %w", t.Name, err)
		}
		declared[i] = geminiTool{Name: g.names.Sent()[i], Description: schema.Description, Parameters: shape}
		if len(shape.Properties) == 0 {
			declared[i].Parameters = nil
		}
	}
	return declared, nil
}

type blob struct {
	Data     string `json:"data"`
	MimeType string `json:"mimeType"`
}

func realtimeInput(member string, value any) any {
	return map[string]any{"realtimeInput": map[string]any{member: value}}
}

type functionResponse struct {
	ID       string         `json:"id,omitempty"`
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

func (g *gemini) send(c command) ([][]byte, error) {
	switch c.kind {
	case sendText:
		return encodeAll(realtimeInput("text", c.text)) // clientContent is refused by newer models once the session runs
	case sendAudio:
		return encodeAll(realtimeInput("audio", blob{
			Data:     base64.StdEncoding.EncodeToString(c.audio),
			MimeType: cmp.Or(g.config.AudioType, "audio/pcm;rate=16000"),
		}))
	case endAudio:
		return encodeAll(realtimeInput("audioStreamEnd", true))
	case interrupt:
		return nil, fmt.Errorf("a Gemini session stops when it hears somebody speak, and at nothing else: %w", errors.ErrUnsupported)
	case answered:
		return g.answer(c.call.group)
	}
	return nil, errors.ErrUnsupported
}

// answer answers the calls of a message together, once the last is over. The images come first: the model goes on at the answer.
func (g *gemini) answer(calls *group) ([][]byte, error) {
	if calls.open > 0 {
		return nil, nil
	}
	var messages []any
	var responses []functionResponse
	for _, c := range calls.calls {
		if c.takenBack {
			continue
		}
		for _, p := range c.answer.images {
			messages = append(messages, realtimeInput("video", blob{Data: base64.StdEncoding.EncodeToString(p.Bytes), MimeType: p.MediaType}))
		}
		responses = append(responses, functionResponse{ID: c.providerID, Name: g.names.ToWire(c.name), Response: c.answer.object()})
	}
	if responses == nil {
		return nil, nil
	}
	return encodeAll(append(messages, map[string]any{"toolResponse": map[string]any{"functionResponses": responses}})...)
}

// object is the answer as an object: the content byte for byte where it is whole.
func (a *answer) object() map[string]any {
	switch {
	case a.err != "":
		return map[string]any{"error": a.err}
	case a.whole != nil:
		return map[string]any{"output": a.whole}
	}
	return map[string]any{"output": a.text}
}
