package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"callboard/backend/agent"
	"callboard/backend/archive"
	"callboard/backend/protocol"
)

// ErrExists says that a thread, or a run or approval of it, is stored already.
var ErrExists = errors.New("it is here already")

// Import is a thread that comes from a file.
type Import struct {
	// Lines reads the whole file, which was checked, from its beginning; it may be asked twice.
	Lines func() iter.Seq2[archive.Line, error]
	// Ends is what ends the runs that are not over (archive.Settle).
	Ends []*agent.Batch
	// Settings are the thread's own, as JSON.
	Settings json.RawMessage
}

// ImportThread stores a thread in one transaction: all of it or nothing. Other writes wait meanwhile. It returns ErrExists.
func (db *DB) ImportThread(_ context.Context, in Import) error {
	if err := db.write(&job{do: func(w *writer) error { return w.importThread(in) }, rows: groupRows, durable: true}); err != nil {
		return fmt.Errorf("import a thread: %w", err)
	}
	return nil
}

// Known says which names of a file are stored already: its thread, or a run or an approval that may be another thread's.
func (db *DB) Known(ctx context.Context, names *archive.Names) (thread, others bool, err error) {
	err = db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		has := func(table, id string) (bool, error) {
			_, err := find(ctx, tx, table, id)
			if errors.Is(err, agent.ErrNotFound) {
				return false, nil
			}
			return err == nil, err
		}
		var err error
		thread, err = has("threads", names.ThreadID)
		for table, ids := range map[string]map[string]bool{"runs": names.Runs, "approvals": names.Approvals} {
			for id := range ids {
				if err != nil || others {
					return err
				}
				others, err = has(table, id)
			}
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("look for thread %s: %w", names.ThreadID, err)
	}
	return thread, others, err
}

func (w *writer) importThread(in Import) error {
	x := &importing{w: w}
	for line, err := range in.Lines() {
		if err == nil {
			err = x.line(line)
		}
		if err != nil {
			return x.failed(err)
		}
	}
	err := x.flush()
	for _, b := range in.Ends {
		if err == nil {
			err = w.append(b)
		}
	}
	if err == nil {
		err = x.title()
	}
	if err == nil {
		_, err = w.threadSettings.exec(value(in.Settings), x.thread.n)
	}
	return x.failed(err)
}

// append writes a batch within a larger job.
func (w *writer) append(b *agent.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	e, err := encode(b)
	if err != nil {
		return err
	}
	return e.write(w)
}

// importing is an import under way. What belongs to a run is gathered and written in batches.
type importing struct {
	w      *writer
	head   *archive.Head
	thread *threadRow // nil while nothing was written
	runID  string
	batch  *agent.Batch // of the run, or of the history
	events []text       // of the batch
	rows   int
	size   int // of the events, in bytes
}

// importBytes is how many bytes of events a batch has, about.
const importBytes = 1 << 20

// failed is an error of a job of which something may be written, which must be undone.
func (x *importing) failed(err error) error {
	if refused := (refusal{}); x.thread != nil && errors.As(err, &refused) {
		return refused.error
	}
	return err
}

func (x *importing) line(line archive.Line) error {
	switch l := line.(type) {
	case *archive.Head:
		return x.begin(l)
	case *archive.Blob:
		_, err := x.w.keepBlob(x.thread, l.Hash, l.MediaType, l.Body)
		return err
	case *archive.Run:
		return x.newRun(l)
	case *archive.Call:
		x.batch.Calls = append(x.batch.Calls, l.Row(x.runID))
	case *archive.Approval:
		if err := x.freeApproval(l.ApprovalID); err != nil {
			return err
		}
		x.batch.Approvals = append(x.batch.Approvals, l.Row(x.runID, x.head.Thread.ID))
	case *archive.Child:
		x.batch.Children = append(x.batch.Children, l.Row())
	case *archive.Event:
		x.event(l)
	case *archive.Request:
		x.batch.Requests = append(x.batch.Requests, l.Row())
	case *archive.Received:
		x.batch.Requests = append(x.batch.Requests, l.Row())
	case *archive.History:
		return x.history(l)
	case *archive.End:
		return nil
	}
	if x.rows++; x.rows < groupRows && x.size < importBytes {
		return nil
	}
	return x.flush()
}

