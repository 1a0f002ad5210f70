package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Memory is a Store that keeps everything in the process and forgets it with it. Its zero value works. It encodes events only
// when they are read, and holds on to the events, messages and approvals it is given: callers do not change them afterwards.
type Memory struct {
	mu        sync.RWMutex
	threads   map[string]*memoryThread
	runs      map[string]*memoryRun
	order     []*memoryRun // oldest first
	approvals map[string]*memoryRun
	blobs     map[string]*memoryBlob
}

// memoryBlob is bytes and the threads that hold them.
type memoryBlob struct {
	mediaType string
	body      []byte
	threads   map[*memoryThread]struct{}
}

type memoryThread struct {
	id          string
	title       string // of the first user message
	name        string // given by RenameThread; wins over title
	createdAtMs int64
	updatedAtMs int64
	messages    []*model.Message
	known       map[string]struct{} // message ids
	runs        []*memoryRun        // oldest first
	requests    map[string]int
}

type memoryRun struct {
	row       Run // but for its usage
	usage     model.Usage
	hasUsage  bool
	thread    *memoryThread
	frames    []protocol.Frame // append-only; frame n is at n-1
	calls     []Call
	callAt    map[string]int
	approvals []*approval.Pending
	children  []ChildMessage
	requests  []*memoryRequest
}

type memoryRequest struct {
	head   Request // without Received
	bytes  []byte  // of all pieces
	pieces []memoryPiece
}

type memoryPiece struct {
	after time.Duration
	end   int // in memoryRequest.bytes
}

// Append writes a batch, or nothing when it returns an error.
func (m *Memory) Append(_ context.Context, b *Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.hasImages(b); err != nil {
		return err
	}
	if b.Run.ID == "" {
		thread := m.thread(b)
		m.keepBlobs(thread, b)
		thread.add(b.Messages)
		return nil
	}
	run := m.runs[b.Run.ID]
	var last int64
	if run != nil {
		last = int64(len(run.frames))
		if run.row.ThreadID != b.Run.ThreadID {
			return fmt.Errorf("append to run %s: it belongs to thread %s, not %s", b.Run.ID, run.row.ThreadID, b.Run.ThreadID)
		}
	}
	if len(b.Frames) > 0 && b.Frames[0].Seq != last+1 {
		return fmt.Errorf("append event %d to run %s, whose last is %d: %w", b.Frames[0].Seq, b.Run.ID, last, ErrConflict)
	}
	thread := m.thread(b)
	if run == nil {
		run = m.newRun(b.Run.ID, thread)
	}
	run.frames = append(run.frames, b.Frames...)
	run.set(b.Run)
	m.keepBlobs(thread, b)
	thread.add(b.Messages)
	for _, call := range b.Calls {
		run.putCall(call)
	}
	for _, p := range b.Approvals {
		m.approvals[p.ApprovalID] = run
		run.putApproval(p)
	}
	for _, c := range b.Children {
		run.putChild(c)
	}
	for i := range b.Requests {
		run.putRequest(&b.Requests[i])
	}
	return nil
}

// Events returns events of a run after number n, encoded now.
func (m *Memory) Events(_ context.Context, runID string, after int64, limit int) ([]Record, error) {
	m.mu.RLock()
	run := m.runs[runID]
	var frames []protocol.Frame
	if run != nil {
		frames = run.frames
	}
	m.mu.RUnlock()
	if run == nil {
		return nil, fmt.Errorf("read the events of run %s: %w", runID, ErrNotFound)
	}
	return encodeFrames(runID, between(frames, after, limit))
}

func between(frames []protocol.Frame, after int64, limit int) []protocol.Frame {
	frames = frames[min(max(after, 0), int64(len(frames))):]
	if limit > 0 && limit < len(frames) {
		frames = frames[:limit]
	}
	return frames
}

func encodeFrames(runID string, frames []protocol.Frame) ([]Record, error) {
	records := make([]Record, len(frames))
	for i, f := range frames {
		text, err := f.AppendJSON(nil)
		if err != nil {
			return nil, fmt.Errorf("read event %d of run %s: %w", f.Seq, runID, err)
		}
		records[i] = Record{Seq: f.Seq, JSON: text}
	}
	return records, nil
}

// Thread returns a thread with its messages.
func (m *Memory) Thread(_ context.Context, id string) (*Thread, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	t := m.threads[id]
	if t == nil {
		return nil, fmt.Errorf("read thread %s: %w", id, ErrNotFound)
	}
	out := &Thread{
		ID: id, Title: t.shownTitle(), CreatedAtMs: t.createdAtMs, UpdatedAtMs: t.updatedAtMs,
		Messages: slices.Clone(t.messages), Requests: make(map[string]int, len(t.requests)),
	}
	for agentName, n := range t.requests {
		out.Requests[agentName] = n
	}
	if len(t.runs) > 0 {
		out.AgentName = t.runs[len(t.runs)-1].row.AgentName
	}
	return out, nil
}

// Runs returns the runs that match, oldest first.
func (m *Memory) Runs(_ context.Context, q RunQuery) ([]*RunState, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out []*RunState
	for _, run := range m.candidates(q) {
		if q.ID != "" && run.row.ID != q.ID || q.ThreadID != "" && run.row.ThreadID != q.ThreadID {
			continue
		}
		if len(q.Statuses) > 0 && !slices.Contains(q.Statuses, run.row.Status) {
			continue
		}
		state := &RunState{Run: run.get()}
		if !q.Bare {
			state.Calls = slices.Clone(run.calls)
			state.Approvals = slices.Clone(run.approvals)
			state.Children = slices.Clone(run.children)
		}
		out = append(out, state)
	}
	return out, nil
}

