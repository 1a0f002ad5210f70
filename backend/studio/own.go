package studio

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"callboard/backend/agent"
	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

// ownAgent is an agent that a person made, as it is stored: a snapshot, whose Backend is a provider's id or, for the model of the
// thread, empty, and what the studio adds to it.
type ownAgent struct {
	agent.Snapshot
	AllTools bool `json:"allTools"` // in place of Tools: every one there is when a run begins
	// ToolTimeoutMs limits every call, and the limit of a tool that has a shorter one stays; 0 is none.
	ToolTimeoutMs int64           `json:"toolTimeoutMs,omitempty"`
	Approvals     map[string]asks `json:"approvals,omitempty"`  // by tool; one that is not here asks as it declares
	AgentTools    []string        `json:"agentTools,omitempty"` // agents that are tools of this one
}

// asks says which calls of a tool wait for a person.
type asks string

const (
	asksAlways asks = "always"
	asksNever  asks = "never"
)

// askPrefix stands before an agent's name in the name of the tool that asks it.
const askPrefix = "ask_"

// Limits of an agent that a person makes.
const (
	maxOwnAgents    = 200
	maxInstructions = 200_000 // in bytes
	maxLimit        = 100_000_000
	maxLimitMs      = 30 * 24 * int64(time.Hour/time.Millisecond)
)

func (s *Studio) ownAgents(ctx context.Context) ([]ownAgent, error) {
	stored := []ownAgent{}
	return stored, s.load(ctx, "agents", &stored)
}

func findOwn(all []ownAgent, name string) *ownAgent {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// knowsAgent reports whether there is an agent of a name.
func (s *Studio) knowsAgent(ctx context.Context, name string) (bool, error) {
	if findAgent(name) != nil {
		return true, nil
	}
	own, err := s.ownAgents(ctx)
	return findOwn(own, name) != nil, err
}

// checkAgent refuses a name no agent has.
func (s *Studio) checkAgent(ctx context.Context, name string) error {
	known, err := s.knowsAgent(ctx, name)
	if _, there := s.attachments.agent(name); there {
		known = true
	}
	if err == nil && !known {
		return invalid("there is no agent %q", name)
	}
	return err
}

// check refuses what can never be an agent. What it names and is not there now, it may name: that is told, and it works without.
func (o *ownAgent) check() error {
	o.Version = agent.SnapshotVersion
	if err := checkAgentName(o.Name); err != nil {
		return err
	}
	if len(o.Instructions) > maxInstructions || !utf8.ValidString(o.Instructions) || !utf8.ValidString(o.Description) {
		return invalid("instructions: must be UTF-8 of %d KB at most", maxInstructions/1000)
	}
	if len(o.Middleware) > 0 || o.Output != "" {
		return invalid("middleware and an output are of the program the agent comes from; the studio has none")
	}
	for _, n := range []struct {
		name  string
		value int64
		min   int64
		max   int64
	}{
		{"maxTurns", int64(o.MaxTurns), 0, maxLimit},
		{"maxRepeats", int64(o.MaxRepeats), -1, maxLimit},
		{"maxRetries", int64(o.MaxRetries), -1, 100},
		{"contextTokens", int64(o.ContextTokens), 0, maxLimit},
		{"maxTokens", int64(o.MaxTokens), 0, maxLimit},
		{"maxResultLength", int64(o.MaxResultLength), tool.NoLimit, maxLimit},
		{"timeoutMs", o.TimeoutMs, 0, maxLimitMs},
		{"toolTimeoutMs", o.ToolTimeoutMs, 0, maxLimitMs},
		{"approvalTtlMs", o.ApprovalTTLMs, 0, maxLimitMs},
	} {
		if n.value < n.min || n.value > n.max {
			return invalid("%s: must be between %d and %d, got %d", n.name, n.min, n.max, n.value)
		}
	}
	if t := o.Temperature; t != nil && (*t < 0 || *t > 2) {
		return invalid("temperature: must be between 0 and 2")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Approvals)) {
		if how := o.Approvals[name]; how != asksAlways && how != asksNever {
			return invalid("approvals: those of %s are always or never, not %q; a tool left out asks as it declares", name, how)
		}
	}
	return o.checkLists()
}

// checkLists refuses names that come twice or are empty, and an agent that goes on with itself.
func (o *ownAgent) checkLists() error {
	if o.AllTools {
		o.Tools = nil
	}
	for kind, names := range map[string][]string{"tools": o.Tools, "handoffs": o.Handoffs, "agentTools": o.AgentTools} {
		seen := map[string]bool{}
		for _, name := range names {
			switch {
			case strings.TrimSpace(name) == "":
				return invalid("%s: one has no name", kind)
			case seen[name]:
				return invalid("%s: %q comes twice", kind, name)
			case kind != "tools" && name == o.Name:
				return invalid("%s: the agent itself cannot be one of them", kind)
			case kind != "tools" && name == demoAgent:
				return invalid("%s: the agent demo follows a script and cannot be one of them", kind)
			}
			seen[name] = true
		}
	}
	return nil
}

// checkAgentName refuses what is no name: those of agents are as those of tools, for an agent may be one, and stand in addresses.
func checkAgentName(name string) error {
	if _, err := agent.AsTool(&agent.Agent{Name: name}, agent.ToolConfig{Name: askPrefix + name, Description: "asks it"}); err != nil || strings.TrimSpace(name) != name || name == "" {
		return invalid("name: must be a word or a few, with no space at its ends and no invisible character, %d characters at most; %q is not",
			tool.MaxNameLength-len(askPrefix), name)
	}
	if _, alone := agent.ByHandTool(name); alone || name == byHand {
		return invalid("name: %q is who makes the calls that are tried by hand", name)
	}
	if strings.Contains(name, "@") {
		return invalid("name: %q holds an @, which stands before the name of an attached server", name)
	}
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return invalid("name: %q holds a slash or is . or .., and names stand in addresses", name)
	}
	return nil
}

// asSpec is a built-in agent in the form of one that is made, to begin with.
func (s *Studio) asSpec(kind *agentKind) (ownAgent, error) {
	o := ownAgent{AllTools: kind.toolsets, Snapshot: agent.Snapshot{
		Version: agent.SnapshotVersion, Name: kind.Name, Description: kind.Description, Instructions: kind.instructions, Parallel: kind.parallel,
	}}
	if o.AllTools {
		return o, nil
	}
	tools, err := s.tools("", workspace.Options{})
	if err != nil {
		return o, fmt.Errorf("list the tools of %s: %w", kind.Name, err)
	}
	for _, t := range tools {
		o.Tools = append(o.Tools, t.Name)
	}
	return o, nil
}
