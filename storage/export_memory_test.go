package storage

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/archive"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// liveHeap is what is held, in bytes.
func liveHeap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first one let go of
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc) //nolint:gosec // it fits
}

// The 40 MB of a thread are never held together, neither those of its events nor those of its ledger and history.
func TestAnExportHoldsLittleOfALargeThread(t *testing.T) {
	const calls, size, most = 400, 100_000, 12 << 20
	db := open(t)
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("go")
	for i := range calls {
		id := fmt.Sprint("c", i)
		text := strings.Repeat(fmt.Sprintf("line of result %d\n", i), size/18)
		result, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		s.call(id, "read_file", "{}")
		s.running(id)
		read := &model.Message{ID: "m" + id, Role: model.RoleTool, Content: text[:size/2], ToolCallID: id, ToolName: "read_file", RunID: "r1"}
		s.tell(&protocol.ToolResult{ID: "e" + id, ToolCallID: id, Result: result})
		row := agent.Call{RunID: "r1", ToolCallID: id, ToolName: "read_file", Turn: 1, State: protocol.StateDone, Proposed: "{}", Executed: "{}", Message: read}
		// A result is in the ledger first, and enters the history later.
		for _, b := range []*agent.Batch{{Run: s.run, Calls: []agent.Call{row}}, {Run: s.run, Messages: []*model.Message{read}}} {
			if err := db.Append(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.finish()
	indexed(t, db) // so that nothing else works beside it
	before := liveHeap()
	var bytes, worst int64
	kinds := map[string]int{}
	for line, err := range db.ExportThread(t.Context(), "t1") {
		if err != nil {
			t.Fatal(err)
		}
		kinds[fmt.Sprintf("%T", line)]++
		if e, ok := line.(*archive.Event); ok {
			bytes += int64(len(e.JSON))
		}
		if kinds[fmt.Sprintf("%T", line)]%100 == 0 {
			worst = max(worst, liveHeap()-before)
		}
	}
	if bytes < calls*size*9/10 || kinds["*archive.Call"] != calls || kinds["*archive.History"] != calls {
		t.Fatalf("got %d bytes of events and %v", bytes, kinds)
	}
	if worst > most {
		t.Errorf("an export holds %d KiB at a time, want at most %d", worst>>10, most>>10)
	}
}
