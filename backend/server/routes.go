package server

import (
	"net/http"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/tool"
)

// route is one route: what serves it, and what GET /openapi.json says of it.
type route struct {
	serve  func(http.ResponseWriter, *http.Request) error
	name   string // of the operation
	group  string
	says   string   // what it does, in one line
	more   string   // what that does not say
	takes  body     // with no members it takes none
	query  []string // the parameters beside those of the path
	gives  []answer
	codes  []string // of its errors, beside those that follow from the rest
	isOpen bool     // Guard lets it through without a token
}

// answer is one that is no error.
type answer struct {
	status int
	media  string // empty is an answer without a body
	value  any    // of the Go type of its JSON; nil where it is something else
	stream string // of server-sent events: the name of the schema of what they hold
	says   string
}

const (
	mediaJSON   = "application/json"
	mediaStream = "text/event-stream"
	mediaAny    = "*/*"
)

func gives(status int, value any, says string) answer {
	return answer{status: status, media: mediaJSON, value: value, says: says}
}

func streams(schema, says string) answer {
	return answer{status: http.StatusOK, media: mediaStream, stream: schema, says: says}
}

func empty(says string) answer { return answer{status: http.StatusNoContent, says: says} }

// The groups of routes.
const (
	groupServer    = "server"
	groupAgents    = "agents"
	groupChat      = "chat"
	groupThreads   = "threads"
	groupRuns      = "runs"
	groupApprovals = "approvals"
)

