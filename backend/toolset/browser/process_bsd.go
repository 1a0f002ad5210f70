//go:build unix && !linux

package browser

import (
	"os/exec"
	"syscall"
)

// inGroup starts the browser in a process group of its own.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
