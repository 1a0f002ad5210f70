package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func pending(id string, r agent.Run) *approval.Pending {
	text := `{"command": "rm -rf build"}`
	return &approval.Pending{
		Approval: protocol.Approval{
			ApprovalID: id, ToolCallID: "call-" + id, ToolName: "run_command", Kind: protocol.KindApproval,
			Description: "Runs a command", Arguments: json.RawMessage(text), ArgumentsText: text, ArgumentsHash: approval.Hash(text),
			SideEffects: []tool.SideEffect{tool.Process}, Presentation: &tool.Presentation{Label: "Run", Detail: "a<b && c"},
			Details: json.RawMessage(`{"diff": "-1.0\n+1e400"}`), ExpiresAt: 5000, ParentToolCallID: "parent",
		},
		RunID: r.ID, ThreadID: r.ThreadID, AgentName: r.AgentName, SinceMs: 1234,
	}
}

func testMessages(t *testing.T, s Store) {
	call := model.ToolCall{ID: "c1", ProviderID: "p1", Name: "read_file", Arguments: `{"path":"a"}`, Extra: json.RawMessage(`{"google": {"s":"A+\u003d"}}`)}
	asked := user("m1", "read it")
	answer := &model.Message{
		ID: "m2", Role: model.RoleAssistant, Content: "I read it.", Reasoning: "hm", RunID: "r1", AtMs: 1001,
		ToolCalls: []model.ToolCall{call, {ID: "c2", Name: "list_files", Arguments: "{}"}},
	}
	result := &model.Message{
		ID: "m3", Role: model.RoleTool, Content: "text", ToolCallID: "c1", ToolName: "read_file", RunID: "r1", AtMs: 1002,
		Metadata: json.RawMessage(`{"details":{"text":"x"}}`),
	}
	ended := agent.Call{RunID: "r1", ToolCallID: "c1", ToolName: "read_file", State: protocol.StateDone, Message: result}
	appendAll(
		t, s,
		&agent.Batch{Run: run("r1", "t1"), Messages: []*model.Message{asked, answer}},
		// The ledger has the result before the history has it.
		&agent.Batch{Run: run("r1", "t1"), Calls: []agent.Call{ended}},
	)
	same(t, "history before the result", thread(t, s, "t1").Messages, []*model.Message{asked, answer})
	appendAll(
		t, s,
		&agent.Batch{Run: run("r1", "t1"), Messages: []*model.Message{user("m1", "changed"), result, result}},
		&agent.Batch{Run: run("r1", "t1"), Messages: []*model.Message{result, user("m4", "more")}},
		&agent.Batch{Run: run("r2", "t2"), Messages: []*model.Message{user("m1", "the same id elsewhere")}},
	)
	same(t, "history", thread(t, s, "t1").Messages, []*model.Message{asked, answer, result, user("m4", "more")})
	same(t, "ledger", one(t, s, "r1").Calls, []agent.Call{ended})
	same(t, "the other thread", thread(t, s, "t2").Messages, []*model.Message{user("m1", "the same id elsewhere")})
}

func testMessagesOnly(t *testing.T, s Store) {
	added := user("m1", "hello")
	added.AtMs = 7000
	appendAll(t, s, &agent.Batch{Run: agent.Run{ThreadID: "t1"}, Messages: []*model.Message{added}})
	same(t, "thread", thread(t, s, "t1"), &agent.Thread{
		ID: "t1", Title: "hello", CreatedAtMs: 7000, UpdatedAtMs: 7000, Messages: []*model.Message{added},
	})
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Frames: deltas(1, "a")})
	if got := thread(t, s, "t1").UpdatedAtMs; got != 7000 {
		t.Errorf("a run that is older moved the thread to %d, want 7000", got)
	}
	later := user("m2", "more")
	later.AtMs = 8000
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Messages: []*model.Message{later}})
	if got := thread(t, s, "t1").UpdatedAtMs; got != 8000 {
		t.Errorf("the thread was touched at %d, want 8000, when its last message came", got)
	}
}

