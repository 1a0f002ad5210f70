// Package remote runs agents that are on another server of the streaming protocol, and keeps a copy of their runs here: every event
// under its own number, with the rows derived from it, in a Runner's store. It knows nothing of settings or windows.
package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/protocol"
	"callboard/backend/server"
)

// separator stands between what a server calls a thing and the server's name.
const separator = "@"

// askTimeout is how long a server may take to answer a request that is no stream.
const askTimeout = 15 * time.Second

// Qualify is what an agent, or a run, of a server is called here.
func Qualify(name, serverName string) string { return name + separator + serverName }

// Split takes a name that Qualify made apart; serverName is empty for one it did not make.
func Split(qualified string) (name, serverName string) {
	at := strings.LastIndex(qualified, separator)
	if at < 0 {
		return qualified, ""
	}
	return qualified[:at], qualified[at+len(separator):]
}

// Server is a server of the protocol that is attached: the server.Runtime of its agents. Its fields are set before it is used and
// not changed after. It is safe for concurrent use.
type Server struct {
	Name   string         // without "@"; stands after the names of its agents and runs
	Client *client.Client // its Retries and RetryDelay are not used here
	Runner *agent.Runner  // whose store has the copies, and whose bell tells of them
	// Places keeps what a server calls a thread; nil where they are always called as they are here.
	Places Places
	// Unanswered keeps the starts whose answers may be lost; nil keeps none, and a run that began all the same is not found.
	Unanswered Unanswered
	// Known are the agents it had when it was last asked, under their own names; Refresh replaces them.
	Known  []server.Offer
	Logger *slog.Logger // nil is slog.Default()

	mu      sync.Mutex
	offers  []server.Offer // nil until the first Refresh
	closed  bool
	base    bool // it has no routes but those every server has
	mirrors map[string]*mirror
	asking  map[string]bool // threads in which a start is on its way
	lost    map[string]bool // threads whose start is being settled
	ctx     context.Context // of the followers
	stop    context.CancelFunc
	wg      sync.WaitGroup

	settling sync.Mutex // held while it is found out what came of a start
}

// Places keeps what servers call the threads that are here under an id of ours.
type Places interface {
	// Place returns what the server calls a thread; empty when it was not told.
	Place(ctx context.Context, threadID string) (string, error)
	Keep(ctx context.Context, threadID, place string) error
}

// Found is what a server said of itself.
type Found struct {
	Version string // empty when it does not tell
	// Base says that it numbers no events and lists no approvals: a connection that breaks ends what was read over it.
	Base   bool
	Agents []server.Offer // under their own names
}

// Refresh asks the server for its agents and tools. Its error says in words what is wrong with the server or the way to it.
func (s *Server) Refresh(ctx context.Context) (*Found, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	agents, err := s.Client.Agents(ctx)
	if err == nil && agents == nil {
		err = client.ErrAnswer
	}
	if err != nil {
		if noProtocol(err) {
			err = fmt.Errorf("%w: %w", ErrNoProtocol, err)
		}
		return nil, s.refusal(err)
	}
	tools, err := s.Client.Tools(ctx)
	if err != nil {
		return nil, s.refusal(err)
	}
	found := &Found{}
	if health, err := s.Client.Health(ctx); err == nil {
		found.Version = health.Version
	}
	var said *client.Error
	if _, err := s.Client.Approvals(ctx); errors.As(err, &said) && (said.Status == http.StatusNotFound || said.Status == http.StatusMethodNotAllowed) {
		found.Base = true
	} else if err != nil {
		return nil, s.refusal(err)
	}
	byName := map[string]server.Tool{}
	for _, t := range tools {
		byName[t.Name] = toolOf(t)
	}
	for _, a := range agents {
		offer := server.Offer{Name: a.Name, Description: a.Description}
		for _, name := range a.Tools {
			t, known := byName[name]
			if !known {
				t.Name = name
			}
			offer.Tools = append(offer.Tools, t)
		}
		found.Agents = append(found.Agents, offer)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offers, s.base = append([]server.Offer{}, found.Agents...), found.Base
	return found, nil
}

func toolOf(t client.Tool) server.Tool {
	return server.Tool{
		Schema: t.Schema, OutputSchema: t.OutputSchema, Category: t.Category, Tags: t.Tags, SideEffects: t.SideEffects,
		Approval: t.Approval, TimeoutMs: t.TimeoutMs, Sandbox: t.Sandbox, Presentation: t.Presentation, Callable: t.Callable,
	}
}

// Agents are those the server has, each with the server's name.
func (s *Server) Agents() []server.Offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.offers
	if known == nil {
		known = s.Known
	}
	offers := make([]server.Offer, len(known))
	for i, offer := range known {
		offer.Name = Qualify(offer.Name, s.Name)
		offers[i] = offer
	}
	return offers
}

