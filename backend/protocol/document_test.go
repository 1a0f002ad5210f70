package protocol_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"callboard/backend/protocol"
)

func TestEveryEventAndMemberStandsInTheDocument(t *testing.T) {
	document, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, word := range strings.FieldsFunc(string(document), func(r rune) bool {
		return r != '-' && (r < 'A' || 'Z' < r) && (r < 'a' || 'z' < r)
	}) {
		words[word] = true
	}
	// The document writes the parts of reasoning as `reasoning-start` `-delta` `-end`: "like text".
	for _, event := range []protocol.Event{
		&protocol.Start{}, &protocol.Message{}, &protocol.Turn{}, &protocol.TextStart{}, &protocol.TextDelta{}, &protocol.TextEnd{},
		&protocol.ReasoningStart{}, &protocol.ToolCallStart{}, &protocol.ToolCallDelta{}, &protocol.ToolCallEnd{}, &protocol.ToolUpdate{},
		&protocol.CallState{}, &protocol.ToolResult{}, &protocol.ApprovalRequired{}, &protocol.Error{}, &protocol.Finish{},
	} {
		if !words[string(event.Type())] {
			t.Errorf("the event %s does not stand in PROTOCOL.md", event.Type())
		}
		for _, name := range members(reflect.TypeOf(event).Elem(), map[reflect.Type]bool{}) {
			if !words[name] {
				t.Errorf("%s has the member %q, which does not stand in PROTOCOL.md", event.Type(), name)
			}
		}
	}
}

// members are the JSON names of a struct and of the structs in it.
func members(of reflect.Type, seen map[reflect.Type]bool) (names []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return nil
	}
	seen[of] = true
	for i := range of.NumField() {
		field := of.Field(i)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
		names = append(names, members(field.Type, seen)...)
	}
	return names
}
