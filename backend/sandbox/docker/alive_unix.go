//go:build unix

package docker

import (
	"errors"
	"syscall"
)

func isAlive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
