// Package storetest is the test every store of runs passes.
package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Store is what agent.Memory and storage.DB have in common.
type Store interface {
	agent.Store
	Threads(ctx context.Context, query string, beforeMs int64, limit int) ([]agent.ThreadSummary, error)
	PutThread(ctx context.Context, id string, atMs int64) error
	RenameThread(ctx context.Context, id, title string) error
	DeleteThread(ctx context.Context, id string) error
	RunRequests(ctx context.Context, runID string) ([]agent.Request, error)
	EventRefs(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error)
}

// Run tests a store. Each call of open gives an empty one, which it closes itself at the end of the test.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range map[string]func(*testing.T, Store){
		"events come back in order, after a number, up to a limit": testEvents,
		"what is unknown is said to be not found":                  testUnknown,
		"a batch whose number is taken writes nothing":             testConflict,
		"a batch no store can take writes nothing":                 testUnfit,
		"of two writers of one number one wins":                    testRace,
		"a batch belongs to its caller again after Append":         testReuse,
		"a message is kept once":                                   testMessages,
		"messages can be added without a run":                      testMessagesOnly,
		"a call is one row of the ledger":                          testCalls,
		"an approval is one row, decided or not":                   testApprovals,
		"what agents inside calls say stays out of the history":    testChildren,
		"runs are found by what is known of them":                  testRunQuery,
		"requests are counted once and keep what came":             testRequests,
		"texts stay byte for byte":                                 testTexts,
		"events stay byte for byte":                                testEventTexts,
		"large payloads come back whole":                           testLarge,
		"large payloads are referred to where that is asked":       testRefs,
		"runs and readers do not disturb each other":               testConcurrent,
		"a thread takes its title from its first message":          testTitles,
		"threads are listed, searched and paged":                   testThreads,
		"a thread's line sums up its runs":                         testSummary,
		"images are stored once, for all who show them":            testImages,
		"a deleted thread leaves nothing":                          testDelete,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// run is a run that is under way, last being the number of its last event.
func run(id, thread string) agent.Run {
	return agent.Run{
		ID: id, ThreadID: thread, AgentName: "demo", Input: "say hello", Status: protocol.StatusRunning, MessageID: "msg-" + id,
		CreatedAtMs: 1000, UpdatedAtMs: 1000,
	}
}

// deltas are events from number `from` on, one for each text.
func deltas(from int64, texts ...string) []protocol.Frame {
	frames := make([]protocol.Frame, len(texts))
	for i, text := range texts {
		frames[i] = protocol.Frame{Seq: from + int64(i), AtMs: 1000, Event: &protocol.TextDelta{ID: "t1", Delta: text}}
	}
	return frames
}

func user(id, text string) *model.Message {
	return &model.Message{ID: id, Role: model.RoleUser, Content: text, AtMs: 1000}
}

func result(runID, toolCallID, text string) *model.Message {
	return &model.Message{
		ID: runID + "/" + toolCallID, Role: model.RoleTool, Content: text, ToolCallID: toolCallID, RunID: runID, AtMs: 1000,
	}
}

func appendAll(t *testing.T, s Store, batches ...*agent.Batch) {
	t.Helper()
	for _, b := range batches {
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// events are a run's events as texts.
func events(t *testing.T, s Store, runID string, after int64, limit int) []string {
	t.Helper()
	records, err := s.Events(t.Context(), runID, after, limit)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, r := range records {
		if want := after + int64(i) + 1; r.Seq != want {
			t.Errorf("event %d of run %s, want %d", r.Seq, runID, want)
		}
		out = append(out, string(r.JSON))
	}
	return out
}

func one(t *testing.T, s Store, runID string) *agent.RunState {
	t.Helper()
	states, err := s.Runs(t.Context(), agent.RunQuery{ID: runID})
	if err != nil || len(states) != 1 {
		t.Fatalf("%d runs with id %s (%v), want 1", len(states), runID, err)
	}
	return states[0]
}

func thread(t *testing.T, s Store, id string) *agent.Thread {
	t.Helper()
	th, err := s.Thread(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	// At once and not byte by byte: some are large.
	texts := cmp.FilterValues(func(a, b []byte) bool { return len(a)+len(b) > 0 }, cmp.Comparer(bytes.Equal))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), texts); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func testEvents(t *testing.T, s Store) {
	appendAll(
		t, s,
		&agent.Batch{Run: run("r1", "t1"), Frames: deltas(1, "a", "b")},
		&agent.Batch{Run: run("r2", "t2"), Frames: deltas(1, "other")},
		&agent.Batch{Run: run("r1", "t1"), Frames: deltas(3, "c")},
	)
	text := func(s string) string { return fmt.Sprintf(`{"type":"text-delta","at":1000,"id":"t1","delta":%q}`, s) }
	for name, c := range map[string]struct {
		after int64
		limit int
		want  []string
	}{
		"all":              {0, 0, []string{text("a"), text("b"), text("c")}},
		"after the first":  {1, 0, []string{text("b"), text("c")}},
		"one of them":      {1, 1, []string{text("b")}},
		"more than are":    {0, 9, []string{text("a"), text("b"), text("c")}},
		"after the last":   {3, 0, nil},
		"after the future": {99, 0, nil},
	} {
		t.Run(name, func(t *testing.T) { same(t, "events", events(t, s, "r1", c.after, c.limit), c.want) })
	}
	if got := one(t, s, "r1").Last; got != 3 {
		t.Errorf("the run's last event is %d, want 3", got)
	}
}

func testUnknown(t *testing.T, s Store) {
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Frames: deltas(1, "a")})
	ctx := t.Context()
	for name, do := range map[string]func() error{
		"events":   func() error { _, err := s.Events(ctx, "r0", 0, 0); return err },
		"thread":   func() error { _, err := s.Thread(ctx, "t0"); return err },
		"requests": func() error { _, err := s.RunRequests(ctx, "r0"); return err },
		"blob":     func() error { _, _, err := s.Blob(ctx, "00"); return err },
		"rename":   func() error { return s.RenameThread(ctx, "t0", "x") },
		"delete":   func() error { return s.DeleteThread(ctx, "t0") },
	} {
		if err := do(); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("%s: %v, want %v", name, err, agent.ErrNotFound)
		}
	}
	if states, err := s.Runs(ctx, agent.RunQuery{ID: "r0"}); err != nil || len(states) != 0 {
		t.Errorf("runs: %v, %v, want none", states, err)
	}
}