func testCalls(t *testing.T, s Store) {
	first := agent.Call{
		RunID: "r1", ToolCallID: "z", ToolName: "edit_file", Turn: 1, State: protocol.StateRunning, Proposed: `{"a":1}`,
		Executed: `{"a":2}`, StartedMs: 10,
	}
	second := agent.Call{RunID: "r1", ToolCallID: "a", ToolName: "read_file", Turn: 1, State: protocol.StateRunning, Proposed: "{}", Executed: "{}"}
	denied := agent.Call{RunID: "r1", ToolCallID: "d", ToolName: "read_file", Turn: 2, State: protocol.StateDenied, Proposed: "{}"}
	appendAll(
		t, s,
		&agent.Batch{Run: run("r1", "t1"), Calls: []agent.Call{first}},
		&agent.Batch{Run: run("r1", "t1"), Calls: []agent.Call{second, denied}},
		&agent.Batch{Run: run("r2", "t1"), Calls: []agent.Call{{RunID: "r2", ToolCallID: "z", ToolName: "other"}}},
	)
	first.State, first.EndedMs = protocol.StateDone, 20
	first.Message = result("r1", "z", "ok")
	first.Message.ToolName = "edit_file"
	appendAll(t, s, &agent.Batch{Run: run("r1", "t1"), Calls: []agent.Call{first}})
	same(t, "ledger", one(t, s, "r1").Calls, []agent.Call{first, second, denied})
	same(t, "ledger of the other run", one(t, s, "r2").Calls, []agent.Call{{RunID: "r2", ToolCallID: "z", ToolName: "other"}})
}

func testChildren(t *testing.T, s Store) {
	said := func(id, text string, calls ...model.ToolCall) *model.Message {
		return &model.Message{
			ID: id, Role: model.RoleAssistant, Content: text, Reasoning: "hm", RunID: "r1", AtMs: 1001, ToolCalls: calls,
			Metadata: json.RawMessage(`{"n":1.0}`),
		}
	}
	outer := model.ToolCall{ID: "p1", Name: "researcher", Arguments: `{"input":"look"}`}
	inner := model.ToolCall{ID: "k1", ProviderID: "c1", Name: "search", Arguments: `{"q": 1.0}`, Extra: json.RawMessage(`{"vertex": 1.0}`)}
	asked := said("r1_1", "I ask.", outer)
	first := agent.ChildMessage{ParentToolCallID: "p1", Message: said("r1_2", "", inner)}
	other := agent.ChildMessage{ParentToolCallID: "p2", Message: said("r1_3", "elsewhere")}
	second := agent.ChildMessage{ParentToolCallID: "p1", Message: said("r1_4", "found")}
	call := agent.Call{
		RunID: "r1", ToolCallID: "k1", ParentToolCallID: "p1", ToolName: "search", Turn: 2, State: protocol.StateWaiting,
		Proposed: `{"q": 1.0}`, Executed: `{"q": 1.0}`,
	}
	request := agent.Request{RunID: "r1", ThreadID: "t1", AgentName: "researcher", Turn: 2, ParentToolCallID: "p1", Sent: &model.Sent{Tail: []byte("x")}}
	appendAll(
		t, s,
		&agent.Batch{
			Run: run("r1", "t1"), Messages: []*model.Message{asked}, Children: []agent.ChildMessage{first}, Calls: []agent.Call{call},
			Requests: []agent.Request{request},
		},
		&agent.Batch{Run: run("r1", "t1"), Children: []agent.ChildMessage{other, first}},
		&agent.Batch{Run: run("r1", "t1"), Children: []agent.ChildMessage{second}},
	)
	same(t, "history", thread(t, s, "t1").Messages, []*model.Message{asked})
	same(t, "what was said inside", one(t, s, "r1").Children, []agent.ChildMessage{first, other, second})
	same(t, "ledger", one(t, s, "r1").Calls, []agent.Call{call})
	requests, err := s.RunRequests(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "requests", requests, []agent.Request{request})
	same(t, "counts", thread(t, s, "t1").Requests, map[string]int{"researcher": 1})
	bare, err := s.Runs(t.Context(), agent.RunQuery{ID: "r1", Bare: true})
	if err != nil || len(bare[0].Children) > 0 {
		t.Errorf("a bare run comes with %d children's messages (%v)", len(bare[0].Children), err)
	}
	for name, unfit := range map[string]*agent.Batch{
		"without a run":  {Run: agent.Run{ThreadID: "t1"}, Children: []agent.ChildMessage{first}},
		"without a call": {Run: run("r1", "t1"), Children: []agent.ChildMessage{{Message: said("r1_9", "x")}}},
		"empty":          {Run: run("r1", "t1"), Children: []agent.ChildMessage{{ParentToolCallID: "p1"}}},
	} {
		if err := s.Append(t.Context(), unfit); err == nil {
			t.Errorf("a child's message %s was taken", name)
		}
	}
}

