package agent_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

type report struct {
	ID    int64    `json:"id"`
	Words string   `json:"words" jsonschema:"minLength=1"`
	Tags  []string `json:"tags,omitempty"`
}

const (
	fits = `{"id": 2512292042121000001, "words": "a<b"}`
	bad  = `{"id":1,"words":""}`
)

// said is a turn with usage.
func said(text string, tokens int64) scripted.Turn {
	return scripted.Turn{Chunks: []scripted.Chunk{{Text: text}, {Usage: &model.Usage{TotalTokens: &tokens}}}}
}

func TestAnAnswerOfAType(t *testing.T) {
	for name, c := range map[string]struct {
		turns      []scripted.Turn
		stream     bool
		maxRepairs int
		structured string
		wrong      string
		output     string
		requests   int
	}{
		"fits":                {turns: []scripted.Turn{said(fits, 5)}, structured: fits, output: fits, requests: 1},
		"fits inside a fence": {turns: []scripted.Turn{said("\n```json\n"+fits+"\n```\n", 5)}, structured: fits, output: "\n```json\n" + fits + "\n```\n", requests: 1},
		"S8 fits when it is asked for again": {
			turns: []scripted.Turn{said("Sure! "+bad, 5), said(bad, 5), said(fits, 5)}, structured: fits, output: fits, requests: 3,
		},
		"never fits":        {turns: []scripted.Turn{said("no", 5), said("{}", 5), said(bad, 5)}, wrong: "/words", output: bad, requests: 3},
		"is never repaired": {turns: []scripted.Turn{said(bad, 5)}, maxRepairs: -1, wrong: "/words", output: bad, requests: 1},
		"S8 streamed text is not repaired": {
			turns: []scripted.Turn{said(bad, 5)}, stream: true, wrong: "/words", output: bad, requests: 1,
		},
		"S8 nothing streamed is repaired": {
			turns: []scripted.Turn{said("", 5), said(fits, 5)}, stream: true, structured: fits, output: fits, requests: 2,
		},
		"cut at the token limit": {
			turns: []scripted.Turn{
				{Chunks: []scripted.Chunk{{Text: fits[:20]}, {FinishReason: model.FinishLength}}}, said(fits, 5),
			},
			structured: fits, output: fits, requests: 2,
		},
		"keys that come twice": {turns: []scripted.Turn{said(`{"id":1,"id":2,"words":"x"}`, 5)}, maxRepairs: -1, wrong: "twice", output: `{"id":1,"id":2,"words":"x"}`, requests: 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := demo(nil, c.turns...)
			a.Output = agent.MustOutput[report]()
			a.Output.Stream, a.Output.MaxRepairs = c.stream, c.maxRepairs
			w := newWorld(t, a)
			outcome := w.run("go")
			f := outcome.Finish
			if outcome.Status != protocol.StatusCompleted || string(f.Structured) != c.structured || outcome.Output != c.output {
				t.Errorf("got %s %s with the output %q, want %s with %q", outcome.Status, f.Structured, outcome.Output, c.structured, c.output)
			}
			if (f.StructuredError != "") != (c.wrong != "") || !strings.Contains(f.StructuredError, c.wrong) {
				t.Errorf("got the error %q, want %q in it", f.StructuredError, c.wrong)
			}
			sent := w.requests(outcome.ID)
			if len(sent) != c.requests {
				t.Errorf("got %d requests, want %d", len(sent), c.requests)
			}
			if !strings.Contains(sent[0], `"responseSchema":{"`) {
				t.Errorf("the request says nothing of the schema: %s", sent[0])
			}
			if c.requests > 1 && (!strings.Contains(sent[1], "does not fit") || !strings.Contains(sent[1], `"noTools":true`)) {
				t.Errorf("the model is not told what was wrong: %s", sent[1])
			}
			messages := w.history()
			if len(messages) != 2 || messages[1].Content != c.output {
				t.Errorf("the thread has %d messages, want the question and the last answer", len(messages))
			}
			value, err := agent.Structured[report](outcome)
			if c.structured != "" && (err != nil || value.ID != 2512292042121000001 || value.Words != "a<b") {
				t.Errorf("got %+v %v", value, err)
			}
			if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("got %+v %v, want an error", value, err)
			}
			if usage := outcome.Usage; c.structured == fits && c.requests == 3 && (usage == nil || *usage.TotalTokens != 15) {
				t.Errorf("got %+v, want the tokens of every try", usage)
			}
		})
	}
}

