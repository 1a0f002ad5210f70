package server

import (
	"context"
	"encoding/json"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/tool"
)

// Runtime is what runs agents for a Server: its Runner, or one that knows of agents elsewhere too. What comes of a run is in the
// Runner's store and rings its bell, whoever runs it.
type Runtime interface {
	// Agents are those that can be seen and started, each name once.
	Agents() []Offer
	// Start begins a run, as agent.Runner's does.
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
}

// Tool is a tool as clients see it.
type Tool struct {
	tool.Schema
	OutputSchema json.RawMessage    `json:"outputSchema,omitempty"`
	Category     string             `json:"category,omitempty"`
	Tags         []string           `json:"tags,omitempty"`
	SideEffects  []tool.SideEffect  `json:"sideEffects,omitempty"`
	TimeoutMs    int64              `json:"timeoutMs,omitempty"`
	Sandbox      tool.SandboxType   `json:"sandbox,omitempty"`      // where its calls run, if it declares that
	Presentation *tool.Presentation `json:"presentation,omitempty"` // of every call
}

// Local is the Runtime of a Runner and the agents that are offered of it.
type Local struct {
	*agent.Runner
	List func() []*agent.Agent
}

// Agents are those of the list, with the tools the Runner adds.
func (l Local) Agents() []Offer {
	agents := l.List()
	offers := make([]Offer, 0, len(agents))
	for _, a := range agents {
		offer := Offer{Name: a.Name, Description: a.Description}
		for _, t := range l.Offered(a) {
			offer.Tools = append(offer.Tools, toolOf(t))
		}
		offers = append(offers, offer)
	}
	return offers
}

func toolOf(t *tool.Tool) Tool {
	made := Tool{
		Schema: t.Schema(), OutputSchema: t.OutputSchema(), Category: t.Category, Tags: t.Tags, SideEffects: t.SideEffects,
		TimeoutMs: t.Timeout.Milliseconds(), Presentation: t.StaticPresentation(),
	}
	if t.Sandbox != nil {
		made.Sandbox = t.Sandbox.Type
	}
	return made
}
