package server

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
)

func twoReleases() []scripted.Turn {
	return []scripted.Turn{
		scripted.CallTools(
			model.ToolCall{ID: "c1", Name: "release", Arguments: `{"target": "a", "count": 1}`},
			model.ToolCall{ID: "c2", Name: "release", Arguments: `{"target": "b"}`},
		),
		scripted.Say("done"),
	}
}

func TestADecisionIsMadeOnceForTheArgumentsThatWereShown(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "release", `{"target": "a", "count": 5}`), scripted.Say("done"))
	run := w.paused()
	list := w.pending()
	if len(list) != 1 {
		t.Fatalf("got %d approvals", len(list))
	}
	p := list[0]
	if p.RunID != run.RunID || p.ThreadID != run.ThreadID || p.AgentName != "demo" || p.Since == 0 || p.Kind != protocol.KindApproval ||
		p.ToolName != "release" || p.ArgumentsText != `{"target": "a", "count": 5}` {
		t.Errorf("the approval: got %+v", p)
	}
	path := "/approvals/" + p.ApprovalID + "/decision"
	decide := func(body string) (int, string) {
		t.Helper()
		return w.request("POST", path, strings.ReplaceAll(body, "HASH", p.ArgumentsHash))
	}
	for _, c := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"another hash", `{"approved":true,"argumentsHash":"00"}`, 409, CodeArgumentsChanged},
		{"arguments that do not fit", `{"approved":true,"argumentsHash":"HASH","argumentsText":"{\"target\":\"a\",\"count\":\"x\"}"}`, 400, "count"},
		{"arguments that are no JSON", `{"approved":true,"argumentsHash":"HASH","argumentsText":"{"}`, 400, "Invalid arguments"},
		{"a result for a call that did not run", `{"approved":true,"argumentsHash":"HASH","result":1}`, 400, "unknown"},
	} {
		if status, text := decide(c.body); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: got %d %s, want %d with %q", c.name, status, text, c.status, c.says)
		}
		if got := len(w.pending()); got != 1 {
			t.Fatalf("%s: %d calls wait", c.name, got)
		}
	}
	status, text := decide(`{"approved":true,"argumentsHash":"HASH","arguments":{"target":"ignored"},"argumentsText":"{\"target\":\"a\",\"count\": 6}"}`)
	if status != 200 || !strings.Contains(text, `"resumed":true`) || !strings.Contains(text, `"decidedAt":`) {
		t.Fatalf("an edit that fits: got %d %s", status, text)
	}
	if status, text = decide(`{"approved":false,"argumentsHash":"HASH"}`); status != 409 || !strings.Contains(text, "approved by user at ") {
		t.Errorf("a second answer: got %d %s", status, text)
	}
	w.eventually("the run ends", func() bool { return w.statusOf(run.RunID).Ended() })
	if w.ran.Load() != 1 {
		t.Errorf("the call ran %d times", w.ran.Load())
	}
	if log := fmt.Sprint(w.logOf(run.RunID)); !strings.Contains(log, `"argumentsText":"{\"target\":\"a\",\"count\": 6}"`) {
		t.Errorf("the arguments that ran are not told byte for byte: %s", log)
	}
	if got := len(w.pending()); got != 0 {
		t.Errorf("%d calls wait", got)
	}
}

func TestOfTwoAnswersAtOnceOneWins(t *testing.T) {
	for range 20 {
		w := start(t, nil, scripted.CallTool("c1", "release", `{"target":"a"}`), scripted.Say("done"))
		run := w.paused()
		p := w.pending()[0]
		statuses := make([]int, 2)
		var both sync.WaitGroup
		for i, approved := range []bool{true, false} {
			both.Go(func() {
				statuses[i], _ = w.request("POST", "/approvals/"+p.ApprovalID+"/decision", fmt.Sprintf(`{"approved":%t,"argumentsHash":%q}`, approved, p.ArgumentsHash))
			})
		}
		both.Wait()
		w.eventually("the run ends", func() bool { return w.statusOf(run.RunID).Ended() })
		if fmt.Sprint(statuses) != "[200 409]" && fmt.Sprint(statuses) != "[409 200]" {
			t.Fatalf("got %v", statuses)
		}
		if got, want := w.ran.Load() == 1, statuses[0] == 200; got != want {
			t.Errorf("the call ran: %t, it was approved: %t", got, want)
		}
	}
}

