// Package ran is what came of a command, in a container or on the host. It knows nothing of either.
package ran

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"callboard/backend/internal/process"
	"callboard/backend/tool"
)

// DefaultTimeout is how long a command may run whose sandbox does not say.
const DefaultTimeout = 2 * time.Minute

// headBytes and tailBytes are how much the model reads of each stream, from its beginning and its end: a run's own limit would cut
// the end, which says most, and the exit code with it.
const (
	headBytes = 4 << 10
	tailBytes = 16 << 10
)

// Streams are a command's output: each stream, and both as they came, in bounded memory.
type Streams struct {
	Stdout, Stderr process.Capture
	Both           *process.Capture
}

// Writers give each stream to its own part and to both.
func (s *Streams) Writers() (stdout, stderr io.Writer) {
	return io.MultiWriter(s.Both, &s.Stdout), io.MultiWriter(s.Both, &s.Stderr)
}

// Details are what people see of a command: its output as a terminal shows it, and where it ran, where that is said.
type Details struct {
	Terminal tool.Terminal `json:"terminal,omitempty"`
	Text     tool.Text     `json:"text,omitempty"`
}

// Details are nil where there is no output.
func (s *Streams) Details() any {
	if s.Both.Size() == 0 {
		return nil
	}
	return Details{Terminal: tool.Terminal(s.Both.Text(process.HeadBytes, process.TailBytes))}
}

// Output is the result of a command that ended, of itself or because its time was over.
func (s *Streams) Output(command string, code int, timedOut bool, took time.Duration) tool.Output[any] {
	seen := &tool.Presentation{Summary: fmt.Sprintf("exit %d", code)}
	if timedOut {
		seen.Summary = "timed out"
	}
	if timedOut || code != 0 {
		seen.Tone = tool.ToneWarning
	}
	return tool.Output[any]{
		Content: tool.CommandResult{
			Stdout: s.Stdout.Text(headBytes, tailBytes), Stderr: s.Stderr.Text(headBytes, tailBytes),
			ExitCode: code, TimedOut: timedOut, Duration: took.Milliseconds(), Command: command,
		},
		Details:      s.Details(),
		Presentation: seen,
	}
}

// Stopped is what is left of a command whose call was over before it, for the reason of its context.
func (s *Streams) Stopped(command string, code int, took time.Duration, reason error) tool.Output[any] {
	out := s.Output(command, code, false, took)
	if out.Presentation.Summary = "cancelled"; errors.Is(reason, context.DeadlineExceeded) {
		out.Presentation.Summary = "timed out"
	}
	return out
}
