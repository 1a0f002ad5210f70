// Command callboard runs agents that call tools: in a window, over HTTP, or for one message on the command line.
package main

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/backend/server"
	"callboard/backend/studio"
	"callboard/backend/trace"
	"callboard/backend/trace/otlp"
)

const version = "0.1.0"

// Exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitWaiting = 3 // the run waits for an approval
)

const defaultAddr = "127.0.0.1:4820"

// closeTimeout is how long live runs and open requests get to end when the program does.
const closeTimeout = 10 * time.Second

const usage = `Callboard is a studio for agents that call tools.

usage:
  callboard [flags]                                   open the window
  callboard serve [flags]                             serve the same studio over HTTP: the page at /, the protocol at /api
  callboard run --agent NAME --input TEXT [flags]     send one message and print the answer
  callboard mcp --folder DIR                          serve the workspace tools to an MCP client over stdin and stdout
  callboard version

flags of all:
  --data DIR        where threads, settings and the demo's projects are kept (now %[1]s)
  --folder DIR      the folder the agents' workspace tools work in
  --script FILE     answer every agent from a scripted model
  --base-url URL    ask this OpenAI-compatible server for every agent; the key comes from OPENAI_API_KEY
  --model NAME      the name of the model on that server, or on OPENAI_BASE_URL

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
`

