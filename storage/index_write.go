package storage

import (
	"database/sql/driver"
	"fmt"
)

const (
	// slots is how many entries of one millisecond keep their place by time before they move on into the next.
	slots = 8
	// latest is the last moment that is told apart, in ms: the numbers of entries stay exact in JavaScript.
	latest = 1<<50 - 1
)

// prepare makes what a step writes, outside of the writer's transaction.
func (x *index) prepare(r *indexedRun) {
	for c := range r.touched {
		if c.changed() && c.written != "" {
			for _, e := range c.entries {
				e.grams = x.gramsOf(e)
			}
		}
	}
	for _, e := range r.fresh {
		e.grams = x.gramsOf(e)
	}
}

func (x *index) gramsOf(e *entry) string {
	names := []string{nameGram(kindGram, string(e.kind)), nameGram(agentGram, e.agentName)}
	if c := e.call; c != nil {
		names = append(names, nameGram(toolGram, c.ToolName), nameGram(stateGram, string(c.State)))
	}
	return x.grams.of(foldText(e.shown()), names...)
}

// write brings what was read of a run into the index, in the writer's transaction. It changes nothing that the next try reads.
func (x *index) write(w *writer, r *indexedRun) error {
	same, err := w.sameRun.number(r.n, r.id)
	if err != nil || same == 0 || r.t.Last <= r.mark {
		return err
	}
	for c := range r.touched {
		if err := x.writeCall(w, r, c); err != nil {
			return err
		}
	}
	for _, e := range r.fresh {
		if err := x.writeEntry(w, e); err != nil {
			return err
		}
	}
	_, err = w.putMark.exec(r.n, r.t.Last)
	return err
}

// writeCall keeps what a call is, and lets the entries that are there be found by its new state.
func (x *index) writeCall(w *writer, r *indexedRun, c *indexedCall) error {
	if !c.changed() {
		return nil
	}
	if _, err := w.putSearchCall.exec(r.n, c.ID, c.ToolName, c.labelNow(), string(c.State)); err != nil {
		return err
	}
	if _, err := w.putName.exec(toolGram, c.ToolName, c.labelNow()); err != nil {
		return err
	}
	if c.written == "" || c.written == string(c.State) {
		return nil
	}
	type row struct {
		n, seq int64
		kind   Kind
	}
	var rows []row
	dest := make([]driver.Value, 3)
	err := w.entriesOfCall.each(dest, func() { rows = append(rows, row{integer(dest[0]), integer(dest[1]), Kind(str(dest[2]))}) }, r.n, c.ID)
	if err != nil {
		return err
	}
	for _, old := range rows {
		for _, e := range c.entries {
			if e.seq != old.seq || e.kind != old.kind {
				continue
			}
			if _, err := w.deleteGrams.exec(old.n); err != nil {
				return err
			}
			if _, err := w.insertGrams.exec(old.n, e.grams); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *index) writeEntry(w *writer, e *entry) error {
	n, err := x.place(w, e.atMs)
	if err != nil {
		return err
	}
	var run, thread, text driver.Value
	if e.run != 0 {
		run = e.run
	} else {
		thread = e.thread
	}
	if e.apart {
		text = e.text
	}
	call := ""
	if e.call != nil {
		call = e.call.ID
	}
	if _, err := w.insertEntry.exec(n, run, thread, value(e.message), e.seq, e.atMs, string(e.kind), e.agentName, call, text); err != nil {
		return fmt.Errorf("event %d: %w", e.seq, err)
	}
	if _, err := w.insertGrams.exec(n, e.grams); err != nil {
		return fmt.Errorf("event %d: %w", e.seq, err)
	}
	_, err = w.putName.exec(agentGram, e.agentName, "")
	return err
}

// place is the number of an entry of a moment: the first that is free.
func (x *index) place(w *writer, atMs int64) (int64, error) {
	n := firstOf(atMs)
	if x.last.atMs == atMs && x.last.n >= n {
		n = x.last.n + 1 // many entries of one moment come one after the other
	}
	for {
		free, err := w.freeEntry.number(n)
		if err != nil {
			return 0, err
		}
		if free < n+slots {
			x.last.atMs, x.last.n = atMs, free
			return free, nil
		}
		n = free
	}
}

// firstOf is the least number of an entry of a moment.
func firstOf(atMs int64) int64 { return min(max(atMs, 0), latest) * slots }
