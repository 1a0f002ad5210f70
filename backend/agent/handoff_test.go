package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func transfer(id, agentName string) model.ToolCall {
	return model.ToolCall{ID: id, Name: "transfer_to_" + agentName, Arguments: "{}"}
}

// watched notes, for each request, who asks for what.
type watched struct {
	mu       sync.Mutex
	requests []string
}

func (s *watched) by(backend model.Backend) model.Backend { return watching{s, backend} }

type watching struct {
	seen *watched
	model.Backend
}

func (w watching) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	var tools []string
	for _, t := range request.Tools {
		tools = append(tools, t.Name)
	}
	instructions := ""
	for _, m := range request.Messages {
		if m.Role == model.RoleSystem {
			instructions += m.Content
		}
	}
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	w.seen.requests = append(w.seen.requests, fmt.Sprint(request.Agent, " ", request.Index, " ", request.Model, " ", instructions, " ", tools))
	return w.Backend.Stream(ctx, request)
}

func TestAnAgentHandsOverAndTheOtherGoesOn(t *testing.T) {
	var did runs
	var seen watched
	var heard []string
	hooked := tool.Must(tool.Config[echoInput, string]{
		Name: "refund", Description: "d", Run: func(tool.Context, echoInput) (string, error) { return "refunded", nil },
		Hooks: tool.InputHooks{OnInputAvailable: func(id, _ string) { heard = append(heard, id) }},
	})
	billing := &agent.Agent{
		Name: "billing", Description: "Knows invoices.", Instructions: "Bill.", Model: "big", Tools: []*tool.Tool{hooked},
		Backend: seen.by(&scripted.Backend{Turns: []scripted.Turn{
			scripted.CallTool("b1", "refund", `{"text":"x"}`), scripted.Say("Refunded."), scripted.Say("Anything else?"),
		}}),
	}
	other := &agent.Agent{Name: "other", Backend: billing.Backend}
	triage := demo([]*tool.Tool{echo(&did)}, scripted.CallTools(
		transfer("c1", "billing"), model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"text":"sibling"}`}, transfer("c3", "other"),
	))
	triage.Instructions, triage.Handoffs, triage.Backend = "Sort.", []*agent.Agent{billing, other}, seen.by(triage.Backend)
	w := newWorld(t, triage)
	outcome := w.run("go")
	if outcome.Status != protocol.StatusCompleted || outcome.Output != "Refunded." || outcome.AgentName != "billing" {
		t.Errorf("got %s %q by %s, want completed Refunded. by billing", outcome.Status, outcome.Output, outcome.AgentName)
	}
	want := []string{
		"demo 0  Sort. [echo transfer_to_billing transfer_to_other]", "billing 0 big Bill. [refund]", "billing 1 big Bill. [refund]",
	}
	if d := cmp.Diff(want, seen.requests); d != "" {
		t.Errorf("the requests (-want +got):\n%s", d)
	}
	if strings.Join(did.get(), "") != "sibling" || strings.Join(heard, "") != "b1" {
		t.Errorf("ran %q, and the hooks of the new agent's tool heard %q, want sibling and b1", did.get(), heard)
	}
	transcript := w.seen(outcome.ID)
	if c := transcript.Call("c3"); c.State != protocol.StateFailed || !strings.Contains(c.Error, "billing was called first") {
		t.Errorf("the second to hand over is %s: %s", c.State, c.Error)
	}
	w.checkHistory()
	w.golden("handoff", outcome.ID)

	// The next message is the new agent's, and found by its name alone.
	thread, err := w.store.Thread(t.Context(), "t1")
	if err != nil || thread.AgentName != "billing" {
		t.Fatalf("the thread is with %q (%v), want billing", thread.AgentName, err)
	}
	h, err := w.r.Start(t.Context(), thread.AgentName, agent.Input{ThreadID: "t1", Text: "thanks"})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.wait(h).Output; got != "Anything else?" {
		t.Errorf("got %q", got)
	}
}

func TestAHandoffSurvivesAPauseAndARestart(t *testing.T) {
	for name, resolve := range map[string]func(a *agent.Agent) func(context.Context, string, string) (*agent.Agent, error){
		"an agent found by its name": func(a *agent.Agent) func(context.Context, string, string) (*agent.Agent, error) {
			return agent.Agents(a)
		},
		"one found through the agent the run began with": func(a *agent.Agent) func(context.Context, string, string) (*agent.Agent, error) {
			return func(_ context.Context, name, _ string) (*agent.Agent, error) {
				if name == a.Name {
					return a, nil
				}
				return nil, fmt.Errorf("agent %q: %w", name, agent.ErrNotFound)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			second := &agent.Agent{Name: "second", MaxTurns: 1, Tools: []*tool.Tool{danger(&did)}}
			second.Backend = answering(func(messages []*model.Message) scripted.Turn {
				if last := messages[len(messages)-1]; last.ToolName == "danger" {
					return scripted.Say("Done.")
				}
				return scripted.CallTool("b1", "danger", `{"text":"x"}`)
			})
			first := demo(nil)
			first.Handoffs, first.Backend = []*agent.Agent{second}, steps(scripted.CallTools(transfer("c1", "second")))
			w := newWorld(t, first)
			w.r.Resolve = resolve(first)
			outcome := w.run("go")
			if outcome.Status != protocol.StatusPaused || outcome.AgentName != "second" || outcome.Pending[0].AgentName != "second" {
				t.Fatalf("got %s with %s, want paused with second", outcome.Status, outcome.AgentName)
			}
			w.open(first)
			w.r.Resolve = func(_ context.Context, name, _ string) (*agent.Agent, error) {
				return nil, fmt.Errorf("agent %q: %w", name, agent.ErrNotFound)
			}
			gone := `agent "second": not found; the run began with another one: agent "demo": not found`
			if _, err := w.r.Next(t.Context(), "demo", "t1"); !errors.Is(err, agent.ErrNotFound) || err.Error() != gone {
				t.Errorf("without its agents: got %v, want %s", err, gone)
			}
			w.r.Resolve = resolve(first)
			next, err := w.r.Next(t.Context(), "demo", "t1")
			if err != nil || next.AgentName != "second" {
				t.Errorf("the next request is of %+v (%v), want second", next, err)
			}
			end := w.settleAll(outcome.ID)
			if end.Status != protocol.StatusCompleted || end.AgentName != "second" || len(did.get()) != 1 {
				t.Errorf("got %s with %s after %q, want completed with second and one run", end.Status, end.AgentName, did.get())
			}
			if w.seen(outcome.ID).Finish.IterationLimitReached {
				t.Error("the limit of turns is not that of the agent the run began with")
			}
			w.checkHistory()
		})
	}
}

func TestACycleOfHandoffsIsBoundedByTheRunsTurns(t *testing.T) {
	a, b := &agent.Agent{Name: "demo", MaxTurns: 5}, &agent.Agent{Name: "b"}
	a.Handoffs, b.Handoffs = []*agent.Agent{b}, []*agent.Agent{a}
	a.Backend = answering(func([]*model.Message) scripted.Turn { return scripted.CallTools(transfer("", "b")) })
	b.Backend = answering(func([]*model.Message) scripted.Turn { return scripted.CallTools(transfer("", "demo")) })
	w := newWorld(t, a)
	outcome := w.run("go")
	if outcome.Turn != 5 || !outcome.Finish.IterationLimitReached || outcome.Finish.Limit != "turns" {
		t.Errorf("got %d turns and %+v, want 5 and the limit", outcome.Turn, outcome.Finish)
	}
	w.checkHistory()
}

func TestACrashAroundAHandoffRunsNothingTwice(t *testing.T) {
	var did runs
	second := &agent.Agent{Name: "second", Tools: []*tool.Tool{echo(&did)}}
	second.Backend = answering(func(messages []*model.Message) scripted.Turn {
		if last := messages[len(messages)-1]; last.ToolName == "echo" && last.ToolCallID == "b1" {
			return scripted.Say("Done.")
		}
		return scripted.CallTool("b1", "echo", `{"text":"y"}`)
	})
	a := demo([]*tool.Tool{echo(&did)})
	a.Handoffs = []*agent.Agent{second}
	a.Backend = steps(scripted.CallTools(transfer("c1", "second"), model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"text":"x"}`}))
	w := newWorld(t, a)
	length := int(w.run("go").Last)
	for n := 1; n < length; n++ {
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
		did.texts = nil // what ran before is in the log, or was never told
		left := w.seen(h.RunID)
		w.open(a)
		if err := w.r.Recover(t.Context(), ""); err != nil {
			t.Fatalf("cut after %d: %v", n, err)
		}
		end := w.settleAll(h.RunID)
		for _, call := range left.Calls() {
			if ran := strings.Join(did.get(), ""); call.RunningMs > 0 && call.ToolName == "echo" && strings.Contains(ran, call.ArgumentsText()[9:10]) {
				t.Errorf("cut after %d: %s ran twice", n, call.ID)
			}
		}
		if speaking := len(left.Turns) == 0 || left.Turns[len(left.Turns)-1].EndedMs == 0; !speaking && (end.Status != protocol.StatusCompleted || end.AgentName != "second") {
			t.Errorf("cut after %d: got %s with %s: %s", n, end.Status, end.AgentName, end.Error)
		}
		w.checkHistory()
	}
}

