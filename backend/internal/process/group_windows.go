package process

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	OwnGroup(cmd)
	cmd.SysProcAttr.CmdLine = `cmd /S /C "` + command + `"` // cmd reads its own quoting, not that of Go's arguments
	return cmd
}

// OwnGroup has a command that is not started yet lead a process group: what it starts can be ended with it.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// TerminateGroup does nothing: a console program without a console cannot be asked.
func TerminateGroup(*exec.Cmd) {}

func isGroupAlive(*exec.Cmd) bool { return false }

// KillGroup ends a group that OwnGroup made.
func KillGroup(cmd *exec.Cmd) {
	exec.CommandContext(context.Background(), "taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() //nolint:errcheck // it fails only when there is nobody left
}

func signalOf(*os.ProcessState) (number int, name string) { return 0, "" }
