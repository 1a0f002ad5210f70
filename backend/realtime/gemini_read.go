package realtime

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// geminiMessage is a message of the server. Several of its members may be there at once.
type geminiMessage struct {
	SetupComplete *struct{}      `json:"setupComplete"`
	ServerContent *geminiContent `json:"serverContent"`
	ToolCall      *struct {
		FunctionCalls []struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCalls"`
	} `json:"toolCall"`
	ToolCallCancellation *struct {
		IDs []string `json:"ids"`
	} `json:"toolCallCancellation"`
	GoAway *struct {
		TimeLeft string `json:"timeLeft"`
	} `json:"goAway"`
	UsageMetadata *struct {
		Input  int `json:"promptTokenCount"`
		Output int `json:"responseTokenCount"`
		Total  int `json:"totalTokenCount"`
	} `json:"usageMetadata"`
}

type geminiContent struct {
	ModelTurn struct {
		Parts []geminiPart `json:"parts"`
	} `json:"modelTurn"`
	InputTranscription  transcription `json:"inputTranscription"`
	OutputTranscription transcription `json:"outputTranscription"`
	Interrupted         bool          `json:"interrupted"`
	TurnComplete        bool          `json:"turnComplete"`
	TurnCompleteReason  string        `json:"turnCompleteReason"`
}

type geminiPart struct {
	Text       string `json:"text"`
	Thought    bool   `json:"thought"`
	InlineData *blob  `json:"inlineData"`
}

type transcription struct {
	Text string `json:"text"`
}

func (g *gemini) receive(frame []byte) (received, error) {
	var m geminiMessage
	if err := json.Unmarshal(frame, &m); err != nil {
		return received{}, fmt.Errorf("read a message: %w", err)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(frame), []byte("{")) {
		return received{}, errors.New("read a message: it is no object")
	}
	r := received{ready: m.SetupComplete != nil}
	var problem error
	if u := m.UsageMetadata; u != nil {
		r.events = append(r.events, Event{Type: TokensUsed, Usage: &Usage{u.Input, u.Output, u.Total}})
	}
	if m.ServerContent != nil {
		var events []Event
		events, problem = g.content(m.ServerContent)
		r.events = append(r.events, events...)
	}
	if m.ToolCall != nil && len(m.ToolCall.FunctionCalls) > 0 {
		r.events = append(r.events, g.begin()...)
		r.group = &group{}
		for _, f := range m.ToolCall.FunctionCalls {
			c := g.call(f.ID, f.Name, f.Args)
			r.group.calls = append(r.group.calls, c)
			r.events = append(r.events,
				Event{Type: ToolCallStart, ToolCallID: c.id, ToolName: c.name},
				Event{Type: ToolCallDelta, ToolCallID: c.id, ToolName: c.name, Text: c.arguments},
				Event{Type: ToolCallEnd, ToolCallID: c.id, ToolName: c.name, ArgumentsText: c.arguments})
		}
	}
	if m.ToolCallCancellation != nil {
		r.takenBack = m.ToolCallCancellation.IDs
	}
	if m.GoAway != nil {
		left, _ := time.ParseDuration(m.GoAway.TimeLeft) // what cannot be read is not known
		r.events = append(r.events, Event{Type: GoingAway, TimeLeft: left})
	}
	if len(r.events) == 0 && problem == nil {
		r.events = []Event{{Type: Other}}
	}
	return r, problem
}

// content tells what the server says of the conversation. With an error, a part of it was skipped.
func (g *gemini) content(c *geminiContent) ([]Event, error) {
	var events []Event
	var problem error
	if c.InputTranscription.Text != "" {
		events = append(events, Event{Type: InputTranscriptDelta, Text: c.InputTranscription.Text})
	}
	for _, part := range c.ModelTurn.Parts {
		events = append(events, g.begin()...)
		event, err := part.event()
		if err != nil {
			problem = err
			continue
		}
		events = append(events, event)
	}
	if c.OutputTranscription.Text != "" {
		events = append(events, g.begin()...)
		events = append(events, Event{Type: TranscriptDelta, Text: c.OutputTranscription.Text})
	}
	if c.Interrupted {
		g.interrupted = true
		events = append(events, Event{Type: Interrupted})
	}
	if c.TurnComplete {
		end := Event{Type: TurnEnd, Status: Completed, Reason: c.TurnCompleteReason}
		if g.interrupted {
			end.Status = Cancelled
		}
		g.turn, g.interrupted = false, false
		events = append(events, end)
	}
	return events, problem
}

// begin tells that an answer begins, where none is at work.
func (g *gemini) begin() []Event {
	if g.turn {
		return nil
	}
	g.turn = true
	return []Event{{Type: TurnStart}}
}

func (p *geminiPart) event() (Event, error) {
	switch {
	case p.InlineData != nil && strings.HasPrefix(p.InlineData.MimeType, "audio/"):
		data, err := base64.StdEncoding.DecodeString(p.InlineData.Data)
		if err != nil {
			return Event{}, fmt.Errorf("read a piece of audio: %w", err)
		}
		return Event{Type: Audio, Audio: data, MediaType: p.InlineData.MimeType}, nil
	case p.InlineData != nil || p.Text == "":
		return Event{Type: Other}, nil
	case p.Thought:
		return Event{Type: ReasoningDelta, Text: p.Text}, nil
	}
	return Event{Type: TextDelta, Text: p.Text}, nil
}

// call is a call as it runs: its arguments are the server's bytes, and its id is the session's own where the server gave none, or
// one it gave before.
func (g *gemini) call(id, name string, args json.RawMessage) *call {
	c := &call{id: id, providerID: id, name: g.names.FromWire(name), arguments: string(args)}
	if len(args) == 0 || string(args) == "null" {
		c.arguments = "{}"
	}
	if c.id == "" || g.used[c.id] {
		c.id = "call_" + rand.Text()
	}
	g.used[c.id] = true
	return c
}
