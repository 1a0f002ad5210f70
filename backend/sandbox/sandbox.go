// Package sandbox chooses where the calls of sandboxed tools run: in Docker or in WASM, as each declares, and on the host where
// that is not there, if it may be (Cogitator, Custom Tools, Sandbox Configuration). It knows nothing of agents, containers or
// modules: sandbox/docker and sandbox/wasm do, and a program that has no use for one of them leaves it out.
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"

	"callboard/backend/sandbox/internal/ran"
	"callboard/backend/sandbox/native"
	"callboard/backend/tool"
)

// Sandbox is a tool.Executor made of others: an agent.Runner's Sandbox.
//
//	Docker is nil         → the tool's own Run, on the host
//	Docker is unreachable → the command, in the host's shell
//	WASM is nil or cannot start → the tool's own Run, on the host
//
// Each of these is a warning in the log, from the first call on, and in the row of the call. Where the host may not be used, the call is Contained, or a
// tool has no Run of its own, the call fails with SANDBOX_UNAVAILABLE instead. Nothing else falls back: what a sandbox has begun is not run again elsewhere.
// Where a call ran stands at the end of its presentation's summary, and of a command in its details too.
type Sandbox struct {
	Docker tool.Executor // a *docker.Engine
	WASM   tool.Executor // a *wasm.Engine
	// NativeFallback says whether calls may run on the host where their sandbox is not there; it is asked each time. nil is yes.
	NativeFallback func() bool
	Logger         *slog.Logger // nil is slog.Default()
}

var _ tool.Executor = (*Sandbox)(nil)

// Execute runs a call where its tool declares, or on the host in its place.
func (s *Sandbox) Execute(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
	var executor tool.Executor
	host, where := job.Host, "the host"
	switch job.Sandbox.Type {
	case tool.Docker:
		executor = s.Docker
		if executor != nil {
			host, where = func(ctx tool.Context) (tool.Output[any], error) { return native.Shell{}.Execute(ctx, job) }, "the host's shell"
		}
	case tool.WASM:
		executor = s.WASM
	}
	reason := unavailable(fmt.Sprintf("no %s sandbox is set up", job.Sandbox.Type), nil)
	if executor != nil {
		out, err := executor.Execute(ctx, job)
		if !errors.As(err, &reason) || reason.Code != tool.CodeSandboxUnavailable {
			if err != nil && ranNowhere(out, reason, job.Sandbox.Type) {
				return out, err
			}
			return told(out, places[job.Sandbox.Type], "Ran in "+job.Sandbox.String()+".", ""), err
		}
	}
	switch {
	case job.Contained:
		return tool.Output[any]{}, unavailable(reason.Message+"; and a rule allowed the call there alone, not on the host", reason)
	case s.NativeFallback != nil && !s.NativeFallback():
		return tool.Output[any]{}, unavailable(reason.Message+"; and calls may not run on the host in its place", reason)
	case host == nil:
		return tool.Output[any]{}, unavailable(fmt.Sprintf("%s; and the tool %q has nothing that runs on the host", reason.Message, job.ToolName), reason)
	}
	s.logger().Warn("a sandbox is not available; the call runs on the host", "tool", job.ToolName, "sandbox", job.Sandbox.Type,
		"where", where, "reason", reason.Message)
	out, err := host(ctx)
	return told(out, "on the host", fmt.Sprintf("Ran on the host, not in %s: %s.", &job.Sandbox, reason.Message), tool.ToneWarning), err
}

var places = map[tool.SandboxType]string{tool.Docker: "in Docker", tool.WASM: "in WebAssembly"}

// ranNowhere reports whether a call that failed in its sandbox never began there: of a command that did there would be something.
func ranNowhere(out tool.Output[any], reason *tool.Error, kind tool.SandboxType) bool {
	return reason.Code == tool.CodeSandboxInvalidModule || kind == tool.Docker && out.Presentation == nil && out.Details == nil
}

// told says in what came of a call where it ran.
func told(out tool.Output[any], place, sentence string, tone tool.Tone) tool.Output[any] {
	var shown tool.Presentation
	if out.Presentation != nil {
		shown = *out.Presentation
	}
	if shown.Summary != "" {
		place = shown.Summary + " " + place
	}
	shown.Summary, shown.Tone = place, cmp.Or(shown.Tone, tone)
	out.Presentation = &shown
	switch details := out.Details.(type) {
	case ran.Details:
		details.Text = tool.Text(sentence)
		out.Details = details
	case nil:
		if _, isCommand := out.Content.(tool.CommandResult); isCommand {
			out.Details = ran.Details{Text: tool.Text(sentence)}
		}
	}
	return out
}

// EndRun lets go of what was kept for further calls of a run.
func (s *Sandbox) EndRun(runID string) {
	for _, executor := range []tool.Executor{s.Docker, s.WASM} {
		if executor != nil {
			executor.EndRun(runID)
		}
	}
}

func (s *Sandbox) logger() *slog.Logger {
	if s.Logger != nil {
		return s.Logger
	}
	return slog.Default()
}

func unavailable(message string, err *tool.Error) *tool.Error {
	failed := &tool.Error{Code: tool.CodeSandboxUnavailable, Message: message}
	if err != nil {
		failed.Err = err
	}
	return failed
}
