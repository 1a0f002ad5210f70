package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Schema is a JSON Schema of draft 2020-12, as far as it is needed here. Its zero value lets every JSON through.
type Schema struct {
	Ref         string `json:"$ref,omitempty"`
	Type        Types  `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
	Const       string `json:"const,omitempty"`
	Enum        []any  `json:"enum,omitempty"` // strings, and null where that fits too
	Format      string `json:"format,omitempty"`
	// Minimum is that of a number; nil is none.
	Minimum *int `json:"minimum,omitempty"`

	Properties Properties `json:"properties,omitempty"`
	Required   []string   `json:"required,omitempty"`
	// AdditionalProperties are the members that Properties does not name; nil lets every one through.
	AdditionalProperties *Schema `json:"additionalProperties,omitempty"`

	Items         *Schema        `json:"items,omitempty"`
	MaxItems      int            `json:"maxItems,omitempty"`
	OneOf         []*Schema      `json:"oneOf,omitempty"`
	Discriminator *Discriminator `json:"discriminator,omitempty"`

	// ContentMediaType is what a string holds, and ContentSchema the schema of that.
	ContentMediaType string  `json:"contentMediaType,omitempty"`
	ContentSchema    *Schema `json:"contentSchema,omitempty"`

	nothing bool
}

// Nothing is a schema that nothing fits: as AdditionalProperties, there are no others.
func Nothing() *Schema { return &Schema{nothing: true} }

// MarshalJSON writes a schema that nothing fits as false.
func (s *Schema) MarshalJSON() ([]byte, error) {
	if s.nothing {
		return []byte("false"), nil
	}
	type plain Schema
	return json.Marshal((*plain)(s))
}

// Discriminator names the property by which the schema among several is found, and the schemas by its values.
type Discriminator struct {
	PropertyName string            `json:"propertyName"`
	Mapping      map[string]string `json:"mapping,omitempty"`
}

// Types are the JSON types a value may have; one is written without a list.
type Types []string

// MarshalJSON writes one type as a string.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Properties are the members of an object, in their order.
type Properties []Property

// Property is one member of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// MarshalJSON writes an object with the members in their order.
func (p Properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, property := range p {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(property.Name)
		if err != nil {
			return nil, fmt.Errorf("encode the name of a property: %w", err)
		}
		text, err := json.Marshal(property.Schema)
		if err != nil {
			return nil, fmt.Errorf("encode the property %s: %w", property.Name, err)
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Of is a schema of one JSON type.
func Of(jsonType, description string) *Schema {
	return &Schema{Type: Types{jsonType}, Description: description}
}

// ListOf is a schema of lists.
func ListOf(items *Schema, description string) *Schema {
	return &Schema{Type: Types{"array"}, Items: items, Description: description}
}

// OrNull is a schema that null fits too. One that says no type is left as it is.
func OrNull(s *Schema) *Schema {
	if s.Type == nil || slices.Contains(s.Type, null) {
		return s
	}
	or := *s
	or.Type = append(slices.Clone(s.Type), null)
	if s.Enum != nil {
		or.Enum = append(slices.Clone(s.Enum), nil)
	}
	return &or
}

// NotNull takes back what OrNull did.
func NotNull(s *Schema) *Schema {
	not := *s
	not.Type = slices.DeleteFunc(slices.Clone(s.Type), func(t string) bool { return t == null })
	not.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return v == nil })
	return &not
}

const null = "null"
