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
		{Value: healthAnswer{}, Name: "Health", Description: "How the server is"},
		{Value: readyAnswer{}, Name: "Ready", Description: "Runs can be started"},
		{Value: agentsAnswer{}, Name: "Agents", Description: "The agents there are"},
		{Value: agentAnswer{}, Name: "Agent", Description: "An agent, without its instructions"},
		{Value: toolsAnswer{}, Name: "Tools", Description: "The tools there are"},
		{Value: Tool{}, Name: "Tool", Description: "A tool, as the model and as clients see it"},
		{Value: startedAnswer{}, Name: "Started", Description: "The run that is asked about"},
		{Value: runAnswer{}, Name: "Outcome", Description: "How a stretch of a run ended"},
		{Value: callAnswer{}, Name: "Call", Description: "A call a model wrote"},
		{Value: callCancelAnswer{}, Name: "CallCancelled", Description: "The call that is being stopped"},
		{Value: threadsAnswer{}, Name: "Threads", Description: "A page of threads"},
		{Value: agent.ThreadSummary{}, Name: "ThreadSummary", Description: "A line of the thread list. Its run is the thread's newest"},
		{Value: threadAnswer{}, Name: "Thread", Description: "A thread with its messages"},
		{Value: titleAnswer{}, Name: "Title", Description: "The title of a thread"},
		{Value: messageAnswer{}, Name: "Message", Description: "A message of a thread, with what draws its rows"},
		{Value: toolResultAnswer{}, Name: "ToolResult", Description: "What the model read of a call: an object or a list as such, all else as text"},
		{Value: model.Image{}, Name: imageName, Description: "An image, by the hash of its bytes: GET /blobs/{hash}"},
		{Value: runsAnswer{}, Name: "Runs", Description: "The runs of a thread"},
		{Value: runRow{}, Name: "Run", Description: "A run in a list"},
		{Value: eventsAnswer{}, Name: "Events", Description: "The events of a run after a number"},
		{Value: requestsAnswer{}, Name: "Requests", Description: "What a run sent to its models"},
		{Value: requestAnswer{}, Name: "Request", Description: "One try of a turn, as it went to the model"},
		{Value: receivedPiece{}, Name: "Received", Description: "A piece of the model's answer"},
		{Value: foundAnswer{}, Name: "Found", Description: "Where a text stands"},
		{Value: approvalsAnswer{}, Name: "Approvals", Description: "The calls that wait for a person"},
		{Value: approvalAnswer{}, Name: "PendingApproval", Description: "A call that waits for a person, and of what run"},
		{Value: decidedAnswer{}, Name: "DecidedApproval", Description: "A call that was decided, and of what run"},
		{Value: approval.Decision{}, Name: "Decision", Description: "A person's answer, or a rule's"},
		{Value: agent.Ring{}, Name: "Ring", Description: "There is more of a run to read"},
		{Value: protocol.Approval{}, Name: "Approval", Description: "A call that waits for a person"},
		{Value: protocol.Cut{}, Name: "Cut", Description: "What a request leaves out of the history: whole exchanges"},
		{Value: protocol.Ref{}, Name: "Ref", Description: "In place of a large value, whose JSON text is the blob of that hash: GET /blobs/{hash}"},
		{Value: model.Usage{}, Name: "Usage", Description: "Tokens. What the provider did not tell is left out, never 0"},
		{Value: tool.Presentation{}, Name: "Presentation", Description: "How a client shows a call without the tool's code"},
		{Value: aisdk.Chunk{}, Name: chunkName, Description: "A piece of a UI message stream of the AI SDK; its type says which of the other members it has"},
		{Value: aisdk.Metadata{}, Name: "UIMessageMetadata", Description: "The metadata of a UI message"},
		{Value: uiMessagesAnswer{}, Name: "UIMessages", Description: "The messages of a chat"},
		{Value: aisdk.Message{}, Name: "UIMessage", Description: "A message of useChat of the AI SDK"},
		{Value: aisdk.Part{}, Name: "UIMessagePart", Description: "A part of a message. Its type says which of the members it has"},
		{Value: aisdk.PartApproval{}, Name: "UIMessageApproval", Description: "What was asked about a call, and the answer"},
		{Value: aisdk.ToolMetadata{}, Name: "UIToolMetadata", Description: "What a tool part tells of its call beside input and output"},
	}
}

// events are the schemas of the protocol's, each under the name of its type: tool-call-start is ToolCallStartEvent.
func events() []openapi.Named {
	says := map[protocol.Type]string{
		protocol.TypeStart:            "The first event of a run and of every resumed stretch of it",
		protocol.TypeMessage:          "What the run was started with",
		protocol.TypeTurn:             "The start or the end of one model request, or that it is tried again",
		protocol.TypeTextStart:        "Opens a part of the answer's text",
		protocol.TypeTextDelta:        "The text that follows what came before",
		protocol.TypeTextEnd:          "Closes a part of the answer's text",
		protocol.TypeReasoningStart:   "Opens a part of the model's reasoning",
		protocol.TypeReasoningDelta:   "The reasoning that follows what came before",
		protocol.TypeReasoningEnd:     "Closes a part of the model's reasoning",
		protocol.TypeToolCallStart:    "Announces a call, as soon as its id and name are known",
		protocol.TypeToolCallDelta:    "A piece of a call's arguments",
		protocol.TypeToolCallEnd:      "A call is complete",
		protocol.TypeToolUpdate:       "Progress of a call, or the arguments it runs with where they are not the streamed ones",
		protocol.TypeCallState:        "A step between a call's end and its result",
		protocol.TypeToolResult:       "The one end of a call: its result, or that it will never run",
		protocol.TypeApprovalRequired: "What a paused run waits for, right before its finish",
		protocol.TypeError:            "The end of a run that failed, in place of finish",
		protocol.TypeFinish:           "The end of a stretch of a run that did not fail",
	}
	var all []openapi.Named
	for _, e := range protocol.Events() {
		var name strings.Builder
		for word := range strings.SplitSeq(string(e.Type()), "-") {
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		all = append(all, openapi.Named{
			Value: reflect.ValueOf(e).Elem().Interface(), Name: name.String() + "Event", Description: says[e.Type()], Tag: string(e.Type()),
		})
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
