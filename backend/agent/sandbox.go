package agent

import (
	"fmt"

	"callboard/backend/tool"
)

// runCall runs a checked call that may run: in the sandbox its tool declares, if it declares one.
func (r *Runner) runCall(ctx tool.Context, c *tool.Call) tool.Result {
	if r.Sandbox != nil {
		return c.RunIn(ctx, r.Sandbox)
	}
	return c.RunIn(ctx, onHost{r})
}

// endSandbox lets go of what the sandbox kept for further calls of a run.
func (r *Runner) endSandbox(runID string) {
	if r.Sandbox != nil {
		guarded(r.logger(), "Sandbox", func() { r.Sandbox.EndRun(runID) })
	}
}

// onHost is the sandbox of a runner that has none.
type onHost struct{ runner *Runner }

func (h onHost) Execute(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
	if job.Host == nil {
		return tool.Output[any]{}, &tool.Error{
			Code:    tool.CodeSandboxUnavailable,
			Message: fmt.Sprintf("There is no %s sandbox here, and the tool %q runs nowhere else", job.Sandbox.Type, job.ToolName),
		}
	}
	h.runner.logger().Warn("there is no sandbox; a tool that declares one runs on the host", "tool", job.ToolName, "sandbox", job.Sandbox.Type)
	return job.Host(ctx)
}

func (onHost) EndRun(string) {}
