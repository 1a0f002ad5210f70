package openai

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"callboard/backend/model"
)

// blobScheme stands before a hash where a request, as it is recorded, has an image's data: URL.
const blobScheme = "blob:"

// placed is an image and where its address stands among a payload's messages.
type placed struct {
	start, end int
	image      model.Image
}

// shown is an image a model was shown.
type shown struct{ model, hash string }

// refuse notes that a model did not take the images of a request: no later one shows them to it.
func (l *learned) refuse(name string, images []placed) {
	for _, at := range images {
		l.refused.Store(shown{name, at.image.Hash}, true)
	}
	l.refusals.Add(1)
}

// shows reports whether the model is shown an image, which it has not refused yet.
func (m *memo) shows(image model.Image) bool {
	_, refused := m.learned.refused.Load(shown{m.key.model, image.Hash})
	return !refused
}

// showImages shows what the tool messages just written refer to, in one message of the user: tools can only answer with text
// there, and their answers must stand together. It is a plain text where no image is shown: a server that takes none takes no parts.
func (m *memo) showImages() {
	if len(m.unshown) == 0 {
		return
	}
	plain := !slices.ContainsFunc(m.unshown, func(message *model.Message) bool { return slices.ContainsFunc(message.Images, m.shows) })
	d := append(m.messages, `,{"role":"user","content":`...)
	var words []string
	opening := "["
	for _, message := range m.unshown {
		id := cmp.Or(m.ids[message.ToolCallID], message.ToolCallID)
		for i, image := range message.Images {
			what := "Image " + strconv.Itoa(i+1) + " of the result of " + message.ToolName + " (" + id + ")"
			if !m.shows(image) {
				what += " cannot be shown to you."
			} else {
				what += ":"
			}
			if plain {
				words = append(words, what)
				continue
			}
			d = append(append(d, opening...), `{"type":"text","text":`...)
			d = append(model.AppendQuoted(d, what), '}')
			opening = ","
			if !m.shows(image) {
				continue
			}
			d = append(d, `,{"type":"image_url","image_url":{"url":"`...)
			start := len(d)
			d = append(append(d, blobScheme...), image.Hash...)
			m.images = append(m.images, placed{start, len(d), image})
			d = append(d, `"}}`...)
		}
	}
	if plain {
		d = model.AppendQuoted(d, strings.Join(words, "\n"))
	} else {
		d = append(d, ']')
	}
	m.messages = append(d, '}')
	m.unshown = nil
}

// load reads the bytes of the images a payload shows. It holds them as long as it is sent.
func (p *payload) load(ctx context.Context, read func(ctx context.Context, hash string) ([]byte, error)) error {
	if len(p.images) > 0 && read == nil {
		return errors.New("ask a model: the request shows images, and nothing gives their bytes")
	}
	loaded := map[string][]byte{}
	for _, at := range p.images {
		url, known := loaded[at.image.Hash]
		if !known {
			body, err := read(ctx, at.image.Hash)
			if err != nil {
				return fmt.Errorf("ask a model: read an image of the history: %w", err)
			}
			url = append(url, "data:"+at.image.MediaType+";base64,"...)
			url = base64.StdEncoding.AppendEncode(url, body)
			loaded[at.image.Hash] = url
		}
		p.urls = append(p.urls, url)
	}
	return nil
}

// parts are the bytes of the payload in order, with each image in its place.
func (p *payload) parts() [][]byte {
	parts := [][]byte{p.head}
	kept := 0
	for i, at := range p.images {
		parts = append(parts, p.messages[kept:at.start], p.urls[i])
		kept = at.end
	}
	return append(parts, p.messages[kept:], []byte(p.tail))
}
