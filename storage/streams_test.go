package storage

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// Four runs are appended to at once, each is read on from what was read of it, and their threads are exported all the while: nobody
// is turned away, and of no run an event is missing, comes twice or overtakes another. CASES G1, G2.
func TestRunsThatGrowAtOnceAreReadInOrderAndWhole(t *testing.T) {
	const runs, events, together = 4, 2500, 50
	db := open(t)
	texts := make([]string, together)
	for i := range texts {
		texts[i] = "word"
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	fail := func(format string, args ...any) {
		t.Errorf(format, args...)
		cancel()
	}
	var writers, readers sync.WaitGroup
	for i := range runs {
		run := fmt.Sprintf("r%d", i)
		if err := db.Append(ctx, batchOf(run, 1, texts...)); err != nil {
			t.Fatal(err)
		}
		writers.Go(func() {
			for from := int64(together + 1); from <= events && ctx.Err() == nil; from += together {
				if err := db.Append(ctx, batchOf(run, from, texts...)); err != nil {
					fail("append to %s from %d: %v", run, from, err)
				}
			}
		})
		readers.Go(func() {
			for last := int64(0); last < events && ctx.Err() == nil; {
				records, err := db.Events(ctx, run, last, 0)
				if err != nil {
					fail("read %s after %d: %v", run, last, err)
				}
				for _, record := range records {
					if record.Seq != last+1 {
						fail("after event %d of %s comes %d", last, run, record.Seq)
					}
					last = record.Seq
				}
			}
		})
	}
	written := make(chan struct{})
	readers.Go(func() {
		for ctx.Err() == nil {
			for _, err := range db.ExportThread(ctx, "t-r0") {
				if err != nil {
					fail("export: %v", err)
				}
			}
			select {
			case <-written:
				return
			default:
			}
		}
	})
	writers.Wait()
	close(written)
	readers.Wait()
	if got := count(t, db, "select count(*) from events"); got != runs*events {
		t.Errorf("%d events are stored, want %d", got, runs*events)
	}
}
