package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

// capturing keeps the messages of the last request.
type capturing struct {
	model.Backend
	messages []*model.Message
}

func (c *capturing) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	c.messages = request.Messages
	return c.Backend.Stream(ctx, request)
}

// next is what the next request in thread t1 would send, a line for each message, with what was repaired.
func (w *world) next() string {
	w.t.Helper()
	next, err := w.r.Next(w.t.Context(), "demo", "t1")
	if err != nil {
		w.t.Fatal(err)
	}
	var lines []string
	for _, m := range next.Messages {
		line := string(m.Role) + " " + m.ToolCallID + m.Content
		for _, c := range m.ToolCalls {
			line += " calls " + c.ID
		}
		for _, r := range next.Repairs {
			if r.MessageID == m.ID && !r.Left {
				line += " (" + r.Why + ")"
			}
		}
		lines = append(lines, line)
	}
	for _, r := range next.Repairs {
		if r.Left {
			lines = append(lines, "left out "+r.MessageID+" ("+r.Why+")")
		}
	}
	return strings.Join(lines, "\n")
}

func TestNextIsWhatTheNextRequestSends(t *testing.T) {
	var did runs
	a := demo([]*tool.Tool{echo(&did), echo(&did), danger(&did)}, twoCalls(), scripted.Say("Done."), scripted.Say("Again."))
	a.Instructions, a.Model = "Be brief.", "m1"
	w := newWorld(t, a)
	outcome := w.run("go")
	if d := cmp.Diff("system Be brief.\nuser go\nassistant  calls c1 calls c2", w.next()); d != "" {
		t.Errorf("while it waits (-want +got):\n%s", d)
	}
	_, h, err := w.r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approval.Decision{Approved: true})
	if err != nil {
		t.Fatal(err)
	}
	w.wait(h)
	want := "system Be brief.\nuser go\nassistant  calls c1 calls c2\ntool c1{\"said\":\"free\"}\ntool c2did bound\nassistant Done."
	if d := cmp.Diff(want, w.next()); d != "" {
		t.Errorf("after it ended (-want +got):\n%s", d)
	}
	next, err := w.r.Next(t.Context(), "demo", "t1")
	if err != nil || next.AgentName != "demo" || next.Model != "m1" || fmt.Sprint(next.Tools) != "[echo danger]" {
		t.Errorf("got %+v (%v)", next, err)
	}
	sent := &capturing{Backend: a.Backend}
	a.Backend = sent
	w.run("more")
	if d := cmp.Diff(next.Messages, sent.messages[:len(next.Messages)]); d != "" {
		t.Errorf("the request sent something else (-next +sent):\n%s", d)
	}
	for _, c := range []struct{ agent, thread string }{{"demo", "none"}, {"none", "t1"}} {
		if _, err := w.r.Next(t.Context(), c.agent, c.thread); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("agent %s in thread %s: got %v, want %v", c.agent, c.thread, err, agent.ErrNotFound)
		}
	}
}

func TestNextTellsWhatHadToBeRepaired(t *testing.T) {
	w := newWorld(t, demo(nil))
	say := func(id string, role model.Role, m model.Message) *model.Message {
		m.ID, m.Role, m.AtMs = id, role, 1
		return &m
	}
	calls := []model.ToolCall{{ID: "c1"}, {ID: "c2"}, {ID: "c3"}}
	err := w.store.Append(t.Context(), &agent.Batch{Run: agent.Run{ThreadID: "t1"}, Messages: []*model.Message{
		say("u1", model.RoleUser, model.Message{Content: "go"}),
		say("a1", model.RoleAssistant, model.Message{ToolCalls: calls}),
		say("r3", model.RoleTool, model.Message{ToolCallID: "c3", Content: " third"}),
		say("r1", model.RoleTool, model.Message{ToolCallID: "c1", Content: " first"}),
		say("r9", model.RoleTool, model.Message{ToolCallID: "c9", Content: " ninth"}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	const moved = " (It did not stand right after its call, in the order of the calls.)"
	want := "user go\nassistant  calls c1 calls c2 calls c3\ntool c1 first" + moved +
		"\ntool c2{\"error\":\"The run ended before this call gave a result.\"} (The history has no result of this call.)" +
		"\ntool c3 third" + moved + "\nleft out r9 (It is the result of no call.)"
	if d := cmp.Diff(want, w.next()); d != "" {
		t.Errorf("the next request (-want +got):\n%s", d)
	}
}
