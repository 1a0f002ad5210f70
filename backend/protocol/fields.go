package protocol

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// fields are the members of a JSON object, read by their exact names; of a name that repeats, the last counts. Null counts as
// absent. The first thing that is wrong is kept in err.
type fields struct {
	list []member
	err  error
}

// find returns the text of a member, nil when it is absent or null.
func (f *fields) find(name string) []byte {
	for _, m := range slices.Backward(f.list) {
		if string(m.name) != name {
			continue
		}
		if string(m.value) == "null" {
			return nil
		}
		return m.value
	}
	return nil
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// text is a string that has to be there.
func (f *fields) text(name string) string {
	if f.find(name) == nil {
		f.fail("%s is missing", name)
	}
	return f.optionalText(name)
}

// id is a string that has to be there and not empty.
func (f *fields) id(name string) string {
	s := f.text(name)
	if s == "" {
		f.fail("%s is empty", name)
	}
	return s
}

func (f *fields) optionalText(name string) string {
	value := f.find(name)
	switch {
	case value == nil:
		return ""
	case value[0] != '"':
		f.fail("%s is not a string", name)
		return ""
	default:
		return unquote(value)
	}
}

// integer is the whole part of a number; servers of other kinds measure in fractions.
func (f *fields) integer(name string) *int64 {
	value := f.find(name)
	if value == nil {
		return nil
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && n <= maxInteger && n >= -maxInteger {
		return &n
	}
	x, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil && !math.IsInf(x, 0):
		f.fail("%s is not a number", name)
		return nil
	case math.Abs(math.Trunc(x)) > maxInteger:
		f.fail("%s is too big a number", name)
		return nil
	}
	n := int64(x)
	return &n
}

// maxInteger is the biggest whole number every reader holds exactly.
const maxInteger = 1<<53 - 1

func (f *fields) integerOr0(name string) int64 {
	if n := f.integer(name); n != nil {
		return *n
	}
	return 0
}

func (f *fields) flag(name string) bool {
	switch string(f.find(name)) {
	case "true":
		return true
	case "false", "":
		return false
	default:
		f.fail("%s is not true or false", name)
		return false
	}
}

// raw is a copy of a member's JSON, nil when it is absent or null.
func (f *fields) raw(name string) json.RawMessage {
	return slices.Clone(f.find(name))
}

// rawOrNull is raw, but keeps a null.
func (f *fields) rawOrNull(name string) json.RawMessage {
	for _, m := range slices.Backward(f.list) {
		if string(m.name) == name {
			return slices.Clone(m.value)
		}
	}
	return nil
}

// object returns the fields of a member, nil when it is absent. What is wrong in them has to be given to check.
func (f *fields) object(name string) *fields {
	value := f.find(name)
	if value == nil {
		return nil
	}
	list, err := scanMembers(nil, value)
	if err != nil {
		f.fail("%s is not an object", name)
		return nil
	}
	return &fields{list: list}
}

func (f *fields) check(inner *fields) {
	if inner.err != nil {
		f.fail("%w", inner.err)
	}
}

// elements returns the texts of a list's elements.
func (f *fields) elements(name string) [][]byte {
	value := f.find(name)
	if value != nil && value[0] != '[' {
		f.fail("%s is not a list", name)
		return nil
	}
	return scanElements(value)
}

// oneOf is a string that has to be one of those known.
func oneOf[T ~string](f *fields, name string, known []T) T {
	value := T(f.text(name))
	if !slices.Contains(known, value) {
		f.fail("%s is unknown: %s", name, value)
	}
	return value
}
