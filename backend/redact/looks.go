package redact

import (
	"regexp"
	"strings"
)

// Pattern finds secrets by their looks.
type Pattern struct {
	Name string // what it finds, for people
	*regexp.Regexp

	sign  sign                            // without which it finds nothing; 0: it has none
	spare func(match, secret string) bool // what it matches and is no secret; may be nil
}

// find is a match of a pattern, and the place of the secret in it.
type find struct{ from, to, start, end int }

// finds are the secrets a pattern finds in a text, in order.
func (p Pattern) finds(text string) (all []find) {
	if p.spare == nil {
		for _, match := range p.FindAllStringSubmatchIndex(text, -1) {
			all = append(all, findOf(match, 0))
		}
		return all
	}
	for at := 0; ; {
		match := p.FindStringSubmatchIndex(text[at:])
		if match == nil {
			return all
		}
		switch f := findOf(match, at); {
		case !p.spares(text, f):
			all, at = append(all, f), f.to
		case f.start > f.from:
			at = f.start // what stands there may be the name of another
		default:
			at = f.to
		}
	}
}

// findAt is what a pattern finds at a place, as if the text began there.
func (p Pattern) findAt(text string, at int) (find, bool) {
	match := p.FindStringSubmatchIndex(text[at:])
	if match == nil || match[0] > 0 {
		return find{}, false
	}
	f := findOf(match, at)
	return f, !p.spares(text, f)
}

// findOf reads a match in what stands behind a place.
func findOf(match []int, at int) find {
	f := find{match[0] + at, match[1] + at, match[0] + at, match[1] + at}
	for group := 2; group < len(match); group += 2 {
		if match[group] >= 0 {
			f.start, f.end = match[group]+at, match[group+1]+at
			break
		}
	}
	return f
}

func (p Pattern) spares(text string, f find) bool {
	return p.spare != nil && p.spare(text[f.from:f.to], text[f.start:f.end])
}

// Patterns are the looks of secrets that many services use: keys with a known beginning, values of variables, members and headers that
// are named for a password, token, secret or key, what identifies a client in an address, signed tokens, private keys. What ordinary
// code has in the place of such a value (a type, a call, a variable's name) is none.
func Patterns() []Pattern {
	return patterns
}

var patterns = []Pattern{
	{"private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), signPrivateKey, nil},
	{"API key (sk-, pk-, rk-)", regexp.MustCompile(`\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}`), signAPIKey, isWords},
	{"key with a known beginning", regexp.MustCompile(`\b(?:` + knownKeys() + `)`), signKnown, nil},
	{"GitHub token", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}`), signGitHub, nil},
	{"AWS key id", regexp.MustCompile(`\bA[KS]IA[0-9A-Z]{16}\b`), signAWS, nil},
	{"Slack token", regexp.MustCompile(`\bxox[abprs]-[A-Za-z0-9-]{10,}`), signSlack, nil},
	{"Google API key", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}`), signGoogle, nil},
	{"signed token (JWT)", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), signJWT, nil},
	{"bearer token", regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})`), signBearer, isOfBearers},
	{"password in an address", regexp.MustCompile(`://[^/\s:@"']*:([^/\s"']+)@|://([A-Za-z0-9_-]{20,})@`), signAddress, nil},
	{"header that identifies", regexp.MustCompile(`(?i)authorization["']?\s*[:=]\s*["']?(?:(?:basic|token|digest|apikey|negotiate)\s+([A-Za-z0-9._~+/=-]{8,})|([A-Za-z0-9._~+/=-]{20,}))|` +
		`cookie["']?:\s*["']?([^\s=;,"'\\]+=[^\r\n"'\\]+)`), signNamed, nil},
	{namedSecret, regexp.MustCompile(`(?i)(?:` + names + `)["']?\s*` + assigned), signNamed, isOfCode},
	{namedSecret, regexp.MustCompile(`[A-Z][A-Z0-9_]*_KEY["']?\s*` + assigned), signNamed, isNoServiceKey},
}