// RunRequests returns what a run sent to its models and what came back, in the order it was asked.
func (m *Memory) RunRequests(_ context.Context, runID string) ([]Request, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	run := m.runs[runID]
	if run == nil {
		return nil, fmt.Errorf("read the requests of run %s: %w", runID, ErrNotFound)
	}
	out := make([]Request, len(run.requests))
	for i, r := range run.requests {
		out[i] = r.head
		start := 0
		for _, piece := range r.pieces {
			out[i].Received = append(out[i].Received, Received{After: piece.after, Bytes: bytes.Clone(r.bytes[start:piece.end])})
			start = piece.end
		}
	}
	return out, nil
}

// candidates returns a superset of the runs that match, as small as the indexes make it.
func (m *Memory) candidates(q RunQuery) []*memoryRun {
	one := func(run *memoryRun) []*memoryRun {
		if run == nil {
			return nil
		}
		return []*memoryRun{run}
	}
	switch {
	case q.ApprovalID != "":
		return one(m.approvals[q.ApprovalID])
	case q.ID != "":
		return one(m.runs[q.ID])
	case q.ThreadID != "":
		if t := m.threads[q.ThreadID]; t != nil {
			return t.runs
		}
		return nil
	}
	return m.order
}

// thread finds or makes a batch's thread and moves its time on.
func (m *Memory) thread(b *Batch) *memoryThread {
	created, updated := b.Times()
	t := m.threads[b.Run.ThreadID]
	if t == nil {
		t = m.newThread(b.Run.ThreadID, created)
	}
	t.updatedAtMs = max(t.updatedAtMs, updated)
	return t
}

func (m *Memory) newThread(id string, atMs int64) *memoryThread {
	if m.threads == nil {
		m.threads = map[string]*memoryThread{}
		m.runs = map[string]*memoryRun{}
		m.approvals = map[string]*memoryRun{}
	}
	t := &memoryThread{
		id: id, createdAtMs: atMs, updatedAtMs: atMs,
		known: map[string]struct{}{}, requests: map[string]int{},
	}
	m.threads[id] = t
	return t
}

func (m *Memory) newRun(id string, thread *memoryThread) *memoryRun {
	run := &memoryRun{thread: thread, callAt: map[string]int{}}
	m.runs[id] = run
	m.order = append(m.order, run)
	thread.runs = append(thread.runs, run)
	return run
}

func (t *memoryThread) add(messages []*model.Message) {
	for _, message := range messages {
		if _, known := t.known[message.ID]; known {
			continue
		}
		t.known[message.ID] = struct{}{}
		t.messages = append(t.messages, message)
		if t.title == "" && message.Role == model.RoleUser {
			t.title = TitleOf(message.Content)
		}
	}
}

// set replaces the row, but for what the run was started with.
func (r *memoryRun) set(row Run) {
	if r.row.ID != "" {
		row.Input, row.Context = r.row.Input, r.row.Context
	}
	r.hasUsage = row.Usage != nil
	if r.hasUsage {
		r.usage = *row.Usage
	}
	row.Usage = nil
	row.Last = int64(len(r.frames))
	r.row = row
}

func (r *memoryRun) get() Run {
	row := r.row
	if r.hasUsage {
		usage := r.usage
		row.Usage = &usage
	}
	return row
}

func (r *memoryRun) putCall(call Call) {
	call.RunID = r.row.ID
	if i, known := r.callAt[call.ToolCallID]; known {
		r.calls[i] = call
		return
	}
	r.callAt[call.ToolCallID] = len(r.calls)
	r.calls = append(r.calls, call)
}

func (r *memoryRun) putApproval(p *approval.Pending) {
	for i, other := range r.approvals {
		if other.ApprovalID == p.ApprovalID {
			r.approvals[i] = p
			return
		}
	}
	r.approvals = append(r.approvals, p)
}

func (r *memoryRun) putChild(c ChildMessage) {
	if !slices.ContainsFunc(r.children, func(other ChildMessage) bool { return other.ID == c.ID }) {
		r.children = append(r.children, c)
	}
}

func (r *memoryRun) putRequest(in *Request) {
	row := r.request(in.Turn, in.Try)
	if row == nil {
		row = &memoryRequest{head: *in}
		row.head.RunID, row.head.ThreadID = r.row.ID, r.row.ThreadID
		row.head.Sent, row.head.Received = nil, nil
		r.requests = append(r.requests, row)
		r.thread.requests[in.AgentName]++
	}
	if in.Sent != nil {
		row.head.Sent = &model.Sent{Keep: in.Sent.Keep, Tail: bytes.Clone(in.Sent.Tail)}
	}
	for _, piece := range in.Received {
		row.bytes = append(row.bytes, piece.Bytes...)
		row.pieces = append(row.pieces, memoryPiece{after: piece.After, end: len(row.bytes)})
	}
}

// request finds the row of a try, which is nearly always the last.
func (r *memoryRun) request(turn, try int) *memoryRequest {
	for _, row := range slices.Backward(r.requests) {
		if row.head.Turn == turn && row.head.Try == try {
			return row
		}
		if row.head.Turn < turn {
			return nil
		}
	}
	return nil
}
