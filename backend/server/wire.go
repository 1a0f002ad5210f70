package server

import (
	"reflect"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/aisdk"
	"callboard/backend/approval"
	"callboard/backend/internal/openapi"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Names of schemas that others than their Go types refer to.
const (
	eventName = "Event"
	chunkName = "UIMessageChunk"
	errorName = "Error"
	imageName = "Image"

	uiStream    = "A UI message stream of the AI SDK."
	lastEventID = "Last-Event-ID"
)

// wireSchemas are the schemas of all that is sent.
func wireSchemas() (*openapi.Schemas, error) {
	seq := openapi.Of("integer", "The event's number in its run, from 1 without gaps. A stream has it in the id line instead; an event without one is in no log")
	union := openapi.Union{
		Type: reflect.TypeFor[protocol.Event](), Name: eventName,
		Description: "An event of a run. A reader skips those whose type it does not know: an agent of another server may send such.",
		Common:      openapi.Properties{{Name: "seq", Schema: seq}, {Name: "at", Schema: openapi.Of("integer", "Unix ms")}},
		Required:    []string{"at"},
	}
	return openapi.NewSchemas(append(answers(), events()...), union, enums())
}

func answers() []openapi.Named {
	return []openapi.Named{
		{Value: errorAnswer{}, Name: errorName, Description: "An answer that is an error"},
		{Value: errorBody{}, Name: "ErrorBody", Description: "What went wrong"},
		{Value: healthAnswer{}, Name: "Health"},
		{Value: readyAnswer{}, Name: "Ready"},
		{Value: agentsAnswer{}, Name: "Agents"},
		{Value: agentAnswer{}, Name: "Agent"},
		{Value: toolsAnswer{}, Name: "Tools"},
		{Value: Tool{}, Name: "Tool"},
		{Value: startedAnswer{}, Name: "Started"},
		{Value: runAnswer{}, Name: "Outcome", Description: "How a stretch of a run ended"},
		{Value: callAnswer{}, Name: "Call", Description: "A call a model wrote"},
		{Value: callCancelAnswer{}, Name: "CallCancelled"},
		{Value: threadsAnswer{}, Name: "Threads"},
		{Value: agent.ThreadSummary{}, Name: "ThreadSummary", Description: "A line of the thread list. Its run is the thread's newest"},
		{Value: threadAnswer{}, Name: "Thread"},
		{Value: titleAnswer{}, Name: "Title"},
		{Value: messageAnswer{}, Name: "Message", Description: "A message of a thread, with what draws its rows"},
		{Value: toolResultAnswer{}, Name: "ToolResult", Description: "What the model read of a call: an object or a list as such, all else as text"},
		{Value: model.Image{}, Name: imageName, Description: "An image, by the hash of its bytes: GET /blobs/{hash}"},
		{Value: runsAnswer{}, Name: "Runs"},
		{Value: runRow{}, Name: "Run"},
		{Value: eventsAnswer{}, Name: "Events"},
		{Value: requestsAnswer{}, Name: "Requests"},
		{Value: requestAnswer{}, Name: "Request", Description: "One try of a turn, as it went to the model"},
		{Value: receivedPiece{}, Name: "Received", Description: "A piece of the model's answer"},
		{Value: foundAnswer{}, Name: "Found"},
		{Value: approvalsAnswer{}, Name: "Approvals"},
		{Value: approvalAnswer{}, Name: "PendingApproval", Description: "A call that waits for a person, and of what run"},
		{Value: decidedAnswer{}, Name: "DecidedApproval", Description: "A call that was decided, and of what run"},
		{Value: approval.Decision{}, Name: "Decision"},
		{Value: agent.Ring{}, Name: "Ring", Description: "There is more of a run to read"},
		{Value: protocol.Approval{}, Name: "Approval", Description: "A call that waits for a person"},
		{Value: protocol.Cut{}, Name: "Cut", Description: "What a request leaves out of the history: whole exchanges"},
		{Value: protocol.Ref{}, Name: "Ref", Description: "In place of a large value, whose JSON text is the blob of that hash: GET /blobs/{hash}"},
		{Value: model.Usage{}, Name: "Usage", Description: "Tokens. What the provider did not tell is left out, never 0"},
		{Value: tool.Presentation{}, Name: "Presentation", Description: "How a client shows a call without the tool's code"},
		{Value: aisdk.Chunk{}, Name: chunkName, Description: "A piece of a UI message stream of the AI SDK; its type says which of the other members it has"},
		{Value: aisdk.Metadata{}, Name: "UIMessageMetadata"},
		{Value: aisdk.ToolMetadata{}, Name: "UIToolMetadata"},
	}
}

// events are the schemas of the protocol's, each under the name of its type: tool-call-start is ToolCallStartEvent.
func events() []openapi.Named {
	var all []openapi.Named
	for _, e := range protocol.Events() {
		var name strings.Builder
		for word := range strings.SplitSeq(string(e.Type()), "-") {
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		all = append(all, openapi.Named{Value: reflect.ValueOf(e).Elem().Interface(), Name: name.String() + "Event", Tag: string(e.Type())})
	}
	return all
}

// enums are the Go strings that have fixed values.
func enums() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[protocol.Status]():       values(protocol.StatusRunning, protocol.StatusPaused, protocol.StatusCompleted, protocol.StatusFailed, protocol.StatusCancelled),
		reflect.TypeFor[protocol.TurnPhase]():    values(protocol.TurnStart, protocol.TurnRetry, protocol.TurnEnd),
		reflect.TypeFor[protocol.DropReason]():   values(protocol.Incomplete, protocol.Discarded),
		reflect.TypeFor[protocol.ApprovalKind](): values(protocol.KindApproval, protocol.KindUnknown),
		// Those that are on the wire; a reader derives the others.
		reflect.TypeFor[protocol.State](): values(protocol.StateWaiting, protocol.StateApproved, protocol.StateDenied, protocol.StateExpired,
			protocol.StateRunning, protocol.StateCancelled, protocol.StateUnknown),
		reflect.TypeFor[model.Role]():        values(model.RoleSystem, model.RoleUser, model.RoleAssistant, model.RoleTool),
		reflect.TypeFor[tool.SideEffect]():   values(tool.Filesystem, tool.Network, tool.Database, tool.Process, tool.External),
		reflect.TypeFor[tool.Tone]():         values(tool.ToneWarning),
		reflect.TypeFor[tool.ApprovalMode](): values(tool.ApprovalNever, tool.ApprovalAlways, tool.ApprovalByArguments),
		reflect.TypeFor[tool.SandboxType]():  values(tool.Docker, tool.WASM),
	}
}

