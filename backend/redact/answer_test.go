package redact_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"callboard/backend/redact"
)

// shapes are how servers write a piece of what a model says, as events.
var shapes = map[string]func(kind, index int, piece string) string{
	"chat completions": func(kind, index int, piece string) string {
		return event(`{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + [...]string{
			`{"content":` + piece + `}`, `{"reasoning_content":` + piece + `}`,
			fmt.Sprintf(`{"tool_calls":[{"function":{"arguments":%s},"index":%d}]}`, piece, index),
		}[kind] + `,"finish_reason":null}]}`)
	},
	"chat completions without an index": func(kind, index int, piece string) string {
		return event(`{"choices":[{"delta":` + [...]string{
			`{"content":[{"type":"text","text":` + piece + `}]}`, `{"reasoning":` + piece + `}`,
			fmt.Sprintf(`{"tool_calls":[{"id":"call_%d","function":{"arguments":%s}}]}`, index, piece),
		}[kind] + `}]}`)
	},
	"responses": func(kind, index int, piece string) string {
		name := [...]string{"output_text", "reasoning_summary_text", "function_call_arguments"}[kind]
		return fmt.Sprintf("event: response.%s.delta\r\ndata: {\"type\":\"response.%s.delta\",\"delta\":%s,\"item_id\":\"i%d\",\"output_index\":%d}\r\n\r\n",
			name, name, piece, index, index)
	},
	"messages": func(kind, index int, piece string) string {
		return event(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, [...]string{
			`{"type":"text_delta","text":` + piece + `}`, `{"type":"thinking_delta","thinking":` + piece + `}`,
			`{"type":"input_json_delta","partial_json":` + piece + `}`,
		}[kind]))
	},
	"a list over many lines": func(kind, _ int, piece string) string {
		return fmt.Sprintf(",{\n  \"candidates\": [\n    {\"content\": {\"parts\": [{%q: %s}]}}\n  ]\n}\n", [...]string{"text", "thought", "partial"}[kind], piece)
	},
	"a line for each": func(kind, _ int, piece string) string {
		return fmt.Sprintf("{\"message\":{%q:%s},\"done\":false}\n", [...]string{"content", "thinking", "arguments"}[kind], piece)
	},
	"a script": func(kind, index int, piece string) string {
		return [...]string{
			`{"text":` + piece + `}`, `{"reasoning":` + piece + `}`, fmt.Sprintf(`{"toolInput":{"type":"delta","id":"c%d","text":%s}}`, index, piece),
		}[kind]
	},
}

func event(data string) string { return "data: " + data + "\n\n" }

// theTexts finds the strings in which the shapes hold what a model says.
var theTexts = regexp.MustCompile(`"(content|reasoning_content|arguments|text|reasoning|delta|thinking|partial_json|thought|partial)" ?: ?"((?:[^"\\]|\\.)*)"`)

func joinedTexts(answer string) string {
	var all strings.Builder
	for _, m := range theTexts.FindAllStringSubmatch(answer, -1) {
		all.WriteString(m[2])
	}
	return all.String()
}

const (
	aKey     = "hunterABCDE12345"
	aPattern = "sk-proj-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

func answering() *redact.Policy {
	return &redact.Policy{Secrets: func() []string { return []string{aKey} }, Patterns: redact.Patterns(), Words: []string{"Zoë\tZ"}}
}

// H1: a secret is found in the joined text, in content, reasoning and arguments of every shape.
func TestASecretOverManyEventsOfAnAnswerIsMasked(t *testing.T) {
	names := slices.Sorted(maps.Keys(shapes))
	rapid.Check(t, func(t *rapid.T) {
		shape, kind := shapes[rapid.SampledFrom(names).Draw(t, "shape")], rapid.IntRange(0, 2).Draw(t, "kind")
		said := `It is ` + rapid.SampledFrom([]string{aKey, aPattern, "Zoë\tZ"}).Draw(t, "secret") + ` or so.`
		if kind == 2 {
			quoted, _ := json.Marshal(map[string]string{"path": said})
			said = string(quoted)
		}
		answer := shape(0, 0, `"fine"`)
		for rest := []rune(said); len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(1, 6).Draw(t, "length"))
			quoted, _ := json.Marshal(string(rest[:n]))
			answer, rest = answer+shape(kind, 0, string(quoted)), rest[n:]
		}
		pieces := cutAnywhere(t, answer)
		masked, unread := answering().Answer(pieces)
		got := joinedTexts(strings.Join(masked, ""))
		if unread != 0 || len(masked) != len(pieces) {
			t.Fatalf("%d of %d pieces, and %d places could not be read: %s", len(masked), len(pieces), unread, answer)
		}
		if want := "It is [redacted] or so."; !strings.Contains(got, want) {
			t.Fatalf("got %s, want %s in it, of %s", got, want, answer)
		}
	})
}