// knownBeginnings are those of keys, and what follows in each. Each has the sign of its last character.
var knownBeginnings = []struct{ begins, rest string }{
	{"sk_", `(?:live|test)_[A-Za-z0-9]{10,}`}, // Stripe
	{"rk_", `(?:live|test)_[A-Za-z0-9]{10,}`},
	{"whsec_", `[A-Za-z0-9+/=]{16,}`},
	{"glpat-", `[A-Za-z0-9_.-]{16,}`}, // GitLab
	{"npm_", `[A-Za-z0-9]{30,}`},
	{"pypi-", `AgE[A-Za-z0-9_-]{20,}`},
	{"hf_", `[A-Za-z0-9]{20,}`},  // Hugging Face
	{"gsk_", `[A-Za-z0-9]{20,}`}, // Groq
	{"r8_", `[A-Za-z0-9]{20,}`},  // Replicate
	{"xai-", `[A-Za-z0-9]{20,}`},
	{"pplx-", `[A-Za-z0-9]{20,}`},
	{"nvapi-", `[A-Za-z0-9_-]{20,}`},
	{"GOCSPX-", `[A-Za-z0-9_-]{20,}`},
	{"xapp-", `[A-Za-z0-9-]{20,}`}, // Slack
	{"shpat_", `[A-Fa-f0-9]{32}`},  // Shopify
	{"dop_v1_", `[a-f0-9]{40,}`},   // DigitalOcean
}

func knownKeys() string {
	var all []string
	for _, k := range knownBeginnings {
		all = append(all, k.begins+k.rest)
	}
	return strings.Join(all, "|")
}

// What a secret is named: an environment puts more words behind it, as in AWS_SECRET_ACCESS_KEY and DB_PASSWORD_PROD. A name that goes on
// otherwise, as tokens or secretary, is another.
const (
	names = `(?:password|passwd|secret)(?:[_-]?(?:` + more + `)|[0-9]+)*|(?:token|(?:api|access|private|account)[_-]?key)(?:[_-](?:` + more + `)|[0-9]+)*`
	more  = `access|key|value|text|raw|base64|prod|production|dev|development|staging|test|live|local|old|new|main|master|admin|root|user|db|[0-9]+`
)

// assigned is a value behind its name: in quotes all that stands in them, if they do not only end a text there, else what has no blank.
const assigned = `(?::=|=>|[:=])\s*(?:` +
	`"([^\s"'\\(),;&+.|\]}](?:[^"\\\r\n]|\\.){3,})"|'([^\s"'\\(),;&+.|\]}](?:[^'\\\r\n]|\\.){3,})'|["']?([^\s"',;&]{4,}))`

// isTelling reports whether a member of a name has a secret as its value, whatever it looks like.
func isTelling(name string) bool {
	return tellingName.MatchString(name) || tellingHump.MatchString(name)
}

var (
	tellingName = regexp.MustCompile(`(?i)^(?:.*[_-])?(?:` + names + `|secret[_-]?key|authorization|cookie|set-cookie)$`)
	tellingHump = regexp.MustCompile(`[a-z0-9](?:Password|Passwd|Secret|Token|ApiKey|APIKey|AccessKey|SecretKey|PrivateKey|AccountKey)$`)
	serviceKey  = regexp.MustCompile(`^[A-Z][A-Z0-9_]*_KEY$`)
	otherKey    = regexp.MustCompile(`(?:^|_)(?:PRIMARY|FOREIGN|PUBLIC|SORT|PARTITION|CACHE|HASH|GROUP|ROW|UNIQUE|INDEX|IDEMPOTENCY|REGISTRY|HOT)_KEY`)
	ownName     = regexp.MustCompile(`SECRET|PASSWORD|PASSWD|TOKEN|(?:API|ACCESS|PRIVATE|ACCOUNT)_?KEY`)
)

