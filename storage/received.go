package storage

import (
	"encoding/binary"
	"errors"
	"time"

	"callboard/backend/agent"
)

// What came from a provider is stored as one blob for each batch: for each piece, two varints (the nanoseconds since the request,
// the length) and its bytes.

func appendPieces(dst []byte, pieces []agent.Received) []byte {
	for _, p := range pieces {
		dst = binary.AppendVarint(dst, int64(p.After))
		dst = binary.AppendUvarint(dst, uint64(len(p.Bytes)))
		dst = append(dst, p.Bytes...)
	}
	return dst
}

func readPieces(dst []agent.Received, blob []byte) ([]agent.Received, error) {
	for len(blob) > 0 {
		after, n := binary.Varint(blob)
		if n <= 0 {
			return nil, errors.New("the pieces of an answer are damaged")
		}
		length, m := binary.Uvarint(blob[n:])
		if m <= 0 || length > uint64(len(blob)-n-m) {
			return nil, errors.New("the pieces of an answer are damaged")
		}
		start := n + m
		end := start + int(length)
		dst = append(dst, agent.Received{After: time.Duration(after), Bytes: blob[start:end:end]})
		blob = blob[end:]
	}
	return dst, nil
}