// routes are those of PROTOCOL.md, by their pattern.
func (s *Server) routes() map[string]route {
	const oneStretch = "The events of the run's stretch: up to its end, or to its pause with what waits for a decision. They are numbered."
	return map[string]route{
		"GET /health": {
			serve: s.health, name: "health", group: groupServer, isOpen: true, says: "Says that the server lives",
			gives: []answer{gives(200, healthAnswer{}, "It lives.")},
		},
		"GET /ready": {
			serve: s.ready, name: "ready", group: groupServer, isOpen: true, says: "Says whether runs can be started",
			gives: []answer{gives(200, readyAnswer{}, "They can.")}, codes: []string{CodeUnavailable},
		},
		"GET /openapi.json": {
			serve: s.openAPI, name: "openAPI", group: groupServer, says: "This document",
			gives: []answer{{status: 200, media: mediaJSON, says: "OpenAPI 3.1."}},
		},
		"GET /doorbell": {
			serve: s.doorbell, name: "doorbell", group: groupServer, says: "Streams the news of all runs that there is more to read", query: []string{"view"},
			more:  "First where the unfinished runs stand, then each ring. It may repeat and be late; what there is to read is at GET /runs/{id}/events.",
			gives: []answer{streams("Ring", "Rings, without numbers, for as long as the client listens.")},
		},
		"GET /blobs/{hash}": {
			serve: s.blob, name: "getBlob", group: groupServer, says: "A large value or an image, by its hash", query: []string{"view"},
			gives: []answer{{status: 200, media: mediaAny, says: "Its bytes, under its own media type."}}, codes: []string{CodeNotFound},
		},

		"GET /agents": {
			serve: s.listAgents, name: "listAgents", group: groupAgents, says: "Lists the agents there are here",
			gives: []answer{gives(200, agentsAnswer{}, "Never their instructions.")},
		},
		"GET /tools": {
			serve: s.listTools, name: "listTools", group: groupAgents, says: "Lists the tools of the agents", query: []string{"agent"},
			gives: []answer{gives(200, toolsAnswer{}, "The tools.")},
		},
		"POST /tools/{name}/runs": {
			serve: s.callTool, name: "callTool", group: groupAgents, says: "Starts a run that makes one call of a tool, and answers at once",
			more:  "For operators, and of a tool that is callable alone.",
			takes: s.callBody(new(callBody)), query: []string{"view"},
			gives: []answer{gives(202, startedAnswer{}, "It has begun.")}, codes: append([]string{tool.CodeInvalidArgs}, starting()...),
		},
		"POST /agents/{name}/run": {
			serve: s.run, name: "runAgent", group: groupAgents, says: "Starts a run and answers with its outcome",
			more:  "The run goes on when the client leaves. One that failed is an error under the status of its code.",
			takes: s.inputBody(new(inputBody)), query: []string{"view"},
			gives: []answer{gives(200, runAnswer{}, "It is over, or waits for a decision.")}, codes: append(failing(), starting()...),
		},
		"POST /agents/{name}/stream": {
			serve: s.runStream, name: "streamAgent", group: groupAgents, says: "Starts a run and streams it",
			takes: s.inputBody(new(inputBody)), query: []string{"view"}, gives: []answer{streams(eventName, oneStretch)}, codes: starting(),
		},
		"POST /agents/{name}/runs": {
			serve: s.start, name: "startRun", group: groupAgents, says: "Starts a run and answers at once",
			takes: s.inputBody(new(inputBody)), gives: []answer{gives(202, startedAnswer{}, "It has begun.")}, codes: starting(),
		},
		"POST /agents/{name}/resume": {
			serve: s.resume, name: "resumeAgent", group: groupAgents, says: "Decides what a thread's run waits for and answers with its outcome",
			more:  "Some decisions are kept, and the answer is paused with what is still missing.",
			takes: new(resumeBody).body(), query: []string{"view"},
			gives: []answer{gives(200, runAnswer{}, "It is over, or waits still.")}, codes: append(failing(), deciding(CodeRunNotPaused, tool.CodeInvalidArgs)...),
		},
		"POST /agents/{name}/resume/stream": {
			serve: s.resumeStream, name: "resumeAgentStream", group: groupAgents, says: "Decides what a thread's run waits for and streams how it goes on",
			more:  "While decisions are missing it streams what is still asked, in events that are in no log and have no number.",
			takes: new(resumeBody).body(), query: []string{"view"},
			gives: []answer{streams(eventName, oneStretch)}, codes: deciding(CodeRunNotPaused, tool.CodeInvalidArgs),
		},

		"POST /chat": {
			serve: s.chat, name: "chat", group: groupChat, says: "Streams the answer of the thread's agent, else of the first one",
			takes: new(chatBody).body(), query: []string{"view"}, gives: []answer{streams(eventName, oneStretch)}, codes: starting(),
		},
		"POST /agents/{name}/chat": {
			serve: s.chat, name: "chatWithAgent", group: groupChat, says: "Streams the answer of an agent",
			takes: new(chatBody).body(), query: []string{"view"}, gives: []answer{streams(eventName, oneStretch)}, codes: starting(),
		},
		"POST /ui-chat": {
			serve: s.uiChat, name: "uiChat", group: groupChat, says: "Answers useChat of the AI SDK: the thread's agent, else the first one",
			takes: s.uiChatBody(new(uiChatBody)), query: []string{"view"},
			gives: []answer{streams(chunkName, uiStream)}, codes: append(deciding(), starting()...),
		},
		"POST /agents/{name}/ui-chat": {
			serve: s.uiChat, name: "uiChatWithAgent", group: groupChat, says: "Answers useChat of the AI SDK",
			takes: s.uiChatBody(new(uiChatBody)), query: []string{"view"},
			gives: []answer{streams(chunkName, uiStream)}, codes: append(deciding(), starting()...),
		},
		"GET /ui-chat/{id}/stream": {
			serve: s.uiResume, name: "uiChatStream", group: groupChat, says: "Streams the message of a chat that is under way, from its beginning",
			query: []string{"view"}, gives: []answer{streams(chunkName, uiStream), empty("There is none.")},
		},
		"GET /agents/{name}/ui-chat/{id}/stream": {
			serve: s.uiResume, name: "uiChatWithAgentStream", group: groupChat, says: "Streams the message of a chat that is under way, from its beginning",
			query: []string{"view"}, gives: []answer{streams(chunkName, uiStream), empty("There is none.")}, codes: []string{CodeNotFound},
		},
		"GET /ui-chat/{id}/messages": {
			serve: s.uiMessages, name: "uiChatMessages", group: groupChat, says: "The messages of a chat for useChat of the AI SDK",
			more: uiMessagesMore, query: []string{"view"}, gives: []answer{gives(200, uiMessagesAnswer{}, "The messages.")},
		},
		"GET /agents/{name}/ui-chat/{id}/messages": {
			serve: s.uiMessages, name: "uiChatWithAgentMessages", group: groupChat, says: "The messages of a chat for useChat of the AI SDK",
			more: uiMessagesMore, query: []string{"view"}, gives: []answer{gives(200, uiMessagesAnswer{}, "The messages.")}, codes: []string{CodeNotFound},
		},

		"GET /threads": {
			serve: s.listThreads, name: "listThreads", group: groupThreads, says: "Lists threads",
			query: []string{"query", "before", "limit", "view"}, gives: []answer{gives(200, threadsAnswer{}, "The threads.")},
			codes: []string{CodeNotFound},
		},
		"GET /threads/{id}": {
			serve: s.getThread, name: "getThread", group: groupThreads, says: "A thread with its messages",
			query: []string{"view"}, gives: []answer{gives(200, threadAnswer{}, "The thread.")}, codes: []string{CodeNotFound},
		},
		"PATCH /threads/{id}": {
			serve: s.renameThread, name: "renameThread", group: groupThreads, says: "Gives a thread a title",
			takes: titleBody(new(*string)), query: []string{"view"},
			gives: []answer{gives(200, titleAnswer{}, "The title it has now.")}, codes: []string{CodeNotFound},
		},
		"DELETE /threads/{id}": {
			serve: s.deleteThread, name: "deleteThread", group: groupThreads, says: "Removes a thread and all that belongs to it",
			gives: []answer{empty("It is gone.")}, codes: []string{CodeNotFound, CodeThreadBusy},
		},
		"GET /threads/{id}/runs": {
			serve: s.listRuns, name: "listRuns", group: groupThreads, says: "Lists a thread's runs",
			query: []string{"view"}, gives: []answer{gives(200, runsAnswer{}, "The runs.")}, codes: []string{CodeNotFound},
		},
		"POST /threads/{id}/messages": {
			serve: s.addMessage, name: "addMessage", group: groupThreads, says: "Puts a message at the end of a thread's history",
			more:  "A thread that is not known is made. Calls, results and images are for operators.",
			takes: new(historyBody).body(), query: []string{"view"},
			gives: []answer{gives(201, messageAnswer{}, "It is there.")}, codes: []string{CodeThreadBusy, CodeRunPaused},
		},

		"GET /runs/{id}/events": {
			serve: s.events, name: "getEvents", group: groupRuns, says: "A run's events after a number",
			more: "As a stream it follows the run over its pauses and ends once that is completed, failed or cancelled. With Accept: application/json " +
				"it is what there is.",
			query: []string{"after", lastEventID, "refs", "view"},
			gives: []answer{streams(eventName, "The run's events, numbered."), gives(200, eventsAnswer{}, "Those there are.")},
			codes: []string{CodeNotFound},
		},
		"GET /runs/{id}/requests": {
			serve: s.requests, name: "getRequests", group: groupRuns, says: "What a run sent to its models and what came back",
			more: "For operators.", query: []string{"turn", "try", "view"},
			gives: []answer{gives(200, requestsAnswer{}, "The requests.")}, codes: []string{CodeNotFound},
		},
		"GET /runs/{id}/find": {
			serve: s.find, name: "findInRun", group: groupRuns, says: "Finds a text in the large values of a run",
			more: "For operators.", query: []string{"text", "view"},
			gives: []answer{gives(200, foundAnswer{}, "Where it stands.")}, codes: []string{CodeNotFound},
		},
		"POST /runs/{id}/cancel": {
			serve: s.cancel, name: "cancelRun", group: groupRuns, says: "Stops a run, calls that wait too",
			gives: []answer{gives(202, startedAnswer{}, "It is being stopped.")}, codes: []string{CodeNotFound, CodeRunEnded},
		},
		"POST /runs/{id}/calls/{toolCallId}/cancel": {
			serve: s.cancelCall, name: "cancelCall", group: groupRuns, says: "Stops one call; its run goes on",
			gives: []answer{gives(202, callCancelAnswer{}, "It is being stopped.")}, codes: []string{CodeNotFound, CodeRunEnded},
		},

		"GET /approvals": {
			serve: s.listApprovals, name: "listApprovals", group: groupApprovals, says: "Lists the calls that wait for a person",
			query: []string{"view"}, gives: []answer{gives(200, approvalsAnswer{}, "The calls.")},
		},
		"POST /approvals/{id}/decision": {
			serve: s.decide, name: "decide", group: groupApprovals, says: "Approves or denies a call that waits",
			more:  "The last decision that is missing lets the run go on.",
			takes: new(decisionBody).body(), query: []string{"view"},
			gives: []answer{gives(200, decidedAnswer{}, "It is kept.")}, codes: deciding(tool.CodeInvalidArgs),
		},
	}
}

// starting are the codes of what a run cannot begin with.
func starting() []string {
	return []string{CodeNotFound, CodeThreadBusy, CodeRunPaused, CodeUnavailable}
}

// deciding are those of decisions that do not stand, with more.
func deciding(more ...string) []string {
	return append(more, CodeNotFound, CodeDecided, CodeArgumentsChanged)
}

// failing are those of runs that failed, where the answer is the run's outcome.
func failing() []string {
	return []string{
		model.CodeContextLength, model.CodeContentFiltered, model.CodeRateLimited, model.CodeInvalidResponse, model.CodeUnavailable,
		model.CodeTimeout, agent.CodeRunTimeout, agent.CodeRunInterrupted,
	}
}