func TestAnAgentInsideACallHandsOver(t *testing.T) {
	var did runs
	second := researcher("second", []*tool.Tool{danger(&did)}, model.ToolCall{ID: "k1", Name: "danger", Arguments: `{"text":"x"}`})
	second.Backend = answering(func(messages []*model.Message) scripted.Turn {
		if last := messages[len(messages)-1]; last.ToolName == "danger" {
			return scripted.Say("Found " + last.Content)
		}
		return scripted.CallTool("k1", "danger", `{"text":"x"}`)
	})
	first := &agent.Agent{Name: "first", Description: "d", Handoffs: []*agent.Agent{second}, Backend: steps(scripted.CallTools(transfer("h1", "second")))}
	a := demo([]*tool.Tool{asTool(t, first)})
	a.Backend = steps(scripted.CallTools(ask("c1", "first")), scripted.Say("Done."))
	w := newWorld(t, a)
	outcome := w.run("go")
	if outcome.AgentName != "demo" || outcome.Pending[0].AgentName != "second" {
		t.Fatalf("the run is with %s and %s asks, want demo and second", outcome.AgentName, outcome.Pending[0].AgentName)
	}
	w.open(a)
	edited := `{"text":"y"}`
	p := outcome.Pending[0]
	approve := approved
	approve.ArgumentsText = &edited
	_, h, err := w.r.Decide(t.Context(), p.ApprovalID, approve)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.wait(h); got.Output != "Done." || strings.Join(did.get(), "") != "y" {
		t.Errorf("got %q %s after %q, want Done. and y", got.Output, got.Error, did.get())
	}
	w.checkHistory()
}

func TestEveryNameOfAnAgentMakesATool(t *testing.T) {
	long := strings.Repeat("é", 200)
	a := &agent.Agent{Name: "demo"}
	for _, name := range []string{"Billing desk ☎", "a\u202eb", "", long, long + "x", "same", "same", " spaced "} {
		a.Handoffs = append(a.Handoffs, &agent.Agent{Name: name})
	}
	seen := map[string]bool{}
	for _, offered := range (&agent.Runner{}).Offered(a) {
		seen[offered.Name] = true
	}
	if len(seen) != len(a.Handoffs) {
		t.Errorf("%d agents make %d tools: %v", len(a.Handoffs), len(seen), seen)
	}
	if !seen["transfer_to_Billing desk ☎"] || !seen["transfer_to_same_2"] {
		t.Errorf("got %v", seen)
	}
}
