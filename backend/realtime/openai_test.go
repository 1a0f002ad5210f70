package realtime

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/backend/internal/names"
	"callboard/backend/tool"
)

// feed gives a dialect messages and returns what came of each: its events, the calls to run, what is sent.
func feed(d dialect, frames ...string) []string {
	made := regexp.MustCompile(`call_[A-Z2-7]{26}`)
	var lines []string
	for _, frame := range frames {
		r, err := d.receive([]byte(frame))
		for _, e := range r.events {
			line := string(e.Type)
			for _, part := range []string{e.ToolCallID, e.ToolName, e.Text, e.ArgumentsText, string(e.Dropped), string(e.Status)} {
				if part != "" {
					line += " " + part
				}
			}
			if e.Type != Other && e.Type != TurnStart {
				lines = append(lines, line)
			}
		}
		if r.group != nil {
			line := "run"
			for _, c := range r.group.calls {
				line += fmt.Sprintf(" %s(%s)", c.name, c.arguments)
			}
			lines = append(lines, line)
		}
		for _, f := range r.frames {
			lines = append(lines, "send "+string(f))
		}
		if err != nil {
			lines = append(lines, "problem")
		}
	}
	for i := range lines {
		lines[i] = made.ReplaceAllString(lines[i], "(made)")
	}
	return lines
}

