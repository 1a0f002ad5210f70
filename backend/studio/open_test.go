package studio

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"callboard/storage"
)

func TestADataFolderThatCannotBeUsedIsSaidAndLeftAlone(t *testing.T) {
	newer := func(t *testing.T, path string) {
		s, err := Open(t.Context(), Config{Dir: filepath.Dir(path), OneThread: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), "pragma journal_mode = delete; pragma user_version = 99")
		if err = errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		want    error
	}{
		"a file that is no database":       {func(t *testing.T, path string) { writeFile(t, strings.Repeat("not a database\n", 500), path) }, storage.ErrForeign},
		"a database of a newer Callboard":  {newer, storage.ErrNewer},
		"a folder where the file would be": {func(t *testing.T, path string) { mkdir(t, path) }, storage.ErrForeign},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "callboard.db")
			c.prepare(t, path)
			before, _ := os.ReadFile(path)
			_, err := Open(t.Context(), Config{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("Open gave %v, want %v and the file's name", err, c.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestWhatCannotBeOpenedIsSaid(t *testing.T) {
	broken := t.TempDir()
	writeFile(t, "{not json", broken, "keys.json")
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"a folder that is not there":  {Config{Folder: filepath.Join(t.TempDir(), "gone")}, "there is no folder"},
		"a script that is not there":  {Config{Script: "/nowhere/script.json"}, "/nowhere/script.json"},
		"a script that does not read": {Config{Script: writeFile(t, `{"turns": [{"chunks": [{"txt": "x"}]}]}`, t.TempDir(), "bad.json")}, "bad.json:1:"},
		"a base URL that is none":     {Config{BaseURL: "nowhere", Model: "m"}, "no http or https address"},
		"keys that do not read":       {Config{Dir: broken}, "keys.json (repair the file"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.config.Dir == "" {
				c.config.Dir = t.TempDir()
			}
			_, err := Open(t.Context(), c.config)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Open gave %v, want %q in it", err, c.want)
			}
		})
	}
	if got := readFile(t, broken, "keys.json"); got != "{not json" {
		t.Errorf("the keys that do not read became %q", got)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
