package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Named is a Go struct whose JSON has a schema of its own in a document.
type Named struct {
	Value       any    // of the type
	Name        string // of the schema
	Description string
	// Tag is the value of the member "type" by which it is told from the others of the Union; empty is none of them.
	Tag string
}

// Union is the schema of a Go interface: one of the structs that have a Tag.
type Union struct {
	Type        reflect.Type
	Name        string
	Description string
	// Common are the members each of them has behind its type, and of these Required those that may not be missing.
	Common   Properties
	Required []string
}

// Schemas are the schemas of Go types, as encoding/json writes their values: members that may be left out are those with omitempty.
// What a member is stands in its tag jsonschema_description.
type Schemas struct {
	names map[reflect.Type]string
	enums map[reflect.Type][]string
	made  map[string]*Schema
}

// NewSchemas makes the schemas of structs and of their union. No other structs may be in them; strings are fixed that are enums.
func NewSchemas(structs []Named, union Union, enums map[reflect.Type][]string) (*Schemas, error) {
	s := &Schemas{names: map[reflect.Type]string{union.Type: union.Name}, enums: enums, made: map[string]*Schema{}}
	for _, n := range structs {
		s.names[reflect.TypeOf(n.Value)] = n.Name
	}
	one := &Schema{Description: union.Description, Discriminator: &Discriminator{PropertyName: "type", Mapping: map[string]string{}}}
	for _, n := range structs {
		object := Of("object", n.Description)
		if n.Tag != "" {
			object.Properties = append(Properties{{"type", &Schema{Type: Types{"string"}, Const: n.Tag}}}, union.Common...)
			object.Required = append([]string{"type"}, union.Required...)
			one.OneOf = append(one.OneOf, Ref(n.Name))
			one.Discriminator.Mapping[n.Tag] = Ref(n.Name).Ref
		}
		if err := s.addMembers(object, reflect.TypeOf(n.Value)); err != nil {
			return nil, fmt.Errorf("make the schema of %s: %w", n.Name, err)
		}
		if _, twice := s.made[n.Name]; twice {
			return nil, fmt.Errorf("make the schema of %s: there are two of that name", n.Name)
		}
		s.made[n.Name] = object
	}
	s.made[union.Name] = one
	return s, nil
}

// All are the schemas by their names.
func (s *Schemas) All() map[string]*Schema { return s.made }

// Add puts a schema under a name of its own.
func (s *Schemas) Add(name string, schema *Schema) *Schema {
	s.made[name] = schema
	return Ref(name)
}

// Ref refers to a schema of a document.
func Ref(name string) *Schema { return &Schema{Ref: "#/components/schemas/" + name} }

// Of is the schema of a Go type.
func (s *Schemas) Of(t reflect.Type) (*Schema, error) {
	if name, ok := s.names[t]; ok {
		return Ref(name), nil
	}
	if values, ok := s.enums[t]; ok {
		one := Of("string", "")
		for _, value := range values {
			one.Enum = append(one.Enum, value)
		}
		return one, nil
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return &Schema{}, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.Of(t.Elem())
	case reflect.String:
		return Of("string", ""), nil
	case reflect.Bool:
		return Of("boolean", ""), nil
	case reflect.Int, reflect.Int64:
		return Of("integer", ""), nil
	case reflect.Float64:
		return Of("number", ""), nil
	case reflect.Slice:
		items, err := s.Of(t.Elem())
		return ListOf(items, ""), err
	}
	return nil, fmt.Errorf("%s has no schema", t)
}

func (s *Schemas) addMembers(to *Schema, t reflect.Type) error {
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			continue // its own fields are visible
		}
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			return fmt.Errorf("%s.%s has no name in JSON", t, field.Name)
		}
		member, err := s.Of(field.Type)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", t, field.Name, err)
		}
		if about := field.Tag.Get("jsonschema_description"); about != "" {
			member.Description = about
		}
		to.Properties = append(to.Properties, Property{name, member})
		if !slices.Contains(strings.Split(options, ","), "omitempty") {
			to.Required = append(to.Required, name)
		}
	}
	return nil
}
