package redact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"callboard/backend/protocol"
	"callboard/backend/redact"
)

func TestFindTellsEachHitAndItsRule(t *testing.T) {
	p := redact.Policy{
		Secrets: func() []string { return []string{"s3cr3t-of-ada"} }, Patterns: redact.Patterns(), Words: []string{"Falcon"},
	}
	for name, test := range map[string]struct {
		text string
		json bool
		want []redact.Hit
	}{
		"nothing": {text: "All is well.", want: nil},
		"a key of the program is fixed": {
			text: "say s3cr3t-of-ada now",
			want: []redact.Hit{{Rule: "key of this program", Secret: "s3cr3t-of-ada", Fixed: true, Before: "say ", After: " now"}},
		},
		"a word in any case, and what stands around it is masked too": {
			text: "falcon uses s3cr3t-of-ada",
			want: []redact.Hit{
				{Rule: "word of your own", Secret: "falcon", After: " uses [redacted]"},
				{Rule: "key of this program", Secret: "s3cr3t-of-ada", Fixed: true, Before: "[redacted] uses "},
			},
		},
		"a member with a telling name": {
			text: `{"n":1,"password":"tiger"}`, json: true,
			want: []redact.Hit{{Rule: "value named password, token, secret or key", Secret: "tiger", Before: `{"n":1,"password":`}},
		},
		"a number under a telling name": {
			text: `{"token":123456}`, json: true,
			want: []redact.Hit{{Rule: "value named password, token, secret or key", Secret: "123456", Before: `{"token":`}},
		},
		"a long text is cut around a hit": {
			text: strings.Repeat("é", 100) + "Falcon" + strings.Repeat("ü", 100),
			want: []redact.Hit{{Rule: "word of your own", Secret: "Falcon", Before: strings.Repeat("é", 24), After: strings.Repeat("ü", 24)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := p.Find(test.text)
			if test.json {
				got = p.FindJSON([]byte(test.text))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWordsAreMaskedWhereverTheyStand(t *testing.T) {
	p := redact.Policy{Words: []string{"Zoë \"Z\"", "ab"}}
	for text, want := range map[string]string{
		`hello zOË "z"!`:              `hello [redacted]!`,
		`{"name":"Zoë \"Z\""}`:        `{"name":"[redacted]"}`,
		`{"name":"Zo\u00eb \"Z\""}`:   `{"name":"[redacted]"}`,
		`a b`:                         `a b`,
		`{"x":"ABab"}`:                `{"x":"[redacted][redacted]"}`,
		"Kelvin is no kelvin: \u212a": "Kelvin is no kelvin: \u212a",
	} {
		t.Run(text, func(t *testing.T) {
			if got := p.Text(text); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	if got, want := string(p.JSON([]byte(`{"n":ab}`))), `{"n":[redacted]}`; got != want {
		t.Errorf("what is not JSON: got %s, want %s", got, want)
	}
	if got, want := string((&redact.Policy{Words: []string{"80"}}).JSON([]byte(`{"port":8080}`))), `{"port":"[redacted]"}`; got != want {
		t.Errorf("a number with a word in it: got %s, want %s", got, want)
	}
}

func TestWhatIsLeftInStaysAndKeysDoNot(t *testing.T) {
	p := redact.Policy{
		Secrets: func() []string { return []string{"s3cr3t-of-ada"} }, Patterns: redact.Patterns(),
		Leave: func(found string) bool { return found == "tiger" || found == "s3cr3t-of-ada" },
	}
	if got, want := p.Text("password=tiger s3cr3t-of-ada password=lion"), "password=tiger [redacted] password=[redacted]"; got != want {
		t.Errorf("text: got %s, want %s", got, want)
	}
	got := string(p.JSON([]byte(`{"password":"tiger","token":"s3cr3t-of-ada","secret":"lion"}`)))
	if want := `{"password":"tiger","token":"[redacted]","secret":"[redacted]"}`; got != want {
		t.Errorf("JSON: got %s, want %s", got, want)
	}
}

func TestAWordInPiecesIsMaskedAsIfWhole(t *testing.T) {
	p := redact.Policy{Words: []string{"Project Falcon", "ſix"}, Patterns: redact.Patterns()}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"project ", "falcon", "Project Falcon", "p", " ", "SIX", "ſ", "ix", "token=abcdefg", "é", "\"",
		})).Draw(t, "text"), "")
		stream := p.Stream(redact.Operator)
		var joined strings.Builder
		push := func(event protocol.Event) {
			for _, f := range stream.Push(protocol.Frame{Event: event}) {
				if d, ok := f.Event.(*protocol.TextDelta); ok {
					joined.WriteString(d.Delta)
				}
			}
		}
		var pieces []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			for n < len(rest) && rest[n]&0xc0 == 0x80 {
				n++
			}
			push(&protocol.TextDelta{ID: "p", Delta: rest[:n]})
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		push(&protocol.TextEnd{ID: "p"})
		if got, want := joined.String(), p.Text(text); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		if got, want := strings.Join(p.Pieces(pieces), ""), p.Text(text); got != want {
			t.Fatalf("of %q as pieces: got %q, want %q", pieces, got, want)
		}
	})
}

func TestGrowingMasksEachTextAsIfAlone(t *testing.T) {
	p := redact.Policy{
		Secrets:  func() []string { return []string{"s3cr3t-of-ada"} },
		Patterns: redact.Patterns(), Words: []string{"Falcon"},
	}
	rapid.Check(t, func(t *rapid.T) {
		growing := p.Growing()
		var text, masked string
		for range rapid.IntRange(1, 8).Draw(t, "texts") {
			keep := rapid.IntRange(0, len(text)).Draw(t, "keep")
			tail := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
				"s3cr3t-of-ada", "s3cr3t", "-of-ada", "fal", "con", `\u0066al`, `\`, `\"`, `\\u0066AL`, "token=12", "34 ", " password: ", "56789", `"`, "plain words ", "Cookie: a=", "secret", "; b", " := ", "string", "hf_", "Authorization: Basic ",
			})).Draw(t, "tail"), "")
			text = text[:keep] + tail
			maskedKeep, maskedTail := growing.Next(keep, tail)
			masked = masked[:maskedKeep] + maskedTail
			if want := p.Text(text); masked != want {
				t.Fatalf("of %q got %q, want %q", text, masked, want)
			}
			if masked == text && maskedKeep > keep {
				t.Fatalf("keeps %d bytes of a text that shares %d", maskedKeep, keep)
			}
		}
	})
}

func TestGrowingLeavesADifferenceWithoutSecretsAsItIs(t *testing.T) {
	growing := (&redact.Policy{Secrets: func() []string { return []string{"s3cr3t-of-ada"} }}).Growing()
	for _, sent := range []struct {
		keep int
		tail string
	}{{0, `{"messages":["a"]}`}, {16, `,"b"]}`}, {20, `,"c"]}`}} {
		if keep, tail := growing.Next(sent.keep, sent.tail); keep != sent.keep || tail != sent.tail {
			t.Errorf("got %d and %q, want %d and %q", keep, tail, sent.keep, sent.tail)
		}
	}
}

func TestPiecesWithoutASecretStayAsTheyAre(t *testing.T) {
	p := redact.Policy{Words: []string{"falcon", "kite"}}
	got := p.Pieces([]string{"a ", "b fal", "co", "n c kite k", "ite", " d"})
	if diff := cmp.Diff([]string{"a ", "b [redacted]", "", " c [redacted] [redacted]", "", " d"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWhatIsKnownIsMaskedEverywhereAndWhereItWasCut(t *testing.T) {
	p := redact.Policy{Known: []string{"hunter2-of-ada", "left-in-4711"}, Leave: func(found string) bool { return found == "left-in-4711" }}
	for text, want := range map[string]string{
		"bare hunter2-of-ada here": "bare [redacted] here", "cut: hunter2-…": "cut: [redacted]…", "cut: hunter2-of": "cut: [redacted]",
		"as few as hunter": "as few as hunter", "hunter2- within": "hunter2- within", "left-in-4711 and left-in-4…": "left-in-4711 and left-in-4…",
		`{"x":"hunter2\u002dof-ada"}`: `{"x":"[redacted]"}`,
	} {
		if got := p.Text(text); got != want {
			t.Errorf("of %q got %q, want %q", text, got, want)
		}
	}
	hits := p.Find("cut: hunter2-…")
	if want := []redact.Hit{{Rule: "found elsewhere as a secret", Secret: "hunter2-of-ada", Known: true, Before: "cut: ", After: "…"}}; !cmp.Equal(hits, want) {
		t.Errorf("got %+v, want %+v", hits, want)
	}
}

func TestATextThatLeavesTheOneBeforeWithinALongSecretIsMaskedAsIfAlone(t *testing.T) {
	p := redact.Policy{Patterns: redact.Patterns()}
	growing := p.Growing()
	text := `a\u0062 -----BEGIN PRIVATE KEY-----` + strings.Repeat(`A\u0041 `, 20_000) + "-----END PRIVATE KEY----- b"
	_, masked := growing.Next(0, text)
	at := len(text) - 10_000
	text = text[:at] + "-----END PRIVATE KEY----- c"
	keep, tail := growing.Next(at, text[at:])
	if got, want := masked[:keep]+tail, p.Text(text); got != want || !strings.HasSuffix(got, redact.Mask+" c") {
		t.Errorf("got %d bytes, %.80q, want %d, %.80q", len(got), got, len(want), want)
	}
}
