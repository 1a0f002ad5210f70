package realtime

import (
	"bytes"
	"crypto/rand"
)

// written is a call as the model writes it.
type written struct {
	id         string // its own
	providerID string
	itemID     string
	responseID string
	name       string
	args       []byte
	told       int  // bytes of args told
	complete   bool // args are
	started    bool // its start was told
	ended      bool // its end was told
}

// written reads a message about a call; nil when it is about another kind of item, or says nothing new.
func (o *openAI) written(e *openAIEvent) []Event {
	item := e.Item
	switch e.Type {
	case "response.function_call_arguments.delta":
		item = openAIItem{ID: e.ItemID, Type: callItem, CallID: e.CallID, Status: "in_progress"}
	case "response.function_call_arguments.done":
		item = openAIItem{ID: e.ItemID, Type: callItem, CallID: e.CallID, Name: e.Name, Arguments: e.Arguments}
	case "response.output_item.added":
		item.Status, item.Arguments = "in_progress", ""
	}
	if item.Type != callItem {
		return nil
	}
	w := o.writer(e.ResponseID, item.CallID, item.ID)
	if w == nil {
		return nil
	}
	if !w.complete {
		w.args = append(w.args, e.Delta...)
	}
	o.learn(w, &item)
	return w.news(false)
}

// writer finds the call a message is about, by the call's id or the item's, or begins one. nil is for a call that is past, and for
// one without any id.
func (o *openAI) writer(responseID, callID, itemID string) *written {
	if callID == "" && itemID == "" {
		return nil
	}
	for _, w := range o.writing {
		same := callID != "" && w.providerID == callID || itemID != "" && w.itemID == itemID
		if !same || w.responseID != responseID && responseID != "" && w.responseID != "" {
			continue
		}
		if w.providerID == "" {
			w.providerID = callID
		}
		if w.itemID == "" {
			w.itemID = itemID
		}
		return w
	}
	w := &written{id: callID, providerID: callID, itemID: itemID, responseID: responseID}
	if before, known := o.used[callID]; known && callID != "" {
		if before == responseID {
			return nil
		}
		w.id = "" // the provider gave the id twice
	}
	if w.id == "" {
		w.id = "call_" + rand.Text()
	}
	o.used[w.id], o.used[callID] = responseID, responseID
	o.writing = append(o.writing, w)
	return w
}

// learn takes from an item the call's name and, where the item is complete, the whole of its arguments, which win over the pieces.
func (o *openAI) learn(w *written, item *openAIItem) {
	if w.name == "" {
		w.name = o.names.FromWire(item.Name)
	}
	if w.complete || item.Status != "completed" && item.Status != "" {
		return
	}
	w.complete = true
	switch whole := []byte(item.Arguments); {
	case len(whole) == 0 && len(w.args) == 0:
		w.args = []byte("{}")
	case len(whole) == 0:
	case bytes.HasPrefix(whole, w.args[:w.told]):
		w.args = whole
	default:
		w.args, w.told = whole, len(whole)
	}
}

// news tells what was not told yet: the start once the name is known, or in any case when it is due, then arguments and the end.
func (w *written) news(due bool) []Event {
	var events []Event
	if !w.started {
		if w.name == "" && !due {
			return nil
		}
		w.started = true
		events = append(events, w.event(ToolCallStart))
	}
	if w.told < len(w.args) {
		e := w.event(ToolCallDelta)
		e.Text = string(w.args[w.told:])
		w.told = len(w.args)
		events = append(events, e)
	}
	if w.complete && !w.ended {
		w.ended = true
		e := w.event(ToolCallEnd)
		e.ArgumentsText = string(w.args)
		events = append(events, e)
	}
	return events
}

func (w *written) event(t Type) Event {
	return Event{Type: t, TurnID: w.responseID, ItemID: w.itemID, ToolCallID: w.id, ToolName: w.name}
}

func (w *written) call() *call {
	return &call{id: w.id, providerID: w.providerID, name: w.name, arguments: string(w.args)}
}
