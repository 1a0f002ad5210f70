package workspace

import (
	"time"

	"callboard/backend/tool"
)

// Timeout is how long the command may take in a sandbox.
func (in commandArgs) Timeout() time.Duration { return time.Duration(in.TimeoutMs) * time.Millisecond }

// runSandboxed is run_command in a sandbox: the same call, with what a sandbox gives.
func (w *workspace) runSandboxed() (*tool.Tool, error) {
	own := *w.options.Sandbox
	own.Folder = w.root
	config := tool.Config[commandArgs, tool.Output[tool.CommandResult]]{
		Name: "run_command",
		Description: "Runs a shell command in the workspace folder, in " + own.String() + ". It gives the exit code, stdout and stderr; what is long is cut in the middle. " +
			"It has no input and no terminal, and what it leaves running in the background is ended. What it changes outside the folder is gone after it.",
		Category:     "process",
		SideEffects:  []tool.SideEffect{tool.Process},
		Approval:     w.askingCommand(),
		Presentation: &commandCalls,
		Present:      func(in commandArgs) *tool.Presentation { return presentCommand(in, "") },
		Sandbox:      &own,
		Run:          w.unsandboxed,
	}
	if w.options.Where != nil {
		config.Preview = func(ctx tool.Context, _ commandArgs) (any, error) { return tool.Text(w.options.Where(ctx)), nil }
	}
	return tool.Define(config)
}

// unsandboxed runs a command on the host where there is no sandbox at all; a command that timed out is an error there.
func (w *workspace) unsandboxed(ctx tool.Context, in commandArgs) (tool.Output[tool.CommandResult], error) {
	started := time.Now()
	out, err := w.command(ctx, in)
	return tool.Output[tool.CommandResult]{
		Content: tool.CommandResult{
			Stdout: out.Content.Output, ExitCode: out.Content.ExitCode, Duration: time.Since(started).Milliseconds(), Command: in.Command,
		},
		Details: out.Details, Presentation: out.Presentation,
	}, err
}
