package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

func jobFor(t *testing.T, b *agent.Batch) *job {
	t.Helper()
	e, err := encode(b)
	if err != nil {
		t.Fatal(err)
	}
	return &job{do: e.write, rows: 1, done: make(chan error, 1)}
}

// count runs a query that gives one number.
func count(t *testing.T, db *DB, query string) (n int64) {
	t.Helper()
	if err := db.readers.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAGroupLosesOnlyWhatFails(t *testing.T) {
	db := open(t)
	broken := errors.New("broken half-way")
	half := jobFor(t, batchOf("half", 1, "a"))
	whole := half.do
	half.do = func(w *writer) error { return errors.Join(whole(w), broken) }
	for name, c := range map[string]struct {
		bad  *job
		want error
	}{
		"when one comes too late":  {jobFor(t, batchOf("late", 5, "a")), agent.ErrConflict},
		"when one breaks half-way": {half, broken},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := jobFor(t, batchOf(name, 1, "a")), jobFor(t, batchOf(name, 2, "b"))
			db.writer.commit([]*job{first, c.bad, second})
			if err := errors.Join(<-first.done, <-second.done); err != nil {
				t.Errorf("the others failed too: %v", err)
			}
			if err := <-c.bad.done; !errors.Is(err, c.want) {
				t.Errorf("it says %v, want %v", err, c.want)
			}
			if events, err := db.Events(t.Context(), name, 0, 0); err != nil || len(events) != 2 {
				t.Errorf("%d events (%v), want 2", len(events), err)
			}
		})
	}
	for _, id := range []string{"late", "half"} {
		if _, err := db.Events(t.Context(), id, 0, 0); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("something of run %s was kept: %v", id, err)
		}
	}
}

