package storetest

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// CPU is what this process has used, of all threads.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Turns is a script whose turns each make some calls of Quiet, all with other arguments, and a closing one.
func Turns(turns, calls int) []scripted.Turn {
	script := make([]scripted.Turn, 0, turns+1)
	for i := range turns {
		var turn []model.ToolCall
		for k := range calls {
			arguments := fmt.Sprintf(`{"text":"call %d of turn %d"}`, k, i)
			turn = append(turn, model.ToolCall{ID: fmt.Sprintf("c%d_%d", i, k), Name: "echo", Arguments: arguments})
		}
		script = append(script, scripted.CallTools(turn...))
	}
	return append(script, scripted.Say("Done."))
}

// LongArguments is a script with one call of Quiet whose arguments come in pieces of 4 bytes.
func LongArguments(pieces int) []scripted.Turn {
	piece := func(kind model.ToolInputType, name, delta string) scripted.Chunk {
		return scripted.Chunk{ToolInput: &model.ToolInput{Type: kind, ToolCallID: "c1", ToolName: name, Delta: delta}}
	}
	chunks := []scripted.Chunk{piece(model.ToolInputStart, "echo", ""), piece(model.ToolInputDelta, "", `{"text":"`)}
	for range pieces {
		chunks = append(chunks, piece(model.ToolInputDelta, "", "abcd"))
	}
	whole := model.ToolCall{ID: "c1", Name: "echo", Arguments: `{"text":"` + strings.Repeat("abcd", pieces) + `"}`}
	chunks = append(chunks, piece(model.ToolInputDelta, "", `"}`), piece(model.ToolInputEnd, "", ""),
		scripted.Chunk{ToolCalls: []model.ToolCall{whole}})
	return []scripted.Turn{{Chunks: chunks}, scripted.Say("Done.")}
}

// Quiet is a tool without side effects that does next to nothing.
func Quiet() *tool.Tool {
	type input struct {
		Text string `json:"text"`
	}
	return tool.Must(tool.Config[input, string]{
		Name: "echo", Description: "Says how it begins",
		Run: func(_ tool.Context, in input) (string, error) { return in.Text[:1], nil },
	})
}

// Load is a run to measure, with the most CPU it may use.
type Load struct {
	Name   string
	Turns  []scripted.Turn
	Merge  bool // consecutive deltas of a frame become one event
	Budget time.Duration
}

// BenchmarkLoop measures the run loop over a store: a scripted model, Quiet, an observer. It reports the CPU of a run, the part of
// the budget that is (1 is the limit), and how far the heap grew.
func BenchmarkLoop(b *testing.B, open func(b *testing.B) agent.Store, loads []Load) {
	for _, load := range loads {
		b.Run(load.Name, func(b *testing.B) {
			a := &agent.Agent{
				Name: "demo", Backend: &scripted.Backend{Turns: load.Turns}, Tools: []*tool.Tool{Quiet()},
				MaxTurns: len(load.Turns) + 1, MaxRepeats: -1,
			}
			var events atomic.Int64
			var used time.Duration
			var grown uint64
			n := 0
			for b.Loop() {
				n++
				r := &agent.Runner{Store: open(b), MergeWindow: -1, OnEvent: func(string, protocol.Frame) { events.Add(1) }}
				if load.Merge {
					r.MergeWindow = 0
				}
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				began := CPU()
				outcome, err := r.Run(b.Context(), a, agent.Input{Text: "go"})
				used += CPU() - began
				runtime.ReadMemStats(&after)
				if err != nil || outcome.Status != protocol.StatusCompleted {
					b.Fatalf("the run ended in %v: %v", outcome, err)
				}
				grown = max(grown, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
			}
			each := used / time.Duration(n)
			b.ReportMetric(float64(each.Microseconds())/1000, "cpu-ms/run")
			b.ReportMetric(float64(each)/float64(load.Budget), "of-budget")
			b.ReportMetric(float64(grown)/(1<<20), "heap-MB")
			b.ReportMetric(float64(events.Load())/float64(n), "events/run")
		})
	}
}
