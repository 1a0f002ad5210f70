package storage

import (
	"context"
	"database/sql/driver"
	"fmt"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
)

// Append writes a batch in one transaction, together with others that wait, and returns once it is committed. It does not give up
// when ctx is done: what was handed to it is stored.
func (db *DB) Append(_ context.Context, b *agent.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	e, err := encode(b)
	if err != nil {
		return err
	}
	rows := 1 + len(b.Frames) + len(b.Messages) + len(b.Children) + len(b.Calls) + len(b.Approvals) + len(b.Requests)
	if err := db.write(&job{do: e.write, rows: rows, durable: b.Durable}); err != nil {
		what := "run " + b.Run.ID
		if b.Run.ID == "" {
			what = "thread " + b.Run.ThreadID
		}
		return fmt.Errorf("append to %s: %w", what, err)
	}
	return nil
}

// write runs in the writer's transaction. It refuses before it writes.
func (e *batch) write(w *writer) error {
	if e.Run.ID == "" {
		thread, err := w.thread(e.Batch)
		if err == nil {
			err = e.writeBlobs(w, thread)
		}
		if err != nil {
			return err
		}
		return e.writeMessages(w, thread)
	}
	run, err := w.findRunRow(e.Run.ID)
	if err != nil {
		return err
	}
	if err := e.refuse(run); err != nil {
		return err
	}
	thread, err := w.thread(e.Batch)
	if err != nil {
		return err
	}
	if run, err = e.writeRun(w, thread, run); err != nil {
		return err
	}
	if err := e.writeBlobs(w, thread); err != nil {
		return err
	}
	for _, step := range []func(*writer, *runRow) error{e.writeEvents, e.writeHistory, e.writeChildren, e.writeCalls, e.writeApprovals, e.writeRequests} {
		if err := step(w, run); err != nil {
			return err
		}
	}
	return nil
}

func (e *batch) refuse(run *runRow) error {
	last := int64(0)
	if run != nil {
		last = run.last
		if run.threadID != e.Run.ThreadID {
			return refusal{fmt.Errorf("it belongs to thread %s, not %s", run.threadID, e.Run.ThreadID)}
		}
	}
	if len(e.Frames) > 0 && e.Frames[0].Seq != last+1 {
		return refusal{fmt.Errorf("event %d, when the last is %d: %w", e.Frames[0].Seq, last, agent.ErrConflict)}
	}
	return nil
}

func (e *batch) writeRun(w *writer, thread *threadRow, run *runRow) (*runRow, error) {
	c := &e.row
	if run == nil {
		n, err := w.insertRun.insert(e.Run.ID, thread.n, c.agentName, c.status, c.messageID, int64(c.turn), int64(c.callCount),
			value(c.usage), c.error, c.errorCode, c.createdMs, c.updatedMs)
		if err != nil {
			return nil, err
		}
		if _, err := w.insertInput.exec(n, e.Run.Input, value(e.Run.Context)); err != nil {
			return nil, err
		}
		run = &runRow{n: n, thread: thread, threadID: e.Run.ThreadID, row: *c, calls: map[string]*callRow{}}
		w.cache.runs[e.Run.ID] = run
		return run, nil
	}
	run.thread = thread
	if run.row == *c {
		return run, nil
	}
	run.row = *c
	_, err := w.updateRun.exec(c.agentName, c.status, c.messageID, int64(c.turn), int64(c.callCount), value(c.usage), c.error,
		c.errorCode, c.createdMs, c.updatedMs, run.n)
	return run, err
}

func (e *batch) writeEvents(w *writer, run *runRow) error {
	for i := range e.events {
		t := &e.events[i]
		placed, err := w.keep(run.thread, t.parts)
		if err != nil {
			return err
		}
		if _, err := w.insertEvent.exec(run.n, e.Frames[i].Seq, t.rest, placed); err != nil {
			return err
		}
		run.last = e.Frames[i].Seq
	}
	if len(e.events) > 0 {
		w.grown = append(w.grown, run.n)
	}
	return nil
}

func (e *batch) writeHistory(w *writer, run *runRow) error { return e.writeMessages(w, run.thread) }

