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
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"callboard/backend/sandbox"
	"callboard/backend/sandbox/docker"
	"callboard/backend/tool"
)

func job(t *testing.T, arguments any, change func(*tool.Sandbox)) tool.Job {
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

func TestACommandRunsInAContainer(t *testing.T) {
	e := newSandbox(t)
	for name, tc := range map[string]struct {
		arguments map[string]any
		change    func(*tool.Sandbox)
		want      tool.CommandResult
		summary   string
	}{
		"streams apart":          {arguments: map[string]any{"command": "echo out; echo err >&2"}, want: tool.CommandResult{Stdout: "out\n", Stderr: "err\n"}, summary: "exit 0"},
		"a failure":              {arguments: map[string]any{"command": "exit 3"}, want: tool.CommandResult{ExitCode: 3}, summary: "exit 3"},
		"one that is not there":  {arguments: map[string]any{"command": "nope 2>/dev/null"}, want: tool.CommandResult{ExitCode: 127}, summary: "exit 127"},
		"a folder that is made":  {arguments: map[string]any{"command": "pwd", "cwd": "/work/x"}, want: tool.CommandResult{Stdout: "/work/x\n"}, summary: "exit 0"},
		"an environment":         {arguments: map[string]any{"command": `echo "$A $HOME"`, "env": map[string]string{"A": "x y"}}, want: tool.CommandResult{Stdout: "x y /\n"}, summary: "exit 0"},
		"no network":             {arguments: map[string]any{"command": "ls /sys/class/net"}, want: tool.CommandResult{Stdout: "lo\n"}, summary: "exit 0"},
		"no capabilities":        {arguments: map[string]any{"command": "grep -E 'CapEff|NoNewPrivs' /proc/self/status"}, want: tool.CommandResult{Stdout: "CapEff:\t0000000000000000\nNoNewPrivs:\t1\n"}, summary: "exit 0"},
		"no input":               {arguments: map[string]any{"command": "cat; echo end"}, want: tool.CommandResult{Stdout: "end\n"}, summary: "exit 0"},
		"a loose end is cut off": {arguments: map[string]any{"command": "sleep 300 & echo on"}, want: tool.CommandResult{Stdout: "on\n"}, summary: "exit 0"},
		"quotes as they are":     {arguments: map[string]any{"command": `x='a "b"'; echo "$x" '<&>'`}, want: tool.CommandResult{Stdout: "a \"b\" <&>\n"}, summary: "exit 0"},
		"few processes": {
			arguments: map[string]any{"command": "for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; true"}, change: func(s *tool.Sandbox) { s.Resources.PidsLimit = 4 },
			want: tool.CommandResult{Stderr: "sh: can't fork: Resource temporarily unavailable\n", ExitCode: 2}, summary: "exit 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := e.Execute(tool.Context{Context: t.Context()}, job(t, tc.arguments, tc.change))
			got, _ := out.Content.(tool.CommandResult)
			tc.want.Command, _ = tc.arguments["command"].(string)
			if got.Duration = 0; err != nil || got != tc.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tc.want)
			}
			if p := out.Presentation; p == nil || p.Summary != tc.summary || (p.Tone == tool.ToneWarning) != (tc.want.ExitCode != 0) {
				t.Errorf("got %+v, want the summary %q and a warning for a failure", p, tc.summary)
			}
		})
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if left := engine(t).containers(t); len(left) > 0 {
		t.Errorf("got %q, want no container left", left)
	}
}

