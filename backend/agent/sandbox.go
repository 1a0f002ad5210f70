package agent

import "callboard/backend/tool"

// runCall runs a checked call that may run: in the sandbox its tool declares, if it declares one.
func (r *Runner) runCall(ctx tool.Context, c *tool.Call) tool.Result {
	if r.Sandbox != nil {
		return c.RunIn(ctx, r.Sandbox)
	}
	return c.RunIn(ctx, tool.NoSandbox{Logger: r.logger()})
}

// endSandbox lets go of what the sandbox kept for further calls of a run.
func (r *Runner) endSandbox(runID string) {
	if r.Sandbox != nil {
		guarded(r.logger(), "Sandbox", func() { r.Sandbox.EndRun(runID) })
	}
}
