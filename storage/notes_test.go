package storage

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"callboard/backend/toolset/memory"
	"callboard/backend/toolset/memory/storetest"
)

func TestNoteStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) memory.Store { return open(t) })
}

func TestNotesAreFoundAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	db := openAt(t, path)
	of := memory.Owner{AgentName: "demo"}
	for _, id := range []string{"a", "b"} {
		if err := db.AddNote(t.Context(), memory.Note{ID: id, Owner: of, Text: "The port is " + id, Tags: []string{"ports"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.DeleteNote(t.Context(), of, "a"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := openAt(t, path).FindNotes(t.Context(), of, "port", 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].ID != "b" || found[0].Tags[0] != "ports" {
		t.Errorf("got %+v, want note b alone", found)
	}
}

func TestAQueryOfManyWordsIsAnswered(t *testing.T) {
	db := open(t)
	of := memory.Owner{AgentName: "demo"}
	if err := db.AddNote(t.Context(), memory.Note{ID: "a", Owner: of, Text: "word63 is here"}); err != nil {
		t.Fatal(err)
	}
	query := ""
	for i := range 5000 {
		query += fmt.Sprintf("word%d ", i)
	}
	began := time.Now()
	found, err := db.FindNotes(t.Context(), of, query, 10)
	if err != nil || len(found) != 1 {
		t.Errorf("got %v, %v, want the note", found, err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %s, want under a second", took)
	}
}
