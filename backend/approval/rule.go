package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"callboard/backend/tool"
)

// Rule is a person's answer in advance: it allows the calls of one tool whose arguments meet its conditions.
type Rule struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	ToolName    string      `json:"toolName"`
	AgentName   string      `json:"agentName"`  // empty is every agent
	Conditions  []Condition `json:"conditions"` // all must be met; none allows every call
	CreatedAtMs int64       `json:"createdAt"`
	ExpiresAtMs int64       `json:"expiresAt,omitempty"` // 0 is never
	Enabled     bool        `json:"enabled"`
	Uses        int64       `json:"uses"`
	LastUsedMs  int64       `json:"lastUsedAt,omitempty"` // 0 is never
}

// Condition is what an argument must be. A call that does not give the argument does not meet it.
type Condition struct {
	Path string `json:"path"` // the name of a member at the top of the arguments; empty of OpPlace
	Op   Op     `json:"op"`
	// Value is a JSON text for OpEquals, the pattern itself for OpPattern, the place's name for OpPlace.
	Value string `json:"value"`
}

// Op is how a condition compares.
type Op string

const (
	// OpEquals wants the same JSON value. Numbers are the same when their digits are.
	OpEquals Op = "equals"
	// OpPattern wants a string that fits a pattern, in which each * stands for any text but the characters a shell reads, so
	// that "git *" does not allow "git status; rm x". Nor does a * climb out of a folder: "src/*" does not allow "src/../x".
	OpPattern Op = "pattern"
	// OpPlace wants the call to run in a sandbox of that name. It is no condition on the arguments: see Rule.Place.
	OpPlace Op = "place"
)

// Limits of a rule.
const (
	MaxRuleName   = 80 // characters
	MaxConditions = 32
	MaxPattern    = 4096 // bytes
)

// Check reports what makes a rule unfit: it could not be shown, or could never be met.
func (r *Rule) Check() error {
	switch {
	case strings.TrimSpace(r.ToolName) == "":
		return errors.New("toolName: a rule needs a tool")
	case strings.TrimSpace(r.Name) == "":
		return errors.New("name: a rule needs a name")
	case utf8.RuneCountInString(r.Name) > MaxRuleName:
		return fmt.Errorf("name: over %d characters", MaxRuleName)
	case visible(r.Name) != r.Name:
		return errors.New("name: holds an invisible character")
	case len(r.Conditions) > MaxConditions:
		return fmt.Errorf("conditions: over %d", MaxConditions)
	}
	for i, c := range r.Conditions {
		if err := c.check(); err != nil {
			return fmt.Errorf("conditions: number %d: %w", i+1, err)
		}
	}
	return nil
}

func (c Condition) check() error {
	if c.Op == OpPlace {
		if c.Path != "" || strings.TrimSpace(c.Value) == "" || visible(c.Value) != c.Value {
			return errors.New("value: a place has a name that can be read, and no path")
		}
		return nil
	}
	if c.Path == "" {
		return errors.New("path: a condition needs the name of an argument")
	}
	switch c.Op {
	case OpEquals:
		if strings.TrimSpace(c.Value) == "" {
			return errors.New("value: must be JSON text")
		}
		if _, err := tool.Read(c.Value); err != nil {
			return fmt.Errorf("value: must be JSON text: %w", err)
		}
	case OpPattern:
		switch {
		case c.Value == "":
			return errors.New("value: a pattern is not empty")
		case len(c.Value) > MaxPattern:
			return fmt.Errorf("value: a pattern over %d bytes", MaxPattern)
		case !utf8.ValidString(c.Value):
			return errors.New("value: a pattern is UTF-8")
		}
	default:
		return fmt.Errorf("op: %q is neither equals nor pattern", c.Op)
	}
	return nil
}

// Active reports whether a rule may allow anything at a moment.
func (r *Rule) Active(now time.Time) bool {
	return r.Enabled && (r.ExpiresAtMs == 0 || now.UnixMilli() < r.ExpiresAtMs)
}

// Place names the sandbox in which the calls run that a rule allows, as tool.Sandbox's String does; empty is no sandbox. A call that
// would run anywhere else is not for the rule to decide.
func (r *Rule) Place() string {
	for _, c := range r.Conditions {
		if c.Op == OpPlace {
			return c.Value
		}
	}
	return ""
}

