package wasm_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"callboard/backend/tool"
)

// callBudget is what a call on a warm module may cost over the module's own time.
const callBudget = time.Millisecond

// The module's own time is that of the same two functions, called in a runtime that does nothing else.
func BenchmarkCallOnAWarmModule(b *testing.B) {
	own := ownTime(b)
	call := func() {
		if _, err := engine.Execute(tool.Context{Context: b.Context(), RunID: "run_1"}, job(b, "nothing", `{"text":"x"}`)); err != nil {
			b.Fatal(err)
		}
	}
	call()
	const calls = 200
	for b.Loop() {
		for range calls {
			call()
		}
	}
	over := b.Elapsed()/time.Duration(b.N*calls) - own
	b.ReportMetric(float64(max(over, 0).Nanoseconds()), "ns-over/call")
	b.ReportMetric(float64(max(over, 0))/float64(callBudget), "of-budget")
	engine.EndRun("run_1")
}

func ownTime(b *testing.B) time.Duration {
	b.Helper()
	ctx := context.Background()
	text, err := os.ReadFile(guest(b))
	if err != nil {
		b.Fatal(err)
	}
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx) //nolint:errcheck // it has nothing that could fail
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	m, err := runtime.InstantiateWithConfig(ctx, text, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		b.Fatal(err)
	}
	const calls = 1000
	var start time.Time
	for i := range calls + 1 {
		if i == 1 { // the first one warms it
			start = time.Now()
		}
		at, err := m.ExportedFunction("alloc").Call(ctx, 12)
		if err == nil {
			_, err = m.ExportedFunction("nothing").Call(ctx, at[0], 12)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / calls
}

func BenchmarkCallOnAFreshInstance(b *testing.B) {
	j := job(b, "nothing", `{"text":"x"}`)
	call := func() {
		if _, err := engine.Execute(tool.Context{Context: b.Context()}, j); err != nil {
			b.Fatal(err)
		}
	}
	call() // it is compiled now
	for b.Loop() {
		call()
	}
}
