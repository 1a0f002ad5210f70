package tool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/docker/go-units"
)

// Sandbox declares where a tool's calls run in place of its Run (Cogitator, Custom Tools, Sandbox Configuration).
type Sandbox struct {
	Type      SandboxType
	Resources Resources
	// Timeout limits one call; 0 is the sandbox's own default. In Docker a command that is over its time is a result that says so,
	// in WASM it is CodeSandboxTimeout. The tool's own Timeout is a limit beside it. Arguments with a Timeout of their own
	// (Config) shorten it, or set it where it is 0.
	Timeout time.Duration

	// Of Docker: `sh -c` of the arguments' command, with their cwd and env, in a container of Image. The content is a CommandResult.
	Image   string
	Network NetworkMode // empty is NetworkNone
	// Folder is a folder of the host, by its full path. The container has it under the same path and may change what is in it, as
	// the user this program runs as; the command works there unless its cwd says otherwise. On the host in Docker's place it works
	// there too. Empty is none: the container has its image's files alone.
	Folder string

	// Of WASM: the path of a module and the name of the function that gets the arguments as JSON. The content is what it returns,
	// parsed as JSON when possible.
	WasmModule   string
	WasmFunction string
}

// String names the sandbox and its limits for people: "a container of busybox:1 without a network, with 512MB of memory at most".
func (s *Sandbox) String() string {
	var limits []string
	if s.Resources.Memory != "" {
		limits = append(limits, s.Resources.Memory+" of memory")
	}
	if s.Type == WASM {
		return "the module " + s.WasmModule + listed(limits)
	}
	network := map[NetworkMode]string{NetworkBridge: " with a network", NetworkHost: " with the network of the host"}[s.Network]
	if n := s.Resources.PidsLimit; n > 0 {
		limits = append(limits, fmt.Sprintf("%d processes", n))
	}
	return "a container of " + s.Image + cmp.Or(network, " without a network") + listed(limits)
}

func listed(limits []string) string {
	if len(limits) == 0 {
		return ""
	}
	return ", with " + strings.Join(limits, " and ") + " at most"
}

// SandboxType is a kind of sandbox.
type SandboxType string

// The kinds of sandbox.
const (
	Docker SandboxType = "docker"
	WASM   SandboxType = "wasm"
)

// Resources limit a sandbox.
type Resources struct {
	Memory    string // "512MB", with units of 1024 as Docker has them; empty is the sandbox's default
	PidsLimit int64  // processes in a container; 0 is no limit
}

// NetworkMode is what a container reaches.
type NetworkMode string

// The networks of a container.
const (
	NetworkNone   NetworkMode = "none"
	NetworkBridge NetworkMode = "bridge"
	NetworkHost   NetworkMode = "host"
)

// CommandResult is the content of a command that ran in a Docker sandbox, or on the host in its place.
type CommandResult struct {
	Stdout   string `json:"stdout"` // cut in the middle when it is long, as Stderr is
	Stderr   string `json:"stderr"`
	ExitCode int    `json:"exitCode"`
	TimedOut bool   `json:"timedOut"`
	Duration int64  `json:"duration"` // ms
	Command  string `json:"command"`
}

// Executor runs calls of tools that declare a Sandbox. It is safe for concurrent use. Its errors are *Error with a code of
// sandboxes where one of them says why.
type Executor interface {
	// Execute runs a call. Of an Output's Presentation that has no Label, Summary and Tone count: the rest is the tool's own, or its
	// name where it declares none.
	Execute(ctx Context, job Job) (Output[any], error)
	// EndRun lets go of what was kept for further calls of a run.
	EndRun(runID string)
}

// NoSandbox is the Executor of a program that has no sandbox: it runs each tool's own Run on the host, and warns.
type NoSandbox struct{ Logger *slog.Logger } // nil is slog.Default()

