package storage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

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

func TestTheNotesOfAllOwnersAreFoundAndDeleted(t *testing.T) {
	db := open(t)
	for i, of := range []memory.Owner{{AgentName: "demo"}, {AgentName: "scribe"}, {AgentName: "scribe", UserID: "ann"}} {
		n := memory.Note{ID: fmt.Sprint("n", i), Owner: of, Text: fmt.Sprintf("port %d of all", i)}
		if err := db.AddNote(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	find := func(query string, limit int) (ids []string) {
		t.Helper()
		found, err := db.AllNotes(t.Context(), query, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range found {
			ids = append(ids, n.ID+" "+n.Owner.AgentName+" "+n.Owner.UserID)
		}
		return ids
	}
	if got, want := find("", 9), []string{"n2 scribe ann", "n1 scribe ", "n0 demo "}; !slices.Equal(got, want) {
		t.Errorf("all: got %q, want %q", got, want)
	}
	if got, want := find("1", 9), []string{"n1 scribe "}; !slices.Equal(got, want) {
		t.Errorf("by a word: got %q, want %q", got, want)
	}
	if got := find("port", 2); len(got) != 2 {
		t.Errorf("got %q, want two", got)
	}
	if err := db.DropNote(t.Context(), "n2"); err != nil {
		t.Fatal(err)
	}
	if err := db.DropNote(t.Context(), "n2"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("deleted again: got %v, want ErrNotFound", err)
	}
	if got, want := find("port", 9), []string{"n1 scribe ", "n0 demo "}; !slices.Equal(got, want) {
		t.Errorf("left: got %q, want %q", got, want)
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
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s, want it at once", took)
	}
}

// Whatever the notes and the query are, SQLite finds the notes that the words say.
func TestSQLiteFindsTheNotesTheWordsSay(t *testing.T) {
	db := open(t)
	text := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`([a-eA-EéÉ茶緑 ]|port|ports|"|\*|NEAR|AND|\(|-|:){0,12}`),
	)
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		of := memory.Owner{AgentName: fmt.Sprint(round)}
		twin := &memory.Notes{}
		for i, text := range rapid.SliceOfN(text, 0, 6).Draw(t, "texts") {
			n := memory.Note{ID: fmt.Sprintf("%d.%d", round, i), Owner: of, Text: text}
			if err := errors.Join(db.AddNote(context.Background(), n), twin.AddNote(context.Background(), n)); err != nil {
				t.Fatal(err)
			}
		}
		query := text.Draw(t, "query")
		ids := func(s memory.Store) []string {
			found, err := s.FindNotes(context.Background(), of, query, 100)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, n := range found {
				ids = append(ids, n.ID)
			}
			slices.Sort(ids)
			return ids
		}
		if got, want := ids(db), ids(twin); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
