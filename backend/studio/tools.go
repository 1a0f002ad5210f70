package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/mcp"
	"callboard/backend/server"
	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

// toolSource is where tools come from, with all it lists: those that cannot be used too.
type toolSource struct {
	id          string // workspace, demo, toolset/NAME, mcp/NAME or attached/NAME
	label       string
	description string
	folder      bool      // its tools work in a folder that is chosen
	off         bool      // switched off in Settings
	state       mcp.State // of a server; empty is ready
	fault       string    // why it does not work as it should
	list        []listedTool
}

// listedTool is a tool as its source lists it.
type listedTool struct {
	name        string // at its source
	description string
	parameters  json.RawMessage // as listed; nil when it has none
	tool        *tool.Tool      // nil when it cannot be called here
	there       *server.Tool    // of an attached server, as it says; nil of all others
	fault       error           // what is wrong with it: beside a tool, its arguments go unchecked
}

// toolSourceView is a source as a client reads it.
type toolSourceView struct {
	ID          string     `json:"id"`
	Label       string     `json:"label"`
	Description string     `json:"description"`
	Folder      bool       `json:"folder"` // a try needs a folder
	Off         bool       `json:"off"`
	State       mcp.State  `json:"state,omitempty"`
	Fault       string     `json:"fault,omitempty"`
	Tools       []toolView `json:"tools"`
}

// toolView is a tool as a client reads it.
type toolView struct {
	Name         string             `json:"name"`
	ToolName     string             `json:"toolName,omitempty"` // among the agents' tools
	Description  string             `json:"description"`
	Fault        string             `json:"fault,omitempty"`
	Callable     bool               `json:"callable"`
	ThreadID     string             `json:"threadId"` // of its tries
	Tried        bool               `json:"tried"`    // there is that thread
	Parameters   json.RawMessage    `json:"parameters,omitempty"`
	OutputSchema json.RawMessage    `json:"outputSchema,omitempty"`
	Category     string             `json:"category,omitempty"`
	Tags         []string           `json:"tags,omitempty"`
	SideEffects  []tool.SideEffect  `json:"sideEffects,omitempty"`
	Approval     tool.ApprovalMode  `json:"approval,omitempty"`
	TimeoutMs    int64              `json:"timeoutMs,omitempty"` // absent: none
	Sandbox      tool.SandboxType   `json:"sandbox,omitempty"`
	Presentation *tool.Presentation `json:"presentation,omitempty"` // of every call
}

// getTools lists the tools of every source. Servers that do not run are started and not waited for.
func (s *Studio) getTools(w http.ResponseWriter, r *http.Request) {
	s.sources.start()
	all, err := s.toolSources(r.Context(), "")
	if err != nil {
		s.fail(w, err)
		return
	}
	views := make([]toolSourceView, len(all))
	for i := range all {
		views[i] = all[i].view()
		for j := range views[i].Tools {
			one := &views[i].Tools[j]
			if one.Tried, err = s.hasThread(r.Context(), one.ThreadID); err != nil {
				s.fail(w, err)
				return
			}
		}
	}
	reply(w, http.StatusOK, map[string]any{"sources": views})
}

