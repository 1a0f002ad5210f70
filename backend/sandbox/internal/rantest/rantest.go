// Package rantest is the test that every sandbox of commands passes: those in containers, and the host in their place.
package rantest

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/backend/tool"
)

// Job is a call of a tool that declares a Docker sandbox.
func Job(t *testing.T, image string, arguments map[string]any, change func(*tool.Sandbox)) tool.Job {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	j := tool.Job{ToolName: "sh", Arguments: text, Sandbox: tool.Sandbox{Type: tool.Docker, Image: image}}
	if change != nil {
		change(&j.Sandbox)
	}
	return j
}

// Case is a command and what it gives; its Command and Duration are filled in.
type Case struct {
	Arguments map[string]any
	Change    func(*tool.Sandbox)
	Want      tool.CommandResult
}

// Commands holds an executor to what commands give.
func Commands(t *testing.T, x tool.Executor, image string, cases map[string]Case) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := x.Execute(tool.Context{Context: t.Context()}, Job(t, image, tc.Arguments, tc.Change))
			got, _ := out.Content.(tool.CommandResult)
			tc.Want.Command, _ = tc.Arguments["command"].(string)
			if got.Duration = 0; err != nil || got != tc.Want {
				t.Errorf("got %+v, %v, want %+v", got, err, tc.Want)
			}
			summary := "exit " + strconv.Itoa(tc.Want.ExitCode)
			if p := out.Presentation; p == nil || p.Summary != summary || (p.Tone == tool.ToneWarning) != (tc.Want.ExitCode != 0) {
				t.Errorf("got %+v, want the summary %q and a warning for a failure", p, summary)
			}
		})
	}
}

// Run holds an executor to what every sandbox of commands promises.
func Run(t *testing.T, x tool.Executor, image string) {
	t.Helper()
	Commands(t, x, image, map[string]Case{
		"streams apart":          {Arguments: map[string]any{"command": "echo out; echo err >&2"}, Want: tool.CommandResult{Stdout: "out\n", Stderr: "err\n"}},
		"a failure":              {Arguments: map[string]any{"command": "exit 3"}, Want: tool.CommandResult{ExitCode: 3}},
		"one that is not there":  {Arguments: map[string]any{"command": "callboard-no-such-command 2>/dev/null"}, Want: tool.CommandResult{ExitCode: 127}},
		"a folder":               {Arguments: map[string]any{"command": "pwd", "cwd": "/tmp"}, Want: tool.CommandResult{Stdout: "/tmp\n"}},
		"an environment":         {Arguments: map[string]any{"command": `echo "$A"`, "env": map[string]string{"A": "x y"}}, Want: tool.CommandResult{Stdout: "x y\n"}},
		"no input":               {Arguments: map[string]any{"command": "cat; echo end"}, Want: tool.CommandResult{Stdout: "end\n"}},
		"a loose end is cut off": {Arguments: map[string]any{"command": "sleep 300 & echo on"}, Want: tool.CommandResult{Stdout: "on\n"}},
		"quotes as they are":     {Arguments: map[string]any{"command": `x='a "b"'; echo "$x" '<&>'`}, Want: tool.CommandResult{Stdout: "a \"b\" <&>\n"}},
		"bytes of no text":       {Arguments: map[string]any{"command": `printf 'a\377b'`}, Want: tool.CommandResult{Stdout: "a\uFFFDb"}},
	})
	t.Run("both streams for people", func(t *testing.T) {
		out, err := x.Execute(tool.Context{Context: t.Context()}, Job(t, image, map[string]any{"command": "echo out; sleep 0.2; echo err >&2"}, nil))
		details, encodeErr := json.Marshal(out.Details)
		if err = errors.Join(err, encodeErr); err != nil || string(details) != `{"terminal":"out\nerr\n"}` {
			t.Errorf("got %s, %v, want what a terminal shows", details, err)
		}
	})
	t.Run("long output is cut in the middle", func(t *testing.T) {
		out, err := x.Execute(tool.Context{Context: t.Context()}, Job(t, image, map[string]any{"command": "echo first; yes 0123456789abcde | head -c 5000000; echo last"}, nil))
		got, _ := out.Content.(tool.CommandResult)
		if err != nil || len(got.Stdout) > 21_000 || !strings.HasPrefix(got.Stdout, "first\n") || !strings.HasSuffix(got.Stdout, "\nlast\n") || !strings.Contains(got.Stdout, "bytes left out") {
			t.Errorf("got %d bytes, %v, want at most 21,000 with head, marker and tail", len(got.Stdout), err)
		}
		if details, err := json.Marshal(out.Details); err != nil || !strings.HasPrefix(string(details), `{"terminal":"first\n`) || len(details) > 300_000 {
			t.Errorf("got %d bytes of details, %v, want a terminal's text, bounded too", len(details), err)
		}
	})
	t.Run("a timeout is a result", func(t *testing.T) {
		out, err := x.Execute(tool.Context{Context: t.Context()}, Job(t, image, map[string]any{"command": "echo begun; sleep 300"}, func(s *tool.Sandbox) { s.Timeout = 700 * time.Millisecond }))
		got, _ := out.Content.(tool.CommandResult)
		if err != nil || !got.TimedOut || got.ExitCode < 128 || got.Stdout != "begun\n" || got.Duration < 700 || got.Duration > 10_000 {
			t.Errorf("got %+v, %v, want one that timed out, with what it said", got, err)
		}
		if p := out.Presentation; p == nil || p.Summary != "timed out" || p.Tone != tool.ToneWarning {
			t.Errorf("got %+v, want the summary timed out", p)
		}
	})
	t.Run("a cancel is told as such", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, cancel)
		out, err := x.Execute(tool.Context{Context: ctx}, Job(t, image, map[string]any{"command": "sleep 300"}, nil))
		if !errors.Is(err, context.Canceled) || out.Content != nil && out.Presentation.Summary != "cancelled" {
			t.Errorf("got %+v, %v, want the cancel", out.Presentation, err)
		}
	})
	t.Run("calls side by side do not mix", func(t *testing.T) {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				out, err := x.Execute(tool.Context{Context: t.Context()}, Job(t, image, map[string]any{"command": "echo " + strconv.Itoa(i)}, nil))
				if got, _ := out.Content.(tool.CommandResult); err != nil || got.Stdout != strconv.Itoa(i)+"\n" {
					t.Errorf("got %+v, %v, want %d", got, err, i)
				}
			})
		}
		wg.Wait()
	})
	t.Run("arguments without a command are refused", func(t *testing.T) {
		var coded *tool.Error
		if _, err := x.Execute(tool.Context{Context: t.Context()}, Job(t, image, map[string]any{"cwd": "/"}, nil)); !errors.As(err, &coded) || coded.Code != tool.CodeInvalidArgs {
			t.Errorf("got %v, want %s", err, tool.CodeInvalidArgs)
		}
	})
	x.EndRun("a run nobody knows")
}
