package tool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/backend/tool"
)

func mustPrepare(t *testing.T, p *tool.Tool, text string) *tool.Call {
	t.Helper()
	c, err := p.Prepare(text)
	if err != nil {
		t.Fatalf("prepare %s: %v", text, err)
	}
	return c
}

// refused checks that a text is refused with a message that begins as every such message does and holds want.
func refused(t *testing.T, p *tool.Tool, text, want string) {
	t.Helper()
	_, err := p.Prepare(text)
	var coded *tool.Error
	if !errors.As(err, &coded) {
		t.Fatalf("prepare %s: got %v, want an *Error", text, err)
	}
	if coded.Code != tool.CodeInvalidArgs {
		t.Errorf("got code %s, want %s", coded.Code, tool.CodeInvalidArgs)
	}
	if got := coded.Message; !strings.HasPrefix(got, "Invalid arguments: ") || !strings.Contains(got, want) {
		t.Errorf("prepare %s: got %q, want %q in it", text, got, "Invalid arguments: …"+want)
	}
	if strings.Contains(coded.Message, "\n") || strings.Contains(coded.Message, "urn:tool") {
		t.Errorf("got %q, want one line without the schema's name", coded.Message)
	}
}

// received is what the tool got of an argument text, as JSON.
func received(t *testing.T, p *tool.Tool, text string) string {
	t.Helper()
	r := mustPrepare(t, p, text).Run(tool.Context{Context: t.Context()})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return string(r.Content)
}

