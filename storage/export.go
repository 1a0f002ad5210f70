package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"callboard/backend/agent"
	"callboard/backend/archive"
)

// exportPage is how many events are read at a time, with all that is large in them.
const exportPage = 128

var errStopped = errors.New("nobody reads on")

// ExportThread yields a thread as the lines of a file, all of one moment. A non-nil error, ErrNotFound for one, is the last thing it
// yields. Who ranges over it holds back a reader of the database meanwhile, and is quick.
func (db *DB) ExportThread(ctx context.Context, id string) iter.Seq2[archive.Line, error] {
	return func(yield func(archive.Line, error) bool) {
		err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
			n, err := find(ctx, tx, "threads", id)
			if err != nil {
				return err
			}
			x := &exporting{ctx: ctx, tx: tx, thread: n, results: map[string]bool{}, yield: func(line archive.Line) error {
				if !yield(line, nil) {
					return errStopped
				}
				return nil
			}}
			return x.all(id)
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, fmt.Errorf("export thread %s: %w", id, err))
		}
	}
}

// exporting is an export under way.
type exporting struct {
	ctx     context.Context
	tx      *sql.Tx
	thread  int64
	results map[string]bool // ids of messages the ledger has
	yield   func(archive.Line) error
}

func (x *exporting) all(id string) error {
	if err := x.head(); err != nil {
		return err
	}
	if err := x.blobs(); err != nil {
		return err
	}
	var runs []*agent.RunState
	ns, err := readRuns(x.ctx, x.tx, agent.RunQuery{ThreadID: id}, &runs)
	if err != nil {
		return err
	}
	for i, run := range runs {
		if err := x.run(ns[i], run); err != nil {
			return fmt.Errorf("run %s: %w", run.ID, err)
		}
	}
	messages, err := readHistory(x.ctx, x.tx, x.thread, false)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if err := x.yield(archive.HistoryOf(m, x.results)); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporting) head() error {
	summary, err := summarize(x.ctx, x.tx, x.thread)
	if err != nil {
		return err
	}
	var title, name string
	if err := x.tx.QueryRowContext(x.ctx, `select title, name from threads where n = ?`, x.thread).Scan(&title, &name); err != nil {
		return err
	}
	return x.yield(archive.HeadOf(&summary, title, name))
}

// blobs yields what messages and details name by its hash. Large values of events are not among them: events are whole in a file.
func (x *exporting) blobs() error {
	var hashes []string
	err := each(x.ctx, x.tx, func(rows *sql.Rows) error {
		var hash string
		err := rows.Scan(&hash)
		hashes = append(hashes, hash)
		return err
	}, `select hash from blob_uses join blobs on n = blob where thread = ? and media_type != 'application/json' order by n`, x.thread)
	for _, hash := range hashes {
		if err != nil {
			break
		}
		line := &archive.Blob{Hash: hash}
		err = x.tx.QueryRowContext(x.ctx, `select media_type, body from blobs where hash = ?`, hash).Scan(&line.MediaType, &line.Body)
		if err == nil {
			err = x.yield(line)
		}
	}
	return err
}

func (x *exporting) run(n int64, run *agent.RunState) error {
	err := errors.Join(readApprovals(x.ctx, x.tx, n, run), readChildren(x.ctx, x.tx, n, run))
	if err == nil {
		err = x.yield(archive.RunOf(&run.Run))
	}
	if err == nil {
		err = eachCall(x.ctx, x.tx, n, run.ID, func(c *agent.Call) error {
			if c.Message != nil {
				x.results[c.Message.ID] = true
			}
			return x.yield(archive.CallOf(c))
		})
	}
	for _, p := range run.Approvals {
		line, lineErr := archive.ApprovalOf(p)
		if err = errors.Join(err, lineErr); err != nil {
			return err
		}
		err = x.yield(line)
	}
	for i := range run.Children {
		if err != nil {
			return err
		}
		err = x.yield(archive.ChildOf(&run.Children[i]))
	}
	if err == nil {
		err = x.events(n)
	}
	if err == nil {
		err = x.requests(n, run.ID)
	}
	return err
}

func (x *exporting) events(run int64) error {
	for after := int64(0); ; {
		records, err := readEvents(x.ctx, x.tx, run, after, exportPage, (*blobReader).join)
		if err != nil {
			return err
		}
		for _, record := range records {
			if err := x.yield(archive.EventOf(record)); err != nil {
				return err
			}
			after = record.Seq
		}
		if len(records) < exportPage {
			return nil
		}
	}
}

func (x *exporting) requests(run int64, runID string) error {
	requests, err := readRequests(x.ctx, x.tx, run, runID)
	if err != nil {
		return err
	}
	for i := range requests {
		sent, received := archive.RequestOf(&requests[i])
		if err := x.yield(sent); err != nil {
			return err
		}
		if received == nil {
			continue
		}
		if err := x.yield(received); err != nil {
			return err
		}
	}
	return nil
}
