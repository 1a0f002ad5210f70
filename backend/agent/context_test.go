package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// ten counts each message as ten tokens.
func ten(*model.Message) int { return 10 }

// wholeExchanges demands of what a model reads that it begins with a user's message and that each call has its result.
func wholeExchanges(t *testing.T, messages []*model.Message) {
	t.Helper()
	for i, m := range messages {
		if i == 0 && m.Role == model.RoleSystem {
			continue
		}
		if m.Role == model.RoleTool {
			found := false
			for back := i - 1; back >= 0 && !found; back-- {
				if messages[back].Role == model.RoleTool {
					continue
				}
				for _, c := range messages[back].ToolCalls {
					found = found || c.ID == m.ToolCallID
				}
				break
			}
			if !found {
				t.Errorf("message %d is the result of a call that was cut away", i)
			}
		}
		for k, c := range m.ToolCalls {
			if at := i + 1 + k; at >= len(messages) || messages[at].ToolCallID != c.ID {
				t.Errorf("the result of call %s was cut away", c.ID)
			}
		}
	}
}

func TestAHistoryOverItsLimitIsCutByWholeExchanges(t *testing.T) {
	var did runs
	var turns []scripted.Turn
	for i := range 6 {
		turns = append(turns, scripted.CallTools(
			model.ToolCall{ID: fmt.Sprint("a", i), Name: "echo", Arguments: `{"text":"x"}`},
			model.ToolCall{ID: fmt.Sprint("b", i), Name: "echo", Arguments: `{"text":"y"}`},
		), scripted.Say(fmt.Sprint("answer ", i)))
	}
	var read [][]*model.Message
	a := demo([]*tool.Tool{echo(&did)}, turns...)
	a.Instructions = "Be brief."
	a.ContextTokens, a.CountTokens = 240, ten // instructions and tool take about 50
	a.Middleware = []agent.Middleware{{BeforeModel: func(_ tool.Context, r *model.Request) error {
		read = append(read, r.Messages)
		return nil
	}}}
	w := newWorld(t, a)
	var cuts []*protocol.Cut
	for i := range 6 {
		next, err := w.r.Next(t.Context(), "demo", "t1")
		outcome := w.run(fmt.Sprint("question ", i))
		var tr protocol.Transcript
		w.fold(&tr, outcome.ID)
		cut := tr.Turns[0].Cut
		cuts = append(cuts, cut)
		if i > 0 {
			if err != nil {
				t.Fatal(err)
			}
			if next.Cut != nil && cut != nil && *next.Cut != *cut {
				t.Logf("the message itself moved the cut from %+v to %+v", *next.Cut, *cut)
			}
		}
	}
	last := read[len(read)-1]
	if cuts[0] != nil || cuts[5] == nil || cuts[5].Limit != 240 || cuts[5].Messages == 0 || cuts[5].Messages%5 != 0 {
		t.Errorf("got the cuts %+v and %+v, want none at first and whole exchanges of 5 messages at last", cuts[0], cuts[5])
	}
	if last[0].Content != "Be brief." || last[1].Role != model.RoleUser {
		t.Errorf("the model reads %s %q first", last[1].Role, last[1].Content)
	}
	for _, messages := range read {
		wholeExchanges(t, messages)
		newest := ""
		for _, m := range messages {
			if m.Role == model.RoleUser {
				newest = m.Content
			}
		}
		if !strings.HasPrefix(newest, "question") {
			t.Error("the newest message was cut away")
		}
	}
	w.requests(w.stored0().ID)
	w.open(a) // the next request as another process sees it
	next, err := w.r.Next(t.Context(), "demo", "t1")
	if err != nil {
		t.Fatal(err)
	}
	if next.Cut == nil || next.Messages[1].ID != next.Cut.BeforeMessageID || len(next.Messages)+next.Cut.Messages != len(w.history())+1 {
		t.Errorf("got %+v with %d of %d messages", next.Cut, len(next.Messages), len(w.history()))
	}
	before := len(read)
	w.run("one more")
	if got := read[before][1].ID; got != next.Messages[1].ID {
		t.Errorf("the request begins with %s, Next said %s", got, next.Messages[1].ID)
	}
}

