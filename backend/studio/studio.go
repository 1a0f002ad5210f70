// Package studio is the desktop app without a window: its data folder, agents, threads, providers and settings behind one
// http.Handler. It knows nothing of Wails, flags or the environment.
package studio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/backend/redact"
	"callboard/backend/server"
	"callboard/backend/toolset/browser"
	"callboard/backend/toolset/scheduler"
	"callboard/backend/trace"
	"callboard/storage"
)

// Config is what a Studio is opened with. Only Dir is required.
type Config struct {
	Dir    string // the data folder, made when it is absent; one process uses it at a time
	Folder string // the folder of every thread that names none; empty: each demo thread gets a sample, others the settings' folder

	// Script, or Model with BaseURL, set the model of every agent.
	Script  string // a file of the scripted model
	BaseURL string // an OpenAI-compatible server
	Model   string

	// Key and EnvBaseURL are OPENAI_API_KEY and OPENAI_BASE_URL; where one is set there is a provider "env". Key is the flag model's too.
	Key        string
	EnvBaseURL string
	// Keychain is the system's; nil is none, and keys are kept in memory, or on request in a file.
	Keychain Keychain
	// LocalServers are the programs on this machine that are looked for; nil is Ollama, LM Studio, llama.cpp and vLLM where they
	// usually listen.
	LocalServers []LocalServer

	// OneThread leaves unfinished runs of other threads alone: Open recovers nothing, Run recovers the thread it is given.
	OneThread bool

	// Trace makes spans of every run; Open sets its Events. nil makes none.
	Trace *trace.Recorder

	// Attach are servers to attach, beside those that are kept.
	Attach []Attachment

	Version  string
	Revision string       // what it was built from; empty where that is not known
	Assets   fs.FS        // the window's page; nil serves none
	Logger   *slog.Logger // nil is slog.Default()
}

// Studio is an open data folder with everything that works on it.
type Studio struct {
	config   Config
	dir      string
	openedAt time.Time
	log      *slog.Logger   // masks keys
	redact   *redact.Policy // of what leaves the studio
	lock     *flock.Flock
	db       *storage.DB
	keys     *keyring
	finder   *finder
	demo     *demoBackend
	override *override    // nil: each thread has its own model
	client   *http.Client // asks the models
	runner   *agent.Runner
	server   *server.Server
	handler  http.Handler
	builtIn  []*agent.Agent // to be listed

	sandboxes sandboxes

	toolsets  []toolset
	scheduler *scheduler.Scheduler
	browser   *browser.Browser

	sources     sources
	share       share
	attachments attachments

	trying sync.Mutex // held while a try begins

	mu sync.Mutex // held while a setting is read, changed and kept

	connecting sync.Mutex
	connected  map[string]*discreet // by provider

	ctx        context.Context    // of what goes on behind requests; nil with OneThread
	stop       context.CancelFunc // ends it
	background sync.WaitGroup
}

// ErrConfig says that what a studio was told to open with cannot work: a folder that is not there, a script that does not load.
var ErrConfig = errors.New("cannot start")

// Open opens the data folder and goes on with the runs another process left unfinished. A folder that another process has open,
// and a database of a newer version, are errors that say so; nothing is changed then.
// It returns ErrConfig when c itself cannot work, ErrInUse when another process has the folder, or what storage.Open returns.
func Open(ctx context.Context, c Config) (*Studio, error) { return open(ctx, c, nil) }

// open is Open, with a last word on the runner before it runs anything.
func open(ctx context.Context, c Config, adjust func(*agent.Runner)) (_ *Studio, err error) {
	s := &Studio{
		config: c, log: c.Logger, finder: newFinder(c.LocalServers), connected: map[string]*discreet{},
		client: &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()},
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.config.Key = strings.TrimSpace(c.Key)
	s.openedAt = time.Now()
	if s.dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, fmt.Errorf("find the data folder %s: %w", c.Dir, err)
	}
	if c.Folder != "" {
		if s.config.Folder, err = filepath.Abs(c.Folder); err != nil {
			return nil, fmt.Errorf("find the folder %s: %w", c.Folder, err)
		}
		if !isFolder(s.config.Folder) {
			return nil, fmt.Errorf("%w: there is no folder %s", ErrConfig, s.config.Folder)
		}
	}
	if s.override, err = s.newOverride(); err != nil {
		return nil, err
	}
	if s.demo, err = newDemoBackend(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	if s.lock, err = lock(s.dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	if err := s.openShare(); err != nil {
		return nil, err
	}
	if s.db, err = storage.Open(filepath.Join(s.dir, "callboard.db")); err != nil {
		return nil, err
	}
	if s.keys, err = s.openKeys(ctx); err != nil {
		return nil, err
	}
	s.redact = s.policy()
	s.log = slog.New(s.redact.Handler(s.log.Handler()))
	s.runner = &agent.Runner{
		Store: s.db, Resolve: s.resolve, Tools: &s.sources.offered, Rules: s.allow, Sandbox: s.executor(), Logger: s.log,
		Elsewhere: elsewhere,
	}
	if c.Trace != nil {
		c.Trace.Events = func(runID string) iter.Seq2[protocol.Frame, error] {
			return s.runner.Frames(context.WithoutCancel(ctx), runID)
		}
		s.runner.OnEvent = c.Trace.OnEvent
	}
	if adjust != nil {
		adjust(s.runner)
	}
	if err := errors.Join(s.openToolsets(), s.serve(), s.openSources(ctx), s.openAttachments(ctx)); err != nil {
		return nil, err
	}
	if !c.OneThread {
		s.sources.start()
		if err := s.runner.Recover(ctx, ""); err != nil {
			return nil, fmt.Errorf("go on with unfinished runs: %w", err)
		}
		if err := s.recoverAttached(ctx, ""); err != nil {
			return nil, err
		}
		if err := s.scheduler.Start(); err != nil {
			return nil, err
		}
		s.lookAround(ctx)
	}
	return s, nil
}

// lookAround asks for local servers of models while the studio opens, and clears up after old threads.
func (s *Studio) lookAround(ctx context.Context) {
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.ctx = ctx
	s.background.Go(func() { s.finder.look(ctx) })
	s.background.Go(func() { s.retain(ctx) })
	s.lookAttached()
}

// Runner runs the studio's agents.
func (s *Studio) Runner() *agent.Runner { return s.runner }

// Close cancels live runs, leaves waiting ones, and lets go of the data folder.
func (s *Studio) Close(ctx context.Context) error {
	if err := s.close(ctx); err != nil {
		return fmt.Errorf("close the data folder %s: %w", s.dir, err)
	}
	return nil
}

func (s *Studio) close(ctx context.Context) error {
	var errs []error
	if s.stop != nil {
		s.stop()
	}
	s.attachments.close()
	s.background.Wait()
	if s.scheduler != nil {
		s.scheduler.Close()
	}
	if s.server != nil {
		errs = append(errs, s.server.Close(ctx))
	}
	if s.runner != nil {
		errs = append(errs, s.runner.Close(ctx))
	}
	s.sources.close()
	if s.browser != nil {
		s.browser.Close()
	}
	errs = append(errs, s.sandboxes.close(ctx))
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	s.client.CloseIdleConnections()
	return errors.Join(append(errs, s.lock.Unlock())...)
}
