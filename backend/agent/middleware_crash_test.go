package agent_test

import (
	"slices"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// A process dies after each event of a run whose middleware changed a turn, held back or not: what it left is taken up again, with
// the arguments that were made, and nothing of what was not to be seen is in it.
func TestACrashAroundMiddlewareLeaksNothingAndRunsNothingTwice(t *testing.T) {
	for name, hold := range map[string]bool{"held": true, "streamed": false} {
		t.Run(name, func(t *testing.T) {
			var did runs
			turn := scripted.CallTools(
				model.ToolCall{ID: "c1", Name: "echo", Arguments: `{"text":"SECRET"}`}, model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"text":"two"}`},
			)
			turn.Chunks = append([]scripted.Chunk{{Text: "I look."}}, turn.Chunks...)
			a := demo([]*tool.Tool{echo(&did)}, turn, scripted.Say("Done."))
			a.Middleware = []agent.Middleware{{HoldBack: hold, AfterModel: func(_ tool.Context, answer *agent.Answer) error {
				for i, c := range answer.Calls {
					answer.Calls[i].Arguments = strings.ReplaceAll(c.Arguments, "SECRET", "one")
				}
				return nil
			}}}
			w := newWorld(t, a)
			count := strings.Count(w.log(w.run("go").ID), "\n")
			for n := 1; n < count; n++ {
				did.texts = nil
				cut := &cutStore{Store: &agent.Memory{}, left: n}
				w.store, w.ids = cut, map[string]int{}
				w.open(a)
				h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
				if err != nil {
					t.Fatal(err)
				}
				w.wait(h)
				w.store = cut.Store
				did.texts = nil // what the process that died went on to do in secret
				ranBefore := strings.Count(w.log(h.RunID), `"state":"running"`)
				w.open(a)
				if err := w.r.Recover(t.Context(), ""); err != nil {
					t.Fatalf("cut after %d: %v", n, err)
				}
				st := w.settled(h.RunID)
				log := w.log(h.RunID)
				if hold {
					lacks(t, log, "SECRET")
				}
				var tr protocol.Transcript
				w.fold(&tr, h.RunID)
				for _, c := range tr.Calls() {
					if c.ID == "c1" && c.ArgumentsText() != `{"text":"one"}` {
						t.Errorf("cut after %d: c1 runs with %s", n, c.ArgumentsText())
					}
				}
				got := did.get()
				if slices.Contains(got, "SECRET") || ranBefore+len(got) > 2 {
					t.Errorf("cut after %d: %q ran after %d calls had", n, got, ranBefore)
				}
				if st.Status.Ended() {
					w.checkHistory()
				}
			}
		})
	}
}

func TestMiddlewareOfAnAgentInsideACallIsItsOwn(t *testing.T) {
	blocked := []agent.Middleware{{Name: "guard", HoldBack: true, AfterModel: func(_ tool.Context, answer *agent.Answer) error {
		if strings.Contains(answer.Text, "SECRET") {
			return agent.Block("I cannot say that.")
		}
		return nil
	}}}
	for name, c := range map[string]struct {
		middleware []agent.Middleware
		status     protocol.Status
		want       string
	}{
		"a turn it blocks is the result": {blocked, protocol.StatusCompleted, `"result":"I cannot say that."`},
		"one that fails fails the call": {
			[]agent.Middleware{{Name: "guard", HoldBack: true, AfterModel: func(tool.Context, *agent.Answer) error { panic("SECRET") }}},
			protocol.StatusCompleted, `"errorCode":"MIDDLEWARE_FAILED"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			inner := &agent.Agent{Name: "inner", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("The SECRET is out.")}}, Middleware: c.middleware}
			ask, err := agent.AsTool(inner, agent.ToolConfig{})
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, demo([]*tool.Tool{ask}, scripted.CallTool("c1", "inner", `{"input":"say it"}`), scripted.Say("Done.")))
			outcome := w.run("go")
			log := w.log(outcome.ID)
			if outcome.Status != c.status {
				t.Errorf("got %s %s, want %s", outcome.Status, outcome.Error, c.status)
			}
			contains(t, log, c.want)
			lacks(t, log, "SECRET")
			w.checkHistory()
		})
	}
}

func TestAHeldTurnWaitsForAPersonLikeAnyOther(t *testing.T) {
	var did runs
	a := mixed(&did)
	a.Middleware = []agent.Middleware{{HoldBack: true}}
	w := newWorld(t, a)
	outcome := w.run("go")
	contains(
		t, w.log(outcome.ID), `"id":"a","toolName":"echo"`, `"id":"b","toolName":"danger"`, `"toolCallId":"b","state":"waiting"`,
		`"type":"approval-required"`, `"status":"paused"`,
	)
	w.open(a)
	_, h, err := w.r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approved)
	if err != nil {
		t.Fatal(err)
	}
	log := w.log(w.wait(h).ID)
	if got := strings.Count(log, `"type":"tool-call-start"`); got != 2 || !slices.Equal(did.get(), []string{"free", "asked"}) {
		t.Errorf("the calls were announced %d times and %q ran", got, did.get())
	}
}
