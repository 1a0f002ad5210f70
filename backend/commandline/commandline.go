// Package commandline reads the program's arguments and environment. It says what is asked for, and does none of it.
package commandline

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"callboard/backend/desktop"
	"callboard/backend/studio"
)

const defaultAddr = "127.0.0.1:4820"

const usage = `Callboard is a studio for agents that call tools.

usage:
  callboard [flags] [FILE.callboard | LINK]           open the window, and in it a thread's file or a callboard:// link
  callboard serve [flags]                             serve the same studio over HTTP: the page at /, the protocol at /api
  callboard run --agent NAME --input TEXT [flags]     send one message and print the answer
  callboard export THREAD [flags]                     write a thread to a file, or as Markdown
  callboard import FILE [flags]                       take a thread from a file; nothing of it runs
  callboard mcp --folder DIR                          serve the workspace tools to an MCP client over stdin and stdout
  callboard --version

flags of all:
  --data DIR        where threads, settings and the demo's projects are kept (now %[1]s)
  --folder DIR      the folder the agents' workspace tools work in
  --script FILE     answer every agent from a scripted model
  --base-url URL    ask this OpenAI-compatible server for every agent; the key comes from OPENAI_API_KEY
  --model NAME      the name of the model on that server, or on OPENAI_BASE_URL
  --attach URL      attach a server of the protocol, and keep it; may be repeated. Its token is the URL's ?token=,
                    or CALLBOARD_ATTACH_TOKEN

flags of serve:
  --addr HOST:PORT  where to listen (now %[2]s; port 0 takes a free one)
  --token T         the token clients must send; without the flag a random one is made; "" is none, on loopback only
  --host NAME       a further Host name to answer to; may be repeated

flags of run:
  --agent NAME      the agent to ask; the demo's is called demo
  --input TEXT      the message
  --thread ID       go on with this thread
  --events          print each event as a line of JSON instead of the answer
  exit status: 0 completed, 1 failed or cancelled, 2 bad usage, 3 waits for an approval

flags of export:
  --out FILE        where to write it; without the flag, or with -, to stdout
  --markdown        for people, and not to be imported
  --redact          mask what looks like a secret; the program's own keys are masked in any case
  --mask WORD       mask this too, in any case; may be repeated; means --redact

flags of import:
  --copy            give the thread new ids, so that it can stand beside the one that is here
`

// Usage is what --help prints.
func Usage(env func(string) string) string { return fmt.Sprintf(usage, dataDir(env), defaultAddr) }

// Options is what the flags and the environment say.
type Options struct {
	Command string // window, serve, run, export, import, mcp or version
	Config  studio.Config
	Display bool // a window can be shown
	Placed  bool // a window can be told where to stand: under Wayland none can
	Tracing bool // the environment names a collector of spans

	Open string // of window: a link, or the absolute path of a file, to be opened in it

	Addr  string
	Token *string // nil makes a random one
	Hosts []string

	Agent, Input, Thread string
	Events               bool

	Export studio.Export
	Out    string // empty is stdout

	File string // to import; - is stdin
	Copy bool
}

