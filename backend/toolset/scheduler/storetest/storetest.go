// Package storetest is the test every store of schedules passes.
package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/toolset/scheduler"
)

// Run tests a store. Each call of open gives an empty one, which knows the threads t1 and t2 and closes itself at the end of the
// test.
func Run(t *testing.T, open func(t *testing.T) scheduler.Store) {
	for name, test := range map[string]func(*testing.T, scheduler.Store){
		"schedules come back whole, oldest first":  testWhole,
		"a schedule is moved":                      testMove,
		"a schedule is deleted once":               testDelete,
		"an id is taken once":                      testTaken,
		"what is not there cannot be moved":        testUnknown,
		"schedules are added by several at a time": testConcurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func sample(id string) scheduler.Schedule {
	return scheduler.Schedule{
		ID: id, ThreadID: "t1", Owner: scheduler.Owner{UserID: "u", AgentName: "demo"}, Message: "say “hi”\n\x00<b>", Cron: "0 9 * * 1-5",
		Zone: "Europe/Berlin", NextMs: 1_700_000_000_123, CreatedAtMs: 1_600_000_000_456,
	}
}

func add(t *testing.T, s scheduler.Store, schedules ...scheduler.Schedule) {
	t.Helper()
	for _, one := range schedules {
		if err := s.AddSchedule(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
}

func check(t *testing.T, s scheduler.Store, want ...scheduler.Schedule) {
	t.Helper()
	got, err := s.Schedules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(append([]scheduler.Schedule{}, want...), got); d != "" {
		t.Errorf("the schedules (-want +got):\n%s", d)
	}
}

func testWhole(t *testing.T, s scheduler.Store) {
	check(t, s)
	once := scheduler.Schedule{ID: "a", ThreadID: "t2", Owner: scheduler.Owner{AgentName: "demo"}, Message: "m", NextMs: 1, CreatedAtMs: 9}
	add(t, s, sample("b"), once)
	check(t, s, sample("b"), once)
}

func testMove(t *testing.T, s scheduler.Store) {
	add(t, s, sample("a"), sample("b"))
	if err := s.MoveSchedule(t.Context(), "a", 5); err != nil {
		t.Fatal(err)
	}
	moved := sample("a")
	moved.NextMs = 5
	check(t, s, moved, sample("b"))
}

func testDelete(t *testing.T, s scheduler.Store) {
	add(t, s, sample("a"), sample("b"))
	if err := s.DeleteSchedule(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	check(t, s, sample("b"))
	if err := s.DeleteSchedule(t.Context(), "a"); !errors.Is(err, scheduler.ErrNotFound) {
		t.Errorf("delete it again: got %v, want ErrNotFound", err)
	}
}

func testTaken(t *testing.T, s scheduler.Store) {
	add(t, s, sample("a"))
	other := sample("a")
	other.Message = "another"
	if err := s.AddSchedule(t.Context(), other); err == nil {
		t.Error("a second schedule of one id was kept, want an error")
	}
	check(t, s, sample("a"))
}

func testUnknown(t *testing.T, s scheduler.Store) {
	if err := s.MoveSchedule(t.Context(), "a", 5); !errors.Is(err, scheduler.ErrNotFound) {
		t.Errorf("move what is not there: got %v, want ErrNotFound", err)
	}
	check(t, s)
}

func testConcurrent(t *testing.T, s scheduler.Store) {
	const writers = 8
	failed := make(chan error, writers)
	for i := range writers {
		go func() { failed <- s.AddSchedule(t.Context(), sample(fmt.Sprint(i))) }()
	}
	for range writers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if all, err := s.Schedules(t.Context()); err != nil || len(all) != writers {
		t.Errorf("got %d schedules, %v, want %d", len(all), err, writers)
	}
}