// Execute runs the tool's own Run. A tool that has none fails with CodeSandboxUnavailable.
func (n NoSandbox) Execute(ctx Context, job Job) (Output[any], error) {
	if job.Host == nil || job.Contained {
		return Output[any]{}, &Error{
			Code:    CodeSandboxUnavailable,
			Message: fmt.Sprintf("There is no %s sandbox here, and the tool %q runs nowhere else", job.Sandbox.Type, job.ToolName),
		}
	}
	logger := n.Logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.Warn("there is no sandbox; a tool that declares one runs on the host", "tool", job.ToolName, "sandbox", job.Sandbox.Type)
	return job.Host(ctx)
}

// EndRun does nothing.
func (NoSandbox) EndRun(string) {}

// Job is a checked call for an Executor.
type Job struct {
	ToolName  string
	Sandbox   Sandbox
	Arguments json.RawMessage // an object that fits the schema, defaults put in
	// Host runs the tool's own Run, outside any sandbox; nil when the tool has none.
	Host func(Context) (Output[any], error)
	// Contained says that the call runs in its sandbox or fails with CodeSandboxUnavailable: who allowed it allowed it there.
	Contained bool
}

// Command is what a Docker sandbox runs.
type Command struct {
	Command string
	Cwd     string            // empty is the sandbox's own; a relative one is in the sandbox's Folder
	Env     map[string]string // beside the sandbox's own
}

// Command reads the arguments of a job for a shell. The error is an *Error with CodeInvalidArgs.
func (j Job) Command() (Command, error) {
	var c Command
	var all map[string]json.RawMessage // Go's own decoding would take a CWD for a cwd
	if err := json.Unmarshal(j.Arguments, &all); err != nil {
		return c, invalid(err, explainDecoding(err))
	}
	for name, to := range map[string]any{"command": &c.Command, "cwd": &c.Cwd, "env": &c.Env} {
		if text, given := all[name]; given {
			if err := json.Unmarshal(text, to); err != nil {
				return c, invalid(err, fmt.Sprintf("at '/%s': %v", name, err))
			}
		}
	}
	for name := range c.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			err := fmt.Errorf("at '/env': %q is no name of a variable", name)
			return c, invalid(err, err.Error())
		}
	}
	if strings.TrimSpace(c.Command) == "" {
		err := errors.New("at '/command': there is no command")
		return c, invalid(err, err.Error())
	}
	if folder := j.Sandbox.Folder; folder != "" && !filepath.IsAbs(c.Cwd) {
		c.Cwd = filepath.Join(folder, c.Cwd)
	}
	return c, nil
}

// Error codes of calls in a sandbox.
const (
	CodeSandboxUnavailable   = "SANDBOX_UNAVAILABLE" // nothing ran
	CodeSandboxTimeout       = "SANDBOX_TIMEOUT"
	CodeSandboxOOM           = "SANDBOX_OOM"
	CodeSandboxFailed        = "SANDBOX_EXECUTION_FAILED"
	CodeSandboxInvalidModule = "SANDBOX_INVALID_MODULE"
)

// MemoryBytes is Memory in bytes, 0 for none.
func (r Resources) MemoryBytes() (int64, error) {
	if r.Memory == "" {
		return 0, nil
	}
	n, err := units.RAMInBytes(r.Memory)
	if err != nil || n <= 0 || n == math.MaxInt64 {
		return 0, fmt.Errorf("memory %q is no size such as 512MB", r.Memory)
	}
	return n, nil
}

// minContainerMemory is the least Docker accepts.
const minContainerMemory = 6 << 20

// maxModuleMemory is what a module can address.
const maxModuleMemory = 4 << 30

