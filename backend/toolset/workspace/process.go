package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

const (
	// termTime is how long a process has to end after it was asked to; then it is made to.
	termTime = 100 * time.Millisecond
	// drainTime is how long output is waited for that others still hold open once the shell has ended.
	drainTime = 100 * time.Millisecond
	// drainRounds is how often it is waited for again while there is more of it.
	drainRounds = 10
)

// process is a shell command in a process group of its own.
type process struct {
	command string
	folder  string
	env     []string

	cmd       *exec.Cmd
	output    capture
	reading   *os.File
	exited    chan struct{} // closed when the shell has ended
	drained   chan struct{} // closed when its output has ended
	leftovers bool          // it left processes behind that held its output
}

func (p *process) start(ctx context.Context) error {
	reading, writing, err := os.Pipe()
	if err != nil {
		return err
	}
	p.cmd = shell(context.WithoutCancel(ctx), p.command) // its end would be that of the shell alone: kill ends the group
	p.cmd.Dir, p.cmd.Env = p.folder, p.env
	// one file for both keeps them in order, and lets Wait return when the shell does
	p.cmd.Stdout, p.cmd.Stderr = writing, writing
	err = p.cmd.Start()
	writing.Close() //nolint:errcheck // the child has its own
	if err != nil {
		reading.Close() //nolint:errcheck // nothing came through it
		return err
	}
	p.reading, p.exited, p.drained = reading, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(p.drained)
		io.Copy(&p.output, reading) //nolint:errcheck // it ends with the pipe, closed at either side
	}()
	go func() {
		defer close(p.exited)
		p.cmd.Wait() //nolint:errcheck // ProcessState says it all
	}()
	return nil
}

// finish waits for the rest of the output. A process in the background that still holds it open is ended: it would be cut off
// from it anyway.
func (p *process) finish() {
	if !waitFor(p.drained, drainTime) {
		if isGroupAlive(p.cmd) {
			p.leftovers = true
			killGroup(p.cmd)
		}
		// now it is the rest of the output on a busy machine, or a process outside the group, which may hold it for ever
		size := int64(-1)
		for range drainRounds {
			if waitFor(p.drained, drainTime) || p.output.size() == size {
				break
			}
			size = p.output.size()
		}
	}
	p.close()
}

// kill ends the whole group.
func (p *process) kill() {
	terminateGroup(p.cmd)
	for asked := time.Now(); isGroupAlive(p.cmd) && time.Since(asked) < termTime; {
		time.Sleep(termTime / 20)
	}
	killGroup(p.cmd)
	<-p.exited
	waitFor(p.drained, drainTime/2)
	p.close()
}

// close gives up on output that a process outside the group still holds open.
func (p *process) close() {
	p.reading.Close() //nolint:errcheck // it was only read
	<-p.drained
}

// result gives the exit code, 128 and the signal for a command that died of one, as a shell does.
func (p *process) result() (code int, note string) {
	code = p.cmd.ProcessState.ExitCode()
	if number, name := signalOf(p.cmd.ProcessState); number > 0 {
		code, note = 128+number, fmt.Sprintf("It was ended by a signal: %s.", name)
	}
	if p.leftovers {
		note = "Processes it left in the background were ended, for they held its output open. " + note
	}
	return code, note
}

func waitFor(done <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