// writeMessages appends to the history what it does not have.
func (e *batch) writeMessages(w *writer, thread *threadRow) error {
	for _, m := range e.Messages {
		run, call, known, err := e.place(w, thread, m)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		if _, err := w.insertHistory.exec(thread.n, thread.next, m.ID, run, call); err != nil {
			return err
		}
		if m.RunID == "" {
			w.grown = append(w.grown, messagesOf(thread.n))
		}
		thread.next++
		if thread.title == "" && m.Role == model.RoleUser {
			if err := w.setTitle(thread, agent.TitleOf(m.Content)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeChildren keeps what agents inside calls said, with the thread's messages but apart from its history.
func (e *batch) writeChildren(w *writer, run *runRow) error {
	for _, c := range e.Children {
		fresh, err := e.putMessage(w, run.thread, c.Message)
		if err == nil && fresh {
			_, err = w.insertChild.exec(run.n, c.ParentToolCallID, c.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place says where a message is stored: in a row of its own, made now, or as the result of a call; known when the history has it.
func (e *batch) place(w *writer, thread *threadRow, m *model.Message) (run, call driver.Value, known bool, err error) {
	row, waits := thread.results[m.ID]
	if waits {
		delete(thread.results, m.ID)
		return row.run, row.i, false, nil
	}
	if row, err = w.ledgerRow(m); err != nil {
		return nil, nil, false, err
	}
	if row != nil {
		run, call = row.run, row.i
	} else if fresh, err := e.putMessage(w, thread, m); fresh || err != nil {
		return nil, nil, false, err
	}
	has, err := w.inHistory.number(thread.n, m.ID)
	return run, call, has > 0, err
}

// ledgerRow finds the call whose result a message is.
func (w *writer) ledgerRow(m *model.Message) (*callRow, error) {
	if m.Role != model.RoleTool || m.RunID == "" {
		return nil, nil
	}
	run, err := w.findRunRow(m.RunID)
	if run == nil || err != nil {
		return nil, err
	}
	if row := run.calls[m.ToolCallID]; row != nil && row.message == m.ID {
		return row, nil
	}
	return nil, nil
}

// putMessage stores a message unless its thread has one with its id.
func (e *batch) putMessage(w *writer, thread *threadRow, m *model.Message) (fresh bool, err error) {
	metadata, placed, err := e.keepMetadata(w, thread, m)
	if err != nil {
		return false, err
	}
	result, err := w.insertMessage.exec(thread.n, m.ID, string(m.Role), m.Content, m.Reasoning, m.ToolCallID, m.ToolName, m.RunID,
		m.AtMs, metadata, placed)
	if err != nil {
		return false, err
	}
	if changed, err := result.RowsAffected(); err != nil || changed == 0 {
		return false, err
	}
	if err := w.keepImages(thread, m); err != nil {
		return false, err
	}
	for i, c := range m.ToolCalls {
		if _, err := w.insertMessageCall.exec(thread.n, m.ID, int64(i), c.ID, c.ProviderID, c.Name, c.Arguments, string(c.Extra)); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (e *batch) keepMetadata(w *writer, thread *threadRow, m *model.Message) (metadata, placed driver.Value, err error) {
	if large, cut := e.metadata[m]; cut {
		placed, err = w.keep(thread, large.parts)
		return large.rest, placed, err
	}
	return value(m.Metadata), nil, nil
}

func (e *batch) writeCalls(w *writer, run *runRow) error {
	for i := range e.Calls {
		if err := e.writeCall(w, run, &e.Calls[i]); err != nil {
			return err
		}
	}
	return nil
}

func (e *batch) writeCall(w *writer, run *runRow, c *agent.Call) error {
	var executed, message, content, at, metadata, placed driver.Value
	var err error
	if c.Executed != c.Proposed {
		executed = c.Executed
	}
	row := run.calls[c.ToolCallID]
	fresh := row == nil
	if fresh {
		row = &callRow{run: run.n, i: int64(len(run.calls)) + 1}
		run.calls[c.ToolCallID] = row
	}
	if m := c.Message; m != nil {
		message, content, at = m.ID, m.Content, m.AtMs
		if metadata, placed, err = e.keepMetadata(w, run.thread, m); err != nil {
			return err
		}
		if err = w.keepImages(run.thread, m); err != nil {
			return err
		}
		if row.message != m.ID {
			run.thread.results[m.ID] = row
		}
		row.message = m.ID
	}
	values := []driver.Value{
		c.ToolName, int64(c.Turn), string(c.State), c.Proposed, executed, c.StartedMs, c.EndedMs, message, content, at, metadata, placed,
		run.n, row.i,
	}
	if fresh {
		_, err = w.insertCall.exec(append(values, c.ToolCallID, c.ParentToolCallID)...)
	} else {
		_, err = w.updateCall.exec(values...)
	}
	return err
}

func (e *batch) writeApprovals(w *writer, run *runRow) error {
	for _, p := range e.Approvals {
		effects, err := optionalJSON(&p.SideEffects)
		if err != nil {
			return err
		}
		presentation, err := optionalJSON(p.Presentation)
		if err != nil {
			return err
		}
		decision, arguments, result, err := decisionColumns(p.Decision)
		if err != nil {
			return err
		}
		if _, err := w.putApproval.exec(p.ApprovalID, run.n, p.AgentName, p.ToolCallID, p.ParentToolCallID, p.ToolName, string(p.Kind),
			p.Description, value(p.Arguments), p.ArgumentsText, p.ArgumentsHash, effects, value(presentation), value(p.Details),
			p.SinceMs, p.ExpiresAt, decision, arguments, result, p.DecidedAtMs); err != nil {
			return err
		}
	}
	return nil
}

// decisionColumns keeps the texts of a decision, which must stay byte for byte, apart from the rest.
func decisionColumns(d *approval.Decision) (rest, arguments, result driver.Value, err error) {
	if d == nil {
		return nil, nil, nil, nil
	}
	bare := *d
	bare.ArgumentsText, bare.Result = nil, nil
	text, err := optionalJSON(&bare)
	if err != nil {
		return nil, nil, nil, err
	}
	if d.ArgumentsText != nil {
		arguments = *d.ArgumentsText
	}
	return text, arguments, value(d.Result), nil
}

func (e *batch) writeRequests(w *writer, run *runRow) error {
	for i := range e.Requests {
		if err := w.writeRequest(run, &e.Requests[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) writeRequest(run *runRow, r *agent.Request) error {
	row, err := w.findRequestRow(run, r)
	if err != nil {
		return err
	}
	var keep, tail driver.Value
	if r.Sent != nil {
		keep, tail = int64(r.Sent.Keep), append([]byte{}, r.Sent.Tail...)
	}
	turn, try := int64(r.Turn), int64(r.Try)
	switch {
	case row.next == 0:
		row.next = 1
		_, err = w.insertRequest.exec(run.n, turn, try, r.AgentName, r.AtMs, r.ParentToolCallID, keep, tail)
	case r.Sent != nil:
		_, err = w.sentRequest.exec(keep, tail, run.n, turn, try)
	}
	if err != nil || len(r.Received) == 0 {
		return err
	}
	if _, err := w.insertReceived.exec(run.n, turn, try, row.next, appendPieces(nil, r.Received)); err != nil {
		return err
	}
	row.next++
	return nil
}
