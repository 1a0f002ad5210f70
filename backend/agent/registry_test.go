package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/agent/storetest"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func TestToolsOfTheRunnerAreOfferedAndTheAgentsOwnWin(t *testing.T) {
	var own, shared runs
	a := demo([]*tool.Tool{echo(&own)}, scripted.CallTool("c1", "echo", `{"text":"x"}`), scripted.CallTool("c2", "danger", `{"text":"y"}`), scripted.Say("Done."))
	w := newWorld(t, a)
	w.r.Tools = &tool.Registry{}
	if err := w.r.Tools.RegisterMany(echo(&shared), danger(&shared)); err != nil {
		t.Fatal(err)
	}
	outcome := w.run("go")
	if outcome.Status != protocol.StatusPaused {
		t.Fatalf("got %s, want the shared tool's approval to be asked for", outcome.Status)
	}
	if got := w.requests(outcome.ID)[0]; strings.Count(got, `"name":"echo"`) != 1 || strings.Count(got, `"name":"danger"`) != 1 {
		t.Errorf("the model is told of the tools %s", got)
	}
	_, h, err := w.r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approved)
	if err != nil {
		t.Fatal(err)
	}
	w.wait(h)
	if got, want := own.get(), []string{"x"}; !slices.Equal(got, want) {
		t.Errorf("the agent's own tool ran with %q, want %q", got, want)
	}
	if got, want := shared.get(), []string{"y"}; !slices.Equal(got, want) {
		t.Errorf("the shared tools ran with %q, want %q", got, want)
	}
	next, err := w.r.Next(t.Context(), "demo", "t1")
	if err != nil || !slices.Equal(next.Tools, []string{"echo", "danger"}) {
		t.Errorf("got the tools %q %v", next.Tools, err)
	}
}

func TestAnAgentWithItsOwnToolsOnlyIsOfferedNoneOfTheRunner(t *testing.T) {
	var own, shared runs
	a := demo([]*tool.Tool{echo(&own)}, scripted.CallTool("c1", "danger", `{"text":"y"}`), scripted.Say("Done."))
	a.OwnToolsOnly = true
	w := newWorld(t, a)
	w.r.Tools = &tool.Registry{}
	if err := w.r.Tools.Register(danger(&shared)); err != nil {
		t.Fatal(err)
	}
	outcome := w.run("go")
	if outcome.Status != protocol.StatusCompleted || len(shared.get()) > 0 {
		t.Errorf("the run is %s, and the runner's tool ran with %q", outcome.Status, shared.get())
	}
	if got := w.requests(outcome.ID)[0]; strings.Contains(got, "danger") {
		t.Errorf("the model is told of the runner's tool: %s", got)
	}
}

// BenchmarkRegistry measures what a registry of 500 tools adds to a turn.
func BenchmarkRegistry(b *testing.B) {
	const turns, budget = 100, time.Millisecond
	registry := &tool.Registry{}
	for i := range 500 {
		t, err := storetest.Quiet().Named(fmt.Sprint("tool_", i))
		if err != nil {
			b.Fatal(err)
		}
		if err := registry.Register(t); err != nil {
			b.Fatal(err)
		}
	}
	run := func(tools *tool.Registry) time.Duration {
		a := &agent.Agent{
			Name: "demo", Backend: &scripted.Backend{Turns: storetest.Turns(turns, 1)}, Tools: []*tool.Tool{storetest.Quiet()}, MaxTurns: turns + 2, MaxRepeats: -1,
		}
		r := &agent.Runner{MergeWindow: -1, Tools: tools}
		began := storetest.CPU()
		if outcome, err := r.Run(b.Context(), a, agent.Input{Text: "go"}); err != nil || outcome.Status != protocol.StatusCompleted {
			b.Fatalf("the run ended in %v: %v", outcome, err)
		}
		return storetest.CPU() - began
	}
	var with, without time.Duration
	n := 0
	for b.Loop() {
		n++
		without += run(nil)
		with += run(registry)
	}
	each := (with - without) / time.Duration(n*turns)
	b.ReportMetric(float64(each.Nanoseconds())/1e6, "added-ms/turn")
	b.ReportMetric(float64(each)/float64(budget), "of-budget")
}

// BenchmarkSchemas measures the schemas of 500 tools once they were asked for: they are made once, not for each turn.
func BenchmarkSchemas(b *testing.B) {
	registry := &tool.Registry{}
	for i := range 500 {
		t, err := storetest.Quiet().Named(fmt.Sprint("tool_", i))
		if err != nil {
			b.Fatal(err)
		}
		if err := registry.Register(t); err != nil {
			b.Fatal(err)
		}
	}
	registry.Schemas()
	const budget = 100 * time.Microsecond
	for b.Loop() {
		if len(registry.Schemas()) != 500 {
			b.Fatal("schemas are missing")
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(budget), "of-budget")
}

func TestAToolThatCameIsOfferedInTheNextTurn(t *testing.T) {
	registry := &tool.Registry{}
	late, err := storetest.Quiet().Named("late")
	if err != nil {
		t.Fatal(err)
	}
	bring := tool.Must(tool.Config[struct{}, string]{Name: "bring", Run: func(tool.Context, struct{}) (string, error) {
		return "brought", registry.Register(late)
	}})
	var offered [][]string
	a := &agent.Agent{
		Name: "demo", Tools: []*tool.Tool{bring},
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.CallTool("c1", "bring", `{}`), scripted.Say("Done."),
		}},
		Middleware: []agent.Middleware{{Name: "watch", BeforeModel: func(_ tool.Context, r *model.Request) error {
			var names []string
			for _, s := range r.Tools {
				names = append(names, s.Name)
			}
			offered = append(offered, names)
			return nil
		}}},
	}
	r := &agent.Runner{Tools: registry}
	if _, err := r.Run(t.Context(), a, agent.Input{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"bring"}, {"bring", "late"}}, offered); diff != "" {
		t.Errorf("the tools offered (-want +got):\n%s", diff)
	}
}

func TestATurnKnowsTheToolsItsRequestNamed(t *testing.T) {
	var did runs
	a := demo(nil)
	w := newWorld(t, a)
	w.r.Tools = &tool.Registry{}
	a.Backend = answering(func(messages []*model.Message) scripted.Turn {
		if messages[len(messages)-1].Role == model.RoleTool {
			return scripted.Say("Sorry.")
		}
		if err := w.r.Tools.Register(echo(&did)); err != nil {
			t.Error(err)
		}
		return scripted.CallTool("c1", "echo", `{"text":"early"}`)
	})
	w.run("go")
	if got, want := w.history()[2].Content, `{"error":"There is no tool \"echo\", and no other."}`; got != want || len(did.get()) > 0 {
		t.Errorf("the model reads %s after %q, want %s", got, did.get(), want)
	}
}
