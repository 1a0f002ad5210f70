package scripted_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/model"
	"callboard/backend/model/scripted"
)

// play gathers the chunks of one request, without what was sent and the raw bytes.
func play(t *testing.T, b model.Backend, index int) ([]model.Chunk, error) {
	t.Helper()
	var chunks []model.Chunk
	for c, err := range b.Stream(t.Context(), &model.Request{Index: index}) {
		if err != nil {
			return chunks, err
		}
		if c.Sent != nil {
			continue
		}
		c.Raw = nil
		chunks = append(chunks, c)
	}
	return chunks, nil
}

const everything = `{"turns": [
  {"chunks": [
    {"reasoning": "hm"},
    {"text": "Reading."},
    {"toolInput": {"type": "start", "toolCallId": "c1", "toolName": "read_file"}},
    {"toolInput": {"type": "delta", "toolCallId": "c1", "delta": "{\"n\":1.0"}},
    {"toolInput": {"type": "delta", "toolCallId": "c1", "delta": "}"}},
    {"toolInput": {"type": "end", "toolCallId": "c1"}},
    {"toolCalls": [{"id": "c1", "name": "read_file", "arguments": "{\"n\":1.0}"}, {"id": "c2", "name": "odd", "arguments": "{\"a\":"}]},
    {"finishReason": "tool_calls", "usage": {"inputTokens": 9, "outputTokens": 0}}
  ]},
  {"chunks": [{"text": "half"}, {"error": "overloaded", "retryable": true, "code": "LLM_RATE_LIMITED"}, {"text": "never"}]},
  {"chunks": [{"toolCalls": [{"id": "c3", "name": "list"}]}]},
  {"chunks": [{"text": "Done."}]},
  {"chunks": []}
]}`

func TestBackendPlaysItsTurns(t *testing.T) {
	b, err := scripted.Parse([]byte(everything), "demo.json")
	if err != nil {
		t.Fatal(err)
	}
	nine, zero := int64(9), int64(0)
	input := func(kind model.ToolInputType, name, delta string) model.Chunk {
		return model.Chunk{ToolInput: []model.ToolInput{{Type: kind, ToolCallID: "c1", ToolName: name, Delta: delta}}}
	}
	tests := []struct {
		name  string
		index int
		want  []model.Chunk
		err   *model.Error
	}{
		{name: "every kind of chunk comes out in its order", index: 0, want: []model.Chunk{
			{Reasoning: "hm"},
			{Text: "Reading."},
			input(model.ToolInputStart, "read_file", ""),
			input(model.ToolInputDelta, "", `{"n":1.0`),
			input(model.ToolInputDelta, "", `}`),
			input(model.ToolInputEnd, "", ""),
			{ToolCalls: []model.ToolCall{{ID: "c1", Name: "read_file", Arguments: `{"n":1.0}`}, {ID: "c2", Name: "odd", Arguments: `{"a":`}}},
			{FinishReason: model.FinishToolCalls, Usage: &model.Usage{InputTokens: &nine, OutputTokens: &zero}},
		}},
		{
			name: "an error ends its turn", index: 1, want: []model.Chunk{{Text: "half"}},
			err: &model.Error{Code: model.CodeRateLimited, Message: "overloaded", Retryable: true},
		},
		{name: "a turn with calls and no reason ends with tool_calls", index: 2, want: []model.Chunk{
			{ToolCalls: []model.ToolCall{{ID: "c3", Name: "list"}}}, {FinishReason: model.FinishToolCalls},
		}},
		{name: "a turn without calls and without a reason ends with stop", index: 3, want: []model.Chunk{
			{Text: "Done."}, {FinishReason: model.FinishStop},
		}},
		{name: "an empty turn stops", index: 4, want: []model.Chunk{{FinishReason: model.FinishStop}}},
		{name: "after the last turn an error says so", index: 5, err: &model.Error{
			Code:    model.CodeInvalidResponse,
			Message: "the script demo.json has 5 turns and ended: there is no turn for request 6; add one, or begin a new thread",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := play(t, b, test.index)
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("chunks:\n got %+v\nwant %+v", got, test.want)
			}
			var failure *model.Error
			errors.As(err, &failure)
			if !reflect.DeepEqual(failure, test.err) {
				t.Errorf("error: got %+v, want %+v", failure, test.err)
			}
		})
	}
}

func TestTurnsWrittenInGo(t *testing.T) {
	b := &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("c1", "read", `{}`), scripted.Say("hello")}}
	got, err := play(t, b, 0)
	want := []model.Chunk{
		{ToolInput: []model.ToolInput{{Type: model.ToolInputStart, ToolCallID: "c1", ToolName: "read"}}},
		{ToolInput: []model.ToolInput{{Type: model.ToolInputDelta, ToolCallID: "c1", Delta: "{}"}}},
		{ToolInput: []model.ToolInput{{Type: model.ToolInputEnd, ToolCallID: "c1"}}},
		{ToolCalls: []model.ToolCall{{ID: "c1", Name: "read", Arguments: "{}"}}},
		{FinishReason: model.FinishToolCalls},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("CallTool: got %+v, %v; want %+v", got, err, want)
	}
	got, err = play(t, b, 1)
	if want := []model.Chunk{{Text: "hello"}, {FinishReason: model.FinishStop}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Say: got %+v, %v; want %+v", got, err, want)
	}
}

