package storage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// BenchmarkAppend writes what a run of 100 turns of 10 calls writes, one call after the other: per call six events, two rows of the
// ledger and one message, in three batches.
func BenchmarkAppend(b *testing.B) {
	var cpu time.Duration
	var size int64
	for range b.N {
		path := filepath.Join(b.TempDir(), "callboard.db")
		db, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		before := used(b)
		writeRun(b, db, 100, 10)
		cpu += used(b) - before
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		size = info.Size()
	}
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/1000calls")
	b.ReportMetric(float64(size)/1e6, "MB/1000calls")
}

// used is the CPU time of this process so far.
func used(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func writeRun(t testing.TB, store agent.Store, turns, calls int) {
	run := agent.Run{
		ID: "run-bench", ThreadID: "thread-bench", AgentName: "demo", Input: "go", Status: protocol.StatusRunning,
		MessageID: "msg-1", CreatedAtMs: 1,
	}
	put := func(b *agent.Batch, events ...protocol.Event) {
		run.UpdatedAtMs++
		for _, e := range events {
			run.Last++
			b.Frames = append(b.Frames, protocol.Frame{Seq: run.Last, AtMs: run.UpdatedAtMs, Event: e})
		}
		b.Run = run
		if err := store.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	arguments := `{"path":"src/main.go","oldText":"fmt.Println(1)","newText":"fmt.Println(2)"}`
	result := json.RawMessage(`"` + fmt.Sprintf("%0200d", 1) + `"`)
	duration := int64(3)
	for turn := range turns {
		run.Turn = turn + 1
		put(&agent.Batch{Requests: []agent.Request{{
			AgentName: "demo", Turn: turn + 1, AtMs: run.UpdatedAtMs, Sent: &model.Sent{Keep: 1000, Tail: make([]byte, 4000)},
		}}}, &protocol.Turn{Turn: turn + 1, Phase: protocol.TurnStart, AgentName: "demo", Model: "m"})
		answer := &model.Message{ID: fmt.Sprintf("answer-%d", turn), Role: model.RoleAssistant, RunID: run.ID}
		var results []*model.Message
		for k := range calls {
			id := fmt.Sprintf("call-%d-%d", turn, k)
			run.CallCount++
			answer.ToolCalls = append(answer.ToolCalls, model.ToolCall{ID: id, Name: "edit_file", Arguments: arguments})
			call := agent.Call{
				RunID: run.ID, ToolCallID: id, ToolName: "edit_file", Turn: turn + 1, State: protocol.StateRunning,
				Proposed: arguments, Executed: arguments, StartedMs: run.UpdatedAtMs,
			}
			put(&agent.Batch{}, &protocol.ToolCallStart{ID: id, ToolName: "edit_file"},
				&protocol.ToolCallDelta{ID: id, ArgsTextDelta: arguments}, &protocol.ToolCallEnd{ID: id})
			put(&agent.Batch{Calls: []agent.Call{call}},
				&protocol.ToolUpdate{ToolCallID: id, Presentation: &tool.Presentation{Label: "Edit", Detail: "src/main.go"}},
				&protocol.CallState{ToolCallID: id, State: protocol.StateRunning})
			call.State, call.EndedMs = protocol.StateDone, run.UpdatedAtMs
			call.Message = &model.Message{
				ID: "result-" + id, Role: model.RoleTool, Content: string(result), ToolCallID: id, ToolName: "edit_file", RunID: run.ID,
			}
			results = append(results, call.Message)
			put(&agent.Batch{Calls: []agent.Call{call}},
				&protocol.ToolResult{ID: "e-" + id, ToolCallID: id, Result: result, DurationMs: &duration})
		}
		put(&agent.Batch{Messages: append([]*model.Message{answer}, results...)}, &protocol.Turn{Turn: turn + 1, Phase: protocol.TurnEnd})
	}
}

// BenchmarkEvents reads a run of 100,000 events.
func BenchmarkEvents100k(b *testing.B) {
	db := open(b)
	var last int64
	for range 100 {
		texts := make([]protocol.Frame, 1000)
		for i := range texts {
			last++
			texts[i] = protocol.Frame{Seq: last, AtMs: 1_700_000_000_000 + last, Event: &protocol.ToolCallDelta{
				ID: "call_0123456789", ArgsTextDelta: fmt.Sprintf(`{"line %d": "of some text that is written by a model"}`, last),
			}}
		}
		if err := db.Append(b.Context(), &agent.Batch{Run: agent.Run{ID: "r1", ThreadID: "t1"}, Frames: texts}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		records, err := db.Events(b.Context(), "r1", 0, 0)
		if err != nil || len(records) != int(last) {
			b.Fatalf("%d events (%v), want %d", len(records), err, last)
		}
	}
}
