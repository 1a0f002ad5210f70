package studio

import (
	"net/http"

	"callboard/backend/agent"
	"callboard/backend/redact"
	"callboard/backend/remote"
	"callboard/backend/server"
	"callboard/backend/toolset/workspace"
)

// Handler serves the page at /, the protocol at /api and the studio's own routes at /api/studio, unguarded: for the window.
func (s *Studio) Handler() http.Handler { return s.handler }

// ServeHandler is Handler behind a guard: for TCP.
func (s *Studio) ServeHandler(g server.Guard) http.Handler {
	g.Unlimited = append(g.Unlimited, importPath)
	return g.Wrap(s.handler)
}

// serve puts the routes together.
func (s *Studio) serve() error {
	s.server = &server.Server{
		Version: s.config.Version, Runner: s.runner, Threads: threads{s.db, s}, KeepRuns: true, Redact: s.redact, ViewOf: operator, Logger: s.log,
	}
	s.server.Runtime = runtimes{server.Local{Runner: s.runner, List: s.listed, ToolRuns: true}, s}
	for i := range agentKinds {
		tools, err := s.tools("", workspace.Options{})
		if err != nil {
			return err
		}
		if agentKinds[i].toolsets {
			tools = append(tools, s.toolsOf(switches{}, true)...)
		}
		// To be listed; resolve makes the ones that run.
		s.builtIn = append(s.builtIn, s.agent(&agentKinds[i], unable{unavailable("not bound to a thread")}, "", tools))
	}
	protocol := http.StripPrefix("/api", s.server.Handler())
	own := http.NewServeMux()
	s.routes(own)
	mux := http.NewServeMux()
	mux.Handle("/api/studio/", s.masked(own))
	mux.Handle("POST /api/agents/{name}/runs", s.byHandBeside(protocol))
	mux.Handle("/api/", protocol)
	mux.Handle("/api", http.NotFoundHandler())
	mux.Handle("DELETE /api/threads/{id}", s.forgetting(protocol))
	mux.Handle("/", page{s.config.Assets})
	s.handler = mux
	return nil
}

// operator is the view of every client: who reaches the studio works with it.
func operator(*http.Request) redact.View { return redact.Operator }

// byHandBeside takes the messages to who calls a tool by hand, here or on an attached server: their thread says which tool that is.
func (s *Studio) byHandBeside(next http.Handler) http.Handler {
	tries := s.masked(http.HandlerFunc(s.postByHand))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _ := remote.Split(r.PathValue("name"))
		if _, alone := agent.ByHandTool(name); alone || name == byHand {
			tries.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// secrets are what no answer shows, wherever it came from: a tool may print a key, a server quote it.
func (s *Studio) secrets() []string {
	return append(s.keys.all(), s.config.Key)
}

// forgetting lets the studio clear up after a thread that is deleted.
func (s *Studio) forgetting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		out := &status{ResponseWriter: w}
		next.ServeHTTP(out, r)
		if out.code == http.StatusNoContent {
			s.forgetThread(id)
		}
	})
}

// status remembers what a request was answered with.
type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}