// everything is a batch with a row of each kind.
func everything(runID, threadID string, from int64, mark string) *agent.Batch {
	r := run(runID, threadID)
	r.Error = mark
	p := pending("a-"+mark, r)
	return &agent.Batch{
		Run: r, Frames: deltas(from, mark), Messages: []*model.Message{user("m-"+mark, mark)},
		Calls:     []agent.Call{{RunID: runID, ToolCallID: "c-" + mark, State: protocol.StateRunning, Message: result(runID, "c-"+mark, mark)}},
		Approvals: []*approval.Pending{p},
		Requests: []agent.Request{{
			RunID: runID, ThreadID: threadID, AgentName: mark, Turn: 9, Sent: &model.Sent{Tail: []byte(mark)},
			Received: []agent.Received{{After: 1, Bytes: []byte(mark)}},
		}},
	}
}

// whole is all a store tells of a run and its thread.
func whole(t *testing.T, s Store, runID, threadID string) map[string]any {
	t.Helper()
	requests, err := s.RunRequests(t.Context(), runID)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{
		"run": one(t, s, runID), "thread": thread(t, s, threadID), "events": events(t, s, runID, 0, 0), "requests": requests,
	}
}

func testConflict(t *testing.T, s Store) {
	appendAll(t, s, everything("r1", "t1", 1, "first"), &agent.Batch{Run: run("r1", "t1"), Frames: deltas(2, "b", "c")})
	before := whole(t, s, "r1", "t1")
	for name, b := range map[string]*agent.Batch{
		"a number that is taken":  everything("r1", "t1", 3, "late"),
		"a number that is ahead":  everything("r1", "t1", 5, "early"),
		"the first number again":  everything("r1", "t1", 1, "again"),
		"a new run's second":      everything("r2", "t1", 2, "new"),
		"a new run's number zero": everything("r3", "t1", 0, "zero"),
	} {
		if err := s.Append(t.Context(), b); !errors.Is(err, agent.ErrConflict) {
			t.Errorf("%s: %v, want %v", name, err, agent.ErrConflict)
		}
	}
	same(t, "after the conflicts", whole(t, s, "r1", "t1"), before)
	if states, err := s.Runs(t.Context(), agent.RunQuery{}); err != nil || len(states) != 1 {
		t.Errorf("%d runs (%v), want 1", len(states), err)
	}
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Frames: deltas(4, "d")})
}

func testUnfit(t *testing.T, s Store) {
	appendAll(t, s, everything("r1", "t1", 1, "first"))
	before := whole(t, s, "r1", "t1")
	hole := everything("r1", "t1", 2, "hole")
	hole.Frames = append(hole.Frames, deltas(4, "far")...)
	nameless := everything("r1", "t1", 2, "nameless")
	nameless.Messages[0].ID = ""
	moved := everything("r1", "t2", 2, "moved")
	runless := everything("", "t1", 2, "runless")
	threadless := everything("r1", "", 2, "threadless")
	broken := everything("r1", "t1", 2, "broken")
	broken.Calls[0].ToolCallID = ""
	for name, b := range map[string]*agent.Batch{
		"events with a hole": hole, "a message without an id": nameless, "a run in another thread": moved,
		"events without a run": runless, "no thread": threadless, "a call without an id": broken,
	} {
		if err := s.Append(t.Context(), b); err == nil || errors.Is(err, agent.ErrConflict) {
			t.Errorf("%s: %v, want an error of its own", name, err)
		}
	}
	same(t, "after the errors", whole(t, s, "r1", "t1"), before)
	if _, err := s.Thread(t.Context(), "t2"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("the other thread: %v, want %v", err, agent.ErrNotFound)
	}
}

func testReuse(t *testing.T, s Store) {
	b := everything("r1", "t1", 1, "first")
	b.Run.Context = json.RawMessage(`{"userId":"u"}`)
	input := int64(7)
	b.Run.Usage = &model.Usage{InputTokens: &input}
	appendAll(t, s, b)
	before := whole(t, s, "r1", "t1")
	b.Frames[0] = deltas(1, "changed")[0]
	b.Messages[0] = user("other", "changed")
	b.Calls[0] = agent.Call{ToolCallID: "other"}
	b.Approvals[0] = pending("other", b.Run)
	copy(b.Requests[0].Received[0].Bytes, "XXX")
	copy(b.Requests[0].Sent.Tail, "XXX")
	b.Requests[0].Received[0].After = 99
	b.Requests[0] = agent.Request{}
	*b.Run.Usage = model.Usage{}
	same(t, "after the caller changed its slices", whole(t, s, "r1", "t1"), before)
}
