package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

// commandPlace says where run_command runs for every agent but the demo, whose sample needs the machine's own shell.
type commandPlace struct {
	In        string           `json:"in"` // inHost or inDocker
	Image     string           `json:"image"`
	Memory    string           `json:"memory"`    // empty is no limit
	PidsLimit int64            `json:"pidsLimit"` // 0 is no limit
	Network   tool.NetworkMode `json:"network"`
}

// Where commands run.
const (
	inHost   = "host"
	inDocker = "docker"
)

// usualCommands run on the machine itself. The rest is what Docker is offered with.
var usualCommands = commandPlace{In: inHost, Image: "debian:stable-slim", Memory: "1GB", PidsLimit: 512, Network: tool.NetworkNone}

func (c *commandPlace) sandbox() tool.Sandbox {
	return tool.Sandbox{
		Type: tool.Docker, Image: c.Image, Network: c.Network, Resources: tool.Resources{Memory: c.Memory, PidsLimit: c.PidsLimit},
	}
}

// checked cleans up what a person wrote, and refuses what can never work: a line for each member at fault, with its name in front.
func (c commandPlace) checked() (commandPlace, error) {
	c.Image, c.Memory = strings.TrimSpace(c.Image), strings.ReplaceAll(c.Memory, " ", "")
	if c.In == inHost {
		return c, nil
	}
	if c.In != inDocker {
		return c, invalid("in: %q is none of host and docker", c.In)
	}
	var faults []string
	fault := func(member, format string, args ...any) {
		faults = append(faults, member+": "+fmt.Sprintf(format, args...))
	}
	switch {
	case c.Image == "":
		fault("image", "Docker needs an image, such as %s", usualCommands.Image)
	case strings.ContainsFunc(c.Image, func(r rune) bool { return r <= ' ' }):
		fault("image", "%q is no name of an image: it holds a space", c.Image)
	}
	alone := func(box tool.Sandbox) error {
		box.Type, box.Image = tool.Docker, usualCommands.Image
		return box.Check()
	}
	if err := alone(tool.Sandbox{Resources: tool.Resources{Memory: c.Memory}}); err != nil {
		fault("memory", "%v", err)
	}
	if c.PidsLimit < 0 {
		fault("pidsLimit", "%d is no number of processes", c.PidsLimit)
	}
	if err := alone(tool.Sandbox{Network: c.Network}); err != nil {
		fault("network", "%q is none of none, bridge and host", c.Network)
	}
	if len(faults) > 0 {
		return c, invalid("%s", strings.Join(faults, "\n"))
	}
	return c, nil
}

// workspaceOptions are how the workspace tools work by the settings.
func (s *Studio) workspaceOptions(set settings) workspace.Options {
	if set.Commands.In != inDocker {
		return workspace.Options{}
	}
	box := set.Commands.sandbox()
	return workspace.Options{Sandbox: &box, Where: func(ctx tool.Context) string { return s.whereCommandsRun(ctx, &box) }}
}

// whereCommandsRun says on a command's card where it would run now. It is the same text as long as that is the same place: a card
// whose text has changed is shown again.
func (s *Studio) whereCommandsRun(ctx context.Context, box *tool.Sandbox) string {
	switch err := s.sandboxes.docker.Check(ctx); {
	case err == nil:
		return "Runs in " + box.String() + ". It sees this thread’s folder, and may change what is in it."
	case s.sandboxes.hostAllowed():
		return "Docker cannot be reached: it runs on this machine itself, with all you can reach here."
	default:
		return "Docker cannot be reached, and by the settings no command runs on this machine in its place: it will fail."
	}
}

// commandsTest is what a test of the sandbox found.
type commandsTest struct {
	OK      bool       `json:"ok"`
	Message string     `json:"message,omitempty"`
	Error   *testError `json:"error,omitempty"`
}

// commandsTestTime limits a test. The image may have to be pulled first.
const commandsTestTime = 5 * time.Minute

// testCommands runs a command that changes nothing where the body says, in Docker and nowhere else.
func (s *Studio) testCommands(w http.ResponseWriter, r *http.Request) {
	body := usualCommands
	err := read(w, r, &body)
	if err == nil {
		body.In = inDocker
		body, err = body.checked()
	}
	set, settingsErr := s.settings(r.Context())
	if err := errors.Join(err, settingsErr); err != nil {
		s.fail(w, err)
		return
	}
	box := body.sandbox()
	if isFolder(set.Folder) {
		box.Folder = set.Folder
	}
	ctx, cancel := context.WithTimeout(r.Context(), commandsTestTime)
	defer cancel()
	reply(w, http.StatusOK, s.tryCommand(ctx, box))
}

func (s *Studio) tryCommand(ctx context.Context, box tool.Sandbox) commandsTest {
	started := time.Now()
	out, err := s.sandboxes.docker.Execute(tool.Context{Context: ctx}, tool.Job{
		ToolName: "run_command", Sandbox: box, Arguments: json.RawMessage(`{"command":"if [ -w . ]; then echo writable; fi"}`),
	})
	result, _ := out.Content.(tool.CommandResult)
	var coded *tool.Error
	switch {
	case errors.As(err, &coded):
		return commandsTest{Error: &testError{Message: coded.Message, Code: coded.Code}}
	case err != nil:
		return commandsTest{Error: &testError{Message: "The test was not over after " + commandsTestTime.String() + ".", Code: tool.CodeSandboxTimeout}}
	case result.ExitCode != 0 || result.TimedOut:
		return commandsTest{Error: &testError{Message: "The image’s shell failed: " + strings.TrimSpace(result.Stderr), Code: tool.CodeSandboxFailed}}
	case box.Folder != "" && strings.TrimSpace(result.Stdout) != "writable":
		return commandsTest{Error: &testError{
			Message: "A command ran in " + box.String() + ", and could not write in the folder " + box.Folder + ".", Code: tool.CodeSandboxFailed,
		}}
	}
	took := time.Since(started).Round(10 * time.Millisecond)
	message := "A command ran in " + box.String() + ", in " + took.String()
	if box.Folder != "" {
		message += ", and can write in the folder " + box.Folder
	}
	return commandsTest{OK: true, Message: message + "."}
}
