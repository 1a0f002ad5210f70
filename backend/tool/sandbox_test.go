package tool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/backend/tool"
)

type shellArgs struct {
	Command string            `json:"command"`
	Cwd     string            `json:"cwd" jsonschema:"default=/work"`
	Env     map[string]string `json:"env,omitempty"`
}

// asked is an executor that keeps the job it was given and answers with what a test says.
type asked struct {
	job    tool.Job
	answer func(tool.Context, tool.Job) (tool.Output[any], error)
}

func (a *asked) Execute(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
	a.job = job
	return a.answer(ctx, job)
}

func (*asked) EndRun(string) {}

func inDocker() *tool.Sandbox { return &tool.Sandbox{Type: tool.Docker, Image: "busybox"} }
func inWASM() *tool.Sandbox {
	return &tool.Sandbox{Type: tool.WASM, WasmModule: "x.wasm", WasmFunction: "f"}
}

func TestASandboxThatCanNeverWorkFailsWhenDeclared(t *testing.T) {
	changed := func(s *tool.Sandbox, change func(*tool.Sandbox)) *tool.Sandbox {
		change(s)
		return s
	}
	for name, tc := range map[string]struct {
		sandbox *tool.Sandbox
		want    string // empty for none
	}{
		"Docker":                   {inDocker(), ""},
		"WASM":                     {inWASM(), ""},
		"Docker with its limits":   {&tool.Sandbox{Type: tool.Docker, Image: "python:3.12-alpine", Resources: tool.Resources{Memory: "512MB", PidsLimit: 100}, Network: tool.NetworkBridge, Timeout: time.Second}, ""},
		"no type":                  {&tool.Sandbox{Image: "x"}, `its Type "" is none of docker and wasm`},
		"another type":             {&tool.Sandbox{Type: "vm"}, `its Type "vm"`},
		"Docker without an image":  {&tool.Sandbox{Type: tool.Docker, Image: " "}, "it has no Image"},
		"Docker with a module":     {changed(inDocker(), func(s *tool.Sandbox) { s.WasmModule = "x" }), "of WASM, not of Docker"},
		"an unknown network":       {changed(inDocker(), func(s *tool.Sandbox) { s.Network = "wifi" }), `its Network "wifi"`},
		"a memory that is no size": {changed(inDocker(), func(s *tool.Sandbox) { s.Resources.Memory = "much" }), `memory "much" is no size such as 512MB`},
		"a negative memory":        {changed(inDocker(), func(s *tool.Sandbox) { s.Resources.Memory = "-1MB" }), "is no size"},
		"a memory of nothing":      {changed(inWASM(), func(s *tool.Sandbox) { s.Resources.Memory = "0" }), "is no size"},
		"too little for Docker":    {changed(inDocker(), func(s *tool.Sandbox) { s.Resources.Memory = "5MB" }), "less than the 6MB"},
		"too much for a module":    {changed(inWASM(), func(s *tool.Sandbox) { s.Resources.Memory = "5GB" }), "more than the 4GB"},
		"negative processes":       {changed(inDocker(), func(s *tool.Sandbox) { s.Resources.PidsLimit = -1 }), "its PidsLimit is negative"},
		"a negative timeout":       {changed(inDocker(), func(s *tool.Sandbox) { s.Timeout = -1 }), "its Timeout is negative"},
		"WASM without a module":    {changed(inWASM(), func(s *tool.Sandbox) { s.WasmModule = "" }), "it has no WasmModule"},
		"WASM without a function":  {changed(inWASM(), func(s *tool.Sandbox) { s.WasmFunction = "" }), "it has no WasmFunction"},
		"Docker with a folder":     {changed(inDocker(), func(s *tool.Sandbox) { s.Folder = t.TempDir() }), ""},
		"a relative folder":        {changed(inDocker(), func(s *tool.Sandbox) { s.Folder = "src" }), `its Folder "src" is no full path`},
		"WASM with a folder":       {changed(inWASM(), func(s *tool.Sandbox) { s.Folder = t.TempDir() }), "of Docker, not of WASM"},
		"WASM with a network":      {changed(inWASM(), func(s *tool.Sandbox) { s.Network = tool.NetworkNone }), "of Docker, not of WASM"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tool.Define(tool.Config[shellArgs, any]{Name: "x", Sandbox: tc.sandbox})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestDockerNeedsACommandAndGivesItsResult(t *testing.T) {
	if _, err := tool.Define(tool.Config[weatherArgs, any]{Name: "x", Sandbox: inDocker()}); err == nil || !strings.Contains(err.Error(), `it runs the argument "command"`) {
		t.Errorf("got %v, want that there is no command", err)
	}
	type number struct {
		Command int `json:"command"`
	}
	if _, err := tool.Define(tool.Config[number, any]{Name: "x", Sandbox: inDocker()}); err == nil || !strings.Contains(err.Error(), "a string") {
		t.Errorf("got %v, want that the command is no string", err)
	}
	if _, err := tool.Define(tool.Config[shellArgs, weather]{Name: "x", Sandbox: inDocker()}); err == nil || !strings.Contains(err.Error(), "does not fit Out") || !strings.Contains(err.Error(), "city") {
		t.Errorf("got %v, want that Out is another thing, with its path", err)
	}
	if _, err := tool.Define(tool.Config[shellArgs, tool.CommandResult]{Name: "x", Sandbox: inDocker()}); err != nil {
		t.Errorf("got %v, want a CommandResult to fit", err)
	}
}

func TestAnExecutorGetsTheCheckedArgumentsInPlaceOfRun(t *testing.T) {
	ran := 0
	sandboxed := define(t, tool.Config[shellArgs, any]{
		Sandbox: inDocker(),
		Present: func(in shellArgs) *tool.Presentation {
			return &tool.Presentation{Label: "Shell", Icon: "box", Detail: in.Command}
		},
		Run: func(ctx tool.Context, _ shellArgs) (any, error) {
			ran++
			ctx.Update(tool.Update{Content: "on the host"})
			return "host", nil
		},
	})
	prepare := func() *tool.Call {
		call, err := sandboxed.Prepare(`{"command":"ls","env":{"A":"1"},"other":true}`)
		if err != nil {
			t.Fatal(err)
		}
		return call
	}
	updates := 0
	ctx := tool.Context{Context: t.Context(), OnUpdate: func(tool.Update) { updates++ }}

	in := &asked{answer: func(ctx tool.Context, _ tool.Job) (tool.Output[any], error) {
		ctx.Update(tool.Update{Content: "from the sandbox"})
		return tool.Output[any]{Content: "boxed", Details: tool.Terminal("seen"), Presentation: &tool.Presentation{Summary: "exit 1", Tone: tool.ToneWarning}}, nil
	}}
	r := prepare().RunIn(ctx, in)
	if string(r.Content) != `"boxed"` || string(r.Details) != `{"terminal":"seen"}` || r.Err != nil || ran != 0 {
		t.Errorf("got %s, %s, %v and %d runs on the host, want the sandbox's answer alone", r.Content, r.Details, r.Err, ran)
	}
	if want := (tool.Presentation{Label: "Shell", Icon: "box", Detail: "ls", Summary: "exit 1", Tone: tool.ToneWarning}); *r.Presentation != want {
		t.Errorf("got %+v, want the tool's presentation with the result's summary", *r.Presentation)
	}
	if updates != 0 {
		t.Errorf("got %d updates, want none from a sandbox", updates)
	}
	if got, want := string(in.job.Arguments), `{"command":"ls","cwd":"/work","env":{"A":"1"}}`; got != want {
		t.Errorf("got %s, want %s: what the schema does not name is not there", got, want)
	}
	command, err := in.job.Command()
	if err != nil || command.Command != "ls" || command.Cwd != "/work" || command.Env["A"] != "1" {
		t.Errorf("got %+v, %v, want the arguments with their defaults", command, err)
	}

	in.answer = func(ctx tool.Context, job tool.Job) (tool.Output[any], error) { return job.Host(ctx) }
	if r := prepare().RunIn(ctx, in); string(r.Content) != `"host"` || ran != 1 || updates != 0 {
		t.Errorf("got %s after %d runs with %d updates, want the tool's own run, without updates", r.Content, ran, updates)
	}
	if r := prepare().Run(ctx); string(r.Content) != `"host"` || ran != 2 || updates != 1 {
		t.Errorf("got %s after %d runs with %d updates, want Run to be the tool's own", r.Content, ran, updates)
	}
}

type limitedArgs struct {
	Command string `json:"command"`
	Seconds int    `json:"seconds,omitempty"`
}

func (in limitedArgs) Timeout() time.Duration { return time.Duration(in.Seconds) * time.Second }

func TestArgumentsSayHowLongTheirCallMayTake(t *testing.T) {
	for name, tc := range map[string]struct {
		declared  time.Duration
		arguments string
		want      time.Duration
	}{
		"nothing said":                   {0, `{"command":"ls"}`, 0},
		"the sandbox's alone":            {time.Minute, `{"command":"ls"}`, time.Minute},
		"the call's where there is none": {0, `{"command":"ls","seconds":90}`, 90 * time.Second},
		"a shorter one":                  {time.Minute, `{"command":"ls","seconds":5}`, 5 * time.Second},
		"a longer one":                   {time.Minute, `{"command":"ls","seconds":90}`, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			box := inDocker()
			box.Timeout = tc.declared
			call, err := define(t, tool.Config[limitedArgs, any]{Sandbox: box}).Prepare(tc.arguments)
			if err != nil {
				t.Fatal(err)
			}
			in := &asked{answer: func(tool.Context, tool.Job) (tool.Output[any], error) { return tool.Output[any]{}, nil }}
			call.RunIn(tool.Context{Context: t.Context()}, in)
			if got := in.job.Sandbox.Timeout; got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestACommandWorksInTheFolderOfItsSandbox(t *testing.T) {
	folder := t.TempDir()
	for arguments, want := range map[string]string{
		`{"command":"ls"}`:                folder,
		`{"command":"ls","cwd":"a/b"}`:    filepath.Join(folder, "a", "b"),
		`{"command":"ls","cwd":"/other"}`: "/other",
	} {
		job := tool.Job{Sandbox: tool.Sandbox{Type: tool.Docker, Folder: folder}, Arguments: json.RawMessage(arguments)}
		if got, err := job.Command(); err != nil || got.Cwd != want {
			t.Errorf("%s: got %q, %v, want %q", arguments, got.Cwd, err, want)
		}
	}
}

func TestASandboxIsNamedWithItsLimits(t *testing.T) {
	for want, box := range map[string]tool.Sandbox{
		"a container of busybox without a network": *inDocker(),
		"a container of go:1 with a network, with 1GB of memory and 20 processes at most": {
			Type: tool.Docker, Image: "go:1", Network: tool.NetworkBridge, Resources: tool.Resources{Memory: "1GB", PidsLimit: 20},
		},
		"a container of go:1 with the network of the host": {Type: tool.Docker, Image: "go:1", Network: tool.NetworkHost},
		"the module x.wasm, with 8MB of memory at most":    {Type: tool.WASM, WasmModule: "x.wasm", Resources: tool.Resources{Memory: "8MB"}},
	} {
		if got := box.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhatASandboxGivesIsCheckedLikeAnyResult(t *testing.T) {
	sandboxed := define(t, tool.Config[weatherArgs, weather]{Sandbox: inWASM()})
	for name, tc := range map[string]struct {
		answer func(tool.Context, tool.Job) (tool.Output[any], error)
		code   string
		want   string
	}{
		"fits": {func(tool.Context, tool.Job) (tool.Output[any], error) {
			return tool.Output[any]{Content: json.RawMessage(`{"city":"Oslo","degrees":2}`)}, nil
		}, "", `{"city":"Oslo","degrees":2}`},
		"does not fit": {func(tool.Context, tool.Job) (tool.Output[any], error) {
			return tool.Output[any]{Content: json.RawMessage(`{"city":7,"degrees":2}`)}, nil
		}, tool.CodeExecutionFailed, "at '/city'"},
		"is no JSON": {func(tool.Context, tool.Job) (tool.Output[any], error) {
			return tool.Output[any]{Content: json.RawMessage(`{"city":`)}, nil
		}, tool.CodeExecutionFailed, "encode the result"},
		"has a code": {func(tool.Context, tool.Job) (tool.Output[any], error) {
			return tool.Output[any]{}, fmt.Errorf("call f: %w", &tool.Error{Code: tool.CodeSandboxOOM, Message: "no memory"})
		}, tool.CodeSandboxOOM, "call f: no memory"},
		"panics": {func(tool.Context, tool.Job) (tool.Output[any], error) { panic("boxed") }, tool.CodeExecutionFailed, "panicked: boxed"},
		"has nothing to run on the host": {func(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
			if job.Host != nil {
				return job.Host(ctx)
			}
			return tool.Output[any]{}, errors.New("no way")
		}, tool.CodeExecutionFailed, "no way"},
	} {
		t.Run(name, func(t *testing.T) {
			call, err := sandboxed.Prepare(`{"city":"Oslo"}`)
			if err != nil {
				t.Fatal(err)
			}
			r := call.RunIn(tool.Context{Context: t.Context()}, &asked{answer: tc.answer})
			if tc.code == "" {
				if string(r.Content) != tc.want || r.Err != nil {
					t.Errorf("got %s, %v, want %s", r.Content, r.Err, tc.want)
				}
				return
			}
			var coded *tool.Error
			if !errors.As(r.Err, &coded) || coded.Code != tc.code || !strings.Contains(coded.Message, tc.want) {
				t.Errorf("got %v, want %s with %q", r.Err, tc.code, tc.want)
			}
		})
	}
	call, err := sandboxed.Prepare(`{"city":"Oslo"}`)
	if err != nil {
		t.Fatal(err)
	}
	var coded *tool.Error
	if r := call.Run(tool.Context{Context: t.Context()}); !errors.As(r.Err, &coded) || coded.Code != tool.CodeSandboxUnavailable {
		t.Errorf("got %v, want %s of a tool without a Run", r.Err, tool.CodeSandboxUnavailable)
	}
}

func TestACallSaysWhereItRanWithoutAPresentationOfItsTool(t *testing.T) {
	call, err := define(t, tool.Config[weatherArgs, any]{Name: "forecast", Sandbox: inWASM()}).Prepare(`{"city":"Oslo"}`)
	if err != nil {
		t.Fatal(err)
	}
	r := call.RunIn(tool.Context{Context: t.Context()}, &asked{answer: func(tool.Context, tool.Job) (tool.Output[any], error) {
		return tool.Output[any]{Presentation: &tool.Presentation{Summary: "on the host", Tone: tool.ToneWarning}}, nil
	}})
	if want := (tool.Presentation{Label: "forecast", Summary: "on the host", Tone: tool.ToneWarning}); r.Presentation == nil || *r.Presentation != want {
		t.Errorf("got %+v, want %+v", r.Presentation, want)
	}
}

func TestTheToolsTimeoutHoldsInASandbox(t *testing.T) {
	sandboxed := define(t, tool.Config[weatherArgs, any]{Sandbox: inWASM(), Timeout: 10 * time.Millisecond})
	call, err := sandboxed.Prepare(`{"city":"Oslo"}`)
	if err != nil {
		t.Fatal(err)
	}
	r := call.RunIn(tool.Context{Context: t.Context()}, &asked{answer: func(ctx tool.Context, _ tool.Job) (tool.Output[any], error) {
		<-ctx.Done()
		return tool.Output[any]{Details: tool.Terminal("begun\n")}, ctx.Err()
	}})
	var coded *tool.Error
	if !errors.As(r.Err, &coded) || coded.Code != tool.CodeTimeout || string(r.Details) != `{"terminal":"begun\n"}` {
		t.Errorf("got %v with %s, want %s with the output so far", r.Err, r.Details, tool.CodeTimeout)
	}
}

func TestTheArgumentsOfACommandAreRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"command":"ls"}`:                      "",
		`{"command":" "}`:                       "at '/command': there is no command",
		`{}`:                                    "at '/command': there is no command",
		`{"Command":"ls"}`:                      "at '/command': there is no command",
		`{"command":"ls","cwd":1}`:              "at '/cwd': json: cannot unmarshal number",
		`{"command":"ls","env":["A=1"]}`:        "at '/env': json: cannot unmarshal array",
		`{"command":"ls","env":{"A":1}}`:        "at '/env': json: cannot unmarshal number",
		`{"command":"ls","env":{"A":"1"}}`:      "",
		`{"command":"ls","env":{"A=B":"c"}}`:    `at '/env': "A=B" is no name of a variable`,
		`{"command":"ls","env":{"":"c"}}`:       `at '/env': "" is no name of a variable`,
		`{"command":"ls","env":{"A\u0000":""}}`: `at '/env': "A\x00" is no name of a variable`,
		`{"command":"ls","Cwd":"/x","a":[]}`:    "",
	} {
		_, err := tool.Job{Arguments: json.RawMessage(text)}.Command()
		var coded *tool.Error
		if want == "" && err != nil || want != "" && (!errors.As(err, &coded) || coded.Code != tool.CodeInvalidArgs || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
