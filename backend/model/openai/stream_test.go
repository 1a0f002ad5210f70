package openai_test

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestStreamsComeOutRight(t *testing.T) {
	hello := []string{`text "Hel"`, `text "lo"`, "finish stop"}
	plain := events(said("Hel"), said("lo"), stop("stop"))
	tests := []streamCase{
		{name: "A1, A2: text comes piece by piece wherever the wire is cut", wire: plain, want: hello},
		{name: "A3: lines end with CRLF", wire: strings.ReplaceAll(plain, "\n", "\r\n"), want: hello},
		{name: "A3: lines end with CR", wire: strings.ReplaceAll(plain, "\n", "\r"), want: hello},
		{name: "there is no space after data:", wire: strings.ReplaceAll(plain, "data: ", "data:"), want: hello},
		{name: "a byte order mark comes first", wire: "\ufeff" + plain, want: hello},
		{name: "no empty line stands between events", wire: strings.ReplaceAll(plain, "\n\n", "\n"), want: hello},
		{name: "the last line has no end", wire: strings.TrimSpace(plain), want: hello},
		{name: "[DONE] is missing", wire: strings.TrimSuffix(plain, "data: [DONE]\n\n"), want: hello},
		{name: "something comes after [DONE]", wire: plain + ": bye\n\n", want: hello},
		{
			name: "A4: comments, ids, retry and empty lines are no events",
			wire: ": OPENROUTER PROCESSING\n\n:\n\nid: 7\nretry: 10\nevent: message\n" + plain, want: hello,
		},
		{
			name: "an event comes on several lines",
			wire: "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"Hel\"}}]\ndata: }\n\n" + events(said("lo"), stop("stop")), want: hello,
		},
		{
			name: "A6: a malformed event is told of and skipped",
			wire: "data: {bad\n\n" + plain,
			want: append([]string{"problem: a piece of the answer is malformed and was skipped: {bad"}, hello...),
		},
		{
			name: "A6: a malformed event without an empty line after it takes no other with it",
			wire: "data: {bad}\n" + plain,
			want: append([]string{"problem: a piece of the answer is malformed and was skipped: {bad}"}, hello...),
		},
		{
			name: "A7: a piece without a delta is told of and skipped", wire: events(`{"choices":[{"index":0}]}`, delta("null"), said("Hel"), said("lo"), stop("stop")),
			want: append([]string{"problem: a piece of the answer has no delta", "problem: a piece of the answer has no delta"}, hello...),
		},
		{
			name: "A7: pieces that say nothing are skipped",
			wire: events(`{}`, `{"choices":[]}`, `{"choices":null}`, delta(`{}`), delta(`{"content":null,"tool_calls":null,"tool_calls":[]}`),
				said(""), said("Hel"), said("lo"), stop("stop")),
			want: hello,
		},
		{
			name: "A8: a character is whole wherever the wire is cut", wire: events(said("é🙂"), stop("stop")),
			want: []string{`text "é🙂"`, "finish stop"},
		},
		{
			name: "A8: a character cut between events is put together",
			wire: events(said("a\xf0"), said("\x9f"), said("\x99"), said("\x82b"), stop("stop")),
			want: []string{`text "a"`, `text "🙂b"`, "finish stop"},
		},
		{
			name: "A8: a surrogate pair cut between events is put together",
			wire: events(said(`a\ud83d`), said(`\ude42b`), said(`\u00e9\"\\\/\b\f\n\r\t`), stop("stop")),
			want: []string{`text "a"`, `text "🙂b"`, `text "é\"\\/\b\f\n\r\t"`, "finish stop"},
		},
		{
			name: "A8: half a character becomes U+FFFD",
			wire: events(said(`\ud83dx`), said(`\ude42`), said("\xff"), said(`\ud83d\ud83d\ude42`), said("\xe2\x82"), stop("stop")),
			want: []string{`text "�x"`, `text "�"`, `text "�"`, `text "�🙂"`, `text "�"`, "finish stop"},
		},
		{
			name: "B20: half a character before a call stands before it",
			wire: events(delta(`{"reasoning":"r\ud83d"}`), said(`a\ud83d`), tool(`{"index":0,"id":"c1","function":{"name":"read","arguments":"{}"}}`), said(`\ude42`), stop("tool_calls")),
			want: []string{
				`reasoning "r"`, `text "a"`, `reasoning "�"`, `text "�"`, "start c1 read", "delta c1 {}", `text "�"`, "end c1", "call c1 read {}", "finish tool_calls",
			},
		},
		{
			name: "reasoning comes under two names, once",
			wire: events(delta(`{"reasoning_content":"a"}`), delta(`{"reasoning":"b"}`), delta(`{"reasoning":"c","reasoning_content":"c"}`),
				delta(`{"reasoning":{"effort":1}}`), said("d"), stop("stop")),
			want: []string{`reasoning "a"`, `reasoning "b"`, `reasoning "c"`, `text "d"`, "finish stop"},
		},
		{
			name: "content comes in parts",
			wire: events(delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]}`),
				delta(`{"content":5}`), delta(`{"refusal":"no"}`), stop("stop")),
			want: []string{`reasoning "hm"`, `text "a"`, "problem: a piece of the answer has content that is no text: 5", `text "no"`, "finish stop"},
		},
		{
			name: "other choices than the first are left out",
			wire: events(`{"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"stop"},{"index":0,"delta":{"content":"a"}}]}`, stop("stop")),
			want: []string{`text "a"`, "finish stop"},
		},
		{
			name: "a server answers without streaming",
			wire: "{\n  \"choices\": [{\"index\": 0, \"message\": {\"content\": \"hi\"},\n\"finish_reason\": \"stop\"}],\n  \"usage\": {\"prompt_tokens\": 1}\n}\n",
			want: []string{`text "hi"`, "usage 1 ? ? ? ?", "finish stop"},
		},
		{
			name: "B27: usage is what was counted so far, and unknown is not 0",
			wire: events(
				`{"choices":[],"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":1}}}`,
				`{"choices":[{"delta":{"content":"a"}}],"usage":null}`,
				`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":16,"total_tokens":25,"prompt_tokens_details":{"cached_tokens":1},`+
					`"completion_tokens_details":{"reasoning_tokens":4}}}`,
				stop("stop")),
			want: []string{"usage 9 ? ? ? 1", `text "a"`, "usage 9 16 25 4 1", "finish stop"},
		},
		{
			name: "usage comes in the choice, under other names, or of a wrong type",
			wire: events(`{"choices":[{"delta":{},"usage":{"input_tokens":3,"output_tokens":"many"}}]}`, said("a"), stop("stop")),
			want: []string{"usage 3 ? ? ? ?", `text "a"`, "finish stop"},
		},
		{name: "a turn is cut by the token limit", wire: events(said("a"), stop("length")), want: []string{`text "a"`, "finish length"}},
		{name: "a turn is filtered", wire: events(said("a"), stop("content_filter")), want: []string{`text "a"`, "finish content_filter"}},
		{name: "a reason nobody knows is an end", wire: events(said("a"), stop("eos")), want: []string{`text "a"`, "finish stop"}},
		{name: "tool_calls without calls is a stop", wire: events(said("a"), stop("tool_calls")), want: []string{`text "a"`, "finish stop"}},
		{name: "[DONE] alone ends an answer", wire: events(said("a")), want: []string{`text "a"`, "finish stop"}},
		{
			name: "a connection that breaks after the reason did no harm", wire: "data: " + said("a") + "\n\ndata: " + stop("stop") + "\n\n",
			breaks: io.ErrUnexpectedEOF, want: []string{`text "a"`, "finish stop"},
		},
		{
			name: "an answer that just ends was cut", wire: "data: " + said("a") + "\n\n", want: []string{`text "a"`},
			err: "LLM_UNAVAILABLE retryable: model.test stopped in the middle of its answer",
		},
		{
			name: "a connection that breaks is an error", wire: "data: " + said("a") + "\n\ndata: {\"ch", breaks: errors.New("connection reset"),
			want: []string{`text "a"`}, err: "LLM_UNAVAILABLE retryable: model.test stopped in the middle of its answer (connection reset).",
		},
		{
			name: "an answer cut inside an event was cut", wire: "data: " + said("a") + "\n\ndata: {\"ch",
			want: []string{`text "a"`, `problem: a piece of the answer is malformed and was skipped: {"ch`},
			err:  "LLM_UNAVAILABLE retryable: model.test stopped in the middle of its answer",
		},
		{name: "nothing comes", wire: "", err: "LLM_UNAVAILABLE retryable: model.test sent an empty answer."},
		{name: "only comments come", wire: ": hi\n\n", err: "LLM_UNAVAILABLE retryable: model.test sent an empty answer."},
		{name: "only [DONE] comes", wire: "data: [DONE]\n\n", err: "LLM_INVALID_RESPONSE retryable: it is empty"},
		{
			name: "a web page comes", wire: "<!doctype html>\n<html><head><TITLE>Sign\nin</TITLE></head></html>",
			err: "LLM_INVALID_RESPONSE: model.test sent no answer but a web page (Sign in). Check the base URL; most end in /v1.",
		},
		{name: "text comes", wire: "Ollama is running", err: `LLM_INVALID_RESPONSE: sent no answer but "Ollama is running"`},
		{name: "cut JSON comes", wire: "{\n\"a\":", err: `LLM_INVALID_RESPONSE: sent no answer but "{ \"a\":"`},
		{
			name: "an error comes in place of an answer", wire: "{\"error\":\n{\"message\":\"The model is loading\",\"type\":\"server_error\"}}",
			err: "LLM_UNAVAILABLE retryable: model.test ended its answer with an error: The model is loading. Try again later.",
		},
		{
			name: "an error comes as the first member", wire: events(said("a"), `{"error":{"message":"Overloaded","code":529}}`), want: []string{`text "a"`},
			err: "LLM_UNAVAILABLE retryable: Overloaded",
		},
		{
			name: "an error comes after other members", wire: events(said("a"), `{"id":"x","choices":[],"error":{"message":"slow down","code":429}}`),
			want: []string{`text "a"`}, err: "LLM_RATE_LIMITED retryable: slow down",
		},
		{
			name: "an error comes in the choice",
			wire: events(`{"choices":[{"delta":{},"finish_reason":"error","error":{"code":400,"message":"bad schema"}}]}`),
			err:  "LLM_UNAVAILABLE: bad schema",
		},
		{name: "an error comes as text", wire: events(`{"error":"out of memory"}`), err: "LLM_UNAVAILABLE retryable: out of memory"},
		{
			name: "an error comes in an event of that name", wire: "event: error\ndata: {\"message\":\"broken\"}\n\n",
			err: "LLM_UNAVAILABLE retryable: broken",
		},
		{name: "an error comes as a text event of that name", wire: "event: error\ndata: broken\n\n", err: "LLM_UNAVAILABLE retryable: broken"},
		{name: "an error comes without a member error", wire: events(`{"object":"error","message":"no such thing","code":404}`), err: "LLM_UNAVAILABLE: no such thing"},
		{name: "an error comes as a line of its own", wire: "data: " + said("a") + "\n\n{\"error\":{\"message\":\"gone\"}}\n", want: []string{`text "a"`}, err: "LLM_UNAVAILABLE retryable: gone"},
		{
			name: "the context is too long", wire: events(`{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`),
			err: "LLM_CONTEXT_LENGTH_EXCEEDED: maximum context length is 8192 tokens. Begin a new thread",
		},
		{name: "an error that says nothing is none", wire: events(`{"error":null}`, `{"error":""}`, said("a"), stop("stop")), want: []string{`text "a"`, "finish stop"}},
		{name: "the reason is an error", wire: events(said("a"), stop("error")), want: []string{`text "a"`}, err: "LLM_UNAVAILABLE retryable: the model ended with an error"},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}
