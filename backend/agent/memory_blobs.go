package agent

import (
	"context"
	"fmt"
	"iter"

	"callboard/backend/model"
	"callboard/backend/protocol"
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

// EventRefs is Events with references in place of large values (protocol.Ref), which can be read with Blob from then on.
func (m *Memory) EventRefs(_ context.Context, runID string, after int64, limit int) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	run := m.runs[runID]
	if run == nil {
		return nil, fmt.Errorf("read the events of run %s: %w", runID, ErrNotFound)
	}
	frames := between(run.frames, after, limit)
	referring := make([]protocol.Frame, len(frames))
	for i, f := range frames {
		var values map[string][]byte
		referring[i] = f
		referring[i].Event, values = protocol.Refer(f.Event)
		for hash, body := range values {
			m.keepBlobs(run.thread, &Batch{Blobs: []Blob{{Hash: hash, MediaType: "application/json", Body: body}}})
		}
	}
	return encodeFrames(runID, referring)
}
