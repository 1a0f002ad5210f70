package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"callboard/backend/internal/process"
)

// How long a server has to end: after its input was closed, and after it was asked to. Then it is made to.
const (
	closeTime = 2 * time.Second
	termTime  = time.Second
)

// child is a server over stdio, in a process group of its own: what it starts ends with it.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	exited chan struct{}
	once   sync.Once
}

func (s *Source) launch(ctx context.Context) (*child, error) {
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Command, err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), s.Command, s.Args...) // it outlives its start; stop ends it
	cmd.Dir, cmd.Env = s.Dir, append(plainEnv(os.Environ()), s.Env...)
	cmd.Stdout, cmd.Stderr = writing, &s.log // a file of ours: Wait must not close what is still read
	cmd.WaitDelay = termTime
	process.OwnGroup(cmd)
	stdin, err := cmd.StdinPipe()
	s.log.restart()
	if err == nil {
		err = cmd.Start()
	}
	writing.Close() //nolint:errcheck // the child has its own
	if err != nil {
		reading.Close() //nolint:errcheck // nothing came through it
		return nil, fmt.Errorf("start %s: %w", s.Command, err)
	}
	p := &child{cmd: cmd, stdin: stdin, stdout: reading, exited: make(chan struct{})}
	go func() { // stop waits for it
		defer close(p.exited)
		_ = cmd.Wait()         // ProcessState says it all
		process.KillGroup(cmd) // what it left behind would hold its output open
		s.log.ended(cmd.ProcessState.String())
	}()
	return p, nil
}

// stop ends the server, first by closing its input as the protocol has it, and returns when it has ended.
func (p *child) stop() {
	p.once.Do(func() {
		_ = p.stdin.Close() // it may be closed with the process
		if !process.Within(p.exited, closeTime) {
			process.TerminateGroup(p.cmd)
			if !process.Within(p.exited, termTime) {
				process.KillGroup(p.cmd)
			}
		}
	})
	<-p.exited
}

// plain are the variables a server gets of this program's environment: the others may hold keys that are none of its business.
var plain = map[string][]string{
	"windows": {
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA",
		"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
	},
	"": {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"},
}

func plainEnv(environ []string) []string {
	names, ok := plain[runtime.GOOS]
	if !ok {
		names = plain[""]
	}
	kept := []string{}
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		for _, n := range names {
			if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
				kept = append(kept, variable)
			}
		}
	}
	return kept
}
