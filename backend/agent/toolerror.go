package agent

import (
	"cmp"
	"errors"
	"fmt"

	"callboard/backend/tool"
)

// ToolError is a call that ran and failed, as Agent.OnToolError hears of it.
type ToolError struct {
	ToolName      string
	ArgumentsText string // it ran with these
	Code          string // one of the TOOL_ or SANDBOX_ codes
	Err           error  // what the tool returned, or that it panicked; it may say more than anybody else should read
}

// hear tells the agent of a call that failed, before anyone else reads why. When that stops the run, the call's error and the
// run's become the reason that was given, and the error itself goes to the log alone.
func (x *run) hear(ctx tool.Context, c *call, result *tool.Result) (stop error) {
	failed := result.Err != nil && ctx.Err() == nil // a call that was stopped did not fail
	if !failed || x.agent.OnToolError == nil {
		return nil
	}
	code := tool.CodeExecutionFailed
	var coded *tool.Error
	if errors.As(result.Err, &coded) {
		code = coded.Code
	}
	ctx.OnUpdate = nil // the call is over
	var reason error
	guarded(x.runner.logger(), "OnToolError", func() {
		reason = x.agent.OnToolError(ctx, ToolError{ToolName: c.name, ArgumentsText: c.arguments, Code: code, Err: result.Err})
	})
	if reason == nil {
		return nil
	}
	message := cmp.Or(reason.Error(), fmt.Sprintf("The run was stopped, for a call of %s failed.", c.name))
	x.runner.logger().Error("a failed call stops its run", "run", x.id, "call", c.id, "tool", c.name, "error", result.Err, "reason", reason)
	stop = &RunError{Code: code, Message: message}
	*result = tool.Result{
		Presentation: c.prepared.Presentation(), Err: &tool.Error{Code: code, Message: message},
		Duration: result.Duration, Left: result.Left,
	}
	return stop
}
