package protocol_test

import (
	"os"
	"reflect"
	"regexp"
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
	for _, event := range protocol.Events() {
		kind := string(event.Type())
		if rest, reasoning := strings.CutPrefix(kind, "reasoning"); reasoning && kind != "reasoning-start" {
			kind = rest
		}
		if !words[kind] {
			t.Errorf("the event %s does not stand in PROTOCOL.md", event.Type())
		}
		for _, name := range members(reflect.TypeOf(event).Elem(), map[reflect.Type]bool{}) {
			if !words[name] {
				t.Errorf("%s has the member %q, which does not stand in PROTOCOL.md", event.Type(), name)
			}
		}
	}
}

func TestEventsAreAllThereAre(t *testing.T) {
	source, err := os.ReadFile("events.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, event := range protocol.Events() {
		listed[string(event.Type())] = true
	}
	declared := regexp.MustCompile(`\tType\w+\s+Type = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	for _, m := range declared {
		if !listed[m[1]] {
			t.Errorf("%s is not among them", m[1])
		}
	}
	if len(declared) != len(listed) {
		t.Errorf("%d types are declared, and %d events listed", len(declared), len(listed))
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
