package storage

import (
	"cmp"
	"database/sql/driver"
	"strings"

	"callboard/backend/agent"
)

// thread finds or makes a batch's thread and moves its time on, as far as no run of it says the same.
func (w *writer) thread(b *agent.Batch) (*threadRow, error) {
	created, updated := b.Times()
	t, err := w.findThreadRow(b.Run.ThreadID)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return w.newThread(b.Run.ThreadID, created, updated)
	}
	if updated <= t.updatedMs || b.Run.ID != "" && updated <= b.Run.UpdatedAtMs {
		return t, nil
	}
	t.updatedMs = updated
	_, err = w.touchThread.exec(updated, t.n)
	return t, err
}

func (w *writer) newThread(id string, createdMs, updatedMs int64) (*threadRow, error) {
	n, err := w.insertThread.insert(id, createdMs, updatedMs)
	if err != nil {
		return nil, err
	}
	t := &threadRow{n: n, updatedMs: updatedMs, next: 1, results: map[string]*callRow{}}
	w.cache.threads[id] = t
	return t, nil
}

// findThreadRow returns nil for a thread that is not there.
func (w *writer) findThreadRow(id string) (*threadRow, error) {
	if t := w.cache.threads[id]; t != nil {
		return t, nil
	}
	dest := make([]driver.Value, 5)
	if found, err := w.findThread.row(dest, id); err != nil || !found {
		return nil, err
	}
	t := &threadRow{
		n: integer(dest[0]), title: str(dest[1]), name: str(dest[2]), updatedMs: integer(dest[3]), next: integer(dest[4]),
		results: map[string]*callRow{},
	}
	w.cache.threads[id] = t
	return t, nil
}

// findRunRow returns nil for a run that is not there.
func (w *writer) findRunRow(id string) (*runRow, error) {
	if run := w.cache.runs[id]; run != nil {
		return run, nil
	}
	dest := make([]driver.Value, 3)
	if found, err := w.findRun.row(dest, id); err != nil || !found {
		return nil, err
	}
	// Its columns are left empty, and so written with the next batch.
	run := &runRow{n: integer(dest[0]), threadID: str(dest[1]), last: integer(dest[2]), calls: map[string]*callRow{}}
	err := w.findCalls.each(dest, func() {
		run.calls[str(dest[0])] = &callRow{run: run.n, i: integer(dest[1]), message: str(dest[2])}
	}, run.n)
	if err != nil {
		return nil, err
	}
	w.cache.runs[id] = run
	return run, nil
}

func (w *writer) findRequestRow(run *runRow, r *agent.Request) (*requestRow, error) {
	row := &run.request
	if row.next > 0 && row.turn == r.Turn && row.try == r.Try {
		return row, nil
	}
	next, err := w.findRequest.number(run.n, int64(r.Turn), int64(r.Try))
	*row = requestRow{turn: r.Turn, try: r.Try, next: next}
	return row, err
}

func (w *writer) setTitle(t *threadRow, title string) error {
	t.title = title
	_, err := w.titleThread.exec(title, searched(t), t.n)
	return err
}

func (w *writer) setName(t *threadRow, name string) error {
	t.name = name
	_, err := w.nameThread.exec(name, searched(t), t.n)
	return err
}

// searched is what a search looks at: the title as shown, folded here because SQLite folds ASCII only.
func searched(t *threadRow) string { return strings.ToLower(cmp.Or(t.name, t.title)) }

// keep stores what was cut out of a text, once for all who hold it, and returns where it belongs; nil when nothing was cut.
func (w *writer) keep(thread *threadRow, parts []part) (driver.Value, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	blobs := make([]int64, len(parts))
	for i, p := range parts {
		n, err := w.keepBlob(thread, p.hash, "application/json", p.body)
		if err != nil {
			return nil, err
		}
		blobs[i] = n
	}
	return placement(parts, blobs), nil
}

// value is a text as a nullable column holds it: null when empty.
func value[T ~string | ~[]byte](v T) driver.Value {
	if len(v) == 0 {
		return nil
	}
	return string(v)
}

func integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

func str(v driver.Value) string {
	s, _ := v.(string)
	return s
}
