package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	schema "github.com/invopop/jsonschema"
)

// shape is what reading an argument text needs of a Go type beside its schema. A nil shape is JSON of any kind.
type shape struct {
	members map[string]*member // of a struct
	names   []string           // their names, in order
	folded  map[string]string  // folded name to name
	elem    *shape             // of a slice, an array or a map
	integer bool               // decoded into an integer
}

// member is one field of a struct.
type member struct {
	shape *shape
	value json.RawMessage // the default; nil for none
}

// walk goes through a schema beside the Go type it was made from: it settles what must be there, defaults and null, and
// returns the shape.
func (b *builder) walk(s *schema.Schema, t reflect.Type, pointer string) (*shape, error) {
	t = deref(t)
	if own, ok := b.shapes[t]; ok && s.Ref != "" {
		return own, nil
	}
	if special := specialSchema(t); special != nil {
		b.constrained = b.constrained || special.Type == "" && !isEmpty(special) // a schema of its own: its promise is not Go's
		b.loose = b.loose || t.Kind() == reflect.Interface
		return &shape{integer: special.Type == "integer"}, nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return b.walkStruct(s, t, pointer)
	case reflect.Slice, reflect.Array:
		if s.Items == nil {
			return nil, nil // bytes
		}
		elem, err := b.walk(s.Items, t.Elem(), pointer+"/items")
		if b.output {
			s.Items = b.orNull(s.Items, t.Elem(), false)
		}
		return &shape{elem: elem}, err
	case reflect.Map:
		return b.walkMap(s, t, pointer)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &shape{integer: true}, nil
	default:
		return nil, nil
	}
}

func (b *builder) walkMap(s *schema.Schema, t reflect.Type, pointer string) (*shape, error) {
	for _, of := range s.PatternProperties {
		s.AdditionalProperties = of // integer keys: servers know no patternProperties, decoding checks them
	}
	s.PatternProperties = nil
	if s.AdditionalProperties == nil || isEmpty(s.AdditionalProperties) {
		s.AdditionalProperties = nil
		b.loose = b.loose || deref(t.Elem()).Kind() == reflect.Interface
		if s.Properties == nil {
			s.Properties = schema.NewProperties() // some servers want them of every object
		}
		return &shape{}, nil
	}
	elem, err := b.walk(s.AdditionalProperties, t.Elem(), pointer+"/additionalProperties")
	if b.output {
		s.AdditionalProperties = b.orNull(s.AdditionalProperties, t.Elem(), false)
	}
	return &shape{elem: elem}, err
}

func (b *builder) walkStruct(s *schema.Schema, t reflect.Type, pointer string) (*shape, error) {
	fields, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	sh := &shape{members: make(map[string]*member, len(fields)), folded: make(map[string]string, len(fields))}
	var required []string
	for _, f := range fields {
		property, ok := s.Properties.Get(f.name)
		if !ok {
			return nil, fmt.Errorf("%s.%s has no schema", t, f.goName)
		}
		at := pointer + "/properties/" + escapePointer(f.name)
		inner, innerAt := property, at
		if f.nullable && len(property.OneOf) == 2 {
			inner, innerAt = property.OneOf[0], at+"/anyOf/0"
			property.AnyOf, property.OneOf = property.OneOf, nil
			property.Description, inner.Description = inner.Description, ""
			inner.Default = nil
		}
		if inner.Ref != "" {
			innerAt = at // nothing below a reference is walked
		}
		of, err := b.walk(inner, f.typ, innerAt)
		if err != nil {
			return nil, err
		}
		b.constrained = b.constrained || isConstrained(inner)
		m := &member{shape: of}
		if f.quoted {
			m.shape = nil
		}
		inner.Default = nil
		if len(f.defaults) > 0 {
			if m.value, err = f.defaultText(inner); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", t, f.goName, err)
			}
			property.Default = m.value
			b.defaults = append(b.defaults, pendingDefault{
				pointer: at, where: t.String() + "." + f.goName, typ: f.typ, quoted: f.quoted, text: m.value,
			})
		}
		if b.output {
			property = b.orNull(property, f.typ, f.optional)
		}
		s.Properties.Set(f.name, property)
		if b.isRequired(f) {
			required = append(required, f.name)
		}
		sh.members[f.name], sh.folded[fold(f.name)] = m, f.name
		sh.names = append(sh.names, f.name)
	}
	s.Required = required
	return sh, nil
}