func TestOpenAICallsAreAssembledHoweverTheyCome(t *testing.T) {
	const (
		created = `{"type":"response.created","response":{"id":"r"}}`
		added   = `{"type":"response.output_item.added","response_id":"r","item":{"id":"i","type":"function_call","status":"in_progress","call_id":"c","name":"f","arguments":""}}`
		delta   = `{"type":"response.function_call_arguments.delta","response_id":"r","item_id":"i","call_id":"c","delta":%q}`
		done    = `{"type":"response.function_call_arguments.done","response_id":"r","item_id":"i","call_id":"c","arguments":%q}`
		item    = `{"type":"response.output_item.done","response_id":"r","item":{"id":"i","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":%q}}`
		end     = `{"type":"response.done","response":{"id":"r","status":"completed","output":[]}}`
		whole   = `{"type":"response.done","response":{"id":"r","status":"completed","output":[{"id":"i","type":"function_call","status":"completed","call_id":"c","name":"f","arguments":"{\"a\":1}"}]}}`
	)
	d := func(text string) string { return fmt.Sprintf(delta, text) }
	ok := []string{"tool-call-start c f", `tool-call-delta c f {"a":1}`, `tool-call-end c f {"a":1}`, "turn-end completed", `run f({"a":1})`}
	for _, c := range []struct {
		name   string
		frames []string
		want   []string
	}{
		{
			"in pieces",
			[]string{created, added, d(`{"a"`), d(`:1}`), fmt.Sprintf(done, `{"a":1}`), fmt.Sprintf(item, `{"a":1}`), whole},
			[]string{"tool-call-start c f", `tool-call-delta c f {"a"`, `tool-call-delta c f :1}`, `tool-call-end c f {"a":1}`, "turn-end completed", `run f({"a":1})`},
		},
		{"whole at its end", []string{created, added, fmt.Sprintf(done, `{"a":1}`), end}, ok},
		{"only in the item", []string{created, fmt.Sprintf(item, `{"a":1}`), end}, ok},
		{"only in the answer's end", []string{created, whole}, ok},
		{"without a response.created", []string{whole}, ok},
		{"the name after the arguments", []string{created, d(`{"a":1}`), fmt.Sprintf(done, `{"a":1}`), added, end}, ok},
		{"each message twice", []string{created, added, added, fmt.Sprintf(done, `{"a":1}`), fmt.Sprintf(done, `{"a":1}`), fmt.Sprintf(item, `{"a":2}`), whole, fmt.Sprintf(item, `{"a":1}`)}, ok},
		{"a piece after the end is nothing", []string{created, added, fmt.Sprintf(done, `{"a":1}`), d(`}`), end}, ok},
		{"the end of the pieces comes only with the whole", []string{created, d(`{"a"`), fmt.Sprintf(done, `{"a":1}`), whole}, ok},
		{
			"the whole has more than the pieces",
			[]string{created, added, d(`{"a"`), fmt.Sprintf(done, `{"a":1}`), end},
			[]string{"tool-call-start c f", `tool-call-delta c f {"a"`, `tool-call-delta c f :1}`, `tool-call-end c f {"a":1}`, "turn-end completed", `run f({"a":1})`},
		},
		{
			"the whole is otherwise than the pieces: it wins",
			[]string{created, added, d(`{"b"`), fmt.Sprintf(done, `{"a":1}`), end},
			[]string{"tool-call-start c f", `tool-call-delta c f {"b"`, `tool-call-end c f {"a":1}`, "turn-end completed", `run f({"a":1})`},
		},
		{
			"the whole is empty: the pieces count",
			[]string{created, added, d(`{"a":1}`), fmt.Sprintf(done, ``), end},
			ok,
		},
		{
			"no arguments at all are an empty object",
			[]string{created, added, fmt.Sprintf(done, ``), end},
			[]string{"tool-call-start c f", `tool-call-delta c f {}`, `tool-call-end c f {}`, "turn-end completed", `run f({})`},
		},
		{
			"malformed arguments go to who checks them",
			[]string{created, added, fmt.Sprintf(done, `{"a":`), end},
			[]string{"tool-call-start c f", `tool-call-delta c f {"a":`, `tool-call-end c f {"a":`, "turn-end completed", `run f({"a":)`},
		},
		{
			"without a call id, by the item's",
			[]string{
				created, strings.Replace(added, `"call_id":"c",`, "", 1), `{"type":"response.function_call_arguments.delta","response_id":"r","item_id":"i","delta":"{}"}`,
				`{"type":"response.function_call_arguments.done","response_id":"r","item_id":"i","arguments":"{}"}`, end,
			},
			[]string{"tool-call-start (made) f", `tool-call-delta (made) f {}`, `tool-call-end (made) f {}`, "turn-end completed", `run f({})`},
		},
		{
			"without any id there is no call",
			[]string{created, `{"type":"response.function_call_arguments.delta","response_id":"r","delta":"{}"}`, end},
			[]string{"turn-end completed"},
		},
		{
			"without a name it is the call of a tool that is not there",
			[]string{created, fmt.Sprintf(done, `{}`), end},
			[]string{"tool-call-start c", "tool-call-delta c {}", "tool-call-end c {}", "turn-end completed", "run ({})"},
		},
		{
			"cut at the token limit",
			[]string{created, added, d(`{"a"`), `{"type":"response.done","response":{"id":"r","status":"incomplete","output":[]}}`},
			[]string{"tool-call-start c f", `tool-call-delta c f {"a"`, "tool-call-end c f incomplete", "tool-result c f incomplete", "turn-end incomplete"},
		},
		{
			"never complete in an answer that is",
			[]string{created, added, d(`{"a"`), end},
			[]string{"tool-call-start c f", `tool-call-delta c f {"a"`, "tool-call-end c f incomplete", "tool-result c f incomplete", "turn-end completed"},
		},
		{
			"complete, of an answer that failed and does not list it",
			[]string{created, fmt.Sprintf(item, `{}`), `{"type":"response.done","response":{"id":"r","status":"failed"}}`},
			[]string{"tool-call-start c f", "tool-call-delta c f {}", "tool-call-end c f {}", "tool-result c f discarded", "turn-end failed"},
		},
		{
			"an id that was there before, in another answer, is another call",
			[]string{whole, strings.ReplaceAll(whole, `"r"`, `"r2"`)},
			append(slices.Clone(ok), "tool-call-start (made) f", `tool-call-delta (made) f {"a":1}`, `tool-call-end (made) f {"a":1}`, "turn-end completed", `run f({"a":1})`),
		},
		{
			"two answers at once keep their calls apart",
			[]string{
				created, added, `{"type":"response.created","response":{"id":"r2"}}`,
				`{"type":"response.output_item.added","response_id":"r2","item":{"id":"i2","type":"function_call","call_id":"c2","name":"g"}}`,
				`{"type":"response.done","response":{"id":"r2","status":"cancelled"}}`, fmt.Sprintf(done, `{"a":1}`), end,
			},
			[]string{
				"tool-call-start c f", "tool-call-start c2 g", "tool-call-end c2 g incomplete", "tool-result c2 g incomplete", "interrupted",
				"turn-end cancelled", `tool-call-delta c f {"a":1}`, `tool-call-end c f {"a":1}`, "turn-end completed", `run f({"a":1})`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := feed(newOpenAI(&Config{}, names.New([]string{"f", "g"})), c.frames...)
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestOpenAIReadsTheNamesOfItsBeta(t *testing.T) {
	d := newOpenAI(&Config{}, names.New(nil))
	got := feed(d, `{"type":"response.text.delta","delta":"a"}`, `{"type":"response.audio_transcript.delta","delta":"b"}`, `{"type":"response.audio.delta","delta":"AAAA"}`)
	if want := []string{"text-delta a", "transcript-delta b", "audio"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	d.unseen["x"] = true
	feed(d, `{"type":"conversation.item.created","item":{"id":"x"}}`)
	if len(d.unseen) > 0 {
		t.Error("the item is still unseen")
	}
}

// An answer is asked for once something new is there, but never beside one at work or into the user's words.
func TestOpenAIAsksForOneAnswerAtATime(t *testing.T) {
	d := newOpenAI(&Config{}, names.New([]string{"f"}))
	asked := func(c command) bool {
		frames, err := d.send(c)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(frames[len(frames)-1]), "response.create")
	}
	hears := func(frames ...string) bool {
		return strings.Contains(strings.Join(feed(d, frames...), "\n"), "response.create")
	}
	text := command{kind: sendText, text: "x"}
	end := func(id string) string { return `{"type":"response.done","response":{"id":"` + id + `"}}` }
	begun := func(id string) string { return `{"type":"response.created","response":{"id":"` + id + `"}}` }
	seen := func(n int) string {
		return fmt.Sprintf(`{"type":"conversation.item.added","item":{"id":"callboard_%d"}}`, n)
	}
	for _, s := range []struct {
		name      string
		got, want bool
	}{
		{"the first message", asked(text), true},                               // 1, asked as 2
		{"a second before the server answers", asked(text), false},             // 3
		{"the answer begins before it was seen", hears(begun("a")), false},     //
		{"it ends", hears(seen(1), seen(3), end("a")), true},                   // 4
		{"the next begins, with all seen", hears(begun("b"), end("b")), false}, //
		{"the user speaks", hears(`{"type":"input_audio_buffer.speech_started"}`), false},
		{"something new meanwhile", asked(text), false}, // 5
		{"the server answers by itself, having seen it", hears(`{"type":"input_audio_buffer.speech_stopped"}`, seen(5), begun("c"), end("c")), false},
		{"a call in a group of two", asked(command{kind: answered, call: &call{group: &group{open: 1}}}), false}, // 6
		{"the last of the group", asked(command{kind: answered, call: &call{group: &group{}}}), true},            // 7, asked as 8
		{"the server refuses that for another reason", hears(`{"type":"error","error":{"event_id":"callboard_8","code":"x"}}`), false},
		{"the next message", asked(text), true}, // 9, asked as 10
		{"the server is at another answer", hears(begun("d"), `{"type":"error","error":{"event_id":"callboard_10","code":"conversation_already_has_active_response"}}`), false},
		{"that ends", hears(end("d")), true}, // 11
		{"an error about nobody knows what", hears(`{"type":"error","error":{"event_id":null}}`), false},
		{"the next message", asked(text), true}, // 12, asked as 13
	} {
		if s.got != s.want {
			t.Errorf("%s: an answer was asked for: %v, want %v", s.name, s.got, s.want)
		}
	}
}

func TestOpenAIForgetsWhatWasNotPlayed(t *testing.T) {
	heard := func(bytes int) string {
		return fmt.Sprintf(`{"type":"response.output_audio.delta","response_id":"r","item_id":"i","content_index":1,"delta":%q}`, strings.Repeat("A", bytes/3*4))
	}
	updated := func(format string) string {
		return `{"type":"session.updated","session":{"audio":{"output":{"format":` + format + `}}}}`
	}
	const truncate = `{"audio_end_ms":%d,"content_index":1,"item_id":"i","type":"conversation.item.truncate"}`
	for _, c := range []struct {
		name   string
		frames []string
		played time.Duration
		want   []string
	}{
		{"nothing was heard", nil, time.Second, nil},
		{"a part was played", []string{heard(48000)}, 400 * time.Millisecond, []string{fmt.Sprintf(truncate, 400)}},
		{"all was played", []string{heard(48000)}, time.Second, nil},
		{"less than nothing", []string{heard(48000)}, -time.Second, []string{fmt.Sprintf(truncate, 0)}},
		{"at 8 kHz", []string{updated(`{"type":"audio/pcmu"}`), heard(7800), heard(300)}, time.Second, []string{fmt.Sprintf(truncate, 1000)}},
		{"PCM without a rate", []string{updated(`{"type":"audio/pcm"}`), heard(48000)}, time.Second, nil},
		{"in a format of its own", []string{updated(`{"type":"audio/opus"}`), heard(30)}, time.Second, []string{fmt.Sprintf(truncate, 1000)}},
		{"an answer at work", []string{`{"type":"response.created","response":{"id":"r"}}`}, 0, []string{`{"type":"response.cancel"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newOpenAI(&Config{}, names.New(nil))
			feed(d, c.frames...)
			frames, err := d.send(command{kind: interrupt, played: c.played})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range frames {
				got = append(got, string(f))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheModelReadsContentOrTheError(t *testing.T) {
	picture := func(format string, data []byte) string {
		text, err := json.Marshal([]tool.Part{{Type: tool.PartImage, Data: data, MediaType: format}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		name   string
		result tool.Result
		limit  int
		text   string
		whole  string
		images int
	}{
		{"text", tool.Result{Content: json.RawMessage(`"a <b>"`)}, 10, "a <b>", `"a <b>"`, 0},
		{"an object, byte for byte", tool.Result{Content: json.RawMessage(`{"n":9007199254740993}`)}, 100, `{"n":9007199254740993}`, `{"n":9007199254740993}`, 0},
		{"cut", tool.Result{Content: json.RawMessage(`"abcdef"`)}, 2, "ab\n[cut: 4 of 6 characters are not shown]", "", 0},
		{"whole without a limit", tool.Result{Content: json.RawMessage(`"abcdef"`)}, tool.NoLimit, "abcdef", `"abcdef"`, 0},
		{"details stay", tool.Result{Content: json.RawMessage(`1`), Details: json.RawMessage(`{"secret":1}`)}, 10, "1", "1", 0},
		{"an error", tool.Result{Err: &tool.Error{Message: `no "x"`}, Details: json.RawMessage(`{"secret":1}`)}, 1, `{"error":"no \"x\""}`, "", 0},
		{
			"an image the model does not take",
			tool.Result{Content: json.RawMessage(picture("image/gif", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;")))},
			100, "[image 1: image/gif, 1x1]\n[image 1 is not shown: this model takes PNG and JPEG]", "", 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := answerOf(c.result, c.limit)
			if a.text != c.text || string(a.whole) != c.whole || len(a.images) != c.images {
				t.Errorf("got %q, %q and %d images, want %q, %q and %d", a.text, a.whole, len(a.images), c.text, c.whole, c.images)
			}
		})
	}
}