func testApprovals(t *testing.T, s Store) {
	r := run("r1", "t1")
	first, second, third := pending("z", r), pending("a", r), pending("m", r)
	third.Arguments, third.Details, third.Presentation, third.SideEffects = nil, nil, nil, nil
	appendAll(t, s, &agent.Batch{Run: r, Approvals: []*approval.Pending{first, second}}, &agent.Batch{Run: r, Approvals: []*approval.Pending{third}})
	same(t, "undecided", one(t, s, "r1").Approvals, []*approval.Pending{first, second, third})

	edited := `{ "command": "ls",  "n": 1.0 }`
	decided := *second
	decided.DecidedAtMs = 2000
	decided.Decision = &approval.Decision{
		Approved: true, Reason: "only <listing>", ArgumentsText: &edited, ArgumentsHash: second.ArgumentsHash,
		Result: json.RawMessage(`{"n":1e400, "n":2}`), By: "ann", State: protocol.StateDenied,
	}
	empty := ""
	cleared := *third
	cleared.Decision = &approval.Decision{ArgumentsText: &empty}
	appendAll(t, s, &agent.Batch{Run: r, Durable: true, Approvals: []*approval.Pending{&decided, &cleared}})
	same(t, "decided", one(t, s, "r1").Approvals, []*approval.Pending{first, &decided, &cleared})
}

