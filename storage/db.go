// Package storage keeps threads, runs and their events in one SQLite file. It knows nothing of how a run works, of HTTP or of
// windows. DB is the agent.Store of the studio; what it stores is described in migrations/.
package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What callers compare.
var (
	// ErrClosed is returned once Close was called.
	ErrClosed = errors.New("the database is closed")
	// ErrFull is returned when the disk has no room for a batch. Nothing of the batch is stored, and the database goes on
	// working.
	ErrFull = errors.New("the disk is full")
	// ErrNewer is returned by Open for a file of a newer version of the program.
	ErrNewer = errors.New("written by a newer Callboard")
	// ErrDamaged is returned when the file is not as SQLite left it.
	ErrDamaged = errors.New("the database is damaged")
	// ErrForeign is returned by Open for a file that is not a database, or another program's.
	ErrForeign = errors.New("not a database of Callboard")
)

// DB is an open database. It is safe for concurrent use: one goroutine writes, and readers never wait for it; another keeps the
// index of Search up to date, some moments behind.
type DB struct {
	path    string
	readers *sql.DB
	writer  *writer
	jobs    chan *job
	written chan struct{} // closed when the writer's goroutine has ended
	mu      sync.RWMutex  // guards closed, and so the closing of jobs
	closed  bool
}

const (
	readerCount = 4
	// busyTimeout is how long one process waits for another, also where SQLite does not wait by itself: while a file becomes a
	// database.
	busyTimeout = 5 * time.Second
	busyPragma  = "busy_timeout(5000)" // ms
	// queueLength is how many writes wait before those who bring more wait too.
	queueLength = 64
)

// Open opens the database at a path and makes it if there is none; its folder must exist. A file it cannot use is left as it is.
func Open(path string) (*DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if err := inspect(full); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	w, err := openWriter(writerDSN(full))
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	readers, err := sql.Open("sqlite", readerDSN(full))
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, errors.Join(err, w.close()))
	}
	readers.SetMaxOpenConns(readerCount)
	readers.SetMaxIdleConns(readerCount)
	db := &DB{path: path, readers: readers, writer: w, jobs: make(chan *job, queueLength), written: make(chan struct{})}
	go func() {
		defer close(db.written)
		w.run(db.jobs)
	}()
	w.index.start(db)
	return db, nil
}

func openWriter(dsn string) (*writer, error) {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		w, err := newWriter(dsn)
		if code(err) != sqlite3.SQLITE_BUSY || time.Since(began) > busyTimeout {
			return w, err
		}
	}
}

// Close waits for what is being written and read, folds the write-ahead log into the file and closes it.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	db.mu.Unlock()
	db.writer.index.stop()
	close(db.jobs)
	<-db.written
	err := errors.Join(db.readers.Close(), db.writer.settle(), db.writer.close())
	if err != nil {
		return fmt.Errorf("close database %s: %w", db.path, err)
	}
	return nil
}

// write hands work to the writer's goroutine and waits until it is committed. A caller that gives up does not undo it.
func (db *DB) write(j *job) error {
	j.done = make(chan error, 1)
	db.mu.RLock()
	if db.closed {
		db.mu.RUnlock()
		return ErrClosed
	}
	db.jobs <- j
	db.mu.RUnlock()
	return <-j.done
}

// read runs a function in one snapshot of the database.
func (db *DB) read(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// Reads are short, and a context that can end costs a goroutine a query.
	err := db.readWith(context.WithoutCancel(ctx), do)
	if err != nil && db.isClosed() {
		return ErrClosed
	}
	return explain(err)
}

func (db *DB) readWith(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) (err error) {
	tx, err := db.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	return do(ctx, tx)
}

func (db *DB) isClosed() bool {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.closed
}

// explain adds what callers compare to an error of SQLite.
func explain(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: nothing of this step was stored (%w)", ErrFull, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("the folder or the file cannot be written: check its permissions and that the disk is not read-only (%w)", err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: nothing was changed (%w)", ErrForeign, err)
	}
	return err
}

// code is the primary result code of an error of SQLite, 0 for any other.
func code(err error) int {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return 0
	}
	return failed.Code() & 0xff
}

func writerDSN(path string) string {
	return dsn(path, url.Values{
		"_txlock": {"immediate"},
		"_dqs":    {"0"},
		"_pragma": {
			busyPragma, "cache_size(-16000)", "foreign_keys(1)", "journal_mode(wal)", "journal_size_limit(67108864)",
			"synchronous(normal)", "wal_autocheckpoint(4000)",
		},
	})
}

func readerDSN(path string) string {
	return dsn(path, url.Values{
		"mode": {"ro"}, "_dqs": {"0"},
		"_pragma": {busyPragma, "cache_size(-8000)", "query_only(1)"},
	})
}

// dsn names a file, whatever characters its path holds.
func dsn(path string, query url.Values) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/…
	}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}).String()
}
