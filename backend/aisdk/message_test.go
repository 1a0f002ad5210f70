package aisdk_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"callboard/backend/aisdk"
)

// A message that is made here of a run that has ended is the one the AI SDK reads of its stream.
func TestAMessageIsTheOneTheAISDKReads(t *testing.T) {
	all := map[string][]json.RawMessage{}
	messages := map[string]*aisdk.Message{}
	for name, frames := range logs(t) {
		if name == "lossless" {
			continue // it has numbers that JavaScript rounds
		}
		chunks := chunksOf(frames, true)
		m := &aisdk.Message{Role: "assistant", Parts: []*aisdk.Part{}}
		for _, c := range chunks {
			m.Add(c)
		}
		messages[name], all[name] = m, []json.RawMessage{}
		for line := range strings.Lines(lines(t, chunks)) {
			all[name] = append(all[name], json.RawMessage(line))
		}
	}
	stdin, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]struct{ Message map[string]any }
	if err := json.Unmarshal(node(t, stdin, "read.mjs"), &read); err != nil {
		t.Fatal(err)
	}
	for name, m := range messages {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			want := read[name].Message
			for _, message := range []map[string]any{got, want} {
				delete(message, "role")
				forgetOpenInput(message)
			}
			if len(m.Parts) > 0 && !reflect.DeepEqual(got, want) {
				wanted, _ := json.Marshal(want)
				text, _ = json.Marshal(got)
				t.Errorf("got\n%s\nwant\n%s", text, wanted)
			}
		})
	}
}

// forgetOpenInput takes out arguments that are being written: they are the client's to guess.
func forgetOpenInput(message map[string]any) {
	parts, _ := message["parts"].([]any)
	for _, part := range parts {
		if p, _ := part.(map[string]any); p["state"] == "input-streaming" {
			delete(p, "input")
		}
	}
}
