package redact

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What an index finds is what looking for one secret after the other finds.
func TestAnIndexFindsWhatLookingOneByOneFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(most int) string {
		text := make([]byte, 1+random.IntN(most))
		for i := range text {
			text[i] = "abA"[random.IntN(3)]
		}
		return string(text)
	}
	for range 2000 {
		var secrets []string
		for range 1 + random.IntN(6) {
			secrets = append(secrets, word(20))
		}
		text := word(60) + secrets[0][:random.IntN(len(secrets[0])+1)]
		x := newIndex(secrets)

		var got, want []string
		for at, secret := range x.places(text) {
			got = append(got, fmt.Sprint(at, secret))
		}
		for _, secret := range slices.Compact(slices.Sorted(slices.Values(secrets))) {
			for at := range places(text, secret) {
				want = append(want, fmt.Sprint(at, secret))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("in %q of %q: got %q, want %q", text, secrets, got, want)
		}

		const least = 2
		most := 0
		for _, secret := range secrets {
			for n := min(len(secret)-1, len(text)); n >= least; n-- {
				if strings.HasSuffix(text, secret[:n]) {
					most = max(most, n)
					break
				}
			}
		}
		n, begun := x.begun(text, least)
		if n != most || (n > 0) != (len(begun) > 0) {
			t.Fatalf("at the end of %q of %q: got %d of %q, want %d", text, secrets, n, begun, most)
		}
		for _, secret := range begun {
			if !strings.HasPrefix(secret, text[len(text)-n:]) || len(secret) <= n {
				t.Fatalf("%q does not go on at the end of %q", secret, text)
			}
		}
	}
}
