//go:build unix

package process

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Args = []string{"sh", "-c", gated, "sh", cmd.Path, command}
	OwnGroup(cmd)
	return cmd
}

// OwnGroup has a command that is not started yet lead a process group: what it starts can be ended with it.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// TerminateGroup asks the group to end. That it has ended already is no error.
func TerminateGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) //nolint:errcheck // KillGroup follows
}

func isGroupAlive(cmd *exec.Cmd) bool {
	return syscall.Kill(-cmd.Process.Pid, 0) == nil
}

// KillGroup ends a group that OwnGroup made.
func KillGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it fails only when there is nobody left
}

func signalOf(state *os.ProcessState) (number int, name string) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, ""
	}
	return int(status.Signal()), status.Signal().String()
}
