package agent_test

import (
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/agent/storetest"
)

func BenchmarkLoop(b *testing.B) {
	storetest.BenchmarkLoop(b, func(*testing.B) agent.Store { return &agent.Memory{} }, []storetest.Load{
		{Name: "1000 calls in 100 turns", Turns: storetest.Turns(100, 10), Budget: 30 * time.Millisecond},
		{Name: "1000 turns of one call", Turns: storetest.Turns(1000, 1), Budget: 90 * time.Millisecond},
	})
}
