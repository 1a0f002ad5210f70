package agent_test

import (
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func TestACallRunsAndItsResultGoesBack(t *testing.T) {
	var did runs
	w := newWorld(t, demo([]*tool.Tool{echo(&did)}, scripted.CallTool("c1", "echo", `{"text":"hi"}`), scripted.Say("Done.")))
	outcome := w.run("say hi")
	if outcome.Status != protocol.StatusCompleted || outcome.Output != "Done." {
		t.Errorf("got %s %q, want completed and Done.", outcome.Status, outcome.Output)
	}
	log := w.golden("call", outcome.ID)
	for _, want := range []string{
		`"type":"tool-call-delta"`, `"argsTextDelta":"{\"text\":\"hi\"}"`, `"state":"running"`,
		`"result":{"said":"hi"}`, `"presentation":{"label":"Echo","icon":"quote","detail":"hi"}`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	if got := did.get(); len(got) != 1 || got[0] != "hi" {
		t.Errorf("the tool ran with %q, want hi once", got)
	}
	w.checkHistory()
	if got := w.history()[2].Content; got != `{"said":"hi"}` {
		t.Errorf("the model reads %s", got)
	}
}

func TestWhatNeverRunsLeaves(t *testing.T) {
	start := func(id string) scripted.Chunk {
		return scripted.Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputStart, ToolCallID: id, ToolName: "echo"}}
	}
	delta := func(id, text string) scripted.Chunk {
		return scripted.Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputDelta, ToolCallID: id, Delta: text}}
	}
	end := func(id string) scripted.Chunk {
		return scripted.Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputEnd, ToolCallID: id}}
	}
	for name, c := range map[string]struct {
		turns    []scripted.Turn
		maxTurns int
		status   protocol.Status
		want     []string
	}{
		"cut at the token limit": {
			turns: []scripted.Turn{{Chunks: []scripted.Chunk{
				{Text: "I write"},
				start("c1"), delta("c1", `{"text":"whole"}`), end("c1"), start("c2"), delta("c2", `{"text":"ha`),
				{FinishReason: model.FinishLength},
			}}},
			status: protocol.StatusCompleted,
			want: []string{
				`"toolCallId":"c1","dropped":true,"reason":"discarded"`, `"id":"c2","dropped":true`,
				`"toolCallId":"c2","dropped":true,"reason":"incomplete"`, `"truncated":true`,
			},
		},
		"a try that failed is taken back": {
			turns: []scripted.Turn{
				{Chunks: []scripted.Chunk{{Text: "Let me"}, start("c1"), delta("c1", `{"te`), {Error: "overloaded", Retryable: true}}},
				scripted.Say("Hello."),
			},
			status: protocol.StatusCompleted,
			want:   []string{`"id":"part_1_0_1","dropped":true`, `"toolCallId":"c1","dropped":true,"reason":"incomplete"`, `"phase":"retry"`, `"reason":"overloaded"`},
		},
		"failed for good": {
			turns:  []scripted.Turn{{Chunks: []scripted.Chunk{{Text: "Let me"}, start("c1"), {Error: "the key is wrong"}}}},
			status: protocol.StatusFailed,
			want:   []string{`"toolCallId":"c1","dropped":true,"reason":"incomplete"`, `"type":"error"`, `the key is wrong`},
		},
		"the last turn may not call": {
			turns:    []scripted.Turn{scripted.CallTool("c1", "echo", `{"text":"1"}`), scripted.CallTool("c2", "echo", `{"text":"2"}`)},
			maxTurns: 2,
			status:   protocol.StatusCompleted,
			want:     []string{`"toolCallId":"c2","dropped":true,"reason":"discarded"`, `"iterationLimitReached":true`, `"limit":"turns"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			a := demo([]*tool.Tool{echo(&did)}, c.turns...)
			a.MaxTurns = c.maxTurns
			w := newWorld(t, a)
			outcome := w.run("go")
			if outcome.Status != c.status {
				t.Errorf("got status %s, want %s", outcome.Status, c.status)
			}
			log := w.golden("dropped-"+strings.ReplaceAll(name, " ", "-"), outcome.ID)
			for _, want := range c.want {
				if !strings.Contains(log, want) {
					t.Errorf("the log lacks %s:\n%s", want, log)
				}
			}
			for _, text := range did.get() {
				if text != "1" {
					t.Errorf("a call ran that must not: %q", text)
				}
			}
			w.checkHistory()
		})
	}
}

func TestCallsThatCannotRunAreAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		call model.ToolCall
		code string
		want string
	}{
		"B23 a tool that does not exist":  {model.ToolCall{ID: "c", Name: "ecko", Arguments: `{}`}, tool.CodeNotFound, `Did you mean echo?`},
		"B18 a tool named constructor":    {model.ToolCall{ID: "c", Name: "constructor", Arguments: `{}`}, tool.CodeNotFound, `There is no tool`},
		"B3 two objects in one string":    {model.ToolCall{ID: "c", Name: "danger", Arguments: `{"text":"a"}{"text":"b"}`}, tool.CodeInvalidArgs, `Invalid arguments: `},
		"B15 an array":                    {model.ToolCall{ID: "c", Name: "danger", Arguments: `[]`}, tool.CodeInvalidArgs, `Invalid arguments: `},
		"K duplicate keys":                {model.ToolCall{ID: "c", Name: "danger", Arguments: `{"text":"a","text":"b"}`}, tool.CodeInvalidArgs, `Invalid arguments: `},
		"B5 nothing where text is needed": {model.ToolCall{ID: "c", Name: "danger"}, tool.CodeInvalidArgs, `text`},
		"E7 malformed":                    {model.ToolCall{ID: "c", Name: "danger", Arguments: `{"a":`}, tool.CodeInvalidArgs, `Invalid arguments: `},
	} {
		t.Run(name, func(t *testing.T) {
			var did runs
			w := newWorld(t, demo([]*tool.Tool{echo(&did), danger(&did)},
				scripted.Turn{Chunks: []scripted.Chunk{{ToolCalls: []model.ToolCall{c.call}}}}, scripted.Say("Sorry.")))
			outcome := w.run("go")
			log := w.log(outcome.ID)
			if outcome.Status != protocol.StatusCompleted {
				t.Errorf("got %s, want completed: nobody is asked about a call that cannot run", outcome.Status)
			}
			if !strings.Contains(log, `"errorCode":"`+c.code+`"`) {
				t.Errorf("the log lacks the code %s:\n%s", c.code, log)
			}
			if got := w.history()[2].Content; !strings.Contains(got, c.want) {
				t.Errorf("the model reads %s, want %s in it", got, c.want)
			}
			if len(did.get()) != 0 {
				t.Error("it ran")
			}
			w.checkHistory()
		})
	}
}

func TestB8AnIDThatComesAgainIsAnotherCall(t *testing.T) {
	var did runs
	w := newWorld(t, demo([]*tool.Tool{echo(&did)},
		scripted.CallTool("call_0", "echo", `{"text":"first"}`), scripted.CallTool("call_0", "echo", `{"text":"second"}`), scripted.Say("ok")))
	outcome := w.run("go")
	log := w.log(outcome.ID)
	if !strings.Contains(log, `"id":"call_2_1","toolName":"echo","providerCallId":"call_0"`) {
		t.Errorf("the second call has no id of its own:\n%s", log)
	}
	if got := did.get(); len(got) != 2 || got[1] != "second" {
		t.Errorf("ran %q, want first and second", got)
	}
	w.checkHistory()
}

func TestB10TextAroundACallKeepsItsPlace(t *testing.T) {
	var did runs
	whole := model.ToolCall{ID: "c1", Name: "echo", Arguments: `{"text":"x"}`}
	w := newWorld(t, demo([]*tool.Tool{echo(&did)},
		scripted.Turn{Chunks: []scripted.Chunk{{Text: "A"}, {ToolCalls: []model.ToolCall{whole}}, {Text: "B"}}}, scripted.Say("C")))
	log := w.log(w.run("go").ID)
	at := -1
	for _, want := range []string{`"delta":"A"`, `"type":"text-end"`, `"type":"tool-call-start"`, `"type":"tool-call-end"`, `"delta":"B"`, `"result"`, `"delta":"C"`} {
		next := strings.Index(log, want)
		if next < at {
			t.Errorf("%s is out of its place:\n%s", want, log)
		}
		at = next
	}
}

func TestB26TheSameCallForEverIsStopped(t *testing.T) {
	var did runs
	var turns []scripted.Turn
	for range 20 {
		turns = append(turns, scripted.CallTool("", "echo", `{"text":"again"}`))
	}
	w := newWorld(t, demo([]*tool.Tool{echo(&did)}, turns...))
	outcome := w.run("go")
	if outcome.Finish == nil || outcome.Finish.Limit != "repeated-calls" {
		t.Errorf("got %+v, want the limit repeated-calls", outcome.Finish)
	}
	if got := len(did.get()); got != agent.DefaultMaxRepeats {
		t.Errorf("it ran %d times, want %d", got, agent.DefaultMaxRepeats)
	}
}

func TestA9PiecesOfACharacterWait(t *testing.T) {
	var did runs
	args := `{"text":"é🙂"}`
	var chunks []scripted.Chunk
	chunks = append(chunks, scripted.Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputStart, ToolCallID: "c1", ToolName: "echo"}})
	for i := range len(args) {
		chunks = append(chunks, scripted.Chunk{ToolInput: &model.ToolInput{Type: model.ToolInputDelta, ToolCallID: "c1", Delta: args[i : i+1]}})
	}
	chunks = append(chunks, scripted.Chunk{ToolCalls: []model.ToolCall{{ID: "c1", Name: "echo", Arguments: args}}})
	for i := range len("né") {
		chunks = append(chunks, scripted.Chunk{Text: "né"[i : i+1]})
	}
	w := newWorld(t, demo([]*tool.Tool{echo(&did)}, scripted.Turn{Chunks: chunks}, scripted.Say("ok")))
	log := w.log(w.run("go").ID)
	if strings.Contains(log, `\ufffd`) || strings.Contains(log, "\uFFFD") {
		t.Errorf("a character was cut:\n%s", log)
	}
	if got := did.get(); len(got) != 1 || got[0] != "é🙂" {
		t.Errorf("ran with %q", got)
	}
	if got := w.history()[1].Content; got != "né" {
		t.Errorf("the text is %q, want né", got)
	}
}

func TestASecondMessageReadsTheHistoryAndCountsOn(t *testing.T) {
	w := newWorld(t, demo(nil, scripted.Say("one"), scripted.Say("two")))
	if got := w.run("first").Output; got != "one" {
		t.Errorf("got %q, want one", got)
	}
	w.open(demo(nil, scripted.Say("one"), scripted.Say("two"))) // as after a restart
	if got := w.run("second").Output; got != "two" {
		t.Errorf("got %q, want two: requests are counted in the store", got)
	}
	if got := len(w.history()); got != 4 {
		t.Errorf("the history has %d messages, want 4", got)
	}
}
