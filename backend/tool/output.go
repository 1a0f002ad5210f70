package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// MaxResultBytes is how large the JSON text of a call's content may be; details beyond it are left out.
const MaxResultBytes = 16 << 20

// Output splits what a call gives by reader.
type Output[T any] struct {
	Content      T             // the model reads it
	Details      any           // the application only
	Presentation *Presentation // of this call; wins over the tool's
}

func (o Output[T]) split() output {
	return output{content: o.Content, details: o.Details, presentation: o.Presentation}
}

func (Output[T]) contentType() reflect.Type { return reflect.TypeFor[T]() }

type output struct {
	content      any
	details      any
	presentation *Presentation
}

// splitOutput takes apart an Output, behind a pointer or in an interface too; anything else is content.
func splitOutput(out any) output {
	if o, ok := out.(interface{ split() output }); ok {
		if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
			return output{}
		}
		return o.split()
	}
	return output{content: out}
}

// contentType is the type of what the model reads of an Out.
func contentType(out reflect.Type) reflect.Type {
	value := out
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if o, ok := reflect.Zero(value).Interface().(interface{ contentType() reflect.Type }); ok {
		return o.contentType()
	}
	return out
}

// encode gives v's JSON text on one line, with <, > and & as they are. A RawMessage keeps its digits and its key order.
func encode(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	if raw, ok := v.(json.RawMessage); ok && raw != nil {
		if err := json.Compact(&buf, raw); err != nil {
			return nil, err
		}
		return buf.Bytes(), nil
	}
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// encodeContent encodes what the model reads and holds it to the tool's output schema.
func (t *Tool) encodeContent(v any) (json.RawMessage, error) {
	content, err := encode(v)
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	if len(content) > MaxResultBytes {
		return nil, fmt.Errorf("the result is too large: %s, the limit is %s", size(len(content)), size(MaxResultBytes))
	}
	if t.output == nil {
		return content, nil
	}
	r := reader{text: string(content), lenient: true}
	tree, err := r.document(nil)
	if err != nil {
		return nil, fmt.Errorf("read the result: %w", err)
	}
	if err := t.output.Validate(tree); err != nil {
		return nil, fmt.Errorf("the result does not match the output schema: %s", explain(err))
	}
	return content, nil
}

// encodeDetails encodes what a person is shown. What cannot be shown says so in its place: the call itself has not failed.
func encodeDetails(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	details, err := encode(named(v))
	note := ""
	switch {
	case err != nil:
		note = fmt.Sprintf("The details could not be encoded: %v", err)
	case len(details) > MaxResultBytes:
		note = fmt.Sprintf("The details were left out: they are %s, the limit is %s.", size(len(details)), size(MaxResultBytes))
	case string(details) == "null":
		return nil
	default:
		return details
	}
	details, _ = encode(map[string]any{"text": note}) // a map of a string always encodes
	return details
}

func size(n int) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
