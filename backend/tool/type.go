package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Type reads values of a Go type out of JSON text as strictly as a tool reads its arguments: the same schema, the same checks. It
// does not change and is safe for concurrent use.
type Type[T any] struct{ known *description }

// TypeOf describes T: a struct, a map with string keys or a json.RawMessage, tagged as Config says of In.
func TypeOf[T any]() (*Type[T], error) {
	d, err := describeInput(reflect.TypeFor[T]())
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", reflect.TypeFor[T](), err)
	}
	return &Type[T]{d}, nil
}

// Schema is the JSON Schema of T, made once; it is not to be changed.
func (t *Type[T]) Schema() json.RawMessage { return t.known.text }

// Decode checks a text and decodes it, as Prepare does with arguments. The error names the paths of what does not fit.
func (t *Type[T]) Decode(text string) (value T, err error) {
	r := newReader(text)
	tree, err := r.document(t.known.shape)
	if err != nil {
		return value, err
	}
	if err := t.known.compiled.Validate(tree); err != nil {
		return value, errors.New(explain(err))
	}
	defer func() { // UnmarshalJSON and Validate are T's own
		if p := recover(); p != nil {
			err = fmt.Errorf("reading it panicked: %v", p)
		}
	}()
	decoder := json.NewDecoder(bytes.NewReader(r.decoded()))
	if t.known.loose {
		decoder.UseNumber()
	}
	if err := decoder.Decode(&value); err != nil {
		return value, errors.New(explainDecoding(err))
	}
	if v, ok := any(&value).(interface{ Validate() error }); ok {
		return value, v.Validate()
	}
	return value, nil
}
