package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// text is a string that comes back as it was, whatever its bytes.
type text string

// exact is JSON that comes back byte for byte. In a line it stands as it is where that is possible.
type exact []byte

// wrapped is how a text is written that cannot stand as it is.
type wrapped struct {
	Text   *string `json:"$text,omitempty"`
	Base64 []byte  `json:"$base64,omitempty"`
}

// MarshalJSON writes a string, or what stands for one that is not UTF-8.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return quote(string(t))
	}
	return json.Marshal(wrapped{Base64: []byte(t)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		body, err := unwrap(data)
		*t = text(body)
		return err
	}
	return json.Unmarshal(data, (*string)(t))
}

// MarshalJSON writes the JSON itself, or what stands for it.
func (e exact) MarshalJSON() ([]byte, error) {
	if e.standsAsItIs() {
		return e, nil
	}
	if utf8.Valid(e) {
		s := string(e)
		return encode(wrapped{Text: &s})
	}
	return json.Marshal(wrapped{Base64: e})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *exact) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`{"$text"`)) || bytes.HasPrefix(data, []byte(`{"$base64"`)) {
		body, err := unwrap(data)
		*e = body
		return err
	}
	*e = bytes.Clone(data)
	return nil
}

// standsAsItIs reports whether an encoder writes the JSON unchanged and a reader does not take it for a wrapped one.
func (e exact) standsAsItIs() bool {
	if !utf8.Valid(e) || bytes.HasPrefix(e, []byte(`{"$`)) || string(e) == "null" {
		return false
	}
	var compact bytes.Buffer
	return json.Compact(&compact, e) == nil && bytes.Equal(compact.Bytes(), e)
}

func unwrap(data []byte) ([]byte, error) {
	var w wrapped
	if err := strict(data, &w); err != nil {
		return nil, err
	}
	switch {
	case w.Text != nil && w.Base64 == nil:
		return []byte(*w.Text), nil
	case w.Base64 != nil && w.Text == nil:
		return w.Base64, nil
	}
	return nil, errors.New("a text that is written apart has one of $text and $base64")
}

// encode is the JSON of a value, without escapes for HTML.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func quote(s string) ([]byte, error) { return encode(s) }

// strict decodes a JSON text whose members are all known.
func strict(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	if _, err := decoder.Token(); err == nil {
		return errors.New("more than one value on a line")
	}
	return nil
}
