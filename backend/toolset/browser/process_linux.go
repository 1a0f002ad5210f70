package browser

import (
	"os/exec"
	"syscall"
)

// inGroup starts the browser in a process group of its own, and lets it die with this process.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
