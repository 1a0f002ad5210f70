package realtime

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// openAIEvent is any message of the server: those of its members that are read.
type openAIEvent struct {
	Type         string          `json:"type"`
	ItemID       string          `json:"item_id"`
	ResponseID   string          `json:"response_id"`
	ContentIndex int             `json:"content_index"`
	Delta        string          `json:"delta"`
	Transcript   string          `json:"transcript"`
	CallID       string          `json:"call_id"`
	Name         string          `json:"name"`
	Arguments    string          `json:"arguments"`
	Item         openAIItem      `json:"item"`
	Response     openAIResponse  `json:"response"`
	Session      json.RawMessage `json:"session"`
	Error        struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"message"`
		Param   string `json:"param"`
		EventID string `json:"event_id"`
	} `json:"error"`
}

type openAIItem struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type openAIResponse struct {
	ID            string       `json:"id"`
	Status        Status       `json:"status"`
	Output        []openAIItem `json:"output"`
	StatusDetails struct {
		Reason string `json:"reason"`
		Error  struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"status_details"`
	Usage *struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
		Total  int `json:"total_tokens"`
	} `json:"usage"`
}

const (
	callItem         = "function_call"
	alreadyAnswering = "conversation_already_has_active_response"
)

func (o *openAI) receive(frame []byte) (received, error) {
	var e openAIEvent
	if err := json.Unmarshal(frame, &e); err != nil {
		return received{}, fmt.Errorf("read a message: %w", err)
	}
	event := Event{Type: Other, TurnID: e.ResponseID, ItemID: e.ItemID, Text: e.Delta}
	r := received{}
	switch e.Type {
	case "":
		return received{}, errors.New("read a message: it has no type")
	case "session.updated":
		r.ready = true
		o.learnFormat(e.Session)
	case "error":
		o.failed(&e, &event)
	case "response.output_text.delta", "response.text.delta":
		event.Type = TextDelta
	case "response.output_audio_transcript.delta", "response.audio_transcript.delta":
		event.Type = TranscriptDelta
	case "conversation.item.input_audio_transcription.delta":
		event.Type = InputTranscriptDelta
	case "conversation.item.input_audio_transcription.completed":
		event.Type, event.Text = InputTranscript, e.Transcript
	case "response.output_audio.delta", "response.audio.delta":
		if err := o.audio(&e, &event); err != nil {
			return received{}, err
		}
	case "input_audio_buffer.speech_started":
		o.speaking = true
		event.Type = SpeechStart
	case "input_audio_buffer.speech_stopped":
		o.speaking = false
		event.Type = SpeechEnd
	case "conversation.item.added", "conversation.item.created":
		delete(o.unseen, e.Item.ID)
	case "response.created":
		o.begun(&e, &event)
	case "response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done",
		"response.output_item.done":
		if events := o.written(&e); events != nil {
			r.events = events
			return r, nil
		}
		event.Text = ""
	case "response.done":
		return o.ended(&e)
	}
	r.events = []Event{event}
	return r, nil
}

// learnFormat reads how the server sends audio. Where it does not say, it is as the provider's documentation has it.
func (o *openAI) learnFormat(session json.RawMessage) {
	var s struct {
		Audio struct {
			Output struct {
				Format audioFormat `json:"format"`
			} `json:"output"`
		} `json:"audio"`
	}
	if json.Unmarshal(session, &s) == nil && s.Audio.Output.Format.Type != "" {
		o.format = s.Audio.Output.Format
		if o.format.Type == "audio/pcm" && o.format.Rate == 0 {
			o.format.Rate = 24000
		}
	}
}

// failed tells an error. What names no message of ours may be about the answer that was asked for: it may be asked for again.
func (o *openAI) failed(e *openAIEvent, event *Event) {
	if e.Error.EventID == o.asked || e.Error.EventID == "" {
		o.asked = ""
	}
	if e.Error.Code == alreadyAnswering { // the server began an answer by itself: ours comes after it
		o.asked, o.wanted = "", true
		return
	}
	event.Type = Failure
	event.Err = &ServerError{Type: e.Error.Type, Code: e.Error.Code, Param: e.Error.Param, Message: e.Error.Message}
}

func (o *openAI) audio(e *openAIEvent, event *Event) error {
	data, err := base64.StdEncoding.DecodeString(e.Delta)
	if err != nil {
		return fmt.Errorf("read a piece of audio: %w", err)
	}
	if o.heard.itemID != e.ItemID || o.heard.index != e.ContentIndex {
		o.heard.itemID, o.heard.index, o.heard.bytes = e.ItemID, e.ContentIndex, 0
	}
	o.heard.bytes += len(data)
	event.Type, event.Text, event.Audio, event.MediaType = Audio, "", data, o.format.mediaType()
	return nil
}

// begun notes that the server answers. If it has seen all that was sent, there is nothing left to ask for.
func (o *openAI) begun(e *openAIEvent, event *Event) {
	o.active[e.Response.ID] = true
	o.asked = ""
	if len(o.unseen) == 0 {
		o.wanted = false
	}
	event.Type, event.TurnID = TurnStart, e.Response.ID
}

// ended tells the end of an answer and starts its calls, or drops them where it did not complete.
func (o *openAI) ended(e *openAIEvent) (received, error) {
	response := &e.Response
	delete(o.active, response.ID)
	r := received{}
	listed := map[string]bool{}
	var calls []*call
	for i := range response.Output {
		item := &response.Output[i]
		if item.Type != callItem {
			continue
		}
		w := o.writer(response.ID, item.CallID, item.ID)
		if w == nil {
			continue
		}
		o.learn(w, item)
		listed[w.id] = w.complete
	}
	completed := response.Status == Completed || response.Status == ""
	var messages []any
	var rest []*written
	for _, w := range o.writing {
		if w.responseID != response.ID {
			rest = append(rest, w)
			continue
		}
		r.events = append(r.events, w.news(true)...)
		if completed && w.complete {
			calls = append(calls, w.call())
			continue
		}
		r.events = append(r.events, dropped(w.id, w.name, w.complete)...)
		if listed[w.id] { // it stands in the conversation: the model must know that nothing came of it
			text, _ := encode(map[string]string{"error": "the answer was cut off, and the call did not run"}) // a string always encodes
			messages = append(messages, o.output(w.providerID, string(text)))
		}
	}
	if len(calls) > 0 {
		r.group = &group{calls: calls}
	}
	o.writing = rest
	r.events = append(r.events, turnEnd(response)...)
	messages = append(messages, o.ask()...)
	var err error
	r.frames, err = encodeAll(messages...)
	return r, err
}

func turnEnd(response *openAIResponse) []Event {
	end := Event{Type: TurnEnd, TurnID: response.ID, Status: response.Status, Reason: response.StatusDetails.Reason}
	if end.Status == "" {
		end.Status = Completed
	}
	if failure := response.StatusDetails.Error; failure.Message != "" || failure.Code != "" {
		end.Err = &ServerError{Code: failure.Code, Message: failure.Message}
	}
	var events []Event
	if end.Status == Cancelled {
		events = append(events, Event{Type: Interrupted, TurnID: response.ID})
	}
	if u := response.Usage; u != nil {
		events = append(events, Event{Type: TokensUsed, TurnID: response.ID, Usage: &Usage{u.Input, u.Output, u.Total}})
	}
	return append(events, end)
}
