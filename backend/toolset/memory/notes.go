package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// Notes is a Store that keeps its notes in the process and forgets them with it. Its zero value works.
type Notes struct {
	mu   sync.RWMutex
	kept []*kept // oldest first
}

type kept struct {
	Note
	words []string
}

// AddNote keeps a note.
func (s *Notes) AddNote(_ context.Context, n Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.kept, func(k *kept) bool { return k.ID == n.ID }) {
		return fmt.Errorf("keep note %s: there is one of this id", n.ID)
	}
	n.Tags = slices.Clone(n.Tags)
	s.kept = append(s.kept, &kept{n, Words(n.Text + " " + strings.Join(n.Tags, " "))})
	return nil
}

// FindNotes searches the owner's notes.
func (s *Notes) FindNotes(_ context.Context, of Owner, query string, limit int) ([]Note, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var own []*kept
	for _, k := range slices.Backward(s.kept) {
		if k.Owner == of {
			own = append(own, k)
		}
	}
	if words := QueryWords(query); len(words) > 0 {
		own = rank(own, words)
	}
	found := []Note{}
	for _, k := range own[:min(limit, len(own))] {
		n := k.Note
		n.Tags = slices.Clone(n.Tags)
		found = append(found, n)
	}
	return found, nil
}

// DeleteNote removes a note of an owner.
func (s *Notes) DeleteNote(_ context.Context, of Owner, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.kept)
	s.kept = slices.DeleteFunc(s.kept, func(k *kept) bool { return k.ID == id && k.Owner == of })
	if len(s.kept) == before {
		return ErrNotFound
	}
	return nil
}

// rank keeps the notes that match, the best first. A word counts more the fewer notes have it, and twice where the note has it
// whole.
func rank(notes []*kept, words []string) []*kept {
	scores := map[*kept]float64{}
	for _, word := range words {
		matches := map[*kept]float64{}
		for _, k := range notes {
			switch {
			case slices.Contains(k.words, word):
				matches[k] = 2
			case slices.ContainsFunc(k.words, func(w string) bool { return strings.HasPrefix(w, Beginning(word)) }):
				matches[k] = 1
			}
		}
		rare := math.Log(1 + float64(len(notes))/float64(max(len(matches), 1)))
		for k, quality := range matches {
			scores[k] += rare * quality
		}
	}
	found := slices.DeleteFunc(slices.Clone(notes), func(k *kept) bool { return scores[k] == 0 })
	slices.SortStableFunc(found, func(a, b *kept) int { return cmp.Compare(scores[b], scores[a]) })
	return found
}
