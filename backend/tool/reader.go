package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader reads a JSON text once, strictly: what encoding/json would pick from silently, it refuses. It gives the value the
// schema is checked against, with numbers as json.Number, and the text that is decoded.
type reader struct {
	text    string
	lenient bool // for results: keys that differ only in case are as good as others
	at      int
	depth   int
	edits   []edit
}

// edit is a change on the way from the text as sent to the text that is decoded: a default put in, 1.0 written as 1.
type edit struct {
	start, end int
	text       string
}

// maxDepth is how deep arguments may nest; browsers and encoding/json give up somewhere above.
const maxDepth = 1000

var errTooDeep = fmt.Errorf("nested deeper than %d levels", maxDepth)

// mismatch is a reader's error, with the path to the place.
type mismatch struct {
	path    []string // innermost first
	message string
}

func (m *mismatch) Error() string {
	var b strings.Builder
	b.WriteString("at '")
	for _, key := range slices.Backward(m.path) {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
	}
	b.WriteString("': ")
	b.WriteString(m.message)
	return b.String()
}

// syntaxError is a text that is not JSON.
type syntaxError struct {
	at      int
	message string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("not valid JSON: %s at byte %d", e.message, e.at)
}

// within puts a key before the path of an error on its way out.
func within(err error, key string) error {
	var m *mismatch
	if errors.As(err, &m) {
		m.path = append(m.path, key)
	}
	return err
}

func (r *reader) fail(format string, args ...any) error {
	if r.at >= len(r.text) {
		return &syntaxError{at: len(r.text), message: "it ends too early"}
	}
	return &syntaxError{at: r.at, message: fmt.Sprintf(format, args...)}
}

// document reads the whole text as one value.
func (r *reader) document(sh *shape) (any, error) {
	v, err := r.value(sh)
	if err != nil {
		return nil, err
	}
	if r.space(); r.at < len(r.text) {
		return nil, &syntaxError{at: r.at, message: fmt.Sprintf("after the first value comes %s", excerpt(r.text[r.at:]))}
	}
	return v, nil
}

// decoded is the text to decode: the one that was read, with its edits made.
func (r *reader) decoded() []byte {
	if len(r.edits) == 0 {
		return []byte(r.text)
	}
	out := make([]byte, 0, len(r.text)+64*len(r.edits))
	from := 0
	for _, e := range r.edits {
		out = append(out, r.text[from:e.start]...)
		out = append(out, e.text...)
		from = e.end
	}
	return append(out, r.text[from:]...)
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *reader) value(sh *shape) (any, error) {
	r.space()
	switch c := r.peek(); {
	case c == '{':
		if err := r.enter(); err != nil {
			return nil, err
		}
		defer r.leave()
		return r.object(sh)
	case c == '[':
		if err := r.enter(); err != nil {
			return nil, err
		}
		defer r.leave()
		return r.array(sh)
	case c == '"':
		return r.string()
	case c == '-' || c >= '0' && c <= '9':
		return r.number(sh)
	case strings.HasPrefix(r.text[r.at:], "true"):
		r.at += 4
		return true, nil
	case strings.HasPrefix(r.text[r.at:], "false"):
		r.at += 5
		return false, nil
	case strings.HasPrefix(r.text[r.at:], "null"):
		r.at += 4
		return nil, nil
	default:
		return nil, r.fail("expected a value, found %q", excerpt(r.text[r.at:]))
	}
}

// enter steps over an opening bracket.
func (r *reader) enter() error {
	if r.depth++; r.depth > maxDepth {
		return errTooDeep // without its path, which is long
	}
	r.at++
	return nil
}

func (r *reader) leave() { r.depth-- }

func (r *reader) array(sh *shape) (any, error) {
	var elem *shape
	if sh != nil {
		elem = sh.elem
	}
	list := []any{}
	if r.space(); r.peek() == ']' {
		r.at++
		return list, nil
	}
	for {
		v, err := r.value(elem)
		if err != nil {
			return nil, within(err, strconv.Itoa(len(list)))
		}
		list = append(list, v)
		r.space()
		switch r.peek() {
		case ',':
			r.at++
		case ']':
			r.at++
			return list, nil
		default:
			return nil, r.fail("expected , or ] in an array")
		}
	}
}