func TestAFullDiskLosesTheBatchAndNothingElse(t *testing.T) {
	db := open(t)
	if err := db.Append(t.Context(), batchOf("r1", 1, "before")); err != nil {
		t.Fatal(err)
	}
	pages, err := db.writer.number("pragma page_count")
	if err != nil {
		t.Fatal(err)
	}
	limit := func(pages int64) {
		if err := db.writer.exec(fmt.Sprintf("pragma max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 4)
	big := batchOf("r1", 2, strings.Repeat("x", 60_000), strings.Repeat("y", largeValue+1))
	big.Messages = []*model.Message{{ID: "m1", Role: model.RoleUser, Content: "lost"}}
	big.Run.Status = protocol.StatusCompleted
	for range 2 {
		err := db.Append(t.Context(), big)
		if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "the disk is full: nothing of this step was stored") {
			t.Fatalf("append to a full disk: %v, want %v", err, ErrFull)
		}
	}
	states, err := db.Runs(t.Context(), agent.RunQuery{ID: "r1"})
	if err != nil || states[0].Last != 1 || states[0].Status != protocol.StatusRunning {
		t.Errorf("after it the run is %+v (%v), want as before", states[0].Run, err)
	}
	if err := db.Append(t.Context(), batchOf("r1", 2, "small")); err != nil {
		t.Errorf("what fits is not stored: %v", err)
	}
	limit(1 << 20)
	big.Frames = frames(3, strings.Repeat("x", 60_000))
	if err := db.Append(t.Context(), big); err != nil {
		t.Errorf("with room again: %v", err)
	}
	thread, err := db.Thread(t.Context(), "t-r1")
	if err != nil || len(thread.Messages) != 1 {
		t.Errorf("%d messages (%v), want 1", len(thread.Messages), err)
	}
	checkWhole(t, db)
}

func TestADurableBatchIsSynced(t *testing.T) {
	db := open(t)
	level := func() (n int64) {
		n, err := db.writer.number("pragma synchronous")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const normal, full = 1, 2
	for seq, want := range []int64{normal, full, full, normal} {
		b := batchOf("r1", int64(seq)+1, "a")
		b.Durable = want == full
		if err := db.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if got := level(); got != want {
			t.Errorf("batch %d was committed with synchronous = %d, want %d", seq, got, want)
		}
	}
}

func TestALargeValueIsStoredOnce(t *testing.T) {
	db := open(t)
	large := json.RawMessage(`{"image":{"src":"` + strings.Repeat("A", 1<<20) + `"}}`)
	for _, id := range []string{"r1", "r2"} {
		b := batchOf(id, 1)
		b.Frames = []protocol.Frame{
			{Seq: 1, AtMs: 1, Event: &protocol.ToolResult{ID: "e1" + id, ToolCallID: "c1", Result: large, Details: large}},
			{Seq: 2, AtMs: 2, Event: &protocol.ToolResult{ID: "e2" + id, ToolCallID: "c2", Result: large}},
		}
		b.Calls = []agent.Call{{ToolCallID: "c1", Message: &model.Message{
			ID: "m1", Role: model.RoleTool, RunID: id, ToolCallID: "c1", Metadata: json.RawMessage(`{"details":` + string(large) + `}`),
		}}}
		b.Messages = []*model.Message{b.Calls[0].Message, {ID: "m2", Role: model.RoleUser, Metadata: b.Calls[0].Message.Metadata}}
		b.Run.Status = protocol.StatusPaused
		if err := db.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if got := count(t, db, "select count(*) from blobs"); got != 1 {
		t.Errorf("%d blobs, want 1", got)
	}
	var hash string
	if err := db.readers.QueryRowContext(t.Context(), "select hash from blobs").Scan(&hash); err != nil {
		t.Fatal(err)
	}
	body, mediaType, err := db.Blob(t.Context(), hash)
	if err != nil || string(body) != string(large) || mediaType != "application/json" {
		t.Errorf("the blob has %d bytes of %s (%v), want %d", len(body), mediaType, err, len(large))
	}
	for i, want := range []int64{1, 0} {
		if err := db.DeleteThread(t.Context(), fmt.Sprintf("t-r%d", i+1)); err != nil {
			t.Fatal(err)
		}
		if got := count(t, db, "select count(*) from blobs"); got != want {
			t.Errorf("%d blobs after %d threads were deleted, want %d", got, i+1, want)
		}
	}
	for _, table := range []string{
		"threads", "runs", "run_inputs", "events", "blob_uses", "messages", "message_calls", "history", "calls", "approvals",
		"requests", "received",
	} {
		if got := count(t, db, "select count(*) from "+table); got != 0 {
			t.Errorf("%d rows are left in %s", got, table)
		}
	}
}

func TestACacheThatWasThrownAwayChangesNothing(t *testing.T) {
	db := open(t)
	tool := &model.Message{ID: "result", Role: model.RoleTool, RunID: "r1", ToolCallID: "c1", Content: "ok"}
	steps := []*agent.Batch{
		{Calls: []agent.Call{{ToolCallID: "c1", State: protocol.StateRunning}}},
		{Calls: []agent.Call{{ToolCallID: "c1", State: protocol.StateDone, Message: tool}}},
		{Messages: []*model.Message{{ID: "m1", Role: model.RoleUser, Content: "Title"}, tool}},
		{Messages: []*model.Message{tool, {ID: "m1", Role: model.RoleUser, Content: "Other"}}},
		{Requests: []agent.Request{{Turn: 1, Received: []agent.Received{{After: 1, Bytes: []byte("a")}}}}},
		{Requests: []agent.Request{{Turn: 1, Received: []agent.Received{{After: 2, Bytes: []byte("b")}}}}},
		{Calls: []agent.Call{{ToolCallID: "c2"}}},
	}
	for i, b := range steps {
		b.Run = agent.Run{ID: "r1", ThreadID: "t1"}
		b.Frames = frames(int64(i)+1, "a")
		if err := db.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		db.writer.cache.clear()
	}
	thread, err := db.Thread(t.Context(), "t1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*model.Message{steps[2].Messages[0], tool}, thread.Messages); diff != "" || thread.Title != "Title" {
		t.Errorf("the thread is called %q, its history (-want +got):\n%s", thread.Title, diff)
	}
	states, err := db.Runs(t.Context(), agent.RunQuery{ID: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	want := []agent.Call{{RunID: "r1", ToolCallID: "c1", State: protocol.StateDone, Message: tool}, {RunID: "r1", ToolCallID: "c2"}}
	if diff := cmp.Diff(want, states[0].Calls); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	requests, err := db.RunRequests(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	got := []agent.Received{{After: 1, Bytes: []byte("a")}, {After: 2, Bytes: []byte("b")}}
	if len(requests) != 1 || !cmp.Equal(requests[0].Received, got) {
		t.Errorf("requests %+v, want one with %+v", requests, got)
	}
}

func TestAWriteDoesNotWaitForAReader(t *testing.T) {
	db := open(t)
	if err := db.Append(t.Context(), batchOf("r1", 1, "a")); err != nil {
		t.Fatal(err)
	}
	tx, err := db.readers.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}()
	var before, after int
	if err := tx.QueryRowContext(t.Context(), "select count(*) from events").Scan(&before); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var writers sync.WaitGroup
	for i := range 20 {
		writers.Go(func() {
			if err := db.Append(t.Context(), batchOf(fmt.Sprint(i), 1, "a")); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("beside a reader 20 writes took %v", took)
	}
	if err := tx.QueryRowContext(t.Context(), "select count(*) from events").Scan(&after); err != nil || after != before {
		t.Errorf("the reader sees %d events (%v), want the %d of its beginning", after, err, before)
	}
}

func TestSettings(t *testing.T) {
	db := open(t)
	ctx := t.Context()
	if _, err := db.Setting(ctx, "theme"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("a setting that is not there: %v, want %v", err, agent.ErrNotFound)
	}
	if _, err := db.ThreadSettings(ctx, "t1"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("settings of a thread that is not there: %v, want %v", err, agent.ErrNotFound)
	}
	if err := db.PutThread(ctx, "t2", 1); err != nil {
		t.Fatal(err)
	}
	if got, err := db.ThreadSettings(ctx, "t2"); err != nil || got != nil {
		t.Errorf("settings of a thread without any: %s, %v", got, err)
	}
	for _, want := range []string{`{"a": 1.0, "b<": 1e400}`, `null`} {
		err := errors.Join(db.PutSetting(ctx, "theme", json.RawMessage(want)), db.PutThreadSettings(ctx, "t1", json.RawMessage(want)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := db.Setting(ctx, "theme"); err != nil || string(got) != want {
			t.Errorf("the setting is %s (%v), want %s", got, err, want)
		}
		if got, err := db.ThreadSettings(ctx, "t1"); err != nil || string(got) != want {
			t.Errorf("the thread's settings are %s (%v), want %s", got, err, want)
		}
	}
	if s, err := db.ThreadSummary(ctx, "t1"); err != nil || s.CreatedAtMs == 0 {
		t.Errorf("the thread that was made for its settings: %+v, %v", s, err)
	}
	if _, err := db.ThreadSummary(ctx, "t9"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("the summary of a thread that is not there: %v, want %v", err, agent.ErrNotFound)
	}
}
