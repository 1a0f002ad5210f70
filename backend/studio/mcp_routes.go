package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"callboard/backend/mcp"
)

// mcpView is a server as a client reads it.
type mcpView struct {
	mcpServer
	SecretsKept string    `json:"secretsKept"`           // keychain, memory, file, or empty: there are none
	SecretFault string    `json:"secretFault,omitempty"` // why values that were just handed in are not where they should be
	Missing     []string  `json:"missing"`               // of env and headers, whose value is gone or empty
	State       mcp.State `json:"state"`
	Tools       []mcpTool `json:"tools"`
	Error       string    `json:"error,omitempty"`
}

// mcpTool is a tool of a server.
type mcpTool struct {
	Name        string `json:"name"`     // on the server
	ToolName    string `json:"toolName"` // among the agents' tools; empty when it cannot be used
	Description string `json:"description"`
	Error       string `json:"error,omitempty"` // why it cannot
}

// mcpPut is what a client says of a server. A value of env and headers that is null stays as it is; a name left out is forgotten.
type mcpPut struct {
	Transport   string             `json:"transport"`
	Command     string             `json:"command"`
	Args        []string           `json:"args"`
	Env         map[string]*string `json:"env"`
	URL         string             `json:"url"`
	Headers     map[string]*string `json:"headers"`
	Asks        mcp.Asks           `json:"asks"`
	Enabled     *bool              `json:"enabled"` // left out is on
	KeepSecrets string             `json:"keepSecrets"`
	Start       *bool              `json:"start"` // left out is at once; false leaves it to the test or the run that comes next
}

// mcpTest is what came of trying a server.
type mcpTest struct {
	OK    bool      `json:"ok"`
	Tools []mcpTool `json:"tools"`
	Error string    `json:"error,omitempty"`
	Log   []string  `json:"log"` // the last lines of its standard error
}

// maxMCPServers limits the list of servers.
const maxMCPServers = 100

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (s *Studio) mcpServers(ctx context.Context) ([]mcpServer, error) {
	stored := []mcpServer{}
	return stored, s.load(ctx, "mcp", &stored)
}

func (s *Studio) viewMCP(ctx context.Context) ([]mcpView, error) {
	stored, err := s.mcpServers(ctx)
	if err != nil {
		return nil, err
	}
	views := make([]mcpView, len(stored))
	for i := range stored {
		views[i] = s.viewMCPServer(&stored[i])
	}
	return views, nil
}

func (s *Studio) viewMCPServer(m *mcpServer) mcpView {
	v := mcpView{mcpServer: *m, State: mcp.StateOff, Tools: []mcpTool{}, Missing: []string{}}
	for _, id := range m.secrets() {
		if kept := s.keys.kept(id); kept != keptNowhere {
			v.SecretsKept = kept
		} else {
			v.Missing = append(v.Missing, path.Base(id))
		}
	}
	if src := s.sources.get(m.Name); src != nil {
		state, err := src.State()
		v.State, v.Tools = state, s.viewOffers(src)
		if err != nil {
			v.Error = err.Error()
		}
	}
	return v
}

// viewOffers lists a server's tools. One that an agent's own tool of the same name stands before says so.
func (s *Studio) viewOffers(src *mcp.Source) []mcpTool {
	own := map[string]bool{}
	for _, a := range s.builtIn {
		for _, t := range a.Tools {
			own[t.Name] = true
		}
	}
	offers := src.Offers()
	tools := make([]mcpTool, len(offers))
	for i, o := range offers {
		tools[i] = mcpTool{Name: o.Name, Description: o.Description}
		switch {
		case o.Err != nil:
			tools[i].Error = o.Err.Error()
		case own[o.Tool.Name]:
			tools[i].Error = fmt.Sprintf("the agents have a tool %s of their own: give the server another name", o.Tool.Name)
		default:
			tools[i].ToolName = o.Tool.Name
		}
	}
	return tools
}