func TestResumeKeepsSomeDecisionsAndGoesOnWithAll(t *testing.T) {
	w := start(t, nil, twoReleases()...)
	run := w.paused()
	resume := func(rest string) runAnswer {
		t.Helper()
		var answer runAnswer
		w.json("POST", "/agents/demo/resume", fmt.Sprintf(`{"threadId":%q%s}`, run.ThreadID, rest), &answer)
		return answer
	}
	still := func(a runAnswer) string {
		var ids []string
		for _, p := range a.PendingApprovals {
			ids = append(ids, p.ToolCallID)
		}
		for _, c := range a.ToolCalls {
			ids = append(ids, "of "+c.ID)
		}
		return fmt.Sprintf("%s %v", a.Status, ids)
	}
	if got, want := still(resume("")), "paused [c1 c2 of c1 of c2]"; got != want {
		t.Errorf("without decisions: got %s, want %s", got, want)
	}
	status, text := w.request("POST", "/agents/demo/resume", fmt.Sprintf(`{"threadId":%q,"decisions":{"c1":{"approved":true},"c9":{"approved":true}}}`, run.ThreadID))
	if status != 400 || !strings.Contains(text, "c9") {
		t.Errorf("a call that does not wait: got %d %s", status, text)
	}
	if got, want := still(resume(`,"decisions":{"c2":{"approved":false,"reason":"wrong target"}}`)), "paused [c1 of c1 of c2]"; got != want {
		t.Errorf("with one of two: got %s, want %s", got, want)
	}
	answer := resume(`,"decisions":{"c1":{"approved":true,"argumentsText":"{\"target\":\"z\"}"}}`)
	if answer.Status != protocol.StatusCompleted || answer.Output != "done" || answer.RunID != run.RunID {
		t.Errorf("with all: got %+v", answer)
	}
	if got, want := still(answer), "completed [of c1 of c2]"; got != want {
		t.Errorf("the calls of the run: got %s, want %s", got, want)
	}
	if w.ran.Load() != 1 {
		t.Errorf("%d calls ran", w.ran.Load())
	}
	var thread threadAnswer
	w.json("GET", "/threads/"+run.ThreadID, "", &thread)
	if text := fmt.Sprintf("%+v", thread.Messages); !strings.Contains(text, "released to z") || !strings.Contains(text, "wrong target") {
		t.Errorf("the history: got %s", text)
	}
	status, text = w.request("POST", "/agents/demo/resume", fmt.Sprintf(`{"threadId":%q}`, run.ThreadID))
	if status != 409 || !strings.Contains(text, CodeRunNotPaused) {
		t.Errorf("resuming what has ended: got %d %s", status, text)
	}
}

func TestResumeStreamSendsWhatIsNew(t *testing.T) {
	w := start(t, nil, twoReleases()...)
	run := w.paused()
	before := len(w.logOf(run.RunID))
	some := w.stream("POST", "/agents/demo/resume/stream", fmt.Sprintf(`{"threadId":%q,"decisions":{"c1":{"approved":true}}}`, run.ThreadID))
	kept := w.logOf(run.RunID)[before:]
	if len(some) != len(kept)+3 || fmt.Sprint(some[:len(kept)]) != fmt.Sprint(kept) {
		t.Fatalf("with one of two: got %v", some)
	}
	asked, finish, done := some[len(kept)], some[len(kept)+1], some[len(kept)+2]
	if asked.seq != 0 || asked.kind() != protocol.TypeApprovalRequired || strings.Contains(asked.data, `"c1"`) || !strings.Contains(asked.data, `"c2"`) {
		t.Errorf("what is asked: got %v", asked)
	}
	if finish.seq != 0 || !strings.Contains(finish.data, `"status":"paused"`) || done.data != "[DONE]" {
		t.Errorf("the end: got %v %v", finish, done)
	}

	before += len(kept)
	all := w.stream("POST", "/agents/demo/resume/stream", fmt.Sprintf(`{"threadId":%q,"defaultDecision":{"approved":false,"reason":"no"}}`, run.ThreadID))
	want := append(w.logOf(run.RunID)[before:], sent{0, "[DONE]"})
	if fmt.Sprint(all) != fmt.Sprint(want) {
		t.Errorf("with all: got %v, want %v", all, want)
	}
	if got := w.statusOf(run.RunID); got != protocol.StatusCompleted || w.ran.Load() != 1 {
		t.Errorf("the run is %s, %d calls ran", got, w.ran.Load())
	}
}

func TestCancellingARunAndACall(t *testing.T) {
	w := start(t, nil, scripted.CallTool("c1", "hold", `{}`), scripted.CallTool("c2", "hold", `{}`), scripted.Say("done"))
	run := w.begin("go")
	runs := func(call string) {
		t.Helper()
		w.eventually(call+" runs", func() bool {
			return strings.Contains(fmt.Sprint(w.logOf(run.RunID)), fmt.Sprintf(`"toolCallId":%q,"state":"running"`, call))
		})
	}
	runs("c1")
	if status, text := w.request("POST", "/runs/"+run.RunID+"/calls/c7/cancel", ""); status != 404 || !strings.Contains(text, "c7") {
		t.Errorf("an unknown call: got %d %s", status, text)
	}
	w.json("POST", "/runs/"+run.RunID+"/calls/c1/cancel", "", &struct{}{})
	runs("c2")
	w.json("POST", "/runs/"+run.RunID+"/cancel", "", &struct{}{})
	w.eventually("the run is cancelled", func() bool { return w.statusOf(run.RunID) == protocol.StatusCancelled })

	w2 := start(t, nil, twoReleases()...)
	paused := w2.paused()
	w2.json("POST", "/runs/"+paused.RunID+"/cancel", "", &struct{}{})
	if got := w2.statusOf(paused.RunID); got != protocol.StatusCancelled {
		t.Errorf("a waiting run is %s", got)
	}
	if got := len(w2.pending()); got != 0 || w2.ran.Load() != 0 {
		t.Errorf("%d calls wait, %d ran", got, w2.ran.Load())
	}
	runsLeft, err := w2.runner.Log().Runs(t.Context(), agent.RunQuery{Statuses: []protocol.Status{protocol.StatusPaused}})
	if err != nil || len(runsLeft) != 0 {
		t.Errorf("paused runs: %d, %v", len(runsLeft), err)
	}
}
