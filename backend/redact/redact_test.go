package redact_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/redact"
	"callboard/backend/tool"
)

const key = `s3cr3t"\key` // with what JSON escapes

var policy = redact.Policy{Secrets: func() []string { return []string{key, "short"} }, Patterns: redact.Patterns()}

func TestText(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a text without secrets stays", "Nothing to hide: the token limit, a password.", "Nothing to hide: the token limit, a password."},
		{"a known secret", "It is " + key + ".", "It is [redacted]."},
		{"one that is too short is passed over", "in short", "in short"},
		{"two that overlap are one", "sk-aaaaaaaaaaaaaaaaaaaa" + key, "[redacted]"},
		{"two side by side", key + "sk-proj-abcdefghijklmnop123 now", "[redacted][redacted] now"},
		{"one behind another with no border is none", "ask-proj-abcdefghijklmnop123", "ask-proj-abcdefghijklmnop123"},
		{"a provider's key", "use sk-proj-abcdefghijklmnop123 now", "use [redacted] now"},
		{"a header", "Authorization: Bearer abcdef.ghijkl", "Authorization: Bearer [redacted]"},
		{"a password in an address", "postgres://ada:hunter22@db/x", "postgres://ada:[redacted]@db/x"},
		{"a variable", `API_KEY="abcd1234" make`, `API_KEY="[redacted]" make`},
		{"a private key", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := policy.Text(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	inJSON, _ := json.Marshal(key)
	tests := []struct{ name, text, want string }{
		{"what holds no secret keeps its bytes", `{ "b": 1.0, "a": [1e400, "\u003c"] }`, `{ "b": 1.0, "a": [1e400, "\u003c"] }`},
		{"a known secret in a string", `{"out":"x ` + string(inJSON[1:]) + `}`, `{"out":"x [redacted]"}`},
		{"one that is written with escapes", `["\u0073k-abcdefghijklmnopqrst"]`, `["[redacted]"]`},
		{"a member with a telling name", `{"headers":{"Authorization":"Basic xyz"},"password": 12345}`, `{"headers":{"Authorization":"[redacted]"},"password": "[redacted]"}`},
		{"a telling name says nothing of what is in an object", `{"token":{"kind":"word"},"secret":null,"api_key":""}`, `{"token":{"kind":"word"},"secret":null,"api_key":""}`},
		{"a secret as a name", `{"sk-abcdefghijklmnopqrst":1}`, `{"[redacted]":1}`},
		{"what is not JSON is a text", `{"a":"sk-abcdefghijklmnopqrst`, `{"a":"[redacted]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(policy.JSON([]byte(test.text))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// pieces are the events of a run whose answer, reasoning and arguments are a text in pieces of some bytes.
func pieces(text string, size int) []protocol.Event {
	events := []protocol.Event{&protocol.Start{}, &protocol.TextStart{ID: "p"}}
	args, _ := json.Marshal(map[string]string{"text": text})
	cut := func(s string, each func(string)) {
		for ; len(s) > size; s = s[size:] {
			each(s[:size])
		}
		each(s)
	}
	cut(text, func(s string) { events = append(events, &protocol.TextDelta{ID: "p", Delta: s}) })
	events = append(events, &protocol.TextEnd{ID: "p"}, &protocol.ToolCallStart{ID: "c", ToolName: "echo"})
	cut(string(args), func(s string) { events = append(events, &protocol.ToolCallDelta{ID: "c", ArgsTextDelta: s}) })
	return append(events, &protocol.ToolCallEnd{ID: "c"}, &protocol.Finish{Status: protocol.StatusCompleted})
}

// view is what comes out of a stream: the joined text, the joined arguments, and the numbers in order.
func view(t *testing.T, v redact.View, events []protocol.Event) (text, arguments string, seqs []int64) {
	t.Helper()
	stream := policy.Stream(v)
	for i, event := range events {
		for _, f := range stream.Push(protocol.Frame{Seq: int64(i + 1), Event: event}) {
			seqs = append(seqs, f.Seq)
			switch e := f.Event.(type) {
			case *protocol.TextDelta:
				text += e.Delta
			case *protocol.ToolCallDelta:
				arguments += e.ArgsTextDelta
			}
		}
	}
	for i, seq := range seqs {
		if seq != int64(i+1) {
			t.Fatalf("got the numbers %v", seqs)
		}
	}
	return text, arguments, seqs
}

func TestASecretInPiecesIsFoundWhereverItIsCut(t *testing.T) {
	for _, secret := range []string{
		key, "sk-proj-abcdefghijklmnop123", "Bearer abcdefghijkl", `password="hunter22"`, "postgres://ada:hunter22@db/x",
		"-----BEGIN PRIVATE KEY-----\nMIIE vQ\nIBADAN\n-----END PRIVATE KEY-----", key + "sk-proj-abcdefghijklmnop123",
	} {
		text := "Before, é. " + secret + " After it."
		events := pieces(text, len(text)*8)
		wantText, wantArguments, _ := view(t, redact.Operator, events)
		if wantText != policy.Text(text) || !strings.Contains(wantText, redact.Mask) || !json.Valid([]byte(wantArguments)) {
			t.Fatalf("whole, got %q and %s", wantText, wantArguments)
		}
		for size := 1; size < 40; size++ {
			events := pieces(text, size)
			gotText, gotArguments, seqs := view(t, redact.Operator, events)
			if gotText != wantText || gotArguments != wantArguments || len(seqs) != len(events) {
				t.Errorf("in pieces of %d: got %q, %s and %d events, want %q, %s and %d", size, gotText, gotArguments, len(seqs), wantText, wantArguments, len(events))
			}
		}
	}
}

// JSON has many ways to write the same string.
func TestASecretInOtherEscapesIsFoundWhereverItIsCut(t *testing.T) {
	p := redact.Policy{Secrets: func() []string { return []string{"pä/ss\"w<rd🙂"} }, Patterns: redact.Patterns()}
	tests := []struct{ name, arguments, want string }{
		{"as Go writes it", `{"a":"x pä/ss\"w\u003crd🙂 y"}`, `{"a":"x [redacted] y"}`},
		{"in ASCII alone", `{"a":"x p\u00e4/ss\"w<rd\uD83D\ude42 y"}`, `{"a":"x [redacted] y"}`},
		{"with more escapes than it needs", `{"a":"\u0070\u00E4\/\u0073s\u0022w<rd🙂"}`, `{"a":"[redacted]"}`},
		{"in JSON that stands in it as a text", `{"a":"{\"b\":\"p\\u00e4\\/ss\\\"w<rd\\ud83d\\ude42\"}"}`, `{"a":"{\"b\":\"[redacted]\"}"}`},
		{"a key by its looks", `{"a":"\u0073k-abcdefghijklmnopqrst y"}`, `{"a":"[redacted] y"}`},
		{"what is no secret", `{"a":"C:\\users\\new \ud83d p\u00e4/ss \u12"}`, `{"a":"C:\\users\\new \ud83d p\u00e4/ss \u12"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := p.Call(redact.Operator, model.ToolCall{Name: "f", Arguments: test.arguments}).Arguments; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			for size := 1; size <= len(test.arguments); size++ {
				stream := p.Stream(redact.Operator)
				got, sent := "", 0
				push := func(e protocol.Event) {
					for _, f := range stream.Push(protocol.Frame{Event: e}) {
						if delta, ok := f.Event.(*protocol.ToolCallDelta); ok {
							got += delta.ArgsTextDelta
						}
					}
				}
				for ; sent < len(test.arguments); sent += size {
					push(&protocol.ToolCallDelta{ID: "c", ArgsTextDelta: test.arguments[sent:min(sent+size, len(test.arguments))]})
				}
				push(&protocol.ToolCallEnd{ID: "c"})
				if got != test.want {
					t.Errorf("in pieces of %d: got %s, want %s", size, got, test.want)
				}
			}
		})
	}
}

func TestWhatHoldsNoSecretGoesOutAtOnce(t *testing.T) {
	stream := (&redact.Policy{Secrets: policy.Secrets}).Stream(redact.Operator)
	for i, event := range pieces("A text of some length.", 3) {
		if got := stream.Push(protocol.Frame{Seq: int64(i + 1), Event: event}); len(got) != 1 {
			t.Errorf("event %d: got %d events", i+1, len(got))
		}
	}
}

func TestWhatPassesIsWhatPushWouldNotChange(t *testing.T) {
	stream := (&redact.Policy{Secrets: policy.Secrets}).Stream(redact.Operator)
	twice, _ := json.Marshal(string(quote(key)))
	tests := []struct {
		name, stored string
		want         bool
	}{
		{"an event without a secret", `{"type":"tool-result","at":1,"result":"fine"}`, true},
		{"one with a secret", `{"type":"tool-result","at":1,"result":` + string(quote(key)) + `}`, false},
		{"one with a secret in the text of arguments", `{"type":"approval-required","at":1,"argumentsText":` + string(twice) + `}`, false},
		{"one with a secret in other escapes", `{"type":"tool-result","at":1,"result":"\u00733cr3t\"\\key"}`, false},
		{"a piece of a text", `{"type":"text-delta","at":1,"id":"p","delta":"fine"}`, true},
		{"a piece that ends as a secret begins", `{"type":"text-delta","at":1,"id":"p","delta":"fine s3c"}`, false},
		{"a piece that the log writes otherwise", `{"type":"text-delta","at":1,"delta":"fine","id":"p"}`, false},
		{"a piece with more members", `{"type":"text-delta","at":1,"id":"p","delta":"fine","x":"y"}`, false},
	}
	for _, test := range tests {
		if got := stream.Passes([]byte(test.stored)); got != test.want {
			t.Errorf("%s: got %t", test.name, got)
		}
	}
	stream.Push(protocol.Frame{Event: &protocol.TextDelta{ID: "p", Delta: "s3c"}})
	if stream.Passes([]byte(tests[0].stored)) {
		t.Error("an event overtook a piece that waits")
	}
}

func quote(s string) []byte {
	text, _ := json.Marshal(s)
	return text
}

func TestThePieceThatMayBeTheBeginningOfASecretWaits(t *testing.T) {
	stream := policy.Stream(redact.Operator)
	delta := func(s string) []protocol.Frame {
		return stream.Push(protocol.Frame{Event: &protocol.TextDelta{ID: "p", Delta: s}})
	}
	if got := delta("It is s3c"); len(got) != 0 {
		t.Errorf("got %d events before it is known", len(got))
	}
	got := delta("urely nothing. ")
	if len(got) != 2 || got[0].Event.(*protocol.TextDelta).Delta+got[1].Event.(*protocol.TextDelta).Delta != "It is s3curely nothing. " {
		t.Errorf("got %d events", len(got))
	}
}

// A user-facing client sees neither arguments nor results unless the policy shows them; numbers and order are those of the log.
func TestViewsOfGoldenLogs(t *testing.T) {
	logs, err := filepath.Glob("../agent/testdata/*.jsonl")
	if err != nil || len(logs) < 5 {
		t.Fatalf("%d logs: %v", len(logs), err)
	}
	for _, name := range logs {
		log, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		user, operator := (&redact.Policy{}).Stream(redact.User), (&redact.Policy{}).Stream(redact.Operator)
		seen := &protocol.Transcript{}
		for line := range bytes.Lines(log) {
			f, err := protocol.DecodeFrame(0, bytes.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			want, _ := f.AppendJSON(nil)
			same := operator.Push(f)
			if got, _ := same[0].AppendJSON(nil); !bytes.Equal(got, want) {
				t.Errorf("%s: the operator gets\n%s\nwant\n%s", name, got, want)
			}
			for _, g := range user.Push(f) {
				seen.Apply(g)
				if got, _ := g.AppendJSON(nil); bytes.Contains(got, []byte(`free`)) && g.Event.Type() != protocol.TypeToolUpdate && g.Event.Type() != protocol.TypeToolResult {
					t.Errorf("%s: a user reads the arguments: %s", name, got)
				}
			}
		}
	}
}

func TestASecretInTheNameOfAToolIsMasked(t *testing.T) {
	name := "find " + key
	p := redact.Policy{Secrets: policy.Secrets, Tools: map[string]redact.Show{name: {Arguments: true, Result: true}}}
	message := &model.Message{Role: model.RoleTool, Content: "found", ToolName: name, ToolCalls: []model.ToolCall{{Name: name, Arguments: `{"a":1}`}}}
	for _, view := range []redact.View{redact.User, redact.Operator} {
		start := p.Stream(view).Push(protocol.Frame{Event: &protocol.ToolCallStart{ID: "c", ToolName: name}})[0]
		seen := p.Message(view, message)
		approval := p.Approval(view, protocol.Approval{ToolCallID: "c", ToolName: name, ArgumentsText: `{"a":1}`})
		for what, got := range map[string]string{
			"the call": start.Event.(*protocol.ToolCallStart).ToolName, "its result": seen.ToolName, "a call of a message": seen.ToolCalls[0].Name, "an approval": approval.ToolName,
		} {
			if want := "find " + redact.Mask; got != want {
				t.Errorf("%s, to the %s: got %q, want %q", what, view, got, want)
			}
		}
		if got := seen.Content + seen.ToolCalls[0].Arguments + approval.ArgumentsText; got != `found{"a":1}{"a":1}` {
			t.Errorf("to the %s: got %s, want what its true name shows", view, got)
		}
	}
}

func TestWhatAUserSeesOfACall(t *testing.T) {
	p := redact.Policy{Tools: map[string]redact.Show{"open": {Arguments: true, Result: true, Details: true, Error: true, DetailLine: true}}}
	events := func(name string) []protocol.Event {
		label := &tool.Presentation{Label: "Query", Detail: "select 1"}
		return []protocol.Event{
			&protocol.ToolCallStart{ID: "c", ToolName: name, Presentation: label},
			&protocol.ToolCallDelta{ID: "c", ArgsTextDelta: `{"sql":`},
			&protocol.ToolCallDelta{ID: "c", ArgsTextDelta: `"select 1"}`},
			&protocol.ToolCallEnd{ID: "c"},
			&protocol.CallState{ToolCallID: "c", State: protocol.StateWaiting, ArgumentsHash: "abc"},
			&protocol.ToolUpdate{ToolCallID: "c", Content: json.RawMessage(`"half"`)},
			&protocol.ToolResult{ToolCallID: "c", Result: json.RawMessage(`[1]`), Details: json.RawMessage(`{"rows":1}`), Presentation: label},
			&protocol.ToolResult{ToolCallID: "c", Result: json.RawMessage("null"), Error: "no table users", ErrorCode: "SQL"},
			&protocol.ApprovalRequired{Approvals: []protocol.Approval{{ToolCallID: "c", ToolName: name, Arguments: json.RawMessage(`{"sql":"select 1"}`), ArgumentsText: `{"sql":"select 1"}`, ArgumentsHash: "abc", Details: json.RawMessage(`{"text":"x"}`)}}},
		}
	}
	tests := []struct{ name, want string }{
		{"open", `{"type":"tool-call-start","at":0,"id":"c","toolName":"open","presentation":{"label":"Query","detail":"select 1"}}
{"type":"tool-call-delta","at":0,"id":"c","argsTextDelta":"{\"sql\":"}
{"type":"tool-call-delta","at":0,"id":"c","argsTextDelta":"\"select 1\"}"}
{"type":"tool-call-end","at":0,"id":"c"}
{"type":"call-state","at":0,"toolCallId":"c","state":"waiting","argumentsHash":"abc"}
{"type":"tool-update","at":0,"toolCallId":"c","content":"half"}
{"type":"tool-result","at":0,"id":"","toolCallId":"c","result":[1],"details":{"rows":1},"presentation":{"label":"Query","detail":"select 1"}}
{"type":"tool-result","at":0,"id":"","toolCallId":"c","result":null,"error":"no table users","errorCode":"SQL"}
{"type":"approval-required","at":0,"threadId":"","approvals":[{"toolCallId":"c","toolName":"open","arguments":{"sql":"select 1"},"description":"","argumentsText":"{\"sql\":\"select 1\"}","argumentsHash":"abc","details":{"text":"x"}}]}
`},
		{"closed", `{"type":"tool-call-start","at":0,"id":"c","toolName":"closed","presentation":{"label":"Query"}}
{"type":"tool-call-delta","at":0,"id":"c","argsTextDelta":"{}"}
{"type":"tool-call-delta","at":0,"id":"c","argsTextDelta":" "}
{"type":"tool-call-end","at":0,"id":"c"}
{"type":"call-state","at":0,"toolCallId":"c","state":"waiting"}
{"type":"tool-update","at":0,"toolCallId":"c"}
{"type":"tool-result","at":0,"id":"","toolCallId":"c","result":"[hidden]","presentation":{"label":"Query"}}
{"type":"tool-result","at":0,"id":"","toolCallId":"c","result":null,"error":"The call failed.","errorCode":"SQL"}
{"type":"approval-required","at":0,"threadId":"","approvals":[{"toolCallId":"c","toolName":"closed","arguments":{},"description":"","argumentsText":"{}","hidden":true}]}
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stream := p.Stream(redact.User)
			var got []byte
			for _, event := range events(test.name) {
				for _, f := range stream.Push(protocol.Frame{Event: event}) {
					got, _ = f.AppendJSON(got)
					got = append(got, '\n')
				}
			}
			if string(got) != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
