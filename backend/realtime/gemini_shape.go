package realtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// geminiShape is the part of JSON Schema that Gemini Live knows of the parameters of a function. The session refuses any other
// member, and of parametersJsonSchema, which takes them all elsewhere, it takes no notice.
type geminiShape struct {
	Type        string          `json:"type,omitempty"`
	Format      string          `json:"format,omitempty"`
	Description string          `json:"description,omitempty"`
	Nullable    bool            `json:"nullable,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Items       *geminiShape    `json:"items,omitempty"`
	Properties  geminiMembers   `json:"properties,omitempty"`
	Ordering    []string        `json:"propertyOrdering,omitempty"`
	Required    []string        `json:"required,omitempty"`
	AnyOf       []*geminiShape  `json:"anyOf,omitempty"`
	Minimum     json.RawMessage `json:"minimum,omitempty"`
	Maximum     json.RawMessage `json:"maximum,omitempty"`
	MinItems    json.RawMessage `json:"minItems,omitempty"`
	MaxItems    json.RawMessage `json:"maxItems,omitempty"`
	MinLength   json.RawMessage `json:"minLength,omitempty"`
	MaxLength   json.RawMessage `json:"maxLength,omitempty"`
	Pattern     string          `json:"pattern,omitempty"`
}

// geminiMembers are the members of an object.
type geminiMembers map[string]*geminiShape

// fullSchema is what is read of a schema. What is not read is checked when a call comes, by who runs it.
type fullSchema struct {
	Ref         string                     `json:"$ref"`
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage `json:"definitions"`
	Type        json.RawMessage            `json:"type"`
	Format      string                     `json:"format"`
	Description string                     `json:"description"`
	Nullable    bool                       `json:"nullable"`
	Enum        []json.RawMessage          `json:"enum"`
	Const       json.RawMessage            `json:"const"`
	Default     json.RawMessage            `json:"default"`
	Items       json.RawMessage            `json:"items"`
	Properties  json.RawMessage            `json:"properties"`
	Required    []string                   `json:"required"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	AllOf       []json.RawMessage          `json:"allOf"`
	Minimum     json.RawMessage            `json:"minimum"`
	Maximum     json.RawMessage            `json:"maximum"`
	MinItems    json.RawMessage            `json:"minItems"`
	MaxItems    json.RawMessage            `json:"maxItems"`
	MinLength   json.RawMessage            `json:"minLength"`
	MaxLength   json.RawMessage            `json:"maxLength"`
	Pattern     string                     `json:"pattern"`
}

// shaper makes the shapes of one schema.
type shaper struct {
	defs map[string]json.RawMessage // by reference
	open []string                   // references being followed
}

func shapeForGemini(schema json.RawMessage) (*geminiShape, error) {
	var root fullSchema
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	s := &shaper{defs: map[string]json.RawMessage{"#": schema}}
	for name, def := range root.Defs {
		s.defs["#/$defs/"+name] = def
	}
	for name, def := range root.Definitions {
		s.defs["#/definitions/"+name] = def
	}
	return s.shape(schema)
}

func (s *shaper) shape(schema json.RawMessage) (*geminiShape, error) {
	if text := string(bytes.TrimSpace(schema)); text == "true" || text == "false" {
		return &geminiShape{}, nil
	}
	var full fullSchema
	if err := json.Unmarshal(schema, &full); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	if full.Ref != "" {
		return s.follow(&full)
	}
	g := &geminiShape{Description: full.Description, Nullable: full.Nullable}
	if err := s.alternatives(g, &full); err != nil {
		return nil, err
	}
	for _, part := range full.AllOf {
		other, err := s.shape(part)
		if err != nil {
			return nil, err
		}
		g.join(other)
	}
	g.take(&full)
	if full.Items != nil && full.Items[0] != '[' { // a list of schemas is a tuple, which the shape cannot say
		items, err := s.shape(full.Items)
		if err != nil {
			return nil, err
		}
		g.Items = items
	}
	if g.Type == "ARRAY" && g.Items == nil {
		g.Items = &geminiShape{Type: "STRING"} // an array without items is refused
	}
	if err := s.members(g, full.Properties); err != nil {
		return nil, err
	}
	g.Required = append(g.Required, full.Required...)
	g.Required = slices.DeleteFunc(g.Required, func(name string) bool { return g.Properties[name] == nil })
	return g, nil
}

// follow puts what a reference names in its place. What holds itself is, the second time, an object of which nothing is said.
func (s *shaper) follow(full *fullSchema) (*geminiShape, error) {
	def, known := s.defs[full.Ref]
	if !known {
		return nil, fmt.Errorf("the reference %q leads nowhere", full.Ref)
	}
	if slices.Contains(s.open, full.Ref) {
		return &geminiShape{Type: "OBJECT", Description: full.Description}, nil
	}
	s.open = append(s.open, full.Ref)
	g, err := s.shape(def)
	s.open = s.open[:len(s.open)-1]
	if err == nil && full.Description != "" {
		g.Description = full.Description
	}
	return g, err
}