// Check reports what makes a declaration one that can never work. What would be ignored is a mistake too: it limits nothing.
func (s *Sandbox) Check() error {
	memory, err := s.Resources.MemoryBytes()
	switch {
	case err != nil:
		return err
	case s.Timeout < 0:
		return fmt.Errorf("its Timeout is negative: %s", s.Timeout)
	case s.Resources.PidsLimit < 0:
		return fmt.Errorf("its PidsLimit is negative: %d", s.Resources.PidsLimit)
	}
	isSet := func(text string) bool { return strings.TrimSpace(text) != "" }
	switch s.Type {
	case Docker:
		switch {
		case !isSet(s.Image):
			return errors.New("it has no Image")
		case s.WasmModule != "" || s.WasmFunction != "":
			return errors.New("WasmModule and WasmFunction are of WASM, not of Docker")
		case memory != 0 && memory < minContainerMemory:
			return fmt.Errorf("memory %q is less than the 6MB a container needs", s.Resources.Memory)
		case s.Folder != "" && !filepath.IsAbs(s.Folder):
			return fmt.Errorf("its Folder %q is no full path", s.Folder)
		}
		switch s.Network {
		case "", NetworkNone, NetworkBridge, NetworkHost:
			return nil
		}
		return fmt.Errorf("its Network %q is none of none, bridge and host", s.Network)
	case WASM:
		switch {
		case !isSet(s.WasmModule):
			return errors.New("it has no WasmModule")
		case !isSet(s.WasmFunction):
			return errors.New("it has no WasmFunction")
		case s.Image != "" || s.Network != "" || s.Folder != "" || s.Resources.PidsLimit != 0:
			return errors.New("Image, Network, Folder and PidsLimit are of Docker, not of WASM")
		case memory > maxModuleMemory:
			return fmt.Errorf("memory %q is more than the 4GB a module can have", s.Resources.Memory)
		}
		return nil
	default:
		return fmt.Errorf("its Type %q is none of docker and wasm", s.Type)
	}
}

// checkSandbox holds the rest of a declaration to its sandbox: Docker runs the arguments' command, and gives a CommandResult.
func (t *Tool) checkSandbox() error {
	if t.Sandbox == nil || t.Sandbox.Type != Docker {
		return nil
	}
	var arguments struct {
		Properties struct {
			Command *struct{ Type string } `json:"command"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(t.parameters, &arguments); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	if command := arguments.Properties.Command; command == nil || command.Type != "string" {
		return errors.New(`it runs the argument "command", a string, and the tool has none`)
	}
	if _, err := t.encodeContent(CommandResult{}); err != nil {
		return fmt.Errorf("what Docker gives does not fit Out (a tool.CommandResult does): %w", err)
	}
	return nil
}

// declaredArguments leaves out what the schema does not name: the tool's own Run would not see it either.
func (t *Tool) declaredArguments(text []byte) (json.RawMessage, error) {
	if t.shape == nil || t.shape.members == nil {
		return text, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	before := len(all)
	for name := range all {
		if t.shape.members[name] == nil {
			delete(all, name)
		}
	}
	if len(all) == before {
		return text, nil
	}
	return encode(all)
}

// run runs the tool's own Run, or has an executor run the call.
func (c *Call) run(ctx Context, executor Executor) (output, error) {
	if executor == nil || c.Tool.Sandbox == nil {
		return c.bound.run(ctx)
	}
	arguments, err := c.Tool.declaredArguments(c.arguments)
	if err != nil {
		return output{}, err
	}
	job := Job{ToolName: c.Tool.Name, Sandbox: *c.Tool.Sandbox, Arguments: arguments}
	if own := c.bound.timeout(); own > 0 && (job.Sandbox.Timeout == 0 || own < job.Sandbox.Timeout) {
		job.Sandbox.Timeout = own
	}
	if c.Tool.hasRun {
		job.Host = func(ctx Context) (Output[any], error) {
			out, err := c.bound.run(ctx)
			return Output[any]{Content: out.content, Details: out.details, Presentation: out.presentation}, err
		}
	}
	out, err := executor.Execute(ctx, job)
	if p := out.Presentation; p != nil && p.Label == "" {
		shown := Presentation{Label: c.Tool.Name}
		if own := c.Presentation(); own != nil {
			shown = *own
		}
		shown.Summary, shown.Tone = p.Summary, p.Tone
		out.Presentation = &shown
	}
	return out.split(), err
}
