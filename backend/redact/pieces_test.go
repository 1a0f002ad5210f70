package redact_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// fragments are of what texts with secrets are made: secrets, what only begins like one, and what makes a difference beside one.
var fragments = []string{
	"sk-proj-abcdefghijklmnop123", "ta", "mi", "sk-", "k", "s", "AKIA", "0123456789ABCDEF", "ghp_", "abcdefghij0123456789xyz", "github_pat_",
	"xoxb-1234567890-ab", "AIza", "0123456789abcdefghij0123456789XY", "eyJhbGciOi.", "eyJzdWIiOi.sig", "Bearer ", "bearer", "abcdefgh.ijkl",
	"password", "=", ": ", "hunter22", "token", "tokens", "api_key", "api-", "key", `"`, `\"`, `'`, " ", "\n", `\n`, `\u0073k-`, `\\`, ";", "&",
	"postgres://", "ada", ":", "@", "db", "Well", "é", "…", "-----BEGIN ", "PRIVATE KEY-----", "MIIE", "-----END ", "a-known-secret", "a-known-",
	"_ACCESS_KEY", "_PROD", "OPENAI_KEY", "secret", "Authorization: Basic ", "Token ", "Cookie: a=", "; b=c", "glpat-", "hf_", "sk_", "live_", "ASIA", ` "two words"`,
	"'three small words'", " := ", "os.Getenv(", "string", "${TOKEN}", "1a2b3c4d5e6f7g8h",
}

func TestPiecesGiveWhatTheWholeTextGives(t *testing.T) {
	p := &redact.Policy{Secrets: func() []string { return []string{"a-known-secret"} }, Patterns: redact.Patterns()}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var made strings.Builder
		for range 1 + random.IntN(8) {
			made.WriteString(fragments[random.IntN(len(fragments))])
		}
		text := made.String()
		stream := p.Stream(redact.Operator)
		var pieces, given []string
		push := func(e protocol.Event) {
			for _, f := range stream.Push(protocol.Frame{Event: e}) {
				if delta, ok := f.Event.(*protocol.TextDelta); ok {
					given = append(given, delta.Delta)
				}
			}
		}
		for rest := text; rest != ""; {
			size := min(len(rest), 1+random.IntN(9))
			for size < len(rest) && rest[size]&0xc0 == 0x80 { // pieces are cut between characters
				size++
			}
			pieces = append(pieces, rest[:size])
			push(&protocol.TextDelta{ID: "p", Delta: rest[:size]})
			rest = rest[size:]
		}
		push(&protocol.TextEnd{ID: "p"})
		got, want := strings.Join(given, ""), p.Text(text)
		if got != want {
			t.Fatalf("pieces of %q: got %q, want %q", text, got, want)
		}
		if want == text && !slices.Equal(given, pieces) {
			t.Fatalf("pieces without a secret: got %q, want %q as they came", given, pieces)
		}
	}
}

func TestDeltasThatWaitedShareWhatIsGiven(t *testing.T) {
	p := &redact.Policy{Secrets: func() []string { return []string{"hunter2hunter2"} }}
	for name, tc := range map[string]struct{ pieces, want []string }{
		"no secret after all":         {[]string{"a hun", "ter2", "s é"}, []string{"a hun", "ter2", "s é"}},
		"a secret in two":             {[]string{"a hunter2", "hunter2 b"}, []string{"a ", "[redacted] b"}},
		"a secret in four":            {[]string{"a hun", "ter2", "hun", "ter2 b"}, []string{"a ", "[", "r", "edacted] b"}},
		"nothing before it":           {[]string{"hun", "ter2", "hunter2"}, []string{"[", "r", "edacted]"}},
		"what came before gives some": {strings.Split("a éh|u|n|t|e|r|2|h|u|n|t|er2", "|"), []string{"a ", "é", "[", "r", "e", "d", "a", "c", "t", "e", "d", "]"}},
		"more than the mask has":      {strings.Split("h|u|n|t|e|r|2|h|u|n|t|e|r|2", "|"), []string{"[", "r", "e", "d", "a", "c", "t", "e", "d", "]", "", "", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			var given []string
			stream := p.Stream(redact.Operator)
			events := []protocol.Event{}
			for _, piece := range tc.pieces {
				events = append(events, &protocol.TextDelta{ID: "p", Delta: piece})
			}
			for i, e := range append(events, &protocol.TextEnd{ID: "p"}) {
				for _, f := range stream.Push(protocol.Frame{Seq: int64(i + 1), Event: e}) {
					if delta, ok := f.Event.(*protocol.TextDelta); ok {
						given = append(given, delta.Delta)
					}
				}
			}
			if !slices.Equal(given, tc.want) {
				t.Errorf("got %q, want %q", given, tc.want)
			}
		})
	}
}

// Passes is a shortcut: what it lets through is what Push would give.
func TestWhatPassesIsWhatPushGives(t *testing.T) {
	p := &redact.Policy{Secrets: func() []string { return []string{"a-known-secret"} }, Patterns: redact.Patterns()}
	random := rand.New(rand.NewPCG(3, 4))
	passed := 0
	for range 1000 {
		texts, calls := p.Stream(redact.Operator), p.Stream(redact.Operator)
		var want, got []byte
		push := func(to []byte, s *redact.Stream, f protocol.Frame) []byte {
			for _, f := range s.Push(f) {
				to = append(must(f.AppendJSON(to)), '\n')
			}
			return to
		}
		for i := range 12 {
			text := fragments[random.IntN(len(fragments))] + fragments[random.IntN(len(fragments))]
			result, _ := json.Marshal(map[string]string{fragments[random.IntN(len(fragments))]: text})
			events := []protocol.Event{
				&protocol.TextDelta{ID: "p", Delta: text},
				&protocol.ToolCallDelta{ID: "c", ArgsTextDelta: text},
				&protocol.ToolResult{ID: "r", ToolCallID: "c", Result: result},
				&protocol.TextDelta{ID: "p", Delta: "It is well with "},
			}
			f := protocol.Frame{Seq: int64(i + 1), Event: events[random.IntN(len(events))]}
			stored := must(f.AppendJSON(nil))
			want = push(want, texts, f)
			if calls.Passes(stored) {
				passed++
				got = append(append(got, stored...), '\n')
				continue
			}
			got = push(got, calls, f)
		}
		end := protocol.Frame{Seq: 99, Event: &protocol.Finish{Status: protocol.StatusCompleted}}
		want, got = push(want, texts, end), push(got, calls, end)
		if string(got) != string(want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
	if passed < 800 {
		t.Errorf("%d events passed, which is no shortcut", passed)
	}
}

func TestAWordThatBeginsNoSecretDoesNotWait(t *testing.T) {
	p := &redact.Policy{Secrets: func() []string { return []string{"a-known-secret"} }, Patterns: redact.Patterns()}
	for text, want := range map[string]bool{
		"Well": true, "The quick brown fox": true, `{"path":"main.go`: true, "tokens": true, "misk": true,
		"It is sk": false, "AK": false, "password": false, "token = ": false, "see https://ada": false, "a-kn": false, "-----BEG": false,
	} {
		got := p.Stream(redact.Operator).Push(protocol.Frame{Event: &protocol.TextDelta{ID: "p", Delta: text}})
		if (len(got) == 1) != want {
			t.Errorf("%q goes out at once: got %t, want %t", text, len(got) == 1, want)
		}
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}
