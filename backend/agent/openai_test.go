package agent_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/openai"
	"callboard/backend/model/openai/openaitest"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// BenchmarkBesideGoOpenAI compares the processor time of a whole run, log, checks and observer included, with that of a plain
// go-openai loop which makes the same requests and keeps nothing. The server's own time does not count.
func BenchmarkBesideGoOpenAI(b *testing.B) {
	url := openaitest.Start(b)
	found := func(arguments string) string {
		return fmt.Sprintf("found %d bytes: a line of text, and another one that says a little more", len(arguments))
	}
	type query struct {
		Query string `json:"query"`
		Limit int    `json:"limit,omitempty"`
	}
	lookup := tool.Must(tool.Config[query, string]{
		Name: openaitest.ToolName, Description: "Looks a thing up.",
		Run: func(_ tool.Context, q query) (string, error) { return found(q.Query), nil },
	})
	for _, c := range []struct {
		name, model string
		most        float64
	}{
		{"100 turns of 10 calls", "calls-10-turns-100", 0.6},
		{"1000 turns of one call", "calls-1-turns-1000", 0.35},
		{"200 KB of arguments in 4-byte pieces", "args-200000-piece-4", 0.9},
	} {
		b.Run(c.name, func(b *testing.B) {
			var plain, own time.Duration
			var growth float64
			for b.Loop() {
				began := openaitest.CPU()
				if _, err := openaitest.Plain(b.Context(), url, c.model, []model.ToolSchema{model.ToolSchema(lookup.Schema())},
					func(_, arguments string) string { return found(arguments) }); err != nil {
					b.Fatal(err)
				}
				plain += openaitest.CPU() - began

				transport := &http.Transport{}
				a := &agent.Agent{
					Name: "demo", Instructions: openaitest.Instructions, Model: c.model, Tools: []*tool.Tool{lookup}, MaxTurns: 2000, MaxRepeats: -1,
					Backend: &openai.Backend{BaseURL: url, HTTPClient: &http.Client{Transport: transport}},
				}
				var turns []time.Duration
				r := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
					if t, ok := f.Event.(*protocol.Turn); ok && t.Phase == protocol.TurnEnd {
						turns = append(turns, openaitest.CPU())
					}
				}}
				began = openaitest.CPU()
				outcome, err := r.Run(b.Context(), a, agent.Input{Text: openaitest.Question})
				own += openaitest.CPU() - began
				transport.CloseIdleConnections()
				if err != nil || outcome.Status != protocol.StatusCompleted {
					b.Fatalf("the run ended in %v: %v", outcome, err)
				}
				if tenth := len(turns) / 10; tenth >= 10 {
					growth = float64(turns[len(turns)-1]-turns[len(turns)-1-tenth]) / float64(turns[tenth]-turns[0])
				}
			}
			b.ReportMetric(float64(own)/float64(plain), "ratio")
			b.ReportMetric(float64(own)/float64(plain)/c.most, "of-budget")
			if growth > 0 {
				b.ReportMetric(growth, "last/first")
				b.ReportMetric(growth/2, "growth-of-budget")
			}
		})
	}
}

// BenchmarkParallelCalls reports how long eight calls that sleep 50 ms take side by side; 60 ms is the limit.
func BenchmarkParallelCalls(b *testing.B) {
	a := napping(8)
	var took time.Duration
	for b.Loop() {
		r := &agent.Runner{}
		began := time.Now()
		if _, err := r.Run(b.Context(), a, agent.Input{Text: "go"}); err != nil {
			b.Fatal(err)
		}
		took += time.Since(began)
	}
	each := took / time.Duration(b.N)
	b.ReportMetric(float64(each.Microseconds())/1000, "ms/turn")
	b.ReportMetric(float64(each)/float64(60*time.Millisecond), "of-budget")
}

func TestAModelThatNamesNoToolIsToldTheNamesItKnows(t *testing.T) {
	type none struct{}
	named := func(name string) *tool.Tool {
		return tool.Must(tool.Config[none, string]{
			Name: name, Description: "Does it.", Run: func(tool.Context, none) (string, error) { return "done", nil },
		})
	}
	for name, c := range map[string]struct {
		calls string
		want  string
	}{
		"a name far from all":       {"deploy", `There is no tool \"deploy\". The tools are: weather_now_9189ecc0, pay.`},
		"a name near one it has":    {"weather_now_9189ecc1", `There is no tool \"weather_now_9189ecc1\". Did you mean weather_now_9189ecc0?`},
		"a name as the tool has it": {"weather now", `done`},
	} {
		t.Run(name, func(t *testing.T) {
			var bodies []string
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				bodies = append(bodies, string(body))
				w.Header().Set("Content-Type", "text/event-stream")
				delta, reason := `{"content":"I see."}`, "stop"
				if len(bodies) == 1 {
					delta = fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":%q,"arguments":"{}"}}]}`, c.calls)
					reason = "tool_calls"
				}
				_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s,\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", delta, reason)
			}))
			defer web.Close()
			a := &agent.Agent{
				Name: "demo", Backend: &openai.Backend{BaseURL: web.URL, Model: "m"}, Tools: []*tool.Tool{named("weather now"), named("pay")},
			}
			outcome, err := new(agent.Runner).Run(t.Context(), a, agent.Input{Text: "Go."})
			if err != nil || outcome.Status != protocol.StatusCompleted {
				t.Fatalf("got %+v, %v", outcome, err)
			}
			if len(bodies) != 2 || !strings.Contains(strings.ReplaceAll(bodies[1], `\\\"`, `\"`), c.want) {
				t.Errorf("the model reads %q, want %s in it", bodies[1:], c.want)
			}
		})
	}
}