func values[T ~string](of ...T) []string {
	out := make([]string, 0, len(of))
	for _, v := range of {
		out = append(out, string(v))
	}
	return out
}

// parameters are those of queries and heads, by name.
func parameters() map[string]openapi.Parameter {
	query := func(schema *openapi.Schema, about string) openapi.Parameter {
		return openapi.Parameter{In: "query", Description: about, Schema: schema}
	}
	one := func(values ...any) *openapi.Schema {
		return &openapi.Schema{Type: openapi.Types{"string"}, Enum: values}
	}
	least := 0
	count := func() *openapi.Schema { return &openapi.Schema{Type: openapi.Types{"integer"}, Minimum: &least} }
	text := func() *openapi.Schema { return openapi.Of("string", "") }
	required := query(text(), "What to look for, not empty; capitals are as good as small letters.")
	required.Required = true
	return map[string]openapi.Parameter{
		"view":   query(one("operator", "user"), "user narrows what an operator sees to what a user would see; nothing widens a view."),
		"agent":  query(text(), "The agent whose tools to list; without it those of all agents here."),
		"query":  query(text(), "What their titles hold."),
		"before": query(count(), "Those touched before this time alone, in Unix ms: the updatedAt of the last thread of the page before."),
		"limit":  query(count(), "How many at most; 0 is as many as a page holds."),
		"after":  query(count(), "The number of the last event the client has."),
		"refs":   query(one("1"), "1 asks for references in place of values over 64 KiB. For operators, and for JSON: a stream has the values."),
		"turn":   query(count(), "This turn's alone."),
		"try":    query(count(), "This try's alone, from 0."),
		"text":   required,
		lastEventID: {
			In: "header", Description: "The number of the last event the client has; wins over after.", Schema: count(),
		},
	}
}

// pathParameters are those a path has.
func pathParameters(path string) []*openapi.Parameter {
	var found []*openapi.Parameter
	before := ""
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			about := map[string]string{
				"agents": "The agent's name.", "tools": "The tool's name.", "ui-chat": "The chat's id, which is the thread's.", "threads": "The thread's id.",
				"runs": "The run's id.", "calls": "The call's id.", "approvals": "The approval's id.", "blobs": "The hex SHA-256 of what is asked for.",
			}[before]
			found = append(found, &openapi.Parameter{
				Name: strings.TrimSuffix(name, "}"), In: "path", Description: about, Required: true, Schema: openapi.Of("string", ""),
			})
		}
		before = part
	}
	return found
}
