package redact

import "strings"

// sign is a bit for each kind of thing that Patterns find. A text without the sign of a pattern holds nothing for it, which is
// cheaper to know than it is to match.
type sign uint16

const (
	signPrivateKey sign = 1 << iota
	signAPIKey
	signGitHub
	signAWS
	signSlack
	signGoogle
	signJWT
	signBearer
	signAddress
	signKnown
	signNamed // also of a member with a telling name

	allSigns sign = 1<<iota - 1
)

// anchors are the bytes signs are looked for at: rare ones of each.
var anchors = func() (at [256]bool) {
	for _, c := range []byte("-_IJx:@bBcCkKwWzZ\xc5\xe2") {
		at[c] = true
	}
	return at
}()

// signsIn are the signs in a text, in what escapes of JSON stand for too. One too many may be among them, none is missing.
func signsIn(text string) sign {
	found := signsAsIs(text)
	if strings.Contains(text, `\u`) { // other escapes stand for nothing a sign is made of
		for _, p := range plains(text) {
			found |= signsAsIs(p.text)
		}
	}
	return found
}

func signsAsIs(text string) (found sign) {
	address := false // an address may have begun
	for i := 0; i < len(text); i++ {
		if !anchors[text[i]] {
			continue
		}
		switch c, after := text[i], text[i+1:]; c {
		case '-':
			found |= knownSign(text[:i+1])
			if i >= 2 && text[i-1] == 'k' && strings.IndexByte("spr", text[i-2]) >= 0 {
				found |= signAPIKey
			}
			if strings.HasPrefix(after, "----BEGIN ") {
				found |= signPrivateKey
			}
		case '_':
			found |= knownSign(text[:i+1])
			if i >= 3 && text[i-3:i-1] == "gh" || strings.HasSuffix(text[:i], "github") {
				found |= signGitHub
			}
		case 'I':
			if i >= 1 && text[i-1] == 'A' && strings.HasPrefix(after, "za") {
				found |= signGoogle
			}
			if i >= 2 && (text[i-2:i] == "AK" || text[i-2:i] == "AS") && strings.HasPrefix(after, "A") {
				found |= signAWS
			}
		case 'J':
			if strings.HasSuffix(text[:i], "ey") {
				found |= signJWT
			}
		case 'x':
			if strings.HasPrefix(after, "ox") {
				found |= signSlack
			}
		case ':':
			address = address || strings.HasPrefix(after, "/") || strings.HasPrefix(after, `\`)
		case '@':
			if address {
				found |= signAddress
			}
		case '\xc5': // a long s, which is an s in another case
			if strings.HasPrefix(after, "\xbf") {
				return allSigns
			}
		case '\xe2': // the sign of kelvins, which is a k in another case
			if strings.HasPrefix(after, "\x84\xaa") {
				return allSigns
			}
		default:
			found |= named(text, i)
		}
	}
	return found
}

// knownSign is the sign of a key whose beginning a text ends with.
func knownSign(text string) sign {
	for _, k := range knownBeginnings {
		if strings.HasSuffix(text, k.begins) {
			return signKnown
		}
	}
	return 0
}

// naming are the words after which a secret may come: where in each the anchor stands, and how its name may go on.
var naming = [256][]struct {
	word   string
	at     int
	sign   sign
	goesOn func(c byte) bool
}{
	'b': {{"bearer", 0, signBearer, always}},
	'c': {{"secret", 2, signNamed, always}},
	'w': {{"password", 4, signNamed, always}, {"passwd", 4, signNamed, always}},
	'k': {{"token", 2, signNamed, parted}, {"key", 0, signNamed, parted}, {"cookie", 3, signNamed, ended}},
	'z': {{"authorization", 7, signNamed, ended}},
}

func always(byte) bool   { return true }
func ended(c byte) bool  { return !isWord(c) }
func parted(c byte) bool { return ended(c) || c == '_' || c >= '0' && c <= '9' } // as TOKEN_PROD, not as tokens

// named is the sign of a word whose anchor stands at i.
func named(text string, i int) sign {
	for _, n := range naming[text[i]|0x20] {
		start, end := i-n.at, i-n.at+len(n.word)
		if start < 0 || end > len(text) || !strings.EqualFold(text[start:end], n.word) {
			continue
		}
		if end == len(text) || n.goesOn(text[end]) {
			return n.sign
		}
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
