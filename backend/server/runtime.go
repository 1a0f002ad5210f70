package server

import (
	"context"
	"encoding/json"
	"fmt"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/tool"
)

// Runtime is what runs agents for a Server: its Runner, or one that knows of agents elsewhere too. What comes of a run is in the
// Runner's store and rings its bell, whoever runs it.
type Runtime interface {
	// Agents are those that can be seen and started, each name once.
	Agents() []Offer
	// Start begins a run, as agent.Runner's does. The agent of agent.ByHandName calls one tool that is offered as Callable; arguments
	// that do not fit it are a *tool.Error, and nothing begins.
	Start(ctx context.Context, agentName string, in agent.Input) (*agent.Handle, error)
	// Decide answers an approval, as agent.Runner's does.
	Decide(ctx context.Context, approvalID string, d approval.Decision) (*approval.Pending, *agent.Handle, error)
	// Cancel stops a run, as agent.Runner's does.
	Cancel(ctx context.Context, runID string) error
	// CancelCall stops one call of a run, as agent.Runner's does.
	CancelCall(ctx context.Context, runID, toolCallID string) error
}

// Offer is an agent as clients see it.
type Offer struct {
	Name        string
	Description string
	Tools       []Tool
	// Elsewhere says that it is an agent of another server: who knows its name can start it, and GET /agents does not list it. Else
	// two studios that are attached to each other would list each other's agents as theirs, again and again.
	Elsewhere bool
}

// Tool is a tool as clients see it.
type Tool struct {
	tool.Schema
	OutputSchema json.RawMessage    `json:"outputSchema,omitempty" jsonschema_description:"JSON Schema of what its calls give"`
	Category     string             `json:"category,omitempty"`
	Tags         []string           `json:"tags,omitempty"`
	SideEffects  []tool.SideEffect  `json:"sideEffects,omitempty"`
	Approval     tool.ApprovalMode  `json:"approval,omitempty" jsonschema_description:"Which calls wait for a person; empty: it is not known"`
	TimeoutMs    int64              `json:"timeoutMs,omitempty"`
	Sandbox      tool.SandboxType   `json:"sandbox,omitempty" jsonschema_description:"Where its calls run, if it declares that"`
	Presentation *tool.Presentation `json:"presentation,omitempty" jsonschema_description:"Of every call"`
	Callable     bool               `json:"callable,omitempty" jsonschema_description:"Clients may call it alone: POST /tools/{name}/runs"`
}

// Local is the Runtime of a Runner and the agents that are offered of it.
type Local struct {
	*agent.Runner
	List func() []*agent.Agent
	// ToolRuns lets clients call the tools of the agents alone. The Runner resolves the agents of agent.ByHandName too then.
	ToolRuns bool
}

// Agents are those of the list, with the tools the Runner adds.
func (l Local) Agents() []Offer {
	agents := l.List()
	offers := make([]Offer, 0, len(agents))
	for _, a := range agents {
		offer := Offer{Name: a.Name, Description: a.Description}
		for _, t := range l.Offered(a) {
			listed := toolOf(t)
			listed.Callable = l.ToolRuns && l.own(a, t.Name) != nil
			offer.Tools = append(offer.Tools, listed)
		}
		offers = append(offers, offer)
	}
	return offers
}

// Start begins a run. Arguments that do not fit a tool that is called alone are refused before that.
func (l Local) Start(ctx context.Context, agentName string, in agent.Input) (*agent.Handle, error) {
	if toolName, alone := agent.ByHandTool(agentName); alone {
		_, t := l.callable(toolName)
		if t == nil {
			return nil, fmt.Errorf("call the tool %q: %w", toolName, agent.ErrNotFound)
		}
		if _, err := t.Prepare(in.Text); err != nil {
			return nil, err
		}
	}
	return l.Runner.Start(ctx, agentName, in)
}

// callable is the tool of a name that may be called alone, and the first agent that has it.
func (l Local) callable(toolName string) (*agent.Agent, *tool.Tool) {
	if l.ToolRuns {
		for _, a := range l.List() {
			if t := l.own(a, toolName); t != nil {
				return a, t
			}
		}
	}
	return nil, nil
}

// own is the tool of a name that an agent is offered, those by which it hands over aside: they do nothing alone.
func (l Local) own(a *agent.Agent, toolName string) *tool.Tool {
	alone := *a
	alone.Handoffs = nil
	for _, t := range l.Offered(&alone) {
		if t.Name == toolName {
			return t
		}
	}
	return nil
}

// resolve finds the agents by which the tools are called alone, and leaves all others to next. A run of one whose tool is gone goes on
// without it.
func (l Local) resolve(next func(context.Context, string, string) (*agent.Agent, error)) func(context.Context, string, string) (*agent.Agent, error) {
	return func(ctx context.Context, name, threadID string) (*agent.Agent, error) {
		toolName, alone := agent.ByHandTool(name)
		if !alone {
			return next(ctx, name, threadID)
		}
		a, t := l.callable(toolName)
		if t == nil {
			a = &agent.Agent{}
		}
		return agent.ByHand(a, toolName, t), nil
	}
}

func toolOf(t *tool.Tool) Tool {
	made := Tool{
		Schema: t.Schema(), OutputSchema: t.OutputSchema(), Category: t.Category, Tags: t.Tags, SideEffects: t.SideEffects,
		Approval: t.ApprovalMode(), TimeoutMs: t.Timeout.Milliseconds(), Presentation: t.StaticPresentation(),
	}
	if t.Sandbox != nil {
		made.Sandbox = t.Sandbox.Type
	}
	return made
}
