//go:build unix

package native_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/sandbox/native"
	"callboard/backend/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(ctx context.Context, t *testing.T, timeout time.Duration, arguments any) (tool.Output[any], error) {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return native.Shell{}.Execute(tool.Context{Context: ctx}, tool.Job{
		ToolName: "sh", Arguments: text, Sandbox: tool.Sandbox{Type: tool.Docker, Image: "busybox", Timeout: timeout},
	})
}

func TestACommandRunsInTheHostsShell(t *testing.T) {
	t.Setenv("CALLBOARD_TEST_API_KEY", "sk-secret")
	folder := t.TempDir()
	for name, tc := range map[string]struct {
		arguments map[string]any
		want      tool.CommandResult
		summary   string
	}{
		"streams apart":    {map[string]any{"command": "echo out; echo err >&2"}, tool.CommandResult{Stdout: "out\n", Stderr: "err\n"}, "exit 0"},
		"a failure":        {map[string]any{"command": "exit 3"}, tool.CommandResult{ExitCode: 3}, "exit 3"},
		"a folder":         {map[string]any{"command": "pwd", "cwd": folder}, tool.CommandResult{Stdout: folder + "\n"}, "exit 0"},
		"an environment":   {map[string]any{"command": `echo "$A [$CALLBOARD_TEST_API_KEY]"`, "env": map[string]string{"A": "x y"}}, tool.CommandResult{Stdout: "x y []\n"}, "exit 0"},
		"death by signal":  {map[string]any{"command": "kill -9 $$"}, tool.CommandResult{ExitCode: 137}, "exit 137"},
		"a loose end":      {map[string]any{"command": "sleep 300 & echo on"}, tool.CommandResult{Stdout: "on\n"}, "exit 0"},
		"bytes of no text": {map[string]any{"command": `printf 'a\377b'`}, tool.CommandResult{Stdout: "a\uFFFDb"}, "exit 0"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t.Context(), t, 0, tc.arguments)
			got, _ := out.Content.(tool.CommandResult)
			tc.want.Command, got.Duration = fmt.Sprint(tc.arguments["command"]), 0
			if err != nil || got != tc.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tc.want)
			}
			if p := out.Presentation; p.Summary != tc.summary || (p.Tone == tool.ToneWarning) != (tc.want.ExitCode != 0) {
				t.Errorf("got %+v, want the summary %q and a warning for a failure", p, tc.summary)
			}
		})
	}
	out, err := run(t.Context(), t, 0, map[string]any{"command": "echo out; sleep 0.1; echo err >&2"})
	details, encodeErr := json.Marshal(out.Details)
	if err = errors.Join(err, encodeErr); err != nil || string(details) != `{"terminal":"out\nerr\n"}` {
		t.Errorf("got %s, %v, want both streams for people", details, err)
	}
}

func TestLongOutputIsCutInTheMiddle(t *testing.T) {
	out, err := run(t.Context(), t, 0, map[string]any{"command": "echo first; yes 0123456789abcde | head -c 5000000; echo last"})
	got, _ := out.Content.(tool.CommandResult)
	if err != nil || len(got.Stdout) > 21_000 || !strings.HasPrefix(got.Stdout, "first\n") || !strings.HasSuffix(got.Stdout, "\nlast\n") || !strings.Contains(got.Stdout, "bytes left out") {
		t.Errorf("got %d bytes, %v, want at most 21,000 with head, marker and tail", len(got.Stdout), err)
	}
}

func TestATimeoutIsAResultAndEndsTheGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	out, err := run(t.Context(), t, 300*time.Millisecond, map[string]any{"command": "echo begun; (echo $BASHPID; sh -c 'echo $$ > " + file + "; sleep 300'); true"})
	got, _ := out.Content.(tool.CommandResult)
	if err != nil || !got.TimedOut || got.ExitCode < 128 || got.Duration < 300 || got.Duration > 3000 || !strings.HasPrefix(got.Stdout, "begun\n") {
		t.Errorf("got %+v, %v, want one that timed out, with what it said", got, err)
	}
	if out.Presentation.Summary != "timed out" || out.Presentation.Tone != tool.ToneWarning {
		t.Errorf("got %+v, want the summary timed out", out.Presentation)
	}
	gone(t, file)
}

func TestACancelEndsTheGroupAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := run(ctx, t, 0, map[string]any{"command": "sh -c 'echo $$ > " + file + "; sleep 300'; true"})
		done <- err
	}()
	for range 500 {
		if raw, err := os.ReadFile(file); err == nil && len(raw) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	start := time.Now()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancel", err)
	}
	if took := time.Since(start); took > time.Second { // 200 ms, on a machine that has nothing else to do
		t.Errorf("took %s, want 200 ms", took)
	}
	gone(t, file)
}

// gone demands that the process whose id a file holds has ended.
func gone(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

func TestWhatCannotRunSaysWhy(t *testing.T) {
	_, err := run(t.Context(), t, 0, map[string]any{"command": "true", "cwd": "/no/such/folder"})
	var coded *tool.Error
	if !errors.As(err, &coded) || coded.Code != tool.CodeSandboxFailed || !strings.Contains(coded.Message, "/no/such/folder") {
		t.Errorf("got %v, want %s with the folder", err, tool.CodeSandboxFailed)
	}
	if _, err = run(t.Context(), t, 0, map[string]any{"cwd": "/"}); !errors.As(err, &coded) || coded.Code != tool.CodeInvalidArgs {
		t.Errorf("got %v, want %s", err, tool.CodeInvalidArgs)
	}
}
