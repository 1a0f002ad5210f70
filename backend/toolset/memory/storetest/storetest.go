// Package storetest is the test every store of notes passes.
package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/toolset/memory"
)

// Run tests a store. Each call of open gives an empty one, which it closes itself at the end of the test.
func Run(t *testing.T, open func(t *testing.T) memory.Store) {
	for name, test := range map[string]func(*testing.T, memory.Store){
		"a note comes back as it was":                      testWhole,
		"notes are found by any of their words":            testWords,
		"what matches more and rarer words stands first":   testRanking,
		"without a word the newest come first":             testNewest,
		"any text is a query":                              testAnyText,
		"an owner has notes of their own":                  testOwners,
		"a note is deleted once, by its owner":             testDelete,
		"an id is taken once":                              testTaken,
		"notes are added and found by several at one time": testConcurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

var me = memory.Owner{AgentName: "demo"}

// add keeps notes with the ids n1, n2, …
func add(t *testing.T, s memory.Store, texts ...string) {
	t.Helper()
	for i, text := range texts {
		n := memory.Note{ID: fmt.Sprintf("n%d", i+1), Owner: me, Text: text, CreatedAtMs: 1}
		if err := s.AddNote(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
}

func find(t *testing.T, s memory.Store, query string, limit int) []string {
	t.Helper()
	notes, err := s.FindNotes(t.Context(), me, query, limit)
	if err != nil {
		t.Fatalf("find %q: %v", query, err)
	}
	ids := []string{}
	for _, n := range notes {
		ids = append(ids, n.ID)
	}
	return ids
}

func testWhole(t *testing.T, s memory.Store) {
	want := memory.Note{
		ID: "a", Owner: memory.Owner{UserID: "u", AgentName: "demo"}, Text: "“Tabs”, not spaces\n\x00 <b>&", Tags: []string{"style", "Größe"},
		CreatedAtMs: 1_700_000_000_123,
	}
	if err := s.AddNote(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := s.FindNotes(t.Context(), want.Owner, "grosse größe", 5)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]memory.Note{want}, got); d != "" {
		t.Errorf("the note (-want +got):\n%s", d)
	}
}

func testWords(t *testing.T, s memory.Store) {
	add(t, s, "The staging server listens on port 9090", "Prefers café au lait", "我喜欢绿茶", "Deploys happen on Fridays", "x_api.v2 is old")
	for query, want := range map[string][]string{
		"port":                     {"n1"},
		"PORTS":                    {"n1"},
		"which port is it":         {"n1", "n5"},
		"cafe":                     {"n2"},
		"CAFÉ":                     {"n2"},
		"绿茶":                       {"n3"},
		"deployment":               {},
		"deploy":                   {"n4"},
		"friday":                   {"n4"},
		"v2":                       {"n5"},
		"90":                       {"n1"},
		"nothing that stands here": {},
	} {
		got := find(t, s, query, 10)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("notes for %q (-want +got):\n%s", query, d)
		}
	}
}

func testRanking(t *testing.T, s memory.Store) {
	add(
		t, s, "apples and plums", "apples and pears", "apples and cherries", "apples and pears from here", "quinces and medlars",
		"bread and cheese", "salt and pepper", "milk and honey", "oil and vinegar",
	)
	for query, want := range map[string]string{
		"cherries apples": "n3",
		"quinces apples":  "n5",
		"pears here":      "n4",
		"and salt":        "n7",
	} {
		if got := find(t, s, query, 1); len(got) != 1 || got[0] != want {
			t.Errorf("the first note for %q: got %v, want %s", query, got, want)
		}
	}
	for _, id := range []string{"same1", "same2"} {
		if err := s.AddNote(t.Context(), memory.Note{ID: id, Owner: me, Text: "walnuts", CreatedAtMs: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"same2", "same1"}, find(t, s, "walnut", 10)); d != "" {
		t.Errorf("of two that match alike (-want +got):\n%s", d)
	}
}

func testNewest(t *testing.T, s memory.Store) {
	add(t, s, "one", "two", "three")
	for _, query := range []string{"", " \n", "?!", "\"*\""} {
		if d := cmp.Diff([]string{"n3", "n2"}, find(t, s, query, 2)); d != "" {
			t.Errorf("notes for %q (-want +got):\n%s", query, d)
		}
	}
}

func testAnyText(t *testing.T, s memory.Store) {
	add(t, s, "the near miss of a column")
	for query, want := range map[string]int{
		`"`: 1, `a"b`: 1, "NEAR(": 1, "column:miss": 1, "miss*": 1, "-miss": 1, "^the": 1, "a AND OR NOT": 1, "{words}: x": 0, "'; drop table notes; --": 0,
		"\x00miss": 1, "\xffmiss": 1, "(((": 1, "+": 1, strings.Repeat("miss ", 2000): 1, "🎈": 1, "e\u0301": 0,
	} {
		if got := find(t, s, query, 10); len(got) != want {
			t.Errorf("notes for %q: got %v, want %d", query[:min(len(query), 40)], got, want)
		}
	}
}

func testOwners(t *testing.T, s memory.Store) {
	for i, of := range []memory.Owner{{AgentName: "demo"}, {AgentName: "other"}, {UserID: "u", AgentName: "demo"}} {
		if err := s.AddNote(t.Context(), memory.Note{ID: fmt.Sprint(i), Owner: of, Text: "likes tea", CreatedAtMs: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{"tea", ""} {
		if d := cmp.Diff([]string{"0"}, find(t, s, query, 10)); d != "" {
			t.Errorf("notes of one owner for %q (-want +got):\n%s", query, d)
		}
	}
}

func testDelete(t *testing.T, s memory.Store) {
	add(t, s, "likes tea", "likes coffee")
	if err := s.DeleteNote(t.Context(), memory.Owner{AgentName: "other"}, "n1"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("delete another's note: got %v, want ErrNotFound", err)
	}
	if err := s.DeleteNote(t.Context(), me, "n1"); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteNote(t.Context(), me, "n1"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("delete it again: got %v, want ErrNotFound", err)
	}
	if d := cmp.Diff([]string{"n2"}, find(t, s, "likes tea", 10)); d != "" {
		t.Errorf("what is left (-want +got):\n%s", d)
	}
}

func testTaken(t *testing.T, s memory.Store) {
	add(t, s, "one")
	if err := s.AddNote(t.Context(), memory.Note{ID: "n1", Owner: me, Text: "two", CreatedAtMs: 1}); err == nil {
		t.Error("a second note of one id was kept, want an error")
	}
	if d := cmp.Diff([]string{}, find(t, s, "two", 10)); d != "" {
		t.Errorf("what is found of it (-want +got):\n%s", d)
	}
}

func testConcurrent(t *testing.T, s memory.Store) {
	const writers = 8
	failed := make(chan error, writers)
	for i := range writers {
		go func() {
			err := s.AddNote(t.Context(), memory.Note{ID: fmt.Sprint(i), Owner: me, Text: "tea", CreatedAtMs: 1})
			_, findErr := s.FindNotes(t.Context(), me, "tea", 10)
			failed <- errors.Join(err, findErr)
		}()
	}
	for range writers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if got := len(find(t, s, "tea", 100)); got != writers {
		t.Errorf("got %d notes, want %d", got, writers)
	}
}
