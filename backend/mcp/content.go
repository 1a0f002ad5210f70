package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"callboard/backend/tool"
)

// emptyResult stands where a result has nothing in it: a model takes an empty text for a fault.
const emptyResult = "empty result"

// result is what a call gave, as it came.
type result struct {
	Content    []json.RawMessage `json:"content"`
	Structured json.RawMessage   `json:"structuredContent"`
	IsError    bool              `json:"isError"`
	ResultType string            `json:"resultType"`
}

// block is one piece of a result, of any kind.
type block struct {
	Type        string    `json:"type"`
	Text        string    `json:"text"`
	Data        string    `json:"data"` // base64
	MimeType    string    `json:"mimeType"`
	URI         string    `json:"uri"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Resource    *resource `json:"resource"`
	Annotations struct {
		Audience []string `json:"audience"`
	} `json:"annotations"`
}

type resource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     string  `json:"blob"` // base64
}

func (r *result) isStructured() bool { return len(r.Structured) > 0 && string(r.Structured) != "null" }

// output splits the result by reader.
func (r *result) output(shown tool.Presentation) (tool.Output[any], error) {
	g := r.gather()
	if r.IsError {
		said := g.said()
		if said == "" && r.isStructured() {
			said = string(r.Structured)
		}
		if said == "" {
			said = "the tool failed and did not say why"
		}
		return tool.Output[any]{Details: g.shown()}, &tool.Error{Code: tool.CodeExecutionFailed, Message: said}
	}
	out := tool.Output[any]{}
	switch {
	case r.isStructured():
		out.Content = r.Structured
		g.showImages()
	case len(g.parts) == 0:
		shown.Summary = emptyResult
		out.Content, out.Presentation = emptyResult, &shown
	case g.images == 0:
		out.Content = g.said()
	default:
		out.Content = g.parts
	}
	out.Details = g.shown()
	return out, nil
}

// gathered are the blocks of a result, sorted by reader.
type gathered struct {
	parts   []tool.Part
	images  int // of parts
	details []any
}

func (r *result) gather() *gathered {
	g := &gathered{}
	for _, text := range r.Content {
		var b block
		if err := json.Unmarshal(text, &b); err != nil {
			g.say("[a block that cannot be read: %v]", err)
			g.details = append(g.details, text)
			continue
		}
		if a := b.Annotations.Audience; len(a) > 0 && !slices.Contains(a, "assistant") {
			g.show(&b, text)
			continue
		}
		g.add(&b, text)
	}
	return g
}

// add takes in a block the model may read.
func (g *gathered) add(b *block, text json.RawMessage) {
	switch {
	case b.Type == "text":
		if b.Text != "" {
			g.parts = append(g.parts, tool.TextPart(b.Text))
		}
	case b.Type == "image":
		g.image(b.Data, b.MimeType, "", text)
	case b.Type == "audio":
		g.say("[audio: %s, %s]", b.MimeType, size(b.Data))
		g.show(b, text)
	case b.Type == "resource_link":
		g.say("[resource %s: %s]%s", b.URI, orNone(b.Name, "without a name"), before(" ", b.Description))
		g.details = append(g.details, map[string]any{"resourceLink": text})
	case b.Type == "resource" && b.Resource != nil && b.Resource.Text != nil:
		g.say("[resource %s]\n%s", b.Resource.URI, *b.Resource.Text)
	case b.Type == "resource" && b.Resource != nil && strings.HasPrefix(b.Resource.MimeType, "image/"):
		g.image(b.Resource.Blob, b.Resource.MimeType, b.Resource.URI, text)
	case b.Type == "resource" && b.Resource != nil:
		g.say("[resource %s: %s, %s]", b.Resource.URI, orNone(b.Resource.MimeType, "binary"), size(b.Resource.Blob))
		g.show(b, text)
	default:
		g.say("[a block of the unknown type %q]", b.Type)
		g.show(b, text)
	}
}

// image gives the model an image of a type models take; of any other it is told, and people see it.
func (g *gathered) image(data, mediaType, uri string, text json.RawMessage) {
	bytes, err := base64.StdEncoding.DecodeString(data)
	part := tool.ImagePart(bytes)
	switch {
	case err != nil:
		g.say("[image: %s, not base64]", mediaType)
		g.details = append(g.details, text)
	case slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, part.MediaType):
		if uri != "" {
			g.say("[resource %s]", uri)
		}
		g.parts = append(g.parts, part)
		g.images++
	default:
		g.say("[image: %s, %s]", mediaType, size(data))
		g.details = append(g.details, imageOf(data, mediaType, uri))
	}
}

// show puts a block before people alone.
func (g *gathered) show(b *block, text json.RawMessage) {
	switch b.Type {
	case "text":
		g.details = append(g.details, tool.Text(b.Text))
	case "image":
		g.details = append(g.details, imageOf(b.Data, b.MimeType, b.Name))
	default:
		g.details = append(g.details, map[string]any{b.Type: text})
	}
}

// showImages moves the images from what the model reads to what people see: structured content has no place for them.
func (g *gathered) showImages() {
	for _, p := range g.parts {
		if p.Type == tool.PartImage {
			g.details = append(g.details, imageOf(base64.StdEncoding.EncodeToString(p.Data), p.MediaType, ""))
		}
	}
}

func (g *gathered) say(format string, args ...any) {
	g.parts = append(g.parts, tool.TextPart(fmt.Sprintf(format, args...)))
}

// said is the text of the blocks, one under the other.
func (g *gathered) said() string {
	var texts []string
	for _, p := range g.parts {
		if p.Type == tool.PartText {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// shown is what people see beside the content; nil is nothing.
func (g *gathered) shown() any {
	blocks := make([]any, len(g.details))
	for i, d := range g.details {
		blocks[i] = d
		switch d := d.(type) {
		case tool.Text:
			blocks[i] = map[string]any{"text": d}
		case tool.Image:
			blocks[i] = map[string]any{"image": d}
		}
	}
	switch len(blocks) {
	case 0:
		return nil
	case 1:
		return blocks[0]
	}
	return blocks
}

func imageOf(data, mediaType, alt string) tool.Image {
	return tool.Image{Src: "data:" + mediaType + ";base64," + data, MediaType: mediaType, Alt: alt}
}

func size(data string) string {
	return fmt.Sprintf("%d bytes", base64.StdEncoding.DecodedLen(len(data))-strings.Count(data, "="))
}

func orNone(text, none string) string {
	if text == "" {
		return none
	}
	return text
}

func before(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + text
}
