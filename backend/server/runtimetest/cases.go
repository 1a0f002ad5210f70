package runtimetest

import (
	"errors"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

const turnOfCall = "turn start, tool-call-start, tool-call-delta, tool-call-end, turn end"

const answerTurn = "turn start, text-start, text-delta, text-end, turn end"

func testAgents(t *testing.T, open func(...scripted.Turn) *world) {
	w := open()
	offers := w.Runtime.Agents()
	if len(offers) != 1 || offers[0].Name != w.Agent || offers[0].Description != "Shows" {
		t.Fatalf("got %+v, want the agent %s", offers, w.Agent)
	}
	var names []string
	for _, offered := range offers[0].Tools {
		names = append(names, offered.Name)
		if offered.Name == "release" && !strings.Contains(string(offered.Parameters), `"target"`) {
			t.Errorf("release has the schema %s", offered.Parameters)
		}
	}
	w.check("the tools", names, []string{"release", "hold", "echo"})
}

func testRun(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("echo", `{"n":1}`), done)
	h := w.start("")
	outcome := w.ended(h, protocol.StatusCompleted)
	if outcome.Output != "Done." || outcome.ThreadID != h.ThreadID || outcome.ID != h.RunID {
		t.Errorf("run %s in thread %s says %q", outcome.ID, outcome.ThreadID, outcome.Output)
	}
	w.check("the log", w.told(h.RunID), "start, message, "+turnOfCall+", running, tool-result, "+answerTurn+", finish completed")
	w.check("the messages", w.messages(h.ThreadID), []string{
		user("Go."), assistant(` [c1 echo({"n":1})]`), result(`{"n":1}`), assistant("Done."),
	})
	st := w.state(h.RunID)
	if st.AgentName != w.Agent || st.Input != "Go." || st.Turn != 2 || st.CallCount != 1 || st.Error != "" {
		t.Errorf("the run's row is %+v", st.Run)
	}
	if c := st.Calls[0]; c.State != protocol.StateDone || c.Proposed != `{"n":1}` || c.Executed != c.Proposed || c.StartedMs == 0 || c.EndedMs == 0 {
		t.Errorf("the call's row is %+v", c)
	}
}

func testThread(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(scripted.Say("One."), scripted.Say("Two."))
	first := w.start("")
	w.ended(first, protocol.StatusCompleted)
	second := w.start(first.ThreadID)
	w.ended(second, protocol.StatusCompleted)
	w.check("the messages", w.messages(first.ThreadID), []string{user("Go."), assistant("One."), user("Go."), assistant("Two.")})
}

func testFailed(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(scripted.Turn{Chunks: []scripted.Chunk{{Text: "Half"}, {Error: "too long", Code: model.CodeContextLength}}})
	outcome, err := w.wait(w.start(""))
	var failed *agent.RunError
	if !errors.As(err, &failed) || failed.Code != model.CodeContextLength || outcome.Status != protocol.StatusFailed {
		t.Fatalf("got %+v and %v", outcome, err)
	}
	if st := w.state(outcome.ID); st.ErrorCode != model.CodeContextLength || st.Error != failed.Message {
		t.Errorf("the row says %q (%s)", st.Error, st.ErrorCode)
	}
}

// asked starts a run that waits, and returns what it waits for.
func asked(w *world) (*agent.Handle, *approval.Pending) {
	w.t.Helper()
	h := w.start("")
	outcome := w.ended(h, protocol.StatusPaused)
	if len(outcome.Pending) != 1 {
		w.t.Fatalf("%d calls wait", len(outcome.Pending))
	}
	p := outcome.Pending[0]
	if p.ToolName != "release" || p.ArgumentsText != `{"target":"staging"}` || p.ArgumentsHash != approval.Hash(p.ArgumentsText) ||
		p.RunID != h.RunID || p.ThreadID != h.ThreadID || p.Kind != protocol.KindApproval || p.SinceMs == 0 {
		w.t.Fatalf("what waits is %+v", p)
	}
	return h, p
}

