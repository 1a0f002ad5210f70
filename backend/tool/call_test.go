package tool_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/tool"
)

func run(t *testing.T, p *tool.Tool, text string) tool.Result {
	t.Helper()
	return mustPrepare(t, p, text).Run(tool.Context{Context: t.Context()})
}

type none struct{}

func TestAnOutputIsSplitByReader(t *testing.T) {
	own := &tool.Presentation{Label: "Own", Summary: "done"}
	split := tool.Output[any]{Content: weather{City: "Köln <a&b>"}, Details: map[string]any{"n": json.RawMessage(`1.0`)}, Presentation: own}
	for name, tc := range map[string]struct {
		out  any
		want tool.Result
	}{
		"a string is JSON text":               {"a\n\"b\"", tool.Result{Content: json.RawMessage(`"a\n\"b\""`)}},
		"a struct":                            {weather{City: "x", Degrees: 1}, tool.Result{Content: json.RawMessage(`{"city":"x","degrees":1}`)}},
		"nothing is null":                     {nil, tool.Result{Content: json.RawMessage(`null`)}},
		"an Output":                           {split, tool.Result{Content: json.RawMessage(`{"city":"Köln <a&b>","degrees":0}`), Details: json.RawMessage(`{"n":1.0}`), Presentation: own}},
		"an Output behind a pointer":          {&split, tool.Result{Content: json.RawMessage(`{"city":"Köln <a&b>","degrees":0}`), Details: json.RawMessage(`{"n":1.0}`), Presentation: own}},
		"an Output behind a nil pointer":      {(*tool.Output[any])(nil), tool.Result{Content: json.RawMessage(`null`)}},
		"raw JSON keeps its digits":           {json.RawMessage("{\"z\": 1.0,\n\"a\":2512292042121000001}"), tool.Result{Content: json.RawMessage(`{"z":1.0,"a":2512292042121000001}`)}},
		"details that are nil are no details": {tool.Output[string]{Details: (*int)(nil)}, tool.Result{Content: json.RawMessage(`""`)}},
	} {
		t.Run(name, func(t *testing.T) {
			p := define(t, tool.Config[none, any]{Run: func(tool.Context, none) (any, error) { return tc.out, nil }})
			got := run(t, p, ``)
			got.Duration = 0
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFailureSaysWhyAndHasACode(t *testing.T) {
	for name, tc := range map[string]struct {
		run  func(tool.Context, none) (tool.Output[any], error)
		code string
		want string
	}{
		"an error": {func(tool.Context, none) (o tool.Output[any], err error) {
			return o, fmt.Errorf("read x: %w", fs.ErrNotExist)
		}, tool.CodeExecutionFailed, "read x: file does not exist"},
		"an error without words": {func(tool.Context, none) (o tool.Output[any], err error) {
			return o, errors.New("")
		}, tool.CodeExecutionFailed, `Tool "probe" failed without saying why`},
		"an *Error keeps its code": {func(tool.Context, none) (o tool.Output[any], err error) {
			return o, &tool.Error{Code: "SANDBOX_OOM", Message: "no memory"}
		}, "SANDBOX_OOM", "no memory"},
		"a wrapped *Error keeps its code": {func(tool.Context, none) (o tool.Output[any], err error) {
			return o, fmt.Errorf("in the box: %w", &tool.Error{Code: "SANDBOX_OOM", Message: "no memory"})
		}, "SANDBOX_OOM", "in the box: no memory"},
		"an *Error without a code": {func(tool.Context, none) (o tool.Output[any], err error) {
			return o, &tool.Error{Message: "no"}
		}, tool.CodeExecutionFailed, "no"},
		"a panic": {func(tool.Context, none) (tool.Output[any], error) {
			panic("index out of range")
		}, tool.CodeExecutionFailed, `tool "probe" panicked: index out of range`},
		"a goroutine that ends": {func(tool.Context, none) (tool.Output[any], error) {
			runtime.Goexit()
			return tool.Output[any]{}, nil
		}, tool.CodeExecutionFailed, `tool "probe" ended its goroutine`},
		"content that is not JSON": {func(tool.Context, none) (o tool.Output[any], err error) {
			o.Content = json.RawMessage(`{"a":`)
			return o, nil
		}, tool.CodeExecutionFailed, "encode the result: unexpected end of JSON input"},
		"content that cannot be encoded": {func(tool.Context, none) (o tool.Output[any], err error) {
			o.Content = func() {}
			return o, nil
		}, tool.CodeExecutionFailed, "encode the result: json: unsupported type: func()"},
		"content that panics": {func(tool.Context, none) (o tool.Output[any], err error) {
			o.Content = explosive{}
			return o, nil
		}, tool.CodeExecutionFailed, `tool "probe" panicked: boom`},
		"50 MB": {func(tool.Context, none) (o tool.Output[any], err error) {
			o.Content = strings.Repeat("x", 50_000_000)
			return o, nil
		}, tool.CodeExecutionFailed, "the result is too large: 47.7 MiB, the limit is 16.0 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			p := define(t, tool.Config[none, tool.Output[any]]{Presentation: &tool.Presentation{Label: "Probe"}, Run: tc.run})
			got := run(t, p, ``)
			var coded *tool.Error
			if !errors.As(got.Err, &coded) {
				t.Fatalf("got %v, want an *Error", got.Err)
			}
			if coded.Code != tc.code || coded.Message != tc.want {
				t.Errorf("got %s %q, want %s %q", coded.Code, coded.Message, tc.code, tc.want)
			}
			if got.Content != nil || got.Left != nil {
				t.Errorf("got content %s and left %v, want none", got.Content, got.Left)
			}
			if got.Presentation == nil || got.Presentation.Label != "Probe" {
				t.Errorf("got presentation %v, want the tool's", got.Presentation)
			}
		})
	}
}

type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("boom") }

func TestAFailureKeepsItsCause(t *testing.T) {
	p := define(t, tool.Config[none, string]{Run: func(tool.Context, none) (string, error) { return "", fmt.Errorf("read x: %w", fs.ErrNotExist) }})
	if err := run(t, p, ``).Err; !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want it to wrap fs.ErrNotExist", err)
	}
}

func TestAPanicIsLoggedWithItsStack(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	p := define(t, tool.Config[none, string]{Run: func(tool.Context, none) (string, error) { panic("boom") }})
	r := run(t, p, ``)
	if strings.Contains(r.Err.Error(), "goroutine") {
		t.Errorf("got %q, want no stack for the model", r.Err)
	}
	if got := log.String(); !strings.Contains(got, "call_test.go") || !strings.Contains(got, "boom") {
		t.Errorf("got log %q, want the stack in it", got)
	}
}

func TestAFailedCallKeepsWhatItHasToShow(t *testing.T) {
	shown := &tool.Presentation{Label: "Run command", Summary: "exit 1"}
	p := define(t, tool.Config[none, tool.Output[string]]{Run: func(tool.Context, none) (tool.Output[string], error) {
		return tool.Output[string]{Content: "lost", Details: tool.Terminal("red"), Presentation: shown}, errors.New("failed")
	}})
	got := run(t, p, ``)
	if string(got.Details) != `{"terminal":"red"}` || got.Presentation != shown || got.Content != nil {
		t.Errorf("got details %s, presentation %v, content %s; want the details and the presentation alone", got.Details, got.Presentation, got.Content)
	}
}

func TestPresentation(t *testing.T) {
	type args struct {
		Path string `json:"path" jsonschema:"default=all"`
	}
	returns := func(p *tool.Presentation) func(tool.Context, args) (tool.Output[string], error) {
		return func(tool.Context, args) (tool.Output[string], error) {
			return tool.Output[string]{Presentation: p}, nil
		}
	}
	byPath := func(in args) *tool.Presentation { return &tool.Presentation{Label: "Read", Detail: in.Path} }
	for name, tc := range map[string]struct {
		config       tool.Config[args, tool.Output[string]]
		call, result *tool.Presentation
	}{
		"none":                             {tool.Config[args, tool.Output[string]]{Run: returns(nil)}, nil, nil},
		"for all calls":                    {tool.Config[args, tool.Output[string]]{Presentation: &tool.Presentation{Label: "All"}, Run: returns(nil)}, &tool.Presentation{Label: "All"}, &tool.Presentation{Label: "All"}},
		"made from checked arguments":      {tool.Config[args, tool.Output[string]]{Present: byPath, Run: returns(nil)}, &tool.Presentation{Label: "Read", Detail: "all"}, &tool.Presentation{Label: "Read", Detail: "all"}},
		"made from the arguments wins":     {tool.Config[args, tool.Output[string]]{Presentation: &tool.Presentation{Label: "All"}, Present: byPath, Run: returns(nil)}, &tool.Presentation{Label: "Read", Detail: "all"}, &tool.Presentation{Label: "Read", Detail: "all"}},
		"made from nothing is that of all": {tool.Config[args, tool.Output[string]]{Presentation: &tool.Presentation{Label: "All"}, Present: func(args) *tool.Presentation { return nil }, Run: returns(nil)}, &tool.Presentation{Label: "All"}, &tool.Presentation{Label: "All"}},
		"the result's own wins":            {tool.Config[args, tool.Output[string]]{Present: byPath, Run: returns(&tool.Presentation{Label: "Own"})}, &tool.Presentation{Label: "Read", Detail: "all"}, &tool.Presentation{Label: "Own"}},
		"one that panics is none":          {tool.Config[args, tool.Output[string]]{Present: func(args) *tool.Presentation { panic("no") }, Run: returns(nil)}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustPrepare(t, define(t, tc.config), `{}`)
			if diff := cmp.Diff(tc.call, c.Presentation()); diff != "" {
				t.Errorf("presentation of the call (-want +got):\n%s", diff)
			}
			r := c.Run(tool.Context{Context: t.Context()})
			if diff := cmp.Diff(tc.result, r.Presentation); diff != "" || r.Err != nil {
				t.Errorf("presentation of the result (-want +got):\n%s error %v", diff, r.Err)
			}
		})
	}
}

