package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"
)

// LargeValue is the size, in bytes of JSON text, above which a member of an event is stored apart, and need not travel with it.
const LargeValue = 64 << 10

// Ref stands in an event for a large value that did not travel with it: the member "result" is then left out, and "resultRef" is
// there. A reader fetches the value's JSON text as the blob of that hash when it needs it.
type Ref struct {
	Hash  string `json:"hash" jsonschema_description:"Hex SHA-256 of the JSON text"`
	Bytes int64  `json:"bytes"`
	Head  string `json:"head,omitempty" jsonschema_description:"How the text begins, for people"`
}

// HeadLength is how many bytes of a value's text a Ref needs to begin with.
const HeadLength = 256

// RefTo makes a reference to a value; start is its first HeadLength bytes or more.
func RefTo(hash string, size int64, start []byte) *Ref {
	head := start[:min(len(start), HeadLength)]
	for back := 1; back < utf8.UTFMax && back <= len(head); back++ {
		if tail := head[len(head)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				head = head[:len(head)-back]
			}
			break
		}
	}
	return &Ref{Hash: hash, Bytes: size, Head: string(bytes.ToValidUTF8(head, []byte("\uFFFD")))}
}

// RefName is the member that refers to the value of another; ok is false for values that always travel.
func RefName(kind Type, member string) (name string, ok bool) {
	switch {
	case member == "details" && (kind == TypeToolResult || kind == TypeToolUpdate),
		member == "result" && kind == TypeToolResult, member == "content" && kind == TypeToolUpdate:
		return member + "Ref", true
	}
	return "", false
}

// Refer returns an event with references in the place of its large values, and the texts of those.
func Refer(event Event) (referring Event, values map[string][]byte) {
	values = map[string][]byte{}
	refer := func(value *json.RawMessage, ref **Ref) {
		if len(*value) <= LargeValue {
			return
		}
		var text bytes.Buffer
		if json.Compact(&text, *value) != nil || text.Len() <= LargeValue { // as the event is encoded
			return
		}
		sum := sha256.Sum256(text.Bytes())
		hash := hex.EncodeToString(sum[:])
		values[hash] = text.Bytes()
		*value, *ref = nil, RefTo(hash, int64(text.Len()), text.Bytes())
	}
	switch e := event.(type) {
	case *ToolResult:
		r := *e
		refer(&r.Result, &r.ResultRef)
		refer(&r.Details, &r.DetailsRef)
		referring = &r
	case *ToolUpdate:
		u := *e
		refer(&u.Content, &u.ContentRef)
		refer(&u.Details, &u.DetailsRef)
		referring = &u
	default:
		return event, nil
	}
	return referring, values
}

// Refs are the references an event holds.
func Refs(event Event) []*Ref {
	var all []*Ref
	add := func(refs ...*Ref) {
		for _, ref := range refs {
			if ref != nil {
				all = append(all, ref)
			}
		}
	}
	switch e := event.(type) {
	case *ToolResult:
		add(e.ResultRef, e.DetailsRef)
	case *ToolUpdate:
		add(e.ContentRef, e.DetailsRef)
	}
	return all
}

func decodeRef(parent *fields, name string) *Ref {
	f := parent.object(name)
	if f == nil {
		return nil
	}
	ref := &Ref{Hash: f.id("hash"), Bytes: f.integerOr0("bytes"), Head: f.optionalText("head")}
	parent.check(f)
	return ref
}
