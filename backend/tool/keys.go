package tool

import (
	"fmt"
	"strings"
	"unicode"
)

// keySet refuses keys that come twice, or once more in another case.
type keySet struct {
	lenient bool
	few     []string
	many    map[string]string // folded to as written, once there are more than a few
}

const fewKeys = 12

func (k *keySet) add(key string) error {
	if k.many == nil {
		for _, other := range k.few {
			if other == key || !k.lenient && strings.EqualFold(other, key) {
				return twice(other, key)
			}
		}
		if k.few = append(k.few, key); len(k.few) <= fewKeys {
			return nil
		}
		k.many = make(map[string]string, 4*fewKeys)
		for _, other := range k.few {
			k.many[k.fold(other)] = other
		}
		return nil
	}
	folded := k.fold(key)
	if other, ok := k.many[folded]; ok {
		return twice(other, key)
	}
	k.many[folded] = key
	return nil
}

func (k *keySet) fold(key string) string {
	if k.lenient {
		return key
	}
	return fold(key)
}

func twice(first, second string) error {
	if first == second {
		return &mismatch{message: fmt.Sprintf("property '%s' comes twice", excerpt(first))}
	}
	return &mismatch{message: fmt.Sprintf("properties '%s' and '%s' differ only in case", excerpt(first), excerpt(second))}
}

// fold gives one text for all texts that strings.EqualFold, and encoding/json, take for equal.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}
