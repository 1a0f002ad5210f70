// Package server serves agents over HTTP: one http.Handler that speaks the streaming protocol (PROTOCOL.md, Routes) and mounts in
// any router. It knows nothing of windows, SQLite or who may come in: Guard stands before it where it listens on TCP.
//
// GET /openapi.json describes the routes and the events, in OpenAPI 3.1, for clients in other languages: their types can be made of it
// (npx openapi-typescript http://127.0.0.1:4830/openapi.json). It is made of the routes themselves and the Go types they read and write.
package server

import (
	"context"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"sync"
	"time"

	"callboard/backend/agent"
	"callboard/backend/redact"
)

// Server serves agents. Its fields are set before Handler is called and not changed after; those left out get the defaults they
// name. Server{Agents: …} alone serves.
type Server struct {
	// Runner runs the agents; nil is one of the Server's own, closed with it. One without a Resolve gets the Agents.
	Runner *agent.Runner
	// Agents are those that can be seen and started here. The first one answers /chat in a new thread.
	Agents []*agent.Agent
	// Runtime runs what clients ask for; nil is the Runner with the Agents.
	Runtime Runtime
	// Threads is the list of threads and what else the routes read; nil is the Runner's Store when it has the methods.
	Threads ThreadStore
	// Grace is how long a run that was started over /stream or /chat goes on after its client left; 0 is DefaultGrace, negative
	// is none. A run that waits, or waited, for a person is never cancelled.
	Grace time.Duration
	// KeepRuns lets runs go on whether or not their clients stay.
	KeepRuns bool
	// KeepAlive is how long a stream is silent before it sends a comment; 0 is DefaultKeepAlive.
	KeepAlive time.Duration
	// MaxBody limits a request's body, in bytes; 0 is DefaultMaxBody.
	MaxBody int64
	// ContextKeys are the members a run's context may have beside userId, channelType and channelId.
	ContextKeys []string
	// ToolRuns lets operators call a tool of the Agents alone, with arguments of their own: POST /tools/{name}/runs. Such a run is like
	// any other: its call waits where the tool's calls do, and what the agent's Middleware does about calls it does here. Off by default:
	// then nobody reaches a tool but through an agent. A Runtime of one's own says by its offers which tools may be called.
	ToolRuns bool
	// Redact is what leaves the server, for whom; nil masks nothing.
	Redact *redact.Policy
	// ViewOf says what the client of a request sees. With ?view=user an operator asks for what a user would see. nil is redact.Operator
	// for every one, but for what models answered agents that hold back their turns, blocked answers included: GET /runs/{id}/requests
	// shows that only to whom ViewOf calls an operator.
	ViewOf  func(r *http.Request) redact.View
	Version string       // of the program, told by GET /health; may be empty
	Logger  *slog.Logger // nil is slog.Default()

	once     sync.Once
	log      agent.Store
	mux      *http.ServeMux
	audience audience
	started  time.Time
	closing  chan struct{}
	ownsRun  bool
	document func() ([]byte, error) // GET /openapi.json, made once
}

// Defaults of a Server.
const (
	DefaultGrace     = 30 * time.Second
	DefaultKeepAlive = 5 * time.Second
	DefaultMaxBody   = 1 << 20
)

// ThreadStore is what the routes need of a store beyond agent.Store. agent.Memory and storage.DB have it.
type ThreadStore interface {
	// Threads lists threads whose title holds query, the last touched first; those touched at beforeMs or later are left out when
	// it is above 0.
	Threads(ctx context.Context, query string, beforeMs int64, limit int) ([]agent.ThreadSummary, error)
	// RenameThread gives a thread a title. agent.ErrNotFound.
	RenameThread(ctx context.Context, id, title string) error
	// DeleteThread removes a thread and all that belongs to it. agent.ErrNotFound, agent.ErrBusy.
	DeleteThread(ctx context.Context, id string) error
	// RunRequests returns what a run sent to its models and what came back, oldest first. agent.ErrNotFound.
	RunRequests(ctx context.Context, runID string) ([]agent.Request, error)
	// EventRefs is agent.Store.Events with references in place of large values (protocol.Ref), whose texts agent.Store.Blob has.
	EventRefs(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error)
}

// Handler returns the routes. It works behind http.StripPrefix.
func (s *Server) Handler() http.Handler {
	s.once.Do(s.setUp)
	return http.HandlerFunc(s.serve)
}

// Close ends every stream and lets go of runs whose clients left; it closes the Runner only when the Server made it. It suits
// http.Server.RegisterOnShutdown: without it a shutdown waits for the streams.
func (s *Server) Close(ctx context.Context) error {
	s.once.Do(s.setUp)
	s.audience.mu.Lock()
	select {
	case <-s.closing:
	default:
		close(s.closing)
	}
	s.audience.mu.Unlock()
	s.audience.close()
	if s.ownsRun {
		return s.Runner.Close(ctx)
	}
	return nil
}

func (s *Server) setUp() {
	if s.Runner == nil {
		s.Runner, s.ownsRun = &agent.Runner{Logger: s.Logger}, true
	}
	if s.Runner.Resolve == nil {
		s.Runner.Resolve = agent.Agents(s.Agents...)
	}
	if s.Runtime == nil {
		local := Local{Runner: s.Runner, List: func() []*agent.Agent { return s.Agents }, ToolRuns: s.ToolRuns}
		if s.ToolRuns {
			s.Runner.Resolve = local.resolve(s.Runner.Resolve)
		}
		s.Runtime = local
	}
	s.log = s.Runner.Log()
	if s.Threads == nil {
		threads, ok := s.log.(ThreadStore)
		if !ok {
			threads = noThreads{s.log}
		}
		s.Threads = threads
	}
	s.started = time.Now()
	s.closing = make(chan struct{})
	s.audience.grace = s.Grace
	if s.Grace == 0 {
		s.audience.grace = DefaultGrace
	}
	s.audience.abandon = s.abandon
	s.document = sync.OnceValues(s.describe)
	s.mux = http.NewServeMux()
	for pattern, route := range s.routes() {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := route.serve(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
}

// serve routes a request; whatever happens in a handler, the program lives and the client is told.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	out := &recorder{ResponseWriter: w, policy: s.Redact}
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		s.logger().Error("a handler panicked", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
		s.fail(out, r, &failure{status: http.StatusInternalServerError, code: CodeInternal, message: hidden})
	}()
	out.Header().Set("X-Content-Type-Options", "nosniff")
	escaped := r.URL.EscapedPath()
	if escaped != path.Clean(escaped) {
		// The mux would redirect to the clean path, without the prefix this handler is mounted under.
		s.fail(out, r, notFound("no route %s", r.URL.Path))
		return
	}
	if handler, pattern := s.mux.Handler(r); pattern == "" {
		s.fail(out, r, noRoute(handler, r))
		return
	}
	s.mux.ServeHTTP(out, r)
}

func (s *Server) logger() *slog.Logger {
	if s.Logger != nil {
		return s.Logger
	}
	return slog.Default()
}

// checkAgent refuses a name no agent that is offered has.
func (s *Server) checkAgent(name string) error {
	for _, offer := range s.Runtime.Agents() {
		if offer.Name == name {
			return nil
		}
	}
	return notFound("no agent %q", name)
}

// recorder knows whether an answer was begun, and what no answer shows.
type recorder struct {
	http.ResponseWriter
	policy *redact.Policy // nil masks nothing
	wrote  bool
}

func (r *recorder) WriteHeader(status int) {
	r.wrote = true
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	r.wrote = true
	return r.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
