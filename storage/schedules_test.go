package storage

import (
	"errors"
	"path/filepath"
	"testing"

	"callboard/backend/toolset/scheduler"
	"callboard/backend/toolset/scheduler/storetest"
)

func withThreads(t *testing.T, db *DB) *DB {
	t.Helper()
	for _, id := range []string{"t1", "t2"} {
		if err := db.PutThread(t.Context(), id, 1); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func TestScheduleStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) scheduler.Store { return withThreads(t, open(t)) })
}

func TestSchedulesOutliveTheProcessAndGoWithTheirThread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	db := withThreads(t, openAt(t, path))
	for _, thread := range []string{"t1", "t2"} {
		if err := db.AddSchedule(t.Context(), scheduler.Schedule{ID: "s" + thread, ThreadID: thread, Message: "m", NextMs: 1}); err != nil {
			t.Fatal(err)
		}
	}
	err := db.AddSchedule(t.Context(), scheduler.Schedule{ID: "s3", ThreadID: "t3", Message: "m", NextMs: 1})
	if !errors.Is(err, scheduler.ErrNoThread) {
		t.Errorf("a schedule of no thread: got %v, want ErrNoThread", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path)
	if err := db.DeleteThread(t.Context(), "t1"); err != nil {
		t.Fatal(err)
	}
	all, err := db.Schedules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].ID != "st2" {
		t.Errorf("got %+v, want the schedule of t2 alone", all)
	}
}