func (r *reader) object(sh *shape) (any, error) {
	object := map[string]any{}
	keys := keySet{lenient: r.lenient}
	if r.space(); r.peek() == '}' {
		r.fill(sh, object)
		r.at++
		return object, nil
	}
	for {
		r.space()
		if r.peek() != '"' {
			return nil, r.fail("expected a property name in quotes")
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		below, err := sh.below(key, r.lenient)
		if err != nil {
			return nil, err
		}
		if err := keys.add(key); err != nil {
			return nil, err
		}
		r.space()
		if r.peek() != ':' {
			return nil, r.fail("expected : after a property name")
		}
		r.at++
		v, err := r.value(below)
		if err != nil {
			return nil, within(err, key)
		}
		object[key] = v
		r.space()
		switch r.peek() {
		case ',':
			r.at++
		case '}':
			r.fill(sh, object)
			r.at++
			return object, nil
		default:
			return nil, r.fail("expected , or } in an object")
		}
	}
}

// below is the shape of a member. A name that only its case sets apart from a member's is refused: encoding/json would take it.
func (sh *shape) below(key string, lenient bool) (*shape, error) {
	if sh == nil {
		return nil, nil
	}
	if sh.members == nil {
		return sh.elem, nil
	}
	if m, ok := sh.members[key]; ok {
		return m.shape, nil
	}
	if name, ok := sh.folded[fold(key)]; ok && !lenient {
		return nil, &mismatch{message: fmt.Sprintf("property '%s' is written '%s'", excerpt(key), name)}
	}
	return nil, nil
}

// fill puts the defaults of members that are missing before the brace the reader stands at.
func (r *reader) fill(sh *shape, object map[string]any) {
	if sh == nil {
		return
	}
	comma := len(object) > 0
	for _, name := range sh.names {
		m := sh.members[name]
		if _, given := object[name]; given || m.value == nil {
			continue
		}
		text := strconv.Quote(name) // JSON names of Go fields hold nothing the two quote differently
		if comma {
			text = "," + text
		}
		comma = true
		r.edits = append(r.edits, edit{start: r.at, end: r.at, text: text + ":" + string(m.value)})
	}
}

func (r *reader) string() (string, error) {
	start := r.at
	plain := true
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			literal := r.text[start:r.at]
			if plain && utf8.ValidString(literal) {
				return literal[1 : len(literal)-1], nil
			}
			var s string
			if err := json.Unmarshal([]byte(literal), &s); err != nil {
				return "", &syntaxError{at: start, message: "a string with a bad escape"}
			}
			return s, nil
		case c == '\\':
			plain = false
			r.at++
		case c < ' ':
			return "", r.fail("a control character in a string")
		}
	}
	return "", r.fail("")
}

func (r *reader) digits() bool {
	start := r.at
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
	}
	return r.at > start
}

func (r *reader) number(sh *shape) (any, error) {
	start := r.at
	if r.peek() == '-' {
		r.at++
	}
	ok := true
	if r.peek() == '0' {
		r.at++
	} else {
		ok = r.digits()
	}
	whole := true
	if ok && r.peek() == '.' {
		whole = false
		r.at++
		ok = r.digits()
	}
	exponent := 0
	if c := r.peek(); ok && (c == 'e' || c == 'E') {
		whole = false
		if r.at++; r.peek() == '+' || r.peek() == '-' {
			r.at++
		}
		from := r.at
		ok = r.digits()
		exponent = r.at - from
	}
	if !ok {
		return nil, r.fail("a bad number")
	}
	literal := r.text[start:r.at]
	if exponent > 4 {
		return nil, &mismatch{message: "number " + excerpt(literal) + " is out of range"}
	}
	if !whole && sh != nil && sh.integer {
		if n, ok := new(big.Rat).SetString(literal); ok && n.IsInt() {
			r.edits = append(r.edits, edit{start: start, end: r.at, text: n.Num().String()})
		}
	}
	return json.Number(literal), nil
}

// excerpt is the beginning of a text, for a message.
func excerpt(s string) string {
	const most = 80
	more := ""
	if len(s) > most {
		s, more = s[:most], "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")) + more
}
