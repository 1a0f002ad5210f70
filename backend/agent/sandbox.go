package agent

import (
	"strings"

	"callboard/backend/tool"
)

// runCall runs a checked call that may run: in the sandbox its tool declares, if it declares one, and nowhere else if it is contained.
func (r *Runner) runCall(ctx tool.Context, c *tool.Call, isContained bool) tool.Result {
	executor := r.Sandbox
	if executor == nil {
		executor = tool.NoSandbox{Logger: r.logger()}
	}
	if isContained {
		executor = contained{executor}
	}
	return c.RunIn(ctx, executor)
}

// byRule reports whether a rule allowed a call, which then runs only where the rule's calls do.
func (c *call) byRule() bool {
	return c.asked != nil && c.asked.Decision != nil && strings.HasPrefix(c.asked.Decision.By, ruleBy)
}

// contained keeps calls off the host.
type contained struct{ tool.Executor }

// Execute runs a call in its sandbox or not at all.
func (c contained) Execute(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
	job.Contained = true
	return c.Executor.Execute(ctx, job)
}

// endSandbox lets go of what the sandbox kept for further calls of a run.
func (r *Runner) endSandbox(runID string) {
	if r.Sandbox != nil {
		guarded(r.logger(), "Sandbox", func() { r.Sandbox.EndRun(runID) })
	}
}
