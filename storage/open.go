package storage

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
)

// applicationID marks the files of this program: "Call" in ASCII.
const applicationID = 0x43616c6c

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations returns the scripts in order. After the first k of them the schema's version is k.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	scripts := make([]string, len(names))
	for i, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		scripts[i] = string(text)
	}
	return scripts, nil
}

// inspect makes an empty file where there is none, and refuses one that is not ours to change. It reads as one reads a file that
// nobody writes: no lock, no log, nothing beside it.
func inspect(path string) error {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return nil // another process made it just now
		}
		if err != nil {
			return err
		}
		return f.Close()
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%w: it is a folder", ErrForeign)
	case info.Size() == 0:
		return nil
	}
	return inspectFile(path)
}

func inspectFile(path string) (err error) {
	known, err := migrations()
	if err != nil {
		return err
	}
	log, err := os.Stat(path + "-wal")
	if err == nil && log.Size() > 0 {
		return inspectHeader(path, int64(len(known)))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := sql.Open("sqlite", dsn(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(explain(err), db.Close()) }()
	ctx := context.Background()
	var owner, version, tables int64
	if err := db.QueryRowContext(ctx, "pragma application_id").Scan(&owner); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "pragma user_version").Scan(&version); err != nil {
		return err
	}
	if owner == 0 {
		// Ours too, if a crash came between the file's first page and its first table.
		if err := db.QueryRowContext(ctx, "select count(*) from sqlite_schema").Scan(&tables); err != nil {
			return err
		}
	}
	return admit(owner, version, tables, int64(len(known)))
}

// inspectHeader reads the marks out of a file that only its log makes whole: a process that died while it moved the log into the
// file left a first page that speaks of pages which are not there yet (https://www.sqlite.org/fileformat.html, section 1.3).
func inspectHeader(path string, known int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	var page [105]byte
	if _, err := io.ReadFull(f, page[:]); err != nil || !bytes.HasPrefix(page[:], []byte("SQLite format 3\x00")) {
		return fmt.Errorf("%w: it is not a database; nothing was changed", ErrForeign)
	}
	const leaf = 0x0d // the first page of a schema without tables is a leaf without cells
	tables := int64(binary.BigEndian.Uint16(page[103:]))
	if page[100] != leaf {
		tables++
	}
	return admit(int64(binary.BigEndian.Uint32(page[68:])), int64(binary.BigEndian.Uint32(page[60:])), tables, known)
}

// admit says whether a database may be used, from its marks and the number of its tables when it has no owner.
func admit(owner, version, tables, known int64) error {
	if owner != applicationID && (owner != 0 || tables > 0) {
		return fmt.Errorf("%w: it belongs to another program; nothing was changed", ErrForeign)
	}
	if version > known {
		return fmt.Errorf("%w (schema %d, this one knows %d); nothing was changed", ErrNewer, version, known)
	}
	return nil
}

// migrate brings the schema up to date in one transaction, or leaves it as it was.
func (w *writer) migrate(known []string) error {
	if err := w.exec("begin immediate"); err != nil {
		return explain(err)
	}
	changed, err := w.migrateTo(known)
	if err != nil {
		return errors.Join(explain(err), w.exec("rollback"))
	}
	if err := w.exec("commit"); err != nil {
		return errors.Join(explain(err), w.exec("rollback"))
	}
	if !changed {
		return nil
	}
	// So that the version stands in the file itself, where an older program looks first.
	return w.exec("pragma wal_checkpoint(truncate)")
}

func (w *writer) migrateTo(known []string) (changed bool, err error) {
	var marks [3]int64
	for i, query := range []string{"pragma application_id", "pragma user_version", "select count(*) from sqlite_schema"} {
		if marks[i], err = w.number(query); err != nil {
			return false, err
		}
	}
	if err := admit(marks[0], marks[1], marks[2], int64(len(known))); err != nil {
		return false, err
	}
	for i, script := range known[marks[1]:] {
		if err := w.exec(script); err != nil {
			return false, fmt.Errorf("bring the schema to version %d: %w", marks[1]+int64(i)+1, err)
		}
	}
	if marks[1] == int64(len(known)) {
		return false, nil
	}
	return true, w.exec(fmt.Sprintf("pragma application_id = %d; pragma user_version = %d", applicationID, len(known)))
}
