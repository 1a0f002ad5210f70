package storage

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// crashVariable names the database to which a child process appends until it is killed.
const crashVariable = "CALLBOARD_TEST_CRASH"

const crashRuns = 3

// appendUntilKilled appends to some runs, each from where it is, and prints each batch's run and last number once it is stored.
func appendUntilKilled(path string) {
	db, err := Open(path)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var out sync.Mutex
	var all sync.WaitGroup
	for i := range crashRuns {
		id := fmt.Sprintf("r%d", i)
		all.Go(func() {
			var last int64
			if states, err := db.Runs(context.Background(), agent.RunQuery{ID: id, Bare: true}); err == nil && len(states) == 1 {
				last = states[0].Last
			}
			for {
				b := crashBatch(id, last)
				if err := db.Append(context.Background(), b); err != nil {
					fmt.Println(err)
					os.Exit(1)
				}
				last += int64(len(b.Frames))
				out.Lock()
				fmt.Println(id, last)
				out.Unlock()
			}
		})
	}
	all.Wait()
}

// crashBatch is a batch of three events, a part of text that is large at times, a message and a call.
func crashBatch(id string, last int64) *agent.Batch {
	size := 10 + rand.IntN(100)
	if rand.IntN(20) == 0 {
		size = largeValue + 1 + rand.IntN(5)
	}
	part := fmt.Sprintf("t%d", last)
	frames := []protocol.Frame{
		{Seq: last + 1, Event: &protocol.TextStart{ID: part}},
		{Seq: last + 2, Event: &protocol.TextDelta{ID: part, Delta: fmt.Sprintf("%0*d", size, last)}},
		{Seq: last + 3, Event: &protocol.TextEnd{ID: part}},
	}
	key := fmt.Sprintf("%s-%d", id, last)
	return &agent.Batch{
		Run:      agent.Run{ID: id, ThreadID: "t-" + id, Status: protocol.StatusRunning, CallCount: int(last/3) + 1},
		Frames:   frames,
		Messages: []*model.Message{{ID: key, Role: model.RoleUser, Content: key}},
		Calls:    []agent.Call{{RunID: id, ToolCallID: key, State: protocol.StateRunning}},
		Durable:  rand.IntN(10) == 0,
	}
}

func TestWhatWasStoredOutlivesAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	acknowledged := map[string]int64{}
	for round := range 6 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), crashVariable+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first := make(chan struct{})
		go func() {
			<-first
			time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
			_ = cmd.Process.Kill()
		}()
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if n == 0 {
				close(first)
			}
			var id string
			var last int64
			if count, err := fmt.Sscan(lines.Text(), &id, &last); count == 2 && err == nil {
				acknowledged[id] = last
			} else {
				t.Errorf("the child said %q", lines.Text())
			}
		}
		_ = cmd.Wait() // killed
		checkCrashed(t, path, round, acknowledged)
	}
	if len(acknowledged) != crashRuns {
		t.Errorf("%d runs were acknowledged, want %d", len(acknowledged), crashRuns)
	}
}

// checkCrashed opens what a killed process left: all it acknowledged is there, and every batch is whole.
func checkCrashed(t *testing.T, path string, round int, acknowledged map[string]int64) {
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for id, last := range acknowledged {
		states, err := db.Runs(t.Context(), agent.RunQuery{ID: id})
		if err != nil || len(states) != 1 {
			t.Fatalf("round %d: %d runs %s (%v), want 1", round, len(states), id, err)
		}
		records, err := db.Events(t.Context(), id, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		thread, err := db.Thread(t.Context(), "t-"+id)
		if err != nil {
			t.Fatal(err)
		}
		count := int64(len(records))
		if count < last || count != states[0].Last {
			t.Errorf("round %d: run %s has %d events and says %d; %d were acknowledged", round, id, count, states[0].Last, last)
		}
		batches := int(count / 3)
		if count%3 != 0 || len(thread.Messages) != batches || len(states[0].Calls) != batches || states[0].CallCount != batches {
			t.Errorf("round %d: run %s has %d events, %d messages, %d calls and counts %d: not whole batches", round, id, count,
				len(thread.Messages), len(states[0].Calls), states[0].CallCount)
		}
		for i, r := range records {
			if _, err := protocol.DecodeFrame(r.Seq, r.JSON); err != nil || r.Seq != int64(i)+1 {
				t.Fatalf("round %d: run %s: event %d at %d: %v", round, id, r.Seq, i+1, err)
			}
		}
	}
	checkWhole(t, db)
	checkIndex(t, db)
}

// checkIndex looks whether the index of a killed process goes on to be whole: every part that is stored is in it once.
func checkIndex(t *testing.T, db *DB) {
	t.Helper()
	indexed(t, db)
	for _, query := range []string{
		`select count(*) from events e left join search_entries s on s.run = e.run and s.seq = e.seq
			where e.json glob '{"type":"text-end"*' and s.n is null`,
		`select count(*) from (select run, thread, seq, message from search_entries group by run, thread, seq, message having count(*) > 1)`,
		`select count(*) from search_entries where n not in (select id from search_grams_docsize)`,
		`select count(*) from search_grams_docsize where id not in (select n from search_entries)`,
		`select count(*) from runs r left join search_marks m on m.run = r.n where m.last is not (select max(seq) from events where run = r.n)`,
	} {
		if n := count(t, db, query); n > 0 {
			t.Errorf("the index has %d faults: %s", n, query)
		}
	}
}

// checkWhole asks SQLite whether the file is in order.
func checkWhole(t *testing.T, db *DB) {
	t.Helper()
	var said string
	if err := db.readers.QueryRowContext(t.Context(), "pragma integrity_check").Scan(&said); err != nil || said != "ok" {
		t.Errorf("integrity: %q, %v", said, err)
	}
	if n := count(t, db, "select count(*) from pragma_foreign_key_check"); n > 0 {
		t.Errorf("%d rows refer to what is not there", n)
	}
}
