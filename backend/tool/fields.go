package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// field is one member of a struct as encoding/json sees it, with what its tags say of its schema.
type field struct {
	name     string // on the wire
	goName   string
	typ      reflect.Type
	optional bool // omitempty or omitzero
	required bool // said in the jsonschema tag
	nullable bool
	quoted   bool // a number or a bool inside a string
	defaults []string
}

// fieldsOf lists a struct's members, those of embedded structs too. It refuses what encoding/json and the schema would read
// in two ways: such a tool would be told one thing and get another.
func fieldsOf(t reflect.Type) ([]field, error) {
	fields, err := appendFields(nil, t, nil)
	if err != nil {
		return nil, err
	}
	for i, f := range fields {
		for _, g := range fields[:i] {
			if strings.EqualFold(f.name, g.name) {
				return nil, fmt.Errorf("%s: fields %s and %s are called %q and %q", t, g.goName, f.goName, g.name, f.name)
			}
		}
	}
	return fields, nil
}

func appendFields(fields []field, t reflect.Type, inside []reflect.Type) ([]field, error) {
	if slices.Contains(inside, t) {
		return nil, fmt.Errorf("%s embeds itself", t)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		where := t.String() + "." + f.Name
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" {
			continue
		}
		embedded := f.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		if f.Anonymous && name == "" && embedded.Kind() == reflect.Struct {
			if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
				return nil, fmt.Errorf("%s: an embedded pointer to an unexported struct cannot be decoded", where)
			}
			var err error
			if fields, err = appendFields(fields, embedded, append(inside, t)); err != nil {
				return nil, err
			}
			continue
		}
		if !f.IsExported() {
			if f.Anonymous || f.Tag.Get("json") != "" {
				return nil, fmt.Errorf("%s is not exported: tag it `json:\"-\"`", where)
			}
			continue
		}
		if name == "-" || strings.ContainsAny(name, "\"'`\\") {
			return nil, fmt.Errorf("%s: %q cannot be a JSON name", where, name)
		}
		if name == "" {
			name = f.Name
		}
		described := field{name: name, goName: f.Name, typ: f.Type}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty", "omitzero":
				described.optional = true
			case "string":
				described.quoted = true
			case "inline":
				return nil, fmt.Errorf("%s: encoding/json does not inline a named field: embed it", where)
			}
		}
		if err := described.readTag(f.Tag.Get("jsonschema")); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		fields = append(fields, described)
	}
	return fields, nil
}

// keywords are the keys the jsonschema tag may have, with the kinds of schema each one means something for.
var keywords = map[string]string{
	"title": "", "description": "", "type": "", "anchor": "", "default": "",
	"oneof_required": "", "anyof_required": "", "oneof_ref": "", "anyof_ref": "", "oneof_type": "", "anyof_type": "",
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
	"readOnly": "string", "writeOnly": "string", "example": "string number", "enum": "string number",
	"multipleOf": "number", "minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
	"minItems": "array", "maxItems": "array", "uniqueItems": "array",
}

// readTag reads a jsonschema tag, and refuses what the library that makes the schema would drop without a word.
func (f *field) readTag(tag string) error {
	if tag == "" {
		return nil
	}
	if tag == "-" {
		return fmt.Errorf("hidden from the schema but not from decoding: tag it `json:\"-\"`")
	}
	for _, piece := range splitTag(tag) {
		key, value, hasValue := strings.Cut(piece, "=")
		kinds, known := keywords[key]
		switch {
		case piece == "required":
			f.required = true
		case piece == "nullable":
			f.nullable = true
		case !hasValue || !known:
			return fmt.Errorf("jsonschema tag: %q is not understood; "+
				`a comma inside a value is written \\, and a description with commas goes into jsonschema_description`, piece)
		case key == "default":
			f.defaults = append(f.defaults, value)
		default:
			if err := f.checkKeyword(key, value, kinds); err != nil {
				return err
			}
		}
	}
	if len(f.defaults) > 0 && f.required {
		return fmt.Errorf("it is required and has a default")
	}
	return nil
}

func (f *field) checkKeyword(key, value, kinds string) error {
	if kinds == "" {
		return nil
	}
	t := deref(f.typ)
	kind := f.kindOf(t)
	isList := kind == "array"
	if isList && !strings.Contains(kinds, "array") {
		kind = f.kindOf(deref(t.Elem()))
	}
	if kind == "" {
		return nil // a schema of the type's own, or any
	}
	if !strings.Contains(kinds, kind) {
		return fmt.Errorf("jsonschema tag: %s says nothing about a %s", key, t)
	}
	numeric := kind == "number" || key == "minLength" || key == "maxLength" || key == "minItems" || key == "maxItems"
	if numeric && !isNumber(value) {
		return fmt.Errorf("jsonschema tag: %s=%s is not a number", key, value)
	}
	return nil
}

// kindOf is the kind of schema a type has, in the terms of keywords; empty when tags cannot tell.
func (f *field) kindOf(t reflect.Type) string {
	if s := specialSchema(t); s != nil {
		switch s.Type {
		case "integer", "number":
			if f.quoted {
				return "string"
			}
			return "number"
		case "string":
			return "string"
		default:
			return ""
		}
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string"
		}
		return "array"
	case reflect.Bool:
		return "boolean"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Interface:
		return ""
	default:
		if f.quoted {
			return "string"
		}
		return "number"
	}
}

// splitTag splits at commas that no backslash stands before, as invopop/jsonschema does.
func splitTag(tag string) []string {
	var pieces []string
	for piece := range strings.SplitSeq(tag, ",") {
		if n := len(pieces); n > 0 && strings.HasSuffix(pieces[n-1], `\`) {
			pieces[n-1] = strings.TrimSuffix(pieces[n-1], `\`) + "," + piece
		} else {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

func isNumber(s string) bool {
	var n json.Number
	return s != "" && s[0] != '"' && json.Unmarshal([]byte(s), &n) == nil
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
