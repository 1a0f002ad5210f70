//go:build unix

package native_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/sandbox/internal/rantest"
	"callboard/backend/sandbox/native"
	"callboard/backend/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(ctx context.Context, t *testing.T, timeout time.Duration, arguments map[string]any) (tool.Output[any], error) {
	t.Helper()
	return native.Shell{}.Execute(tool.Context{Context: ctx}, rantest.Job(t, "busybox", arguments, func(s *tool.Sandbox) { s.Timeout = timeout }))
}

func TestCommandsOnTheHost(t *testing.T) {
	t.Setenv("CALLBOARD_TEST_API_KEY", "sk-secret")
	rantest.Run(t, native.Shell{}, "busybox")
	rantest.Commands(t, native.Shell{}, "busybox", map[string]rantest.Case{
		"no keys of models": {Arguments: map[string]any{"command": `echo "[$CALLBOARD_TEST_API_KEY]"`}, Want: tool.CommandResult{Stdout: "[]\n"}},
		"death by a signal": {Arguments: map[string]any{"command": "kill -9 $$"}, Want: tool.CommandResult{ExitCode: 137}},
	})
}

func TestATimeoutEndsTheGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	out, err := run(t.Context(), t, time.Second, map[string]any{"command": "sh -c 'echo $$ > " + file + "; sleep 300'; true"})
	if got, _ := out.Content.(tool.CommandResult); err != nil || !got.TimedOut {
		t.Errorf("got %+v, %v, want one that timed out", got, err)
	}
	gone(t, file)
}

func TestTheTimeOfACallThatIsOverIsToldBesideItsOutput(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	out, err := run(ctx, t, 0, map[string]any{"command": "sleep 300"})
	if !errors.Is(err, context.DeadlineExceeded) || out.Presentation == nil || out.Presentation.Summary != "timed out" {
		t.Errorf("got %+v, %v, want it to say that it timed out", out.Presentation, err)
	}
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
	for range 6000 {
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
	if took := time.Since(start); took > 30*time.Second { // 200 ms, on a machine that has nothing else to do
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
	for range 12_000 {
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
}
