package storage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A process that dies, or a disk that fills, while the log is moved into the file leaves a first page that speaks of pages which
// are not there yet; the log still has them.
func TestAFileThatDiedInACheckpointIsOpened(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "callboard.db")
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	const batches = 60
	for i := range int64(batches) {
		if err := db.Append(t.Context(), batchOf("r1", i+1, strings.Repeat("x", 4000))); err != nil {
			t.Fatal(err)
		}
	}
	log := read(t, path+"-wal")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole := read(t, path)
	if len(whole) <= len(before) || len(log) == 0 {
		t.Fatalf("the file has %d bytes after %d, the log %d: nothing was checkpointed", len(whole), len(before), len(log))
	}
	torn := filepath.Join(t.TempDir(), "callboard.db")
	write(t, torn, whole[:4096]+before[4096:])
	write(t, torn+"-wal", log)
	if db, err = Open(torn); err != nil {
		t.Fatalf("got %v, want the log to make the file whole", err)
	}
	records, err := db.Events(t.Context(), "r1", 0, 0)
	if err != nil || len(records) != batches {
		t.Errorf("got %d events and %v, want %d", len(records), err, batches)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