func testRunQuery(t *testing.T, s Store) {
	input, total := int64(12), int64(0)
	full := agent.Run{
		ID: "r1", ThreadID: "t1", AgentName: "demo", Input: "a\x00b", Status: protocol.StatusPaused, MessageID: "msg", Turn: 3,
		CallCount: 2, Usage: &model.Usage{InputTokens: &input, TotalTokens: &total}, Error: "no", ErrorCode: "RUN_TIMEOUT",
		Context: json.RawMessage(`{"userId": "u1", "n": 1.0}`), CreatedAtMs: 50, UpdatedAtMs: 60,
	}
	failed, live := run("r0", "t1"), run("r2", "t2")
	failed.Status = protocol.StatusFailed
	appendAll(
		t, s,
		&agent.Batch{Run: full, Approvals: []*approval.Pending{pending("a1", full)}, Calls: []agent.Call{{RunID: "r1", ToolCallID: "c1"}}},
		&agent.Batch{Run: failed}, &agent.Batch{Run: live, Approvals: []*approval.Pending{pending("a2", live)}},
	)
	for name, c := range map[string]struct {
		query agent.RunQuery
		want  []string
	}{
		"all, oldest first":        {agent.RunQuery{}, []string{"r1", "r0", "r2"}},
		"by id":                    {agent.RunQuery{ID: "r0"}, []string{"r0"}},
		"by thread":                {agent.RunQuery{ThreadID: "t1"}, []string{"r1", "r0"}},
		"by an unknown thread":     {agent.RunQuery{ThreadID: "t9"}, nil},
		"by approval":              {agent.RunQuery{ApprovalID: "a2"}, []string{"r2"}},
		"by an unknown approval":   {agent.RunQuery{ApprovalID: "a9"}, nil},
		"by state":                 {agent.RunQuery{Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}}, []string{"r1", "r2"}},
		"by thread and state":      {agent.RunQuery{ThreadID: "t1", Statuses: []protocol.Status{protocol.StatusFailed}}, []string{"r0"}},
		"by approval and thread":   {agent.RunQuery{ThreadID: "t1", ApprovalID: "a2"}, nil},
		"by what fits no run":      {agent.RunQuery{ID: "r1", ThreadID: "t2"}, nil},
		"without what hangs on it": {agent.RunQuery{ID: "r1", Bare: true}, []string{"r1"}},
	} {
		t.Run(name, func(t *testing.T) {
			states, err := s.Runs(t.Context(), c.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, state := range states {
				got = append(got, state.ID)
				if c.query.Bare && (state.Calls != nil || state.Approvals != nil) {
					t.Errorf("run %s comes with %d calls and %d approvals", state.ID, len(state.Calls), len(state.Approvals))
				}
			}
			same(t, "runs", got, c.want)
		})
	}
	same(t, "row", one(t, s, "r1").Run, full)

	later := full
	later.Status, later.Turn, later.UpdatedAtMs, later.Usage, later.Error, later.ErrorCode = protocol.StatusCompleted, 4, 70, nil, "", ""
	later.Input, later.Context = "not kept", nil
	appendAll(t, s, &agent.Batch{Run: later})
	later.Input, later.Context = full.Input, full.Context
	same(t, "row, replaced", one(t, s, "r1").Run, later)
}

func testRequests(t *testing.T, s Store) {
	request := func(runID, agentName string, turn, try int, sent *model.Sent, pieces ...agent.Received) agent.Request {
		return agent.Request{
			RunID: runID, ThreadID: "t1", AgentName: agentName, Turn: turn, Try: try, AtMs: 500, Sent: sent, Received: pieces,
		}
	}
	piece := func(after time.Duration, text string) agent.Received {
		return agent.Received{After: after, Bytes: []byte(text)}
	}
	sent := &model.Sent{Keep: 3, Tail: []byte("\x00\xff tail")}
	appendAll(
		t, s,
		&agent.Batch{Run: run("r1", "t1"), Requests: []agent.Request{request("r1", "demo", 1, 0, sent)}},
		&agent.Batch{Run: run("r1", "t1"), Requests: []agent.Request{request("r1", "demo", 1, 0, nil, piece(5, "data: 1\n"), piece(7, ""))}},
		&agent.Batch{Run: run("r1", "t1"), Requests: []agent.Request{
			request("r1", "demo", 1, 0, nil, piece(9, "\x80")),
			request("r1", "demo", 1, 1, nil, piece(time.Hour, "again")),
		}},
		&agent.Batch{Run: run("r1", "t1"), Requests: []agent.Request{request("r1", "demo", 1, 1, &model.Sent{})}},
		&agent.Batch{Run: run("r1", "t1"), Requests: []agent.Request{request("r1", "helper", 2, 0, sent)}},
		&agent.Batch{Run: run("r2", "t1"), Requests: []agent.Request{request("r2", "demo", 1, 0, sent)}},
		&agent.Batch{Run: run("r3", "t2")},
	)
	got, err := s.RunRequests(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "requests", got, []agent.Request{
		request("r1", "demo", 1, 0, sent, piece(5, "data: 1\n"), piece(7, ""), piece(9, "\x80")),
		request("r1", "demo", 1, 1, &model.Sent{}, piece(time.Hour, "again")),
		request("r1", "helper", 2, 0, sent),
	})
	same(t, "counts", thread(t, s, "t1").Requests, map[string]int{"demo": 3, "helper": 1})
	same(t, "counts of a thread without", thread(t, s, "t2").Requests, map[string]int{})
}
