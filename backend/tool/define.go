package tool

import (
	"encoding/json"
	"time"
)

// Config declares a tool. In is a struct: its fields are the arguments. Out is what the model reads, or an Output of it.
type Config[In, Out any] struct {
	Name        string
	Description string
	Category    string
	Tags        []string
	SideEffects []SideEffect
	Approval    Approval
	Timeout     time.Duration // 0 is none
	// MaxResultLength, in Unicode characters, cuts what the model reads: 0 leaves it to the agent, NoLimit cuts nothing.
	MaxResultLength int
	Presentation    *Presentation          // for all calls, or
	Present         func(In) *Presentation // made from the checked arguments
	// Preview shows what a call would do, without doing it: details for the approval card. May be nil.
	Preview func(Context, In) (details any, err error)
	Hooks   InputHooks
	Run     func(Context, In) (Out, error)
}

// NoLimit as a MaxResultLength cuts nothing.
const NoLimit = -1

// Output splits what a call gives by reader.
type Output[T any] struct {
	Content      T             // the model reads it
	Details      any           // the application only
	Presentation *Presentation // of this call; wins over the tool's
}

// Approval says which calls wait for a person. The zero value is none.
type Approval struct {
	always bool
	when   func(arguments json.RawMessage) bool
}

// Always lets every call wait.
var Always = Approval{always: true}

// When decides from the raw arguments as sent, before schema and defaults. A check that panics counts as true.
func When(check func(arguments json.RawMessage) bool) Approval { return Approval{when: check} }

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
}

// Schema is what a model is told of a tool.
type Schema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func Define[In, Out any](c Config[In, Out]) (*Tool, error) { panic("being built") }

// Must is Define for package variables and examples: it panics where Define returns an error.
func Must[In, Out any](c Config[In, Out]) *Tool { panic("being built") }

// Schema returns what a model is told of the tool. The parameters are made once.
func (t *Tool) Schema() Schema { panic("being built") }

// OutputSchema describes Content; nil when Out says nothing about it.
func (t *Tool) OutputSchema() json.RawMessage { panic("being built") }

// StaticPresentation is what is known of every call without its arguments; nil if nothing is.
func (t *Tool) StaticPresentation() *Presentation { panic("being built") }

// NeedsApproval asks the tool's check about the raw argument text.
func (t *Tool) NeedsApproval(argumentsText string) bool { panic("being built") }

// Prepare checks an argument text and decodes it. Empty or blank text is {}. The error is an *Error with CodeInvalidArgs whose
// message starts "Invalid arguments: " and names the paths.
func (t *Tool) Prepare(argumentsText string) (*Call, error) { panic("being built") }

// Call is a checked call, ready to run.
type Call struct {
	Tool *Tool
}

// Presentation is the tool's for these arguments; nil when it declares none or its function panicked.
func (c *Call) Presentation() *Presentation { panic("being built") }

// Preview is the call's effect-free preview as details; nil when the tool declares none.
func (c *Call) Preview(ctx Context) (json.RawMessage, error) { panic("being built") }

// Run runs the call and splits what it gives. It never panics, and returns at the latest when the tool's timeout is over, or 2 s
// after ctx is done; then Result.Left is set until the tool returns.
func (c *Call) Run(ctx Context) Result { panic("being built") }
