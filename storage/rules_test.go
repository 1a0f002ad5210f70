package storage

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

func sampleRule(id string) *approval.Rule {
	return &approval.Rule{
		ID: id, Name: "name of " + id, ToolName: "run_command", AgentName: "demo", CreatedAtMs: 1000, ExpiresAtMs: 5000, Enabled: true,
		Conditions: []approval.Condition{{Path: "command", Op: approval.OpPattern, Value: "a<b && c *"}},
	}
}

func rulesOf(t *testing.T, db *DB) []*approval.Rule {
	t.Helper()
	rules, err := db.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestRulesAreKeptAndTheirUsesCountedAcrossARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	db := openAt(t, path)
	for _, id := range []string{"r1", "r2"} {
		if err := db.PutRule(t.Context(), sampleRule(id)); err != nil {
			t.Fatal(err)
		}
	}
	for at := int64(2000); at < 2003; at++ {
		if err := db.UseRule(t.Context(), "r1", at); err != nil {
			t.Fatal(err)
		}
	}
	changed := sampleRule("r1")
	changed.Name, changed.ExpiresAtMs, changed.ToolName = "another", 0, "write_file"
	if err := db.PutRule(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	db = openAt(t, path)
	want := []*approval.Rule{sampleRule("r1"), sampleRule("r2")}
	want[0].Name, want[0].ExpiresAtMs, want[0].Uses, want[0].LastUsedMs = "another", 0, 3, 2002
	if d := cmp.Diff(want, rulesOf(t, db)); d != "" {
		t.Errorf("the rules after a restart (-want +got):\n%s", d)
	}
	if err := db.DeleteRule(t.Context(), "r1"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want[1:], rulesOf(t, db)); d != "" {
		t.Errorf("the rules after one was deleted (-want +got):\n%s", d)
	}
}

func TestARuleThatIsNotActiveCountsNoUse(t *testing.T) {
	db := open(t)
	off := sampleRule("off")
	off.Enabled = false
	for _, rule := range []*approval.Rule{sampleRule("r1"), off} {
		if err := db.PutRule(t.Context(), rule); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		id string
		at int64
	}{
		"gone": {"r0", 2000}, "off": {"off", 2000}, "expired at that moment": {"r1", 5000},
	} {
		if err := db.UseRule(t.Context(), c.id, c.at); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("%s: got %v, want %v", name, err, agent.ErrNotFound)
		}
	}
	for _, rule := range rulesOf(t, db) {
		if rule.Uses != 0 {
			t.Errorf("rule %s has %d uses, want none", rule.ID, rule.Uses)
		}
	}
	if err := db.DeleteRule(t.Context(), "r0"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("deleting a rule that is gone: got %v", err)
	}
}

func TestPastCallsAreThoseThatEndedAndThoseThatWait(t *testing.T) {
	db := open(t)
	b := batchOf("r1", 1, "x")
	b.Run.AgentName, b.Run.Status = "demo", protocol.StatusPaused
	message := &model.Message{ID: "r1/c1", Role: model.RoleTool, RunID: "r1", ToolCallID: "c1", ToolName: "run_command"}
	b.Calls = []agent.Call{
		{ToolCallID: "c1", ToolName: "run_command", State: protocol.StateDone, Proposed: "1", Executed: "edited", StartedMs: 10, EndedMs: 20, Message: message},
		{ToolCallID: "c2", ToolName: "run_command", State: protocol.StateDenied, Proposed: "2", EndedMs: 30},
		{ToolCallID: "c3", ToolName: "read_file", State: protocol.StateDone, Proposed: "3", StartedMs: 10},
	}
	asked := func(id, call string, decision *approval.Decision) *approval.Pending {
		return &approval.Pending{
			Approval: protocol.Approval{ApprovalID: id, ToolCallID: call, ToolName: "run_command", ArgumentsText: "of " + call, Kind: protocol.KindApproval},
			RunID:    "r1", AgentName: "demo", SinceMs: 40, Decision: decision,
		}
	}
	b.Approvals = []*approval.Pending{
		asked("a1", "c1", &approval.Decision{Approved: true}), asked("a4", "c4", nil), asked("a5", "c5", &approval.Decision{Approved: true}),
		asked("a6", "c6", &approval.Decision{Approved: true}), asked("a7", "c6", nil), asked("a8", "c7", &approval.Decision{Reason: "no"}),
	}
	if err := db.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := db.PastCalls(t.Context(), "run_command", func(c PastCall) {
		if c.RunID != "r1" || c.ThreadID != "t-r1" || c.AgentName != "demo" {
			t.Errorf("call %s is of %s, %s and %s", c.ToolCallID, c.RunID, c.ThreadID, c.AgentName)
		}
		got = append(got, fmt.Sprint(c.ToolCallID, " ", c.State, " ", c.ArgumentsText, " ", c.AtMs))
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{"c1 done 1 10", "c2 denied 2 30", "c4 waiting of c4 40", "c5 approved of c5 40", "c6 waiting of c6 40", "c7 denied of c7 40"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the past calls (-want +got):\n%s", d)
	}
}

func TestAnOlderDatabaseTakesRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	known, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "")
	execute(t, path, known[0], fmt.Sprintf("pragma application_id = %d", applicationID), "pragma user_version = 1",
		"insert into threads (id, created_at_ms, updated_at_ms) values ('t1', 1, 1)")
	db := openAt(t, path)
	if err := db.PutRule(t.Context(), sampleRule("r1")); err != nil {
		t.Fatal(err)
	}
	if got := len(rulesOf(t, db)); got != 1 {
		t.Errorf("%d rules, want 1", got)
	}
	if _, err := db.ThreadSummary(t.Context(), "t1"); err != nil {
		t.Errorf("its thread is gone: %v", err)
	}
}
