package tool

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	schema "github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

// description is what is known of a Go type's JSON.
type description struct {
	text     json.RawMessage   // the schema, as the model sees it
	shape    *shape            // what the schema does not say: spelling, defaults, where integers stand
	compiled *validator.Schema // of text
	loose    bool              // an any is in it
}

// describeInput describes the arguments of a tool.
func describeInput(t reflect.Type) (*description, error) {
	isMap := t.Kind() == reflect.Map && t.Key().Kind() == reflect.String
	if t.Kind() != reflect.Struct && !isMap && t != rawType {
		return nil, fmt.Errorf("%s is not a struct, a map with string keys or a json.RawMessage", t)
	}
	if t == rawType {
		t = reflect.TypeFor[map[string]json.RawMessage]() // an object is all that is known
	}
	d, err := (&builder{}).describe(t)
	if err != nil {
		return nil, err
	}
	if d.compiled.Types == nil || d.compiled.Types.String() != "[object]" {
		return nil, fmt.Errorf("the JSON of %s is not an object", t)
	}
	return d, nil
}

// describeOutput describes the content of a result. The compiled schema is nil where every value of the Go type fits, unless
// values come from elsewhere too.
func describeOutput(t reflect.Type, elsewhere bool) (*description, error) {
	if s := specialSchema(deref(t)); s != nil && s.Type == "" && s.AnyOf == nil && s.OneOf == nil && s.Ref == "" && s.Enum == nil {
		return &description{}, nil
	}
	b := &builder{output: true}
	d, err := b.describe(t)
	if err != nil {
		return nil, err
	}
	if !b.constrained && !elsewhere {
		d.compiled = nil
	}
	return d, nil
}

// builder makes the schema of one type: reflected by invopop/jsonschema one struct at a time, then walked beside the Go type.
type builder struct {
	output      bool
	recursive   map[reflect.Type]string // types that hold themselves, by their name in $defs
	shapes      map[reflect.Type]*shape // of those
	constrained bool                    // the schema says more than the Go type does
	loose       bool
	defaults    []pendingDefault
}

// pendingDefault is a default that is checked once the schema is compiled.
type pendingDefault struct {
	pointer string // JSON pointer to its schema
	where   string // for people
	typ     reflect.Type
	quoted  bool
	text    []byte
}

const resource = "urn:tool" // a bare file name would put the working folder into errors

func (b *builder) describe(t reflect.Type) (*description, error) {
	if err := b.findRecursive(t); err != nil {
		return nil, err
	}
	root := b.reflect(t)
	sh, err := b.walk(root, t, "")
	if err != nil {
		return nil, err
	}
	if b.output {
		root = b.orNull(root, t, false)
	}
	for _, rec := range b.inOrder() {
		if root.Definitions == nil {
			root.Definitions = schema.Definitions{}
		}
		name := b.recursive[rec]
		def := b.reflect(rec)
		walked, err := b.walk(def, rec, "/$defs/"+name)
		if err != nil {
			return nil, err
		}
		*b.shapes[rec] = *walked
		root.Definitions[name] = def
	}
	normalise(root)
	text, err := encode(root)
	if err != nil {
		return nil, fmt.Errorf("encode the schema of %s: %w", t, err)
	}
	compiled, err := b.compile(text)
	if err != nil {
		return nil, err
	}
	return &description{text: text, shape: sh, compiled: compiled, loose: b.loose}, nil
}

// compile compiles the very bytes the model sees, and holds the defaults to them and to the Go types.
func (b *builder) compile(text []byte) (*validator.Schema, error) {
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	c := validator.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource(resource, doc); err != nil {
		return nil, fmt.Errorf("add the schema: %w", err)
	}
	compiled, err := c.Compile(resource)
	if err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	for _, d := range b.defaults {
		at, err := c.Compile(resource + "#" + d.pointer)
		if err != nil {
			return nil, fmt.Errorf("%s: compile its schema: %w", d.where, err)
		}
		value, err := validator.UnmarshalJSON(bytes.NewReader(d.text))
		if err != nil {
			return nil, fmt.Errorf("%s: default %s is not JSON: %w", d.where, d.text, err)
		}
		if err := at.Validate(value); err != nil {
			return nil, fmt.Errorf("%s: default %s does not fit: %s", d.where, d.text, explain(err))
		}
		if d.quoted {
			continue // the schema has checked the string; what is in it is checked when it is decoded
		}
		if err := json.Unmarshal(d.text, reflect.New(d.typ).Interface()); err != nil {
			return nil, fmt.Errorf("%s: default %s does not fit: %w", d.where, d.text, err)
		}
	}
	return compiled, nil
}

