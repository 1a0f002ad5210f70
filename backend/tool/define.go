package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Config declares a tool. In is a struct whose fields are the arguments, a map with string keys, or a json.RawMessage.
// Out is what the model reads, or an Output of it.
//
// The schema the model sees comes from In: names and what may be left out from the json tag, descriptions from
// jsonschema_description, bounds, enums, formats and defaults from the jsonschema tag, whose values hold no bare comma. A field
// with omitempty, omitzero, a default or a pointer type may be left out. Numbers in an any arrive as json.Number. An In with
// a method Validate() error has it called last, and one with a method Timeout() time.Duration says how long its call may take in a
// Sandbox.
type Config[In, Out any] struct {
	Name        string
	Description string
	Category    string
	Tags        []string
	SideEffects []SideEffect
	Approval    Approval
	Timeout     time.Duration // 0 is none
	// Parameters is the schema of the arguments where somebody else wrote it; In is then a json.RawMessage or a map with string
	// keys, and no defaults are put in. nil takes it from In.
	Parameters json.RawMessage
	// OutputSchema is that of Content in the same way; nil takes it from Out.
	OutputSchema json.RawMessage
	// MaxResultLength, in Unicode characters, cuts what the model reads: 0 leaves it to the agent, NoLimit cuts nothing.
	MaxResultLength int
	Presentation    *Presentation          // of every call, known before its arguments are
	Present         func(In) *Presentation // made from the checked arguments; wins unless it returns nil
	// Preview shows what a call would do, without doing it: details for the approval card. May be nil.
	Preview func(Context, In) (details any, err error)
	Hooks   InputHooks
	// Sandbox is where an agent's calls run in place of Run; nil is nowhere else.
	Sandbox *Sandbox
	// Delegate names who does the calls where Run does not: a runner that knows it turns to it instead. Package agent puts its own
	// there.
	Delegate any
	// Run does the call. With an error, the Details and Presentation of an Output still count; its Content does not.
	// Of a tool with a Sandbox it is what runs on the host where that is not there, and may be nil.
	Run func(Context, In) (Out, error)
}

// NoLimit as a MaxResultLength cuts nothing.
const NoLimit = -1

// MaxNameLength is how many characters the name of a tool may have.
const MaxNameLength = 128

// Tool is a declared tool. It does not change after Define and is safe for concurrent use.
type Tool struct {
	Name            string
	Description     string
	Category        string
	Tags            []string
	SideEffects     []SideEffect
	Timeout         time.Duration
	MaxResultLength int
	Hooks           InputHooks
	Sandbox         *Sandbox
	Delegate        any

	hasRun       bool
	approval     Approval
	presentation *Presentation
	parameters   json.RawMessage
	shape        *shape
	arguments    *jsonschema.Schema
	outputSchema json.RawMessage
	output       *jsonschema.Schema // nil when the Go type alone keeps the promise
	declared     declaration
}

// Schema is what a model is told of a tool.
type Schema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters" jsonschema_description:"JSON Schema of the arguments"`
}

// Define makes a tool of its declaration. A declaration that can never work is an error that says what is wrong with it.
func Define[In, Out any](c Config[In, Out]) (*Tool, error) {
	t := &Tool{
		Name:            c.Name,
		Description:     c.Description,
		Category:        c.Category,
		Tags:            append([]string(nil), c.Tags...),
		SideEffects:     append([]SideEffect(nil), c.SideEffects...),
		Timeout:         c.Timeout,
		MaxResultLength: c.MaxResultLength,
		Hooks:           c.Hooks,
		Delegate:        c.Delegate,
		hasRun:          c.Run != nil,
		approval:        c.Approval,
		presentation:    clone(c.Presentation),
	}
	if c.Sandbox != nil {
		own := *c.Sandbox
		t.Sandbox = &own
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("define tool %q: %w", c.Name, err)
	}
	in, err := c.describeInput()
	if err != nil {
		return nil, fmt.Errorf("define tool %q: arguments: %w", c.Name, err)
	}
	t.parameters, t.shape, t.arguments = in.text, in.shape, in.compiled
	t.declared = &typed[In, Out]{config: c, loose: in.loose}

	out, err := c.describeOutput()
	if err != nil {
		return nil, fmt.Errorf("define tool %q: output: %w", c.Name, err)
	}
	t.outputSchema, t.output = out.text, out.compiled
	if err := t.checkSandbox(); err != nil {
		return nil, fmt.Errorf("define tool %q: sandbox: %w", c.Name, err)
	}
	return t, nil
}

func (c *Config[In, Out]) describeInput() (*description, error) {
	if c.Parameters != nil {
		return describeGiven(c.Parameters, reflect.TypeFor[In]())
	}
	return describeInput(reflect.TypeFor[In]())
}

func (c *Config[In, Out]) describeOutput() (*description, error) {
	if c.OutputSchema == nil {
		return describeOutput(contentType(reflect.TypeFor[Out]()), c.Sandbox != nil)
	}
	compiled, err := compileGiven(c.OutputSchema)
	if err != nil {
		return nil, err
	}
	return &description{text: c.OutputSchema, compiled: compiled}, nil
}

// Must is Define for package variables and examples: it panics where Define returns an error.
func Must[In, Out any](c Config[In, Out]) *Tool {
	t, err := Define(c)
	if err != nil {
		panic(err)
	}
	return t
}

// Named returns the same tool under another name.
func (t *Tool) Named(name string) (*Tool, error) {
	if err := checkName(name); err != nil {
		return nil, fmt.Errorf("name tool %q %q: %w", t.Name, name, err)
	}
	named := *t
	named.Name = name
	return &named, nil
}

// Asking returns the same tool with another approval: Approval{} lets no call wait.
func (t *Tool) Asking(a Approval) *Tool {
	asking := *t
	asking.approval = a
	return &asking
}

// Schema returns what a model is told of the tool. The parameters are made once; they are not to be changed.
func (t *Tool) Schema() Schema {
	return Schema{Name: t.Name, Description: t.Description, Parameters: t.parameters}
}

// OutputSchema describes Content; nil when Out says nothing about it.
func (t *Tool) OutputSchema() json.RawMessage { return t.outputSchema }

// StaticPresentation is what is known of every call without its arguments; nil if nothing is.
func (t *Tool) StaticPresentation() *Presentation { return clone(t.presentation) }

func (t *Tool) check() error {
	switch {
	case !t.hasRun && t.Sandbox == nil:
		return errors.New("it has no Run")
	case t.presentation != nil && strings.TrimSpace(t.presentation.Label) == "":
		return errors.New("its Presentation has no Label")
	case t.Timeout < 0:
		return fmt.Errorf("its Timeout is negative: %s", t.Timeout)
	case t.MaxResultLength < NoLimit:
		return fmt.Errorf("its MaxResultLength is %d: it is a length, 0, or NoLimit", t.MaxResultLength)
	}
	if t.Sandbox != nil {
		if err := t.Sandbox.Check(); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	for _, effect := range t.SideEffects {
		switch effect {
		case Filesystem, Network, Database, Process, External:
		default:
			return fmt.Errorf("unknown side effect %q", effect)
		}
	}
	return checkName(t.Name)
}

func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("it has no Name")
	case !utf8.ValidString(name):
		return errors.New("its Name is not UTF-8")
	case strings.TrimSpace(name) != name:
		return errors.New("its Name begins or ends with a space")
	case utf8.RuneCountInString(name) > MaxNameLength:
		return fmt.Errorf("its Name is longer than %d characters", MaxNameLength)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("its Name holds the invisible character %U", r)
		}
	}
	return nil
}

func clone(p *Presentation) *Presentation {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