// alternatives reads anyOf, oneOf and a list of types. null among them makes the value nullable.
func (s *shaper) alternatives(g *geminiShape, full *fullSchema) error {
	for _, one := range slices.Concat(full.AnyOf, full.OneOf) {
		shape, err := s.shape(one)
		if err != nil {
			return err
		}
		g.add(shape)
	}
	var types []string
	var single string
	if json.Unmarshal(full.Type, &single) == nil {
		types = []string{single}
	} else if full.Type != nil && json.Unmarshal(full.Type, &types) != nil {
		return errors.New("a type is neither a name nor a list of names")
	}
	switch kept := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" }); {
	case len(kept) == 1:
		g.Type, g.Nullable = strings.ToUpper(kept[0]), g.Nullable || len(types) > 1
	case len(types) == 1:
		g.Type = "NULL"
	default:
		for _, t := range types {
			g.add(&geminiShape{Type: strings.ToUpper(t)})
		}
	}
	if len(g.AnyOf) == 1 {
		only := g.AnyOf[0]
		g.AnyOf = nil
		g.join(only)
	}
	return nil
}

// add takes in an alternative.
func (g *geminiShape) add(alternative *geminiShape) {
	if alternative.Type == "NULL" {
		g.Nullable = true
		return
	}
	if alternative.Type == "ARRAY" && alternative.Items == nil {
		alternative.Items = &geminiShape{Type: "STRING"}
	}
	g.AnyOf = append(g.AnyOf, alternative)
}

// join takes in a shape that holds beside what is known; what is known stays.
func (g *geminiShape) join(other *geminiShape) {
	if g.Type == "" {
		g.Type, g.Format, g.Enum, g.Items, g.Pattern = other.Type, other.Format, other.Enum, other.Items, other.Pattern
		g.Minimum, g.Maximum, g.MinLength, g.MaxLength = other.Minimum, other.Maximum, other.MinLength, other.MaxLength
		g.MinItems, g.MaxItems = other.MinItems, other.MaxItems
	}
	if g.Description == "" {
		g.Description = other.Description
	}
	g.Nullable = g.Nullable || other.Nullable
	g.AnyOf = append(g.AnyOf, other.AnyOf...)
	g.Required = append(g.Required, other.Required...)
	for _, name := range other.Ordering {
		g.put(name, other.Properties[name])
	}
}

func (g *geminiShape) put(name string, shape *geminiShape) {
	if g.Properties == nil {
		g.Properties = geminiMembers{}
	}
	if _, known := g.Properties[name]; !known {
		g.Ordering = append(g.Ordering, name)
	}
	g.Properties[name] = shape
}

// take reads what is said of values of the type. What the shape has no member for is put into words.
func (g *geminiShape) take(full *fullSchema) {
	values := full.Enum
	if full.Const != nil {
		values = []json.RawMessage{full.Const}
	}
	g.choose(values)
	switch g.Type {
	case "STRING":
		g.MinLength, g.MaxLength, g.Pattern = keep(g.MinLength, full.MinLength), keep(g.MaxLength, full.MaxLength), full.Pattern
		if full.Format == "date-time" {
			g.Format = full.Format
		} else if full.Format != "" {
			g.say("Format: " + full.Format)
		}
	case "INTEGER", "NUMBER":
		g.Minimum, g.Maximum = keep(g.Minimum, full.Minimum), keep(g.Maximum, full.Maximum)
	case "ARRAY":
		g.MinItems, g.MaxItems = keep(g.MinItems, full.MinItems), keep(g.MaxItems, full.MaxItems)
	}
	if full.Default != nil && string(full.Default) != "null" {
		g.say("Default: " + string(full.Default))
	}
}

func keep(known, said json.RawMessage) json.RawMessage {
	if said == nil {
		return known
	}
	return said
}

// choose takes in the values there are. Only strings can be listed.
func (g *geminiShape) choose(values []json.RawMessage) {
	var texts, words []string
	for _, v := range values {
		var text string
		switch {
		case string(v) == "null":
			g.Nullable = true
			continue
		case json.Unmarshal(v, &text) == nil:
			texts = append(texts, text)
		}
		words = append(words, string(v))
	}
	switch {
	case len(words) == 0:
	case len(texts) == len(words) && !slices.Contains(texts, "") && (g.Type == "STRING" || g.Type == ""):
		g.Type, g.Enum = "STRING", texts
	default:
		g.say("One of: " + strings.Join(words, ", "))
	}
}

func (g *geminiShape) say(words string) {
	if g.Description != "" {
		words = strings.TrimRight(g.Description, " .") + ". " + words
	}
	g.Description = words
}

// members reads the members of an object, in the order they are written.
func (s *shaper) members(g *geminiShape, properties json.RawMessage) error {
	if properties == nil {
		return nil
	}
	var shapes map[string]json.RawMessage
	if err := json.Unmarshal(properties, &shapes); err != nil {
		return fmt.Errorf("read the properties: %w", err)
	}
	order, err := keysOf(properties)
	if err != nil {
		return fmt.Errorf("read the properties: %w", err)
	}
	if len(order) != len(shapes) { // a key twice: the last one counts
		order = slices.Sorted(maps.Keys(shapes))
	}
	for _, name := range order {
		shape, err := s.shape(shapes[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		g.put(name, shape)
	}
	return nil
}

// keysOf returns the keys of an object in the order they are written.
func keysOf(object json.RawMessage) ([]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	var keys []string
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		keys = append(keys, fmt.Sprint(key))
	}
	return keys, nil
}
