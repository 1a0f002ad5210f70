package openapi_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"callboard/backend/internal/openapi"
)

type animal interface{ sound() string }

type colour string

type cat struct {
	Name   string `json:"name" jsonschema_description:"As it is called"`
	Colour colour `json:"colour,omitempty"`
	Kin    []*cat `json:"kin,omitempty"`
	nature
	hidden int
}

type nature struct {
	Weight float64         `json:"weight"`
	Tame   bool            `json:"tame,omitempty"`
	Rest   json.RawMessage `json:"rest"`
	Secret string          `json:"-"`
}

type house struct {
	Lives []animal `json:"lives"`
	Door  *int64   `json:"door,omitempty"`
}

func (cat) sound() string { return "" }

func schemas(structs ...openapi.Named) (*openapi.Schemas, error) {
	union := openapi.Union{
		Type: reflect.TypeFor[animal](), Name: "Animal", Common: openapi.Properties{{Name: "at", Schema: openapi.Of("integer", "")}}, Required: []string{"at"},
	}
	return openapi.NewSchemas(structs, union, map[reflect.Type][]string{reflect.TypeFor[colour](): {"black", "white"}})
}

func TestASchemaIsThatOfTheJSONOfItsType(t *testing.T) {
	made, err := schemas(openapi.Named{Value: cat{hidden: 1}, Name: "Cat", Description: "It purrs", Tag: "cat"}, openapi.Named{Value: house{}, Name: "House"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Cat": `{"type":"object","description":"It purrs","properties":{"type":{"type":"string","const":"cat"},"at":{"type":"integer"},` +
			`"name":{"type":"string","description":"As it is called"},"colour":{"type":"string","enum":["black","white"]},` +
			`"kin":{"type":"array","items":{"$ref":"#/components/schemas/Cat"}},"weight":{"type":"number"},"tame":{"type":"boolean"},"rest":{}},` +
			`"required":["type","at","name","weight","rest"]}`,
		"House": `{"type":"object","properties":{"lives":{"type":"array","items":{"$ref":"#/components/schemas/Animal"}},"door":{"type":"integer"}},` +
			`"required":["lives"]}`,
		"Animal": `{"oneOf":[{"$ref":"#/components/schemas/Cat"}],"discriminator":{"propertyName":"type","mapping":{"cat":"#/components/schemas/Cat"}}}`,
	} {
		got, err := json.Marshal(made.All()[name])
		if err != nil || string(got) != want {
			t.Errorf("%s: got\n%s (%v), want\n%s", name, got, err, want)
		}
	}
}

func TestWhatHasNoSchemaIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		structs []openapi.Named
		want    string
	}{
		"a struct that has no name": {[]openapi.Named{{Value: struct {
			In cat `json:"in"`
		}{}, Name: "Box"}}, "cat has no schema"},
		"a member without one in JSON": {[]openapi.Named{{Value: struct{ In string }{}, Name: "Box"}}, "In has no name in JSON"},
		"a name that comes twice":      {[]openapi.Named{{Value: nature{}, Name: "Box"}, {Value: house{}, Name: "Box"}}, "two of that name"},
		"a kind JSON does not have": {[]openapi.Named{{Value: struct {
			In func() `json:"in"`
		}{}, Name: "Box"}}, "func() has no schema"},
	} {
		if _, err := schemas(c.structs...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestASchemaMayTakeNull(t *testing.T) {
	one := openapi.Of("string", "")
	one.Enum = []any{"a"}
	for name, c := range map[string]struct {
		schema *openapi.Schema
		want   string
	}{
		"or null":               {openapi.OrNull(one), `{"type":["string","null"],"enum":["a",null]}`},
		"or null, said twice":   {openapi.OrNull(openapi.OrNull(one)), `{"type":["string","null"],"enum":["a",null]}`},
		"taken back":            {openapi.NotNull(openapi.OrNull(one)), `{"type":"string","enum":["a"]}`},
		"where everything fits": {openapi.OrNull(&openapi.Schema{}), `{}`},
		"where nothing fits":    {openapi.Nothing(), `false`},
	} {
		got, err := json.Marshal(c.schema)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s (%v), want %s", name, got, err, c.want)
		}
	}
}
