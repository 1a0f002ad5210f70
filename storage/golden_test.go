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
			stored := &reopened{T: t, path: filepath.Join(t.TempDir(), "callboard.db")}
			stored.open()
			defer stored.close()
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
				stored.append(&agent.Batch{Run: row, Frames: []protocol.Frame{f}})
				if d := cmp.Diff(snapshot(t, &live), snapshot(t, stored.transcript(row.ID))); d != "" {
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

// reopened is a database that is closed and opened again after each batch.
type reopened struct {
	*testing.T
	path string
	db   *storage.DB
}

func (r *reopened) open() {
	r.Helper()
	db, err := storage.Open(r.path)
	if err != nil {
		r.Fatal(err)
	}
	r.db = db
}

func (r *reopened) close() {
	r.Helper()
	if err := r.db.Close(); err != nil {
		r.Error(err)
	}
}

func (r *reopened) append(b *agent.Batch) {
	r.Helper()
	if err := r.db.Append(r.Context(), b); err != nil {
		r.Fatal(err)
	}
	r.close()
	r.open()
}

// transcript folds what the database has of a run.
func (r *reopened) transcript(runID string) *protocol.Transcript {
	r.Helper()
	records, err := r.db.Events(r.Context(), runID, 0, 0)
	if err != nil {
		r.Fatal(err)
	}
	var transcript protocol.Transcript
	for _, record := range records {
		f, err := protocol.DecodeFrame(record.Seq, record.JSON)
		if err != nil {
			r.Fatal(err)
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
