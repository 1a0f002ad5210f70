package tool_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"callboard/backend/tool"
)

type level string

type mailboxes struct{}

func (mailboxes) JSONSchema() *jsonschema.Schema {
	email := &jsonschema.Schema{Type: "string", Format: "email"}
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{email, {Type: "array", Items: email}}}
}

func (*mailboxes) UnmarshalJSON([]byte) error { return nil }

type constant struct{}

func (*constant) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Const: "on"} }

func (*constant) UnmarshalJSON([]byte) error { return nil }

type temperature struct{ degrees int }

func (t *temperature) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%d°", &t.degrees)
	return err
}

type node struct {
	Value    int     `json:"value"`
	Children []*node `json:"children,omitempty" jsonschema_description:"Below it"`
	Parent   *node   `json:"parent,omitempty"`
}

type byName map[string]byName

type base struct {
	ID int64 `json:"id"`
}

type pair[T any] struct {
	Next *pair[T] `json:"next"`
}

func TestSchemaComesFromTheGoType(t *testing.T) {
	for name, tc := range map[string]struct {
		tool *tool.Tool
		want string
	}{
		"the seed's example": {probe[struct {
			City  string `json:"city" jsonschema_description:"City name"`
			Units string `json:"units" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
		}](t), `{"properties":{"city":{"type":"string","description":"City name"},"units":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"}},"type":"object","required":["city"]}`},
		"no arguments": {probe[struct{}](t), `{"properties":{},"type":"object"}`},
		"raw JSON":     {probe[json.RawMessage](t), `{"properties":{},"type":"object"}`},
		"a map":        {probe[map[string]any](t), `{"properties":{},"type":"object"}`},
		"what may be left out": {probe[struct {
			Plain   int  `json:"plain"`
			Empty   int  `json:"empty,omitempty"`
			Zero    int  `json:"zero,omitzero"`
			Pointer *int `json:"pointer"`
			Asked   *int `json:"asked" jsonschema:"required"`
			Never   int  `json:"-"`
		}](t), `{"properties":{"plain":{"type":"integer"},"empty":{"type":"integer"},"zero":{"type":"integer"},"pointer":{"type":"integer"},"asked":{"type":"integer"}},"type":"object","required":["plain","asked"]}`},
		"commas in a description": {probe[struct {
			A string `json:"a" jsonschema_description:"one, two, and <three>"`
			B string `json:"b" jsonschema:"pattern=^a{1\\,2}$"`
		}](t), `{"properties":{"a":{"type":"string","description":"one, two, and <three>"},"b":{"type":"string","pattern":"^a{1,2}$"}},"type":"object","required":["a","b"]}`},
		"anything at all": {probe[struct {
			A any                        `json:"a"`
			B json.RawMessage            `json:"b" jsonschema_description:"The body"`
			C []any                      `json:"c"`
			D map[string]any             `json:"d"`
			E map[string]json.RawMessage `json:"e"`
		}](t), `{"properties":{"a":{"description":"Any JSON value."},"b":{"description":"The body"},"c":{"items":{"description":"Any JSON value."},"type":"array"},"d":{"properties":{},"type":"object"},"e":{"properties":{},"type":"object"}},"type":"object","required":["a","b","c","d","e"]}`},
		"null beside a value": {probe[struct {
			A string `json:"a" jsonschema:"nullable,default=x" jsonschema_description:"May be null"`
			B *int   `json:"b" jsonschema:"nullable,required,minimum=1"`
		}](t), `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"May be null","default":"x"},"b":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]}},"type":"object","required":["b"]}`},
		"unions": {probe[struct {
			A any       `json:"a" jsonschema:"oneof_type=string;integer"`
			B mailboxes `json:"b"`
			C constant  `json:"c"`
		}](t), `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]},"b":{"anyOf":[{"type":"string","format":"email"},{"items":{"type":"string","format":"email"},"type":"array"}]},"c":{"enum":["on"]}},"type":"object","required":["a","b","c"]}`},
		"types with a text of their own": {probe[struct {
			A time.Time   `json:"a"`
			B netip.Addr  `json:"b" jsonschema:"format=ipv4"`
			C temperature `json:"c"`
			D big.Int     `json:"d"`
			E json.Number `json:"e"`
			F level       `json:"f"`
			G []byte      `json:"g"`
			H uint8       `json:"h"`
			I int64       `json:"i,string"`
		}](t), `{"properties":{"a":{"type":"string","format":"date-time"},"b":{"type":"string","format":"ipv4"},"c":{"type":"string"},"d":{"type":"integer"},"e":{"type":"number"},"f":{"type":"string"},"g":{"type":"string","contentEncoding":"base64"},"h":{"type":"integer","minimum":0},"i":{"type":"string"}},"type":"object","required":["a","b","c","d","e","f","g","h","i"]}`},
		"defaults of every kind": {probe[struct {
			A int64          `json:"a" jsonschema:"default=2512292042121000001"`
			B bool           `json:"b" jsonschema:"default=false"`
			C []int          `json:"c" jsonschema:"default=1,default=2"`
			D []string       `json:"d" jsonschema:"default=[\"x\\,y\"]"`
			E map[string]int `json:"e" jsonschema:"default={\"k\":1}"`
			F base           `json:"f" jsonschema:"default={\"id\":7}"`
			G *float64       `json:"g" jsonschema:"default=1.50"`
			H string         `json:"h" jsonschema:"default="`
		}](t), `{"properties":{"a":{"type":"integer","default":2512292042121000001},"b":{"type":"boolean","default":false},"c":{"items":{"type":"integer"},"type":"array","default":[1,2]},"d":{"items":{"type":"string"},"type":"array","default":["x,y"]},"e":{"additionalProperties":{"type":"integer"},"type":"object","default":{"k":1}},"f":{"properties":{"id":{"type":"integer"}},"type":"object","required":["id"],"default":{"id":7}},"g":{"type":"number","default":1.50},"h":{"type":"string","default":""}},"type":"object"}`},
		"embedded and nested": {probe[struct {
			base
			In []struct {
				N int `json:"n" jsonschema:"minimum=0"`
			} `json:"in" jsonschema:"minItems=1"`
			ByID map[int]string `json:"byId"`
			Four [4]bool        `json:"four"`
		}](t), `{"properties":{"id":{"type":"integer"},"in":{"items":{"properties":{"n":{"type":"integer","minimum":0}},"type":"object","required":["n"]},"type":"array","minItems":1},"byId":{"additionalProperties":{"type":"string"},"type":"object"},"four":{"items":{"type":"boolean"},"type":"array","maxItems":4,"minItems":4}},"type":"object","required":["id","in","byId","four"]}`},
		"a type that holds itself": {
			probe[node](t),
			`{"$defs":{"node":{"properties":{"value":{"type":"integer"},"children":{"items":{"$ref":"#/$defs/node"},"type":"array","description":"Below it"},"parent":{"$ref":"#/$defs/node"}},"type":"object","required":["value"]}},` +
				`"properties":{"value":{"type":"integer"},"children":{"items":{"$ref":"#/$defs/node"},"type":"array","description":"Below it"},"parent":{"$ref":"#/$defs/node"}},"type":"object","required":["value"]}`,
		},
		"a map that holds itself": {probe[struct {
			Tree byName `json:"tree" jsonschema_description:"The tree"`
		}](t), `{"$defs":{"byName":{"additionalProperties":{"$ref":"#/$defs/byName"},"type":"object"}},"properties":{"tree":{"anyOf":[{"$ref":"#/$defs/byName"}],"description":"The tree"}},"type":"object","required":["tree"]}`},
		"a generic type that holds itself": {probe[struct {
			P pair[base] `json:"p"`
		}](t), `{"$defs":{"pair_callboard_backend_tool_test_base_":{"properties":{"next":{"$ref":"#/$defs/pair_callboard_backend_tool_test_base_"}},"type":"object"}},"properties":{"p":{"$ref":"#/$defs/pair_callboard_backend_tool_test_base_"}},"type":"object","required":["p"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(tc.tool.Schema().Parameters)
			if diff := cmp.Diff(indent(t, tc.want), indent(t, got)); diff != "" {
				t.Errorf("parameters (-want +got):\n%s\n%s", diff, got)
			}
			var tree any
			if err := json.Unmarshal([]byte(got), &tree); err != nil {
				t.Fatal(err)
			}
			checkPortable(t, tree, "")
		})
	}
}

// checkPortable finds what some OpenAI-compatible servers refuse.
func checkPortable(t *testing.T, schema any, at string) {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("at %q: got the schema %v, want an object", at, schema)
		return
	}
	for _, keyword := range []string{"oneOf", "const", "$schema", "$id", "patternProperties", "not"} {
		if _, ok := s[keyword]; ok {
			t.Errorf("at %q: got %s, want none", at, keyword)
		}
	}
	if _, isList := s["type"].([]any); isList {
		t.Errorf("at %q: got an array of types, want none", at)
	}
	if len(s) == 0 {
		t.Errorf("at %q: got an empty schema, want at least a description", at)
	}
	if _, ok := s["$ref"]; ok && len(s) > 1 {
		t.Errorf("at %q: got keywords beside $ref, want none: %v", at, s)
	}
	for _, keyword := range []string{"properties", "$defs"} {
		below, _ := s[keyword].(map[string]any)
		for name, property := range below {
			checkPortable(t, property, at+"/"+keyword+"/"+name)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if below, ok := s[keyword]; ok {
			checkPortable(t, below, at+"/"+keyword)
		}
	}
	anyOf, _ := s["anyOf"].([]any)
	for _, below := range anyOf {
		checkPortable(t, below, at+"/anyOf")
	}
}

func indent(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTypesOfOneNameKeepApart(t *testing.T) {
	type Tree struct {
		Right *Tree `json:"right,omitempty"`
	}
	type other = Tree
	var p *tool.Tool
	{
		type Tree struct {
			Left *Tree `json:"left,omitempty"`
		}
		p = probe[struct {
			Mine  *Tree  `json:"mine"`
			Other *other `json:"other"`
		}](t)
	}
	var s struct {
		Defs map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(p.Schema().Parameters, &s); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Defs["Tree"].Properties["left"]; !ok {
		t.Errorf("got Tree %v, want it to have left", s.Defs["Tree"])
	}
	if _, ok := s.Defs["Tree2"].Properties["right"]; !ok {
		t.Errorf("got Tree2 %v, want it to have right", s.Defs["Tree2"])
	}
	mustPrepare(t, p, `{"mine":{"left":{"left":{}}},"other":{"right":{}}}`)
	refused(t, p, `{"mine":{"left":{"left":1}}}`, "at '/mine/left/left': got number, want object")
}

func TestOutputSchemaDescribesContent(t *testing.T) {
	for name, tc := range map[string]struct {
		tool *tool.Tool
		want string // empty for none
	}{
		"text":             {define(t, tool.Config[none, string]{Run: func(tool.Context, none) (o string, err error) { return }}), `{"type":"string"}`},
		"a struct":         {define(t, tool.Config[none, weather]{Run: func(tool.Context, none) (o weather, err error) { return }}), `{"properties":{"city":{"type":"string"},"degrees":{"type":"integer"}},"type":"object","required":["city","degrees"]}`},
		"a split result":   {define(t, tool.Config[none, tool.Output[weather]]{Run: func(tool.Context, none) (o tool.Output[weather], err error) { return }}), `{"properties":{"city":{"type":"string"},"degrees":{"type":"integer"}},"type":"object","required":["city","degrees"]}`},
		"behind a pointer": {define(t, tool.Config[none, *tool.Output[string]]{Run: func(tool.Context, none) (o *tool.Output[string], err error) { return }}), `{"type":"string"}`},
		"lists may be nil": {define(t, tool.Config[none, tool.Output[struct {
			A []string `json:"a" jsonschema_description:"Names"`
			B []string `json:"b,omitempty"`
			C *int     `json:"c"`
		}]]{Run: func(tool.Context, none) (o tool.Output[struct {
			A []string `json:"a" jsonschema_description:"Names"`
			B []string `json:"b,omitempty"`
			C *int     `json:"c"`
		}], err error,
		) {
			return
		}}), `{"properties":{"a":{"anyOf":[{"items":{"type":"string"},"type":"array"},{"type":"null"}],"description":"Names"},"b":{"items":{"type":"string"},"type":"array"},"c":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"type":"object","required":["a","c"]}`},
		"anything":                    {define(t, tool.Config[none, any]{Run: func(tool.Context, none) (o any, err error) { return }}), ""},
		"anything, split":             {define(t, tool.Config[none, tool.Output[any]]{Run: func(tool.Context, none) (o tool.Output[any], err error) { return }}), ""},
		"raw JSON":                    {define(t, tool.Config[none, json.RawMessage]{Run: func(tool.Context, none) (o json.RawMessage, err error) { return }}), ""},
		"a type that marshals itself": {define(t, tool.Config[none, big.Float]{Run: func(tool.Context, none) (o big.Float, err error) { return }}), `{"type":"string"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(tc.tool.OutputSchema())
			if tc.want == "" || got == "" {
				if got != tc.want {
					t.Errorf("got %s, want %s", got, tc.want)
				}
				return
			}
			if diff := cmp.Diff(indent(t, tc.want), indent(t, got)); diff != "" {
				t.Errorf("output schema (-want +got):\n%s", diff)
			}
		})
	}
}