const toWait = "start, message, " + turnOfCall + ", waiting, approval-required, finish paused, "

func testApprove(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("release", `{"target":"staging"}`), done)
	h, p := asked(w)
	_, _, err := w.Runtime.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: "another"})
	w.is("a decision for other arguments", err, approval.ErrHash)
	resumed := w.decide(p, approval.Decision{Approved: true, By: "user"})
	if resumed == nil {
		t.Fatal("the last decision does not say that the run goes on")
	}
	_, _, err = w.Runtime.Decide(t.Context(), p.ApprovalID, approval.Decision{ArgumentsHash: p.ArgumentsHash})
	w.is("a second decision", err, approval.ErrDecided)
	w.ended(resumed, protocol.StatusCompleted)
	w.check("the log", w.told(h.RunID), toWait+"approved, start, running, tool-result, "+answerTurn+", finish completed")
	st := w.state(h.RunID)
	if d := st.Approvals[0].Decision; d == nil || !d.Approved || st.Approvals[0].DecidedAtMs == 0 {
		t.Errorf("the approval's row is %+v", st.Approvals[0])
	}
	w.check("the messages", w.messages(h.ThreadID), []string{
		user("Go."), assistant(` [c1 release({"target":"staging"})]`), result("released to staging"), assistant("Done."),
	})
}

func testEdit(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("release", `{"target":"staging"}`), done)
	h, p := asked(w)
	short, fits := `{"target":"x"}`, `{"target": "production"}`
	_, _, err := w.Runtime.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsText: &short, ArgumentsHash: p.ArgumentsHash})
	var refused *tool.Error
	if !errors.As(err, &refused) || refused.Code != tool.CodeInvalidArgs {
		t.Fatalf("arguments that do not fit: got %v", err)
	}
	w.ended(w.decide(p, approval.Decision{Approved: true, ArgumentsText: &fits}), protocol.StatusCompleted)
	st := w.state(h.RunID)
	if c := st.Calls[0]; c.Executed != fits || c.Proposed != p.ArgumentsText {
		t.Errorf("it ran with %s, and was proposed with %s", c.Executed, c.Proposed)
	}
	if d := st.Approvals[0].Decision; d == nil || d.ArgumentsText == nil || *d.ArgumentsText != fits {
		t.Errorf("the decision is kept as %+v", d)
	}
}

func testDeny(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("release", `{"target":"staging"}`), done)
	h, p := asked(w)
	w.ended(w.decide(p, approval.Decision{Reason: "not on a Friday"}), protocol.StatusCompleted)
	w.check("the log", w.told(h.RunID), toWait+"denied, start, tool-result, "+answerTurn+", finish completed")
	st := w.state(h.RunID)
	if c := st.Calls[0]; c.State != protocol.StateDenied || c.StartedMs != 0 {
		t.Errorf("the call's row is %+v", c)
	}
	if d := st.Approvals[0].Decision; d == nil || d.Approved || d.Reason != "not on a Friday" {
		t.Errorf("the decision is kept as %+v", d)
	}
}

func testCancel(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("hold", `{"target":"all"}`), done)
	h := w.start("")
	w.running(h.RunID)
	if err := w.Runtime.Cancel(t.Context(), h.RunID); err != nil {
		t.Fatal(err)
	}
	w.ended(h, protocol.StatusCancelled)
	if c := w.state(h.RunID).Calls[0]; c.State != protocol.StateCancelled {
		t.Errorf("the call is %s", c.State)
	}
	w.is("to stop it again", w.Runtime.Cancel(t.Context(), h.RunID), agent.ErrEnded)
}

