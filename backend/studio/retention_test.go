package studio

import (
	"net/http"
	"testing"
	"time"
)

func TestThreadsOlderThanTheRetentionRuleAreDeleted(t *testing.T) {
	b := openBench(t, Config{})
	unpaced(b.studio)
	idle, waits := b.newThread(`{"agentName":"demo"}`).ID, b.newThread(`{"agentName":"demo"}`).ID
	b.settled(b.send(waits, demoAgent, demoMessage))
	in := func(days int) int {
		t.Helper()
		n, err := b.studio.deleteOld(t.Context(), time.Now().AddDate(0, 0, days))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := in(400); n != 0 {
		t.Errorf("without a rule %d threads were deleted", n)
	}
	b.call(http.MethodPut, "/api/studio/settings", `{"retentionDays":30}`, http.StatusOK)
	if n := in(29); n != 0 {
		t.Errorf("before their time %d threads were deleted", n)
	}
	if n := in(31); n != 1 {
		t.Errorf("got %d threads deleted, want the idle one: a run that waits stays", n)
	}
	b.call(http.MethodGet, "/api/threads/"+idle, "", http.StatusNotFound)
	b.call(http.MethodGet, "/api/threads/"+waits, "", http.StatusOK)
	b.call(http.MethodPut, "/api/studio/settings", `{"retentionDays":-1}`, http.StatusBadRequest)
}
