package runtimetest

import (
	"errors"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// alone is what the agent that calls a tool by hand is called in a world.
func (w *world) alone(toolName string) string {
	name := agent.ByHandName(toolName)
	if _, place, elsewhere := strings.Cut(w.Agent, "@"); elsewhere {
		name += "@" + place
	}
	return name
}

func testAlone(t *testing.T, open func(...scripted.Turn) *world) {
	w := open()
	if offers := w.Runtime.Agents(); len(offers) != 1 || !offers[0].Tools[0].Callable || offers[0].Tools[0].Approval != tool.ApprovalAlways {
		t.Fatalf("got %+v, want the first tool callable, and always to wait", offers)
	}
	arguments := `{ "n":12345678901234567890.10 }`
	h, err := w.Runtime.Start(t.Context(), w.alone("echo"), agent.Input{Text: arguments})
	if err != nil {
		t.Fatal(err)
	}
	w.ended(h, protocol.StatusCompleted)
	w.check("the log", w.told(h.RunID), "start, message, "+turnOfCall+", running, tool-result, turn start, turn end, finish completed")
	if st := w.state(h.RunID); st.AgentName != w.alone("echo") || st.Calls[0].Proposed != arguments || st.Calls[0].Executed != arguments {
		t.Errorf("the run is %+v, want %s to have called it with %s", st, w.alone("echo"), arguments)
	}

	h, err = w.Runtime.Start(t.Context(), w.alone("release"), agent.Input{Text: `{"target":"staging"}`})
	if err != nil {
		t.Fatal(err)
	}
	outcome := w.ended(h, protocol.StatusPaused)
	if len(outcome.Pending) != 1 {
		t.Fatalf("got %+v, want one decision asked for", outcome)
	}
	_, err = w.Runtime.Start(t.Context(), w.alone("release"), agent.Input{Text: `{"target":"staging"}`, ThreadID: h.ThreadID})
	w.is("another call meanwhile", err, agent.ErrPaused)
	w.ended(w.decide(outcome.Pending[0], approval.Decision{Approved: true}), protocol.StatusCompleted)
	w.check("its call", string(w.state(h.RunID).Calls[0].State), string(protocol.StateDone))

	_, err = w.Runtime.Start(t.Context(), w.alone("release"), agent.Input{Text: `{"target":"x"}`})
	if bad := (*tool.Error)(nil); !errors.As(err, &bad) || bad.Code != tool.CodeInvalidArgs {
		t.Errorf("arguments that do not fit: got %v", err)
	}
	_, err = w.Runtime.Start(t.Context(), w.alone("none"), agent.Input{Text: "{}"})
	w.is("a tool nobody has", err, agent.ErrNotFound)
}
