package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"callboard/backend/protocol"
)

// largeValue is the size in bytes above which a JSON value is stored apart, once for all that hold it.
const largeValue = protocol.LargeValue

// part is a value cut out of a text.
type part struct {
	at   int // where it belongs in the text that is left
	hash string
	body string
}

// cut takes large values out of a JSON object: those of its own members. Text that is not an object stays whole.
func cut(text string) (rest string, parts []part) {
	if len(text) <= largeValue {
		return text, nil
	}
	var out strings.Builder
	kept := 0
	for start, end := range members(text) {
		if end-start <= largeValue {
			continue
		}
		out.WriteString(text[kept:start])
		sum := sha256.Sum256([]byte(text[start:end]))
		parts = append(parts, part{at: out.Len(), hash: hex.EncodeToString(sum[:]), body: text[start:end]})
		kept = end
	}
	if parts == nil {
		return text, nil
	}
	out.WriteString(text[kept:])
	return out.String(), parts
}

// members yields where the values of an object's members start and end. It stops at what is not JSON.
func members(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		i := skipSpace(text, 0)
		if i == len(text) || text[i] != '{' {
			return
		}
		for i < len(text) && (text[i] == '{' || text[i] == ',') {
			i = skipSpace(text, skipValue(text, skipSpace(text, i+1))) // the key
			if i == len(text) || text[i] != ':' {
				return
			}
			start := skipSpace(text, i+1)
			end := skipValue(text, start)
			if !yield(start, end) {
				return
			}
			i = skipSpace(text, end)
		}
	}
}

func skipSpace(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns where the value that starts at i ends.
func skipValue(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			i = skipString(text, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1 + min(depth, 0) // a bracket that closes what is around the value is not of it
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(text)
}

// skipString returns where the string that starts at i ends.
func skipString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// placement is where blobs belong, as it is stored: "offset:blob", separated by spaces.
func placement(parts []part, blobs []int64) string {
	var out []byte
	for i, p := range parts {
		if i > 0 {
			out = append(out, ' ')
		}
		out = strconv.AppendInt(out, int64(p.at), 10)
		out = append(out, ':')
		out = strconv.AppendInt(out, blobs[i], 10)
	}
	return string(out)
}

// join puts blobs back where they belong.
func join(rest []byte, placed string, blob func(n int64) ([]byte, error)) ([]byte, error) {
	var out []byte
	kept := 0
	for _, p := range places(placed) {
		if p.at < kept || p.at > len(rest) {
			return nil, fmt.Errorf("parts %q do not fit a text of %d bytes", placed, len(rest))
		}
		body, err := blob(p.blob)
		if err != nil {
			return nil, err
		}
		out = append(append(out, rest[kept:p.at]...), body...)
		kept = p.at
	}
	return append(out, rest[kept:]...), nil
}

// place is where a blob belongs in the text that is left.
type place struct {
	at   int // -1 where the placement is none
	blob int64
}

// places reads a placement.
func places(placed string) []place {
	var out []place
	for entry := range strings.SplitSeq(placed, " ") {
		left, right, _ := strings.Cut(entry, ":")
		at, err := strconv.Atoi(left)
		n, err2 := strconv.ParseInt(right, 10, 64)
		if err != nil || err2 != nil {
			at = -1
		}
		out = append(out, place{at, n})
	}
	return out
}