// isRequired says whether a member must be there. In a result only what Go may leave out may be missing; in arguments, what has
// a default or may be nil as well.
func (b *builder) isRequired(f field) bool {
	if b.output {
		return !f.optional
	}
	if f.required {
		return true
	}
	return !f.optional && len(f.defaults) == 0 && f.typ.Kind() != reflect.Pointer
}

// orNull lets a result's nil slices, maps and pointers through: encoding/json writes them as null.
func (b *builder) orNull(s *schema.Schema, t reflect.Type, optional bool) *schema.Schema {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
	default:
		return s
	}
	if optional || isEmpty(s) || s.AnyOf != nil {
		return s
	}
	described := &schema.Schema{Description: s.Description, AnyOf: []*schema.Schema{s, {Type: "null"}}}
	s.Description = ""
	return described
}

// defaultText is the JSON text of a field's default.
func (f *field) defaultText(s *schema.Schema) (json.RawMessage, error) {
	if s.Type == "array" && (len(f.defaults) > 1 || !strings.HasPrefix(f.defaults[0], "[")) {
		items := make([]json.RawMessage, len(f.defaults))
		for i, d := range f.defaults {
			var err error
			if items[i], err = scalarText(d, s.Items.Type); err != nil {
				return nil, err
			}
		}
		return encode(items)
	}
	if len(f.defaults) > 1 {
		return nil, fmt.Errorf("it has %d defaults", len(f.defaults))
	}
	return scalarText(f.defaults[0], s.Type)
}

func scalarText(value, kind string) (json.RawMessage, error) {
	if kind == "string" {
		return encode(value)
	}
	if !json.Valid([]byte(value)) {
		return nil, fmt.Errorf("default %q is not JSON", value)
	}
	return json.RawMessage(value), nil
}

// normalise brings a schema into the form every OpenAI-compatible server takes: no oneOf, no const, no boolean schemas, and
// nothing beside a reference.
func normalise(s *schema.Schema) {
	if s == nil {
		return
	}
	if s.OneOf != nil {
		if s.AnyOf == nil {
			s.AnyOf = s.OneOf
		} else {
			s.AllOf = append(s.AllOf, &schema.Schema{AnyOf: s.OneOf})
		}
		s.OneOf = nil
	}
	if s.Const != nil {
		s.Enum, s.Const = []any{s.Const}, nil
	}
	if s.Ref != "" && (s.Description != "" || s.Default != nil || s.Title != "") {
		s.AnyOf, s.Ref = []*schema.Schema{{Ref: s.Ref}}, ""
	}
	if isEmpty(s) {
		*s = schema.Schema{Description: "Any JSON value."}
		return
	}
	if s.AdditionalProperties != nil && isBoolean(s.AdditionalProperties, "false") {
		s.AdditionalProperties = nil
	}
	for _, below := range slices.Concat(s.AllOf, s.AnyOf, s.PrefixItems) {
		normalise(below)
	}
	for _, below := range []*schema.Schema{s.Items, s.AdditionalProperties, s.Not, s.Contains, s.PropertyNames, s.If, s.Then, s.Else} {
		normalise(below)
	}
	for _, below := range s.Definitions {
		normalise(below)
	}
	for _, below := range s.PatternProperties {
		normalise(below)
	}
	if s.Properties != nil {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			normalise(p.Value)
		}
	}
}

func isEmpty(s *schema.Schema) bool { return isBoolean(s, "true") }

func isBoolean(s *schema.Schema, which string) bool {
	text, err := json.Marshal(s)
	return err == nil && string(text) == which
}

// isConstrained reports whether tags say more of a value than its Go type does.
func isConstrained(s *schema.Schema) bool {
	return s.Enum != nil || s.Pattern != "" || s.MinLength != nil || s.MaxLength != nil || s.MultipleOf != "" ||
		s.Minimum != "" && s.Minimum != "0" || s.Maximum != "" || s.ExclusiveMinimum != "" || s.ExclusiveMaximum != "" ||
		s.MinItems != nil || s.MaxItems != nil || s.UniqueItems || s.OneOf != nil || s.AnyOf != nil ||
		s.Format != "" && s.Format != "date-time" || s.Items != nil && isConstrained(s.Items)
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "%", "%25").Replace(name)
}
