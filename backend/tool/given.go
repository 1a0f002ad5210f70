package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

// describeGiven describes the arguments of a tool whose schema somebody else wrote. The model sees it as it stands, but for two
// members some providers trip over: $schema is left out, and properties are put in where there are none.
func describeGiven(schema json.RawMessage, in reflect.Type) (*description, error) {
	if in != rawType && (in.Kind() != reflect.Map || in.Key().Kind() != reflect.String) {
		return nil, fmt.Errorf("a tool with Parameters takes a json.RawMessage or a map with string keys, not %s", in)
	}
	compiled, err := compileGiven(schema)
	if err != nil {
		return nil, err
	}
	if compiled.Types == nil || compiled.Types.String() != "[object]" {
		return nil, errors.New(`its type is not "object"`)
	}
	text, err := portable(schema)
	if err != nil {
		return nil, err
	}
	return &description{text: text, compiled: compiled, loose: in != rawType}, nil
}

// compileGiven compiles a schema somebody else wrote: any draft, nothing loaded from anywhere, and a pattern that is no regular
// expression in Go (JavaScript's have more) checks nothing.
func compileGiven(schema json.RawMessage) (*validator.Schema, error) {
	doc, err := validator.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	c := validator.NewCompiler()
	c.AssertFormat()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(pattern string) (validator.Regexp, error) {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return anyText(pattern), nil //nolint:nilerr // whoever wrote the schema checks it
		}
		return re, nil
	})
	if err := c.AddResource(resource, doc); err != nil {
		return nil, fmt.Errorf("add the schema: %w", err)
	}
	compiled, err := c.Compile(resource)
	if err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	return compiled, nil
}

// noLoader loads nothing: a schema must not make this program read files or addresses.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not in the schema, and nothing is loaded from outside it", url)
}

// anyText is a pattern that every text matches.
type anyText string

func (p anyText) String() string        { return string(p) }
func (anyText) MatchString(string) bool { return true }

// portable copies an object, in its order, without $schema and with properties.
func portable(schema json.RawMessage) (json.RawMessage, error) {
	var compact, out bytes.Buffer
	if err := json.Compact(&compact, schema); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	dec := json.NewDecoder(&compact)
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	out.WriteByte('{')
	hasProperties := false
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		if key == "$schema" {
			continue
		}
		hasProperties = hasProperties || key == "properties"
		writeMember(&out, key, value)
	}
	if !hasProperties {
		writeMember(&out, "properties", json.RawMessage("{}"))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func writeMember(out *bytes.Buffer, key any, value json.RawMessage) {
	if out.Len() > 1 {
		out.WriteByte(',')
	}
	name, _ := encode(key) // a string always encodes
	out.Write(name)
	out.WriteByte(':')
	out.Write(value)
}
