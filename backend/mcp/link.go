package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is a live connection to a server.
type link struct {
	session *sdk.ClientSession
	process *child // nil over HTTP
	hang    func() // lets go of what the transport holds
	since   time.Time
	works   atomic.Bool   // a call was answered
	over    chan struct{} // closed when the session has ended
}

// close ends the session; the process first, so that no call of it is waited for.
func (l *link) close() {
	if l.process != nil {
		l.process.stop()
	}
	_ = l.session.Close() // it may have ended by itself
	l.hang()
}

// attempt is one try to connect, for all who wait for it.
type attempt struct {
	done chan struct{}
	link *link
	err  error
}

// Waits between starts of a server that ends again and again.
const (
	firstWait = time.Second
	longWait  = time.Minute
	// lasting is how long a server that answered no call must have run for its end not to count as one in a row.
	lasting = 30 * time.Second
)

// connect returns the live connection. Where there is none it is made, once for all who ask.
func (s *Source) connect(ctx context.Context) (*link, error) {
	s.begin()
	s.mu.Lock()
	if s.closed || s.link != nil {
		defer s.mu.Unlock()
		if s.closed {
			return nil, fmt.Errorf("MCP server %q: %w", s.Name, ErrClosed)
		}
		return s.link, nil
	}
	if s.starting == nil {
		if wait := time.Until(s.notBefore); wait > 0 {
			defer s.mu.Unlock()
			return nil, fmt.Errorf("%w. It is started again in %s at the earliest", s.failure, rounded(wait))
		}
		s.starting = &attempt{done: make(chan struct{})}
		s.wg.Go(s.start)
	}
	a := s.starting
	s.mu.Unlock()
	select {
	case <-a.done:
		return a.link, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("start the MCP server %q: %w", s.Name, context.Cause(ctx))
	}
}

// start makes one attempt.
func (s *Source) start() {
	ctx, cancel := context.WithTimeout(s.life, cmp.Or(s.StartTimeout, DefaultStartTimeout))
	defer cancel()
	s.mu.Lock()
	s.stale = false // what changes while the list is read counts
	s.mu.Unlock()
	s.changed()
	l, offers, err := s.open(ctx)
	s.mu.Lock()
	if err == nil && s.closed { // Close found no link that it could have ended
		s.mu.Unlock()
		l.close()
		err = ErrClosed
		s.mu.Lock()
	}
	a := s.starting
	s.starting = nil
	if err == nil {
		s.link, s.offers, s.failure = l, offers, nil
		s.wg.Go(func() { s.watch(l) })
		if s.stale {
			s.listAnew(l)
		}
	} else {
		if ctx.Err() != nil && s.life.Err() == nil {
			err = fmt.Errorf("it did not answer within %s", cmp.Or(s.StartTimeout, DefaultStartTimeout))
		}
		err = s.explain("did not start", err)
		s.failed(err)
	}
	a.link, a.err = l, err
	s.mu.Unlock()
	close(a.done)
	s.changed()
}

// initializing is the newest version of the protocol in which "initialize" comes first. The next one begins with "server/discover",
// which servers of older libraries do not answer, or die of, where they are processes.
const initializing = "2025-11-25"

// open starts the server and reads its list.
func (s *Source) open(ctx context.Context) (*link, []Offer, error) {
	if err := s.Check(); err != nil {
		return nil, nil, err
	}
	var options *sdk.ClientSessionOptions
	if s.Command != "" {
		options = &sdk.ClientSessionOptions{ProtocolVersion: initializing}
	}
	l, err := s.greet(ctx, options)
	var refused *jsonrpc.Error
	if options != nil && errors.As(err, &refused) { // it may only know what is newer
		l, err = s.greet(ctx, nil)
	}
	if err != nil {
		return nil, nil, err
	}
	offers, err := s.list(ctx, l.session)
	if err != nil {
		l.close()
		return nil, nil, err
	}
	return l, offers, nil
}

