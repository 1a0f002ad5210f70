package studio

import (
	"bytes"
	"context"
	"iter"

	"callboard/backend/model"
	"callboard/backend/model/openai"
)

// mask stands where a key was.
const mask = "[key]"

// discreet keeps a server's key out of what is stored of its answers: one that refuses a key may quote it.
type discreet struct{ *openai.Backend }

// Stream is the backend's, with every key in the raw bytes masked.
func (d *discreet) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	key := []byte(d.Key())
	if len(key) == 0 {
		return d.Backend.Stream(ctx, request)
	}
	return func(yield func(model.Chunk, error) bool) {
		for chunk, err := range d.Backend.Stream(ctx, request) {
			if bytes.Contains(chunk.Raw, key) {
				chunk.Raw = bytes.ReplaceAll(chunk.Raw, key, []byte(mask))
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}