func TestOutputIsBounded(t *testing.T) {
	out, err := newSandbox(t).Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "echo first; yes 0123456789abcde | head -c 5000000; echo last"}, nil))
	got, _ := out.Content.(tool.CommandResult)
	if err != nil || len(got.Stdout) > 21_000 || !strings.HasPrefix(got.Stdout, "first\n") || !strings.HasSuffix(got.Stdout, "\nlast\n") || !strings.Contains(got.Stdout, "bytes left out") {
		t.Errorf("got %d bytes, %v, want at most 21,000 with head, marker and tail", len(got.Stdout), err)
	}
	details, err := json.Marshal(out.Details)
	if err != nil || !strings.HasPrefix(string(details), `{"terminal":"first\n`) || len(details) > 300_000 {
		t.Errorf("got %d bytes of details, %v, want a terminal's text, bounded too", len(details), err)
	}
}

func TestTooMuchMemoryIsSaid(t *testing.T) {
	out, err := newSandbox(t).Execute(tool.Context{Context: t.Context()}, job(t,
		map[string]any{"command": "echo begun; dd if=/dev/zero of=/dev/null bs=200M count=1"}, func(s *tool.Sandbox) { s.Resources.Memory = "16MB" }))
	var coded *tool.Error
	if !errors.As(err, &coded) || coded.Code != tool.CodeSandboxOOM || !strings.Contains(coded.Message, "16777216 bytes") {
		t.Errorf("got %+v, %v, want %s with the limit", out.Content, err, tool.CodeSandboxOOM)
	}
	if details, err := json.Marshal(out.Details); err != nil || !strings.HasPrefix(string(details), `{"terminal":"begun\n`) {
		t.Errorf("got %s, %v, want what it had said", details, err)
	}
}

func TestATimeoutIsAResult(t *testing.T) {
	e := newSandbox(t)
	out, err := e.Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "echo begun; sleep 300"}, func(s *tool.Sandbox) { s.Timeout = 700 * time.Millisecond }))
	got, _ := out.Content.(tool.CommandResult)
	if err != nil || !got.TimedOut || got.ExitCode != 137 || got.Stdout != "begun\n" || got.Duration < 700 || got.Duration > 10_000 {
		t.Errorf("got %+v, %v, want one that timed out, with what it said", got, err)
	}
	if p := out.Presentation; p.Summary != "timed out" || p.Tone != tool.ToneWarning {
		t.Errorf("got %+v, want the summary timed out", p)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if left := engine(t).containers(t); len(left) > 0 {
		t.Errorf("got %q, want no container left", left)
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
	for range 500 {
		if names := r.containers(t); len(names) > 0 {
			if seen, err := r.client.ContainerInspect(t.Context(), names[0], client.ContainerInspectOptions{}); err == nil && seen.Container.State.Running {
				break
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond) // for its first words
	start := time.Now()
	cancel()
	got := <-done
	took := time.Since(start)
	t.Logf("the cancel took %s", took)
	if took > 2*time.Second { // 200 ms, on a machine that has nothing else to do
		t.Errorf("took %s, want 200 ms", took)
	}
	if !errors.Is(got.err, context.Canceled) || got.out.Presentation == nil || got.out.Presentation.Summary != "cancelled" {
		t.Errorf("got %+v, %v, want the cancel", got.out.Presentation, got.err)
	}
	if details, err := json.Marshal(got.out.Details); err != nil || string(details) != `{"terminal":"begun\n"}` {
		t.Errorf("got %s, %v, want what it had said", details, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if left := r.containers(t); len(left) > 0 {
		t.Errorf("got %q, want no container left", left)
	}
	if _, err := e.Execute(tool.Context{Context: ctx}, job(t, map[string]any{"command": "true"}, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v of a call that was over before it began, want the cancel", err)
	}
}

func TestCallsSideBySideDoNotMix(t *testing.T) {
	e := newSandbox(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			out, err := e.Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "echo " + strconv.Itoa(i)}, nil))
			if got, _ := out.Content.(tool.CommandResult); err != nil || got.Stdout != strconv.Itoa(i)+"\n" {
				t.Errorf("got %+v, %v, want %d", got, err, i)
			}
		})
	}
	wg.Wait()
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
		"no command":          {map[string]any{}, image, tool.CodeInvalidArgs, "there is no command"},
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
