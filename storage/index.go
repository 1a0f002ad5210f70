package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"callboard/backend/protocol"
)

const (
	// After a run's last event the index waits so long for the next, and no longer than the second after the first: what is written
	// in one go is indexed in one go, and while it is written nothing else is.
	indexPause = 300 * time.Millisecond
	indexDelay = 2 * time.Second
	// retryPause is how long it waits after it could not write.
	retryPause = 30 * time.Second
	// A step reads so many events of a run, and writes so many entries and bytes of their texts, about: it holds up the others that
	// write for some milliseconds.
	stepEvents  = 2000
	stepEntries = 64
	stepBytes   = 64 << 10
	readAtOnce  = 250
	// keptRuns is how many runs it holds half-read, so that one that goes on need not be read anew.
	keptRuns = 16
)

// index keeps what a search looks at up to date with the events, in a goroutine of its own and some moments behind them. After a
// crash, or in a database that has events and no index, it goes on from where it is, the newest runs first.
type index struct {
	db     *DB
	cancel context.CancelFunc
	ended  chan struct{}

	mu    sync.Mutex
	due   map[int64]*dueRun // what is behind: by the n of a run, or of a thread's messages that no run has by messagesOf
	bell  chan struct{}     // holds one
	rings int64             // how often it was rung
	fault error             // of the last step; nil when it went well
	back  bool              // it has looked for what earlier processes left

	// Of the goroutine alone.
	runs   map[int64]*indexedRun
	recent []int64 // the keys of runs, the last used at the end
	grams  grams
	last   struct{ atMs, n int64 } // of the entry written last
}

// dueRun is when a run is indexed.
type dueRun struct{ first, at time.Time }

// messagesOf stands for the messages of a thread that no run has where a run's n stands else.
func messagesOf(thread int64) int64 { return -thread }

func newIndex() *index {
	return &index{due: map[int64]*dueRun{}, bell: make(chan struct{}, 1), ended: make(chan struct{}), runs: map[int64]*indexedRun{}}
}

func (x *index) start(db *DB) {
	ctx, cancel := context.WithCancel(context.Background())
	x.db, x.cancel = db, cancel
	go func() {
		defer close(x.ended)
		x.run(ctx)
	}()
}

func (x *index) stop() {
	x.cancel()
	<-x.ended
}

// ring says that a run has more events.
func (x *index) ring(run int64) {
	now := time.Now()
	x.mu.Lock()
	d := x.due[run]
	if d == nil {
		d = &dueRun{first: now}
		x.due[run] = d
	}
	d.at = now.Add(indexPause)
	if latest := d.first.Add(indexDelay); d.at.After(latest) {
		d.at = latest
	}
	x.rings++
	x.mu.Unlock()
	select {
	case x.bell <- struct{}{}:
	default:
	}
}

// behind is how many runs are not whole in the index, and why it does not get on, if it does not.
func (x *index) behind() (runs int, fault error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	runs = len(x.due)
	if !x.back {
		runs++ // there may be some
	}
	return runs, x.fault
}

func (x *index) looked() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.back
}

func (x *index) run(ctx context.Context) {
	for {
		if !x.looked() {
			if err := x.lookBack(ctx); err != nil {
				x.fail(0, err)
				if !x.sleep(ctx, retryPause, false) {
					return
				}
				continue
			}
		}
		run, wait := x.next()
		if run == 0 {
			if !x.sleep(ctx, wait, true) {
				return
			}
			continue
		}
		rings, began := x.count(), time.Now()
		if err := x.step(ctx, run); err != nil {
			if ctx.Err() != nil || errors.Is(err, ErrClosed) {
				return
			}
			x.fail(run, err)
		}
		// Beside others that write, it takes half of the time.
		pause := time.Duration(0)
		if x.count() != rings {
			pause = time.Since(began)
		}
		if !x.sleep(ctx, pause, false) {
			return
		}
	}
}

// lookBack finds the runs whose events are not all in the index.
func (x *index) lookBack(ctx context.Context) error {
	var runs []int64
	err := x.db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var run int64
			err := rows.Scan(&run)
			runs = append(runs, run)
			return err
		}, `select n from runs left join search_marks on run = n
			where coalesce((select max(seq) from events where run = n), 0) > coalesce(last, 0)
			union all select distinct -thread from messages m where run_id = '' and `+notIndexed)
	})
	if err != nil {
		return fmt.Errorf("find what is not indexed: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.back, x.fault = true, nil
	for _, run := range runs {
		if x.due[run] == nil {
			x.due[run] = &dueRun{}
		}
	}
	return nil
}

// next is the newest run that is due, or 0 and how long it is until one will be.
func (x *index) next() (run int64, wait time.Duration) {
	now := time.Now()
	wait = time.Hour
	x.mu.Lock()
	defer x.mu.Unlock()
	for n, d := range x.due {
		if left := d.at.Sub(now); left > 0 {
			wait = min(wait, left)
		} else if run == 0 || n > run {
			run = n
		}
	}
	return run, wait
}

func (x *index) count() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rings
}

