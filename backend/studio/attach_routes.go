package studio

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"callboard/backend/remote"
)

// attachedView is an attached server as a client reads it.
type attachedView struct {
	Name      string `json:"name"`
	URL       string `json:"url"`
	HasToken  bool   `json:"hasToken"`
	TokenKept string `json:"tokenKept"` // keychain, memory, file, or empty
	// TokenFault, of the answer to a change, says why the token is not where it should be.
	TokenFault string   `json:"tokenFault,omitempty"`
	State      string   `json:"state"` // asking, ready or failed
	Error      string   `json:"error,omitempty"`
	Version    string   `json:"version"`
	Base       bool     `json:"base"`
	Agents     []string `json:"agents"` // their own names
	Tools      []string `json:"tools"`
}

// attachedPut is what a client says of a server. A token that is left out stays as it is; an empty one is forgotten.
type attachedPut struct {
	URL       string  `json:"url"`
	Token     *string `json:"token"`
	KeepToken string  `json:"keepToken"`
}

// attachedTest is what came of asking a server.
type attachedTest struct {
	OK     bool         `json:"ok"`
	Server attachedView `json:"server"`
	Error  string       `json:"error,omitempty"`
}

// maxAttached limits the list of servers.
const maxAttached = 100

// serverName is what a server may be called: it stands in the names of its agents and runs, after an @.
var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$`)

// attachRoutes are those of the attached servers.
func (s *Studio) attachRoutes(mux router) {
	mux.HandleFunc("PUT /api/studio/attached/{name}", s.putAttachment)
	mux.HandleFunc("DELETE /api/studio/attached/{name}", s.deleteAttachment)
	mux.HandleFunc("POST /api/studio/attached/{name}/test", s.testAttachment)
}

func (s *Studio) viewAttached() []attachedView {
	s.lookAttached()
	views := []attachedView{}
	for _, a := range s.attachments.list() {
		views = append(views, s.viewOne(a))
	}
	return views
}

func (s *Studio) viewOne(a *attached) attachedView {
	s.attachments.mu.Lock()
	v := attachedView{
		Name: a.name, URL: a.url, State: a.state, Error: a.fault, Version: a.stored.Version, Base: a.stored.Base,
		Agents: []string{}, Tools: []string{},
	}
	s.attachments.mu.Unlock()
	v.TokenKept = s.keys.kept(attachedKey(a.name))
	v.HasToken = v.TokenKept != keptNowhere
	for _, offer := range a.server.Agents() {
		name, _ := remote.Split(offer.Name)
		v.Agents = append(v.Agents, name)
		for _, t := range offer.Tools {
			if !slices.Contains(v.Tools, t.Name) {
				v.Tools = append(v.Tools, t.Name)
			}
		}
	}
	return v
}

// viewAttachedAgents are the agents of the attached servers as a client lists them.
func (s *Studio) viewAttachedAgents() (views []agentView) {
	for _, a := range s.attachments.list() {
		for _, offer := range a.server.Agents() {
			views = append(views, agentView{Name: offer.Name, Description: offer.Description, Server: a.name, Missing: []string{}})
		}
	}
	return views
}

func (s *Studio) putAttachment(w http.ResponseWriter, r *http.Request) {
	var put attachedPut
	name := r.PathValue("name")
	err := read(w, r, &put)
	if a := s.attachments.get(name); err == nil && a != nil {
		err = s.unmask([]*string{&a.url}, []*string{&put.URL})
	}
	if err == nil {
		err = put.check(name)
	}
	fault := ""
	if err == nil {
		fault, err = keyFault(s.attach(context.WithoutCancel(r.Context()), name, put))
	}
	a := s.attachments.get(name)
	if err == nil && a == nil {
		err = notFound("the server %q was detached meanwhile", name)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.lookAttached()
	view := s.viewOne(a)
	view.TokenFault = fault
	reply(w, http.StatusOK, view)
}

// check refuses what can be no server, and takes the token out of an address that has one.
func (p *attachedPut) check(name string) error {
	if !serverName.MatchString(name) {
		return invalid("name: must be 1 to 64 letters, digits, dots, colons, - or _, and begin with a letter or digit")
	}
	address, err := attachURL(p.URL)
	if err != nil {
		return invalid("url: %v", err)
	}
	if token := tokenIn(p.URL); token != "" && (p.Token == nil || *p.Token == "") {
		p.Token = &token
	}
	p.URL = address
	if p.Token != nil {
		*p.Token = strings.TrimSpace(*p.Token)
		if !httpguts.ValidHeaderFieldValue(*p.Token) {
			return invalid("token: holds what no header may")
		}
	}
	if !slices.Contains(keptWords, p.KeepToken) {
		return invalid("keepToken is keychain, memory or file, not %q", p.KeepToken)
	}
	return nil
}

// attach keeps a server and goes on with its runs.
func (s *Studio) attach(ctx context.Context, name string, put attachedPut) error {
	s.mu.Lock()
	stored, err := s.storedAttachments(ctx)
	at := slices.IndexFunc(stored, func(o attachment) bool { return o.Name == name })
	switch {
	case err != nil:
	case at >= 0:
		stored[at].URL = put.URL
	case len(stored) >= maxAttached:
		err = invalid("there are %d attached servers already", maxAttached)
	default:
		stored = append(stored, attachment{Name: name, URL: put.URL})
		at = len(stored) - 1
	}
	if err == nil {
		err = s.keep(ctx, "attached", stored)
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	a := &stored[at]
	told := s.storeSecret(ctx, attachedKey(name), put.Token, put.KeepToken)
	if _, err := keyFault(told); err != nil {
		return err
	}
	made, _ := s.putAttached(a, nil)
	return errors.Join(told, made.server.Recover(ctx, ""))
}

// deleteAttachment detaches a server. The threads with its agents stay; runs that have not ended do so here.
func (s *Studio) deleteAttachment(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := s.detach(context.WithoutCancel(r.Context()), name); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Studio) detach(ctx context.Context, name string) error {
	a := s.attachments.get(name)
	if a == nil {
		return notFound("there is no attached server %q", name)
	}
	s.mu.Lock()
	stored, err := s.storedAttachments(ctx)
	if err == nil {
		stored = slices.DeleteFunc(stored, func(o attachment) bool { return o.Name == name })
		err = s.keep(ctx, "attached", stored)
	}
	s.mu.Unlock()
	if err == nil {
		err = s.forgetSecrets(ctx, []string{attachedKey(name)})
	}
	if err != nil {
		return err
	}
	s.attachments.mu.Lock()
	delete(s.attachments.byName, name)
	s.attachments.mu.Unlock()
	return a.server.Detach(ctx)
}

// testAttachment asks a server what it has.
func (s *Studio) testAttachment(w http.ResponseWriter, r *http.Request) {
	ctx, name := context.WithoutCancel(r.Context()), r.PathValue("name")
	a := s.attachments.get(name)
	if a == nil {
		s.fail(w, notFound("there is no attached server %q", name))
		return
	}
	err := s.look(ctx, a)
	if now := s.attachments.get(name); now != nil {
		a = now // the look may have found it at another address
	}
	result := attachedTest{OK: err == nil, Server: s.viewOne(a)}
	if err != nil {
		result.Error = err.Error()
	}
	reply(w, http.StatusOK, result)
}
