package aisdk

import (
	"slices"
	"strings"
)

// step is the turn that is being told, by its parts: a stream cannot take one of them back, only all.
type step struct {
	open  bool
	stale bool // the client still shows what was removed
	parts []*part
}

// part is a text, a stretch of reasoning or a call, with what was said of it.
type part struct {
	key    string
	chunks []Chunk
	pieces strings.Builder // the deltas, which are one chunk among the others
	at     int             // that one, counted from 1; 0 is none
}

func (s *step) find(key string) int {
	return slices.IndexFunc(s.parts, func(p *part) bool { return p.key == key })
}

// says reports whether a chunk of that type was said of a part.
func (s *step) says(key, chunkType string) bool {
	i := s.find(key)
	return i >= 0 && slices.ContainsFunc(s.parts[i].chunks, func(c Chunk) bool { return c.Type == chunkType })
}

// keys are those of the parts, in order.
func (s *step) keys() []string {
	keys := make([]string, len(s.parts))
	for i, p := range s.parts {
		keys[i] = p.key
	}
	return keys
}

// rename lets another part have a key.
func (s *step) rename(key string) {
	if i := s.find(key); i >= 0 {
		s.parts[i].key = ""
	}
}

func (s *step) keep(key string, c Chunk) {
	i := s.find(key)
	if i < 0 {
		i = len(s.parts)
		s.parts = append(s.parts, &part{key: key})
	}
	p := s.parts[i]
	switch delta := c.Delta + c.InputTextDelta; {
	case delta != "" && p.at > 0:
		p.pieces.WriteString(delta)
		return
	case delta != "":
		p.pieces.WriteString(delta)
		p.at = len(p.chunks) + 1
	case c.Data != nil:
		same := slices.IndexFunc(p.chunks, func(other Chunk) bool { return other.Type == c.Type })
		if same >= 0 {
			p.chunks[same] = c
			return
		}
	}
	p.chunks = append(p.chunks, c)
}

func (s *step) remove(key string) {
	if i := s.find(key); i >= 0 {
		s.parts = slices.Delete(s.parts, i, i+1)
		s.stale = true
	}
}

// appendTo says the parts again.
func (s *step) appendTo(out []Chunk) []Chunk {
	for _, p := range s.parts {
		for i, c := range p.chunks {
			switch {
			case i+1 != p.at:
			case c.Delta != "":
				c.Delta = p.pieces.String()
			default:
				c.InputTextDelta = p.pieces.String()
			}
			out = append(out, c)
		}
	}
	return out
}

// splitKey takes a key apart: the kind of its part, which has no space, and the id.
func splitKey(key string) (kind, id string) {
	kind, id, _ = strings.Cut(key, " ")
	return kind, id
}
