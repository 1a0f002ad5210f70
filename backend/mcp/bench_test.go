package mcp_test

import (
	"slices"
	"testing"
	"time"

	"callboard/backend/tool"
)

// BenchmarkCallOverStdio measures a whole call, from its argument text to its split result, of a server that only echoes: next to
// nothing of it is the server's own. The promise is under 2 ms.
func BenchmarkCallOverStdio(b *testing.B) {
	const budget = 2 * time.Millisecond
	echo := toolsOf(b, started(b, "lively"))["x_echo"]
	times := make([]time.Duration, 0, 500)
	for b.Loop() {
		times = times[:0]
		for range cap(times) {
			began := time.Now()
			if got := call(b, echo, tool.Context{OnUpdate: func(tool.Update) {}}, `{"message":"hello"}`); got.Err != nil {
				b.Fatal(got.Err)
			}
			times = append(times, time.Since(began))
		}
	}
	slices.Sort(times)
	median := times[len(times)/2]
	b.ReportMetric(float64(median.Microseconds()), "µs/call")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs/p99")
	b.ReportMetric(float64(median)/float64(budget), "of-budget")
}