func TestS8RepairIsATryOfItsTurn(t *testing.T) {
	a := demo(nil, said("Sure! "+bad, 5), said(fits, 7))
	a.Output = agent.MustOutput[report]()
	w := newWorld(t, a)
	outcome := w.run("go")
	log := w.golden("structured-repair", outcome.ID)
	lacks(t, log, "Sure!")
	contains(
		t, log, `"phase":"retry"`, `"reason":"The answer does not fit what is wanted."`, `"type":"text-delta"`, `"phase":"end"`, `"totalTokens":12`,
		`"structured":{"id":2512292042121000001,"words":"a<b"}`,
	)
}

// S8: streaming switched on only by a tool's input hooks keeps repair.
func TestS8CallsAreStreamedThoughTextIsNot(t *testing.T) {
	var heard runs
	turn := scripted.CallTool("c1", "echo", `{"text":"x"}`)
	turn.Chunks = append([]scripted.Chunk{{Text: "I look "}, {Text: "first."}}, turn.Chunks...)
	a := demo([]*tool.Tool{hooked("echo", &heard)}, turn, said("no", 5), said(fits, 5))
	a.Output = agent.MustOutput[report]()
	w := newWorld(t, a)
	outcome := w.run("go")
	log := w.golden("structured-calls", outcome.ID)
	contains(
		t, log, `"type":"tool-call-start"`, `"type":"tool-call-delta"`, `"delta":"I look first."`, `"phase":"end"`, `"result":"x"`, `"phase":"retry"`,
		`"structured":`,
	)
	if got := heard.get(); len(got) != 4 || got[0] != "echo start c1" {
		t.Errorf("the hooks heard %q", got)
	}
	w.checkHistory()
}

func TestAStructuredAnswerIsCheckedAfterMiddleware(t *testing.T) {
	a := demo(nil, scripted.Say("Sure! "+fits))
	a.Output = agent.MustOutput[report]()
	a.Middleware = []agent.Middleware{{AfterModel: func(_ tool.Context, answer *agent.Answer) error {
		answer.Text = strings.TrimPrefix(answer.Text, "Sure! ")
		return nil
	}}}
	w := newWorld(t, a)
	if got := w.run("go"); string(got.Finish.Structured) != fits {
		t.Errorf("got %s %s", got.Finish.Structured, got.Finish.StructuredError)
	}
}

func TestARunThatIsStoppedGivesNoStructuredAnswer(t *testing.T) {
	var did runs
	var turns []scripted.Turn
	for range 12 {
		turns = append(turns, scripted.CallTool("", "echo", `{"text":"again"}`))
	}
	a := demo([]*tool.Tool{echo(&did)}, turns...)
	a.Output = agent.MustOutput[report]()
	w := newWorld(t, a)
	if got := w.run("go").Finish; got.Limit != "repeated-calls" || got.StructuredError == "" {
		t.Errorf("got %+v, want it to say that there is no answer", got)
	}
	if _, err := agent.Structured[report](nil); err == nil {
		t.Error("no run has an answer")
	}
	if _, err := agent.OutputOf[[]report](); err == nil || !strings.Contains(err.Error(), "[]agent_test.report") {
		t.Errorf("got %v, want a list to be refused by name", err)
	}
}

// asked is a backend that keeps what it was asked.
type asked struct{ requests []model.Request }

func (b *asked) Stream(_ context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	b.requests = append(b.requests, *request)
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{Text: fits}, nil) }
}

func TestTheSchemaGoesWithTheRequest(t *testing.T) {
	b := &asked{}
	a := &agent.Agent{Name: "demo", Backend: b, Output: agent.MustOutput[report]()}
	outcome, err := new(agent.Runner).Run(t.Context(), a, agent.Input{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(b.requests[0].ResponseSchema); !json.Valid([]byte(got)) || !strings.Contains(got, `"minLength":1`) {
		t.Errorf("got the schema %s", got)
	}
	if value, err := agent.Structured[map[string]json.RawMessage](outcome); err != nil || string(value["id"]) != "2512292042121000001" {
		t.Errorf("got %v %v", value, err)
	}
}
