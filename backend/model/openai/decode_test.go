package openai

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"callboard/backend/internal/names"
)

var chunkSamples = []string{
	`{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}],"usage":null}`,
	`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"n","arguments":"{\"a\":"}}]}}]}`,
	`{"choices":[{"delta":{"tool_calls":[{"index":1},null,{"function":{"arguments":{ "a" : 1.0 }}}],"function_call":{"name":"f"}},"finish_reason":"stop"}]}`,
	` { "choi\u0063es" : [ { "delt\u0061":{"reasoning":"r","reasoning_content":"s","refusal":"t"}, "error":{} , "usage":{"a":1}} ] , "usage" : {"b":2} } `,
	`{"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":"y"}},{"delta":{"content":"z"}}]}`,
	`{"choices":[{"delta":{"content":"x"},"delta":{"refusal":"y"},"message":null}]}`,
	`{"choices":[{"delta":null}],"error":"e","object":"error","type":"error","detail":[1]}`,
	`{"choices":{},"choices":[5],"tool_calls":1}`, `{"choices":[{"delta":{"tool_calls":{"index":"0","id":5}}}]}`,
	`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","extra_content":{"google": {"s":"A+/="}}},{"extra_content":null}]}}]}`,
	`{"a":1`, `{"a":1}}`, `[]`, `"x"`, ``, `{"choices":[{"delta":{"content":"\ud83d"}},]}`, `{bad`, "{\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}",
}

// decodeSlowly reads a chunk with encoding/json.
func decodeSlowly(b []byte) (piece, bool) {
	var p piece
	top, ok := object(b)
	if !ok {
		return p, false
	}
	p.usage, p.err, p.object, p.kind, p.detail = some(top["usage"]), some(top["error"]), some(top["object"]), some(top["type"]), some(top["detail"])
	var choices []json.RawMessage
	_ = json.Unmarshal(top["choices"], &choices)
	for _, c := range choices {
		choice, ok := inOrder(c)
		if index := last(choice, "index"); !ok || (index != nil && string(index) != "0") {
			continue
		}
		p.hasChoices = true
		p.finishReason, p.choiceErr, p.choiceUsage = last(choice, "finish_reason"), last(choice, "error"), last(choice, "usage")
		for _, m := range choice {
			if m.name != "delta" && m.name != "message" {
				continue
			}
			p.hasDelta, p.content, p.reasoning, p.thinking, p.refusal, p.calls = false, nil, nil, nil, nil, nil
			if delta, ok := inOrder(m.value); ok {
				p.hasDelta = true
				p.content, p.reasoning = last(delta, "content"), last(delta, "reasoning_content")
				p.thinking, p.refusal = last(delta, "reasoning"), last(delta, "refusal")
				p.calls = slowCalls(delta)
			}
		}
		break
	}
	return p, true
}

func slowCalls(delta []slowMember) (calls []callPiece) {
	for _, m := range delta {
		var list []json.RawMessage
		switch {
		case m.name == "function_call":
			if _, ok := inOrder(m.value); ok {
				c := callPiece{index: -1}
				c.slowFunction(m.value)
				calls = append(calls, c)
			}
			continue
		case m.name != "tool_calls":
			continue
		case m.value[0] == '{':
			list = []json.RawMessage{m.value}
		default:
			_ = json.Unmarshal(m.value, &list)
		}
		for _, item := range list {
			members, ok := inOrder(item)
			if !ok {
				continue
			}
			c := callPiece{index: -1, id: last(members, "id"), extra: last(members, "extra_content")}
			if n, err := strconv.Atoi(string(last(members, "index"))); err == nil && n >= 0 {
				c.index = n
			}
			for _, m := range members {
				if m.name == "function" {
					c.slowFunction(m.value)
				}
			}
			calls = append(calls, c)
		}
	}
	return calls
}

func (c *callPiece) slowFunction(b []byte) {
	f, _ := inOrder(b)
	c.name, c.arguments = last(f, "name"), last(f, "arguments")
}

type slowMember struct {
	name  string
	value json.RawMessage
}

// inOrder reads the members of an object, those that come twice included.
func inOrder(b []byte) (members []slowMember, ok bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		members = append(members, slowMember{name.(string), value})
	}
	return members, true
}

func last(members []slowMember, name string) (value []byte) {
	for _, m := range members {
		if m.name == name {
			value = some(m.value)
		}
	}
	return value
}