func testCancelPaused(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("release", `{"target":"staging"}`), done)
	h, p := asked(w)
	if err := w.Runtime.Cancel(t.Context(), h.RunID); err != nil {
		t.Fatal(err)
	}
	st := w.until(h.RunID, func(st *agent.RunState) bool { return st.Status == protocol.StatusCancelled })
	if st.Approvals[0].Decision == nil {
		t.Error("it still asks")
	}
	_, _, err := w.Runtime.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: p.ArgumentsHash})
	w.is("a decision after that", err, approval.ErrDecided)
}

func testCancelCall(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("hold", `{"target":"all"}`), done)
	h := w.start("")
	w.running(h.RunID)
	w.is("a call there is not", w.Runtime.CancelCall(t.Context(), h.RunID, "c9"), agent.ErrNotFound)
	if err := w.Runtime.CancelCall(t.Context(), h.RunID, "c1"); err != nil {
		t.Fatal(err)
	}
	w.ended(h, protocol.StatusCompleted)
	if c := w.state(h.RunID).Calls[0]; c.State != protocol.StateCancelled {
		t.Errorf("the call is %s", c.State)
	}
}

func testBusy(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("hold", `{"target":"all"}`), call("release", `{"target":"staging"}`), done)
	h := w.start("")
	w.running(h.RunID)
	again := agent.Input{ThreadID: h.ThreadID, Text: "And?"}
	_, err := w.Runtime.Start(t.Context(), w.Agent, again)
	w.is("a message while it runs", err, agent.ErrBusy)
	close(w.hold)
	w.ended(h, protocol.StatusPaused)
	_, err = w.Runtime.Start(t.Context(), w.Agent, again)
	w.is("a message while it waits", err, agent.ErrPaused)
}

func testDenyPending(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(call("release", `{"target":"staging"}`), done)
	h, _ := asked(w)
	next, err := w.Runtime.Start(t.Context(), w.Agent, agent.Input{ThreadID: h.ThreadID, Text: "No, wait.", DenyPending: true})
	if err != nil {
		t.Fatal(err)
	}
	w.ended(next, protocol.StatusCompleted)
	st := w.until(h.RunID, func(st *agent.RunState) bool { return st.Status == protocol.StatusCancelled })
	if d := st.Approvals[0].Decision; d == nil || d.Approved {
		t.Errorf("what waited is decided as %+v", d)
	}
}

func testUnknown(t *testing.T, open func(...scripted.Turn) *world) {
	w := open(done)
	_, err := w.Runtime.Start(t.Context(), "no"+w.Agent, agent.Input{Text: "Go."})
	w.is("an agent", err, agent.ErrNotFound)
	w.is("a run", w.Runtime.Cancel(t.Context(), "no"+w.Agent), agent.ErrNotFound)
	w.is("a call", w.Runtime.CancelCall(t.Context(), "no"+w.Agent, "c1"), agent.ErrNotFound)
	_, _, err = w.Runtime.Decide(t.Context(), "no", approval.Decision{Approved: true})
	w.is("an approval", err, approval.ErrNotFound)
}

func testBytes(t *testing.T, open func(...scripted.Turn) *world) {
	arguments := `{"n":12345678901234567890.10, "html":"<b>&amp;</b>","line":"\u2028"}`
	w := open(call("echo", arguments), done)
	h := w.start("")
	w.ended(h, protocol.StatusCompleted)
	if got := w.state(h.RunID).Calls[0].Proposed; got != arguments {
		t.Errorf("the arguments are kept as %s, want %s", got, arguments)
	}
	records, err := w.Runner.Log().Events(t.Context(), h.RunID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var fold protocol.Transcript
	for _, record := range records {
		fold.ApplyJSON(record.Seq, record.JSON)
	}
	c := fold.Call("c1")
	if c.ArgumentsText() != arguments || string(c.Details) != `{"diff":"-a\n+b\n"}` || !strings.Contains(string(c.Result), "<b>&amp;</b>") {
		t.Errorf("the log has %s, %s and %s", c.ArgumentsText(), c.Details, c.Result)
	}
}
