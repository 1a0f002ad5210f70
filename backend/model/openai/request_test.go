package openai_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/openai"
)

// ask sends a request to a server that answers "ok", and returns the body it got and what the backend says of it.
func ask(t *testing.T, backend *openai.Backend, request *model.Request) (body string, sent *model.Sent) {
	t.Helper()
	w := &wire{pieces: []string{events(said("ok"), stop("stop"))}}
	backend.BaseURL, backend.HTTPClient = "http://model.test/v1", &http.Client{Transport: w}
	for c, err := range backend.Stream(t.Context(), request) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Sent != nil {
			sent = c.Sent
		}
	}
	return string(w.bodies[0]), sent
}

func TestRequestsHaveWhatServersWant(t *testing.T) {
	zero, half := 0.0, 0.5
	schema := json.RawMessage(`{"type":"object","properties":{"z":{"const":1.0},"a":{}}}`)
	call := func(id, providerID, name, arguments string) model.ToolCall {
		return model.ToolCall{ID: id, ProviderID: providerID, Name: name, Arguments: arguments}
	}
	assistant := func(calls ...model.ToolCall) *model.Message {
		return &model.Message{Role: model.RoleAssistant, ToolCalls: calls}
	}
	result := func(id, content string) *model.Message {
		return &model.Message{Role: model.RoleTool, ToolCallID: id, Content: content, Metadata: json.RawMessage(`{"details":1}`)}
	}
	const head = `{"model":"m","stream":true,"stream_options":{"include_usage":true}`
	tests := []struct {
		name    string
		request model.Request
		want    string
	}{
		{
			"the messages come last",
			model.Request{Messages: []*model.Message{
				{Role: model.RoleSystem, Content: "be brief"},
				{Role: model.RoleUser, Content: "a<b && \"c\"\n"},
				{Role: model.RoleAssistant, Content: "yes", Reasoning: "hm"},
			}},
			head + `,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"a<b && \"c\"\n"},{"role":"assistant","content":"yes"}]}`,
		},
		{"a temperature of 0 is sent", model.Request{Temperature: &zero}, head + `,"temperature":0,"messages":[]}`},
		{"a limit of tokens is sent", model.Request{Temperature: &half, MaxTokens: 9}, head + `,"temperature":0.5,"max_tokens":9,"messages":[]}`},
		{
			"schemas keep their bytes, and one that is missing takes no arguments",
			model.Request{Tools: []model.ToolSchema{{Name: "a", Description: "does", Parameters: schema}, {Name: "b"}}},
			head + `,"tools":[{"type":"function","function":{"name":"a","description":"does","parameters":` + string(schema) + `}},` +
				`{"type":"function","function":{"name":"b","parameters":{"type":"object","properties":{}}}}],"messages":[]}`,
		},
		{
			"a turn without tools keeps them and forbids their use",
			model.Request{NoTools: true, Tools: []model.ToolSchema{{Name: "b"}}},
			head + `,"tools":[{"type":"function","function":{"name":"b","parameters":{"type":"object","properties":{}}}}],"messages":[],"tool_choice":"none"}`,
		},
		{
			"arguments go back byte for byte, and metadata never",
			model.Request{Messages: []*model.Message{assistant(call("c1", "", "a", `{"n": 1.0, "n":1e400}`)), result("c1", "text")}},
			head + `,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{\"n\": 1.0, \"n\":1e400}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"text"}]}`,
		},
		{
			"what is empty is filled in",
			model.Request{Messages: []*model.Message{assistant(call("c1", "", "a", "")), result("c1", ""), assistant()}},
			head + `,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"(no output)"},{"role":"assistant","content":"(no output)"}]}`,
		},
		{
			"arguments that are malformed or no object go back as an empty one",
			model.Request{Messages: []*model.Message{assistant(call("c1", "", "a", `{"a":`), call("c2", "", "a", `[1]`), call("c3", "", "a", `{}{"a":1}`))}},
			head + `,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}},` +
				`{"id":"c2","type":"function","function":{"name":"a","arguments":"{}"}},{"id":"c3","type":"function","function":{"name":"a","arguments":"{}"}}]}]}`,
		},
		{
			"B20: half a surrogate pair goes out as U+FFFD, in text and in arguments",
			model.Request{Messages: []*model.Message{
				assistant(call("c1", "", "a", `{"a":"\ud83d","b":"\ud83d\ude42","c":"\\ud83d\ude42\u00e9"}`)), result("c1", "a\xed\xa0\xbdb\xff"),
			}},
			head + `,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a",` +
				`"arguments":"{\"a\":\"\\ufffd\",\"b\":\"\\ud83d\\ude42\",\"c\":\"\\\\ud83d\\ufffd\\u00e9\"}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"a���b�"}]}`,
		},
		{
			"B8: a call has the provider's id, and none comes twice",
			model.Request{Messages: []*model.Message{
				assistant(call("r1-call_0", "call_0", "a", "{}")), result("r1-call_0", "1"),
				assistant(call("r2-call_0", "call_0", "a", "{}"), call("x", "", "a", "{}")), result("r2-call_0", "2"), result("x", "3"),
				assistant(call("x", "", "a", "{}")), result("x", "4"),
			}},
			head + `,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"a","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"call_0","content":"1"},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"r2-call_0","type":"function","function":{"name":"a","arguments":"{}"}},` +
				`{"id":"x","type":"function","function":{"name":"a","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"r2-call_0","content":"2"},{"role":"tool","tool_call_id":"x","content":"3"},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"x_2","type":"function","function":{"name":"a","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"x_2","content":"4"}]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, sent := ask(t, &openai.Backend{Model: "m"}, &test.request)
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if !json.Valid([]byte(got)) {
				t.Error("the body is no JSON")
			}
			if sent.Keep != 0 || string(sent.Tail) != got {
				t.Errorf("what the backend says it sent differs: keep %d, %s", sent.Keep, sent.Tail)
			}
		})
	}
}

func TestNamesAreMappedSoThatEveryProviderTakesThem(t *testing.T) {
	long := strings.Repeat("x", 70)
	real := []string{"a.b", "a_b", "a b", "Ärger", "", long + "1", long + "2", "_-9", "a_b_" /* fits */}
	tools := make([]model.ToolSchema, len(real))
	for i, name := range real {
		tools[i].Name = name
	}
	history := &model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "1", Name: "a.b"}, {ID: "2", Name: "gone.tool"}}}
	body, _ := ask(t, &openai.Backend{}, &model.Request{Model: "m", Tools: tools, Messages: []*model.Message{history}})
	var request struct {
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct {
			ToolCalls []struct{ Function struct{ Name string } } `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	seen := map[string]string{}
	for i, tool := range request.Tools {
		wireName := tool.Function.Name
		if !pattern.MatchString(wireName) {
			t.Errorf("%q is sent as %q", real[i], wireName)
		}
		if other, ok := seen[wireName]; ok {
			t.Errorf("%q and %q are both sent as %q", real[i], other, wireName)
		}
		seen[wireName] = real[i]
		if pattern.MatchString(real[i]) && wireName != real[i] {
			t.Errorf("%q fits and is sent as %q", real[i], wireName)
		}
		lines, _, failure := listen(t, &wire{pieces: []string{events(tool1(wireName), stop("tool_calls"))}}, &model.Request{Tools: tools})
		if want := "call c " + real[i] + " {}"; failure != nil || !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("%q called as %q: got %q, want %q", real[i], wireName, lines, want)
		}
	}
	calls := request.Messages[0].ToolCalls
	if calls[0].Function.Name != request.Tools[0].Function.Name {
		t.Errorf("a call of the past is named %q, its tool %q", calls[0].Function.Name, request.Tools[0].Function.Name)
	}
	if name := calls[1].Function.Name; !pattern.MatchString(name) || seen[name] != "" {
		t.Errorf("a call of a tool that is gone is sent as %q", name)
	}
}

func tool1(name string) string {
	return tool(`{"index":0,"id":"c","function":{"name":"` + name + `","arguments":"{}"}}`)
}

func TestEachMessageIsEncodedOnce(t *testing.T) {
	backend := &openai.Backend{Model: "m"}
	tools := []model.ToolSchema{{Name: "a"}}
	messages := []*model.Message{{Role: model.RoleUser, Content: "go"}}
	var memo any
	var body string
	send := func(noTools bool, maxTokens int) *model.Sent {
		t.Helper()
		wire, sent := ask(t, backend, &model.Request{Messages: messages, Tools: tools, NoTools: noTools, MaxTokens: maxTokens, Memo: &memo})
		body = body[:sent.Keep] + string(sent.Tail)
		if body != wire {
			t.Fatalf("the differences make\n%s\nbut this was sent:\n%s", body, wire)
		}
		if fresh, _ := ask(t, &openai.Backend{Model: "m"}, &model.Request{
			Messages: messages, Tools: tools, NoTools: noTools, MaxTokens: maxTokens,
		}); fresh != wire {
			t.Fatalf("a request of its own would be\n%s\nbut this was sent:\n%s", fresh, wire)
		}
		return sent
	}
	send(false, 0)
	messages = append(messages,
		&model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "c", Name: "a", Arguments: "{}"}}},
		&model.Message{Role: model.RoleTool, ToolCallID: "c", Content: "one"})
	const more = `,{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":"one"}]}`
	if got := string(send(false, 0).Tail); got != more {
		t.Errorf("two new messages: got\n%s\nwant\n%s", got, more)
	}
	if got := string(send(false, 0).Tail); got != "]}" {
		t.Errorf("the same again: got %s, want ]}", got)
	}
	if got := string(send(true, 0).Tail); got != `],"tool_choice":"none"}` {
		t.Errorf("the same without tools: got %s", got)
	}
	if sent := send(false, 5); sent.Keep != 0 {
		t.Errorf("another limit: got keep %d, want all anew", sent.Keep)
	}
	messages = messages[:1]
	if sent := send(false, 5); sent.Keep != 0 {
		t.Errorf("another history: got keep %d, want all anew", sent.Keep)
	}
}