// stored0 is the newest run of thread t1.
func (w *world) stored0() *agent.RunState {
	w.t.Helper()
	states, err := w.store.Runs(w.t.Context(), agent.RunQuery{ThreadID: "t1"})
	if err != nil || len(states) == 0 {
		w.t.Fatalf("got %d runs, %v", len(states), err)
	}
	return states[len(states)-1]
}

func TestALongRunKeepsItsQuestionAndItsLastTurn(t *testing.T) {
	var did runs
	var turns []scripted.Turn
	for i := range 30 {
		turns = append(turns, scripted.CallTool(fmt.Sprint("c", i), "echo", fmt.Sprintf(`{"text":"%d"}`, i)))
	}
	turns = append(turns, scripted.Say("Done."))
	a := demo([]*tool.Tool{echo(&did)}, turns...)
	a.ContextTokens, a.CountTokens = 240, ten
	longest := 0
	a.Middleware = []agent.Middleware{{BeforeModel: func(_ tool.Context, r *model.Request) error {
		longest = max(longest, len(r.Messages))
		if r.Messages[0].Content != "the question" {
			t.Errorf("the model reads %q first, want the question", r.Messages[0].Content)
		}
		wholeExchanges(t, r.Messages)
		return nil
	}}}
	w := newWorld(t, a)
	outcome := w.run("the question")
	if outcome.Status != protocol.StatusCompleted || len(did.get()) != 30 || longest > 25 {
		t.Errorf("got %s after %d calls, at most %d messages were read", outcome.Status, len(did.get()), longest)
	}
	if log := w.log(outcome.ID); strings.Count(log, `"cut":{`) < 2 || strings.Count(log, `"cut":{`) > 12 {
		t.Errorf("the cut is told %d times, want once for each time it moved", strings.Count(log, `"cut":{`))
	}
	w.requests(outcome.ID) // they go on where the one before ended, or begin anew
}

func TestAnEstimateOfTokens(t *testing.T) {
	for text, want := range map[string]int{"": 4, "abcd": 5, "abcde": 6, "世界": 6} {
		if got := agent.EstimateTokens(&model.Message{Content: text}); got != want {
			t.Errorf("%q is %d tokens, want %d", text, got, want)
		}
	}
	m := &model.Message{ToolCalls: []model.ToolCall{{Name: "echo", Arguments: `{"a":"b"}`}}}
	if got := agent.EstimateTokens(m); got != 8 {
		t.Errorf("a call is %d tokens, want 8", got)
	}
}

func TestAProviderThatReadsLessIsAskedOnceMoreWithLess(t *testing.T) {
	tooLong := scripted.Turn{Chunks: []scripted.Chunk{{Error: "maximum context length is 8192", Code: model.CodeContextLength}}}
	t.Run("the history is halved", func(t *testing.T) {
		a := demo(nil, scripted.Say("one"), scripted.Say("two"), scripted.Say("three"), tooLong, scripted.Say("four"))
		w := newWorld(t, a)
		for range 3 {
			w.run("a question of some length, so that it counts")
		}
		outcome := w.run("the last")
		log := w.golden("context-refused", outcome.ID)
		contains(t, log, `"phase":"retry"`, `"reason":"maximum context length is 8192"`, `"cut":{"messages":`, `"refused":true`, `"delta":"four"`)
		sent := w.requests(outcome.ID)
		if len(sent) != 2 || len(sent[1]) >= len(sent[0]) || !strings.Contains(sent[1], "the last") {
			t.Errorf("got the requests %q", sent)
		}
	})
	t.Run("once", func(t *testing.T) {
		w := newWorld(t, demo(nil, scripted.Say("one"), scripted.Say("two"), tooLong, tooLong, scripted.Say("never")))
		w.run("first")
		w.run("second")
		if got := w.run("third"); got.ErrorCode != model.CodeContextLength || !strings.Contains(got.Error, "8192") {
			t.Errorf("got %s %q, want the provider's refusal", got.ErrorCode, got.Error)
		}
	})
	t.Run("not where there is nothing to leave out", func(t *testing.T) {
		w := newWorld(t, demo(nil, tooLong, scripted.Say("never")))
		if got := w.run("first"); got.ErrorCode != model.CodeContextLength {
			t.Errorf("got %s, want the provider's refusal", got.ErrorCode)
		}
	})
}
