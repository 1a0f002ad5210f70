package studio

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/url"
	"path/filepath"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/openai"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

// The built-in agents.
const (
	demoAgent      = "demo"
	workspaceAgent = "workspace"
)

// agentKind is what is fixed of one of the built-in agents; its folder and model are a thread's.
type agentKind struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	NeedsModel  bool   `json:"needsModel"`

	parallel     bool
	toolsets     bool // it is offered those that are switched on
	instructions string
}

const instructions = "You work in a folder on the user's machine with the tools you have; paths are relative to that folder. " +
	"Read before you change, change as little as the task needs, and say in a few plain sentences what you did. " +
	"Commands are shown to the user, who may deny one; then go on without it or say why you cannot."

var agentKinds = []agentKind{
	{Name: demoAgent, Description: "Shows what Callboard does, on a sample project, without a model", parallel: true, instructions: instructions},
	{Name: workspaceAgent, Description: "Works in your folder with your model", NeedsModel: true, toolsets: true, instructions: instructions},
}

func findAgent(name string) *agentKind {
	for i := range agentKinds {
		if agentKinds[i].Name == name {
			return &agentKinds[i]
		}
	}
	return nil
}

// resolve makes the agent of a thread. What keeps it from working (no model, no folder) is told in the thread: the run starts,
// keeps the message, and fails with what to do.
func (s *Studio) resolve(ctx context.Context, name, threadID string) (*agent.Agent, error) {
	if name == byHand {
		return s.resolveByHand(ctx, threadID)
	}
	known, err := s.knowsAgent(ctx, name)
	if err != nil {
		return nil, err
	}
	if !known {
		return s.resolveGone(ctx, name, threadID)
	}
	t, err := s.boundThread(ctx, threadID, name)
	if err != nil {
		return nil, fmt.Errorf("find what the thread %s works with: %w", threadID, err)
	}
	kind := findAgent(name)
	if kind == nil {
		s.awaitSources(ctx)
		return s.resolveOwn(ctx, name, t)
	}
	backend, modelName, err := s.backend(ctx, name, kind.NeedsModel, t)
	if err != nil {
		return nil, err
	}
	if fault := t.folderFault(); fault != nil {
		backend = unable{fault}
	}
	_, builtIn := backend.(*demoBackend)
	var options workspace.Options
	if builtIn && t.Folder == s.samplePath(threadID) {
		options.Unasked = sampleCommands
	}
	tools, err := s.toolsOfKind(ctx, kind, t.Folder, options)
	if err != nil {
		return nil, err
	}
	s.awaitSources(ctx)
	return s.agent(kind, backend, modelName, tools), nil
}

func (s *Studio) agent(kind *agentKind, backend model.Backend, modelName string, tools []*tool.Tool) *agent.Agent {
	return &agent.Agent{
		Name: kind.Name, Description: kind.Description, Instructions: kind.instructions,
		Backend: backend, Model: modelName, Tools: tools, Parallel: kind.parallel,
	}
}

// tools are the workspace tools over a folder; options say how they work there.
func (s *Studio) tools(folder string, options workspace.Options) ([]*tool.Tool, error) {
	options.Root = cmp.Or(folder, filepath.Join(s.dir, "no folder"))
	tools, err := workspace.Tools(options)
	if err != nil {
		return nil, fmt.Errorf("make the tools over %s: %w", folder, err)
	}
	return tools, nil
}

// backend finds the model a thread speaks with, and the name to ask for.
func (s *Studio) backend(ctx context.Context, agentName string, needsModel bool, t threadSettings) (model.Backend, string, error) {
	if s.override != nil {
		return s.override.backend, s.override.model, nil
	}
	if t.ProviderID == "" && !needsModel {
		return s.demo, "", nil
	}
	p, modelName, err := s.chosen(ctx, t)
	if err != nil {
		return nil, "", err
	}
	switch {
	case p == nil && t.ProviderID != "":
		return unable{unavailable("The model's provider %q of the agent %s is not there any more: choose another one under the message, or connect one in Settings.", t.ProviderID, agentName)}, "", nil
	case p == nil:
		return unable{unavailable("No model is connected yet, and the agent %s needs one: connect one in Settings (a server's address, a key and a model's name), "+
			"or start Callboard with OPENAI_API_KEY, or with --base-url and --model.", agentName)}, "", nil
	case modelName == "":
		return unable{unavailable("No model of %s is chosen: choose one in the thread's header, or in Settings.", p.Name)}, "", nil
	}
	return s.connect(p), modelName, nil
}

// connect returns the backend of a provider. It is the same one while the provider's address is: it learns what the server knows.
func (s *Studio) connect(p *provider) *discreet {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	if known := s.connected[p.ID]; known != nil && known.BaseURL == p.BaseURL {
		return known
	}
	id := p.ID
	made := s.discreet(p.BaseURL, func() string {
		key, _ := s.keyOf(id)
		return key
	})
	s.connected[id] = made
	return made
}

func (s *Studio) discreet(baseURL string, key func() string) *discreet {
	return &discreet{&openai.Backend{BaseURL: baseURL, Key: key, HTTPClient: s.client}}
}

// override is a model set by flags for every agent.
type override struct {
	label   string
	backend model.Backend
	model   string
}

// newOverride reads what the flags say; nil is nothing.
func (s *Studio) newOverride() (*override, error) {
	c := s.config
	switch {
	case c.Script != "":
		script, err := scripted.Load(c.Script)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConfig, err)
		}
		return &override{label: "script " + filepath.Base(c.Script), backend: script}, nil
	case c.Model != "" || c.BaseURL != "":
		base := cmp.Or(c.BaseURL, c.EnvBaseURL, openai.DefaultBaseURL)
		if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("%w: the base URL %q is no http or https address", ErrConfig, base)
		}
		backend := s.discreet(base, func() string { return s.config.Key })
		return &override{label: c.Model + " at " + hostOf(base), backend: backend, model: c.Model}, nil
	}
	return nil, nil
}

// unable is the model of a thread that cannot have one: it says why.
type unable struct{ err *model.Error }

func (u unable) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, u.err) }
}

func unavailable(format string, args ...any) *model.Error {
	return &model.Error{Code: model.CodeUnavailable, Message: fmt.Sprintf(format, args...)}
}
