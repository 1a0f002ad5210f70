package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"callboard/backend/protocol"
)

// Threads lists threads whose title holds query, in any case, the last touched first. A beforeMs above 0 leaves out those touched
// at that moment or later; limit 0 is none. All threads touched in the millisecond of the last one come with it, so that paging
// by beforeMs loses none.
func (m *Memory) Threads(_ context.Context, query string, beforeMs int64, limit int) ([]ThreadSummary, error) {
	query = strings.ToLower(query)
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out []ThreadSummary
	for _, t := range m.threads {
		if beforeMs > 0 && t.updatedAtMs >= beforeMs || !strings.Contains(strings.ToLower(t.shownTitle()), query) {
			continue
		}
		out = append(out, t.summary())
	}
	slices.SortFunc(out, func(a, b ThreadSummary) int {
		return cmp.Or(cmp.Compare(b.UpdatedAtMs, a.UpdatedAtMs), cmp.Compare(b.ID, a.ID))
	})
	if limit > 0 && limit < len(out) {
		end := limit
		for end < len(out) && out[end].UpdatedAtMs == out[limit-1].UpdatedAtMs {
			end++
		}
		out = out[:end]
	}
	return out, nil
}

// RenameThread gives a thread a title; an empty one brings back that of its first message.
func (m *Memory) RenameThread(_ context.Context, id, title string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[id]
	if t == nil {
		return fmt.Errorf("rename thread %s: %w", id, ErrNotFound)
	}
	t.name = title
	return nil
}

// PutThread makes an empty thread. One that exists stays as it is.
func (m *Memory) PutThread(_ context.Context, id string, atMs int64) error {
	if id == "" {
		return errors.New("make a thread: it has no id")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.threads[id] == nil {
		m.newThread(id, atMs)
	}
	return nil
}

// DeleteThread removes a thread and all that belongs to it. ErrBusy while one of its runs is live.
func (m *Memory) DeleteThread(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[id]
	if t == nil {
		return fmt.Errorf("delete thread %s: %w", id, ErrNotFound)
	}
	for _, run := range t.runs {
		if run.row.Status == protocol.StatusRunning {
			return fmt.Errorf("delete thread %s: %w", id, ErrBusy)
		}
	}
	for _, run := range t.runs {
		delete(m.runs, run.row.ID)
		for _, p := range run.approvals {
			delete(m.approvals, p.ApprovalID)
		}
	}
	m.order = slices.DeleteFunc(m.order, func(run *memoryRun) bool { return run.thread == t })
	delete(m.threads, id)
	m.forgetBlobs(t)
	return nil
}

func (t *memoryThread) shownTitle() string { return cmp.Or(t.name, t.title) }

func (t *memoryThread) summary() ThreadSummary {
	s := ThreadSummary{
		ID: t.id, Title: t.shownTitle(), Runs: len(t.runs), CreatedAtMs: t.createdAtMs, UpdatedAtMs: t.updatedAtMs,
	}
	for _, run := range t.runs {
		s.Calls += run.row.CallCount
		s.RunID, s.AgentName, s.Status = run.row.ID, run.row.AgentName, run.row.Status
		s.Error, s.ErrorCode = run.row.Error, run.row.ErrorCode
		if run.row.Status.Ended() {
			continue
		}
		for _, p := range run.approvals {
			if p.Decision != nil {
				continue
			}
			s.Pending++
			if s.WaitingSinceMs == 0 || p.SinceMs < s.WaitingSinceMs {
				s.WaitingSinceMs = p.SinceMs
			}
		}
	}
	return s
}
