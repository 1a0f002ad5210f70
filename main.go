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
	"runtime/debug"
	"syscall"
	"time"

	"callboard/backend/agent"
	"callboard/backend/commandline"
	"callboard/backend/keychain"
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

// closeTimeout is how long live runs and open requests get to end when the program does.
const closeTimeout = 10 * time.Second

//go:embed all:frontend/dist
var dist embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(command(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// command runs the program with args and returns its exit status.
func command(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	o, err := commandline.Parse(args, env)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, _ = fmt.Fprint(stdout, commandline.Usage(env))
		return exitOK
	case err != nil:
		say(stderr, "%v\n`callboard --help` lists the commands and flags.", err)
		return exitUsage
	}
	if o.Tracing {
		stop, err := startTracing(ctx, &o)
		if err != nil {
			say(stderr, "%v", err)
			return exitUsage
		}
		defer stop(stderr)
	}
	switch o.Command {
	case "version":
		if r := revision(debug.ReadBuildInfo()); r != "" {
			_, _ = fmt.Fprintf(stdout, "callboard %s (%s)\n", version, r)
		} else {
			_, _ = fmt.Fprintf(stdout, "callboard %s\n", version)
		}
		return exitOK
	case "serve":
		return serve(ctx, o, stdout, stderr)
	case "run":
		return run(ctx, o, stdout, stderr)
	case "export":
		return export(ctx, o, stdout, stderr)
	case "import":
		return importThread(ctx, o, stdout, stderr)
	case "mcp":
		return serveTools(ctx, o, stderr)
	default:
		return window(ctx, o, stderr)
	}
}

// serve serves the studio over HTTP until ctx is done.
func serve(ctx context.Context, o commandline.Options, stdout, stderr io.Writer) (status int) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		say(stderr, "listen on %s: %v (--addr HOST:0 takes a free port)", o.Addr, err)
		return exitFailed
	}
	defer func() { _ = listener.Close() }()
	s, err := open(ctx, o, logger(stderr, slog.LevelInfo))
	if err != nil {
		return refused(stderr, err)
	}
	token := rand.Text()
	if o.Token != nil {
		token = *o.Token
	}
	address := listener.Addr().(*net.TCPAddr)
	// Streams end with their requests' context, so that a client that only listens does not hold the program up.
	streams, endStreams := context.WithCancel(context.Background())
	defer endStreams()
	web := &http.Server{
		Handler:           s.ServeHandler(server.Guard{Token: token, Hosts: o.Hosts, Port: address.Port}),
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
func run(ctx context.Context, o commandline.Options, stdout, stderr io.Writer) (status int) {
	o.Config.OneThread = true
	s, err := open(ctx, o, logger(stderr, slog.LevelWarn))
	if err != nil {
		return refused(stderr, err)
	}
	defer func() {
		if err := shut(ctx, s); err != nil {
			say(stderr, "%v", err)
			status = exitFailed
		}
	}()
	in := studio.RunInput{Agent: o.Agent, Text: o.Input, ThreadID: o.Thread}
	if o.Events {
		in.OnEvent = func(r agent.Record) { _, _ = fmt.Fprintf(stdout, "{\"seq\":%d,%s\n", r.Seq, r.JSON[1:]) }
	}
	toApprove := "To decide, open it in a browser:\n  callboard serve" + o.Flags()
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
	if !o.Events && outcome.Output != "" {
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

// export writes a thread to a file, whole or not at all, or to stdout.
func export(ctx context.Context, o commandline.Options, stdout, stderr io.Writer) int {
	return withStudio(ctx, o, stderr, func(s *studio.Studio) error {
		if o.Out == "" {
			return s.Export(ctx, o.Thread, o.Export, stdout)
		}
		file, err := os.CreateTemp(filepath.Dir(o.Out), ".callboard-*")
		if err != nil {
			return fmt.Errorf("write %s: %w", o.Out, err)
		}
		err = errors.Join(s.Export(ctx, o.Thread, o.Export, file), file.Close())
		if err == nil {
			err = os.Rename(file.Name(), o.Out)
		}
		if err != nil {
			return errors.Join(err, os.Remove(file.Name()))
		}
		return nil
	})
}

// importThread takes a thread from a file, or from stdin, and prints its id.
func importThread(ctx context.Context, o commandline.Options, stdout, stderr io.Writer) int {
	return withStudio(ctx, o, stderr, func(s *studio.Studio) error {
		file := os.Stdin
		if o.File != "-" {
			var err error
			if file, err = os.Open(o.File); err != nil {
				return fmt.Errorf("import %s: %w", o.File, err)
			}
			defer func() { _ = file.Close() }() // it was only read
		}
		take := s.Import
		if o.Copy {
			take = s.ImportCopy
		}
		id, err := take(ctx, file)
		if errors.Is(err, studio.ErrThreadExists) {
			return fmt.Errorf("%w, as %s; --copy stores another one", err, id)
		}
		if err == nil {
			_, err = fmt.Fprintln(stdout, id)
		}
		return err
	})
}

// withStudio does something with the data folder, in which nothing runs meanwhile.
func withStudio(ctx context.Context, o commandline.Options, stderr io.Writer, do func(*studio.Studio) error) (status int) {
	o.Config.OneThread = true
	s, err := open(ctx, o, logger(stderr, slog.LevelWarn))
	if err != nil {
		return refused(stderr, err)
	}
	err = do(s)
	switch err := errors.Join(err, shut(ctx, s)); {
	case errors.Is(err, agent.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		say(stderr, "%v", err)
		return exitUsage
	case err != nil:
		say(stderr, "%v", err)
		return exitFailed
	}
	return exitOK
}

// serveTools serves the workspace tools to the MCP client that started the program.
func serveTools(ctx context.Context, o commandline.Options, stderr io.Writer) int {
	if err := studio.ServeTools(ctx, o.Config.Folder, version, os.Stdin, os.Stdout, logger(stderr, slog.LevelWarn)); err != nil {
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

// open opens the studio with what the flags said.
func open(ctx context.Context, o commandline.Options, log *slog.Logger) (*studio.Studio, error) {
	assets, err := fs.Sub(dist, "frontend/dist")
	if err != nil {
		return nil, fmt.Errorf("open the page's files: %w", err)
	}
	config := o.Config
	config.Version, config.Assets, config.Logger, config.Keychain = version, assets, log, &keychain.System{}
	config.Revision = revision(debug.ReadBuildInfo())
	return studio.Open(ctx, config)
}

// revision names the commit a program was built from, and says so when files were changed since; empty where that is not known.
func revision(built *debug.BuildInfo, known bool) string {
	if !known {
		return ""
	}
	commit, changed := "", ""
	for _, s := range built.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changed
}

// startTracing sends spans of every run to the collector the environment names, until stop.
func startTracing(ctx context.Context, o *commandline.Options) (stop func(stderr io.Writer), err error) {
	exporter, err := otlp.New(ctx, "callboard")
	if err != nil {
		return nil, err
	}
	o.Config.Trace = &trace.Recorder{Tracer: exporter.Tracer, Provider: "openai"}
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

func logger(stderr io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
}

func say(stderr io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(stderr, "callboard: "+format+"\n", args...)
}
