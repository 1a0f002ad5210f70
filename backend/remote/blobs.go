package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // sizes are kept with images
	_ "image/jpeg" // sizes are kept with images
	_ "image/png"  // sizes are kept with images
	"net/http"
	"regexp"
	"slices"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// maxImages is how many images of one event are fetched.
const maxImages = 64

// sources are the places where the wire names an image by its hash.
var sources = regexp.MustCompile(`"src"\s*:\s*"([0-9a-f]{64})"`)

// values are the members of an event that may show images.
func values(event protocol.Event) [][]byte {
	switch e := event.(type) {
	case *protocol.ToolResult:
		return [][]byte{e.Result, e.Details}
	case *protocol.ToolUpdate:
		return [][]byte{e.Content, e.Details}
	case *protocol.ApprovalRequired:
		var all [][]byte
		for _, a := range e.Approvals {
			all = append(all, a.Details)
		}
		return all
	}
	return nil
}

func hashesIn(value []byte) (hashes []string) {
	for _, found := range sources.FindAllSubmatch(value, -1) {
		if hash := string(found[1]); !slices.Contains(hashes, hash) {
			hashes = append(hashes, hash)
		}
	}
	return hashes
}

// fetch adds to a batch the images an event shows and the store does not have. An image the server does not give stays missing; an
// error says that the server could not be asked.
func (m *mirror) fetch(ctx context.Context, b *agent.Batch, event protocol.Event) error {
	fetched := 0
	for _, value := range values(event) {
		for _, hash := range hashesIn(value) {
			if slices.ContainsFunc(b.Blobs, func(have agent.Blob) bool { return have.Hash == hash }) {
				continue
			}
			body, mediaType, err := m.server.Runner.Log().Blob(ctx, hash)
			if errors.Is(err, agent.ErrNotFound) {
				if fetched++; fetched > maxImages {
					return nil
				}
				body, mediaType, err = m.ask(ctx, hash)
			}
			if err != nil {
				return fmt.Errorf("fetch image %s: %w", hash, err)
			}
			if body != nil {
				b.Blobs = append(b.Blobs, agent.Blob{Hash: hash, MediaType: mediaType, Body: body})
			}
		}
	}
	return nil
}

// ask fetches an image; nil when the server has none of that hash.
func (m *mirror) ask(ctx context.Context, hash string) ([]byte, string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	body, _, err := m.server.Client.Blob(ctx, hash)
	var said *client.Error
	if errors.As(err, &said) || errors.Is(err, client.ErrBlob) {
		m.server.logger().Warn("an image of an attached server is missing", "server", m.server.Name, "hash", hash, "error", err)
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	mediaType := http.DetectContentType(body)
	if !strings.HasPrefix(mediaType, "image/") {
		m.server.logger().Warn("what an attached server calls an image is none", "server", m.server.Name, "hash", hash, "type", mediaType)
		return nil, "", nil
	}
	return body, mediaType, nil
}

// shown are the images of a result that came with it.
func shown(b *agent.Batch, result []byte) (images []model.Image) {
	for _, hash := range hashesIn(result) {
		for _, blob := range b.Blobs {
			if blob.Hash == hash && strings.HasPrefix(blob.MediaType, "image/") {
				size, _, _ := image.DecodeConfig(bytes.NewReader(blob.Body)) // 0 where it is not known
				images = append(images, model.Image{Hash: hash, MediaType: blob.MediaType, Bytes: len(blob.Body), Width: size.Width, Height: size.Height})
			}
		}
	}
	return images
}
