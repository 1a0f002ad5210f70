package storage

import (
	"errors"

	"modernc.org/sqlite"
)

// groupRows is how many rows are written, about, before a group of jobs is committed.
const groupRows = 512

// job is work for the writer: it runs inside a transaction, perhaps twice.
type job struct {
	do      func(w *writer) error
	rows    int
	durable bool
	done    chan error // holds one
}

// refusal is the error of a job that wrote nothing, so that those beside it may be kept.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// writer owns the one connection that writes. Only one goroutine uses it at a time.
type writer struct {
	conn conn
	statements
	cache cache
	index *index  // is told what has grown, once that is committed
	grown []int64 // in this transaction: runs by their n, messages of no run by messagesOf
	full  bool    // each commit is synced
	group []*job
}

func newWriter(dsn string) (*writer, error) {
	opened, err := new(sqlite.Driver).Open(dsn)
	if err != nil {
		return nil, explain(err)
	}
	full, ok := opened.(conn)
	if !ok {
		return nil, errors.Join(errors.New("the driver's connections take no context"), opened.Close())
	}
	w := &writer{conn: full, index: newIndex()}
	scripts, err := migrations()
	if err == nil {
		err = w.migrate(scripts)
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	if err := w.prepare(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// run commits what is queued, in groups, until the queue is closed and empty.
func (w *writer) run(jobs <-chan *job) {
	for first := range jobs {
		w.gather(first, jobs)
		w.commit(w.group)
		clear(w.group)
	}
}

// gather fills the group with what waits already.
func (w *writer) gather(first *job, jobs <-chan *job) {
	w.group = append(w.group[:0], first)
	for rows := first.rows; rows < groupRows; {
		select {
		case next, open := <-jobs:
			if !open {
				return
			}
			w.group = append(w.group, next)
			rows += next.rows
		default:
			return
		}
	}
}

// commit does a group of jobs in one transaction and tells each how it went. When one breaks the transaction, each is done again
// by itself, so that only those fail that must.
func (w *writer) commit(group []*job) {
	if err := w.begin(group); err != nil {
		for _, j := range group {
			j.done <- explain(err)
		}
		return
	}
	refused := make([]error, len(group))
	err := w.apply(group, refused)
	if err == nil {
		_, err = w.commitTx.exec()
	}
	if err == nil {
		for _, run := range w.grown {
			w.index.ring(run)
		}
		for i, j := range group {
			j.done <- refused[i]
		}
		return
	}
	w.rollback()
	if len(group) == 1 {
		group[0].done <- explain(err)
		return
	}
	for _, j := range group {
		w.commit([]*job{j})
	}
}

func (w *writer) begin(group []*job) error {
	full := false
	for _, j := range group {
		full = full || j.durable
	}
	if full != w.full {
		level := "pragma synchronous = normal"
		if full {
			level = "pragma synchronous = full"
		}
		if err := w.exec(level); err != nil {
			return err
		}
		w.full = full
	}
	if _, err := w.beginTx.exec(); err != nil {
		return err
	}
	version, err := w.dataVersion.number()
	if err != nil {
		w.rollback()
		return err
	}
	w.cache.prepare(version)
	w.grown = w.grown[:0]
	return nil
}

func (w *writer) apply(group []*job, refused []error) error {
	for i, j := range group {
		err := j.do(w)
		if r := (refusal{}); errors.As(err, &r) {
			refused[i] = r.error
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rollback undoes the transaction, unless SQLite did already: it does when the disk is full.
func (w *writer) rollback() {
	w.cache.clear()
	_, _ = w.rollbackTx.exec() // fails when there is nothing left to undo
}

// settle brings the file into the state it is left in: statistics for the next start, and no log beside it.
func (w *writer) settle() error {
	return errors.Join(w.exec("pragma optimize"), w.exec("pragma wal_checkpoint(truncate)"))
}

func (w *writer) close() error {
	return errors.Join(w.statements.close(), w.conn.Close())
}

// cache has what the last batches looked up. It is good as long as no other process writes.
type cache struct {
	version int64 // of the data as this connection sees it
	threads map[string]*threadRow
	runs    map[string]*runRow
}

// cacheSize is how many runs the cache holds before it starts anew.
const cacheSize = 1024

type threadRow struct {
	n         int64
	title     string
	name      string
	updatedMs int64
	next      int64               // position in the history
	results   map[string]*callRow // by message id: those that are not in the history yet
}

type runRow struct {
	n        int64
	thread   *threadRow
	threadID string
	last     int64
	row      runColumns
	calls    map[string]*callRow
	request  requestRow // the last one touched
}

type callRow struct {
	run, i  int64
	message string // id of its result
}

type requestRow struct {
	turn, try int
	next      int64 // index of its next pieces, from 1; 0 while there is no row
}

func (c *cache) prepare(version int64) {
	if version != c.version || len(c.runs) >= cacheSize || len(c.threads) >= cacheSize || c.runs == nil {
		c.clear()
	}
	c.version = version
}

func (c *cache) clear() {
	c.threads = map[string]*threadRow{}
	c.runs = map[string]*runRow{}
}
