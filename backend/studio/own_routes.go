package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"callboard/backend/agent"
	"callboard/backend/server"
)

// agentView is an agent as a client lists it.
type agentView struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	BuiltIn     bool     `json:"builtIn"`
	NeedsModel  bool     `json:"needsModel"`
	NeedsFolder bool     `json:"needsFolder"` // it has tools that work in one; the demo has a sample of its own
	ProviderID  string   `json:"providerId"`  // empty: the model is the thread's
	Model       string   `json:"model"`
	Missing     []string `json:"missing"`          // what it names and is not there, in words: it works without
	Server      string   `json:"server,omitempty"` // the attached server it is on; empty: it is here
}

// agentSpec is an agent as it is edited.
type agentSpec struct {
	ownAgent
	BuiltIn bool     `json:"builtIn"` // it can be copied, not changed
	Missing []string `json:"missing"`
}

// viewAgents lists the built-in agents, then those that were made, in the order they were.
func (s *Studio) viewAgents(ctx context.Context) ([]agentView, error) {
	views := make([]agentView, 0, len(agentKinds))
	for _, kind := range agentKinds {
		views = append(views, agentView{
			Name: kind.Name, Description: kind.Description, BuiltIn: true, NeedsModel: kind.NeedsModel, NeedsFolder: kind.NeedsModel, Missing: []string{},
		})
	}
	box, err := s.toolbox(ctx, "")
	if err != nil {
		return nil, err
	}
	tools, err := box.registry()
	if err != nil {
		return nil, err
	}
	for i := range box.own {
		o := &box.own[i]
		views = append(views, agentView{
			Name: o.Name, Description: o.Description, NeedsModel: true, NeedsFolder: box.needsFolder(o), ProviderID: o.Backend, Model: o.Model,
			Missing: box.missing(o, tools),
		})
	}
	return append(views, s.viewAttachedAgents()...), nil
}

// specOf finds an agent by name as it is edited.
func (s *Studio) specOf(ctx context.Context, name string) (*agentSpec, error) {
	if kind := findAgent(name); kind != nil {
		o, err := s.asSpec(kind)
		return &agentSpec{ownAgent: o, BuiltIn: true, Missing: []string{}}, err
	}
	box, err := s.toolbox(ctx, "")
	if err != nil {
		return nil, err
	}
	o := findOwn(box.own, name)
	if o == nil {
		return nil, notFound("there is no agent %q", name)
	}
	tools, err := box.registry()
	if err != nil {
		return nil, err
	}
	return &agentSpec{ownAgent: *o, Missing: box.missing(o, tools)}, nil
}

func (s *Studio) getAgent(w http.ResponseWriter, r *http.Request) {
	spec, err := s.specOf(r.Context(), r.PathValue("name"))
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, spec)
}

