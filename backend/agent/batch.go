package agent

import (
	"errors"
	"fmt"
	"strings"

	"callboard/backend/model"
)

// MaxTitle is how many characters of its first user message a thread is called by.
const MaxTitle = 80

// TitleOf is the title a message gives to the thread it opens: its first line, cut at MaxTitle characters.
func TitleOf(content string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	line = strings.TrimSpace(line)
	count := 0
	for i := range line {
		if count == MaxTitle {
			return strings.TrimSpace(line[:i])
		}
		count++
	}
	return line
}

// Check reports what makes a batch unfit for any store. A batch without a Run.ID adds messages to a thread, and nothing else.
func (b *Batch) Check() error {
	if b.Run.ThreadID == "" {
		return errors.New("append a batch: it names no thread")
	}
	if b.Run.ID == "" && len(b.Frames)+len(b.Children)+len(b.Calls)+len(b.Approvals)+len(b.Requests) > 0 {
		return fmt.Errorf("append to thread %s: events, children's messages, calls, approvals and requests need a run", b.Run.ThreadID)
	}
	for i := range b.Frames {
		if got, want := b.Frames[i].Seq, b.Frames[0].Seq+int64(i); got != want {
			return fmt.Errorf("append to run %s: event %d follows event %d", b.Run.ID, got, want-1)
		}
	}
	for _, m := range b.Messages {
		if m.ID == "" {
			return fmt.Errorf("append to thread %s: a message has no id", b.Run.ThreadID)
		}
	}
	for _, c := range b.Children {
		if c.Message == nil || c.ID == "" || c.ParentToolCallID == "" || c.Role != model.RoleAssistant {
			return fmt.Errorf("append to run %s: a child's message needs an id, a call it belongs to, and the role of an assistant", b.Run.ID)
		}
	}
	for _, blob := range b.Blobs {
		if blob.Hash == "" {
			return fmt.Errorf("append to thread %s: a blob has no hash", b.Run.ThreadID)
		}
	}
	for i := range b.Calls {
		if err := b.Calls[i].check(b.Run.ID); err != nil {
			return fmt.Errorf("append to run %s: %w", b.Run.ID, err)
		}
	}
	for _, p := range b.Approvals {
		if p.ApprovalID == "" {
			return fmt.Errorf("append to run %s: the approval of call %s has no id", b.Run.ID, p.ToolCallID)
		}
	}
	return nil
}

func (c *Call) check(runID string) error {
	if c.ToolCallID == "" {
		return errors.New("a call has no id")
	}
	m := c.Message
	if m == nil {
		return nil
	}
	if m.ID == "" || m.Role != model.RoleTool || m.RunID != runID || m.ToolCallID != c.ToolCallID || m.ToolName != c.ToolName ||
		m.Reasoning != "" || len(m.ToolCalls) > 0 {
		return fmt.Errorf("the message of call %s is not its result", c.ToolCallID)
	}
	return nil
}

// Times are when a batch's thread was made, if it is new, and when the batch touches it, in Unix ms.
func (b *Batch) Times() (created, updated int64) {
	created, updated = b.Run.CreatedAtMs, b.Run.UpdatedAtMs
	for _, m := range b.Messages {
		if created == 0 {
			created = m.AtMs
		}
		updated = max(updated, m.AtMs)
	}
	return created, max(created, updated)
}
