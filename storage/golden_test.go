package storage_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/storage"
)

// At every event of every golden log the transcript that grew live, the one read back after the program was closed and opened, and
// the one folded anew from the log's text are equal.
func TestLiveReopenedAndRefoldedTranscriptsAreEqual(t *testing.T) {
	logs, err := filepath.Glob("../backend/agent/testdata/*.jsonl")
	if err != nil || len(logs) == 0 {
		t.Fatalf("no golden logs: %v", err)
	}
	for _, log := range logs {
		t.Run(filepath.Base(log), func(t *testing.T) {
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "callboard.db")
			var live, refolded protocol.Transcript
			row := agent.Run{ID: "run_1", ThreadID: "t1", AgentName: "demo", Status: protocol.StatusRunning}
			lines := bufio.NewScanner(bytes.NewReader(text))
			for lines.Scan() {
				row.Last++
				f, err := protocol.DecodeFrame(row.Last, lines.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				live.Apply(f)
				refolded = protocol.Transcript{}
				for i, line := range bytes.Split(text, []byte("\n"))[:row.Last] {
					again, err := protocol.DecodeFrame(int64(i+1), line)
					if err != nil {
						t.Fatal(err)
					}
					refolded.Apply(again)
				}
				reopened := reopen(t, path, &agent.Batch{Run: row, Frames: []protocol.Frame{f}})
				if d := cmp.Diff(snapshot(t, &live), snapshot(t, reopened)); d != "" {
					t.Fatalf("after event %d the reopened transcript differs (-live +reopened):\n%s", row.Last, d)
				}
				if d := cmp.Diff(snapshot(t, &live), snapshot(t, &refolded)); d != "" {
					t.Fatalf("after event %d the refolded transcript differs (-live +refolded):\n%s", row.Last, d)
				}
			}
			if row.Last == 0 {
				t.Fatal("the log is empty")
			}
		})
	}
}

// reopen appends a batch, closes the database, opens it again and folds what it has.
func reopen(t *testing.T, path string, b *agent.Batch) *protocol.Transcript {
	t.Helper()
	db, err := storage.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = storage.Open(path); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	records, err := db.Events(t.Context(), b.Run.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var transcript protocol.Transcript
	for _, record := range records {
		f, err := protocol.DecodeFrame(record.Seq, record.JSON)
		if err != nil {
			t.Fatal(err)
		}
		transcript.Apply(f)
	}
	return &transcript
}

func snapshot(t *testing.T, transcript *protocol.Transcript) string {
	t.Helper()
	text, err := json.Marshal(transcript.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
