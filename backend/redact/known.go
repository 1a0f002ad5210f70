package redact

import (
	"iter"
	"slices"
	"strings"
)

// headLength is how many bytes of a secret an index looks up. Shorter secrets are looked for one by one.
const headLength = 8

// index finds secrets in a text at a cost that hardly grows with their number. It does not change.
type index struct {
	sorted  []string
	short   []string
	heads   map[string][]string // the others, by how they begin
	begin   [1 << 16]bool       // of the first two bytes of those
	longest int                 // of all
}

// newIndex returns nil for no secrets.
func newIndex(secrets []string) *index {
	if len(secrets) == 0 {
		return nil
	}
	x := &index{sorted: slices.Compact(slices.Sorted(slices.Values(secrets))), heads: map[string][]string{}}
	for _, secret := range x.sorted {
		x.longest = max(x.longest, len(secret))
		if len(secret) < headLength {
			x.short = append(x.short, secret)
			continue
		}
		x.heads[secret[:headLength]] = append(x.heads[secret[:headLength]], secret)
		x.begin[pair(secret)] = true
	}
	return x
}

func pair(text string) int { return int(text[0])<<8 | int(text[1]) }

// places are where the secrets stand in a text.
func (x *index) places(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if x == nil {
			return
		}
		for _, secret := range x.short {
			for at := range places(text, secret) {
				if !yield(at, secret) {
					return
				}
			}
		}
		for at := 0; len(x.heads) > 0 && at+headLength <= len(text); at++ {
			if !x.begin[pair(text[at:])] {
				continue
			}
			for _, secret := range x.heads[text[at:at+headLength]] {
				if strings.HasPrefix(text[at:], secret) && !yield(at, secret) {
					return
				}
			}
		}
	}
}

// begun is how many bytes of secrets a text ends with that go on, at least least of them, and what these secrets are.
func (x *index) begun(text string, least int) (n int, secrets []string) {
	if x == nil {
		return 0, nil
	}
	for at := max(0, len(text)-x.longest+1); at+least <= len(text); at++ {
		from, _ := slices.BinarySearch(x.sorted, text[at:])
		for _, secret := range x.sorted[from:] {
			if !strings.HasPrefix(secret, text[at:]) {
				break
			}
			if len(secret) > len(text)-at {
				secrets = append(secrets, secret)
			}
		}
		if len(secrets) > 0 {
			return len(text) - at, secrets
		}
	}
	return 0, nil
}

// ends reports whether a text ends with a secret.
func (x *index) ends(text string) bool {
	return x != nil && slices.ContainsFunc(x.sorted, func(secret string) bool { return strings.HasSuffix(text, secret) })
}
