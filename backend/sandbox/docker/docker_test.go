package docker_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"callboard/backend/sandbox"
	"callboard/backend/sandbox/docker"
	"callboard/backend/sandbox/internal/rantest"
	"callboard/backend/tool"
)

func job(t *testing.T, arguments map[string]any, change func(*tool.Sandbox)) tool.Job {
	t.Helper()
	return rantest.Job(t, image, arguments, change)
}

// none demands that every container is gone.
func none(t *testing.T, e *docker.Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if left := engine(t).containers(t); len(left) > 0 {
		t.Errorf("got %q, want no container left", left)
	}
}

func TestCommandsInContainers(t *testing.T) {
	e := newSandbox(t)
	rantest.Run(t, e, image)
	none(t, e)
}

func TestAContainerIsABox(t *testing.T) {
	e := newSandbox(t)
	rantest.Commands(t, e, image, map[string]rantest.Case{
		"a folder that is made":     {Arguments: map[string]any{"command": "pwd", "cwd": "/work/x"}, Want: tool.CommandResult{Stdout: "/work/x\n"}},
		"an environment of its own": {Arguments: map[string]any{"command": "echo $HOME; env | grep -c ."}, Want: tool.CommandResult{Stdout: "/\n5\n"}},
		"no network":                {Arguments: map[string]any{"command": "ls /sys/class/net"}, Want: tool.CommandResult{Stdout: "lo\n"}},
		"no capabilities":           {Arguments: map[string]any{"command": "grep -E 'CapEff|NoNewPrivs' /proc/self/status"}, Want: tool.CommandResult{Stdout: "CapEff:\t0000000000000000\nNoNewPrivs:\t1\n"}},
		"few processes": {
			Arguments: map[string]any{"command": "for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; true"}, Change: func(s *tool.Sandbox) { s.Resources.PidsLimit = 4 },
			Want: tool.CommandResult{Stderr: "sh: can't fork: Resource temporarily unavailable\n", ExitCode: 2},
		},
	})
	none(t, e)
}

func TestTooMuchMemoryIsSaid(t *testing.T) {
	out, err := newSandbox(t).Execute(tool.Context{Context: t.Context()}, job(t,
		map[string]any{"command": "echo begun; dd if=/dev/zero of=/dev/null bs=200M count=1"}, func(s *tool.Sandbox) { s.Resources.Memory = "16MB" }))
	var coded *tool.Error
	if !errors.As(err, &coded) || coded.Code != tool.CodeSandboxOOM || !strings.Contains(coded.Message, "it may have 16MB") {
		t.Errorf("got %+v, %v, want %s with the limit", out.Content, err, tool.CodeSandboxOOM)
	}
	if details, err := json.Marshal(out.Details); err != nil || !strings.HasPrefix(string(details), `{"terminal":"begun\n`) {
		t.Errorf("got %s, %v, want what it had said", details, err)
	}
}

func TestAKillNobodyOwnsUpToIsTakenForALackOfMemory(t *testing.T) {
	out, err := newSandbox(t).Execute(tool.Context{Context: t.Context()}, job(t,
		map[string]any{"command": "sh -c 'kill -9 $$'; exit $?"}, func(s *tool.Sandbox) { s.Resources.Memory = "16MB" }))
	var coded *tool.Error
	if !errors.As(err, &coded) || coded.Code != tool.CodeSandboxOOM || !strings.Contains(coded.Message, "most likely") {
		t.Errorf("got %+v, %v, want %s as what is likely", out.Content, err, tool.CodeSandboxOOM)
	}
}

