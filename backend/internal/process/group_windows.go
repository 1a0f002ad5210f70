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
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       `cmd /S /C "` + command + `"`, // cmd reads its own quoting, not that of Go's arguments
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
		HideWindow:    true,
	}
	return cmd
}

// terminateGroup does nothing: a console program without a console cannot be asked.
func terminateGroup(*exec.Cmd) {}

func isGroupAlive(*exec.Cmd) bool { return false }

func killGroup(cmd *exec.Cmd) {
	exec.CommandContext(context.Background(), "taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() //nolint:errcheck // it fails only when there is nobody left
}

func signalOf(*os.ProcessState) (number int, name string) { return 0, "" }
