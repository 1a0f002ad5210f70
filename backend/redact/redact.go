// Package redact says what leaves the process, and for whom: secrets are masked for everyone, and a user-facing client sees less of a
// call than the operator of the agents does. A policy works on events, on JSON and on text; it replaces content and never removes an
// event, so that numbers and order stay as they are in the log. It knows nothing of stores, servers or windows.
package redact

import (
	"slices"
	"sync"
)

// View is who reads.
type View string

const (
	Operator View = "operator" // sees everything but secrets
	User     View = "user"     // sees what Policy.Tools and Policy.Others show, and no secret
)

// Mask stands where a secret was, whatever its length.
const Mask = "[redacted]"

// Hidden stands where a view has nothing to show.
const Hidden = "[hidden]"

// MinSecret is how many bytes a value of Policy.Secrets has at least: a shorter one would be found everywhere, and is passed over.
const MinSecret = 6

// Policy says what each view sees. The zero value masks nothing for the operator, and shows a user labels, states and answers.
// It does not change once it is used, and is safe for concurrent use.
type Policy struct {
	// Secrets are the values nobody is shown; it is asked at the start of each stream, text or JSON. May be nil.
	Secrets func() []string
	// Patterns find secrets by their looks: a match is masked, or its first group that matched where it has groups. Patterns() has the usual ones.
	Patterns []Pattern
	// Words are masked too, in any case, however short they are. Each has at least one character.
	Words []string
	// Known are secrets that were found already: they are masked wherever they stand, and at the end of a text that was cut within one
	// what is left of it.
	Known []string
	// Leave says of what a pattern or a word found that it stays as it is: it is no secret after all. May be nil.
	Leave func(found string) bool
	// Tools says by name what a user sees of a tool's calls, Others what of those that are not in it.
	Tools  map[string]Show
	Others Show
	// Reasoning shows a user the model's reasoning.
	Reasoning bool

	compile sync.Once
	words   []word
	known   *index
}

// Show is what a user sees of a call beside its label, its icon, its state and its error's code.
type Show struct {
	Arguments bool
	Result    bool
	Details   bool // and progress
	Error     bool // the message
	// DetailLine shows the detail line and the summary of its presentation, which are often taken from arguments and result.
	DetailLine bool
}

// Text masks the secrets of a text.
func (p *Policy) Text(text string) string { return p.masker().text(text) }

// JSON masks the secrets of a JSON text, in the values of members with a telling name (password, token, authorization, …) too. What is
// not JSON is masked as text.
func (p *Policy) JSON(text []byte) []byte { return p.masker().json(text, false) }

// Strings masks the secrets in the strings of a JSON text, and of nothing else: for what a program itself says, where no number is a
// secret and no name of a member makes one. What was masked before stays as it is. What is not JSON is masked as text.
func (p *Policy) Strings(text []byte) []byte { return p.masker().json(text, true) }

func (p *Policy) masker() *masker {
	p.compile.Do(func() {
		for _, text := range p.Words {
			p.words = append(p.words, newWord(text))
		}
		p.known = newIndex(slices.DeleteFunc(slices.Clone(p.Known), func(secret string) bool {
			return secret == "" || p.Leave != nil && p.Leave(secret)
		}))
	})
	m := &masker{patterns: p.Patterns, words: p.words, known: p.known, leave: p.Leave}
	if p.Secrets != nil {
		m.literals = literals(p.Secrets())
	}
	m.signed = len(m.words) == 0 && m.known == nil && !slices.ContainsFunc(m.patterns, func(p Pattern) bool { return p.sign == 0 })
	m.escaped = !m.signed || slices.ContainsFunc(m.literals, isEscaped)
	return m
}

func (p *Policy) show(toolName string) Show {
	if show, named := p.Tools[toolName]; named {
		return show
	}
	return p.Others
}

// The names of what is found in other ways than by a pattern.
const (
	namedSecret = "value named password, token, secret or key"
	keyRule     = "key of this program"
	wordRule    = "word of your own"
	knownRule   = "found elsewhere as a secret"
)
