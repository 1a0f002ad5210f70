package realtime

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"callboard/backend/internal/names"
)

func TestGeminiMessagesOfAnyShape(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []string
		want   []string
	}{
		{"several things at once", []string{`{"serverContent":{"modelTurn":{"parts":[{"text":"a"}]},"turnComplete":true},"usageMetadata":{"totalTokenCount":3}}`}, []string{"tokens-used", "text-delta a", "turn-end completed"}},
		{"a part that cannot be read, and one that can", []string{`{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"!"}},{"text":"b"}]}}}`}, []string{"text-delta b", "problem"}},
		{"arguments byte for byte", []string{`{"toolCall":{"functionCalls":[{"id":"1","name":"f","args":{ "n" : 9007199254740993 }}]}}`}, []string{
			"tool-call-start 1 f", `tool-call-delta 1 f { "n" : 9007199254740993 }`, `tool-call-end 1 f { "n" : 9007199254740993 }`, `run f({ "n" : 9007199254740993 })`,
		}},
		{"null for arguments", []string{`{"toolCall":{"functionCalls":[{"id":"1","name":"f","args":null}]}}`}, []string{"tool-call-start 1 f", "tool-call-delta 1 f {}", "tool-call-end 1 f {}", "run f({})"}},
		{"calls without ids, or with one twice", []string{`{"toolCall":{"functionCalls":[{"name":"f"},{"id":"1","name":"f"},{"id":"1","name":"f"}]}}`}, []string{
			"tool-call-start (made) f", "tool-call-delta (made) f {}", "tool-call-end (made) f {}",
			"tool-call-start 1 f", "tool-call-delta 1 f {}", "tool-call-end 1 f {}",
			"tool-call-start (made) f", "tool-call-delta (made) f {}", "tool-call-end (made) f {}", "run f({}) f({}) f({})",
		}},
		{"a cancellation of nothing", []string{`{"toolCallCancellation":{}}`}, nil},
		{"no object", []string{`[]`, `7`, `null`, ``, `{"serverContent":[]}`, `{"toolCall":{"functionCalls":{}}}`}, slices.Repeat([]string{"problem"}, 6)},
		{"an interruption between answers", []string{`{"serverContent":{"interrupted":true}}`, `{"serverContent":{"turnComplete":true}}`}, []string{"interrupted", "turn-end cancelled"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := feed(newGemini(&Config{}, names.New([]string{"f"})), c.frames...); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestSchemasAreCutToWhatGeminiTakes(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{
			"types, descriptions and order", `{"type":"object","properties":{"b":{"type":"string","description":"B"},"a":{"type":"integer"}},"required":["b"],"additionalProperties":false,"$schema":"x","title":"T"}`,
			`{"type":"OBJECT","properties":{"a":{"type":"INTEGER"},"b":{"type":"STRING","description":"B"}},"propertyOrdering":["b","a"],"required":["b"]}`,
		},
		{"bounds", `{"type":"integer","minimum":1,"maximum":9,"exclusiveMinimum":0,"multipleOf":2}`, `{"type":"INTEGER","minimum":1,"maximum":9}`},
		{"of strings", `{"type":"string","minLength":1,"maxLength":3,"pattern":"^a"}`, `{"type":"STRING","minLength":1,"maxLength":3,"pattern":"^a"}`},
		{"of arrays", `{"type":"array","items":{"type":"number"},"minItems":1,"maxItems":2,"uniqueItems":true}`, `{"type":"ARRAY","items":{"type":"NUMBER"},"minItems":1,"maxItems":2}`},
		{"an array of anything", `{"type":"array"}`, `{"type":"ARRAY","items":{"type":"STRING"}}`},
		{"a tuple", `{"type":"array","items":[{"type":"number"}]}`, `{"type":"ARRAY","items":{"type":"STRING"}}`},
		{"a format that is known", `{"type":"string","format":"date-time"}`, `{"type":"STRING","format":"date-time"}`},
		{"one that is not", `{"type":"string","format":"email","description":"Where to."}`, `{"type":"STRING","description":"Where to. Format: email"}`},
		{"a default", `{"type":"integer","default":5}`, `{"type":"INTEGER","description":"Default: 5"}`},
		{"an enum of strings", `{"type":"string","enum":["a","b"]}`, `{"type":"STRING","enum":["a","b"]}`},
		{"with null", `{"enum":["a",null]}`, `{"type":"STRING","nullable":true,"enum":["a"]}`},
		{"of numbers", `{"type":"integer","enum":[1,2]}`, `{"type":"INTEGER","description":"One of: 1, 2"}`},
		{"with an empty string", `{"type":"string","enum":["","b"]}`, `{"type":"STRING","description":"One of: \"\", \"b\""}`},
		{"a const", `{"const":"a"}`, `{"type":"STRING","enum":["a"]}`},
		{"null among the types", `{"type":["string","null"],"minLength":1}`, `{"type":"STRING","nullable":true,"minLength":1}`},
		{"several types", `{"type":["string","integer","array"]}`, `{"anyOf":[{"type":"STRING"},{"type":"INTEGER"},{"type":"ARRAY","items":{"type":"STRING"}}]}`},
		{"a value or null", `{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}],"description":"D"}`, `{"type":"STRING","description":"D","nullable":true,"maxLength":3}`},
		{"one of several", `{"oneOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"STRING"},{"type":"INTEGER"}]}`},
		{
			"all of several", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}}}]}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b":{"type":"STRING"}},"propertyOrdering":["a","b"],"required":["a"]}`,
		},
		{"anything", `{"description":"Any"}`, `{"description":"Any"}`},
		{"true", `{"type":"object","properties":{"a":true}}`, `{"type":"OBJECT","properties":{"a":{}},"propertyOrdering":["a"]}`},
		{"required without a property", `{"type":"object","properties":{},"required":["a"]}`, `{"type":"OBJECT"}`},
		{
			"references", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"Mine"},"b":{"$ref":"#/definitions/B"}},"$defs":{"A":{"type":"string","description":"A"}},"definitions":{"B":{"type":"boolean"}}}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING","description":"Mine"},"b":{"type":"BOOLEAN"}},"propertyOrdering":["a","b"]}`,
		},
		{
			"what holds itself", `{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}}}`,
			`{"type":"OBJECT","properties":{"n":{"type":"OBJECT","properties":{"next":{"type":"OBJECT"}},"propertyOrdering":["next"]}},"propertyOrdering":["n"]}`,
		},
		{"a key twice", `{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"integer"}}}`, `{"type":"OBJECT","properties":{"a":{"type":"INTEGER"}},"propertyOrdering":["a"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			shape, err := shapeForGemini(json.RawMessage(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			text, err := encode(shape)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
	for _, c := range []struct{ name, schema, want string }{
		{"a reference to nowhere", `{"type":"object","properties":{"a":{"$ref":"other.json"}}}`, `a: the reference "other.json" leads nowhere`},
		{"a type that is a number", `{"type":7}`, "a type is neither a name nor a list of names"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := shapeForGemini(json.RawMessage(c.schema)); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestOptionsAreLaidOverObjectByObject(t *testing.T) {
	for _, c := range []struct{ name, under, over, want string }{
		{"beside", `{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`},
		{"over", `{"a":1,"c":3}`, `{"a":2}`, `{"a":2,"c":3}`},
		{"within", `{"a":{"b":1,"c":2}}`, `{"a":{"c":3}}`, `{"a":{"b":1,"c":3}}`},
		{"an object over a number", `{"a":1}`, `{"a":{"b":2}}`, `{"a":{"b":2}}`},
		{"null takes away", `{"a":{"b":1}}`, `{"a":null}`, `{"a":null}`},
		{"big numbers and signs", `{"a":1}`, `{"b":9007199254740993,"c":"<&>"}`, `{"a":1,"b":9007199254740993,"c":"<&>"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := overlay(json.RawMessage(c.under), json.RawMessage(c.over)); err != nil || string(got) != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}
