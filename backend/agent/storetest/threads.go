package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

func testTitles(t *testing.T, s Store) {
	for content, want := range map[string]string{
		"Fix the build":                    "Fix the build",
		"\n  Fix the build \r\nand more":   "Fix the build",
		strings.Repeat("é", 100):           strings.Repeat("é", agent.MaxTitle),
		strings.Repeat("x", 79) + " after": strings.Repeat("x", 79),
		"":                                 "",
	} {
		id := "t " + content
		appendAll(t, s, &agent.Batch{Run: agent.Run{ThreadID: id}, Messages: []*model.Message{
			{ID: "m0", Role: model.RoleAssistant, Content: "Welcome"}, user("m1", content),
		}})
		if got := thread(t, s, id).Title; got != want {
			t.Errorf("a thread that opens with %q is called %q, want %q", content, got, want)
		}
	}
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Messages: []*model.Message{user("m1", "First")}})
	title := func(want string) {
		t.Helper()
		if got := thread(t, s, "t1").Title; got != want {
			t.Errorf("the thread is called %q, want %q", got, want)
		}
	}
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Messages: []*model.Message{user("m2", "Second")}})
	title("First")
	for _, name := range []string{"Mine", ""} {
		if err := s.RenameThread(t.Context(), "t1", name); err != nil {
			t.Fatal(err)
		}
		title(map[string]string{"Mine": "Mine", "": "First"}[name])
	}
}

// ids are those of a page of threads.
func ids(t *testing.T, s Store, query string, beforeMs int64, limit int) []string {
	t.Helper()
	page, err := s.Threads(t.Context(), query, beforeMs, limit)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, summary := range page {
		out = append(out, summary.ID)
	}
	return out
}

func testThreads(t *testing.T, s Store) {
	same(t, "an empty store", ids(t, s, "", 0, 0), []string(nil))
	for i, title := range []string{"Äpfel kaufen", "100% done_now", "Fix the BUILD", "build again"} {
		id := fmt.Sprintf("t%d", i+1)
		r := run("r"+id, id)
		r.UpdatedAtMs = 1000 * int64(i+1)
		message := user("m1", title)
		message.AtMs = r.UpdatedAtMs
		appendAll(t, s, &agent.Batch{Run: r, Frames: deltas(1, "a"), Messages: []*model.Message{message}})
	}
	for _, id := range []string{"t5", "t6", "t5"} {
		if err := s.PutThread(t.Context(), id, 500); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutThread(t.Context(), "", 1); err == nil {
		t.Error("a thread without an id was made")
	}
	if err := s.RenameThread(t.Context(), "t6", "ÜBER build"); err != nil {
		t.Fatal(err)
	}
	touched := run("rt1", "t1")
	touched.UpdatedAtMs = 9000
	appendAll(t, s, &agent.Batch{Run: touched, Frames: deltas(2, "b")})
	for name, c := range map[string]struct {
		query  string
		before int64
		limit  int
		want   []string
	}{
		"the last touched first":              {want: []string{"t1", "t4", "t3", "t2", "t6", "t5"}},
		"a page":                              {limit: 2, want: []string{"t1", "t4"}},
		"the page after":                      {before: 4000, limit: 2, want: []string{"t3", "t2"}},
		"a page ends with its millisecond":    {before: 2000, limit: 1, want: []string{"t6", "t5"}},
		"past the end":                        {before: 500, want: nil},
		"in any case":                         {query: "bUiLd", want: []string{"t4", "t3", "t6"}},
		"in any case, beyond ASCII":           {query: "äPFEL", want: []string{"t1"}},
		"by a name that was given":            {query: "über", want: []string{"t6"}},
		"signs that mean something elsewhere": {query: "0% done_", want: []string{"t2"}},
		"a sign that is not there":            {query: "x_", want: nil},
		"a query and a page":                  {query: "build", limit: 1, want: []string{"t4"}},
	} {
		t.Run(name, func(t *testing.T) { same(t, "threads", ids(t, s, c.query, c.before, c.limit), c.want) })
	}
}

func testSummary(t *testing.T, s Store) {
	first, second := run("r1", "t1"), run("r2", "t1")
	first.Status, first.CallCount, first.UpdatedAtMs = protocol.StatusCancelled, 3, 2000
	second.Status, second.CallCount, second.UpdatedAtMs = protocol.StatusPaused, 2, 3000
	second.AgentName, second.Error, second.ErrorCode = "helper", "no", "CODE"
	stale, waits, earlier, decided := pending("a1", first), pending("a2", second), pending("a3", second), pending("a4", second)
	waits.SinceMs, earlier.SinceMs, decided.SinceMs = 2900, 2800, 10
	decided.Decision = &approval.Decision{Approved: true}
	appendAll(
		t, s,
		&agent.Batch{Run: first, Messages: []*model.Message{user("m1", "Hello")}, Approvals: []*approval.Pending{stale}},
		&agent.Batch{Run: second, Approvals: []*approval.Pending{waits, earlier, decided}},
	)
	if err := s.PutThread(t.Context(), "t2", 100); err != nil {
		t.Fatal(err)
	}
	got, err := s.Threads(t.Context(), "", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "summaries", got, []agent.ThreadSummary{
		{
			ID: "t1", Title: "Hello", AgentName: "helper", RunID: "r2", Status: protocol.StatusPaused, Error: "no", ErrorCode: "CODE",
			Runs: 2, Calls: 5, Pending: 2, WaitingSinceMs: 2800, CreatedAtMs: 1000, UpdatedAtMs: 3000,
		},
		{ID: "t2", CreatedAtMs: 100, UpdatedAtMs: 100},
	})
}

func testDelete(t *testing.T, s Store) {
	appendAll(t, s, everything("r1", "t1", 1, "one"), everything("r2", "t2", 1, "two"))
	before := whole(t, s, "r2", "t2")
	if err := s.DeleteThread(t.Context(), "t1"); !errors.Is(err, agent.ErrBusy) {
		t.Fatalf("delete a thread whose run is live: %v, want %v", err, agent.ErrBusy)
	}
	ended := run("r1", "t1")
	ended.Status = protocol.StatusPaused
	appendAll(t, s, &agent.Batch{Run: ended})
	if err := s.DeleteThread(t.Context(), "t1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Thread(t.Context(), "t1"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("the thread: %v, want %v", err, agent.ErrNotFound)
	}
	if _, err := s.Events(t.Context(), "r1", 0, 0); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("its events: %v, want %v", err, agent.ErrNotFound)
	}
	for _, q := range []agent.RunQuery{{ID: "r1"}, {ApprovalID: "a-one"}, {ThreadID: "t1"}} {
		if states, err := s.Runs(t.Context(), q); err != nil || len(states) != 0 {
			t.Errorf("runs for %+v: %d (%v), want none", q, len(states), err)
		}
	}
	same(t, "threads", ids(t, s, "", 0, 0), []string{"t2"})
	same(t, "the other thread", whole(t, s, "r2", "t2"), before)
	// What still wants to write to it is told, and its name is free again.
	if err := s.Append(t.Context(), &agent.Batch{Run: ended, Frames: deltas(2, "late")}); !errors.Is(err, agent.ErrConflict) {
		t.Errorf("append to a deleted run: %v, want %v", err, agent.ErrConflict)
	}
	appendAll(t, s, everything("r1", "t1", 1, "one"))
	same(t, "history of the new thread", thread(t, s, "t1").Messages, []*model.Message{user("m-one", "one")})
}
