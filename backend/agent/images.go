package agent

import (
	"context"
	"encoding/json"

	"callboard/backend/model"
	"callboard/backend/tool"
)

// split takes a call's content apart and keeps what it shows with the call.
func (r *Runner) split(c *call, content json.RawMessage) tool.Split {
	split := tool.SplitContent(content)
	for _, fault := range split.Faults {
		r.logger().Info("what a tool named for an image is none, and stays text", "tool", c.name, "call", c.id, "why", fault)
	}
	c.shown = nil
	for _, p := range split.Images {
		c.shown = append(c.shown, Blob{Hash: p.Hash, MediaType: p.MediaType, Body: p.Bytes})
	}
	return split
}

// imagesOf is what a message refers to of what a result shows.
func imagesOf(split tool.Split) []model.Image {
	var images []model.Image
	for _, p := range split.Images {
		images = append(images, model.Image{Hash: p.Hash, MediaType: p.MediaType, Bytes: len(p.Bytes), Width: p.Width, Height: p.Height})
	}
	return images
}

// image reads the bytes of an image for a request.
func (r *Runner) image(ctx context.Context, hash string) ([]byte, error) {
	body, _, err := r.store().Blob(ctx, hash)
	return body, err
}
