package tool_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/tool"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // panics of tools are logged with their stacks
	goleak.VerifyTestMain(m)
}

type weatherArgs struct {
	City  string   `json:"city" jsonschema:"minLength=1" jsonschema_description:"City name, with its country"`
	Units string   `json:"units" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
	Days  int64    `json:"days,omitempty" jsonschema:"minimum=1,maximum=14"`
	Tags  []string `json:"tags,omitempty"`
}

type weather struct {
	City    string `json:"city"`
	Degrees int    `json:"degrees"`
}

func weatherConfig() tool.Config[weatherArgs, weather] {
	return tool.Config[weatherArgs, weather]{
		Name:        "get_weather",
		Description: "Get current weather for a city",
		Run: func(_ tool.Context, in weatherArgs) (weather, error) {
			return weather{City: in.City, Degrees: 21}, nil
		},
	}
}

// probe defines a tool that gives back what it was given.
func probe[In any](t *testing.T) *tool.Tool {
	t.Helper()
	return define(t, tool.Config[In, any]{
		Name: "probe",
		Run:  func(_ tool.Context, in In) (any, error) { return in, nil },
	})
}

func define[In, Out any](t *testing.T, c tool.Config[In, Out]) *tool.Tool {
	t.Helper()
	if c.Name == "" {
		c.Name = "probe"
	}
	defined, err := tool.Define(c)
	if err != nil {
		t.Fatal(err)
	}
	return defined
}

func TestDeclarationsThatCanNeverWorkFailWhenDeclared(t *testing.T) {
	run := func(tool.Context, none) (string, error) { return "", nil }
	ok := tool.Config[none, string]{Name: "x", Run: run}
	with := func(change func(*tool.Config[none, string])) func() error {
		return func() error {
			c := ok
			change(&c)
			_, err := tool.Define(c)
			return err
		}
	}
	for name, tc := range map[string]struct {
		define func() error
		want   string // empty for none
	}{
		"a plain one is fine":            {with(func(*tool.Config[none, string]) {}), ""},
		"a name with dots and spaces":    {with(func(c *tool.Config[none, string]) { c.Name = "a.b c/é" }), ""},
		"a name of 128 characters":       {with(func(c *tool.Config[none, string]) { c.Name = strings.Repeat("é", 128) }), ""},
		"no name":                        {with(func(c *tool.Config[none, string]) { c.Name = " " }), "no Name"},
		"a name with a line feed":        {with(func(c *tool.Config[none, string]) { c.Name = "a\nb" }), "invisible character U+000A"},
		"a name with a zero-width space": {with(func(c *tool.Config[none, string]) { c.Name = "a\u200bb" }), "invisible character U+200B"},
		"a name with a space at its end": {with(func(c *tool.Config[none, string]) { c.Name = "a " }), "begins or ends with a space"},
		"a name that is not UTF-8":       {with(func(c *tool.Config[none, string]) { c.Name = "a\xff" }), "not UTF-8"},
		"a name of 129 characters":       {with(func(c *tool.Config[none, string]) { c.Name = strings.Repeat("a", 129) }), "longer than 128"},
		"no Run":                         {with(func(c *tool.Config[none, string]) { c.Run = nil }), "no Run"},
		"a negative timeout":             {with(func(c *tool.Config[none, string]) { c.Timeout = -time.Second }), "Timeout is negative"},
		"a length below NoLimit":         {with(func(c *tool.Config[none, string]) { c.MaxResultLength = -2 }), "MaxResultLength is -2"},
		"an unknown side effect":         {with(func(c *tool.Config[none, string]) { c.SideEffects = []tool.SideEffect{"disk"} }), `side effect "disk"`},
		"a presentation without a label": {with(func(c *tool.Config[none, string]) { c.Presentation = &tool.Presentation{Icon: "x"} }), "no Label"},

		"a string as the input":       {in[string](), "string is not a struct"},
		"a pointer as the input":      {in[*none](), "is not a struct"},
		"a map without string keys":   {in[map[int]any](), "is not a struct"},
		"an interface as the input":   {in[any](), "is not a struct"},
		"a struct that is no object":  {in[time.Time](), "is not an object"},
		"a channel field":             {in[struct{ C chan int }](), "JSON has no chan int"},
		"a function field":            {in[struct{ F func() }](), "JSON has no func()"},
		"a complex field":             {in[struct{ C []complex128 }](), "JSON has no complex128"},
		"an interface with methods":   {in[struct{ R io.Reader }](), "no value can be decoded into a io.Reader"},
		"a url.URL":                   {in[struct{ U *url.URL }](), "use a string with format=uri"},
		"a map with bool keys":        {in[struct{ M map[bool]int }](), "JSON has no objects with bool keys"},
		"a struct that embeds itself": {in[Selfish](), "embeds itself"},
		"an alias method":             {in[struct{ A aliased }](), "are not supported"},
		"two fields of one name": {in[struct {
			A int `json:"x"`
			B int `json:"X"`
		}](), `are called "x" and "X"`},
		"an inline field": {in[struct {
			A none `json:",inline"`
		}](), "embed it"},
		"an embedded string nobody can see": {in[struct{ level }](), "is not exported"},
		"a field hidden from the schema alone": {in[struct {
			A int `jsonschema:"-"`
		}](), "hidden from the schema but not from decoding"},
		"a comma in a description": {in[struct {
			A int `jsonschema:"description=one, two"`
		}](), "jsonschema_description"},
		"a misspelt keyword": {in[struct {
			A int `jsonschema:"minimun=1"`
		}](), `"minimun=1" is not understood`},
		"a bound that is not a number": {in[struct {
			A int `jsonschema:"minimum=one"`
		}](), "minimum=one is not a number"},
		"a bound of text on a number": {in[struct {
			A int `jsonschema:"minLength=1"`
		}](), "minLength says nothing about a int"},
		"a pattern that is none": {in[struct {
			A string `jsonschema:"pattern=["`
		}](), "compile the schema"},
		"a default that is not JSON": {in[struct {
			A int `jsonschema:"default=many"`
		}](), `default "many" is not JSON`},
		"a default outside the bounds": {in[struct {
			A int `jsonschema:"default=9,maximum=5"`
		}](), "default 9 does not fit"},
		"a default that is no choice": {in[struct {
			A string `jsonschema:"enum=a,enum=b,default=c"`
		}](), `default "c" does not fit`},
		"a default of another type": {in[struct {
			A map[string]int `jsonschema:"default=[1]"`
		}](), "default [1] does not fit"},
		"a default that does not fit the Go type": {in[struct {
			A int8 `jsonschema:"default=300"`
		}](), "default 300 does not fit"},
		"two defaults": {in[struct {
			A int `jsonschema:"default=1,default=2"`
		}](), "it has 2 defaults"},
		"a required default": {in[struct {
			A int `jsonschema:"required,default=1"`
		}](), "required and has a default"},
		"a channel in the output": {func() error {
			_, err := tool.Define(tool.Config[none, struct{ C chan int }]{Name: "x", Run: func(tool.Context, none) (o struct{ C chan int }, err error) { return }})
			return err
		}, "output: struct { C chan int }.C: JSON has no chan int"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.define()
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("got error %v, want none", err)
			case tc.want != "" && err == nil:
				t.Errorf("got no error, want one with %q", tc.want)
			case tc.want != "" && !strings.Contains(err.Error(), tc.want):
				t.Errorf("got %q, want it to contain %q", err, tc.want)
			case err != nil && !strings.HasPrefix(err.Error(), "define tool "):
				t.Errorf("got %q, want it to say what was tried", err)
			}
		})
	}
}

func in[In any]() func() error {
	return func() error {
		_, err := tool.Define(tool.Config[In, string]{Name: "x", Run: func(tool.Context, In) (string, error) { return "", nil }})
		return err
	}
}

// Selfish is exported, for encoding/json sets no embedded pointer that is not.
type Selfish struct{ *Selfish }

type aliased struct{ A int }

func (aliased) JSONSchemaAlias() any { return "" }

func TestMustPanicsWhereDefineFails(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("got no panic, want one")
		}
	}()
	tool.Must(tool.Config[weatherArgs, string]{Name: "x"})
}

func TestAskingChangesOnlyTheApproval(t *testing.T) {
	declared := tool.Must(tool.Config[struct{}, string]{
		Name: "wait", Approval: tool.Always, Run: func(tool.Context, struct{}) (string, error) { return "ran", nil },
	})
	quiet := declared.Asking(tool.Approval{})
	if quiet.NeedsApproval(`{}`) || !declared.NeedsApproval(`{}`) || !quiet.Asking(tool.Always).NeedsApproval(`{}`) {
		t.Error("the approvals are mixed up")
	}
	if call, err := quiet.Prepare(`{}`); err != nil || quiet.Name != "wait" || call == nil {
		t.Errorf("the tool does not work any more: %v", err)
	}
}

func TestNamedChangesOnlyTheName(t *testing.T) {
	c := weatherConfig()
	c.Timeout = time.Millisecond
	c.Run = func(ctx tool.Context, _ weatherArgs) (weather, error) {
		<-ctx.Done()
		return weather{}, ctx.Err()
	}
	first := define(t, c)
	second, err := first.Named("wetter")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := second.Schema().Name, "wetter"; got != want {
		t.Errorf("got name %q, want %q", got, want)
	}
	if got, want := string(second.Schema().Parameters), string(first.Schema().Parameters); got != want {
		t.Errorf("got parameters %s, want %s", got, want)
	}
	if first.Name != "get_weather" {
		t.Errorf("got first name %q, want it as it was", first.Name)
	}
	if got, want := run(t, second, `{"city":"x"}`).Err.Error(), `Tool "wetter" timed out after 1ms`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := first.Named(""); err == nil {
		t.Error("got no error for an empty name, want one")
	}
}

func TestApprovalIsDecidedFromTheRawArguments(t *testing.T) {
	var heard json.RawMessage
	for name, tc := range map[string]struct {
		approval tool.Approval
		text     string
		want     bool
	}{
		"never, when nothing is declared":  {tool.Approval{}, `{}`, false},
		"always":                           {tool.Always, `{}`, true},
		"when the check says so":           {tool.When(func(a json.RawMessage) bool { heard = a; return true }), "{\"units\" : 1.0}\n", true},
		"not when the check says no":       {tool.When(func(json.RawMessage) bool { return false }), `{}`, false},
		"yes, when the check panics":       {tool.When(func(json.RawMessage) bool { panic("no idea") }), `{}`, true},
		"the check sees what is not JSON":  {tool.When(func(a json.RawMessage) bool { return string(a) == `{"a":` }), `{"a":`, true},
		"the check sees empty text, as is": {tool.When(func(a json.RawMessage) bool { return len(a) == 0 }), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := weatherConfig()
			c.Approval = tc.approval
			if got := define(t, c).NeedsApproval(tc.text); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
	if got, want := string(heard), "{\"units\" : 1.0}\n"; got != want {
		t.Errorf("the check heard %q, want the bytes as sent, %q", got, want)
	}
}
