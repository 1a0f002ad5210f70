package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"callboard/backend/model/internal/jsonscan"
)

// parser reads a script that is known to be valid JSON, and knows the place of all it reads.
type parser struct {
	data  []byte
	name  string
	turn  int // the one being read, from 1; 0 outside
	chunk int // the one being read, from 1; 0 outside
}

// span is where a value stands in the data.
type span struct{ start, end int }

// member is one name and value of an object.
type member struct {
	name  string
	at    int // where the name stands
	value span
}

// object returns the members of the object at s, which may have no others than names, each once.
func (p *parser) object(s span, what string, names ...string) ([]member, error) {
	if p.data[s.start] != '{' {
		return nil, p.fail(s.start, "%s is %s, not an object", what, p.kind(s))
	}
	var members []member
	i := s.start + 1
	for {
		quoted, next, _ := jsonscan.Member(p.data, i, len(members) > 0)
		if quoted == nil {
			return members, nil
		}
		end, _ := jsonscan.Value(p.data, next)
		m := member{at: jsonscan.Space(p.data, i), value: span{next, end}}
		if len(members) > 0 {
			m.at = jsonscan.Space(p.data, m.at+1)
		}
		i = end
		var err error
		if m.name, err = unquote(quoted); err != nil {
			return nil, p.fail(m.at, "%s", err)
		}
		if !slices.Contains(names, m.name) {
			return nil, p.fail(m.at, "%s has an unknown member %q; it may have %s", what, m.name, strings.Join(names, ", "))
		}
		if slices.ContainsFunc(members, func(other member) bool { return other.name == m.name }) {
			return nil, p.fail(m.at, "%s has %q twice", what, m.name)
		}
		members = append(members, m)
	}
}

// array returns where the elements of the array at s stand.
func (p *parser) array(s span, what string) ([]span, error) {
	if p.data[s.start] != '[' {
		return nil, p.fail(s.start, "%s is %s, not an array", what, p.kind(s))
	}
	var spans []span
	i := s.start + 1
	for {
		next, found, _ := jsonscan.Element(p.data, i, len(spans) > 0)
		if !found {
			return spans, nil
		}
		i, _ = jsonscan.Value(p.data, next)
		spans = append(spans, span{next, i})
	}
}

func (p *parser) text(m member) (string, error) {
	return p.string(m, "a string")
}

// string reads a string; want says in the error what it should have been.
func (p *parser) string(m member, want string) (s string, err error) {
	if p.data[m.value.start] != '"' {
		return "", p.fail(m.value.start, "%q is %s, not %s", m.name, p.kind(m.value), want)
	}
	if s, err = unquote(p.data[m.value.start:m.value.end]); err != nil {
		return "", p.fail(m.value.start, "%q: %s", m.name, err)
	}
	return s, nil
}

func (p *parser) bool(m member) (bool, error) {
	switch string(p.data[m.value.start:m.value.end]) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, p.fail(m.value.start, "%q is %s, not true or false", m.name, p.kind(m.value))
}

func (p *parser) count(m member) (n int64, err error) {
	if err := json.Unmarshal(p.data[m.value.start:m.value.end], &n); err != nil || n < 0 || p.data[m.value.start] == 'n' {
		return 0, p.fail(m.value.start, "%q is %.40s, not a whole number from 0", m.name, p.data[m.value.start:m.value.end])
	}
	return n, nil
}

func oneOf[T ~string](p *parser, m member, values ...T) (T, error) {
	s, err := p.text(m)
	if err != nil {
		return "", err
	}
	if !slices.Contains(values, T(s)) {
		names := make([]string, len(values))
		for i, v := range values {
			names[i] = string(v)
		}
		return "", p.fail(m.value.start, "%q is %q; it may be %s", m.name, s, strings.Join(names, ", "))
	}
	return T(s), nil
}

func unquote(quoted []byte) (s string, err error) {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), nil
	}
	err = json.Unmarshal(quoted, &s)
	return s, err
}

func (p *parser) kind(s span) string {
	switch p.data[s.start] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// fail makes an error of the place at.
func (p *parser) fail(at int, format string, args ...any) error {
	line := 1 + bytes.Count(p.data[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(p.data[:at], '\n')
	where := fmt.Sprintf("%s:%d:%d", p.name, line, column)
	switch {
	case p.chunk > 0:
		where += fmt.Sprintf(": turn %d, chunk %d", p.turn, p.chunk)
	case p.turn > 0:
		where += fmt.Sprintf(": turn %d", p.turn)
	}
	return fmt.Errorf("load script %s: %s", where, fmt.Sprintf(format, args...))
}

// valid reports the first place at which the data is not JSON.
func (p *parser) valid() error {
	err := json.Unmarshal(p.data, new(json.RawMessage))
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := int(syntax.Offset) // counts the byte that is wrong, or all when the text ends too soon
	if !strings.Contains(syntax.Error(), "unexpected end") {
		at--
	}
	return p.fail(max(0, min(at, len(p.data))), "%s", syntax)
}