func TestContentIsHeldToTheOutputSchema(t *testing.T) {
	type report struct {
		Level string   `json:"level" jsonschema:"enum=low,enum=high"`
		Lines []string `json:"lines" jsonschema:"maxItems=2"`
		At    string   `json:"at,omitempty" jsonschema:"format=date"`
	}
	for name, tc := range map[string]struct {
		out  report
		want string // empty for none
	}{
		"content that fits":       {report{Level: "low", Lines: []string{"a"}, At: "2026-01-31"}, ""},
		"a list that is nil":      {report{Level: "low"}, ""},
		"a value that is none":    {report{Level: "odd"}, "the result does not match the output schema: at '/level': value must be one of 'low', 'high'"},
		"a list that is too long": {report{Level: "low", Lines: make([]string, 3)}, "at '/lines'"},
		"a format":                {report{Level: "low", At: "soon"}, "at '/at': 'soon' is not valid date"},
	} {
		t.Run(name, func(t *testing.T) {
			p := define(t, tool.Config[none, tool.Output[report]]{Run: func(tool.Context, none) (tool.Output[report], error) {
				return tool.Output[report]{Content: tc.out, Details: "kept"}, nil
			}})
			got := run(t, p, ``)
			switch {
			case tc.want == "" && got.Err != nil:
				t.Errorf("got %v, want no error", got.Err)
			case tc.want != "" && (got.Err == nil || !strings.Contains(got.Err.Error(), tc.want)):
				t.Errorf("got %v, want %q in it", got.Err, tc.want)
			}
			if string(got.Details) != `"kept"` {
				t.Errorf("got details %s, want them kept", got.Details)
			}
		})
	}
}

