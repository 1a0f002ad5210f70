package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxOpen is how much of a text's end is held back at most while it may be the beginning of a secret, in bytes. A longer secret is
// masked in pieces.
const maxOpen = 16 << 10

// said is a word after which a secret may come, and what came of it.
var said = regexp.MustCompile(`(?i)cookie["']?:?\s*["']?[^\r\n"']*$|(?:(?:bearer|password|passwd|secret|token|key)[\w-]*["']?\s*[:=>]{0,2}|authorization["']?\s*[:=]?\s*["']?[a-z]*)\s*` +
	`(?:["']?[^\s"',;&]*|"(?:[^"\\\r\n]|\\.)*\\?|'(?:[^'\\\r\n]|\\.)*\\?)$`)

// maxSaid is how much of a text's end is looked at for such a word, in bytes.
const maxSaid = 1 << 10

// A private key spans lines.
const keyBegins = "-----BEGIN "

var keyEnds = regexp.MustCompile(`-----END [A-Z ]*-----`)

// settled is how much of a text will be masked the same whatever follows: what comes after may be the beginning of a secret. Beside it
// are the secrets of all of the text.
func (m *masker) settled(text string) (int, []span) {
	if m.idle() {
		return len(text), nil
	}
	n := m.clear(text, m.signs(text))
	plains := m.plains(text)
	for _, p := range plains {
		n = min(n, p.at[m.clear(p.text, m.signs(p.text))])
	}
	spans := m.spans(text)
	if last := len(spans) - 1; last >= 0 && spans[last].end == len(text) && len(m.patterns) > 0 {
		n = min(n, spans[last].from) // it may go on
	}
	n = border(plains, spans, n)
	if len(text)-n > maxOpen {
		n = len(text)
	}
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return n, spans
}

// border is the last place at or before n that is in no secret, in nothing one was found by, and within no escape.
func border(plains []plain, spans []span, n int) int {
	for {
		at := outside(spans, n)
		if at <= 0 { // what it was found by may begin before the text
			return at
		}
		for _, p := range plains {
			if i, is := slices.BinarySearch(p.at, at); !is {
				at = p.at[i-1]
			}
		}
		if at == n {
			return n
		}
		n = at
	}
}

// clear is where the end of a text with some signs begins that may be the beginning of a secret.
func (m *masker) clear(text string, signs sign) int {
	n := len(text)
	begun, _ := m.known.begun(text, 1)
	n -= begun
	for _, literal := range m.literals {
		for k := min(len(literal)-1, len(text)); k > 0; k-- {
			if strings.HasSuffix(text, literal[:k]) {
				n = min(n, len(text)-k)
				break
			}
		}
	}
	for _, w := range m.words {
		n = min(n, len(text)-w.begun(text))
	}
	if len(m.patterns) > 0 {
		n = min(n, m.open(text, signs))
	}
	return n
}

// open is where the end of a text begins in which a pattern may find something once there is more.
func (m *masker) open(text string, signs sign) int {
	n := len(text)
	word := strings.LastIndexAny(text, " \t\r\n\"'") + 1
	if strings.Contains(text[word:], "://") || signs != 0 && m.signs(text[word:]) != 0 {
		n = word
	}
	for i := max(0, n-len(keyBegins)); i < n; i++ {
		if begins(text[i:]) && (text[i] == '-' || i == 0 || !isWord(text[i-1]) || m.ends(text[:i])) {
			n = i
		}
	}
	if signs&(signNamed|signBearer) != 0 {
		tail := max(0, len(text)-maxSaid)
		if at := said.FindStringIndex(text[tail:]); at != nil {
			n = min(n, tail+at[0])
		}
	}
	if at := strings.LastIndex(text, keyBegins); signs&signPrivateKey != 0 && at >= 0 && !keyEnds.MatchString(text[at:]) {
		n = min(n, at)
	}
	return n
}

// begins reports whether a text is how something begins that is known by its first characters, and not all of those.
func begins(text string) bool {
	return firsts[text[0]] && slices.ContainsFunc(beginnings, func(b string) bool { return len(text) < len(b) && strings.HasPrefix(b, text) })
}

var beginnings = func() []string {
	all := []string{"sk-", "pk-", "rk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_", "AKIA", "ASIA", "AIza", "xox", "eyJ", keyBegins}
	for _, k := range knownBeginnings {
		all = append(all, k.begins)
	}
	return all
}()

// firsts are the first bytes of beginnings.
var firsts = func() (of [256]bool) {
	for _, b := range beginnings {
		of[b[0]] = true
	}
	return of
}()
