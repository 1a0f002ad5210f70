package sandbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"callboard/backend/sandbox"
	"callboard/backend/tool"
)

// engine is a sandbox that answers with what a test says.
type engine struct {
	out   tool.Output[any] // empty: "in the sandbox"
	err   error
	calls int
	ended []string
}

func (e *engine) Execute(tool.Context, tool.Job) (tool.Output[any], error) {
	e.calls++
	if e.out.Content != nil {
		return e.out, e.err
	}
	return tool.Output[any]{Content: "in the sandbox"}, e.err
}

func (e *engine) EndRun(runID string) { e.ended = append(e.ended, runID) }

func TestWhereACallRuns(t *testing.T) {
	gone := &tool.Error{Code: tool.CodeSandboxUnavailable, Message: "it cannot be reached"}
	broken := &tool.Error{Code: tool.CodeSandboxFailed, Message: "it broke"}
	for name, tc := range map[string]struct {
		kind   tool.SandboxType
		engine *engine // nil is not set up
		noHost bool    // the tool has no Run
		want   string  // the content
		forbid string  // the same where the host may not be used
	}{
		"Docker is there":                       {tool.Docker, &engine{}, false, "in the sandbox", "in the sandbox"},
		"WASM is there":                         {tool.WASM, &engine{}, true, "in the sandbox", "in the sandbox"},
		"Docker is not set up":                  {tool.Docker, nil, false, "its own run", ""},
		"WASM is not set up":                    {tool.WASM, nil, false, "its own run", ""},
		"WASM cannot start":                     {tool.WASM, &engine{err: gone}, false, "its own run", ""},
		"Docker cannot be reached":              {tool.Docker, &engine{err: gone}, false, "from the shell\n", ""},
		"Docker cannot be reached, no Run":      {tool.Docker, &engine{err: gone}, true, "from the shell\n", ""},
		"nothing is set up and there is no Run": {tool.Docker, nil, true, "", ""},
		"what broke does not run elsewhere":     {tool.Docker, &engine{err: broken}, false, "", ""},
	} {
		for _, host := range []string{"the host allowed", "the host forbidden", "a contained call"} {
			t.Run(name+", "+host, func(t *testing.T) {
				var log bytes.Buffer
				s := &sandbox.Sandbox{Logger: slog.New(slog.NewTextHandler(&log, nil))}
				if tc.engine != nil {
					own := engine{err: tc.engine.err}
					if s.Docker = &own; tc.kind == tool.WASM {
						s.Docker, s.WASM = nil, &own
					}
				}
				want := tc.want
				if host != "the host allowed" {
					want = tc.forbid
				}
				s.NativeFallback = func() bool { return host != "the host forbidden" }
				job := tool.Job{Contained: host == "a contained call", ToolName: "probe", Sandbox: tool.Sandbox{Type: tc.kind}, Arguments: []byte(`{"command":"echo from the shell"}`)}
				if !tc.noHost {
					job.Host = func(tool.Context) (tool.Output[any], error) { return tool.Output[any]{Content: "its own run"}, nil }
				}
				out, err := s.Execute(tool.Context{Context: t.Context()}, job)
				got, _ := out.Content.(string)
				if r, ok := out.Content.(tool.CommandResult); ok {
					got = r.Stdout
				}
				if want == "" {
					code := tool.CodeSandboxUnavailable
					if tc.engine != nil && errors.Is(tc.engine.err, broken) {
						code = tool.CodeSandboxFailed
					}
					var coded *tool.Error
					if !errors.As(err, &coded) || coded.Code != code {
						t.Errorf("got %q, %v, want %s", got, err, code)
					}
					if strings.Contains(log.String(), "WARN") {
						t.Errorf("the log warns of what did not run: %s", log.String())
					}
					return
				}
				if got != want || err != nil {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
				if fell := want != "in the sandbox"; fell != (strings.Contains(log.String(), "level=WARN") && strings.Contains(log.String(), "tool=probe")) {
					t.Errorf("the log says %q, want a warning when, and only when, the call ran on the host", log.String())
				}
			})
		}
	}
}

func TestACallSaysWhereItRan(t *testing.T) {
	gone := &tool.Error{Code: tool.CodeSandboxUnavailable, Message: "it cannot be reached"}
	command := tool.Output[any]{Content: tool.CommandResult{}, Presentation: &tool.Presentation{Summary: "exit 0"}}
	own := func(tool.Context) (tool.Output[any], error) {
		return tool.Output[any]{Details: "its own", Presentation: &tool.Presentation{Label: "Own"}}, nil
	}
	for name, tc := range map[string]struct {
		engine  *engine
		kind    tool.SandboxType
		shown   tool.Presentation
		details string
	}{
		"in its container": {
			&engine{out: command}, tool.Docker, tool.Presentation{Summary: "exit 0 in Docker"}, `{"text":"Ran in a container of box:1 without a network."}`,
		},
		"in its module": {&engine{}, tool.WASM, tool.Presentation{Summary: "in WebAssembly"}, `null`},
		"in the host's shell": {
			&engine{err: gone}, tool.Docker,
			tool.Presentation{Summary: "exit 0 on the host", Tone: tool.ToneWarning},
			`{"terminal":"hi\n","text":"Ran on the host, not in a container of box:1 without a network: it cannot be reached."}`,
		},
		"as its own run": {nil, tool.Docker, tool.Presentation{Label: "Own", Summary: "on the host", Tone: tool.ToneWarning}, `"its own"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sandbox.Sandbox{Logger: slog.New(slog.DiscardHandler)}
			if tc.engine != nil {
				s.Docker, s.WASM = tc.engine, tc.engine
			}
			job := tool.Job{ToolName: "probe", Sandbox: tool.Sandbox{Type: tc.kind}, Arguments: []byte(`{"command":"echo hi"}`), Host: own}
			if tc.kind == tool.Docker {
				job.Sandbox.Image = "box:1"
			}
			out, err := s.Execute(tool.Context{Context: t.Context()}, job)
			details, encodeErr := json.Marshal(out.Details)
			if err != nil || encodeErr != nil || out.Presentation == nil || *out.Presentation != tc.shown || string(details) != tc.details {
				t.Errorf("got %+v and %s, %v, want %+v and %s", out.Presentation, details, errors.Join(err, encodeErr), tc.shown, tc.details)
			}
		})
	}
}

func TestWhatNeverBeganRanNowhere(t *testing.T) {
	for name, tc := range map[string]struct {
		sandbox tool.Sandbox
		missing *tool.Error
	}{
		"an image that is not there": {tool.Sandbox{Type: tool.Docker, Image: "box:1"}, &tool.Error{Code: tool.CodeSandboxFailed, Message: "the image box:1 is not there"}},
		"a module that is none":      {tool.Sandbox{Type: tool.WASM}, &tool.Error{Code: tool.CodeSandboxInvalidModule, Message: "invalid magic number"}},
	} {
		t.Run(name, func(t *testing.T) {
			failing := &engine{err: tc.missing}
			s := &sandbox.Sandbox{Docker: failing, WASM: failing}
			out, err := s.Execute(tool.Context{Context: t.Context()}, tool.Job{ToolName: "probe", Sandbox: tc.sandbox, Arguments: []byte(`{"command":"true"}`)})
			if !errors.Is(err, tc.missing) || out.Presentation != nil || out.Details != nil {
				t.Errorf("got %+v, %v, want the error and nothing of a place", out, err)
			}
		})
	}
}

func TestTheEndOfARunReachesEachSandbox(t *testing.T) {
	docker, wasm := &engine{}, &engine{}
	(&sandbox.Sandbox{Docker: docker, WASM: wasm}).EndRun("run_1")
	(&sandbox.Sandbox{}).EndRun("run_1")
	if len(docker.ended) != 1 || len(wasm.ended) != 1 {
		t.Errorf("got %q and %q, want the run at each", docker.ended, wasm.ended)
	}
}
