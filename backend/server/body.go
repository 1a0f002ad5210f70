package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"callboard/backend/internal/openapi"
)

// members are what a JSON object may have, by name.
type members map[string]member

// member is what to do with a value, and what the value is to be.
type member struct {
	take   func(value json.RawMessage) error
	schema *openapi.Schema
	needed bool // for the document: who reads the object says what is missing
}

// body is a request's body, and its name in the document.
type body struct {
	name, says string
	members
}

// needed is a member no object may be without.
func needed(m member) member {
	m.needed, m.schema = true, openapi.NotNull(m.schema)
	return m
}

// readBody reads a request's body, a JSON object of the members. It refuses unknown members, those that come twice, and data after
// the object: what is ignored in silence is a mistake found late.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, m members) error {
	if err := checkMediaType(r.Header.Get("Content-Type")); err != nil {
		return err
	}
	limit := s.MaxBody
	if limit == 0 {
		limit = DefaultMaxBody
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return err
	}
	if err != nil {
		return invalid("read the body: %v", err)
	}
	if !utf8.Valid(data) {
		return invalid("the body is not UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return invalid("the body is not JSON: %v", err)
	}
	if err := readObject(data, m); err != nil {
		return invalid("%v", err)
	}
	return nil
}

func checkMediaType(value string) error {
	media, parameters, err := mime.ParseMediaType(value)
	isJSON := media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
	charset := parameters["charset"]
	if err == nil && isJSON && (charset == "" || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	said := fmt.Sprintf("%q", value)
	if value == "" {
		said = "none"
	}
	return &failure{
		status: http.StatusUnsupportedMediaType, code: CodeUnsupportedMediaType,
		message: "the body's Content-Type must be application/json, in UTF-8; it is " + said,
	}
}

// readObject hands the members of a valid JSON text to their functions. A null counts as a member left out, but for a raw one.
func readObject(data json.RawMessage, m members) error {
	return eachMember(data, func(name string, value json.RawMessage) error {
		known, ok := m[name]
		if !ok {
			return fmt.Errorf("unknown member %q; known are %s", name, strings.Join(slices.Sorted(maps.Keys(m)), ", "))
		}
		if err := known.take(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// eachMember calls do with each member of a valid JSON object, in order, its value's bytes as they are.
func eachMember(data json.RawMessage, do func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("must be a JSON object")
	}
	seen := map[string]struct{}{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string) // a key is always one
		if _, twice := seen[name]; twice {
			return fmt.Errorf("member %q comes twice", name)
		}
		seen[name] = struct{}{}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := do(name, value); err != nil {
			return err
		}
	}
	return nil
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }

// text takes a string.
func text(to **string, about string) member {
	return member{schema: openapi.OrNull(openapi.Of("string", about)), take: func(value json.RawMessage) error {
		if !isNull(value) && json.Unmarshal(value, to) != nil {
			return errors.New("must be a string")
		}
		return nil
	}}
}

// flag takes true or false.
func flag(to **bool, about string) member {
	return member{schema: openapi.OrNull(openapi.Of("boolean", about)), take: func(value json.RawMessage) error {
		if !isNull(value) && json.Unmarshal(value, to) != nil {
			return errors.New("must be true or false")
		}
		return nil
	}}
}

// raw takes any value, null too.
func raw(to *json.RawMessage, about string) member {
	return member{schema: &openapi.Schema{Description: about}, take: func(value json.RawMessage) error {
		*to = value
		return nil
	}}
}

// anObject takes an object whose members are for the client's own use.
func anObject(to *json.RawMessage, about string) member {
	return member{schema: openapi.OrNull(openapi.Of("object", about)), take: func(value json.RawMessage) error {
		if isNull(value) {
			return nil
		}
		if value[0] != '{' {
			return errors.New("must be a JSON object")
		}
		*to = value
		return nil
	}}
}

// oneOf is a text of which some values alone fit; who reads it says so.
func oneOf[T ~string](m member, values ...T) member {
	m.schema = openapi.NotNull(m.schema)
	for _, v := range values {
		m.schema.Enum = append(m.schema.Enum, string(v))
	}
	m.schema = openapi.OrNull(m.schema)
	return m
}

// schemaOf is the schema of an object of the members.
func schemaOf(m members, about string) *openapi.Schema {
	object := openapi.Of("object", about)
	object.AdditionalProperties = openapi.Nothing()
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name].needed {
			object.Required = append(object.Required, name)
		}
		object.Properties = append(object.Properties, openapi.Property{Name: name, Schema: m[name].schema})
	}
	return object
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
