package agent_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// cpu is what this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// script makes turns that each make some calls, all with other arguments, and a closing one.
func script(turns, calls int) []scripted.Turn {
	var script []scripted.Turn
	for i := range turns {
		var turn []model.ToolCall
		for k := range calls {
			turn = append(turn, model.ToolCall{ID: fmt.Sprintf("c%d_%d", i, k), Name: "echo", Arguments: fmt.Sprintf(`{"text":"call %d of turn %d"}`, k, i)})
		}
		script = append(script, scripted.CallTools(turn...))
	}
	return append(script, scripted.Say("Done."))
}

func longArguments(pieces int) []scripted.Turn {
	piece := func(text string) scripted.Chunk {
		return scripted.Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputDelta, ToolCallID: "c1", Delta: text}}
	}
	chunks := []scripted.Chunk{
		{ToolInput: &model.ToolInput{Type: model.ToolInputStart, ToolCallID: "c1", ToolName: "echo"}}, piece(`{"text":"`),
	}
	for range pieces {
		chunks = append(chunks, piece("abcd"))
	}
	text := `{"text":"` + strings.Repeat("abcd", pieces) + `"}`
	chunks = append(chunks, piece(`"}`), scripted.Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputEnd, ToolCallID: "c1"}},
		scripted.Chunk{ToolCalls: []model.ToolCall{{ID: "c1", Name: "echo", Arguments: text}}})
	return []scripted.Turn{{Chunks: chunks}, scripted.Say("Done.")}
}

// BenchmarkLoop is the loop in this process: scripted model, a tool without side effects, an observer. It reports the CPU of a run,
// of all threads, and the part of the budget it uses (1 is the limit).
func BenchmarkLoop(b *testing.B) {
	quiet := tool.Must(tool.Config[echoInput, string]{
		Name: "echo", Description: "Says it again", Run: func(_ tool.Context, in echoInput) (string, error) { return in.Text[:1], nil },
	})
	for _, c := range []struct {
		name   string
		turns  []scripted.Turn
		budget time.Duration
		merge  time.Duration
	}{
		{"1000 calls in 100 turns", script(100, 10), 30 * time.Millisecond, -1},
		{"1000 turns of one call", script(1000, 1), 90 * time.Millisecond, -1},
		{"200 KB in 50000 pieces, merged", longArguments(50_000), 300 * time.Millisecond, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := &agent.Agent{
				Name: "demo", Backend: &scripted.Backend{Turns: c.turns}, Tools: []*tool.Tool{quiet},
				MaxTurns: len(c.turns) + 1, MaxRepeats: -1,
			}
			events := 0
			var used time.Duration
			var worst uint64
			for b.Loop() {
				r := &agent.Runner{MergeWindow: c.merge, OnEvent: func(string, protocol.Frame) { events++ }}
				runtime.GC()
				before := cpu()
				outcome, err := r.Run(b.Context(), a, agent.Input{Text: "go"})
				used += cpu() - before
				if err != nil || outcome.Status != protocol.StatusCompleted {
					b.Fatalf("%v %v", outcome, err)
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				worst = max(worst, m.HeapAlloc)
			}
			each := used / time.Duration(b.N)
			b.ReportMetric(float64(each.Microseconds())/1000, "cpu-ms/run")
			b.ReportMetric(float64(each)/float64(c.budget), "of-budget")
			b.ReportMetric(float64(worst)/(1<<20), "heap-MB")
			b.ReportMetric(float64(events)/float64(b.N), "events/run")
		})
	}
}