func TestTheZeroContextWorks(t *testing.T) {
	p := define(t, tool.Config[none, string]{
		Preview: func(ctx tool.Context, _ none) (any, error) { ctx.Update(tool.Update{}); return "seen", ctx.Err() },
		Run: func(ctx tool.Context, _ none) (string, error) {
			ctx.Update(tool.Update{Content: "x"})
			return "ok", ctx.Err()
		},
	})
	c := mustPrepare(t, p, ``)
	if got := c.Run(tool.Context{}); string(got.Content) != `"ok"` {
		t.Errorf("got %s, %v, want ok", got.Content, got.Err)
	}
	if got, err := c.Preview(tool.Context{}); string(got) != `"seen"` || err != nil {
		t.Errorf("got %s, %v, want seen", got, err)
	}
}

func TestTheContextCarriesWhoAsks(t *testing.T) {
	p := define(t, tool.Config[none, []string]{Run: func(c tool.Context, _ none) ([]string, error) {
		return []string{c.AgentName, c.RunID, c.ThreadID, c.ToolCallID, c.UserID, c.ChannelType, c.ChannelID}, nil
	}})
	got := mustPrepare(t, p, ``).Run(tool.Context{AgentName: "a", RunID: "r", ThreadID: "t", ToolCallID: "c", UserID: "u", ChannelType: "ct", ChannelID: "ci"})
	if want := `["a","r","t","c","u","ct","ci"]`; string(got.Content) != want {
		t.Errorf("got %s, want %s", got.Content, want)
	}
}

