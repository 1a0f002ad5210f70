package agent

import (
	"context"
	"fmt"
	"iter"

	"callboard/backend/model"
)

// Blob returns bytes that were stored by their hash, or ErrNotFound.
func (m *Memory) Blob(_ context.Context, hash string) (body []byte, mediaType string, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if blob := m.blobs[hash]; blob != nil {
		return blob.body, blob.mediaType, nil
	}
	return nil, "", fmt.Errorf("read blob %s: %w", hash, ErrNotFound)
}

// keepBlobs keeps what a batch brings, and notes that its thread holds it and what the batch's messages show.
func (m *Memory) keepBlobs(thread *memoryThread, b *Batch) {
	for _, blob := range b.Blobs {
		if m.blobs == nil {
			m.blobs = map[string]*memoryBlob{}
		}
		if m.blobs[blob.Hash] == nil {
			m.blobs[blob.Hash] = &memoryBlob{mediaType: blob.MediaType, body: blob.Body, threads: map[*memoryThread]struct{}{}}
		}
		m.blobs[blob.Hash].threads[thread] = struct{}{}
	}
	for message := range b.shown() {
		for _, image := range message.Images {
			m.blobs[image.Hash].threads[thread] = struct{}{}
		}
	}
}

// hasImages refuses a batch whose messages show what is not stored.
func (m *Memory) hasImages(b *Batch) error {
	brought := map[string]bool{}
	for _, blob := range b.Blobs {
		brought[blob.Hash] = true
	}
	for message := range b.shown() {
		for _, image := range message.Images {
			if !brought[image.Hash] && m.blobs[image.Hash] == nil {
				return fmt.Errorf("append to thread %s: message %s shows image %s, which is not stored", b.Run.ThreadID, message.ID, image.Hash)
			}
		}
	}
	return nil
}

// shown are the messages of a batch, those in its ledger too.
func (b *Batch) shown() iter.Seq[*model.Message] {
	return func(yield func(*model.Message) bool) {
		for _, message := range b.Messages {
			if !yield(message) {
				return
			}
		}
		for i := range b.Calls {
			if message := b.Calls[i].Message; message != nil && !yield(message) {
				return
			}
		}
	}
}

// forgetBlobs lets go of what a thread held and no other holds.
func (m *Memory) forgetBlobs(thread *memoryThread) {
	for hash, blob := range m.blobs {
		delete(blob.threads, thread)
		if len(blob.threads) == 0 {
			delete(m.blobs, hash)
		}
	}
}