func some(b json.RawMessage) []byte {
	if b == nil || string(b) == "null" {
		return nil
	}
	return b
}

func object(b []byte) (map[string]json.RawMessage, bool) {
	var m map[string]json.RawMessage
	err := json.Unmarshal(b, &m)
	return m, err == nil && m != nil
}

func checkDecode(t *testing.T, b []byte) {
	t.Helper()
	if !utf8.Valid(b) && json.Valid(b) {
		return // encoding/json replaces bytes in names, so it cannot be compared with
	}
	var got piece
	want, ok := decodeSlowly(b)
	if gotOK := got.decode(b); gotOK != ok {
		t.Fatalf("decode(%q): got %t, want %t", b, gotOK, ok)
	}
	if !ok {
		return
	}
	if len(got.calls) == 0 {
		got.calls = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decode(%s):\n got %s\nwant %s", b, show(got), show(want))
	}
}

func show(p piece) string {
	var s strings.Builder
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		s.WriteString(v.Type().Field(i).Name + "=")
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Uint8 {
			s.WriteString(string(f.Bytes()) + " ")
		} else if f.Kind() == reflect.Bool {
			s.WriteString(strconv.FormatBool(f.Bool()) + " ")
		} else {
			for _, c := range p.calls {
				s.WriteString("[" + strconv.Itoa(c.index) + " " + string(c.id) + " " + string(c.name) + " " + string(c.arguments) + " " + string(c.extra) + "] ")
			}
		}
	}
	return s.String()
}

func TestChunksAreReadAsEncodingJSONReadsThem(t *testing.T) {
	for _, s := range chunkSamples {
		checkDecode(t, []byte(s))
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range chunkSamples {
		f.Add([]byte(s))
	}
	f.Fuzz(checkDecode)
}

func FuzzUnquote(f *testing.F) {
	f.Add(`"aé🙂\u00e9\ud83d\ude42\"\\\/\b\f\n\r\t"`, 3)
	f.Add(`"\ud83d\ud83d\ude42\ude42"`, 8)
	f.Add(`"00000\ud800"`, 7)
	f.Fuzz(func(t *testing.T, quoted string, at int) {
		var want string
		if !utf8.ValidString(quoted) || json.Unmarshal([]byte(quoted), &want) != nil || quoted != strings.TrimSpace(quoted) || quoted[0] != '"' {
			return
		}
		plain := unquote([]byte(quoted))
		at = max(0, min(at, len(plain)))
		var j joiner
		if got := j.push(plain[:at]) + j.push(plain[at:]) + j.rest(); got != want {
			t.Errorf("%s cut at %d: got %q, want %q", quoted, at, got, want)
		}
	})
}

func TestProgressSeesTheEndOfAValue(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{`{}`, true},
		{` {"a":[{"b":"}"}]} `, true},
		{`{"a":"\"}`, false},
		{`{"a":"\\"}`, true},
		{`[1,[2]`, false},
		{`"a"`, true},
		{`"a`, false},
		{`{}{`, true},
		{``, false},
		{` `, false},
		{`{"a":{}`, false},
	}
	for _, test := range tests {
		var p progress
		for i := range len(test.text) {
			p.read([]byte(test.text[i : i+1]))
		}
		if p.closed != test.want {
			t.Errorf("%q: got closed %t, want %t", test.text, p.closed, test.want)
		}
	}
}

func TestAssemblingIsLinear(t *testing.T) {
	count := func(pieces int) float64 {
		return testing.AllocsPerRun(1, func() {
			s := calls{names: names.New([]string{"a"})}
			p := callPiece{index: 0, id: []byte(`"c"`), name: []byte(`"a"`)}
			s.add(&p, nil)
			s.add(&callPiece{index: 1, id: []byte(`"d"`), name: []byte(`"a"`), arguments: []byte(`"{"`)}, nil)
			piece := callPiece{index: 0, arguments: []byte(`"abcd"`)}
			for range pieces {
				s.add(&piece, nil)
			}
			if c := s.list[0]; c.followed != len(c.arguments) || len(c.arguments) != 4*pieces {
				t.Errorf("followed %d of %d bytes", c.followed, len(c.arguments))
			}
		})
	}
	if small, large := count(1000), count(10_000); large > 12*small {
		t.Errorf("1,000 pieces take %.0f allocations, 10,000 take %.0f", small, large)
	}
}
