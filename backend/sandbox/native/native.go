// Package native runs the commands of sandboxed tools in the host's shell: what is left where Docker cannot be reached. It
// isolates nothing, and knows nothing of containers.
package native

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"callboard/backend/internal/process"
	"callboard/backend/sandbox/internal/ran"
	"callboard/backend/tool"
)

// Shell runs `sh -c` of a job's command, with its cwd and env, in a process group of its own that ends with the call. Its
// environment is this program's, without variables that end in _API_KEY. Of a sandbox it honours the Folder and the Timeout (2
// minutes when there is none) alone; image, resources and network are Docker's.
type Shell struct{}

var _ tool.Executor = Shell{}

// Execute runs a command. The content is a tool.CommandResult: one that failed, or whose time was over, is a result too.
func (Shell) Execute(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
	var out tool.Output[any]
	command, err := job.Command()
	if err != nil {
		return out, err
	}
	p := &process.Process{Command: command.Command, Folder: command.Cwd, Env: process.Environ()}
	streams := ran.Streams{Both: &p.Output}
	p.Stdout, p.Stderr = &streams.Stdout, &streams.Stderr
	for name, value := range command.Env {
		p.Env = append(p.Env, name+"="+value)
	}
	started := time.Now()
	if command.Cwd != "" {
		_, err = os.Stat(command.Cwd) // a shell in a folder that is not there fails as if the shell were not
	}
	if err == nil {
		err = p.Start(ctx)
	}
	if err != nil {
		return out, &tool.Error{Code: tool.CodeSandboxFailed, Message: fmt.Sprintf("start the command on the host: %v", err), Err: err}
	}
	limit := time.NewTimer(cmp.Or(job.Sandbox.Timeout, ran.DefaultTimeout))
	defer limit.Stop()
	timedOut := false
	select {
	case <-p.Exited():
		p.Finish()
	case <-limit.C:
		timedOut = true
		p.Kill()
	case <-ctx.Done():
		p.Kill()
		err = ctx.Err() // who asked for the end says more
	}
	code, _ := p.Result()
	took := time.Since(started)
	if err != nil {
		return streams.Stopped(command.Command, code, took, err), err
	}
	return streams.Output(command.Command, code, timedOut, took), nil
}

// EndRun does nothing: nothing is kept.
func (Shell) EndRun(string) {}
