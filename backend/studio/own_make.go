package studio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/tool"
)

// toolbox is what there is to make agents of, at one moment and for one folder.
type toolbox struct {
	own     []ownAgent
	files   []*tool.Tool      // of the folder
	sets    []*tool.Tool      // of the tool sets that are on
	servers []*tool.Tool      // of the MCP servers
	off     map[string]string // tools of sets that are off, and the sets' names
}

func (s *Studio) toolbox(ctx context.Context, folder string) (*toolbox, error) {
	own, err := s.ownAgents(ctx)
	if err != nil {
		return nil, err
	}
	set, err := s.settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the tools that are switched on: %w", err)
	}
	files, err := s.tools(folder, s.workspaceOptions(set))
	if err != nil {
		return nil, err
	}
	box := &toolbox{own: own, files: files, sets: s.toolsOf(set.Toolsets, false), servers: s.sources.offered.All(), off: map[string]string{}}
	for _, one := range s.toolsets {
		if !one.on(set.Toolsets) {
			for _, t := range one.tools {
				box.off[t.Name] = one.name
			}
		}
	}
	return box, nil
}

// registry are all tools, each name once.
func (b *toolbox) registry() (*tool.Registry, error) {
	r := &tool.Registry{}
	for _, t := range slices.Concat(b.files, b.sets, b.servers) {
		if r.Has(t.Name) {
			continue // the folder's and the sets' stand before those of servers
		}
		if err := r.Register(t); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// missing says in words what an agent names that is not there.
func (b *toolbox) missing(o *ownAgent, r *tool.Registry) []string {
	list := []string{}
	for _, name := range o.Tools {
		switch set := b.off[name]; {
		case r.Has(name):
		case set != "":
			list = append(list, fmt.Sprintf("the tool %s: the tool set %s is switched off in Settings", name, set))
		default:
			list = append(list, fmt.Sprintf("the tool %s: no tool set and no MCP server that answers has it", name))
		}
	}
	for _, name := range slices.Concat(o.Handoffs, o.AgentTools) {
		if !b.hasAgent(name) {
			list = append(list, fmt.Sprintf("the agent %s: it was deleted", name))
		}
	}
	return slices.Compact(list)
}

func (b *toolbox) hasAgent(name string) bool {
	return findAgent(name) != nil || findOwn(b.own, name) != nil
}

// needsFolder reports whether an agent has a tool that works in a folder.
func (b *toolbox) needsFolder(o *ownAgent) bool {
	return o.AllTools || slices.ContainsFunc(b.files, func(t *tool.Tool) bool { return slices.Contains(o.Tools, t.Name) })
}

// maker makes an agent and those it hands over to or asks, each once: they may know each other.
type maker struct {
	studio  *Studio
	box     *toolbox
	tools   *tool.Registry
	made    map[string]*agent.Agent
	backend func(name string, o *ownAgent) (model.Backend, string, error) // of a built-in one o is nil
}

func (s *Studio) newMaker(box *toolbox) (*maker, error) {
	tools, err := box.registry()
	if err != nil {
		return nil, fmt.Errorf("gather the tools of the agents: %w", err)
	}
	return &maker{studio: s, box: box, tools: tools, made: map[string]*agent.Agent{}}, nil
}

// agent makes the agent of a name. What it names and is not there, it goes without.
func (m *maker) agent(name string) (*agent.Agent, error) {
	if a := m.made[name]; a != nil {
		return a, nil
	}
	if kind := findAgent(name); kind != nil {
		backend, modelName, err := m.backend(name, nil)
		if err != nil {
			return nil, err
		}
		m.made[name] = m.studio.agent(kind, backend, modelName, slices.Concat(m.box.files, m.box.sets))
		return m.made[name], nil
	}
	o := findOwn(m.box.own, name)
	if o == nil {
		return nil, fmt.Errorf("find the agent %q: %w", name, agent.ErrNotFound)
	}
	a := &agent.Agent{Name: o.Name, Description: o.Description}
	m.made[name] = a
	parts, err := m.parts(o)
	if err != nil {
		return nil, err
	}
	spec := o.Snapshot
	spec.Handoffs = keep(o.Handoffs, m.box.hasAgent)
	for _, to := range spec.Handoffs {
		other, err := m.agent(to)
		if err != nil {
			return nil, err
		}
		parts.Agents = append(parts.Agents, other)
	}
	backend, modelName, err := m.backend(name, o)
	if err != nil {
		return nil, err
	}
	parts.Backends = map[string]model.Backend{o.Backend: backend}
	spec.Tools, spec.OwnToolsOnly = keep(o.Tools, parts.Tools.Has), true
	if o.AllTools {
		// Tools a server lists while a run is at work come in as they are, so only where nothing is said of any.
		spec.Tools, spec.OwnToolsOnly = parts.Tools.Names(), len(o.Approvals) > 0 || o.ToolTimeoutMs > 0
	}
	restored, err := spec.Restore(parts)
	if err != nil {
		return nil, err
	}
	*a = *restored
	a.Model = modelName
	return a, m.giveAgents(a, o)
}

// parts are the tools as the agent has them: with its approvals and its limit.
func (m *maker) parts(o *ownAgent) (agent.Parts, error) {
	tools := m.tools.All()
	for i, t := range tools {
		tools[i] = o.adapt(t)
	}
	r := &tool.Registry{}
	return agent.Parts{Tools: r}, r.RegisterMany(tools...)
}

func (o *ownAgent) adapt(t *tool.Tool) *tool.Tool {
	switch o.Approvals[t.Name] {
	case asksAlways:
		t = t.Asking(tool.Always)
	case asksNever:
		t = t.Asking(tool.Approval{})
	}
	if limit := time.Duration(o.ToolTimeoutMs) * time.Millisecond; limit > 0 && (t.Timeout == 0 || t.Timeout > limit) {
		limited := *t
		limited.Timeout = limit
		t = &limited
	}
	return t
}

// giveAgents gives an agent the tools that are agents.
func (m *maker) giveAgents(a *agent.Agent, o *ownAgent) error {
	for _, name := range keep(o.AgentTools, m.box.hasAgent) {
		other, err := m.agent(name)
		if err != nil {
			return err
		}
		t, err := agent.AsTool(other, agent.ToolConfig{Name: askPrefix + name})
		if err != nil {
			return err
		}
		a.Tools = append(a.Tools, o.adapt(t))
	}
	return nil
}

// listed are the agents there are, as clients see them; resolve makes the ones that run.
func (s *Studio) listed() []*agent.Agent {
	ctx := context.Background()
	agents := slices.Clone(s.builtIn)
	own, err := s.listOwn(ctx)
	if err != nil {
		s.log.Error("the agents that were made cannot be listed", "error", err)
	}
	return append(agents, own...)
}

func (s *Studio) listOwn(ctx context.Context) ([]*agent.Agent, error) {
	box, err := s.toolbox(ctx, "")
	if err != nil || len(box.own) == 0 {
		return nil, err
	}
	m, err := s.newMaker(box)
	if err != nil {
		return nil, err
	}
	m.backend = func(string, *ownAgent) (model.Backend, string, error) {
		return unable{unavailable("not bound to a thread")}, "", nil
	}
	var agents []*agent.Agent
	var failures []error
	for i := range box.own {
		a, err := m.agent(box.own[i].Name)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		agents = append(agents, a)
	}
	return agents, errors.Join(failures...)
}

// resolveOwn makes an agent that a person made, for a thread.
func (s *Studio) resolveOwn(ctx context.Context, name string, t threadSettings) (*agent.Agent, error) {
	box, err := s.toolbox(ctx, t.Folder)
	if err != nil {
		return nil, err
	}
	m, err := s.newMaker(box)
	if err != nil {
		return nil, err
	}
	m.backend = func(of string, o *ownAgent) (model.Backend, string, error) {
		if fault := t.folderFault(); fault != nil && (o == nil || box.needsFolder(o)) {
			return unable{fault}, "", nil
		}
		return s.backend(ctx, of, true, t.modelOf(of, o))
	}
	return m.agent(name)
}

// modelOf is what an agent speaks with in a thread. The model chosen for the thread is its own agent's; another keeps its own.
func (t threadSettings) modelOf(name string, o *ownAgent) threadSettings {
	if o != nil && o.Backend != "" && (name != t.AgentName || t.ProviderID == "") {
		t.ProviderID, t.Model = o.Backend, o.Model
	}
	return t
}

// resolveGone stands for an agent that was deleted and whose thread goes on: it has no tools, and says what to do. It returns
// agent.ErrNotFound where the thread never had an agent of that name.
func (s *Studio) resolveGone(ctx context.Context, name, threadID string) (*agent.Agent, error) {
	runs, err := s.db.Runs(ctx, agent.RunQuery{ThreadID: threadID, Bare: true})
	if err != nil {
		return nil, fmt.Errorf("find the agent %q: %w", name, err)
	}
	if !slices.ContainsFunc(runs, func(r *agent.RunState) bool { return r.AgentName == name }) {
		return nil, s.noAgent(ctx, name)
	}
	return &agent.Agent{Name: name, OwnToolsOnly: true, Backend: unable{unavailable(
		"The agent %s of this thread was deleted: choose another one under the message, or make or import one of that name.", name)}}, nil
}

// noAgent says which agents there are.
func (s *Studio) noAgent(ctx context.Context, name string) error {
	own, err := s.ownAgents(ctx)
	if err != nil {
		return err
	}
	names := ""
	for _, k := range agentKinds {
		names += ", " + k.Name
	}
	for i := range own {
		names += ", " + own[i].Name
	}
	return fmt.Errorf("find the agent %q: %w; there are %s", name, agent.ErrNotFound, names[2:])
}

func keep(names []string, has func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !has(name) })
}
