package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/toolset/memory"
)

// AddNote keeps a note.
func (db *DB) AddNote(_ context.Context, n memory.Note) error {
	tags := n.Tags
	if tags == nil {
		tags = []string{}
	}
	encoded, err := optionalJSON(&tags)
	if err != nil {
		return fmt.Errorf("keep note %s: %w", n.ID, err)
	}
	words := strings.Join(memory.Words(n.Text+" "+strings.Join(tags, " ")), " ")
	return db.change("keep note "+n.ID, func(w *writer) error {
		row, err := w.insertNote.insert(n.ID, n.Owner.UserID, n.Owner.AgentName, n.Text, encoded, n.CreatedAtMs)
		if err == nil {
			_, err = w.insertNoteWords.exec(row, words)
		}
		return err
	})
}

// FindNotes returns the notes of an owner that match a query, the best first, or the newest where it has no word.
func (db *DB) FindNotes(ctx context.Context, of memory.Owner, query string, limit int) ([]memory.Note, error) {
	return db.findNotes(ctx, query, limit, "user_id = ? and agent_name = ?", of.UserID, of.AgentName)
}

// AllNotes returns the notes of all owners, as FindNotes does of one.
func (db *DB) AllNotes(ctx context.Context, query string, limit int) ([]memory.Note, error) {
	return db.findNotes(ctx, query, limit, "true")
}

func (db *DB) findNotes(ctx context.Context, query string, limit int, which string, args ...any) ([]memory.Note, error) {
	const columns = "select id, user_id, agent_name, text, tags, created_at_ms from notes "
	text := columns + "where " + which + " order by n desc limit ?"
	if expression := matching(query); expression != "" {
		text = columns + "join note_words on note_words.rowid = notes.n where " + which + ` and note_words match ?
			order by bm25(note_words), n desc limit ?`
		args = append(args, expression)
	}
	args = append(args, limit)
	found := []memory.Note{}
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var n memory.Note
			var tags []byte
			if err := rows.Scan(&n.ID, &n.Owner.UserID, &n.Owner.AgentName, &n.Text, &tags, &n.CreatedAtMs); err != nil {
				return err
			}
			if err := parse(tags, &n.Tags); err != nil {
				return fmt.Errorf("note %s: %w", n.ID, err)
			}
			if len(n.Tags) == 0 {
				n.Tags = nil
			}
			found = append(found, n)
			return nil
		}, text, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("find notes: %w", err)
	}
	return found, nil
}

// matching is a query in the language of FTS5: any of its words, whole or by its beginning. Words hold letters and digits alone, so
// that nothing in them means anything else. It is empty when there is none.
func matching(query string) string {
	var terms []string
	for _, word := range memory.QueryWords(query) {
		terms = append(terms, `"`+word+`"`, `"`+memory.Beginning(word)+`"*`)
	}
	return strings.Join(terms, " OR ")
}

// DeleteNote removes a note of an owner, or returns memory.ErrNotFound.
func (db *DB) DeleteNote(_ context.Context, of memory.Owner, id string) error {
	return missingNote(id, db.change("delete note "+id, func(w *writer) error { return w.one(w.deleteNote, id, of.UserID, of.AgentName) }))
}

// DropNote removes a note, whoever's it is, or returns memory.ErrNotFound.
func (db *DB) DropNote(_ context.Context, id string) error {
	return missingNote(id, db.change("delete note "+id, func(w *writer) error { return w.one(w.dropNote, id) }))
}

func missingNote(id string, err error) error {
	if errors.Is(err, agent.ErrNotFound) {
		return fmt.Errorf("delete note %s: %w", id, memory.ErrNotFound)
	}
	return err
}