func TestRawIsTheChunkAsTheFileHasIt(t *testing.T) {
	b, err := scripted.Parse([]byte(`{"turns":[{"chunks":[ {"text" :"a\u00e9"} ,{"finishReason":"stop"}]}]}`), "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for c, err := range b.Stream(t.Context(), &model.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Raw != nil {
			got = append(got, string(c.Raw))
		}
	}
	if want := []string{`{"text" :"a\u00e9"}`, `{"finishReason":"stop"}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDelays(t *testing.T) {
	b := &scripted.Backend{Turns: []scripted.Turn{{Chunks: []scripted.Chunk{{Text: "a"}, {DelayMs: 40}, {Text: "b"}}}}}
	t.Run("a delay keeps the next chunk back and no other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			at := map[string]time.Duration{}
			for c, err := range b.Stream(t.Context(), &model.Request{}) {
				if err != nil {
					t.Fatal(err)
				}
				at[c.Text] = time.Since(start)
			}
			if at["a"] != 0 || at["b"] != 40*time.Millisecond {
				t.Errorf("got a after %s and b after %s, want 0 and 40ms", at["a"], at["b"])
			}
		})
	})
	t.Run("a delay ends when its context does", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			start := time.Now()
			var last error
			for _, err := range b.Stream(ctx, &model.Request{}) {
				last = err
			}
			if !errors.Is(last, context.DeadlineExceeded) || time.Since(start) != 10*time.Millisecond {
				t.Errorf("got %v after %s, want the deadline after 10ms", last, time.Since(start))
			}
		})
	})
}

func TestSentGrowsByWhatIsNew(t *testing.T) {
	b := &scripted.Backend{Turns: []scripted.Turn{scripted.Say("1"), scripted.Say("2"), scripted.Say("3"), scripted.Say("4")}}
	tools := []model.ToolSchema{{Name: "read", Parameters: json.RawMessage(`{"type":"object"}`)}}
	messages := []*model.Message{{Role: model.RoleSystem, Content: "be brief"}, {Role: model.RoleUser, Content: "read \"a\""}}
	more := []*model.Message{
		{Role: model.RoleAssistant, Reasoning: "hm", ToolCalls: []model.ToolCall{{ID: "c1", Name: "read", Arguments: `{"n":1.0}`}}},
		{Role: model.RoleTool, ToolCallID: "c1", Content: "text", Metadata: json.RawMessage(`{"details":1}`)},
	}
	var memo any
	var body []byte
	ask := func(index int, messages []*model.Message, noTools bool) *model.Sent {
		t.Helper()
		for c, err := range b.Stream(t.Context(), &model.Request{Index: index, Messages: messages, Tools: tools, NoTools: noTools, Memo: &memo}) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Sent != nil {
				body = append(body[:c.Sent.Keep:c.Sent.Keep], c.Sent.Tail...)
				return c.Sent
			}
		}
		t.Fatal("nothing was sent")
		return nil
	}
	const head = `{"agent":"","model":"","noTools":false,"tools":[{"name":"read","description":"","parameters":{"type":"object"}}],"messages":[` +
		`{"role":"system","content":"be brief"},{"role":"user","content":"read \"a\""}`
	const rest = `,{"role":"assistant","content":"","reasoning":"hm","toolCalls":[{"id":"c1","name":"read","arguments":"{\"n\":1.0}"}]}` +
		`,{"role":"tool","content":"text","toolCallId":"c1"}`

	ask(0, messages, false)
	if want := head + "]}"; string(body) != want {
		t.Errorf("first request:\n got %s\nwant %s", body, want)
	}
	sent := ask(1, append(messages, more...), false)
	if want := head + rest + "]}"; string(body) != want || string(sent.Tail) != rest+"]}" {
		t.Errorf("second request:\n got %s in %s\nwant %s", sent.Tail, body, want)
	}
	if sent := ask(2, append(messages, more...), false); string(sent.Tail) != "]}" || !json.Valid(body) {
		t.Errorf("the same request again: got %q more in %s", sent.Tail, body)
	}
	if sent := ask(3, messages, true); sent.Keep != 0 || !json.Valid(body) || !bytes.Contains(body, []byte(`"noTools":true`)) {
		t.Errorf("another request: got keep %d in %s", sent.Keep, body)
	}
}

func BenchmarkThousandRequestsOfOneCall(b *testing.B) {
	turns := make([]scripted.Turn, 1001)
	for i := range turns {
		turns[i] = scripted.CallTool(fmt.Sprintf("c%d", i), "lookup", fmt.Sprintf(`{"n":%d}`, i))
	}
	backend := &scripted.Backend{Turns: turns}
	for b.Loop() {
		var memo any
		messages := []*model.Message{{Role: model.RoleUser, Content: "go"}}
		for i := range 1000 {
			id := fmt.Sprintf("c%d", i)
			for _, err := range backend.Stream(b.Context(), &model.Request{Index: i, Messages: messages, Memo: &memo}) {
				if err != nil {
					b.Fatal(err)
				}
			}
			messages = append(messages,
				&model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: id, Name: "lookup", Arguments: `{"n":1}`}}},
				&model.Message{Role: model.RoleTool, ToolCallID: id, Content: "found"})
		}
	}
}

func BenchmarkFiftyThousandDeltas(b *testing.B) {
	chunks := []scripted.Chunk{{ToolInput: &model.ToolInput{Type: model.ToolInputStart, ToolCallID: "c", ToolName: "write"}}}
	for range 50_000 {
		chunks = append(chunks, scripted.Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputDelta, ToolCallID: "c", Delta: "abcd"}})
	}
	backend := &scripted.Backend{Turns: []scripted.Turn{{Chunks: chunks}}}
	for b.Loop() {
		for _, err := range backend.Stream(b.Context(), &model.Request{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