// isServiceKey reports whether a value is a key of a service, which is told by its looks as well as by its name, as OPENAI_KEY is.
func isServiceKey(name, value string) bool {
	return serviceKey.MatchString(name) && !otherKey.MatchString(name) && isRandom(value)
}

func isNoServiceKey(match, secret string) bool {
	name := match[:strings.Index(match, "_KEY")+len("_KEY")]
	return ownName.MatchString(name) || !isServiceKey(name, secret) // of the former another pattern says more
}

// isRandom reports whether a text may be chosen by chance: it is no word.
func isRandom(text string) bool {
	return len(text) >= 12 && strings.ContainsAny(text, "0123456789") &&
		strings.ContainsFunc(text, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

// isWords reports whether a match is made of words, as a name of a style sheet's class is: sk-folding-cube-grid.
func isWords(match, _ string) bool { return hyphened.MatchString(match) }

var hyphened = regexp.MustCompile(`^..(?:-[a-z]{2,10}){3,}$`)

// isOfBearers reports whether a word follows "bearer" in a text about it.
func isOfBearers(_, secret string) bool { return aboutBearers.MatchString(secret) }

var aboutBearers = regexp.MustCompile(`(?i)^(?:authentication|authorization|credentials?|certificates?|instruments?|security)[.:]?$`)

// isOfCode reports whether what stands in the place of a named secret is what code and texts about code have there.
func isOfCode(match, secret string) bool {
	if stands.MatchString(secret) {
		return true
	}
	before, ends := strings.CutSuffix(match, secret)
	if !ends || strings.HasSuffix(before, `"`) || strings.HasSuffix(before, "'") {
		return false // in quotes it is a value
	}
	isSpaced := strings.HasSuffix(before, " ") // as code is, and a file of variables is not
	return code.MatchString(secret) || isSpaced && namedAlike.MatchString(secret) ||
		strings.TrimRight(secret, ")]}") == strings.TrimRight(before, `"' :=>`)
}

var (
	// stands is what stands for a value that is not there: $TOKEN, ${{ secrets.TOKEN }}, {token}, %(token)s, <your-token>, ****.
	stands = regexp.MustCompile(`^(?:\$[A-Z_][A-Z0-9_]*|\$[a-z_]*(?i:pass|secret|token|key)[A-Za-z_]*|\$\{\{?[A-Za-z_][\w.]*\}+|\$\{\{|\$\(.*|\{\{?[A-Za-z_.]+\}+|\{\{|%[A-Z_]+%|%\([a-z_]+\)s|<[A-Za-z _-]+>?|[*.•]{3,}|\[redacted\])[)\]}>:]*$`)
	// code is a type, a word of a language, a call, an index or a member of an object, and what texts say of a value.
	code = regexp.MustCompile(`^(?:(?i:string|str|int|any|char|text|varchar|number|integer|boolean|bool|bytes|object|unknown|undefined|true|false|null|none|void|await|async|new|function|lambda|` +
		`optional|required|missing|invalid|expired|incorrect|empty|unset)(?:\[\])?[?!|.]*|` +
		`[A-Za-z_][\w.]*\(|[A-Za-z_][\w.]*\([\w.]*\)[.\w()]*|[A-Za-z_][\w.]*\[\w*\]?|[A-Za-z_]\w*<[\w<>.|]*|` +
		`(?:self|this|cls|os|process|env|req|request|res|response|config|cfg|conf|settings|options|opts|args|props|params|ctx|context|app|data|user|state|client|` +
		`session|auth|credentials|creds|secrets|vars|event|input|form|body|payload|[a-z])\.[A-Za-z_][\w.]*)[)\]}>:]*$`)
	// namedAlike is a variable or a type that is named as a secret is.
	namedAlike = regexp.MustCompile(`^[A-Za-z_]*(?i:password|passwd|secret|token|key)[A-Za-z_]*[)\]}>?!|.:]*$`)
)