// Allows reports whether a rule, while it is active, allows a call at its Place. It reads the arguments as their tool does; what the
// tool refuses to read meets no rule.
func (r *Rule) Allows(agentName, toolName, argumentsText string) bool {
	if toolName != r.ToolName || r.AgentName != "" && agentName != r.AgentName {
		return false
	}
	value, err := tool.Read(argumentsText)
	arguments, ok := value.(map[string]any)
	if err != nil || !ok {
		return false
	}
	for _, c := range r.Conditions {
		if c.Op == OpPlace {
			continue
		}
		got, given := arguments[c.Path]
		if !given || !c.met(got) {
			return false
		}
	}
	return true
}

func (c Condition) met(got any) bool {
	switch c.Op {
	case OpEquals:
		want, err := tool.Read(c.Value)
		return err == nil && reflect.DeepEqual(got, want)
	case OpPattern:
		text, ok := got.(string)
		return ok && fits(c.Value, text)
	}
	return false
}

// fits reports whether a text fits a pattern. Each piece between two stars is taken where it comes first: a later place would put
// more under a star, never less.
func fits(pattern, text string) bool {
	pieces := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, pieces[0])
	if !ok || climbs(text) > climbs(pattern) {
		return false
	}
	if len(pieces) == 1 {
		return rest == ""
	}
	last := len(pieces) - 1
	for _, piece := range pieces[1:last] {
		at := strings.Index(rest, piece)
		if at < 0 || strings.ContainsFunc(rest[:at], readByShells) {
			return false
		}
		rest = rest[at+len(piece):]
	}
	under, ok := strings.CutSuffix(rest, pieces[last])
	return ok && !strings.ContainsFunc(under, readByShells)
}

// readByShells is what no star stands for.
func readByShells(r rune) bool {
	return strings.ContainsRune(";&|$`<>(){}'\"\\", r) || unicode.IsControl(r) && r != '\t'
}

// climbs counts the steps out of a folder in a text.
func climbs(text string) (n int) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`/\=:,`, r)
	}) {
		if strings.HasSuffix(word, "..") {
			n++
		}
	}
	return n
}

// Text is the rule in words: all it allows, and nothing it does not.
func (r *Rule) Text() string {
	var b strings.Builder
	who := "every agent"
	if r.AgentName != "" {
		who = "the agent " + visible(r.AgentName)
	}
	star := false
	conditions := slices.DeleteFunc(slices.Clone(r.Conditions), func(c Condition) bool { return c.Op == OpPlace })
	if len(conditions) == 0 {
		fmt.Fprintf(&b, "Allows every call of %s, for %s in every thread", visible(r.ToolName), who)
	} else {
		fmt.Fprintf(&b, "Allows %s, for %s in every thread, when ", visible(r.ToolName), who)
		for i, c := range conditions {
			switch {
			case i > 0 && i == len(conditions)-1:
				b.WriteString(" and ")
			case i > 0:
				b.WriteString(", ")
			}
			b.WriteString(c.text())
			star = star || c.Op == OpPattern && strings.Contains(c.Value, "*")
		}
		b.WriteString(", whatever the other arguments are")
	}
	if r.ExpiresAtMs != 0 {
		b.WriteString(", until " + time.UnixMilli(r.ExpiresAtMs).UTC().Format("2 January 2006 15:04 UTC"))
	}
	b.WriteByte('.')
	if place := r.Place(); place != "" {
		b.WriteString(" Only in " + place + ": where a call would run anywhere else, a person is asked.")
	}
	if star {
		b.WriteString(" A * is any text without the characters a shell reads and without a step out of a folder.")
	}
	return b.String()
}

func (c Condition) text() string {
	if c.Op == OpPattern {
		return visible(c.Path) + " fits the pattern " + strconv.Quote(c.Value)
	}
	return visible(c.Path) + " is " + visible(strings.TrimSpace(c.Value))
}

const shortText = 60 // characters

// ShortText names a rule by what sets it apart, for one that was given no name.
func (r *Rule) ShortText() string {
	words := []string{r.ToolName}
	for _, c := range r.Conditions {
		if c.Op == OpPlace {
			continue
		}
		word := c.Value
		var text string
		if c.Op == OpEquals && json.Unmarshal([]byte(word), &text) == nil {
			word = text
		}
		words = append(words, word)
	}
	short := []rune(visible(strings.Join(strings.Fields(strings.Join(words, " ")), " ")))
	if len(short) > shortText {
		short = append(slices.Clip(short[:shortText-1]), '…')
	}
	return string(short)
}

// visible writes what cannot be seen as its escape.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}