// reflect makes a type's own schema. Types that hold themselves become references, the one asked for aside.
func (b *builder) reflect(t reflect.Type) *schema.Schema {
	own := true
	r := &schema.Reflector{
		Anonymous: true, DoNotReference: true, AllowAdditionalProperties: true,
		Mapper: func(u reflect.Type) *schema.Schema {
			if own {
				own = false
				return specialSchema(u)
			}
			if name, ok := b.recursive[u]; ok {
				return &schema.Schema{Ref: "#/$defs/" + name}
			}
			return specialSchema(u)
		},
	}
	s := r.ReflectFromType(t)
	s.Version, s.Definitions = "", nil
	return s
}

func (b *builder) inOrder() []reflect.Type {
	return slices.SortedFunc(maps.Keys(b.recursive), func(x, y reflect.Type) int {
		return strings.Compare(b.recursive[x], b.recursive[y])
	})
}

// findRecursive refuses what JSON cannot carry and names the types that hold themselves, before anything recurses into them.
func (b *builder) findRecursive(t reflect.Type) error {
	b.recursive, b.shapes = map[reflect.Type]string{}, map[reflect.Type]*shape{}
	open, closed := map[reflect.Type]bool{}, map[reflect.Type]bool{}
	var visit func(t reflect.Type, where string) error
	visit = func(t reflect.Type, where string) error {
		t = deref(t)
		switch {
		case open[t]:
			if _, known := b.recursive[t]; !known {
				b.recursive[t], b.shapes[t] = b.freeName(t.Name()), &shape{}
			}
			return nil
		case closed[t] || specialSchema(t) != nil:
			return nil
		case t.Implements(aliasType) || t.Implements(propertyAliasType):
			return fmt.Errorf("%s: JSONSchemaAlias and JSONSchemaProperty are not supported: give %s a JSONSchema method", where, t)
		case t == urlType:
			return fmt.Errorf("%s: a url.URL has no JSON of its own: use a string with format=uri", where)
		}
		open[t] = true
		defer func() { open[t], closed[t] = false, true }()
		switch t.Kind() {
		case reflect.Struct:
			fields, err := fieldsOf(t)
			if err != nil {
				return err
			}
			for _, f := range fields {
				if err := visit(f.typ, t.String()+"."+f.goName); err != nil {
					return err
				}
			}
			return nil
		case reflect.Map:
			switch k := t.Key(); {
			case k.Kind() == reflect.String, k.Implements(textType), k.Kind() >= reflect.Int && k.Kind() <= reflect.Uint64:
			default:
				return fmt.Errorf("%s: JSON has no objects with %s keys", where, k)
			}
			return visit(t.Elem(), where)
		case reflect.Slice, reflect.Array:
			return visit(t.Elem(), where)
		case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128, reflect.Uintptr:
			return fmt.Errorf("%s: JSON has no %s", where, t)
		case reflect.Interface:
			if b.output {
				return nil
			}
			return fmt.Errorf("%s: no value can be decoded into a %s", where, t)
		default:
			return nil
		}
	}
	return visit(t, t.String())
}

// freeName makes a type's name fit for $defs; two packages may have types of one name.
func (b *builder) freeName(name string) string {
	base := strings.Map(func(r rune) rune {
		if r == '_' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
	name = base
	for n := 2; slices.Contains(slices.Collect(maps.Values(b.recursive)), name); n++ {
		name = base + strconv.Itoa(n)
	}
	return name
}

var (
	rawType           = reflect.TypeFor[json.RawMessage]()
	numberType        = reflect.TypeFor[json.Number]()
	urlType           = reflect.TypeFor[url.URL]()
	textType          = reflect.TypeFor[encoding.TextMarshaler]()
	aliasType         = reflect.TypeFor[interface{ JSONSchemaAlias() any }]()
	propertyAliasType = reflect.TypeFor[interface{ JSONSchemaProperty(prop string) any }]()
)

// specialSchema is the schema of a type that is not read by its kind, a new one each time; nil for every other type.
func specialSchema(t reflect.Type) *schema.Schema {
	switch t {
	case rawType:
		return &schema.Schema{}
	case numberType:
		return &schema.Schema{Type: "number"}
	case reflect.TypeFor[time.Time]():
		return &schema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[big.Int]():
		return &schema.Schema{Type: "integer"}
	}
	if t.Kind() == reflect.Interface {
		if t.NumMethod() == 0 {
			return &schema.Schema{}
		}
		return nil
	}
	switch v := reflect.New(t).Interface().(type) {
	case interface{ JSONSchema() *schema.Schema }:
		own := *v.JSONSchema() // a copy: tags are written into it
		return &own
	case json.Marshaler, json.Unmarshaler:
		return &schema.Schema{}
	case encoding.TextMarshaler, encoding.TextUnmarshaler:
		return &schema.Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema.Schema{Type: "integer", Minimum: "0"}
	}
	return nil
}
