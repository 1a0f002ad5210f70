package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// transferPrefix stands before an agent's name in the name of the tool that hands over to it.
const transferPrefix = "transfer_to_"

// handoff is the Delegate of a tool that hands over to an agent.
type handoff struct{ to *Agent }

type handoffInput struct {
	Reason string `json:"reason,omitempty" jsonschema_description:"Why it should go on, in a few words"`
}

// transfers are the tools that hand over to the agents an agent knows, each name once.
func (a *Agent) transfers() []*tool.Tool {
	tools := make([]*tool.Tool, 0, len(a.Handoffs))
	for _, to := range a.Handoffs {
		name := transferName(to.Name, "")
		for n := 2; slices.ContainsFunc(tools, func(t *tool.Tool) bool { return t.Name == name }); n++ {
			name = transferName(to.Name, fmt.Sprint("_", n))
		}
		tools = append(tools, tool.Must(tool.Config[handoffInput, string]{
			Name: name, Description: strings.TrimSpace("Hands the conversation over to " + to.Name + ". " + to.Description),
			Delegate: &handoff{to}, Presentation: presentHandoff(to, ""),
			Present: func(in handoffInput) *tool.Presentation { return presentHandoff(to, in.Reason) },
			Run:     func(tool.Context, handoffInput) (string, error) { return to.Name + " has taken over.", nil },
		}))
	}
	return tools
}

func presentHandoff(to *Agent, reason string) *tool.Presentation {
	return &tool.Presentation{Label: "Hand over", Icon: "arrow-right-left", Detail: strings.TrimSpace(to.Name + " " + reason)}
}

// transferName is a name every tool may have, whatever the agent is called. The suffix sets it apart from another.
func transferName(agentName, suffix string) string {
	shown := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(agentName, ""))
	runes := []rune(transferPrefix + shown)
	return strings.TrimSpace(string(runes[:min(len(runes), tool.MaxNameLength-len(suffix))])) + suffix
}

func (c *call) handoff() *Agent {
	if c.tool != nil {
		if h, ok := c.tool.Delegate.(*handoff); ok {
			return h.to
		}
	}
	return nil
}

// taker is the call of a turn that hands over: of several the first.
func taker(calls []*call) *call {
	for _, c := range calls {
		if c.handoff() != nil && c.invalid == nil {
			return c
		}
	}
	return nil
}

// comesSecond answers a call that would hand over when one before it does.
func (x *run) comesSecond(c *call) bool {
	first := taker(x.current)
	if c.handoff() == nil || first == c {
		return false
	}
	x.answer(c, nil, &tool.Error{
		Code:    tool.CodeExecutionFailed,
		Message: fmt.Sprintf("Only one agent can take over in a turn, and %s was called first.", first.handoff().Name),
	}, protocol.StateFailed)
	return true
}

// takesOver is the agent that goes on after a turn; nil when it is the same.
func takesOver(calls []*call) *Agent {
	if c := taker(calls); c != nil && c.record.State == protocol.StateDone {
		return c.handoff()
	}
	return nil
}

// become lets another agent go on: with its instructions, model, tools and limits, on the same history.
func (x *run) become(a *Agent) {
	if x.agent.Instructions != "" {
		x.history = x.history[1:]
	}
	x.history = a.instructed(x.history)
	x.agent, x.memo = a, nil
	x.offer()
}

// offer gives the model the tools of the agent.
func (x *run) offer() {
	x.offered = x.runner.Tools.Changes()
	x.tools, x.schemas = map[string]*tool.Tool{}, nil
	for _, t := range x.runner.Offered(x.agent) {
		x.tools[t.Name] = t
		x.schemas = append(x.schemas, model.ToolSchema(t.Schema()))
	}
}

// offerAnew is offer where the runner's tools changed since.
func (x *run) offerAnew() {
	if x.offered != x.runner.Tools.Changes() {
		x.memo = nil
		x.offer()
	}
}

// reach are agents and all they may hand over to, or ask as tools, directly or not, those given first.
func reach(agents ...*Agent) []*Agent {
	all := slices.Clone(agents)
	seen := map[*Agent]bool{}
	for _, a := range all {
		seen[a] = true
	}
	for i := 0; i < len(all); i++ {
		known := slices.Clone(all[i].Handoffs)
		for _, t := range all[i].Tools {
			if a := workerOf(t); a != nil {
				known = append(known, a)
			}
		}
		for _, a := range known {
			if !seen[a] {
				seen[a] = true
				all = append(all, a)
			}
		}
	}
	return all
}