func (x *importing) begin(h *archive.Head) error {
	known, err := x.w.findThreadRow(h.Thread.ID)
	if err != nil {
		return err
	}
	if known != nil {
		return refusal{fmt.Errorf("thread %s: %w", h.Thread.ID, ErrExists)}
	}
	x.head = h
	x.thread, err = x.w.newThread(h.Thread.ID, h.Thread.CreatedAtMs, h.Thread.UpdatedAtMs)
	return err
}

func (x *importing) newRun(l *archive.Run) error {
	if err := x.flush(); err != nil {
		return err
	}
	known, err := x.w.findRunRow(l.ID)
	if err == nil && known != nil {
		err = fmt.Errorf("run %s: %w", l.ID, ErrExists)
	}
	x.runID = l.ID
	x.batch = &agent.Batch{Run: l.Row(x.head.Thread.ID)}
	return err
}

// freeApproval refuses an approval that another run has: its row would be taken over.
func (x *importing) freeApproval(id string) (err error) {
	dest := make([]driver.Value, 1)
	queryErr := x.w.query(dest, func() { err = fmt.Errorf("approval %s: %w", id, ErrExists) }, `select n from approvals where id = ?`, id)
	return errors.Join(queryErr, err)
}

func (x *importing) event(l *archive.Event) {
	x.batch.Frames = append(x.batch.Frames, protocol.Frame{Seq: l.Seq})
	rest, parts := cut(string(l.JSON))
	x.events = append(x.events, text{rest, parts})
	x.size += len(l.JSON)
}

func (x *importing) history(l *archive.History) error {
	if x.runID != "" || x.batch == nil { // the runs are over
		if err := x.flush(); err != nil {
			return err
		}
		x.runID, x.batch = "", &agent.Batch{Run: agent.Run{ThreadID: x.head.Thread.ID}}
	}
	if l.Message != nil {
		x.batch.Messages = append(x.batch.Messages, l.Message.Row())
		if x.rows++; x.rows >= groupRows {
			return x.flush()
		}
		return nil
	}
	if err := x.flush(); err != nil {
		return err
	}
	return x.w.resultInHistory(x.thread, l.RunID, l.ToolCallID)
}

// resultInHistory appends the result of a call to the history; the ledger has it.
func (w *writer) resultInHistory(thread *threadRow, runID, toolCallID string) error {
	run, err := w.findRunRow(runID)
	if err != nil {
		return err
	}
	row := run.calls[toolCallID]
	delete(thread.results, row.message)
	if _, err := w.insertHistory.exec(thread.n, thread.next, row.message, row.run, row.i); err != nil {
		return err
	}
	thread.next++
	return nil
}

// flush writes what was gathered. The batch's row stays, for what comes.
func (x *importing) flush() error {
	if x.batch == nil || x.rows == 0 && len(x.batch.Calls)+len(x.events)+len(x.batch.Messages) == 0 && x.runID == "" {
		return nil
	}
	batch := x.batch
	frames := batch.Frames
	batch.Frames = nil // their texts are made
	if err := batch.Check(); err != nil {
		return err
	}
	e, err := encode(batch)
	if err != nil {
		return err
	}
	batch.Frames, e.events = frames, x.events
	if err := e.write(x.w); err != nil {
		return err
	}
	x.batch, x.events, x.rows, x.size = &agent.Batch{Run: batch.Run}, nil, 0, 0
	return nil
}

// title gives the thread the title it had, which need not be that of its first message.
func (x *importing) title() error {
	if err := x.w.setTitle(x.thread, string(x.head.Thread.Title)); err != nil {
		return err
	}
	return x.w.setName(x.thread, string(x.head.Thread.Name))
}