func cutAnywhere(t *rapid.T, text string) []string {
	var pieces []string
	for rest := text; rest != ""; {
		n := min(len(rest), rapid.IntRange(1, 200).Draw(t, "cut"))
		pieces, rest = append(pieces, rest[:n]), rest[n:]
	}
	return pieces
}

func TestSecretsOfCallsWrittenByTurnsAreMasked(t *testing.T) {
	for _, name := range []string{"chat completions", "chat completions without an index", "responses", "messages", "a script"} {
		t.Run(name, func(t *testing.T) {
			var answer string
			for i := 0; i < len(aKey); i += 4 {
				for call := range 2 {
					answer += shapes[name](2, call, fmt.Sprintf("%q", aKey[i:i+4]))
				}
			}
			masked, unread := answering().Answer([]string{answer})
			if got, want := joinedTexts(masked[0]), redact.Mask+redact.Mask; got != want || unread != 0 {
				t.Errorf("got %s, want %s; %d places could not be read", got, want, unread)
			}
		})
	}
}

func TestOfAnAnswerWithoutASecretNothingChanges(t *testing.T) {
	for name, shape := range shapes {
		answer := ": ping\n\n"
		for i, word := range strings.SplitAfter("The token limit is 12 and the password is asked for by the page itself.", " ") {
			answer += shape(i%3, i%2, fmt.Sprintf("%q", word))
		}
		pieces := []string{answer[:20], answer[20:90], answer[90:] + "\ndata: [DONE]\n\n"}
		masked, unread := answering().Answer(pieces)
		if diff := cmp.Diff(pieces, masked); diff != "" || unread != 0 {
			t.Errorf("%s: %d places could not be read, (-want +got)\n%s", name, unread, diff)
		}
	}
}

func TestWhatCannotBeReadInAnAnswerIsWithheldWithItsTexts(t *testing.T) {
	chunk := func(piece string) string {
		return event(`{"id":"x","choices":[{"delta":{"content":"` + piece + `"}}]}`)
	}
	kept := func(piece string) string { return chunk(piece) }
	w := redact.Withheld
	for name, test := range map[string]struct {
		answer, want string
		unread       int
	}{
		"a line that is no JSON":          {chunk("hunter") + event("ABCDE") + chunk("12345"), kept(w) + event(w) + kept(w), 1},
		"a string with a line break":      {chunk("hun") + "data: {\"content\":\"te\ndata: r\"}\n\n" + chunk("ABC"), kept(w) + "data: " + w + "\n" + "data: " + w + "\n\n" + kept(w), 2},
		"a value with something in it":    {chunk("hun") + event(`{"content":"ter"ABC}`), kept(w) + event(w), 1},
		"a member twice":                  {event(`{"content":"ter","content":"ABC"}`), event(`{"content":"` + w + `","content":"` + w + `"}`), 1},
		"JSON that ends too early":        {chunk("hunterABC") + event(`{"choices":[{"delta":{"content":"DE12345"`), kept(redact.Mask) + event(`{"choices":[{"delta":{"content":""`), 0},
		"an answer that is cut":           {chunk("hunterABC") + `data: {"choices":[{"delta":{"content":"DE12345`, kept(redact.Mask) + `data: {"choices":[{"delta":{"content":"`, 0},
		"a page, of which all is text":    {"<p>hunterABCDE12345</p>\n<p>gone</p>", "<p>[redacted]</p>\n<p>gone</p>", 0},
		"comments":                        {": keep-alive\n\n" + chunk("a") + "event: ping\nid: 7\nretry: 5\n\n", ": keep-alive\n\n" + chunk("a") + "event: ping\nid: 7\nretry: 5\n\n", 0},
		"half a character in each string": {chunk(`pass \ud83d`) + chunk(`\ude00 hunterABCDE`) + chunk(`12345`), chunk(`pass \ud83d`) + chunk(`\ude00 [redacted]`) + chunk(``), 0},
	} {
		t.Run(name, func(t *testing.T) {
			masked, unread := answering().Answer([]string{test.answer})
			if masked[0] != test.want || unread != test.unread {
				t.Errorf("got %d\n%s\nwant %d\n%s", unread, masked[0], test.unread, test.want)
			}
		})
	}
}

// Of no answer, however broken, does it panic, and what it gives has no secret as a whole.
func TestAnyAnswerIsTaken(t *testing.T) {
	parts := []string{"data: ", "\n", "\r\n", "\n\n", "{", "}", "[", "]", ",", ":", `"`, `\`, `"content":`, `"index":1`, "true", "nul", "1e", aKey, "hunter", "ABCDE12345", "[DONE]", "\ufeff", "é"}
	rapid.Check(t, func(t *rapid.T) {
		answer := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "")
		pieces := cutAnywhere(t, answer)
		masked, _ := answering().Answer(pieces)
		if got := strings.Join(masked, ""); len(masked) != len(pieces) || strings.Contains(got, aKey) {
			t.Fatalf("%q is given as %q", answer, got)
		}
	})
}
