package openai_test

import (
	"strings"
	"testing"
)

func TestCallsArePutTogether(t *testing.T) {
	const read = `{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":""}}`
	args := func(index int, text string) string {
		return tool(`{"index":` + string(rune('0'+index)) + `,"function":{"arguments":"` + text + `"}}`)
	}
	calls := stop("tool_calls")
	tests := []streamCase{
		{
			name: "a call starts when its name is known and grows piece by piece",
			wire: events(tool(read), args(0, `{\"pa`), args(0, `th\":\"a\"}`), calls),
			want: []string{
				"start c1 read_file", `delta c1 {"pa`, `delta c1 th":"a"}`, "end c1", `call c1 read_file {"path":"a"}`, "finish tool_calls",
			},
		},
		{
			name: "a call comes whole",
			wire: events(tool(`{"id":"c1","function":{"name":"read_file","arguments":"{\"path\": \"a\"}"}}`), calls),
			want: []string{"start c1 read_file", `delta c1 {"path": "a"}`, "end c1", `call c1 read_file {"path": "a"}`, "finish tool_calls"},
		},
		{
			name: "what a server wants back with a call is kept byte for byte, of a piece of its own too",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{}"},"extra_content":{"google": {"thought_signature":"A+/\u003d"}}}`),
				tool(`{"index":1,"id":"c2","function":{"name":"read_file","arguments":"{}"}}`), tool(`{"index":1,"extra_content":{"vertex":1.0}}`), calls),
			want: []string{
				"start c1 read_file", "delta c1 {}", "end c1", "start c2 read_file", "delta c2 {}", "end c2",
				`call c1 read_file {} {"google": {"thought_signature":"A+/\u003d"}}`, `call c2 read_file {} {"vertex":1.0}`, "finish tool_calls",
			},
		},
		{
			name: "text, a call and text keep their order", wire: events(said("A"), tool(read), args(0, "{}"), said("B"), calls),
			want: []string{`text "A"`, "start c1 read_file", "delta c1 {}", `text "B"`, "end c1", "call c1 read_file {}", "finish tool_calls"},
		},
		{
			name: "B1: a name and an id that are sent with every piece neither rename nor begin again",
			wire: events(tool(read), tool(strings.Replace(read, `""`, `"{\"a\":"`, 1)), tool(strings.Replace(read, `""`, `"1}"`, 1)), tool(read), calls),
			want: []string{"start c1 read_file", `delta c1 {"a":`, "delta c1 1}", "end c1", `call c1 read_file {"a":1}`, "finish tool_calls"},
		},
		{
			name: "B1: the same without an index and without an id",
			wire: events(tool(`{"function":{"name":"read_file"}}`), tool(`{"function":{"name":"read_file","arguments":"{\"a\":"}}`),
				tool(`{"function":{"name":"read_file","arguments":"1}"}}`), calls),
			want: []string{"start call_1_1 read_file", `delta call_1_1 {"a":`, "delta call_1_1 1}", "end call_1_1", `call call_1_1 read_file {"a":1}`, "finish tool_calls"},
		},
		{
			name: "B2: a name in pieces is put together",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"edit_ex"}}`), tool(`{"index":0,"function":{"name":"isting_file","arguments":""}}`), args(0, "{}"), calls),
			want: []string{"start c1 edit_existing_file", "delta c1 {}", "end c1", "call c1 edit_existing_file {}", "finish tool_calls"},
		},
		{
			name: "B2: a name in pieces that is no tool's is put together",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"gu"}}`), tool(`{"index":0,"function":{"name":"ess"}}`), args(0, "{}"), calls),
			want: []string{"start c1 guess", "delta c1 {}", "end c1", "call c1 guess {}", "finish tool_calls"},
		},
		{
			name: "B2: a name that begins like another waits until it is whole",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"get"}}`), tool(`{"index":0,"function":{"name":"_more"}}`), args(0, "{}"), calls),
			want: []string{"start c1 get_more", "delta c1 {}", "end c1", "call c1 get_more {}", "finish tool_calls"},
		},
		{
			name: "B2: a name that grows with every piece is not glued",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"read"}}`), tool(`{"index":0,"function":{"name":"read_file"}}`), args(0, "{}"), calls),
			want: []string{"start c1 read_file", "delta c1 {}", "end c1", "call c1 read_file {}", "finish tool_calls"},
		},
		{
			name: "B3: two objects in one string stay as they are", wire: events(tool(read), args(0, `{\"a\":1}`), args(0, `{\"a\":2}`), calls),
			want: []string{"start c1 read_file", `delta c1 {"a":1}`, `delta c1 {"a":2}`, "end c1", `call c1 read_file {"a":1}{"a":2}`, "finish tool_calls"},
		},
		{
			name: "B3: an empty object before the arguments stays",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"read_file","arguments":{}}}`), args(0, `{\"stock\":\"MSFT\"}`), calls),
			want: []string{"start c1 read_file", "delta c1 {}", `delta c1 {"stock":"MSFT"}`, "end c1", `call c1 read_file {}{"stock":"MSFT"}`, "finish tool_calls"},
		},
		{
			name: "B5: empty arguments are an empty object", wire: events(tool(read), calls),
			want: []string{"start c1 read_file", "delta c1 {}", "end c1", "call c1 read_file {}", "finish tool_calls"},
		},
		{
			name: "B5: missing arguments, and null, are an empty object",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"read_file"}},{"index":1,"id":"c2","function":{"name":"read_file","arguments":null}}`), calls),
			want: []string{
				"start c1 read_file", "start c2 read_file", "delta c1 {}", "end c1", "delta c2 {}", "end c2",
				"call c1 read_file {}", "call c2 read_file {}", "finish tool_calls",
			},
		},
		{
			name: "B5: white space stays what the model wrote", wire: events(tool(read), args(0, " "), calls),
			want: []string{"start c1 read_file", "delta c1", "end c1", "call c1 read_file  ", "finish tool_calls"},
		},
		{
			name: "arguments that are JSON and not text keep their bytes",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"read_file","arguments":{ "n": 1.0, "n":1e400,"id":2512292042121000001}}}`), calls),
			want: []string{
				"start c1 read_file", `delta c1 { "n": 1.0, "n":1e400,"id":2512292042121000001}`, "end c1",
				`call c1 read_file { "n": 1.0, "n":1e400,"id":2512292042121000001}`, "finish tool_calls",
			},
		},
		{
			name: "B6: two calls with other ids and always the index 0",
			wire: events(tool(read), args(0, `{\"a\":1}`), tool(`{"index":0,"id":"c2","function":{"name":"read_file","arguments":"{\"a\":2}"}}`), calls),
			want: []string{
				"start c1 read_file", `delta c1 {"a":1}`, "end c1", "start c2 read_file", `delta c2 {"a":2}`, "end c2",
				`call c1 read_file {"a":1}`, `call c2 read_file {"a":2}`, "finish tool_calls",
			},
		},
		{
			name: "B6: the same, mixed in pieces that give their id",
			wire: events(tool(read), tool(`{"index":0,"id":"c2","function":{"name":"get_more"}}`),
				tool(`{"index":0,"id":"c1","function":{"arguments":"{\"a\":1"}}`), tool(`{"index":0,"id":"c2","function":{"arguments":"{\"a\":2"}}`),
				tool(`{"index":0,"id":"c1","function":{"arguments":"}"}}`), tool(`{"index":0,"id":"c2","function":{"arguments":"}"}}`), calls),
			want: []string{
				"start c1 read_file", "start c2 get_more", `delta c1 {"a":1`, `delta c2 {"a":2`, "delta c1 }", "end c1", "delta c2 }", "end c2",
				`call c1 read_file {"a":1}`, `call c2 get_more {"a":2}`, "finish tool_calls",
			},
		},
		{
			name: "B6: indices with a gap",
			wire: events(tool(read), args(0, "{}"), tool(`{"index":2,"id":"c2","function":{"name":"read_file"}}`), args(2, "{}"), calls),
			want: []string{
				"start c1 read_file", "delta c1 {}", "end c1", "start c2 read_file", "delta c2 {}", "end c2",
				"call c1 read_file {}", "call c2 read_file {}", "finish tool_calls",
			},
		},
		{
			name: "B6: no index, told apart by ids",
			wire: events(tool(`{"id":"c1","function":{"name":"read_file","arguments":"{\"a\""}}`), tool(`{"id":"c2","function":{"name":"read_file","arguments":"{\"b\""}}`),
				tool(`{"id":"c1","function":{"arguments":":1}"}}`), tool(`{"id":"c2","function":{"arguments":":2}"}}`), calls),
			want: []string{
				"start c1 read_file", `delta c1 {"a"`, "start c2 read_file", `delta c2 {"b"`, "delta c1 :1}", "end c1", "delta c2 :2}", "end c2",
				`call c1 read_file {"a":1}`, `call c2 read_file {"b":2}`, "finish tool_calls",
			},
		},
		{
			name: "B6: no index and no id, told apart by whole arguments",
			wire: events(tool(`{"function":{"name":"read_file","arguments":"{\"a\":1}"}},{"function":{"name":"read_file","arguments":"{\"a\":1}"}}`), calls),
			want: []string{
				"start call_1_1 read_file", `delta call_1_1 {"a":1}`, "end call_1_1", "start call_1_2 read_file", `delta call_1_2 {"a":1}`, "end call_1_2",
				`call call_1_1 read_file {"a":1}`, `call call_1_2 read_file {"a":1}`, "finish tool_calls",
			},
		},
		{
			name: "no index and no id, told apart by names without arguments",
			wire: events(tool(`{"function":{"name":"read_file"}}`), tool(`{"function":{"name":"get"}}`), calls),
			want: []string{
				"start call_1_1 read_file", "delta call_1_1 {}", "end call_1_1", "start call_1_2 get", "delta call_1_2 {}", "end call_1_2",
				"call call_1_1 read_file {}", "call call_1_2 get {}", "finish tool_calls",
			},
		},
		{
			name: "two calls mixed by index stay apart, and each ends when it is whole",
			wire: events(tool(read), tool(`{"index":1,"id":"c2","function":{"name":"read_file"}}`), args(0, `{\"a\":`), args(1, `{\"b\":`), args(0, "1}"), args(1, "2}"), calls),
			want: []string{
				"start c1 read_file", "start c2 read_file", `delta c1 {"a":`, `delta c2 {"b":`, "delta c1 1}", "end c1", "delta c2 2}", "end c2",
				`call c1 read_file {"a":1}`, `call c2 read_file {"b":2}`, "finish tool_calls",
			},
		},
		{
			name: "a server counts its pieces in the index",
			wire: events(tool(read), args(1, `{\"a\":`), args(2, "1}"), calls),
			want: []string{"start c1 read_file", `delta c1 {"a":`, "delta c1 1}", "end c1", `call c1 read_file {"a":1}`, "finish tool_calls"},
		},
		{
			name: "a server makes a new id for every piece",
			wire: events(tool(read), tool(`{"index":0,"id":"x2","function":{"arguments":"{\"a\":"}}`), tool(`{"index":0,"id":"x3","function":{"arguments":"1}"}}`), calls),
			want: []string{"start c1 read_file", `delta c1 {"a":`, "delta c1 1}", "end c1", `call c1 read_file {"a":1}`, "finish tool_calls"},
		},
		{
			name: "an id that comes late is kept beside ours",
			wire: events(tool(`{"index":0,"function":{"name":"read_file"}}`), tool(`{"index":0,"id":"late","function":{"arguments":"{}"}}`), calls),
			want: []string{"start call_1_1 read_file", "delta call_1_1 {}", "end call_1_1", "call call_1_1<late read_file {}", "finish tool_calls"},
		},
		{
			name: "an id that comes twice in an answer is made unique",
			wire: events(tool(read), args(0, "{}"), tool(`{"index":1,"id":"c1","function":{"name":"get","arguments":"{}"}}`), calls),
			want: []string{
				"start c1 read_file", "delta c1 {}", "end c1", "start call_1_2 get", "delta call_1_2 {}", "end call_1_2",
				"call c1 read_file {}", "call call_1_2<c1 get {}", "finish tool_calls",
			},
		},
		{
			name: "a name comes after the arguments", wire: events(args(0, `{\"a\":`), tool(`{"index":0,"id":"c1","function":{"name":"read_file","arguments":"1}"}}`), calls),
			want: []string{"start c1 read_file", `delta c1 {"a":1}`, "end c1", `call c1 read_file {"a":1}`, "finish tool_calls"},
		},
		{
			name: "a call in the old form function_call",
			wire: events(delta(`{"function_call":{"name":"read_file","arguments":""}}`), delta(`{"function_call":{"arguments":"{}"}}`), stop("function_call")),
			want: []string{"start call_1_1 read_file", "delta call_1_1 {}", "end call_1_1", "call call_1_1 read_file {}", "finish tool_calls"},
		},
		{
			name: "calls without a list, entries that are no calls, and empty ones",
			wire: events(delta(`{"tool_calls":{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{}"}}}`), tool(`null,5,{"index":0}`),
				tool(`{"index":1,"id":"","function":{"name":"","arguments":""}}`), calls),
			want: []string{"start c1 read_file", "delta c1 {}", "end c1", "call c1 read_file {}", "finish tool_calls"},
		},
		{
			name: "the reason is stop though there are calls", wire: events(tool(read), args(0, "{}"), stop("stop")),
			want: []string{"start c1 read_file", "delta c1 {}", "end c1", "call c1 read_file {}", "finish tool_calls"},
		},
		{
			name: "A8, A9: arguments are cut on the borders of characters",
			wire: events(tool(read), args(0, "\\\"\xc3"), args(0, "\xa9\\ud83d"), args(0, "\\ude42\\\""), calls),
			want: []string{"start c1 read_file", `delta c1 "`, "delta c1 é", `delta c1 🙂"`, "end c1", `call c1 read_file "é🙂"`, "finish tool_calls"},
		},
		{
			name: "B20: escapes inside the arguments stay text", wire: events(tool(read), args(0, `{\"a\":\"\\ud83d\"}`), calls),
			want: []string{"start c1 read_file", `delta c1 {"a":"\ud83d"}`, "end c1", `call c1 read_file {"a":"\ud83d"}`, "finish tool_calls"},
		},
		{
			name: "B13: a call cut by the token limit is no call", wire: events(tool(read), args(0, `{\"path\":\"/data/x\",\"content\":\"abc`), stop("length")),
			want: []string{"start c1 read_file", `delta c1 {"path":"/data/x","content":"abc`, "finish length"},
		},
		{
			name: "B13: neither is a whole one of the same turn",
			wire: events(tool(read), args(0, "{}"), tool(`{"index":1,"id":"c2","function":{"name":"get","arguments":"{"}}`), stop("length")),
			want: []string{"start c1 read_file", "delta c1 {}", "end c1", "start c2 get", "delta c2 {", "finish length"},
		},
		{
			name: "malformed arguments of a finished turn are a call", wire: events(tool(read), args(0, `{\"a\":`), calls),
			want: []string{"start c1 read_file", `delta c1 {"a":`, "end c1", `call c1 read_file {"a":`, "finish tool_calls"},
		},
		{
			name: "whole calls without a reason and without [DONE] are calls",
			wire: strings.TrimSuffix(events(tool(read), args(0, `{\"a\":\"}\"}`)), "data: [DONE]\n\n"),
			want: []string{"start c1 read_file", `delta c1 {"a":"}"}`, "end c1", `call c1 read_file {"a":"}"}`, "finish tool_calls"},
		},
		{
			name: "a call that is not whole without a reason was cut",
			wire: strings.TrimSuffix(events(tool(read), args(0, `{\"a\":\"}`)), "data: [DONE]\n\n"),
			want: []string{"start c1 read_file", `delta c1 {"a":"}`}, err: "LLM_UNAVAILABLE retryable: stopped in the middle of its answer",
		},
		{
			name: "B22: a name that had to be mapped comes back as it is",
			wire: events(tool(`{"index":0,"id":"c1","function":{"name":"list_all_6df87f42","arguments":"{}"}}`), calls),
			want: []string{"start c1 list.all", "delta c1 {}", "end c1", "call c1 list.all {}", "finish tool_calls"},
		},
		{
			name: "a call without a name is an error", wire: events(tool(`{"index":0,"id":"c1","function":{"arguments":"{}"}}`), calls),
			err: "LLM_INVALID_RESPONSE retryable: a tool call in it has no name",
		},
		{
			name: "calls of an answer that lost a piece of one are not made",
			wire: events(tool(read), args(0, `{\"a\":\"`), `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"argu`, args(0, `\"}`), calls),
			want: []string{
				"start c1 read_file", `delta c1 {"a":"`,
				`problem: a piece of the answer is malformed and was skipped: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"argu`,
				`delta c1 "}`, "end c1",
			},
			err: "LLM_INVALID_RESPONSE retryable: a piece of a tool call in it could not be read",
		},
	}
	for _, test := range tests {
		t.Run(test.name, test.run)
	}
}
