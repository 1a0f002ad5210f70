package tool_test

import (
	"context"
	"strings"
	"testing"

	"callboard/backend/tool"
)

func BenchmarkPrepare(b *testing.B) {
	w := tool.Must(weatherConfig())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Prepare(`{"city":"Paris","days":3}`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrepareLarge(b *testing.B) {
	w := tool.Must(weatherConfig())
	text := `{"city":"` + strings.Repeat(`a line of a file\n`, 12_000) + `"}`
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Prepare(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	c, err := tool.Must(weatherConfig()).Prepare(`{"city":"Paris","days":3}`)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if r := c.Run(tool.Context{Context: ctx, OnUpdate: func(tool.Update) {}}); r.Err != nil {
			b.Fatal(r.Err)
		}
	}
}