// C6: what is shown is what runs, so an argument the tool does not read is said to be that.
func TestAPreviewTellsOfArgumentsTheToolDoesNotRead(t *testing.T) {
	type in struct {
		Command string `json:"command"`
	}
	diff := func(tool.Context, in) (any, error) { return tool.Diff("+a"), nil }
	run := func(tool.Context, in) (string, error) { return "", nil }
	for name, tc := range map[string]struct {
		tool            *tool.Tool
		arguments, want string
	}{
		"all are read":                {define(t, tool.Config[in, string]{Run: run}), `{"command":"ls"}`, ""},
		"one is not":                  {define(t, tool.Config[in, string]{Run: run}), `{"command":"ls","cwd":".."}`, `[{"text":"Not read by the tool: cwd."}]`},
		"some are not, and a preview": {define(t, tool.Config[in, string]{Run: run, Preview: diff}), `{"env":{},"command":"ls","cwd":".."}`, `[{"text":"Not read by the tool: cwd, env."},{"diff":"+a"}]`},
		"a map reads all":             {define(t, tool.Config[map[string]any, string]{Run: func(tool.Context, map[string]any) (string, error) { return "", nil }}), `{"cwd":".."}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := mustPrepare(t, tc.tool, tc.arguments).Preview(tool.Context{Context: t.Context()})
			if string(got) != tc.want || err != nil {
				t.Errorf("got %s, %v, want %s", got, err, tc.want)
			}
		})
	}
}

func TestPreview(t *testing.T) {
	for name, tc := range map[string]struct {
		preview   func(tool.Context, none) (any, error)
		want, err string
	}{
		"none is declared": {nil, "", ""},
		"a block":          {func(tool.Context, none) (any, error) { return tool.Diff("+a"), nil }, `{"diff":"+a"}`, ""},
		"nothing to show":  {func(tool.Context, none) (any, error) { return nil, nil }, "", ""},
		"an error":         {func(tool.Context, none) (any, error) { return nil, fs.ErrNotExist }, "", `preview of tool "probe": file does not exist`},
		"a panic":          {func(tool.Context, none) (any, error) { panic("boom") }, "", `preview of tool "probe" panicked: boom`},
	} {
		t.Run(name, func(t *testing.T) {
			p := define(t, tool.Config[none, string]{Preview: tc.preview, Run: func(tool.Context, none) (string, error) { return "", nil }})
			got, err := mustPrepare(t, p, ``).Preview(tool.Context{Context: t.Context()})
			if string(got) != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if err == nil && tc.err != "" || err != nil && err.Error() != tc.err {
				t.Errorf("got error %v, want %q", err, tc.err)
			}
		})
	}
}
