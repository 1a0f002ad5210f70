package studio

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// misfit says why a JSON text does not fit, in the words of who wrote it: with the member's path as it stands there, and nothing of
// the types it was read into.
func misfit(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	var path []string
	for name := range strings.SplitSeq(wrong.Field, ".") {
		if first, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(first) { // an embedded type has no member of its own
			path = append(path, name)
		}
	}
	got := wrong.Value
	if name, ok := gotNames[got]; ok {
		got = name
	} else if _, number, ok := strings.Cut(got, " "); ok { // "number 1.5"
		got = number
	}
	said := "must be " + wanted(wrong.Type) + ", got " + got
	if at := strings.Join(path, "."); at != "" {
		return at + ": " + said
	}
	return said
}

var gotNames = map[string]string{
	"string": "a string", "number": "a number", "bool": "true or false", "array": "a list", "object": "an object",
}

// wanted names the JSON that a type is read from.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not negative"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}
