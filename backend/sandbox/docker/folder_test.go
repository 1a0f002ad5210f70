package docker_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/sandbox"
	"callboard/backend/sandbox/docker"
	"callboard/backend/sandbox/internal/rantest"
	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

func TestAContainerWorksInAFolderOfTheHost(t *testing.T) {
	e, folder := newSandbox(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("from the host\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	bound := func(s *tool.Sandbox) { s.Folder = folder }
	rantest.Commands(t, e, image, map[string]rantest.Case{
		"it begins there":          {Arguments: map[string]any{"command": "pwd"}, Change: bound, Want: tool.CommandResult{Stdout: folder + "\n"}},
		"a folder in it":           {Arguments: map[string]any{"command": "pwd", "cwd": "sub"}, Change: bound, Want: tool.CommandResult{Stdout: folder + "/sub\n"}},
		"a folder of its own":      {Arguments: map[string]any{"command": "pwd", "cwd": "/tmp"}, Change: bound, Want: tool.CommandResult{Stdout: "/tmp\n"}},
		"it reads what is there":   {Arguments: map[string]any{"command": "cat a.txt"}, Change: bound, Want: tool.CommandResult{Stdout: "from the host\n"}},
		"it changes what is there": {Arguments: map[string]any{"command": "echo changed > b.txt"}, Change: bound},
	})
	written := filepath.Join(folder, "b.txt")
	text, err := os.ReadFile(written)
	if err != nil || string(text) != "changed\n" {
		t.Errorf("got %q, %v, want what the container wrote", text, err)
	}
	var coded *tool.Error
	if _, err := e.Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "true"}, func(s *tool.Sandbox) {
		s.Folder = filepath.Join(folder, "gone")
	})); !errors.As(err, &coded) || coded.Code != tool.CodeSandboxFailed || !strings.Contains(coded.Message, "does not exist") {
		t.Errorf("got %v of a folder that is not there, want %s that says so", err, tool.CodeSandboxFailed)
	}
	none(t, e)
}

func TestACommandOfTheWorkspaceRunsInAContainer(t *testing.T) {
	e, folder := newSandbox(t), t.TempDir()
	tools, err := workspace.Tools(workspace.Options{Root: folder, Sandbox: &tool.Sandbox{
		Type: tool.Docker, Image: image, Resources: tool.Resources{Memory: "64MB", PidsLimit: 20},
	}})
	if err != nil {
		t.Fatal(err)
	}
	call, err := tools[len(tools)-1].Prepare(`{"command":"echo made > made.txt; ls /sys/class/net"}`)
	if err != nil {
		t.Fatal(err)
	}
	r := call.RunIn(tool.Context{Context: t.Context()}, &sandbox.Sandbox{Docker: e, Logger: quiet})
	if r.Err != nil || !strings.Contains(string(r.Content), `"stdout":"lo\n"`) || r.Presentation.Summary != "exit 0 in Docker" ||
		!strings.Contains(string(r.Details), "Ran in a container of "+image+" without a network, with 64MB of memory and 20 processes at most.") {
		t.Errorf("got %s, %+v, %s, %v, want it in a container, and told", r.Content, r.Presentation, r.Details, r.Err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "made.txt")); err != nil || string(text) != "made\n" {
		t.Errorf("got %q, %v, want what it made in the folder", text, err)
	}
	if call, err = tools[len(tools)-1].Prepare(`{"command":"sleep 300","timeoutMs":700}`); err != nil {
		t.Fatal(err)
	}
	r = call.RunIn(tool.Context{Context: t.Context()}, &sandbox.Sandbox{Docker: e, Logger: quiet})
	if r.Err != nil || !strings.Contains(string(r.Content), `"timedOut":true`) || r.Presentation.Summary != "timed out in Docker" {
		t.Errorf("got %s, %+v, %v, want it to end when its time is over", r.Content, r.Presentation, r.Err)
	}
	none(t, e)
}

func TestWhoWorksInAFolder(t *testing.T) {
	for name, tc := range map[string]struct {
		uid, gid   int
		options    []string
		user, home string
	}{
		"a user":                       {1000, 100, []string{"name=seccomp,profile=builtin"}, "1000:100", "/tmp"},
		"root":                         {0, 0, nil, "0:0", ""},
		"a user whose engine has none": {1000, 100, []string{"name=seccomp", "name=rootless"}, "0:0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if user, home := docker.Owning(tc.uid, tc.gid, tc.options); user != tc.user || home != tc.home {
				t.Errorf("got %s with %q, want %s with %q", user, home, tc.user, tc.home)
			}
		})
	}
}

func TestAFolderOnADriveHasAPlaceInAContainer(t *testing.T) {
	for p, want := range map[string]string{"C:": "/workspace", "C:/sub": "/workspace/sub"} {
		if got := docker.InContainer("C:", p); got != want {
			t.Errorf("%s: got %s, want %s", p, got, want)
		}
	}
	if got := docker.InContainer("/home/x", "/tmp"); got != "/tmp" {
		t.Errorf("got %s, want a path of the container as it is", got)
	}
}