// Has reports whether a run is a copy of one on this server.
func (s *Server) Has(runID string) bool {
	_, name := Split(runID)
	return name == s.Name
}

// Recover goes on reading the runs that have not ended, of one thread or (empty) of all, and looks for those whose start was not
// answered.
func (s *Server) Recover(ctx context.Context, threadID string) error {
	runs, err := s.Runner.Log().Runs(ctx, agent.RunQuery{
		ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil {
		return fmt.Errorf("look for unfinished runs on %s: %w", s.Name, err)
	}
	var failures []error
	for _, run := range runs {
		if s.Has(run.ID) {
			_, err := s.mirror(ctx, run.ID)
			failures = append(failures, err)
		}
	}
	open, err := s.unanswered(ctx, threadID)
	for _, a := range open {
		s.settleLater(a.ThreadID)
	}
	return errors.Join(append(failures, err)...)
}

// Detach ends the copies of the runs that have not ended here; on the server they go on. Then it closes.
func (s *Server) Detach(ctx context.Context) error {
	if err := s.Recover(ctx, ""); err != nil && !errors.Is(err, agent.ErrClosed) {
		return err
	}
	s.Close()
	s.mu.Lock()
	open := maps.Clone(s.mirrors) // none is added once it is closed
	s.mu.Unlock()
	asked, err := s.unanswered(ctx, "")
	failures := []error{err}
	for _, a := range asked {
		s.answered(ctx, a.ThreadID)
	}
	for _, m := range open {
		failures = append(failures, m.fail(ctx, agent.CodeRunInterrupted, s.Name+" is not attached any more: what this run did after that is not known here."))
	}
	return errors.Join(failures...)
}

// Close stops reading. Runs on the server go on; a Server of the same name goes on with them after Recover.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	if s.stop != nil {
		s.stop()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// mirror returns the copy of a run that has not ended, which is followed from now on.
func (s *Server) mirror(ctx context.Context, runID string) (*mirror, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.mirrors[runID]; m != nil {
		if m.over() {
			return nil, fmt.Errorf("run %s: %w", runID, agent.ErrEnded)
		}
		return m, nil
	}
	m := s.newMirror(runID)
	if err := m.load(ctx); err != nil {
		return nil, err
	}
	if m.fold.Status.Ended() {
		return nil, fmt.Errorf("run %s: %w", runID, agent.ErrEnded)
	}
	return m, s.follow(m, m.watch)
}

// follow starts the one goroutine that reads a run, once the one that read its last stretch has ended. The caller holds the lock.
func (s *Server) follow(m *mirror, read func(context.Context)) error {
	if err := s.open(); err != nil {
		return err
	}
	s.mirrors[m.id] = m
	before := m.left
	if before != nil {
		m.stop() // it has read all there is, and must not take the next stretch for an interruption of its own
	}
	ctx, cancel := context.WithCancel(s.ctx)
	left := make(chan struct{})
	m.stop, m.left = cancel, left
	s.wg.Go(func() {
		defer close(left)
		defer cancel()
		if before != nil {
			<-before
		}
		read(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.mirrors[m.id] == m && (m.over() || !m.begun()) {
			delete(s.mirrors, m.id)
		}
	})
	return nil
}

// open makes ready for goroutines. The caller holds the lock.
func (s *Server) open() error {
	if s.closed {
		return agent.ErrClosed
	}
	if s.ctx == nil {
		s.ctx, s.stop = context.WithCancel(context.Background())
		s.mirrors, s.lost = map[string]*mirror{}, map[string]bool{}
	}
	return nil
}

func (s *Server) logger() *slog.Logger {
	if s.Logger != nil {
		return s.Logger
	}
	return slog.Default()
}