func TestACancelEndsTheContainer(t *testing.T) {
	e, r := newSandbox(t), engine(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	type answer struct {
		out tool.Output[any]
		err error
	}
	done := make(chan answer, 1)
	go func() {
		out, err := e.Execute(tool.Context{Context: ctx}, job(t, map[string]any{"command": "echo begun; sleep 300"}, nil))
		done <- answer{out, err}
	}()
	sleeps := func(process []string) bool { return process[len(process)-1] == "sleep 300" }
	for range 6000 {
		if names := r.containers(t); len(names) > 0 {
			// once it sleeps it has said its first words
			if seen, err := r.client.ContainerTop(t.Context(), names[0], client.ContainerTopOptions{}); err == nil && slices.ContainsFunc(seen.Processes, sleeps) {
				break
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	start := time.Now()
	cancel()
	got := <-done
	took := time.Since(start)
	t.Logf("the cancel took %s", took)
	if took > 30*time.Second { // 200 ms, on a machine that has nothing else to do
		t.Errorf("took %s, want 200 ms", took)
	}
	if !errors.Is(got.err, context.Canceled) || got.out.Presentation == nil || got.out.Presentation.Summary != "cancelled" {
		t.Errorf("got %+v, %v, want the cancel", got.out.Presentation, got.err)
	}
	if details, err := json.Marshal(got.out.Details); err != nil || string(details) != `{"terminal":"begun\n"}` {
		t.Errorf("got %s, %v, want what it had said", details, err)
	}
	none(t, e)
	if _, err := e.Execute(tool.Context{Context: ctx}, job(t, map[string]any{"command": "true"}, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v of a call that was over before it began, want the cancel", err)
	}
}

func TestWhatADeadProcessLeftIsRemoved(t *testing.T) {
	r := engine(t)
	alive, dead := docker.Owner(), strings.Split(docker.Owner(), "/")[0]+"/4194305" // beyond the ids there are
	hour := func(h int) string {
		return strconv.FormatInt(time.Now().Add(time.Duration(h)*time.Hour).UnixMilli(), 10)
	}
	for name, labels := range map[string]map[string]string{
		"stays-alive":     {"callboard.sandbox.owner": alive, "callboard.sandbox.until": hour(1)},
		"stays-elsewhere": {"callboard.sandbox.owner": "another.machine/1", "callboard.sandbox.until": hour(1)},
		"stays-foreign":   {"other": "label"},
		"goes-dead":       {"callboard.sandbox.owner": dead, "callboard.sandbox.until": hour(1)},
		"goes-over":       {"callboard.sandbox.owner": "another.machine/1", "callboard.sandbox.until": hour(-1)},
	} {
		if _, err := r.client.ContainerCreate(t.Context(), client.ContainerCreateOptions{
			Name: name, Config: &container.Config{Image: image, Cmd: []string{"sleep", "300"}, Labels: labels}, HostConfig: &container.HostConfig{NetworkMode: "none"},
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.client.ContainerStart(t.Context(), name, client.ContainerStartOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	e := newSandbox(t)
	if _, err := e.Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "true"}, nil)); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	left := r.containers(t)
	slices.Sort(left)
	if want := []string{"stays-alive", "stays-elsewhere", "stays-foreign"}; !slices.Equal(left, want) {
		t.Errorf("got %q, want %q", left, want)
	}
	for _, name := range left {
		if _, err := r.client.ContainerRemove(t.Context(), name, client.ContainerRemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	}
}

func TestWhatCannotRunSaysWhy(t *testing.T) {
	e := newSandbox(t)
	for name, tc := range map[string]struct {
		arguments map[string]any
		image     string
		code      string
		want      string
	}{
		"a relative folder":   {map[string]any{"command": "true", "cwd": "x"}, image, tool.CodeInvalidArgs, "at '/cwd'"},
		"an image of nobody":  {map[string]any{"command": "true"}, "127.0.0.1:1/none:1", tool.CodeSandboxFailed, "127.0.0.1:1/none:1 is not there and cannot be pulled"},
		"no name of an image": {map[string]any{"command": "true"}, "UPPER CASE", tool.CodeSandboxFailed, "invalid reference format"},
	} {
		t.Run(name, func(t *testing.T) {
			var coded *tool.Error
			_, err := e.Execute(tool.Context{Context: t.Context()}, job(t, tc.arguments, func(s *tool.Sandbox) { s.Image = tc.image }))
			if !errors.As(err, &coded) || coded.Code != tc.code || !strings.Contains(coded.Message, tc.want) {
				t.Errorf("got %v, want %s with %q", err, tc.code, tc.want)
			}
		})
	}
}

func TestAnEngineThatCannotBeReachedIsUnavailable(t *testing.T) {
	silent, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() //nolint:errcheck // a listener of the test
	for name, tc := range map[string]struct{ host, want string }{
		"nobody listens": {"unix://" + filepath.Join(t.TempDir(), "none"), "failed to connect to the docker API"},
		"nobody answers": {"unix://" + silent.Addr().String(), "does not answer within 2s"},
		"no address":     {"nonsense", "unable to parse docker host"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &docker.Engine{Host: tc.host, Logger: quiet}
			defer e.Close() //nolint:errcheck // it reached nobody
			for range 2 {   // the first call as much as the next
				var coded *tool.Error
				if _, err := e.Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "true"}, nil)); !errors.As(err, &coded) || coded.Code != tool.CodeSandboxUnavailable || !strings.Contains(coded.Message, tc.want) {
					t.Errorf("got %v, want %s with %q", err, tool.CodeSandboxUnavailable, tc.want)
				}
			}
			out, err := (&sandbox.Sandbox{Docker: e, Logger: quiet}).Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "echo on the host"}, nil))
			if got, _ := out.Content.(tool.CommandResult); err != nil || got.Stdout != "on the host\n" {
				t.Errorf("got %+v, %v, want the command to run in the host's shell", got, err)
			}
		})
	}
}
