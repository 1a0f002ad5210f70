// Package memory is the tools that keep notes for an agent from one thread to the next: remember, recall and forget.
// It knows nothing of agents, models or databases: where the notes are kept is its Store's affair. Notes go into a model only when
// it recalls them.
package memory

import (
	"context"
	"errors"
	"fmt"

	"callboard/backend/tool"
)

// Owner is whose notes they are: those of one agent about one user. A call's context names both.
type Owner struct {
	UserID    string // empty where there is one user
	AgentName string
}

// Note is a piece of text an agent wants to know again.
type Note struct {
	ID          string
	Owner       Owner
	Text        string
	Tags        []string
	CreatedAtMs int64
}

// Store keeps notes. It is safe for concurrent use. Notes (in this package) and storage.DB pass one test, storetest.Run.
type Store interface {
	// AddNote keeps a note under an ID that no other has.
	AddNote(ctx context.Context, n Note) error
	// FindNotes returns up to limit notes of an owner in which one of the words of the query matches a word of the text or the
	// tags (QueryWords, Words, Beginning): those that match more, and rarer words, first; of two that match alike, the newer. Without a word
	// it returns the newest.
	FindNotes(ctx context.Context, of Owner, query string, limit int) ([]Note, error)
	// DeleteNote removes a note of an owner, or returns ErrNotFound.
	DeleteNote(ctx context.Context, of Owner, id string) error
}

// ErrNotFound is returned for a note that its owner does not have.
var ErrNotFound = errors.New("there is no such note")

// Limits of notes. Lengths are in Unicode characters.
const (
	MaxText  = 8000
	MaxTags  = 16
	MaxTag   = 64
	MaxQuery = 1000
	MaxNotes = 50 // in one result of recall
)

// Tools makes remember, recall and forget over a store.
func Tools(store Store) ([]*tool.Tool, error) {
	if store == nil {
		return nil, errors.New("make the memory tools: no store is given")
	}
	s := &set{store}
	tools := make([]*tool.Tool, 0, 3)
	for _, define := range []func() (*tool.Tool, error){s.remember, s.recall, s.forget} {
		t, err := define()
		if err != nil {
			return nil, fmt.Errorf("make the memory tools: %w", err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

type set struct{ store Store }

func ownerOf(ctx tool.Context) Owner { return Owner{UserID: ctx.UserID, AgentName: ctx.AgentName} }

// about presents one call among those of its tool.
func about(calls tool.Presentation, detail, summary string) *tool.Presentation {
	calls.Detail, calls.Summary = detail, summary
	return &calls
}
