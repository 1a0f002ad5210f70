package storage_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/agent/storetest"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
	"callboard/storage"
)

func BenchmarkLoop(b *testing.B) {
	open := func(b *testing.B) agent.Store {
		db, err := storage.Open(filepath.Join(b.TempDir(), "callboard.db"))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := db.Close(); err != nil {
				b.Error(err)
			}
		})
		return db
	}
	storetest.BenchmarkLoop(b, open, []storetest.Load{
		{Name: "1000 calls in 100 turns", Turns: storetest.Turns(100, 10), Budget: 150 * time.Millisecond},
		{Name: "1000 turns of one call", Turns: storetest.Turns(1000, 1), Budget: 400 * time.Millisecond},
		{Name: "200 KB in 50000 pieces", Turns: storetest.LongArguments(50_000), Merge: true, Budget: 300 * time.Millisecond},
	})
}

// BenchmarkDatabaseSize reports the size of a closed database after 1,000 calls that can be searched; 5 MB is the limit.
func BenchmarkDatabaseSize(b *testing.B) {
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "callboard.db")
		db, err := storage.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		a := &agent.Agent{
			Name: "demo", Backend: &scripted.Backend{Turns: storetest.Turns(100, 10)}, Tools: []*tool.Tool{storetest.Quiet()}, MaxTurns: 200,
		}
		if _, err := (&agent.Runner{Store: db}).Run(b.Context(), a, agent.Input{Text: "go"}); err != nil {
			b.Fatal(err)
		}
		for page := (&storage.SearchPage{Behind: 1}); page.Behind > 0; time.Sleep(10 * time.Millisecond) {
			if page, err = db.Search(b.Context(), storage.SearchQuery{}); err != nil || page.Fault != nil {
				b.Fatal(err, page)
			}
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		size, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(size.Size())/(1<<20), "MB")
		b.ReportMetric(float64(size.Size())/(5<<20), "of-budget")
	}
}