func (s *Studio) putMCP(w http.ResponseWriter, r *http.Request) {
	var put mcpPut
	err := read(w, r, &put)
	if err == nil {
		err = s.unmaskMCP(r.Context(), r.PathValue("name"), &put)
	}
	var m mcpServer
	if err == nil {
		m, err = put.server(r.PathValue("name"))
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	before, err := s.storeMCP(r.Context(), &m)
	fault := ""
	if err == nil {
		fault, err = keyFault(s.storeSecrets(r.Context(), &m, put, before))
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.putSource(&m)
	if src := s.sources.get(m.Name); src != nil && (put.Start == nil || *put.Start) {
		src.Start()
	}
	view := s.viewMCPServer(&m)
	view.SecretFault = fault
	reply(w, http.StatusOK, view)
}

// unmaskMCP puts the secrets of the stored server back into what was edited.
func (s *Studio) unmaskMCP(ctx context.Context, name string, put *mcpPut) error {
	stored, err := s.mcpServers(ctx)
	at := slices.IndexFunc(stored, func(m mcpServer) bool { return m.Name == name })
	if err != nil || at < 0 {
		return err
	}
	texts := func(command, url *string, args []string) []*string {
		all := []*string{command, url}
		for i := range args {
			all = append(all, &args[i])
		}
		return all
	}
	m := &stored[at]
	return s.unmask(texts(&m.Command, &m.URL, m.Args), texts(&put.Command, &put.URL, put.Args))
}

// server checks what a client said and makes the server of it.
func (p *mcpPut) server(name string) (mcpServer, error) {
	m := mcpServer{
		Name: name, Transport: cmp.Or(p.Transport, overStdio), Asks: p.Asks, Enabled: p.Enabled == nil || *p.Enabled,
		Args: []string{}, Env: []string{}, Headers: []string{},
	}
	probe := &mcp.Source{Name: name, Asks: p.Asks}
	switch m.Transport {
	case overStdio:
		m.Command, m.Env = strings.TrimSpace(p.Command), slices.Sorted(maps.Keys(p.Env))
		m.Args = append(m.Args, p.Args...)
		probe.Command = m.Command
	case overHTTP:
		m.URL, m.Headers = strings.TrimSpace(p.URL), slices.Sorted(maps.Keys(p.Headers))
		probe.URL = m.URL
	default:
		return m, invalid("transport is stdio or http, not %q", m.Transport)
	}
	if err := probe.Check(); err != nil {
		text := err.Error()
		return m, invalid("%s", strings.ToUpper(text[:1])+text[1:])
	}
	for _, variable := range m.Env {
		if !variableName.MatchString(variable) {
			return m, invalid("%q is no name of an environment variable", variable)
		}
	}
	for _, header := range m.Headers {
		if !httpguts.ValidHeaderFieldName(header) {
			return m, invalid("%q is no name of a header", header)
		}
		if value := p.Headers[header]; value != nil && !httpguts.ValidHeaderFieldValue(*value) {
			return m, invalid("The value of the header %s holds what no header may", header)
		}
	}
	if !slices.Contains(keptWords, p.KeepSecrets) {
		return m, invalid("keepSecrets is keychain, memory or file, not %q", p.KeepSecrets)
	}
	return m, nil
}

// storeMCP keeps a server, and returns the names of the secrets the one before had.
func (s *Studio) storeMCP(ctx context.Context, m *mcpServer) (before []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, err := s.mcpServers(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(stored, func(o mcpServer) bool { return o.Name == m.Name })
	switch {
	case at >= 0:
		before = stored[at].secrets()
		stored[at] = *m
	case len(stored) >= maxMCPServers:
		return nil, invalid("There are %d MCP servers already.", maxMCPServers)
	default:
		stored = append(stored, *m)
	}
	return before, s.keep(ctx, "mcp", stored)
}

// storeSecrets keeps a server's secrets beside the providers' keys, and forgets those it has no more.
func (s *Studio) storeSecrets(ctx context.Context, m *mcpServer, put mcpPut, before []string) error {
	said := map[string]*string{}
	for name, value := range put.Env {
		said[m.envKey(name)] = value
	}
	for name, value := range put.Headers {
		said[m.headerKey(name)] = value
	}
	var told error
	now := m.secrets()
	for _, id := range now {
		err := s.storeSecret(ctx, id, said[id], put.KeepSecrets)
		if fault := (*unkept)(nil); errors.As(err, &fault) {
			told = err
		} else if err != nil {
			return err
		}
	}
	if err := s.forgetSecrets(ctx, slices.DeleteFunc(before, func(id string) bool { return slices.Contains(now, id) })); err != nil {
		return err
	}
	return told
}

func (s *Studio) storeSecret(ctx context.Context, id string, value *string, kept string) error {
	if value == nil {
		return s.keys.move(ctx, id, kept)
	}
	return s.keys.put(ctx, id, *value, cmp.Or(kept, s.keys.kept(id), keptInRAM))
}

func (s *Studio) forgetSecrets(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := s.keys.put(ctx, id, "", keptNowhere); err != nil {
			return err
		}
	}
	return nil
}

func (s *Studio) deleteMCP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, rest, err := s.findMCP(r)
	if err == nil {
		if err = s.keep(r.Context(), "mcp", rest); err == nil {
			err = s.forgetSecrets(r.Context(), m.secrets())
		}
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.replaceSource(m.Name, nil)
	w.WriteHeader(http.StatusNoContent)
}

// findMCP returns the server a request names, and the others.
func (s *Studio) findMCP(r *http.Request) (*mcpServer, []mcpServer, error) {
	stored, err := s.mcpServers(r.Context())
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(stored, func(o mcpServer) bool { return o.Name == r.PathValue("name") })
	if at < 0 {
		return nil, nil, notFound("There is no MCP server %q.", r.PathValue("name"))
	}
	m := stored[at]
	return &m, slices.Delete(stored, at, at+1), nil
}

// testMCP starts a server, one that is switched off for the test alone, and lists what it has.
func (s *Studio) testMCP(w http.ResponseWriter, r *http.Request) {
	m, _, err := s.findMCP(r)
	if err != nil {
		s.fail(w, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), testTimeout)
	defer cancel()
	src := s.sources.get(m.Name)
	if src == nil {
		src = s.source(m)
		defer src.Close()
	}
	err = src.Refresh(ctx)
	result := mcpTest{OK: err == nil, Tools: s.viewOffers(src), Log: append([]string{}, src.Log()...)}
	if err != nil {
		result.Error = err.Error()
	}
	reply(w, http.StatusOK, result)
}
