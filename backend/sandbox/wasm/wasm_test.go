package wasm_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/backend/sandbox/wasm"
	"callboard/backend/tool"
)

func TestAFunctionGetsTheArgumentsAndGivesTheContent(t *testing.T) {
	for name, tc := range map[string]struct{ function, arguments, want string }{
		"JSON":                  {"shout", `{"text":"héllo","n":2512292042121000001}`, `{"calls":1,"given":"{\"text\":\"héllo\",\"n\":2512292042121000001}","shouted":"HÉLLO"}`},
		"text that is no JSON":  {"plain", `{}`, "\"no {JSON}\uFFFD\""},
		"nothing":               {"empty", `{}`, `""`},
		"a megabyte there, too": {"nothing", `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := engine.Execute(tool.Context{Context: t.Context()}, job(t, tc.function, tc.arguments))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(out.Content); string(got) != tc.want || err != nil {
				t.Errorf("got %s, %v, want %s", got, err, tc.want)
			}
		})
	}
}

func TestAModuleSeesAClockAndNothingElse(t *testing.T) {
	t.Setenv("CALLBOARD_TEST", "seen")
	out, err := engine.Execute(tool.Context{Context: t.Context()}, job(t, "look", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Env, Year             int
		Files, Written, Slept bool
	}
	raw, _ := out.Content.(json.RawMessage)
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Env != 0 || !got.Files || got.Written || !got.Slept || got.Year != time.Now().Year() {
		t.Errorf("got %s, want no environment, files that cannot be read or written, and a clock", raw)
	}
	if details, err := json.Marshal(out.Details); err != nil || string(details) != `{"terminal":"looking\n"}` {
		t.Errorf("got %s, %v, want what it printed", details, err)
	}
}

func TestWhatGoesWrongHasACode(t *testing.T) {
	for name, tc := range map[string]struct {
		function string
		change   func(*tool.Sandbox)
		code     string
		want     string
	}{
		"a busy loop":                {"spin", func(s *tool.Sandbox) { s.Timeout = 50 * time.Millisecond }, tool.CodeSandboxTimeout, "spin was still at work after 50ms"},
		"a long sleep":               {"nap", func(s *tool.Sandbox) { s.Timeout = 50 * time.Millisecond }, tool.CodeSandboxTimeout, "nap was still at work"},
		"too much memory":            {"devour", func(s *tool.Sandbox) { s.Resources.Memory = "32MB" }, tool.CodeSandboxOOM, "the limit is 33554432"},
		"memory too small to begin":  {"shout", func(s *tool.Sandbox) { s.Resources.Memory = "64KB" }, tool.CodeSandboxOOM, "the limit is 65536"},
		"a panic":                    {"fall", nil, tool.CodeSandboxFailed, "wasm error: unreachable: panic: the guest fell"},
		"an exit":                    {"leave", nil, tool.CodeSandboxFailed, "the module exited with 7"},
		"a place outside":            {"astray", nil, tool.CodeSandboxFailed, "outside the memory"},
		"an answer without an end":   {"boundless", nil, tool.CodeSandboxFailed, "4294967295 bytes"},
		"no such function":           {"shouts", nil, tool.CodeSandboxInvalidModule, "exports no function shouts (ptr: i32, len: i32) → i64"},
		"a function of another kind": {"alloc", nil, tool.CodeSandboxInvalidModule, "alloc is not (ptr: i32, len: i32) → i64"},
		"no such file":               {"shout", func(s *tool.Sandbox) { s.WasmModule = "none.wasm" }, tool.CodeSandboxInvalidModule, "none.wasm cannot be used"},
		"a folder":                   {"shout", func(s *tool.Sandbox) { s.WasmModule = t.TempDir() }, tool.CodeSandboxInvalidModule, "folder"},
		"no module":                  {"shout", func(s *tool.Sandbox) { s.WasmModule = "wasm.go" }, tool.CodeSandboxInvalidModule, "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			j := job(t, tc.function, `{"text":"x"}`)
			if tc.change != nil {
				tc.change(&j.Sandbox)
			}
			_, err := engine.Execute(tool.Context{Context: t.Context(), RunID: t.Name()}, j)
			var coded *tool.Error
			if !errors.As(err, &coded) || coded.Code != tc.code || !strings.Contains(coded.Message, tc.want) {
				t.Errorf("got %v, want %s with %q", err, tc.code, tc.want)
			}
		})
	}
}

func TestACancelStopsABusyModule(t *testing.T) {
	if _, err := engine.Execute(tool.Context{Context: t.Context()}, job(t, "nothing", `{}`)); err != nil { // it is compiled now
		t.Fatal(err)
	}
	for _, function := range []string{"spin", "nap"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		start := time.Now()
		_, err := engine.Execute(tool.Context{Context: ctx}, job(t, function, `{}`))
		if took := time.Since(start); !errors.Is(err, context.Canceled) || took > 30*time.Second { // 300 ms, on a machine that has nothing else to do
			t.Errorf("%s: got %v after %s, want the cancel at once", function, err, took)
		}
		cancel()
	}
}

// shoutsOf is how often the instance that serves the next call of a run was called, that one included.
func shoutsOf(t *testing.T, runID string) int {
	t.Helper()
	out, err := engine.Execute(tool.Context{Context: t.Context(), RunID: runID}, job(t, "shout", `{"text":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Calls int }
	raw, _ := out.Content.(json.RawMessage)
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	return got.Calls
}

func TestAnInstanceServesItsRunAlone(t *testing.T) {
	for i, step := range []struct {
		do    string
		runID string
		want  int
	}{
		{"", "run_1", 1},
		{"", "run_1", 2},
		{"", "run_2", 1},
		{"", "run_1", 3},
		{"end", "run_1", 0},
		{"", "run_1", 1},
		{"", "run_2", 2},
		{"fall", "run_2", 0},
		{"", "run_2", 1},
		{"", "run_2", 2},
		{"spin", "run_2", 0},
		{"", "run_2", 1},
		{"swell", "run_2", 0},
		{"", "run_2", 3},
		{"swell", "run_2", 0},
		{"", "run_2", 1}, // the second fills over half of it
		{"", "", 1},
		{"", "", 1},
	} {
		switch step.do {
		case "":
			if got := shoutsOf(t, step.runID); got != step.want {
				t.Errorf("step %d: got call %d of its instance, want %d", i, got, step.want)
			}
		case "end":
			engine.EndRun(step.runID)
		default:
			j := job(t, step.do, `{}`)
			if step.do == "spin" {
				j.Sandbox.Timeout = 50 * time.Millisecond
			}
			if _, err := engine.Execute(tool.Context{Context: t.Context(), RunID: step.runID}, j); (err == nil) != (step.do == "swell") {
				t.Errorf("step %d: %s gave %v", i, step.do, err)
			}
		}
	}
}

func TestCallsSideBySideDoNotMix(t *testing.T) {
	var wg sync.WaitGroup
	for _, text := range []string{"a", "b", "c", "d", "e", "f"} {
		wg.Go(func() {
			for range 5 {
				out, err := engine.Execute(tool.Context{Context: t.Context(), RunID: t.Name()}, job(t, "shout", `{"text":"`+text+`"}`))
				raw, _ := out.Content.(json.RawMessage)
				if err != nil || !strings.Contains(string(raw), `"shouted":"`+strings.ToUpper(text)+`"`) {
					t.Errorf("got %s, %v, want %s", raw, err, strings.ToUpper(text))
				}
			}
		})
	}
	wg.Wait()
}

func TestAModuleThatChangesIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.wasm")
	call := func() (string, error) {
		j := job(t, "f", `{}`)
		j.Sandbox.WasmModule = path
		out, err := engine.Execute(tool.Context{Context: t.Context(), RunID: t.Name()}, j)
		raw, err2 := json.Marshal(out.Content)
		return string(raw), errors.Join(err, err2)
	}
	for i, answer := range []string{"1", "2", "1"} {
		if err := os.WriteFile(path, answering(answer), 0o600); err != nil {
			t.Fatal(err)
		}
		changed := time.Now().Add(time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
		if got, err := call(); got != answer || err != nil {
			t.Errorf("got %s, %v, want %s of the newest module", got, err, answer)
		}
	}
}

func TestAModuleThatCannotWorkSaysWhy(t *testing.T) {
	for name, tc := range map[string]struct {
		module []byte
		want   string
	}{
		"no memory":          {assemble(module{alloc: true, call: true}), "does not export its memory"},
		"no alloc":           {assemble(module{memory: 1, call: true}), "exports no function alloc (n: i32) → i32"},
		"an import of yours": {assemble(module{memory: 1, alloc: true, call: true, imports: true}), "it imports env.reach, and there is WASI preview 1 alone"},
		"not a module":       {[]byte("\x00asm\x01\x00\x00\x00garbage"), "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.wasm")
			if err := os.WriteFile(path, tc.module, 0o600); err != nil {
				t.Fatal(err)
			}
			j := job(t, "f", `{}`)
			j.Sandbox.WasmModule = path
			var coded *tool.Error
			for range 2 { // the second time from what is known of it
				if _, err := engine.Execute(tool.Context{Context: t.Context()}, j); !errors.As(err, &coded) || coded.Code != tool.CodeSandboxInvalidModule || !strings.Contains(coded.Message, tc.want) {
					t.Errorf("got %v, want %s with %q", err, tool.CodeSandboxInvalidModule, tc.want)
				}
			}
		})
	}
}

func TestAClosedEngineIsUnavailable(t *testing.T) {
	e := &wasm.Engine{}
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var coded *tool.Error
	if _, err := e.Execute(tool.Context{Context: t.Context()}, job(t, "shout", `{}`)); !errors.As(err, &coded) || coded.Code != tool.CodeSandboxUnavailable {
		t.Errorf("got %v, want %s", err, tool.CodeSandboxUnavailable)
	}
}
