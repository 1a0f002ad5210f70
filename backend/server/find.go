package server

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"callboard/backend/protocol"
)

// find says which large values of a run hold a text, by their hashes: those that GET /runs/{id}/events?refs=1 refers to. Capitals
// are as good as small letters. A text is found as the JSON has it and as it is drawn, without escapes; the bytes of images are
// no text.
func (s *Server) find(w http.ResponseWriter, r *http.Request) error {
	v, err := s.operatorOnly(r)
	if err != nil {
		return err
	}
	run, err := s.findRun(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	wanted := bytes.ToLower([]byte(r.URL.Query().Get("text")))
	if len(wanted) == 0 {
		return invalid("text: must not be empty")
	}
	hashes := []string{}
	searched := map[string]bool{}
	for after := int64(0); ; {
		records, err := s.Threads.EventRefs(r.Context(), run.ID, after, pageSize)
		if err != nil {
			return err
		}
		for _, record := range records {
			after = record.Seq
			if !bytes.Contains(record.JSON, []byte(`Ref":`)) {
				continue
			}
			frame, err := protocol.DecodeFrame(record.Seq, record.JSON)
			if err != nil {
				continue // what is no event refers to nothing
			}
			for _, ref := range protocol.Refs(frame.Event) {
				if searched[ref.Hash] {
					continue
				}
				searched[ref.Hash] = true
				found, err := s.blobHolds(r.Context(), v, ref.Hash, wanted)
				if err != nil {
					return err
				}
				if found {
					hashes = append(hashes, ref.Hash)
				}
			}
		}
		if len(records) < pageSize {
			break
		}
	}
	writeJSON(w, http.StatusOK, foundAnswer{hashes})
	return nil
}

type foundAnswer struct {
	Hashes []string `json:"hashes" jsonschema_description:"Of the blobs that hold the text"`
}

func (s *Server) blobHolds(ctx context.Context, v view, hash string, wanted []byte) (bool, error) {
	body, _, err := s.log.Blob(ctx, hash)
	if err != nil {
		return false, fmt.Errorf("search blob %s: %w", hash, err)
	}
	return holds(v.json(body), wanted), nil // what is hidden cannot be found
}

var imageBytes = regexp.MustCompile(`;base64,[A-Za-z0-9+/=]+`)

// holds reports whether JSON text has a text, which is in small letters.
func holds(text, wanted []byte) bool {
	if bytes.Contains(text, []byte(";base64,")) {
		text = imageBytes.ReplaceAll(text, []byte(";base64,"))
	}
	if bytes.Contains(bytes.ToLower(text), wanted) {
		return true
	}
	return bytes.IndexByte(text, '\\') >= 0 && bytes.Contains(bytes.ToLower(drawn(text)), wanted)
}

// drawn is JSON text with its escapes as the characters they stand for.
func drawn(text []byte) []byte {
	signs := map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		i++
		sign, known := signs[text[i]]
		unit, ok := escaped(text[i:])
		switch {
		case known:
			out = append(out, sign)
		case !ok:
			out = append(out, text[i])
		default:
			i += len("uXXXX") - 1
			if utf16.IsSurrogate(unit) && i+2 < len(text) && text[i+1] == '\\' {
				if low, ok := escaped(text[i+2:]); ok {
					unit = utf16.DecodeRune(unit, low)
					i += len(`\uXXXX`)
				}
			}
			out = utf8.AppendRune(out, unit)
		}
	}
	return out
}

// escaped reads the uXXXX that a text begins with.
func escaped(text []byte) (unit rune, ok bool) {
	if len(text) < len("uXXXX") || text[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[1:len("uXXXX")]), 16, 16)
	return rune(n), err == nil
}