func TestArgumentsOfTheWrongShapeAreRefused(t *testing.T) {
	type inner struct {
		B []int `json:"b"`
	}
	weather := define(t, weatherConfig())
	nested := probe[struct {
		A inner             `json:"a"`
		M map[string]string `json:"m,omitempty"`
		T *time.Time        `json:"t,omitempty"`
		S int8              `json:"s,omitempty"`
		L []inner           `json:"l,omitempty"`
		R []byte            `json:"r,omitempty"`
	}](t)
	anything := probe[map[string]any](t)
	for name, tc := range map[string]struct {
		tool *tool.Tool
		text string
		want string
	}{
		"nothing where something is required":  {weather, ``, "at '': missing property 'city'"},
		"blank text":                           {weather, " \n", "at '': missing property 'city'"},
		"an array":                             {weather, `[]`, "at '': got array, want object"},
		"a number":                             {weather, `1`, "at '': got number, want object"},
		"a string":                             {weather, `"x"`, "at '': got string, want object"},
		"true":                                 {weather, `true`, "at '': got boolean, want object"},
		"null":                                 {weather, `null`, "at '': got null, want object"},
		"JSON inside a string":                 {weather, `"{\"city\":\"x\"}"`, "at '': got string, want object"},
		"a wrong type":                         {weather, `{"city":7}`, "at '/city': got number, want string"},
		"null for a string":                    {weather, `{"city":null}`, "at '/city': got null, want string"},
		"two mistakes at once":                 {weather, `{"city":"","days":0}`, "at '/city': minLength: got 0, want 1; at '/days': minimum: got 0, want 1"},
		"no such choice":                       {weather, `{"city":"x","units":"kelvin"}`, "at '/units': value must be one of 'celsius', 'fahrenheit'"},
		"deep inside":                          {nested, `{"a":{"b":[1,"x"]}}`, "at '/a/b/1': got string, want integer"},
		"missing deep inside":                  {nested, `{"a":{}}`, "at '/a': missing property 'b'"},
		"a bad format":                         {nested, `{"a":{"b":[]},"t":"soon"}`, "at '/t': 'soon' is not valid date-time"},
		"a value of a map":                     {nested, `{"a":{"b":[]},"m":{"x/y":1}}`, "at '/m/x~1y': got number, want string"},
		"a number too large for its Go type":   {nested, `{"a":{"b":[]},"s":300}`, "at '/s': number 300 does not fit int8"},
		"a broken number for an integer":       {nested, `{"a":{"b":[1.5]}}`, "at '/a/b/0': got number, want integer"},
		"bad base64":                           {nested, `{"a":{"b":[]},"r":"%%"}`, "at '/r'"},
		"20 digits for an int64":               {weather, `{"city":"x","days":99999999999999999999}`, "at '/days'"},
		"a number beyond all bounds":           {anything, `{"n":1e999999999}`, "at '/n': number 1e999999999 is out of range"},
		"two objects":                          {anything, `{}{"a":1}`, `not valid JSON: after the first value comes {"a":1} at byte 2`},
		"two objects with a line between them": {weather, "{\"city\":\"x\"}\n{\"city\":\"y\"}", `after the first value comes {"city":"y"}`},
		"a comma at the end":                   {anything, `{"a":1,}`, "expected a property name in quotes at byte 7"},
		"half an object":                       {anything, `{"a":`, "it ends too early at byte 5"},
		"half a string":                        {anything, `{"a":"b`, "it ends too early"},
		"half an escape":                       {anything, `{"a":"\`, "it ends too early"},
		"a bad escape":                         {anything, `{"a":"\x"}`, "a string with a bad escape at byte 5"},
		"a line feed in a string":              {anything, "{\"a\":\"\n\"}", "a control character in a string at byte 6"},
		"a leading zero":                       {anything, `{"a":01}`, "expected , or } in an object at byte 6"},
		"a number without digits":              {anything, `{"a":-}`, "a bad number"},
		"a number that ends in a point":        {anything, `{"a":1.}`, "a bad number"},
		"a word":                               {anything, `{"a":nul}`, `expected a value, found "nul}"`},
		"Python":                               {anything, `{'a':None}`, "expected a property name in quotes"},
		"a missing colon":                      {anything, `{"a" 1}`, "expected : after a property name"},
		"an array without commas":              {anything, `{"a":[1 2]}`, "expected , or ] in an array"},
		"a key twice":                          {anything, `{"a":1,"a":2}`, "at '': property 'a' comes twice"},
		"a key twice, once escaped":            {anything, `{"a":1,"\u0061":2}`, "property 'a' comes twice"},
		"a key twice deep inside":              {anything, `{"x":[{"a":1,"a":1}]}`, "at '/x/0': property 'a' comes twice"},
		"a key twice among many":               {anything, manyKeys(40, `"k39":1`), "property 'k39' comes twice"},
		"a key in another case":                {anything, `{"path":"safe","PATH":"/etc"}`, "properties 'path' and 'PATH' differ only in case"},
		"a key in another case among many":     {anything, manyKeys(40, `"K0":1`), "properties 'k0' and 'K0' differ only in case"},
		"a Kelvin sign for a k":                {anything, "{\"k\":1,\"\u212a\":2}", "differ only in case"},
		"a field in another case":              {weather, `{"city":"x","City":"y"}`, "at '': property 'City' is written 'city'"},
		"a field in another case alone":        {weather, `{"city":"x","UNITS":"celsius"}`, "at '': property 'UNITS' is written 'units'"},
		"too deep":                             {anything, `{"a":` + strings.Repeat("[", 10_001), "nested deeper than 1000 levels"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, tc.tool, tc.text, tc.want) })
	}
}

func manyKeys(n int, last string) string {
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	return b.String() + last + "}"
}

func TestArgumentsReachTheToolAsTheyWere(t *testing.T) {
	type input struct {
		ID   int64           `json:"id,omitempty"`
		Num  json.Number     `json:"num,omitempty"`
		Raw  json.RawMessage `json:"raw,omitempty"`
		Any  any             `json:"any,omitempty"`
		Text string          `json:"text,omitempty"`
		Map  map[string]any  `json:"map,omitempty"`
		Ints []uint16        `json:"ints,omitempty"`
	}
	p, loose, raw := probe[input](t), probe[map[string]any](t), probe[json.RawMessage](t)
	for name, tc := range map[string]struct {
		tool *tool.Tool
		text string
		want string
	}{
		"nothing is an empty object":         {p, ``, `{}`},
		"blank text is an empty object":      {raw, " \t\r\n", `{}`},
		"19 digits in an int64":              {p, `{"id":2512292042121000001}`, `{"id":2512292042121000001}`},
		"19 digits in a json.Number":         {p, `{"num":2512292042121000001}`, `{"num":2512292042121000001}`},
		"19 digits in an any":                {p, `{"any":[2512292042121000001]}`, `{"any":[2512292042121000001]}`},
		"19 digits in a map":                 {loose, `{"id":2512292042121000001}`, `{"id":2512292042121000001}`},
		"digits as they are in raw JSON":     {p, `{"raw":{"z":1.0,"a":1e400,"n":2512292042121000001}}`, `{"raw":{"z":1.0,"a":1e400,"n":2512292042121000001}}`},
		"a whole input of raw JSON":          {raw, `{"z":1.0,"a":1e400}`, `{"z":1.0,"a":1e400}`},
		"a number any cannot hold":           {p, `{"any":1e400}`, `{"any":1e400}`},
		"1.0 for an integer is 1":            {p, `{"id":1.0,"ints":[2e2, 30.00e-1]}`, `{"id":1,"ints":[200,3]}`},
		"a string of JSON stays a string":    {p, `{"text":"{\"a\":1}"}`, `{"text":"{\"a\":1}"}`},
		"a NUL stays":                        {p, `{"text":"a\u0000b"}`, `{"text":"a\u0000b"}`},
		"angle brackets are not escaped":     {p, `{"text":"a<b&&c"}`, `{"text":"a<b&&c"}`},
		"a pair of surrogates":               {p, `{"text":"\ud83d\ude42"}`, `{"text":"🙂"}`},
		"a prototype is data":                {loose, `{"__proto__":{"admin":true},"constructor":1}`, `{"__proto__":{"admin":true},"constructor":1}`},
		"what the schema does not name":      {p, `{"id":1,"why":"because"}`, `{"id":1}`},
		"a thousand levels":                  {raw, `{"a":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`, `{"a":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`},
		"white space around":                 {p, "\n {\t\"id\" :\r\n 7 } ", `{"id":7}`},
		"many keys":                          {probe[map[string]int](t), `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14}`, `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14}`},
		"the same key in different objects":  {loose, `{"a":{"a":{"A":1}}}`, `{"a":{"a":{"A":1}}}`},
		"the long s is the same letter as s": {loose, `{"x":"ſ"}`, `{"x":"ſ"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := received(t, tc.tool, tc.text); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestDefaultsArePutIn(t *testing.T) {
	type inner struct {
		N int    `json:"n" jsonschema:"default=5"`
		S string `json:"s" jsonschema:"default=a<b"`
	}
	type list struct {
		Next *list `json:"next,omitempty"`
		N    int   `json:"n" jsonschema:"default=3"`
	}
	p := probe[struct {
		A int              `json:"a" jsonschema:"default=1"`
		B inner            `json:"b,omitempty"`
		C []inner          `json:"c,omitempty"`
		D map[string]inner `json:"d,omitempty"`
		E *bool            `json:"e" jsonschema:"default=true"`
		F []string         `json:"f" jsonschema:"default=x,default=y"`
		G *list            `json:"g,omitempty"`
		H int64            `json:"h,string" jsonschema:"default=9"`
		I *int             `json:"i" jsonschema:"nullable,default=4"`
	}](t)
	const rest = `"e":true,"f":["x","y"],"h":"9","i":4}`
	for name, tc := range map[string]struct{ text, want string }{
		"all of them":                    {``, `{"a":1,"b":{"n":0,"s":""},` + rest},
		"not those that are given":       {`{"a":0,"e":false,"f":[],"h":"8","i":5}`, `{"a":0,"b":{"n":0,"s":""},"e":false,"f":[],"h":"8","i":5}`},
		"null is given, where it may be": {`{"i":null}`, `{"a":1,"b":{"n":0,"s":""},"e":true,"f":["x","y"],"h":"9","i":null}`},
		"in an object":                   {`{"b":{"n":7}}`, `{"a":1,"b":{"n":7,"s":"a<b"},` + rest},
		"in an empty object":             {`{"b":{}}`, `{"a":1,"b":{"n":5,"s":"a<b"},` + rest},
		"in the objects of a list":       {`{"c":[{"n":1},{}, {"s":""}]}`, `{"a":1,"b":{"n":0,"s":""},"c":[{"n":1,"s":"a<b"},{"n":5,"s":"a<b"},{"n":5,"s":""}],` + rest},
		"in the objects of a map":        {`{"d":{"k":{ }}}`, `{"a":1,"b":{"n":0,"s":""},"d":{"k":{"n":5,"s":"a<b"}},` + rest},
		"in a type that holds itself":    {`{"g":{"next":{"next":{"n":1}}}}`, `{"a":1,"b":{"n":0,"s":""},"e":true,"f":["x","y"],"g":{"next":{"next":{"n":1},"n":3},"n":3},"h":"9","i":4}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := received(t, p, tc.text); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

type span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

func (s *span) Validate() error {
	switch {
	case s.To == 13:
		panic("unlucky")
	case s.To < s.From:
		return fmt.Errorf("at '/to': %d is before %d", s.To, s.From)
	}
	return nil
}

type touchy struct{}

func (*touchy) UnmarshalJSON([]byte) error { panic("do not touch") }

func TestTheInputsOwnCheckRunsLast(t *testing.T) {
	p := probe[span](t)
	mustPrepare(t, p, `{"from":1,"to":2}`)
	refused(t, p, `{"from":3,"to":2}`, "at '/to': 2 is before 3")
	refused(t, p, `{"from":"a","to":13}`, "at '/from': got string, want integer")
	refused(t, p, `{"from":3,"to":13}`, "reading them panicked: unlucky")
	refused(t, probe[struct {
		T touchy `json:"t"`
	}](t), `{"t":1}`, "reading them panicked: do not touch")
}

func TestALongExplanationIsCut(t *testing.T) {
	p := probe[struct {
		A string `json:"a" jsonschema:"pattern=^a$"`
	}](t)
	_, err := p.Prepare(`{"a":"` + strings.Repeat("é", 100_000) + `"}`)
	if err == nil || len(err.Error()) > 2100 {
		t.Errorf("got an error of %d bytes, want at most 2100", len(err.Error()))
	}
}

func FuzzPrepareAgreesWithEncodingJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"a":[1,2.5e3,{"b":"\u00e9\ud83d"}]}`, `{"a":-0}`, "{\"a\":\"\xff\"}", `[`, `{"a":tru}`, `{"":{}}`, `1`} {
		f.Add(seed)
	}
	raw, err := tool.Define(tool.Config[json.RawMessage, string]{Name: "x", Run: func(tool.Context, json.RawMessage) (string, error) { return "", nil }})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := raw.Prepare(text)
		if err != nil && !strings.Contains(err.Error(), "not valid JSON") {
			return // stricter on purpose: shape, keys, depth, exponents
		}
		if isJSON := json.Valid([]byte(text)) || strings.Trim(text, " \t\r\n") == ""; isJSON != (err == nil) {
			t.Errorf("got %v for %q, encoding/json says %v", err, text, isJSON)
		}
	})
}
