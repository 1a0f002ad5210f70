package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/protocol"
	"callboard/backend/remote"
	"callboard/backend/server"
)

// Attachment is a server of the protocol to attach.
type Attachment struct {
	URL   string
	Token string // may be empty
}

// ReadAttachment reads an address that may carry its token as ?token=, as a studio prints its own; token is for one that carries none.
func ReadAttachment(address, token string) (Attachment, error) {
	clean, err := attachURL(address)
	return Attachment{URL: clean, Token: cmp.Or(tokenIn(address), token)}, err
}

// attachment is a server that is attached, as it is stored: its token is kept like a key.
type attachment struct {
	Name    string         `json:"name"`
	URL     string         `json:"url"`     // where its routes are
	Version string         `json:"version"` // as it said last
	Base    bool           `json:"base"`    // it numbers no events
	Agents  []server.Offer `json:"agents"`  // as it said last, under their own names
}

// attachedKey names the token of an attached server among the keys.
func attachedKey(name string) string { return "attached/" + name }

// Whether an attached server answers.
const (
	attachedAsking = "asking"
	attachedReady  = "ready"
	attachedFailed = "failed"
)

// lookPace is how long what a server said of itself counts, where somebody looks at it.
const lookPace = 5 * time.Second

// attached is a server at work.
type attached struct {
	name, url string // of a server at another address, there is another of these
	server    *remote.Server

	// What it said, which attachments.mu guards.
	stored  attachment
	state   string
	fault   string
	looking bool
	looked  time.Time
}

// attachments are the attached servers, by name.
type attachments struct {
	http *http.Client

	mu     sync.Mutex
	closed bool
	byName map[string]*attached
}

func (s *Studio) storedAttachments(ctx context.Context) ([]attachment, error) {
	stored := []attachment{}
	return stored, s.load(ctx, "attached", &stored)
}

// openAttachments makes the attached servers, those of the command line too.
func (s *Studio) openAttachments(ctx context.Context) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	s.attachments.http = &http.Client{
		Transport: transport,
		// The token is for the address a person gave, and for no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for _, a := range s.config.Attach {
		if err := s.attachFromFlags(ctx, a); err != nil {
			return err
		}
	}
	stored, err := s.storedAttachments(ctx)
	if err != nil {
		return err
	}
	for i := range stored {
		s.putAttached(&stored[i], nil)
	}
	return nil
}

// attachFromFlags keeps a server the command line names: under the name of its address, or as the one that has the address already.
func (s *Studio) attachFromFlags(ctx context.Context, a Attachment) error {
	address, err := attachURL(a.URL)
	if err != nil {
		return fmt.Errorf("%w: --attach: %w", ErrConfig, err)
	}
	stored, err := s.storedAttachments(ctx)
	if err != nil {
		return err
	}
	same := func(o attachment) bool { return o.URL == address || o.URL == address+"/api" }
	at := slices.IndexFunc(stored, same)
	if at < 0 {
		u, err := url.Parse(address)
		if err != nil {
			return fmt.Errorf("%w: --attach: %w", ErrConfig, err)
		}
		stored = append(stored, attachment{Name: freeServerName(u.Host, stored), URL: address})
		at = len(stored) - 1
		if err := s.keep(ctx, "attached", stored); err != nil {
			return err
		}
	}
	if a.Token == "" {
		return nil
	}
	fault, err := keyFault(s.storeSecret(ctx, attachedKey(stored[at].Name), &a.Token, ""))
	if fault != "" {
		s.log.Warn("the token of an attached server is not kept where it was", "server", stored[at].Name, "error", fault)
	}
	return err
}

func freeServerName(host string, taken []attachment) string {
	base := strings.NewReplacer("[", "", "]", "").Replace(host)
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		if !slices.ContainsFunc(taken, func(o attachment) bool { return o.Name == name }) {
			return name
		}
	}
}

// attachURL is an address as it is kept.
func attachURL(text string) (string, error) {
	address := strings.TrimSpace(text)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%q is no http or https address, such as http://127.0.0.1:4830", text)
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return strings.TrimRight(u.String(), "/"), nil
}

