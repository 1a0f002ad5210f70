package redact_test

import (
	"errors"
	"slices"
	"testing"

	"callboard/backend/redact"
)

func TestWhatComesBackMaskedIsWhatWasStored(t *testing.T) {
	p := &redact.Policy{Secrets: func() []string { return []string{"first-secret", "second-secret", "over\ntwo lines"} }}
	type texts = []string
	tests := []struct {
		name         string
		stored, said texts
		want         texts // nil: ErrMasked
	}{
		{"nothing was masked, and a mask is written", texts{"plain"}, texts{"say [redacted]"}, texts{"say [redacted]"}},
		{"nothing was stored", nil, texts{"say [redacted]"}, texts{"say [redacted]"}},
		{"as it was shown", texts{"a first-secret b"}, texts{"a [redacted] b"}, texts{"a first-secret b"}},
		{"another line was changed", texts{"one\nkey: first-secret\nend"}, texts{"two\nkey: [redacted]\nend\nmore"}, texts{"two\nkey: first-secret\nend\nmore"}},
		{"the line itself was changed", texts{"key: first-secret"}, texts{"my key: [redacted]"}, nil},
		{"the secret was written anew", texts{"key: first-secret"}, texts{"key: third-secret"}, texts{"key: third-secret"}},
		{"the line was taken out", texts{"a\nkey: first-secret"}, texts{"a"}, texts{"a"}},
		{"the line stands in another text", texts{"x", "k=first-secret"}, texts{"k=[redacted]", "new", "x"}, texts{"k=first-secret", "new", "x"}},
		{"two that look alike", texts{"k=first-secret", "k=second-secret"}, texts{"k=[redacted]", "k=[redacted]"}, texts{"k=first-secret", "k=second-secret"}},
		{"one of two that look alike", texts{"k=first-secret", "k=second-secret"}, texts{"k=[redacted]"}, nil},
		{"one of two that are alike", texts{"k=first-secret", "k=first-secret"}, texts{"k=[redacted]"}, texts{"k=first-secret"}},
		{"a line came twice", texts{"k=first-secret"}, texts{"k=[redacted]\nk=[redacted]"}, texts{"k=first-secret\nk=first-secret"}},
		{"a secret over lines", texts{"a over\ntwo lines b\nc"}, texts{"a [redacted] b\nd"}, texts{"a over\ntwo lines b\nd"}},
		{"a mask that was written stays beside one that hides", texts{"[redacted]\nk=first-secret"}, texts{"[redacted]\nk=[redacted]"}, texts{"[redacted]\nk=first-secret"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := p.Unmask(test.stored, test.said)
			if test.want == nil {
				if !errors.Is(err, redact.ErrMasked) {
					t.Errorf("got %q and %v, want %v", got, err, redact.ErrMasked)
				}
				return
			}
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %q and %v, want %q", got, err, test.want)
			}
		})
	}
}