// postAgent makes an agent; a name that is taken is refused.
func (s *Studio) postAgent(w http.ResponseWriter, r *http.Request) {
	var o ownAgent
	err := readAgent(w, r, &o)
	if err == nil {
		err = s.storeAgent(r.Context(), &o, false)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.replyAgent(w, r, http.StatusCreated, o.Name)
}

// putAgent changes an agent. Its name stays: threads know it by that.
func (s *Studio) putAgent(w http.ResponseWriter, r *http.Request) {
	var o ownAgent
	err := readAgent(w, r, &o)
	name := r.PathValue("name")
	switch {
	case err != nil:
	case findAgent(name) != nil:
		err = builtIn(name, "changed: make a copy of it")
	case o.Name != "" && o.Name != name:
		err = invalid("name: an agent keeps its name, for threads know it by that; copy it under another one")
	default:
		o.Name = name
		err = s.unmaskAgent(r.Context(), &o)
		if err == nil {
			err = s.storeAgent(r.Context(), &o, true)
		}
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.replyAgent(w, r, http.StatusOK, name)
}

func (s *Studio) deleteAgent(w http.ResponseWriter, r *http.Request) {
	if err := s.forgetAgent(r.Context(), r.PathValue("name")); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// unmaskAgent puts the secrets of the stored agent back into one that was edited.
func (s *Studio) unmaskAgent(ctx context.Context, o *ownAgent) error {
	stored, err := s.ownAgents(ctx)
	if err != nil {
		return err
	}
	if before := findOwn(stored, o.Name); before != nil {
		return s.unmask(before.texts(), o.texts())
	}
	return nil
}

// texts are what a person writes freely of an agent.
func (o *ownAgent) texts() []*string { return []*string{&o.Description, &o.Instructions, &o.Model} }

// forgetAgent deletes an agent. Its threads stay.
func (s *Studio) forgetAgent(ctx context.Context, name string) error {
	if findAgent(name) != nil {
		return builtIn(name, "deleted")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, err := s.ownAgents(ctx)
	if err != nil {
		return err
	}
	if findOwn(stored, name) == nil {
		return notFound("there is no agent %q", name)
	}
	if err := s.keep(ctx, "agents", slices.DeleteFunc(stored, func(o ownAgent) bool { return o.Name == name })); err != nil {
		return err
	}
	set, err := s.settings(ctx)
	if err != nil || set.AgentName != name {
		return err
	}
	set.AgentName = workspaceAgent // new threads need one that is there
	return s.keep(ctx, "settings", set)
}

// storeAgent keeps an agent: a new one, or with change the one of its name.
func (s *Studio) storeAgent(ctx context.Context, o *ownAgent, change bool) error {
	if err := o.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkProvider(ctx, o.Backend); err != nil {
		return err
	}
	stored, err := s.ownAgents(ctx)
	if err != nil {
		return err
	}
	before := findOwn(stored, o.Name)
	switch {
	case change && before == nil:
		return notFound("there is no agent %q", o.Name)
	case change:
		*before = *o
	case before != nil || findAgent(o.Name) != nil:
		return taken(o.Name)
	case len(stored) >= maxOwnAgents:
		return invalid("there are %d agents already", maxOwnAgents)
	default:
		stored = append(stored, *o)
	}
	return s.keep(ctx, "agents", stored)
}

func (s *Studio) replyAgent(w http.ResponseWriter, r *http.Request, status int, name string) {
	spec, err := s.specOf(r.Context(), name)
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, status, spec)
}

// readAgent reads an agent as a client says it. A member that is not an agent's is refused: what is lost would do what nobody wanted.
func readAgent(w http.ResponseWriter, r *http.Request, o *ownAgent) error {
	var body json.RawMessage
	if err := read(w, r, &body); err != nil {
		return err
	}
	if err := strictly(body, o); err != nil {
		return invalid("the agent does not fit: %s", misfit(err))
	}
	return nil
}

// codeTaken says that a name belongs to another.
const codeTaken = "NAME_TAKEN"

func taken(name string) error {
	return &refusal{http.StatusConflict, codeTaken, fmt.Sprintf("there is an agent %q already", name)}
}

func builtIn(name, what string) error {
	return &refusal{http.StatusForbidden, server.CodeForbidden, fmt.Sprintf("the agent %s is built in and cannot be %s", name, what)}
}

// exportAgent answers with an agent as a file.
func (s *Studio) exportAgent(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	file, err := s.agentFile(r.Context(), name)
	if err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name)+".agent.json")
	reply(w, http.StatusOK, file)
}

// agentImport is a file as a client hands it in, and where it shall go.
type agentImport struct {
	Text    string `json:"text"`
	Name    string `json:"name"`    // empty is the file's
	Replace bool   `json:"replace"` // the agent that has the name
}

// importPreview says what an import would do.
type importPreview struct {
	Agent   ownAgent `json:"agent"`
	Taken   bool     `json:"taken"`   // there is an agent of the name
	BuiltIn bool     `json:"builtIn"` // and it cannot be replaced
	Free    string   `json:"free"`    // a name that is free
	Model   string   `json:"model"`   // what it will speak with, in words
	Missing []string `json:"missing"`
}

func (s *Studio) previewImport(w http.ResponseWriter, r *http.Request) {
	var body agentImport
	err := read(w, r, &body)
	var preview *importPreview
	if err == nil {
		preview, err = s.readImport(r.Context(), body)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, preview)
}

func (s *Studio) importAgent(w http.ResponseWriter, r *http.Request) {
	var body agentImport
	err := read(w, r, &body)
	var preview *importPreview
	if err == nil {
		preview, err = s.readImport(r.Context(), body)
	}
	if err == nil {
		switch {
		case preview.BuiltIn:
			err = builtIn(preview.Agent.Name, "replaced")
		case preview.Taken && !body.Replace:
			err = taken(preview.Agent.Name)
		default:
			err = s.storeAgent(r.Context(), &preview.Agent, preview.Taken)
		}
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.replyAgent(w, r, http.StatusCreated, preview.Agent.Name)
}

// asMissing turns what is said of a thread or agent that is not there into words for a client.
func asMissing(err error, name string) error {
	if errors.Is(err, agent.ErrNotFound) {
		return notFound("there is no agent %q", name)
	}
	return err
}