// makeAttached makes the server of what is stored of one.
func (s *Studio) makeAttached(a *attachment) *remote.Server {
	token, _ := s.keys.get(attachedKey(a.Name))
	return &remote.Server{
		Name: a.Name, Known: a.Agents, Runner: s.runner, Places: (*places)(s), Unanswered: (*unanswered)(s), Logger: s.log,
		Client: &client.Client{BaseURL: a.URL, Token: token, HTTP: s.attachments.http},
	}
}

// putAttached puts a server in the place of the one of its name, which ends its reading; where before is given, of that one alone. It
// reports whether it did.
func (s *Studio) putAttached(a *attachment, before *attached) (*attached, bool) {
	made := &attached{name: a.Name, url: a.URL, server: s.makeAttached(a), stored: *a, state: attachedAsking}
	s.attachments.mu.Lock()
	old, closed := s.attachments.byName[a.Name], s.attachments.closed
	if before != nil && old != before {
		s.attachments.mu.Unlock()
		return nil, false
	}
	if s.attachments.byName == nil {
		s.attachments.byName = map[string]*attached{}
	}
	s.attachments.byName[a.Name] = made
	s.attachments.mu.Unlock()
	if old != nil {
		old.server.Close()
	}
	if closed {
		made.server.Close()
	}
	return made, true
}

// recoverAttached goes on with the runs of attached servers, of one thread or (empty) of all, and ends those of servers that are
// not attached any more.
func (s *Studio) recoverAttached(ctx context.Context, threadID string) error {
	runs, err := s.db.Runs(ctx, agent.RunQuery{
		ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil {
		return fmt.Errorf("look for unfinished runs of attached servers: %w", err)
	}
	var failures []error
	for _, a := range s.attachments.list() {
		failures = append(failures, a.server.Recover(ctx, threadID))
	}
	for _, run := range runs {
		if _, name := remote.Split(run.ID); name != "" && s.attachments.get(name) == nil {
			failures = append(failures, s.makeAttached(&attachment{Name: name}).Detach(ctx))
		}
	}
	return errors.Join(failures...)
}

// elsewhere says of a run that it is the copy of one on an attached server.
func elsewhere(runID string) bool {
	_, name := remote.Split(runID)
	return name != ""
}

func (a *attachments) get(name string) *attached {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byName[name]
}

// list returns the attached servers in the order of their names.
func (a *attachments) list() []*attached {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]*attached, 0, len(a.byName))
	for _, each := range a.byName {
		all = append(all, each)
	}
	slices.SortFunc(all, func(a, b *attached) int { return strings.Compare(a.name, b.name) })
	return all
}

func (a *attachments) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	for _, each := range a.list() {
		each.server.Close()
	}
	if a.http != nil {
		a.http.CloseIdleConnections()
	}
}

// agent finds the agent of an attached server by its qualified name.
func (a *attachments) agent(qualified string) (server.Offer, bool) {
	if _, name := remote.Split(qualified); name != "" {
		if of := a.get(name); of != nil {
			for _, offer := range of.server.Agents() {
				if offer.Name == qualified {
					return offer, true
				}
			}
		}
	}
	return server.Offer{}, false
}

// lookAttached asks the servers how they are, behind the request that wants to know, where that was not asked lately.
func (s *Studio) lookAttached() {
	for _, a := range s.attachments.list() {
		s.attachments.mu.Lock()
		due := !a.looking && !s.attachments.closed && s.ctx != nil && time.Since(a.looked) > lookPace
		if due {
			a.looking = true
			s.background.Go(func() {
				if err := s.look(s.ctx, a); err != nil && s.ctx.Err() == nil {
					s.log.Debug("an attached server does not answer as it should", "server", a.name, "error", err)
				}
			})
		}
		s.attachments.mu.Unlock()
	}
}

// tokenIn is the token an address carries, as a studio prints it.
func tokenIn(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	return u.Query().Get("token")
}
