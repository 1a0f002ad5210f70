package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"callboard/backend/internal/process"
	"callboard/backend/tool"
)

type commandArgs struct {
	Command   string `json:"command" jsonschema:"minLength=1" jsonschema_description:"The command, as for a shell, run in the workspace folder"`
	TimeoutMs int64  `json:"timeoutMs" jsonschema:"minimum=1,maximum=600000,default=120000" jsonschema_description:"How long it may run, in milliseconds"`
}

type commandResult struct {
	ExitCode int    `json:"exitCode"`
	Output   string `json:"output"` // stdout and stderr as they came
	Note     string `json:"note,omitempty"`
}

type commandDetails struct {
	Terminal tool.Terminal `json:"terminal"`
}

func (w *workspace) runCommand() (*tool.Tool, error) {
	return tool.Define(tool.Config[commandArgs, tool.Output[commandResult]]{
		Name: "run_command",
		Description: "Runs a shell command in the workspace folder and gives its exit code and its output, stdout and stderr together. " +
			"It has no input and no terminal. Long output is cut in the middle. What it leaves running in the background is ended unless it writes its output elsewhere.",
		Category:     "process",
		SideEffects:  []tool.SideEffect{tool.Process},
		Approval:     w.askingCommand(),
		Presentation: &commandCalls,
		Present:      func(in commandArgs) *tool.Presentation { return presentCommand(in, "") },
		Run:          w.command,
	})
}

var commandCalls = tool.Presentation{Label: "Run command", Icon: "terminal"}

func presentCommand(in commandArgs, summary string) *tool.Presentation {
	return about(commandCalls, oneLine(in.Command), summary)
}

// oneLine is the first line of a text, with a mark where there is more.
func oneLine(s string) string {
	s = strings.TrimSpace(s)
	if line, _, more := strings.Cut(s, "\n"); more {
		return clip(strings.TrimSpace(line)) + " …"
	}
	return clip(s)
}

func (w *workspace) askingCommand() tool.Approval {
	if len(w.options.Unasked) == 0 {
		return tool.Always
	}
	return tool.When(func(arguments json.RawMessage) bool {
		var in commandArgs
		return json.Unmarshal(arguments, &in) != nil || !slices.Contains(w.options.Unasked, in.Command)
	})
}

func (w *workspace) environment() []string {
	if w.options.Env != nil {
		return append(slices.Clone(w.options.Env), "PWD="+w.root)
	}
	return append(process.Environ(), "PWD="+w.root)
}

// modelHeadBytes and modelTailBytes are how much of an output the model reads; a run's own limit would cut the end, which says most.
const (
	modelHeadBytes = 8 << 10
	modelTailBytes = 24 << 10
)

// Progress goes out at once, then at most this often; rarer the longer a command runs, for each piece of it is kept.
const (
	progressInterval = 200 * time.Millisecond
	progressShare    = 20 // an update waits for at least a 20th of the time that has passed
	progressLines    = 5
	progressBytes    = 8 << 10
)

func (w *workspace) command(ctx tool.Context, in commandArgs) (out tool.Output[commandResult], err error) {
	root, err := w.open() // for the words about a folder that is gone
	if err != nil {
		return out, err
	}
	if err := root.Close(); err != nil {
		return out, fmt.Errorf("close the workspace folder: %w", err)
	}
	p := &process.Process{Command: in.Command, Folder: w.root, Env: w.environment()}
	if err := p.Start(ctx); err != nil {
		return out, fmt.Errorf("start the command: %w", err)
	}
	timeout := time.NewTimer(time.Duration(in.TimeoutMs) * time.Millisecond)
	defer timeout.Stop()
	end := w.watch(ctx, p, timeout.C)

	out.Details = commandDetails{Terminal: tool.Terminal(p.Output.Text(process.HeadBytes, process.TailBytes))}
	output := plain(p.Output.Text(modelHeadBytes, modelTailBytes))
	switch {
	case errors.Is(end, errCommandTimeout):
		out.Presentation = presentCommand(in, "timed out")
		message := fmt.Sprintf("The command timed out after %dms and was ended.", in.TimeoutMs)
		if last := lastLines(output, progressLines); last != "" {
			message += " Its last output:\n" + last
		}
		return out, &tool.Error{Code: tool.CodeTimeout, Message: message, Err: end}
	case end != nil:
		out.Presentation = presentCommand(in, "cancelled")
		return out, end
	}
	code, note := p.Result()
	out.Content = commandResult{ExitCode: code, Output: output, Note: note}
	out.Presentation = presentCommand(in, fmt.Sprintf("exit %d", code))
	if code != 0 {
		out.Presentation.Tone = tool.ToneWarning
	}
	return out, nil
}

var errCommandTimeout = errors.New("the command's time is over")

// watch reports progress until the process has ended, of itself or because it has to; then the error says why.
func (w *workspace) watch(ctx tool.Context, p *process.Process, timeout <-chan time.Time) error {
	started := time.Now()
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	var reported int64
	var next time.Duration
	for {
		select {
		case <-p.Exited():
			p.Finish()
			return nil
		case <-timeout:
			p.Kill()
			return errCommandTimeout
		case <-ctx.Done():
			p.Kill()
			return ctx.Err()
		case <-tick.C:
			passed := time.Since(started)
			if size := p.Output.Size(); size != reported && passed >= next {
				reported, next = size, passed+passed/progressShare
				latest := p.Output.Latest(progressBytes)
				ctx.Update(tool.Update{
					Content: lastLines(plain(latest), progressLines),
					Details: commandDetails{Terminal: tool.Terminal(latest)},
				})
			}
		}
	}
}

var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])`)

// plain is what a terminal would show of a text: no colours, and of a line that was written over, its last state.
func plain(s string) string {
	s = withLF(escapes.ReplaceAllString(s, ""))
	if !strings.Contains(s, "\r") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		end := strings.TrimRight(line, "\r\n")
		if at := strings.LastIndexByte(end, '\r'); at >= 0 {
			line = line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// lastLines gives the last n lines of a text.
func lastLines(s string, n int) string {
	s = strings.TrimRight(s, "\n")
	at := len(s)
	for range n {
		at = strings.LastIndexByte(s[:at], '\n')
		if at < 0 {
			return s
		}
	}
	return s[at+1:]
}