// greet makes a connection and a session on it.
func (s *Source) greet(ctx context.Context, options *sdk.ClientSessionOptions) (*link, error) {
	t, err := s.transport(ctx)
	if err != nil {
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "callboard", Version: cmp.Or(s.Version, "0")}, &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{},
		Logger:                      s.logger(),
		ToolListChangedHandler:      func(_ context.Context, r *sdk.ToolListChangedRequest) { s.listChanged(r.Session) },
		ProgressNotificationHandler: s.tokens.hear,
	})
	session, err := client.Connect(ctx, t, options)
	l := &link{session: session, process: t.process, hang: t.hang, since: time.Now(), over: make(chan struct{})}
	if err != nil {
		if l.process != nil {
			l.process.stop()
		}
		l.hang()
		return nil, err
	}
	return l, nil
}

// watch waits for the end of a session and takes note of it.
func (s *Source) watch(l *link) {
	err := l.session.Wait()
	l.close()
	s.mu.Lock()
	s.link = nil
	if !s.closed {
		if l.works.Load() || time.Since(l.since) >= lasting {
			s.failures = 0
		}
		s.failed(s.explain("ended", err))
	}
	s.mu.Unlock()
	close(l.over)
	s.changed()
}

// failed notes why there is no connection, and when the next one may be made. s.mu is held.
func (s *Source) failed(err error) {
	s.failure = err
	s.failures++
	s.notBefore = time.Now().Add(waitAfter(s.failures))
	if s.life.Err() == nil {
		s.logger().Warn("an MCP server is not there", "server", s.Name, "error", err)
	}
}

// waitAfter is how long a server is left alone that failed so often in a row.
func waitAfter(failures int) time.Duration {
	if failures < 2 {
		return 0
	}
	return min(firstWait<<min(failures-2, 10), longWait)
}

func rounded(wait time.Duration) time.Duration {
	return max(wait.Round(time.Second/10), time.Second/10)
}

// maxQuoted is how much of one line of a server an error quotes; the whole line is in its log.
const maxQuoted = 300 // bytes

// explain says what became of the server, with the last it said.
func (s *Source) explain(what string, err error) error {
	text := fmt.Sprintf("the MCP server %q %s", s.Name, what)
	if status := s.log.status(); status != "" {
		text += " (" + status + ")"
	}
	if err != nil {
		text += ": " + s.mask(err.Error())
	}
	if last := s.log.last(3); len(last) > 0 {
		for i, line := range last {
			if last[i] = s.mask(line); len(last[i]) > maxQuoted {
				last[i] = strings.ToValidUTF8(last[i][:maxQuoted], "") + "…"
			}
		}
		text += ". It said: " + strings.Join(last, " / ")
	}
	return &explained{text, err}
}

// explained is an error in words of ours.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// gone waits a moment for the end of a session whose connection broke, for the reason.
func (s *Source) gone(ctx context.Context, l *link) error {
	select {
	case <-l.over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("MCP server %q: %w", s.Name, ErrClosed)
	}
	again := "the next call starts the server again"
	if wait := time.Until(s.notBefore); wait > 0 {
		again = fmt.Sprintf("the server is started again in %s at the earliest", rounded(wait))
	}
	return fmt.Errorf("%w. The call may have been carried out or not; %s", s.failure, again)
}

// isBroken reports whether an error of a call is one of the connection.
func isBroken(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing)
}

// mask hides what Env and Header hold, whatever its length.
func (s *Source) mask(text string) string {
	hide := func(secret string) {
		if len(secret) >= 6 { // shorter ones are words of everyday
			text = strings.ReplaceAll(text, secret, "•••")
		}
	}
	for _, variable := range s.Env {
		_, value, _ := strings.Cut(variable, "=")
		hide(value)
	}
	for _, values := range s.Header {
		for _, value := range values {
			hide(value)
			if _, token, ok := strings.Cut(value, " "); ok {
				hide(token)
			}
		}
	}
	if _, query, ok := strings.Cut(s.URL, "?"); ok {
		hide(query)
	}
	return text
}
