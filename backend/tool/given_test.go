package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/backend/tool"
)

func given(parameters, output string) tool.Config[json.RawMessage, any] {
	c := tool.Config[json.RawMessage, any]{
		Name: "given", Parameters: json.RawMessage(parameters),
		Run: func(_ tool.Context, in json.RawMessage) (any, error) { return in, nil },
	}
	if output != "" {
		c.OutputSchema = json.RawMessage(output)
	}
	return c
}

func TestAGivenSchemaIsWhatTheModelSees(t *testing.T) {
	for name, tc := range map[string]struct{ schema, want string }{
		"in its own order, with its own digits": {
			`{ "type":"object", "properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"const":"<"}}, "required":["z"] }`,
			`{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"const":"<"}},"required":["z"]}`,
		},
		"without $schema, which some providers refuse": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{}}`, `{"type":"object","properties":{}}`,
		},
		"with properties, which some providers want": {`{"type":"object"}`, `{"type":"object","properties":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(define(t, given(tc.schema, "")).Schema().Parameters)
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestArgumentsAreCheckedAgainstAGivenSchema(t *testing.T) {
	d := define(t, given(`{"type":"object","properties":{"n":{"type":"integer","minimum":1},"to":{"type":["string","null"]},
		"mail":{"type":"string","pattern":"^(?!\\.)x"},"when":{"type":"string","format":"date-time"}},"required":["n"],"additionalProperties":false}`, ""))
	refused(t, d, `{}`, "at '': missing property 'n'")
	refused(t, d, `{"n":0}`, "at '/n': minimum: got 0, want 1")
	refused(t, d, `{"n":1,"m":2}`, "additional properties 'm' not allowed")
	refused(t, d, `{"n":1,"n":2}`, "comes twice")
	refused(t, d, `{"n":1,"when":"soon"}`, "'soon' is not valid date-time")
	const text = `{"n":2512292042121000001,"to":null,"mail":"of a pattern Go cannot read"}`
	result := mustPrepare(t, d, text).Run(tool.Context{})
	if result.Err != nil || string(result.Content) != text {
		t.Errorf("got %s, %v, want the arguments byte for byte", result.Content, result.Err)
	}
}

func TestContentIsCheckedAgainstAGivenSchema(t *testing.T) {
	d := define(t, given(`{"type":"object"}`, `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	if got := string(d.OutputSchema()); got != `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}` {
		t.Errorf("got the output schema %s, want the given one", got)
	}
	if result := mustPrepare(t, d, `{"n":1}`).Run(tool.Context{}); result.Err != nil {
		t.Errorf("got %v, want a content that fits", result.Err)
	}
	result := mustPrepare(t, d, `{"n":"one"}`).Run(tool.Context{})
	if result.Err == nil || !strings.Contains(result.Err.Error(), "at '/n': got string, want integer") {
		t.Errorf("got %v, want an error that names the path", result.Err)
	}
}

func TestAGivenSchemaThatCannotWorkIsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ schema, output, want string }{
		"no JSON":                   {`{"type":`, "", "read the schema"},
		"no schema":                 {`{"type":"object","properties":{"a":{"type":"text"}}}`, "", "compile the schema"},
		"no object":                 {`{"type":"array"}`, "", `its type is not "object"`},
		"a reference to nowhere":    {`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}`, "", "compile the schema"},
		"a reference to a file":     {`{"type":"object","properties":{"a":{"$ref":"file:///etc/hostname"}}}`, "", "nothing is loaded from outside it"},
		"a reference to an address": {`{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1/a"}}}`, "", "nothing is loaded from outside it"},
		"an output that is none":    {`{"type":"object"}`, `{"type":7}`, "output: compile the schema"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tool.Define(given(tc.schema, tc.output))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
	_, err := tool.Define(tool.Config[weatherArgs, any]{
		Name: "given", Parameters: json.RawMessage(`{"type":"object"}`),
		Run: func(tool.Context, weatherArgs) (any, error) { return nil, nil },
	})
	if err == nil || !strings.Contains(err.Error(), "takes a json.RawMessage or a map") {
		t.Errorf("got %v, want a struct refused", err)
	}
}
