package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxExplanation cuts what the model is told of bad arguments, in bytes: a message may quote them.
const maxExplanation = 2000

// Prepare checks an argument text and decodes it. Empty or blank text is {}. The error is an *Error with CodeInvalidArgs whose
// message starts "Invalid arguments: " and names the paths.
//
// Properties the schema does not name are ignored; one that comes twice, or that only its case sets apart from another, is
// refused, and so is anything after the object. Defaults are put in on the way; the digits of numbers are kept.
func (t *Tool) Prepare(argumentsText string) (*Call, error) {
	r := newReader(argumentsText)
	tree, err := r.document(t.shape)
	if err != nil {
		return nil, invalid(err, err.Error())
	}
	if err := t.arguments.Validate(tree); err != nil {
		return nil, invalid(err, explain(err))
	}
	text := r.decoded()
	inv, err := t.decode(text)
	if err != nil {
		return nil, err
	}
	c := &Call{Tool: t, bound: inv, unread: t.unread(tree)}
	if t.Sandbox != nil {
		c.arguments = text
	}
	return c, nil
}

// Read reads an argument text, or a value in one, as Prepare does before it looks at a schema: what Prepare refuses of any text is
// refused, blank text is {}, and numbers are json.Number with the digits they were written with.
func Read(text string) (any, error) {
	r := newReader(text)
	value, err := r.document(nil)
	if err != nil {
		return nil, invalid(err, err.Error())
	}
	return value, nil
}

// newReader starts at a text's first value; blank text is {}.
func newReader(text string) reader {
	r := reader{text: text}
	if r.space(); r.at == len(r.text) {
		r = reader{text: "{}"}
	}
	return r
}

// decode runs code of the tool's own: UnmarshalJSON and Validate.
func (t *Tool) decode(text []byte) (inv invocation, err error) {
	defer func() {
		if p := recover(); p != nil {
			logPanic("reading arguments panicked", t.Name, p)
			inv, err = nil, invalid(fmt.Errorf("panic: %v", p), fmt.Sprintf("reading them panicked: %v", p))
		}
	}()
	inv, err = t.declared.decode(text)
	if err != nil {
		return nil, invalid(err, explainDecoding(err))
	}
	if err := inv.validate(); err != nil {
		return nil, invalid(err, err.Error())
	}
	return inv, nil
}

func invalid(err error, explanation string) *Error {
	if len(explanation) > maxExplanation {
		explanation = strings.ToValidUTF8(explanation[:maxExplanation], "") + "…"
	}
	return &Error{Code: CodeInvalidArgs, Message: "Invalid arguments: " + explanation, Err: err}
}

// explain puts a validator's message on one line, without its first, which names the schema.
func explain(err error) string {
	_, causes, found := strings.Cut(err.Error(), "\n")
	if !found {
		return err.Error()
	}
	var mistakes []string
	for line := range strings.SplitSeq(causes, "\n") {
		text := strings.TrimLeft(line, " ")
		text, top := strings.TrimPrefix(text, "- "), strings.HasPrefix(line, "- ")
		if top || len(mistakes) == 0 {
			mistakes = append(mistakes, text)
			continue
		}
		mistakes[len(mistakes)-1] += "; " + text
	}
	slices.Sort(mistakes) // the validator has them in no order of its own
	return strings.Join(mistakes, "; ")
}

// explainDecoding names the path of a value that fits the schema but not the Go type.
func explainDecoding(err error) string {
	var mismatched *json.UnmarshalTypeError
	if errors.As(err, &mismatched) {
		return fmt.Sprintf("at '/%s': %s does not fit %s", strings.ReplaceAll(mismatched.Field, ".", "/"), mismatched.Value, mismatched.Type)
	}
	return err.Error()
}