//go:embed all:frontend/dist
var dist embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(command(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// command runs the program with args and returns its exit status.
func command(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	o, err := parse(args, env)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, _ = fmt.Fprintf(stdout, usage, dataDir(env), defaultAddr)
		return exitOK
	case err != nil:
		say(stderr, "%v\n`callboard --help` lists the commands and flags.", err)
		return exitUsage
	}
	if o.tracing {
		stop, err := o.trace(ctx)
		if err != nil {
			say(stderr, "%v", err)
			return exitUsage
		}
		defer stop(stderr)
	}
	switch o.command {
	case "version":
		_, _ = fmt.Fprintf(stdout, "callboard %s\n", version)
		return exitOK
	case "serve":
		return serve(ctx, o, stdout, stderr)
	case "run":
		return run(ctx, o, stdout, stderr)
	case "mcp":
		return serveTools(ctx, o, stderr)
	default:
		return window(ctx, o, stderr)
	}
}

// options is what the flags and the environment say.
type options struct {
	command string // window, serve, run, mcp or version
	config  studio.Config
	display bool // a window can be shown
	tracing bool // the environment names a collector of spans

	addr  string
	token *string // nil makes a random one
	hosts []string

	agent, input, thread string
	events               bool
}

// parse reads the command line. Its error is for the person who wrote it; flag.ErrHelp asks for the usage.
func parse(args []string, env func(string) string) (options, error) {
	o := options{command: "window"}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		o.command, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet(o.command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c := &o.config
	if o.command != "version" {
		flags.StringVar(&c.Dir, "data", dataDir(env), "")
		flags.StringVar(&c.Folder, "folder", "", "")
		flags.StringVar(&c.Script, "script", "", "")
		flags.StringVar(&c.BaseURL, "base-url", "", "")
		flags.StringVar(&c.Model, "model", "", "")
	}
	switch o.command {
	case "window", "version", "mcp":
	case "serve":
		flags.StringVar(&o.addr, "addr", defaultAddr, "")
		flags.Func("token", "", func(token string) error { o.token = &token; return nil })
		flags.Func("host", "", func(name string) error { o.hosts = append(o.hosts, name); return nil })
	case "run":
		flags.StringVar(&o.agent, "agent", "", "")
		flags.StringVar(&o.input, "input", "", "")
		flags.StringVar(&o.thread, "thread", "", "")
		flags.BoolVar(&o.events, "events", false, "")
	case "help":
		return o, flag.ErrHelp
	default:
		return o, fmt.Errorf("there is no command %q", o.command)
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%s takes no argument %q", o.command, flags.Arg(0))
	}
	c.Key, c.EnvBaseURL = env("OPENAI_API_KEY"), env("OPENAI_BASE_URL")
	o.tracing = env("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	o.display = runtime.GOOS != "linux" || env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
	return o, o.check()
}

func (o *options) check() error {
	c := &o.config
	if o.command == "version" {
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
	for _, path := range []*string{&c.Dir, &c.Folder, &c.Script} {
		if *path == "" {
			continue
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("find %s: %w", *path, err)
		}
		*path = absolute
	}
	switch o.command {
	case "mcp":
		if c.Folder == "" {
			return errors.New("mcp needs --folder DIR")
		}
	case "run":
		if o.agent == "" || strings.TrimSpace(o.input) == "" {
			return errors.New("run needs --agent NAME and --input TEXT")
		}
	case "serve":
		host, _, err := net.SplitHostPort(o.addr)
		if err != nil {
			return fmt.Errorf("--addr %s is not HOST:PORT: %w", o.addr, err)
		}
		if o.token != nil && *o.token == "" && !loopback(host) {
			return fmt.Errorf("--token \"\" is for loopback addresses only, and %s is none", o.addr)
		}
	}
	return nil
}

// serve serves the studio over HTTP until ctx is done.
func serve(ctx context.Context, o options, stdout, stderr io.Writer) (status int) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.addr)
	if err != nil {
		say(stderr, "listen on %s: %v (--addr HOST:0 takes a free port)", o.addr, err)
		return exitFailed
	}
	defer func() { _ = listener.Close() }()
	s, err := o.open(ctx, logger(stderr, slog.LevelInfo))
	if err != nil {
		return refused(stderr, err)
	}
	token := rand.Text()
	if o.token != nil {
		token = *o.token
	}
	address := listener.Addr().(*net.TCPAddr)
	// Streams end with their requests' context, so that a client that only listens does not hold the program up.
	streams, endStreams := context.WithCancel(context.Background())
	defer endStreams()
	web := &http.Server{
		Handler:           s.ServeHandler(server.Guard{Token: token, Hosts: o.hosts, Port: address.Port}),
		BaseContext:       func(net.Listener) context.Context { return streams },
		ReadHeaderTimeout: 10 * time.Second,
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	_, _ = fmt.Fprintln(stdout, pageAddress(address, token))

	select {
	case <-ctx.Done():
	case err := <-served:
		say(stderr, "serve on %s: %v", address, err)
		served <- http.ErrServerClosed
		status = exitFailed
	}
	if err := shut(ctx, s); err != nil {
		say(stderr, "%v", err)
		status = exitFailed
	}
	endStreams()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := web.Shutdown(end); err != nil {
		say(stderr, "end the last requests: %v", err)
		_ = web.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		say(stderr, "serve on %s: %v", address, err)
		status = exitFailed
	}
	return status
}

// run sends one message and prints the answer, or the run's events.
func run(ctx context.Context, o options, stdout, stderr io.Writer) (status int) {
	o.config.OneThread = true
	s, err := o.open(ctx, logger(stderr, slog.LevelWarn))
	if err != nil {
		return refused(stderr, err)
	}
	defer func() {
		if err := shut(ctx, s); err != nil {
			say(stderr, "%v", err)
			status = exitFailed
		}
	}()
	in := studio.RunInput{Agent: o.agent, Text: o.input, ThreadID: o.thread}
	if o.events {
		in.OnEvent = func(r agent.Record) { _, _ = fmt.Fprintf(stdout, "{\"seq\":%d,%s\n", r.Seq, r.JSON[1:]) }
	}
	toApprove := "To decide, open it in a browser:\n  callboard serve" + o.flags()
	outcome, err := s.Run(ctx, in)
	switch {
	case errors.Is(err, agent.ErrPaused):
		say(stderr, "%v. %s", err, toApprove)
		return exitWaiting
	case errors.Is(err, agent.ErrNotFound):
		say(stderr, "%v", err)
		return exitUsage
	case err != nil:
		say(stderr, "%v", err)
		return exitFailed
	}
	if !o.events && outcome.Output != "" {
		_, _ = fmt.Fprintln(stdout, outcome.Output)
	}
	switch outcome.Status {
	case protocol.StatusCompleted:
		sayHowItEnded(stderr, outcome.Finish)
		return exitOK
	case protocol.StatusPaused:
		for _, p := range outcome.Pending {
			say(stderr, "%s waits for approval: %s", p.ToolName, p.ArgumentsText)
		}
		say(stderr, "thread %s waits. %s", outcome.ThreadID, toApprove)
		return exitWaiting
	default:
		say(stderr, "the run is %s", outcome.Status)
		return exitFailed
	}
}

// serveTools serves the workspace tools to the MCP client that started the program.
func serveTools(ctx context.Context, o options, stderr io.Writer) int {
	if err := studio.ServeTools(ctx, o.config.Folder, version, os.Stdin, os.Stdout, logger(stderr, slog.LevelWarn)); err != nil {
		return refused(stderr, err)
	}
	return exitOK
}

// sayHowItEnded tells of an answer that is not whole.
func sayHowItEnded(stderr io.Writer, end *protocol.Finish) {
	switch {
	case end == nil:
	case end.Truncated:
		say(stderr, "the answer was cut at the model's token limit")
	case end.Limit == "repeated-calls":
		say(stderr, "the run was stopped: the same calls gave the same results again and again")
	case end.IterationLimitReached:
		say(stderr, "the run was stopped at its limit of turns")
	}
}

// flags are those that let another process go on where this one stopped.
func (o *options) flags() string {
	c := &o.config
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

// open opens the studio with what the flags said.
func (o *options) open(ctx context.Context, log *slog.Logger) (*studio.Studio, error) {
	assets, err := fs.Sub(dist, "frontend/dist")
	if err != nil {
		return nil, fmt.Errorf("open the page's files: %w", err)
	}
	config := o.config
	config.Version, config.Assets, config.Logger = version, assets, log
	return studio.Open(ctx, config)
}

// trace sends spans of every run to the collector the environment names, until stop.
func (o *options) trace(ctx context.Context) (stop func(stderr io.Writer), err error) {
	exporter, err := otlp.New(ctx, "callboard")
	if err != nil {
		return nil, err
	}
	o.config.OnEvent = (&trace.Recorder{Tracer: exporter.Tracer}).OnEvent
	return func(stderr io.Writer) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if err := exporter.Shutdown(ctx); err != nil {
			say(stderr, "%v", err)
		}
	}, nil
}

// refused says why the studio did not open.
func refused(stderr io.Writer, err error) int {
	say(stderr, "%v", err)
	if errors.Is(err, studio.ErrConfig) {
		return exitUsage
	}
	return exitFailed
}

// shut closes the studio: live runs are cancelled, waiting ones stay.
func shut(ctx context.Context, s *studio.Studio) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// pageAddress is what a person opens in a browser.
func pageAddress(address *net.TCPAddr, token string) string {
	host := *address
	if host.IP.IsUnspecified() {
		host.IP = net.IPv4(127, 0, 0, 1)
	}
	page := url.URL{Scheme: "http", Host: host.String(), Path: "/"}
	if token != "" {
		page.RawQuery = url.Values{"token": {token}}.Encode()
	}
	return page.String()
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

func logger(stderr io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
}

func say(stderr io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(stderr, "callboard: "+format+"\n", args...)
}
