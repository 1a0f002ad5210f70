package main

import (
	"strings"
	"testing"
)

func TestTableShowsTheRatioBesideEachBenchmark(t *testing.T) {
	results := parse([]byte(`goos: linux
BenchmarkPrepare-2   	 1000	      1234 ns/op
BenchmarkLoop/1000_calls_in_100_turns-2   	3	 9 ns/op	 21.5 cpu-ms/run	 0.717 of-budget
BenchmarkLoop/too_slow-2   	3	 9 ns/op	 41.5 cpu-ms/run	 1.38 of-budget	 0.5 growth-of-budget
BenchmarkPage/live 3 0 ms-longest-task 0.000 of-budget
PASS
`))
	var out strings.Builder
	if got := table(&out, results); got != 1 {
		t.Errorf("over budget: got %d, want 1", got)
	}
	for _, want := range []string{
		"Loop/1000 calls in 100 turns  0.72       21.5 cpu-ms/run",
		"Loop/too slow                 1.38 OVER  41.5 cpu-ms/run",
		"Page/live                     0.00       0 ms-longest-task",
		"Prepare                       –          1234 ns/op",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got table\n%s\nwant a line %q", out.String(), want)
		}
	}
}
