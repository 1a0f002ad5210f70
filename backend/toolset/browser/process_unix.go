//go:build unix

package browser

import "syscall"

// killGroup ends what is left of a browser's group.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // it fails only when nobody is left
}
