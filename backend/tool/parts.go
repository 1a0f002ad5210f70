package tool

import (
	"encoding/base64"
	"errors"
	"fmt"
)

// Part is a piece of content, for tools that give the model text and images together: Out is a []Part, or an Output of one.
// Its JSON is {"type":"text","text":…} or {"type":"image","data":base64,"mediaType":…}. Content of any Go type with that JSON is
// read the same, and so is an object with an "image" or "imageBase64" field: see SplitContent.
type Part struct {
	Type      PartType
	Text      string // of a text
	Data      []byte // of an image: PNG, JPEG, GIF or WebP
	MediaType string // of an image, for readers; the bytes decide
}

// PartType is the kind of a Part.
type PartType string

const (
	PartText  PartType = "text"
	PartImage PartType = "image"
)

// TextPart is a piece of text.
func TextPart(text string) Part { return Part{Type: PartText, Text: text} }

// ImagePart is an image, its media type read off its bytes.
func ImagePart(image []byte) Part {
	mediaType, _ := imageType(image) // of no image it is what it is: SplitContent says so
	return Part{Type: PartImage, Data: image, MediaType: mediaType}
}

// MarshalJSON writes the members of the part's type.
func (p Part) MarshalJSON() ([]byte, error) {
	switch p.Type {
	case PartText:
		return encode(struct {
			Type PartType `json:"type"`
			Text string   `json:"text"`
		}{p.Type, p.Text})
	case PartImage:
		return encode(struct {
			Type      PartType `json:"type"`
			Data      []byte   `json:"data"`
			MediaType string   `json:"mediaType"`
		}{p.Type, p.Data, p.MediaType})
	}
	return nil, fmt.Errorf("a part is a %q or a %q, not a %q", PartText, PartImage, p.Type)
}

// UnmarshalJSON reads what MarshalJSON writes; other members are ignored.
func (p *Part) UnmarshalJSON(text []byte) error {
	read, err := readPart(text)
	if err != nil {
		return err
	}
	*p = Part{Type: read.Type, MediaType: read.MediaType}
	if read.Type == PartText {
		p.Text = *read.Text
		return nil
	}
	p.Data, err = base64.StdEncoding.DecodeString(*read.Data)
	return err
}

// writtenPart is a part as its JSON has it.
type writtenPart struct {
	Type      PartType `json:"type"`
	Text      *string  `json:"text"`
	Data      *string  `json:"data"`
	MediaType string   `json:"mediaType"`
}

var errNoPart = errors.New("it is no part: neither a text with text nor an image with data")