func (s *Studio) hasThread(ctx context.Context, id string) (bool, error) {
	_, err := s.db.ThreadSettings(ctx, id)
	if errors.Is(err, agent.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// toolSources are all sources of tools, each with what it lists now; folder is what the workspace tools work in.
func (s *Studio) toolSources(ctx context.Context, folder string) ([]toolSource, error) {
	set, err := s.settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the sources of tools: %w", err)
	}
	files, err := s.tools(folder, s.workspaceOptions(set))
	if err != nil {
		return nil, err
	}
	sample, err := s.tools(folder, workspace.Options{})
	if err != nil {
		return nil, err
	}
	servers, err := s.mcpServers(ctx)
	if err != nil {
		return nil, err
	}
	all := []toolSource{
		{id: workspaceAgent, label: "Workspace", description: "Files and commands of a folder of yours", folder: true, list: listTools(files)},
		{id: demoAgent, label: "Demo", description: "The same tools on a sample project", list: listTools(sample)},
	}
	for _, one := range s.toolsets {
		source := toolSource{
			id: "toolset/" + one.name, label: strings.ToUpper(one.name[:1]) + one.name[1:], description: one.description, off: !one.on(set.Toolsets), list: listTools(one.tools),
		}
		if one.fault != nil {
			if err := one.fault(); err != nil {
				source.fault = err.Error()
			}
		}
		all = append(all, source)
	}
	for i := range servers {
		all = append(all, s.serverSource(&servers[i]))
	}
	for _, a := range s.attachments.list() {
		all = append(all, s.attachedTools(a))
	}
	return all, nil
}

// serverSource is a server over MCP with what it listed last.
func (s *Studio) serverSource(m *mcpServer) toolSource {
	source := toolSource{id: mcpSource(m.Name), label: m.Name, description: "MCP server", off: !m.Enabled, state: mcp.StateOff}
	src := s.sources.get(m.Name)
	if src == nil {
		return source
	}
	state, err := src.State()
	source.state = state
	if err != nil {
		source.fault = err.Error()
	}
	for _, o := range src.Offers() {
		one := listedTool{name: o.Name, description: o.Description, parameters: o.Parameters, tool: o.Tool, fault: o.Err}
		if o.Tool == nil {
			one.tool = o.Unchecked
		}
		source.list = append(source.list, one)
	}
	return source
}

func mcpSource(name string) string { return "mcp/" + name }

func listTools(tools []*tool.Tool) []listedTool {
	list := make([]listedTool, len(tools))
	for i, t := range tools {
		list[i] = listedTool{name: t.Name, description: t.Description, parameters: t.Schema().Parameters, tool: t}
	}
	return list
}

// find returns the tool of a name. Of several, which only a server that lists wrongly has, the first is the one that is called.
func (s *toolSource) find(name string) *listedTool {
	for i := range s.list {
		if s.list[i].name == name {
			return &s.list[i]
		}
	}
	return nil
}

func (s *toolSource) view() toolSourceView {
	v := toolSourceView{
		ID: s.id, Label: s.label, Description: s.description, Folder: s.folder, Off: s.off, State: s.state, Fault: s.fault,
		Tools: make([]toolView, len(s.list)),
	}
	for i := range s.list {
		v.Tools[i] = s.list[i].view(s.id)
	}
	return v
}

func (l *listedTool) view(sourceID string) toolView {
	v := toolView{
		Name: l.name, Description: l.description, Parameters: l.parameters, Callable: l.callable(), ToolName: l.called(),
		ThreadID: triesOf(tried{Source: sourceID, Name: l.name}),
	}
	if l.fault != nil {
		v.Fault = l.fault.Error()
	}
	if t := l.there; t != nil {
		v.OutputSchema, v.Category, v.Tags, v.SideEffects, v.Approval = t.OutputSchema, t.Category, t.Tags, t.SideEffects, t.Approval
		v.TimeoutMs, v.Presentation, v.Sandbox = t.TimeoutMs, t.Presentation, t.Sandbox
	}
	t := l.tool
	if t == nil {
		return v
	}
	v.Description, v.OutputSchema = t.Description, t.OutputSchema()
	v.Category, v.Tags, v.SideEffects, v.Approval = t.Category, t.Tags, t.SideEffects, t.ApprovalMode()
	v.TimeoutMs, v.Presentation = t.Timeout.Milliseconds(), t.StaticPresentation()
	if t.Sandbox != nil {
		v.Sandbox = t.Sandbox.Type
	}
	return v
}

// callable reports whether the tool can be called, here or on its server.
func (l *listedTool) callable() bool { return l.tool != nil || l.there != nil && l.there.Callable }

// called is what agents call the tool; empty of one that cannot be called.
func (l *listedTool) called() string {
	switch {
	case l.tool != nil:
		return l.tool.Name
	case l.callable():
		return l.there.Name
	}
	return ""
}

// findTool returns a source and its tool of a name; a server that is starting is waited for, within limits. The source alone is
// returned where it has no such tool.
func (s *Studio) findTool(ctx context.Context, which tried, folder string) (*toolSource, *listedTool, error) {
	s.awaitSource(ctx, which.Source)
	all, err := s.toolSources(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		if all[i].id == which.Source {
			return &all[i], all[i].find(which.Name), nil
		}
	}
	return nil, nil, nil
}

// awaitSource waits for a server that is starting, within limits; any other source is there.
func (s *Studio) awaitSource(ctx context.Context, id string) {
	name, _ := strings.CutPrefix(id, mcpSource(""))
	src := s.sources.get(name)
	if src == nil || id != mcpSource(name) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	s.awaitTools(ctx, src)
}
