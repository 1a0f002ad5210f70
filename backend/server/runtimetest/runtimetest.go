// Package runtimetest is the test every server.Runtime passes: what runs do, and what of them is in the store, is the same
// wherever they run.
package runtimetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/server"
	"callboard/backend/tool"
)

// World is a Runtime under test: it offers one agent, whose tools may be called alone; the runs are in the store of Runner.
type World struct {
	Runtime server.Runtime
	Runner  *agent.Runner
	Agent   string // what the agent is called there
}

// Run tests a runtime. Each call of open gives one that offers the agent, which it closes itself at the end of the test.
func Run(t *testing.T, open func(t *testing.T, a *agent.Agent) World) {
	for name, test := range map[string]func(*testing.T, func(...scripted.Turn) *world){
		"its agents are listed with their tools":                testAgents,
		"a run is stored with its rows":                         testRun,
		"a thread goes on":                                      testThread,
		"a failed run says why":                                 testFailed,
		"a call waits, and runs once it is approved":            testApprove,
		"a call runs with the arguments a person gave it":       testEdit,
		"a call that is denied does not run":                    testDeny,
		"a run is stopped":                                      testCancel,
		"a run that waits is stopped":                           testCancelPaused,
		"one call is stopped and its run goes on":               testCancelCall,
		"a thread takes one run at a time":                      testBusy,
		"a message makes way for itself where it says so":       testDenyPending,
		"what is unknown is said to be not found":               testUnknown,
		"a tool is called alone, and waits where it asks to":    testAlone,
		"arguments and results stay as they are, byte for byte": testBytes,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(turns ...scripted.Turn) *world {
				w := &world{t: t, hold: make(chan struct{})}
				w.World = open(t, &agent.Agent{
					Name: "demo", Description: "Shows", Backend: &scripted.Backend{Turns: turns}, MaxRetries: -1, Tools: w.tools(),
				})
				return w
			})
		})
	}
}

type world struct {
	World
	t    *testing.T
	hold chan struct{} // closed lets the tool hold return
}

type target struct {
	Target string `json:"target" jsonschema:"minLength=2"`
}

// tools: release waits for approval, hold runs until it is stopped or let go, echo returns what it is given.
func (w *world) tools() []*tool.Tool {
	return []*tool.Tool{
		tool.Must(tool.Config[target, string]{
			Name: "release", Description: "Releases", Approval: tool.Always,
			Run: func(_ tool.Context, in target) (string, error) { return "released to " + in.Target, nil },
		}),
		tool.Must(tool.Config[target, string]{
			Name: "hold", Description: "Holds",
			Run: func(ctx tool.Context, _ target) (string, error) {
				select {
				case <-w.hold:
					return "let go", nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			},
		}),
		tool.Must(tool.Config[map[string]any, tool.Output[map[string]any]]{
			Name: "echo", Description: "Echoes",
			Run: func(_ tool.Context, in map[string]any) (tool.Output[map[string]any], error) {
				return tool.Output[map[string]any]{Content: in, Details: map[string]any{"diff": "-a\n+b\n"}}, nil
			},
		}),
	}
}

func (w *world) start(threadID string) *agent.Handle {
	w.t.Helper()
	h, err := w.Runtime.Start(w.t.Context(), w.Agent, agent.Input{ThreadID: threadID, Text: "Go."})
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

// wait returns how the stretch of a run ended.
func (w *world) wait(h *agent.Handle) (*agent.Outcome, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	outcome, err := h.Wait(ctx)
	if outcome == nil {
		w.t.Fatalf("the run gave no outcome: %v", err)
	}
	return outcome, err
}

func (w *world) ended(h *agent.Handle, want protocol.Status) *agent.Outcome {
	w.t.Helper()
	outcome, err := w.wait(h)
	if err != nil || outcome.Status != want {
		w.t.Fatalf("the run is %s (%v), want %s", outcome.Status, err, want)
	}
	return outcome
}

// until waits for a run to be in the store as it should be.
func (w *world) until(runID string, is func(*agent.RunState) bool) *agent.RunState {
	w.t.Helper()
	bell := w.Runner.Bell().Listen(runID)
	defer bell.Close()
	over := time.After(time.Minute)
	for {
		st := w.state(runID)
		if is(st) {
			return st
		}
		select {
		case <-bell.C:
			bell.Take()
		case <-over:
			w.t.Fatalf("run %s stays %s at event %d", runID, st.Status, st.Last)
		}
	}
}

func (w *world) state(runID string) *agent.RunState {
	w.t.Helper()
	states, err := w.Runner.Log().Runs(w.t.Context(), agent.RunQuery{ID: runID})
	if err != nil || len(states) != 1 {
		w.t.Fatalf("run %s: got %d, %v", runID, len(states), err)
	}
	return states[0]
}

// running waits until a call runs.
func (w *world) running(runID string) {
	w.t.Helper()
	w.until(runID, func(st *agent.RunState) bool { return len(st.Calls) > 0 && st.Calls[0].State == protocol.StateRunning })
}

// told is a run's log: the types of its events, and of calls their states.
func (w *world) told(runID string) string {
	w.t.Helper()
	records, err := w.Runner.Log().Events(w.t.Context(), runID, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	var told []string
	for i, record := range records {
		f, err := protocol.DecodeFrame(record.Seq, record.JSON)
		if err != nil || f.Seq != int64(i)+1 || f.AtMs == 0 {
			w.t.Fatalf("event %d is numbered %d, of %d ms: %v", i+1, f.Seq, f.AtMs, err)
		}
		word := string(f.Event.Type())
		switch e := f.Event.(type) {
		case *protocol.Start:
			if e.RunID != runID || e.ThreadID != w.state(runID).ThreadID {
				w.t.Errorf("event %d is of run %s in thread %s", f.Seq, e.RunID, e.ThreadID)
			}
		case *protocol.Turn:
			word += " " + string(e.Phase)
		case *protocol.CallState:
			word = string(e.State)
		case *protocol.Finish:
			word += " " + string(e.Status)
		}
		told = append(told, word)
	}
	return strings.Join(told, ", ")
}

// messages are those of a thread: who says what, with the calls.
func (w *world) messages(threadID string) (said []string) {
	w.t.Helper()
	thread, err := w.Runner.Log().Thread(w.t.Context(), threadID)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range thread.Messages {
		line := string(m.Role) + ": " + m.Content
		for _, c := range m.ToolCalls {
			line += fmt.Sprintf(" [%s %s(%s)]", c.ID, c.Name, c.Arguments)
		}
		said = append(said, line)
	}
	return said
}

func (w *world) check(what string, got, want any) {
	w.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (w *world) decide(p *approval.Pending, d approval.Decision) *agent.Handle {
	w.t.Helper()
	d.ArgumentsHash = p.ArgumentsHash
	_, h, err := w.Runtime.Decide(w.t.Context(), p.ApprovalID, d)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

func (w *world) is(what string, got, want error) {
	w.t.Helper()
	if !errors.Is(got, want) {
		w.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func call(name, arguments string) scripted.Turn { return scripted.CallTool("c1", name, arguments) }

var done = scripted.Say("Done.")

func user(text string) string      { return string(model.RoleUser) + ": " + text }
func assistant(text string) string { return string(model.RoleAssistant) + ": " + text }
func result(text string) string    { return string(model.RoleTool) + ": " + text }
