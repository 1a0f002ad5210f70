package workspace_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

// box is an executor that keeps what it is asked to run.
type box struct{ job tool.Job }

func (b *box) Execute(_ tool.Context, job tool.Job) (tool.Output[any], error) {
	b.job = job
	return tool.Output[any]{Content: tool.CommandResult{Stdout: "boxed"}, Presentation: &tool.Presentation{Summary: "exit 0"}}, nil
}

func (*box) EndRun(string) {}

func TestACommandRunsInTheSandboxThatIsSet(t *testing.T) {
	f := newFolderWith(t, workspace.Options{
		Sandbox: &tool.Sandbox{Type: tool.Docker, Image: "box:1"},
		Where:   func(tool.Context) string { return "in a box" },
	}, nil)
	call := f.prepare("run_command", args{"command": "make", "timeoutMs": 5000})
	if !f.tools["run_command"].NeedsApproval(`{"command":"make"}`) {
		t.Error("it runs unasked, want it to ask as on the host")
	}
	preview, err := call.Preview(tool.Context{})
	if err != nil || string(preview) != `{"text":"in a box"}` {
		t.Errorf("got the preview %s, %v, want where it would run", preview, err)
	}
	in := &box{}
	r := call.RunIn(tool.Context{Context: t.Context()}, in)
	if got := content[tool.CommandResult](t, r); got.Stdout != "boxed" {
		t.Errorf("got %+v, want what the sandbox gave", got)
	}
	if want := (tool.Presentation{Label: "Run command", Icon: "terminal", Detail: "make", Summary: "exit 0"}); *r.Presentation != want {
		t.Errorf("got %+v, want %+v", *r.Presentation, want)
	}
	command, err := in.job.Command()
	if err != nil || command.Cwd != f.root || in.job.Sandbox.Folder != f.root || in.job.Sandbox.Timeout != 5*time.Second {
		t.Errorf("got %+v of %+v, %v, want it in the folder with the time it asked for", command, in.job.Sandbox, err)
	}
	if got := f.tools["run_command"].Description; !strings.Contains(got, "a container of box:1 without a network") {
		t.Errorf("got %q, want the model to be told where it works", got)
	}
}

func TestWithoutASandboxACommandsOwnRunGivesTheSame(t *testing.T) {
	f := newFolderWith(t, workspace.Options{Sandbox: &tool.Sandbox{Type: tool.Docker, Image: "box:1"}}, map[string]string{"a.txt": "here"})
	r := f.call("run_command", args{"command": "cat a.txt; exit 3"})
	got := content[tool.CommandResult](t, r)
	if got.Duration = 0; got != (tool.CommandResult{Stdout: "here", ExitCode: 3, Command: "cat a.txt; exit 3"}) || r.Presentation.Summary != "exit 3" {
		t.Errorf("got %+v and %+v, want its output and exit code", got, r.Presentation)
	}
	var coded *tool.Error
	if r := f.call("run_command", args{"command": "sleep 300", "timeoutMs": 1}); !errors.As(r.Err, &coded) || coded.Code != tool.CodeTimeout {
		t.Errorf("got %v, want %s", r.Err, tool.CodeTimeout)
	}
}

func TestASandboxThatCannotWorkIsRefused(t *testing.T) {
	if _, err := workspace.Tools(workspace.Options{Root: t.TempDir(), Sandbox: &tool.Sandbox{Type: tool.Docker}}); err == nil || !strings.Contains(err.Error(), "it has no Image") {
		t.Errorf("got %v, want that there is no image", err)
	}
}
