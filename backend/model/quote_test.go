package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/backend/model"
)

func TestAppendQuoted(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text is only put in quotes", "a<b&&c>d", `"a<b&&c>d"`},
		{"quotes, backslashes and controls are escaped", "\"\\\n\r\t\x00\x1f", `"\"\\\n\r\t\u0000\u001f"`},
		{"characters of many bytes stay as they are", "é🙂", `"é🙂"`},
		{"a byte that is not UTF-8 becomes U+FFFD", "a\xffb", "\"a\uFFFDb\""},
		{"a half surrogate becomes U+FFFD, byte by byte", "\xed\xa0\xbd", "\"\uFFFD\uFFFD\uFFFD\""},
		{"nothing is an empty string", "", `""`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := string(model.AppendQuoted(nil, test.in))
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func FuzzAppendQuoted(f *testing.F) {
	f.Add("a\"\\\n\x00é🙂\xff\xed\xa0\xbd")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(model.AppendQuoted(nil, s), &got); err != nil {
			t.Fatalf("quoted %q is not JSON: %v", s, err)
		}
		want := strings.ToValidUTF8(s, "\uFFFD")
		// ToValidUTF8 writes one U+FFFD for a run of bad bytes, AppendQuoted one for each.
		if collapse(got) != collapse(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func collapse(s string) string {
	for strings.Contains(s, "\uFFFD\uFFFD") {
		s = strings.ReplaceAll(s, "\uFFFD\uFFFD", "\uFFFD")
	}
	return s
}
