package storage

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"callboard/backend/agent"
	"callboard/backend/protocol"
)

func frames(from int64, texts ...string) []protocol.Frame {
	out := make([]protocol.Frame, len(texts))
	for i, text := range texts {
		out[i] = protocol.Frame{Seq: from + int64(i), AtMs: 1, Event: &protocol.TextDelta{ID: "t", Delta: text}}
	}
	return out
}

func batchOf(runID string, from int64, texts ...string) *agent.Batch {
	return &agent.Batch{
		Run:    agent.Run{ID: runID, ThreadID: "t-" + runID, Status: protocol.StatusRunning, UpdatedAtMs: from},
		Frames: frames(from, texts...),
	}
}

// execute runs statements on a file as another program would.
func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, url.Values{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// folder is what a folder holds: each file's name and bytes.
func folder(t *testing.T, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAFileThatIsNotOursIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want error
		says string
	}{
		"a newer schema": {
			func(t *testing.T, path string) {
				db := openAt(t, path)
				if err := db.Append(t.Context(), batchOf("r1", 1, "a")); err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				execute(t, path, "pragma user_version = 99")
			},
			ErrNewer, fmt.Sprintf("written by a newer Callboard (schema 99, this one knows %d); nothing was changed", schemaVersion(t)),
		},
		"another program's database": {
			func(t *testing.T, path string) {
				execute(t, path, "create table notes (text)", "insert into notes values ('mine')")
			},
			ErrForeign, "belongs to another program",
		},
		"another program's empty database with its own mark": {
			func(t *testing.T, path string) { execute(t, path, "pragma application_id = 7") }, ErrForeign, "belongs to another program",
		},
		"a text": {
			func(t *testing.T, path string) { write(t, path, strings.Repeat("not a database\n", 1000)) }, ErrForeign, "nothing was changed",
		},
		"a short text": {func(t *testing.T, path string) { write(t, path, "hello") }, ErrForeign, "nothing was changed"},
		"half of a database": {
			func(t *testing.T, path string) {
				if err := openAt(t, path).Close(); err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(path, 3*4096); err != nil {
					t.Fatal(err)
				}
			},
			ErrDamaged, "the database is damaged",
		},
		"a folder": {
			func(t *testing.T, path string) {
				if err := os.Mkdir(path, 0o700); err != nil {
					t.Fatal(err)
				}
			},
			ErrForeign, "it is a folder",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "callboard.db")
			c.make(t, path)
			before := folder(t, dir)
			db, err := Open(path)
			if err == nil {
				t.Fatal("it was opened", db.Close())
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("it says %q, want %q, which is %v, and the path", err, c.says, c.want)
			}
			if diff := cmp.Diff(before, folder(t, dir)); diff != "" {
				t.Errorf("the folder changed (-before +after):\n%.500s", diff)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAMissingFolderIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone", "callboard.db")
	if _, err := Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want %v", err, fs.ErrNotExist)
	}
}

func TestAFileThatWasBarelyBegunIsOpened(t *testing.T) {
	for name, start := range map[string]func(t *testing.T, path string){
		"an empty file":              func(t *testing.T, path string) { write(t, path, "") },
		"a first page and no tables": func(t *testing.T, path string) { execute(t, path, "pragma journal_mode = wal") },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "callboard.db")
			start(t, path)
			if err := openAt(t, path).Append(t.Context(), batchOf("r1", 1, "a")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAPathMayHoldAnyCharacter(t *testing.T) {
	for _, name := range []string{"a b.db", "50%.db", "a%20b.db", "what?.db", "a#b.db", "a&mode=ro.db", "ü+日本.db", "a'b\"c.db"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "in "+name)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			db := openAt(t, path)
			if err := db.Append(t.Context(), batchOf("r1", 1, "a")); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Events(t.Context(), "r1", 0, 0); err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 || entries[0].Name() != name {
				t.Fatalf("the folder holds %v (%v), want only %s", entries, err, name)
			}
			if info, err := entries[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("its mode is %v (%v), want 0600", info.Mode(), err)
			}
		})
	}
}

func TestWhatWasStoredIsThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	var want []agent.Record
	for round := range int64(3) {
		db, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Append(t.Context(), batchOf("r1", round*2+1, "a", strings.Repeat("b", largeValue+1))); err != nil {
			t.Fatal(err)
		}
		got, err := db.Events(t.Context(), "r1", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got[:len(want)], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("events changed (-before +after):\n%.500s", diff)
		}
		want = got
		if err := errors.Join(db.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
		if err := db.Append(t.Context(), batchOf("r1", 99, "late")); !errors.Is(err, ErrClosed) {
			t.Errorf("append after Close: %v, want %v", err, ErrClosed)
		}
		if _, err := db.Events(t.Context(), "r1", 0, 0); !errors.Is(err, ErrClosed) {
			t.Errorf("read after Close: %v, want %v", err, ErrClosed)
		}
	}
	if len(want) != 6 {
		t.Errorf("%d events, want 6", len(want))
	}
}

func TestAMigrationIsDoneWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	known, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	db := openAt(t, path)
	broken := append(known[:len(known):len(known)], "create table more (n integer) strict; insert into nowhere values (1)")
	if err := db.writer.migrate(broken); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("to version %d", len(broken))) {
		t.Errorf("a broken migration: %v, want an error that names version %d", err, len(broken))
	}
	tables := func() (n int64) {
		n, err := db.writer.number("select count(*) from sqlite_schema where name = 'more'")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := tables(); n != 0 {
		t.Errorf("%d of its tables are left", n)
	}
	whole := append(known[:len(known):len(known)], "create table more (n integer) strict")
	if err := db.writer.migrate(whole); err != nil {
		t.Fatal(err)
	}
	if n := tables(); n != 1 {
		t.Errorf("the table is there %d times, want once", n)
	}
	if _, err := Open(path); !errors.Is(err, ErrNewer) {
		t.Errorf("an older program opens it: %v, want %v", err, ErrNewer)
	}
}

func TestTwoProcessesDoNotDisturbEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	var dbs [2]*DB
	var opening sync.WaitGroup
	var errs [2]error
	for i := range dbs {
		opening.Go(func() { dbs[i], errs[i] = Open(path) })
	}
	opening.Wait()
	for i, db := range dbs {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		defer func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	var writing sync.WaitGroup
	won := make([]int, len(dbs))
	const rounds = 30
	for i, db := range dbs {
		writing.Go(func() {
			for seq := int64(1); seq <= rounds; seq++ {
				switch err := db.Append(t.Context(), batchOf("shared", seq, "a")); {
				case err == nil:
					won[i]++
				case !errors.Is(err, agent.ErrConflict):
					t.Errorf("event %d: %v", seq, err)
				}
				if err := db.Append(t.Context(), batchOf(fmt.Sprintf("own-%d", i), seq, "a")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	for _, id := range []string{"shared", "own-0", "own-1"} {
		got, err := dbs[0].Events(t.Context(), id, 0, 0)
		if err != nil || len(got) != rounds {
			t.Errorf("run %s has %d events (%v), want %d", id, len(got), err, rounds)
		}
	}
	if won[0]+won[1] != rounds {
		t.Errorf("they won %v times, want %d together", won, rounds)
	}
	if err := dbs[0].DeleteThread(t.Context(), "t-own-1"); !errors.Is(err, agent.ErrBusy) {
		t.Errorf("delete a live thread of the other: %v, want %v", err, agent.ErrBusy)
	}
	checkWhole(t, dbs[1])
}

// schemaVersion is the version of the schema after all migrations.
func schemaVersion(t *testing.T) int {
	t.Helper()
	known, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	return len(known)
}
