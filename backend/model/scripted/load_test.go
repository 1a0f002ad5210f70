package scripted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/scripted"
)

func TestBadScriptsAreRefusedWithTheirPlace(t *testing.T) {
	chunk := func(c string) string { return "{\"turns\": [\n  {\"chunks\": [{\"text\": \"\"},\n    " + c + "]}]}" }
	tests := []struct{ name, script, want string }{
		{"an empty file", ``, `s.json:1:1: unexpected end of JSON input`},
		{"JSON that is cut", "{\"turns\":\n [", `s.json:2:3: unexpected end of JSON input`},
		{"JSON with a mistake", "{\"turns\":\n [}]}", `s.json:2:3: invalid character '}' looking for beginning of value`},
		{"two values", `{"turns":[]} {}`, `s.json:1:14: invalid character '{' after top-level value`},
		{"an array at the top", `[]`, `s.json:1:1: the script is an array, not an object`},
		{"no turns", ` {}`, `s.json:1:2: the script has no "turns"`},
		{"turns of a wrong type", `{"turns": {}}`, `s.json:1:11: "turns" is an object, not an array`},
		{"an unknown member at the top", `{"turns":[], "repeat": true}`, `s.json:1:14: the script has an unknown member "repeat"; it may have turns`},
		{"a turn that is no object", `{"turns": [{"chunks":[]}, "a"]}`, `s.json:1:27: turn 2: a turn is a string, not an object`},
		{"a turn without chunks", `{"turns": [{}]}`, `s.json:1:12: turn 1: the turn has no "chunks"`},
		{"chunks that are null", `{"turns": [{"chunks": null}]}`, `s.json:1:23: turn 1: "chunks" is null, not an array`},
		{"an empty chunk", chunk(`{}`), `s.json:3:5: turn 1, chunk 2: an empty chunk;`},
		{"an unknown kind", chunk(`{"txt": "a"}`), `s.json:3:6: turn 1, chunk 2: a chunk has an unknown member "txt"`},
		{"a kind in other letters", chunk(`{"Text": "a"}`), `s.json:3:6: turn 1, chunk 2: a chunk has an unknown member "Text"`},
		{"two kinds", chunk(`{"text": "a",  "delayMs": 1}`), `s.json:3:20: turn 1, chunk 2: "text" and "delayMs" in one chunk`},
		{"a member twice", chunk(`{"text": "a", "text": "b"}`), `s.json:3:19: turn 1, chunk 2: a chunk has "text" twice`},
		{"a text that is a number", chunk(`{"text": 1}`), `s.json:3:14: turn 1, chunk 2: "text" is a number, not a string`},
		{"a delay that is negative", chunk(`{"delayMs": -1}`), `s.json:3:17: turn 1, chunk 2: "delayMs" is -1, not a whole number from 0`},
		{"a delay that is broken", chunk(`{"delayMs": 1.5}`), `"delayMs" is 1.5, not a whole number from 0`},
		{"a delay that is null", chunk(`{"delayMs": null}`), `"delayMs" is null, not a whole number from 0`},
		{"a delay of years", chunk(`{"delayMs": 99999999999}`), `"delayMs" is 99999999999; the most is 86400000, a day`},
		{"an error that is empty", chunk(`{"error": ""}`), `s.json:3:5: turn 1, chunk 2: the "error" is missing or empty`},
		{"retryable alone", chunk(`{"retryable": true}`), `the "error" is missing or empty`},
		{"retryable as a word", chunk(`{"error": "a", "retryable": "yes"}`), `"retryable" is a string, not true or false`},
		{"a code that is unknown", chunk(`{"error": "a", "code": "OOPS"}`), `"code" is "OOPS"; it may be LLM_UNAVAILABLE, `},
		{"a reason that is unknown", chunk(`{"finishReason": "done"}`), `"finishReason" is "done"; it may be stop, tool_calls, length, content_filter`},
		{"a count that is a string", chunk(`{"finishReason": "stop", "usage": {"inputTokens": "9"}}`), `"inputTokens" is "9", not a whole number from 0`},
		{"a count that is unknown", chunk(`{"usage": {"tokens": 9}}`), `"usage" has an unknown member "tokens"`},
		{"tool input of no type", chunk(`{"toolInput": {"toolCallId": "c"}}`), `"toolInput" has no "type"`},
		{"tool input of an unknown type", chunk(`{"toolInput": {"type": "begin", "toolCallId": "c"}}`), `"type" is "begin"; it may be start, delta, end`},
		{"tool input of no call", chunk(`{"toolInput": {"type": "end"}}`), `"toolInput" has no "toolCallId"`},
		{"a start without a name", chunk(`{"toolInput": {"type": "start", "toolCallId": "c"}}`), `a start has no "toolName"`},
		{"a delta of nothing", chunk(`{"toolInput": {"type": "delta", "toolCallId": "c"}}`), `a delta has no "delta"`},
		{
			"a start with a delta", chunk(`{"toolInput": {"type": "start", "toolCallId": "c", "toolName": "t", "delta": "{"}}`),
			`"delta" in the start of a call`,
		},
		{
			"a delta before its start", chunk(`{"toolInput": {"type": "delta", "toolCallId": "c", "delta": "{}"}}`),
			`s.json:3:5: turn 1, chunk 2: a delta of call "c", which was not started`,
		},
		{
			"a delta after its end",
			chunk(`{"toolInput": {"type": "start", "toolCallId": "c", "toolName": "t"}}, {"toolInput": {"type": "end", "toolCallId": "c"}},
			{"toolInput": {"type": "delta", "toolCallId": "c", "delta": "{}"}}`),
			`s.json:4:4: turn 1, chunk 4: a delta of call "c", which was not started`,
		},
		{"calls that are an object", chunk(`{"toolCalls": {}}`), `"toolCalls" is an object, not an array`},
		{"no calls", chunk(`{"toolCalls": []}`), `"toolCalls" is empty`},
		{"a call without an id", chunk(`{"toolCalls": [{"name": "t"}]}`), `a call needs an "id" and a "name"`},
		{
			"arguments that are an object", chunk(`{"toolCalls": [{"id": "c", "name": "t", "arguments": {"a": 1}}]}`),
			`s.json:3:58: turn 1, chunk 2: "arguments" is an object, not a string with their JSON text, such as "{\"path\":\"a\"}"`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := scripted.Parse([]byte(test.script), "s.json")
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "load script s.json:") {
				t.Errorf("got error %v, want one with %s", err, test.want)
			}
		})
	}
}

func TestLoadReadsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.json")
	if err := os.WriteFile(file, []byte(` {"turns":[{"chunks":[{"text":"hi"}]}]} `), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := scripted.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := play(t, b, 0)
	if err != nil || len(got) != 2 || got[0].Text != "hi" || got[1].FinishReason != model.FinishStop {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := scripted.Load(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("a missing file: got %v, want an error that names it", err)
	}
}

func BenchmarkParseFiftyThousandChunks(b *testing.B) {
	data := []byte(`{"turns":[{"chunks":[{"toolInput":{"type":"start","toolCallId":"c","toolName":"write"}}` +
		strings.Repeat(`,{"toolInput":{"type":"delta","toolCallId":"c","delta":"abcd"}}`, 50_000) + `]}]}`)
	for b.Loop() {
		if _, err := scripted.Parse(data, ""); err != nil {
			b.Fatal(err)
		}
	}
}