// Parse reads the command line. Its error is for the person who wrote it; flag.ErrHelp asks for the usage.
func Parse(args []string, env func(string) string) (Options, error) {
	o := Options{Command: "window"}
	switch {
	case len(args) == 0:
	case openable(args[0]):
	case args[0] == "--version":
		o.Command, args = "version", args[1:]
	case !strings.HasPrefix(args[0], "-"):
		o.Command, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet(o.Command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c := &o.Config
	if o.Command != "version" {
		flags.StringVar(&c.Dir, "data", dataDir(env), "")
		flags.StringVar(&c.Folder, "folder", "", "")
		flags.StringVar(&c.Script, "script", "", "")
		flags.StringVar(&c.BaseURL, "base-url", "", "")
		flags.StringVar(&c.Model, "model", "", "")
		flags.Func("attach", "", func(address string) error {
			a, err := studio.ReadAttachment(address, env("CALLBOARD_ATTACH_TOKEN"))
			c.Attach = append(c.Attach, a)
			return err
		})
	}
	switch o.Command {
	case "window", "version", "mcp":
	case "serve":
		flags.StringVar(&o.Addr, "addr", defaultAddr, "")
		flags.Func("token", "", func(token string) error { o.Token = &token; return nil })
		flags.Func("host", "", func(name string) error { o.Hosts = append(o.Hosts, name); return nil })
	case "run":
		flags.StringVar(&o.Agent, "agent", "", "")
		flags.StringVar(&o.Input, "input", "", "")
		flags.StringVar(&o.Thread, "thread", "", "")
		flags.BoolVar(&o.Events, "events", false, "")
	case "export":
		flags.StringVar(&o.Out, "out", "", "")
		flags.BoolVar(&o.Export.Markdown, "markdown", false, "")
		flags.BoolVar(&o.Export.Redact, "redact", false, "")
		flags.Func("mask", "", func(word string) error {
			o.Export.Redact, o.Export.Words = true, append(o.Export.Words, word)
			return nil
		})
	case "import":
		flags.BoolVar(&o.Copy, "copy", false, "")
	case "help":
		return o, flag.ErrHelp
	default:
		return o, fmt.Errorf("there is no command %q", o.Command)
	}
	operands, err := parse(flags, args)
	if err != nil {
		return o, err
	}
	operand := map[string]*string{"export": &o.Thread, "import": &o.File}[o.Command]
	if o.Command == "window" && len(operands) > 0 && openable(operands[0]) {
		operand = &o.Open
	}
	if operand != nil && len(operands) > 0 {
		*operand, operands = operands[0], operands[1:]
	}
	if len(operands) > 0 {
		return o, fmt.Errorf("%s takes no argument %q", o.Command, operands[0])
	}
	c.Key, c.EnvBaseURL = env("OPENAI_API_KEY"), env("OPENAI_BASE_URL")
	o.Tracing = env("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	o.Placed = env("WAYLAND_DISPLAY") == "" || env("GDK_BACKEND") == "x11"
	o.Display = runtime.GOOS != "linux" || env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
	return o, o.check()
}

// parse reads flags on both sides of what is none, up to a "--", and returns what is none.
func parse(flags *flag.FlagSet, args []string) (operands []string, err error) {
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		rest := flags.Args()
		if read := len(args) - len(rest); len(rest) == 0 || read > 0 && args[read-1] == "--" {
			return append(operands, rest...), nil
		}
		operands, args = append(operands, rest[0]), rest[1:]
	}
	return operands, nil
}

// Asked returns what a program that was started in dir with args is asked to open; empty when it is nothing.
func Asked(args []string, dir string) string {
	i := slices.IndexFunc(args, openable)
	switch {
	case i < 0:
		return ""
	case hasScheme(args[i]) || filepath.IsAbs(args[i]):
		return args[i]
	default:
		return filepath.Join(dir, args[i])
	}
}

// openable tells a link or a thread's file from a command.
func openable(arg string) bool {
	return hasScheme(arg) || !strings.HasPrefix(arg, "-") && strings.EqualFold(filepath.Ext(arg), ".callboard")
}

func hasScheme(arg string) bool {
	scheme, _, found := strings.Cut(arg, ":")
	return found && (strings.EqualFold(scheme, desktop.Scheme) || strings.EqualFold(scheme, "file"))
}

func (o *Options) check() error {
	c := &o.Config
	if o.Command == "version" {
		return nil
	}
	if c.BaseURL != "" && c.Model == "" {
		return errors.New("--base-url needs --model NAME")
	}
	if c.Script != "" && c.Model != "" {
		return errors.New("--script and --model both set the model: give one of them")
	}
	if c.Model != "" && c.BaseURL == "" {
		if c.BaseURL = c.EnvBaseURL; c.BaseURL == "" {
			return errors.New("--model needs --base-url URL, or OPENAI_BASE_URL in the environment")
		}
	}
	if c.Dir == "" {
		return errors.New("--data needs a folder")
	}
	for _, path := range []*string{&c.Dir, &c.Folder, &c.Script, &o.Open} {
		if *path == "" || hasScheme(*path) {
			continue
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("find %s: %w", *path, err)
		}
		*path = absolute
	}
	switch o.Command {
	case "mcp":
		if c.Folder == "" {
			return errors.New("mcp needs --folder DIR")
		}
	case "export":
		if o.Thread == "" {
			return errors.New("export needs the id of a thread: callboard export THREAD")
		}
		if o.Out == "-" {
			o.Out = ""
		}
	case "import":
		if o.File == "" {
			return errors.New("import needs a file: callboard import FILE")
		}
	case "run":
		if o.Agent == "" || strings.TrimSpace(o.Input) == "" {
			return errors.New("run needs --agent NAME and --input TEXT")
		}
	case "serve":
		host, _, err := net.SplitHostPort(o.Addr)
		if err != nil {
			return fmt.Errorf("--addr %s is not HOST:PORT: %w", o.Addr, err)
		}
		if o.Token != nil && *o.Token == "" && !loopback(host) {
			return fmt.Errorf("--token \"\" is for loopback addresses only, and %s is none", o.Addr)
		}
	}
	return nil
}

// Flags are those that let another process go on where this one stopped.
func (o *Options) Flags() string {
	c := &o.Config
	text := fmt.Sprintf(" --data %q", c.Dir)
	for _, f := range []struct{ name, value string }{
		{"folder", c.Folder}, {"script", c.Script}, {"base-url", c.BaseURL}, {"model", c.Model},
	} {
		if f.value != "" {
			text += fmt.Sprintf(" --%s %q", f.name, f.value)
		}
	}
	return text
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// dataDir is where a program keeps its data on this system.
func dataDir(env func(string) string) string {
	switch home := env("HOME"); {
	case runtime.GOOS == "windows" && env("LOCALAPPDATA") != "":
		return filepath.Join(env("LOCALAPPDATA"), "Callboard")
	case runtime.GOOS == "darwin" && home != "":
		return filepath.Join(home, "Library", "Application Support", "Callboard")
	case filepath.IsAbs(env("XDG_DATA_HOME")):
		return filepath.Join(env("XDG_DATA_HOME"), "callboard")
	case home != "":
		return filepath.Join(home, ".local", "share", "callboard")
	default:
		return ""
	}
}
