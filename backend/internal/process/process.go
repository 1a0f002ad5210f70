// Package process is a shell command in a process group of its own, and its output in bounded memory.
// It knows nothing of tools.
package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
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

// Process is a shell command. Its fields are set before Start and not changed after. Once it has started, it is to be ended with
// Finish or Kill.
type Process struct {
	Command string
	Folder  string   // where it runs; empty is the program's own
	Env     []string // its whole environment

	// Output is what it writes: stdout and stderr as they come.
	Output Capture
	// Stdout and Stderr, when set, get their own part of it as well. Then how the two came is known only roughly.
	Stdout, Stderr *Capture

	cmd       *exec.Cmd
	watcher   watcher
	reading   []*os.File
	exited    chan struct{} // closed when the shell has ended
	drained   chan struct{} // closed when its output has ended
	leftovers bool          // it left processes behind that held its output
}

// Environ is this program's environment without variables that end in _API_KEY: a command's output is stored, and the model reads
// it, so keys to models have no place there.
func Environ() []string {
	var env []string
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !strings.HasSuffix(strings.ToUpper(name), "_API_KEY") {
			env = append(env, variable)
		}
	}
	return env
}

// Start starts the command. It does not end with ctx: the end of ctx would be that of the shell alone, Kill ends the group. Where there
// are process groups, so does the end of this program, of a kill too.
func (p *Process) Start(ctx context.Context) error {
	p.cmd = shell(context.WithoutCancel(ctx), p.Command)
	p.cmd.Dir, p.cmd.Env = p.Folder, p.Env
	var readers sync.WaitGroup
	var writing []*os.File
	pipe := func(to io.Writer) (*os.File, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		p.reading, writing = append(p.reading, r), append(writing, w)
		readers.Go(func() {
			io.Copy(to, r) //nolint:errcheck // it ends with the pipe, closed at either side
		})
		return w, nil
	}
	err := p.connect(pipe)
	if err == nil {
		err = p.watcher.start(ctx, p.cmd)
	}
	for _, w := range writing {
		w.Close() //nolint:errcheck // the child has its own
	}
	if err != nil {
		readers.Wait()
		p.closePipes()
		return err
	}
	p.exited, p.drained = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(p.drained)
		readers.Wait()
	}()
	go func() {
		defer close(p.exited)
		p.cmd.Wait() //nolint:errcheck // ProcessState says it all
	}()
	return nil
}

// connect gives the command its pipes: files, which let Wait return when the shell does, and one for both where nobody tells them
// apart, which keeps them in order.
func (p *Process) connect(pipe func(io.Writer) (*os.File, error)) error {
	if p.Stdout == nil && p.Stderr == nil {
		both, err := pipe(&p.Output)
		if err != nil {
			return err
		}
		p.cmd.Stdout, p.cmd.Stderr = both, both
		return nil
	}
	for _, stream := range []struct {
		own *Capture
		to  *io.Writer
	}{{p.Stdout, &p.cmd.Stdout}, {p.Stderr, &p.cmd.Stderr}} {
		var to io.Writer = &p.Output
		if stream.own != nil {
			to = io.MultiWriter(&p.Output, stream.own)
		}
		file, err := pipe(to)
		if err != nil {
			return err
		}
		*stream.to = file
	}
	return nil
}

// Exited is closed when the shell has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Finish waits for the rest of the output of a shell that has ended. A process in the background that still holds it open is ended:
// it would be cut off from it anyway.
func (p *Process) Finish() {
	if !Within(p.drained, drainTime) {
		if isGroupAlive(p.cmd) {
			p.leftovers = true
			KillGroup(p.cmd)
		}
		// now it is the rest of the output on a busy machine, or a process outside the group, which may hold it for ever
		size := int64(-1)
		for range drainRounds {
			if Within(p.drained, drainTime) || p.Output.Size() == size {
				break
			}
			size = p.Output.Size()
		}
	}
	p.close()
}

// Kill ends the whole group: it is asked to, and after a tenth of a second made to.
func (p *Process) Kill() {
	TerminateGroup(p.cmd)
	for asked := time.Now(); isGroupAlive(p.cmd) && time.Since(asked) < termTime; {
		time.Sleep(termTime / 20)
	}
	KillGroup(p.cmd)
	<-p.exited
	Within(p.drained, drainTime/2)
	p.close()
}

// close gives up on output that a process outside the group still holds open.
func (p *Process) close() {
	p.watcher.dismiss()
	p.closePipes()
	<-p.drained
}

func (p *Process) closePipes() {
	for _, r := range p.reading {
		r.Close() //nolint:errcheck // it was only read
	}
}

// Result gives the exit code of a command that has ended, 128 and the signal for one that died of it, as a shell does, and a note
// on what a code does not say.
func (p *Process) Result() (code int, note string) {
	code = p.cmd.ProcessState.ExitCode()
	if number, name := signalOf(p.cmd.ProcessState); number > 0 {
		code, note = 128+number, fmt.Sprintf("It was ended by a signal: %s.", name)
	}
	if p.leftovers {
		note = "Processes it left in the background were ended, for they held its output open. " + note
	}
	return code, note
}

// Within waits for something to be done, and reports whether it was before the time was over.
func Within(done <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
