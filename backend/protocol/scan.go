package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// scanner walks JSON text in place and checks it. encoding/json would take a member by a name that differs only in case, and
// reads an event of a few fields several times slower.
type scanner struct {
	data []byte
	at   int
	open []byte // the closing brackets that are due, innermost last
}

// member is one of an object, its value by its text.
type member struct {
	name   []byte
	quoted []byte // the name as it was written
	value  []byte
}

// scanMembers appends the members of data, one JSON object, to list. Their values alias data.
func scanMembers(list []member, data []byte) ([]member, error) {
	s := scanner{data: data}
	list, err := s.members(list)
	if err != nil {
		return nil, err
	}
	if s.space(); s.at < len(data) {
		return nil, s.unexpected("the end")
	}
	return list, nil
}

func (s *scanner) members(list []member) ([]member, error) {
	if !s.take('{') {
		return nil, s.unexpected("an object")
	}
	if s.take('}') {
		return list, nil
	}
	for {
		name, quoted, err := s.key()
		if err != nil {
			return nil, err
		}
		value, err := s.value()
		if err != nil {
			return nil, err
		}
		list = append(list, member{name, quoted, value})
		if s.take('}') {
			return list, nil
		}
		if !s.take(',') {
			return nil, s.unexpected("a comma or the end of an object")
		}
	}
}

// scanElements returns the elements of an array that is known to be valid.
func scanElements(data []byte) [][]byte {
	s := scanner{data: data}
	var list [][]byte
	if !s.take('[') || s.take(']') {
		return nil
	}
	for {
		value, err := s.value()
		if err != nil {
			return list
		}
		list = append(list, value)
		if !s.take(',') {
			return list
		}
	}
}

// key steps over a member's name and its colon.
func (s *scanner) key() (name, quoted []byte, err error) {
	s.space()
	start := s.at
	escaped, err := s.text()
	if err != nil {
		return nil, nil, err
	}
	quoted = s.data[start:s.at]
	name = quoted[1 : len(quoted)-1]
	if escaped {
		name = []byte(unquote(quoted))
	}
	if !s.take(':') {
		return nil, nil, s.unexpected("a colon")
	}
	return name, quoted, nil
}

// value steps over the next value and returns its text. It does not recurse: any depth will do.
func (s *scanner) value() ([]byte, error) {
	s.space()
	start := s.at
	s.open = s.open[:0]
	for {
		opened, err := s.token()
		if err != nil {
			return nil, err
		}
		for !opened {
			if len(s.open) == 0 {
				return s.data[start:s.at], nil
			}
			if opened, err = s.next(); err != nil {
				return nil, err
			}
		}
	}
}

// token steps over a scalar or an empty list, or, reporting true, over an opening bracket up to the value that is due behind it.
func (s *scanner) token() (opened bool, err error) {
	s.space()
	if s.at >= len(s.data) {
		return false, s.unexpected("a value")
	}
	switch c := s.data[s.at]; c {
	case '{', '[':
		s.at++
		closing := c + 2 // in ASCII
		if s.take(closing) {
			return false, nil
		}
		s.open = append(s.open, closing)
		if c == '{' {
			_, _, err = s.key()
		}
		return true, err
	case '"':
		_, err = s.text()
		return false, err
	case 't':
		return false, s.word("true")
	case 'f':
		return false, s.word("false")
	case 'n':
		return false, s.word("null")
	default:
		return false, s.number()
	}
}

// next steps, after a value in a list, over a comma up to the next value, reporting true, or over the list's end.
func (s *scanner) next() (due bool, err error) {
	closing := s.open[len(s.open)-1]
	if s.take(',') {
		if closing == '}' {
			_, _, err = s.key()
		}
		return true, err
	}
	if !s.take(closing) {
		return false, s.unexpected("a comma or " + string(closing))
	}
	s.open = s.open[:len(s.open)-1]
	return false, nil
}

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return
		}
	}
}

// take steps over c, if it is next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.at >= len(s.data) || s.data[s.at] != c {
		return false
	}
	s.at++
	return true
}

// text steps over a string and reports whether it has escapes.
func (s *scanner) text() (escaped bool, err error) {
	if s.at >= len(s.data) || s.data[s.at] != '"' {
		return false, s.unexpected("a string")
	}
	for s.at++; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return escaped, nil
		case c == '\\':
			escaped = true
			if err := s.escape(); err != nil {
				return false, err
			}
		case c < 0x20:
			return false, s.unexpected("a character of a string")
		}
	}
	return false, s.unexpected("the end of a string")
}

// escape steps from a backslash to the last byte of its escape.
func (s *scanner) escape() error {
	s.at++
	if s.at >= len(s.data) {
		return s.unexpected("an escape")
	}
	switch s.data[s.at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		for range 4 {
			s.at++
			if s.at >= len(s.data) || !isHex(s.data[s.at]) {
				return s.unexpected("a hexadecimal digit")
			}
		}
		return nil
	default:
		return s.unexpected("an escape")
	}
}

func (s *scanner) word(word string) error {
	for i := range len(word) {
		if s.at >= len(s.data) || s.data[s.at] != word[i] {
			return s.unexpected("a value")
		}
		s.at++
	}
	return nil
}

func (s *scanner) number() error {
	if s.at < len(s.data) && s.data[s.at] == '-' {
		s.at++
	}
	if s.at < len(s.data) && s.data[s.at] == '0' {
		s.at++
	} else if !s.digits() {
		return s.unexpected("a value")
	}
	if s.at < len(s.data) && s.data[s.at] == '.' {
		s.at++
		if !s.digits() {
			return s.unexpected("a digit")
		}
	}
	if s.at < len(s.data) && (s.data[s.at] == 'e' || s.data[s.at] == 'E') {
		s.at++
		if s.at < len(s.data) && (s.data[s.at] == '+' || s.data[s.at] == '-') {
			s.at++
		}
		if !s.digits() {
			return s.unexpected("a digit")
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
		s.at++
	}
	return s.at > start
}

func (s *scanner) unexpected(want string) error {
	if s.at >= len(s.data) {
		return fmt.Errorf("it ends where %s should stand", want)
	}
	return fmt.Errorf("%q at byte %d where %s should stand", s.data[s.at], s.at, want)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// unquote returns what a JSON string that was scanned stands for. What Go cannot hold becomes U+FFFD.
func unquote(quoted []byte) string {
	body := quoted[1 : len(quoted)-1]
	escape := bytes.IndexByte(body, '\\')
	if escape < 0 && utf8.Valid(body) {
		return string(body)
	}
	if escape < 0 {
		return unquoteSlowly(quoted)
	}
	var room [512]byte
	out := append(room[:0], body[:escape]...)
	for i := escape; i < len(body); i++ {
		c := body[i]
		if c == '\\' {
			i++
			switch c = body[i]; c {
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'u':
				return unquoteSlowly(quoted)
			}
		}
		out = append(out, c)
	}
	if !utf8.Valid(out) {
		return unquoteSlowly(quoted)
	}
	return string(out)
}

func unquoteSlowly(quoted []byte) string {
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return string(quoted) // it is not JSON, and was not scanned
	}
	return s
}