func (x *index) fail(run int64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fault = err
	for _, d := range x.due {
		d.at = time.Now().Add(retryPause)
	}
	if run != 0 {
		x.forget(run) // what it had read may not be what is written
	}
}

// sleep waits; it returns false when the index is to end.
func (x *index) sleep(ctx context.Context, wait time.Duration, bell bool) bool {
	if wait <= 0 {
		return ctx.Err() == nil
	}
	var rung <-chan struct{}
	if bell {
		rung = x.bell
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-rung:
	case <-timer.C:
	}
	return true
}

// step indexes the next events of a run, or the next messages that no run has of a thread.
func (x *index) step(ctx context.Context, run int64) error {
	x.mu.Lock()
	asked := *x.due[run]
	x.mu.Unlock()
	whole, err := false, error(nil)
	if run < 0 {
		whole, err = x.stepMessages(ctx, -run)
	} else {
		whole, err = x.stepRun(ctx, run)
	}
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fault = nil
	if d := x.due[run]; whole && *d == asked {
		delete(x.due, run)
	}
	return nil
}

// stepRun indexes the next events of a run; whole when there are no more.
func (x *index) stepRun(ctx context.Context, run int64) (whole bool, err error) {
	r, err := x.open(ctx, run)
	if err != nil {
		return false, fmt.Errorf("index run %d: %w", run, err)
	}
	if r == nil { // it was deleted
		return true, nil
	}
	if whole, err = x.read(ctx, r); err != nil {
		return false, fmt.Errorf("index run %s: %w", r.id, err)
	}
	x.prepare(r)
	if err := x.db.write(&job{do: func(w *writer) error { return x.write(w, r) }, rows: groupRows}); err != nil {
		return false, fmt.Errorf("index run %s: %w", r.id, err)
	}
	r.written()
	if whole && r.t.Status.Ended() {
		x.forget(run)
	}
	return whole, nil
}

// open returns a run as far as it was read; nil when it is gone.
func (x *index) open(ctx context.Context, n int64) (*indexedRun, error) {
	var id string
	var mark int64
	err := x.db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `select id, coalesce(last, 0) from runs left join search_marks on run = n where n = ?`, n).Scan(&id, &mark)
	})
	if errors.Is(err, sql.ErrNoRows) {
		x.forget(n)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := x.runs[n]
	if r == nil || r.id != id {
		r = newIndexedRun(n, id, mark)
		if err := x.load(ctx, r); err != nil {
			return nil, err
		}
		x.runs[n] = r
	}
	x.use(n)
	return r, nil
}

// load reads what the index has of the calls of a run that is read anew.
func (x *index) load(ctx context.Context, r *indexedRun) error {
	if r.mark == 0 {
		return nil
	}
	return x.db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var id string
			var c storedCall
			if err := rows.Scan(&id, &c.state, &c.label); err != nil {
				return err
			}
			r.stored[id] = c
			return nil
		}, `select tool_call_id, state, label from search_calls where run = ?`, r.n)
	})
}

// use keeps a run, and forgets the one that was not used for longest.
func (x *index) use(n int64) {
	for i, each := range x.recent {
		if each == n {
			x.recent = append(x.recent[:i], x.recent[i+1:]...)
			break
		}
	}
	x.recent = append(x.recent, n)
	if len(x.recent) > keptRuns {
		x.forget(x.recent[0])
	}
}

func (x *index) forget(n int64) {
	delete(x.runs, n)
	for i, each := range x.recent {
		if each == n {
			x.recent = append(x.recent[:i], x.recent[i+1:]...)
			return
		}
	}
}

// read folds the next events of a run; whole when there are no more.
func (x *index) read(ctx context.Context, r *indexedRun) (whole bool, err error) {
	err = x.db.read(ctx, func(inner context.Context, tx *sql.Tx) error {
		read := blobText(inner, tx)
		for ctx.Err() == nil {
			records, err := readEvents(inner, tx, r.n, r.t.Last, readAtOnce, (*blobReader).refer)
			if err != nil {
				return err
			}
			for _, record := range records {
				if r.full() {
					return nil
				}
				f, err := protocol.DecodeFrame(record.Seq, record.JSON)
				if err != nil {
					r.t.ApplyJSON(record.Seq, record.JSON) // it counts all the same
				} else if err := r.apply(f, read); err != nil {
					return fmt.Errorf("event %d: %w", record.Seq, err)
				}
			}
			if whole = len(records) < readAtOnce; whole {
				return nil
			}
		}
		return ctx.Err()
	})
	return whole, err
}

// full says whether enough was read for a step.
func (r *indexedRun) full() bool {
	return len(r.fresh) >= stepEntries || r.bytes >= stepBytes || r.t.Last >= r.mark+stepEvents
}

// blobText reads how a blob begins, as much as is searched of it.
func blobText(ctx context.Context, tx *sql.Tx) func(hash string) (text string, err error) {
	return func(hash string) (text string, err error) {
		var body []byte
		err = tx.QueryRowContext(ctx, `select substr(body, 1, ?) from blobs where hash = ?`, SearchLimit+1, hash).Scan(&body)
		return string(body), err
	}
}
