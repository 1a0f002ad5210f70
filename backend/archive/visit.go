package archive

import "callboard/backend/model"

// PlaceKind says what of a thread a Place is.
type PlaceKind string

const (
	InTitle     PlaceKind = "title"
	InMessage   PlaceKind = "message" // of the user
	InAnswer    PlaceKind = "answer"  // of a model
	InReasoning PlaceKind = "reasoning"
	InArguments PlaceKind = "arguments"
	InResult    PlaceKind = "result"
	InDetails   PlaceKind = "details"
	InLabel     PlaceKind = "label" // label, detail line and summary of a call
	InProgress  PlaceKind = "progress"
	InError     PlaceKind = "error"
	InDecision  PlaceKind = "decision" // the reason of one, and who made it
	InRequest   PlaceKind = "request"  // what a model was sent
	InName      PlaceKind = "name"     // of a tool, an agent or a model
	InOther     PlaceKind = "other"
)

// Place is where in a thread a text stands. What does not apply is empty.
type Place struct {
	Kind       PlaceKind `json:"kind"`
	RunID      string    `json:"runId,omitempty"`
	ToolCallID string    `json:"toolCallId,omitempty"`
	Turn       int       `json:"turn,omitempty"` // of a request
}

// visitor is shown the texts of a thread one by one, and says what is to stand in their places.
type visitor interface {
	text(at Place, s string) string
	json(at Place, value []byte) []byte
	// hash is shown the hash of a call's arguments.
	hash(h string) string
}

// visit shows the texts of a line of a run to a visitor, but for events, requests and answers. The line is changed in place.
func visit(line Line, runID string, v visitor) {
	in := visiting{v: v, runID: runID}
	switch l := line.(type) {
	case *Head:
		in.texts(InTitle, "", &l.Thread.Title, &l.Thread.Name)
		in.names(&l.Thread.AgentName)
	case *Run:
		in.texts(InMessage, "", &l.Input)
		in.texts(InError, "", &l.Error)
		in.json(InOther, "", &l.Context)
		in.names(&l.AgentName)
	case *Call:
		in.texts(InArguments, l.ToolCallID, &l.Proposed, l.Executed)
		in.names(&l.ToolName)
		if l.Message != nil {
			in.message(l.Message)
		}
	case *Approval:
		in.approval(l)
	case *Child:
		in.message(&l.Message)
	case *History:
		if l.Message != nil {
			in.message(l.Message)
		}
	}
}

type visiting struct {
	v     visitor
	runID string
}

func (in *visiting) at(kind PlaceKind, call string) Place {
	return Place{Kind: kind, RunID: in.runID, ToolCallID: call}
}

func (in *visiting) texts(kind PlaceKind, call string, all ...*text) {
	for _, t := range all {
		if t != nil && *t != "" {
			*t = text(in.v.text(in.at(kind, call), string(*t)))
		}
	}
}

func (in *visiting) json(kind PlaceKind, call string, all ...*exact) {
	for _, e := range all {
		if len(*e) > 0 {
			*e = in.v.json(in.at(kind, call), *e)
		}
	}
}

func (in *visiting) names(all ...*string) {
	for _, name := range all {
		if *name != "" {
			*name = in.v.text(Place{Kind: InName}, *name)
		}
	}
}

func (in *visiting) message(m *Message) {
	in.runID = m.RunID
	kinds := map[model.Role]PlaceKind{model.RoleUser: InMessage, model.RoleAssistant: InAnswer, model.RoleTool: InResult}
	kind := kinds[m.Role]
	if kind == "" {
		kind = InOther
	}
	in.texts(kind, m.ToolCallID, &m.Content)
	in.texts(InReasoning, "", &m.Reasoning)
	for i := range m.ToolCalls {
		in.texts(InArguments, m.ToolCalls[i].ID, &m.ToolCalls[i].ArgumentsText)
		in.names(&m.ToolCalls[i].Name)
		in.json(InOther, m.ToolCalls[i].ID, &m.ToolCalls[i].Extra)
	}
	in.names(&m.ToolName)
	in.json(InDetails, m.ToolCallID, &m.Metadata)
}

func (in *visiting) approval(a *Approval) {
	in.texts(InArguments, a.ToolCallID, &a.ArgumentsText)
	in.json(InArguments, a.ToolCallID, &a.Arguments)
	a.ArgumentsHash = in.v.hash(a.ArgumentsHash)
	in.texts(InOther, a.ToolCallID, &a.Description)
	in.json(InLabel, a.ToolCallID, &a.Presentation)
	in.json(InDetails, a.ToolCallID, &a.Details)
	in.names(&a.ToolName, &a.AgentName)
	if d := a.Decision; d != nil {
		in.texts(InArguments, a.ToolCallID, d.ArgumentsText)
		in.texts(InDecision, a.ToolCallID, &d.Reason, &d.By)
		in.json(InResult, a.ToolCallID, &d.Result)
		d.ArgumentsHash = in.v.hash(d.ArgumentsHash)
	}
}
