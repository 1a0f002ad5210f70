//go:build unix

package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if command := os.Getenv("TEST_COMMAND"); command != "" {
		p := &Process{Command: command, Env: os.Environ()}
		if err := p.Start(context.Background()); err != nil {
			panic(err)
		}
		select {}
	}
	goleak.VerifyTestMain(m)
}

// D4: what ran when the program was killed is not to go on behind its back. Each of the command's processes holds the pipe open.
func TestACommandEndsWithAProgramThatIsKilled(t *testing.T) {
	for name, command := range map[string]string{
		"the shell and what it runs":    `exec 3>"$PIPE"; echo runs >&3; sleep 600; echo late >&3`,
		"and what is in the background": `exec 3>"$PIPE"; sleep 600 & (sleep 600; echo late >&3) & echo runs >&3; wait`,
		"and what does not listen":      `trap "" TERM; exec 3>"$PIPE"; echo runs >&3; while :; do sleep 600; done`,
	} {
		t.Run(name, func(t *testing.T) {
			program, pipe := start(t, command)
			said := make([]byte, 5)
			if _, err := io.ReadFull(pipe, said); err != nil || string(said) != "runs\n" {
				t.Fatalf("got %q, %v, want that it runs", said, err)
			}
			if err := program.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := program.Wait(); err == nil {
				t.Error("the program ended well, want it killed")
			}
			if rest, err := io.ReadAll(pipe); err != nil || len(rest) > 0 { // it ends when nobody holds it any more
				t.Errorf("got %q, %v after the program was killed, want nothing", rest, err)
			}
		})
	}
}

// start has a program run a command, which may write to the pipe.
func start(t *testing.T, command string) (program *exec.Cmd, pipe *os.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	program = exec.CommandContext(t.Context(), os.Args[0])
	program.Env = append(os.Environ(), "TEST_COMMAND="+command, "PIPE="+path)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() }) //nolint:errcheck // it was only read
	return program, pipe
}

func TestACommandThatEndedLeavesWhatItStarted(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	p := &Process{Command: fmt.Sprintf("sleep 600 >/dev/null 2>&1 & echo $! >%s", pid), Env: os.Environ()}
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	p.Finish()
	if state := p.watcher.cmd.ProcessState; !state.Success() {
		t.Errorf("the watcher ended with %v, want that it was dismissed", state)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	var left int
	if _, err := fmt.Sscan(strings.TrimSpace(string(text)), &left); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(left, syscall.SIGKILL); err != nil {
		t.Errorf("got %v, want that what it left in the background lives on", err)
	}
}
