package studio

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

// startWait is how long a run waits for MCP servers that are starting; it goes on without those that take longer.
const startWait = 10 * time.Second

// mcpServer is a server over MCP as it is stored: the values of its environment and headers are kept like keys.
type mcpServer struct {
	Name      string   `json:"name"`
	Transport string   `json:"transport"` // stdio or http
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Env       []string `json:"env"` // names
	URL       string   `json:"url"`
	Headers   []string `json:"headers"` // names
	Asks      mcp.Asks `json:"asks"`
	Enabled   bool     `json:"enabled"`
}

// The transports.
const (
	overStdio = "stdio"
	overHTTP  = "http"
)

// Where the values of a server's environment and headers are in the keyring.
func (m *mcpServer) envKey(name string) string    { return "mcp/" + m.Name + "/env/" + name }
func (m *mcpServer) headerKey(name string) string { return "mcp/" + m.Name + "/header/" + name }

// secrets are the keyring's names of all of them.
func (m *mcpServer) secrets() (ids []string) {
	for _, name := range m.Env {
		ids = append(ids, m.envKey(name))
	}
	for _, name := range m.Headers {
		ids = append(ids, m.headerKey(name))
	}
	return ids
}

// sources are the MCP servers that are switched on, by name. Their tools are offered to every agent.
type sources struct {
	offered tool.Registry

	mu      sync.Mutex
	closed  bool
	byName  map[string]*mcp.Source
	sharing sync.Mutex // the registry is filled by one at a time, each with what is there then
}

// source makes the source of a stored server.
func (s *Studio) source(m *mcpServer) *mcp.Source {
	src := &mcp.Source{Name: m.Name, Asks: m.Asks, Version: s.config.Version, Logger: s.log}
	if m.Transport == overStdio {
		src.Command, src.Args = m.Command, m.Args
		for _, name := range m.Env {
			value, _ := s.keys.get(m.envKey(name))
			src.Env = append(src.Env, name+"="+value)
		}
		return src
	}
	src.URL, src.Header = m.URL, http.Header{}
	for _, name := range m.Headers {
		value, _ := s.keys.get(m.headerKey(name))
		src.Header.Set(name, value)
	}
	return src
}

// openSources makes the sources of the stored servers. They start with the first run, or before.
func (s *Studio) openSources(ctx context.Context) error {
	stored, err := s.mcpServers(ctx)
	if err != nil {
		return err
	}
	for i := range stored {
		s.putSource(&stored[i])
	}
	return nil
}

// putSource puts a server's source in the place of the one before, which is ended.
func (s *Studio) putSource(m *mcpServer) {
	var made *mcp.Source
	if m.Enabled {
		made = s.source(m)
		made.OnChange = s.shareTools
	}
	s.replaceSource(m.Name, made)
}

// replaceSource puts a source, or none, in the place of the one before.
func (s *Studio) replaceSource(name string, made *mcp.Source) {
	s.sources.mu.Lock()
	old := s.sources.byName[name]
	delete(s.sources.byName, name)
	if made != nil && !s.sources.closed {
		if s.sources.byName == nil {
			s.sources.byName = map[string]*mcp.Source{}
		}
		s.sources.byName[name] = made
	}
	s.sources.mu.Unlock()
	if old != nil {
		old.Close()
	}
	s.shareTools()
}

// list returns the sources in the order of their names.
func (s *sources) list() []*mcp.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*mcp.Source, 0, len(s.byName))
	for _, src := range s.byName {
		all = append(all, src)
	}
	slices.SortFunc(all, func(a, b *mcp.Source) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (s *sources) get(name string) *mcp.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byName[name]
}

func (s *sources) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, src := range s.list() {
		wg.Go(src.Close)
	}
	wg.Wait()
}

func (s *sources) start() {
	for _, src := range s.list() {
		src.Start()
	}
}

// awaitSources starts the servers that do not run and waits for them, within limits: what a run is offered is what they list then.
func (s *Studio) awaitSources(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	var wg sync.WaitGroup
	for _, src := range s.sources.list() {
		wg.Go(func() { s.awaitTools(ctx, src) })
	}
	wg.Wait()
	s.shareTools()
}

func (s *Studio) awaitTools(ctx context.Context, src *mcp.Source) {
	if _, err := src.Tools(ctx); err != nil && ctx.Err() == nil {
		s.log.Debug("an MCP server gives only the tools it last had", "server", src.Name, "error", err)
	}
}

// shareTools offers the agents what the servers list now.
func (s *Studio) shareTools() {
	s.sources.sharing.Lock()
	defer s.sources.sharing.Unlock()
	var tools []*tool.Tool
	for _, src := range s.sources.list() {
		for _, o := range src.Offers() {
			if o.Tool != nil {
				tools = append(tools, o.Tool)
			}
		}
	}
	if err := s.sources.offered.Replace(tools...); err != nil {
		s.log.Error("the tools of the MCP servers cannot be offered", "error", err)
	}
}
