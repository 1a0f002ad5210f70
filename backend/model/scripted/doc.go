// Package scripted is a model that says what it is told: it plays a JSON file, or turns written in Go. It needs no key and no
// network. It knows nothing of tools that run: whether a call it makes fits a tool is not its concern.
//
// # The file
//
// A script is one JSON object with the turns of the model in order:
//
//	{"turns": [
//	  {"chunks": [
//	    {"reasoning": "I had better look. "},
//	    {"text": "Reading the file."},
//	    {"delayMs": 40},
//	    {"toolInput": {"type": "start", "toolCallId": "c1", "toolName": "read_file"}},
//	    {"toolInput": {"type": "delta", "toolCallId": "c1", "delta": "{\"path\":"}},
//	    {"toolInput": {"type": "delta", "toolCallId": "c1", "delta": "\"a.txt\"}"}},
//	    {"toolInput": {"type": "end", "toolCallId": "c1"}},
//	    {"toolCalls": [{"id": "c1", "name": "read_file", "arguments": "{\"path\":\"a.txt\"}"}]},
//	    {"finishReason": "tool_calls", "usage": {"inputTokens": 9, "outputTokens": 3}}
//	  ]},
//	  {"chunks": [{"error": "the model is overloaded", "retryable": true}]},
//	  {"chunks": [{"text": "It says hello."}]}
//	]}
//
// The request with Index k plays turn k, counted from 0. The index counts the requests an agent made in a thread, as the
// stored log has them, so a script goes on where it was after a restart, and a request that is tried again plays the next
// turn. A request after the last turn is an error that says so.
//
// Each chunk is one of these:
//
//   - {"text": "…"} is a piece of the answer.
//   - {"reasoning": "…"} is a piece of the thinking before it.
//   - {"toolInput": {"type": "start", "toolCallId": "…", "toolName": "…"}}, {"toolInput": {"type": "delta", "toolCallId": "…",
//     "delta": "…"}} and {"toolInput": {"type": "end", "toolCallId": "…"}} are a call as it is written. A delta and an end need
//     a start before them in the same turn. A call that is started and never comes in toolCalls is one the model gave up.
//   - {"toolCalls": [{"id": "…", "name": "…", "arguments": "…"}]} are calls that are complete. Arguments is a string: the
//     text as the model wrote it, malformed if you like; without it the model wrote nothing. A call need not have come as
//     toolInput before; if it did, it has the same id.
//   - {"delayMs": 40} waits so many milliseconds, from 0 to 86,400,000 (a day).
//   - {"error": "…"} ends the turn as a failure of the model. With "retryable": true the run loop tries again. "code" is one of
//     LLM_UNAVAILABLE (the default), LLM_RATE_LIMITED, LLM_TIMEOUT, LLM_INVALID_RESPONSE, LLM_CONTEXT_LENGTH_EXCEEDED and
//     LLM_CONTENT_FILTERED. What stands after an error is not played.
//   - {"finishReason": "…", "usage": {…}} says why the model stopped: stop, tool_calls, length or content_filter; and what it
//     used: inputTokens, outputTokens, totalTokens, reasoningTokens and cachedInputTokens, each a whole number and each
//     optional. Either may stand alone. A later usage replaces an earlier one. A turn that gives no reason ends with tool_calls
//     if it made calls, and with stop if not.
//
// A file with an unknown member, a member twice, two kinds in one chunk or a value of the wrong type is refused when it is
// loaded, with the file, the line and column, and the turn and chunk, both counted from 1.
package scripted
