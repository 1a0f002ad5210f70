package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// exact are texts that come out changed where they are parsed, compacted, escaped or cut on the way (CASES.md K).
var exact = map[string]string{
	"a number that looks whole":       `{"n":1.0}`,
	"a number too large":              `{"n":1e400}`,
	"an id of 19 digits":              `{"id":2512292042121000001}`,
	"an id of 20 digits":              `{"id":18446744073709551617}`,
	"a key twice":                     `{"a":1,"a":2}`,
	"keys in two cases":               `{"path":"safe","PATH":"/etc"}`,
	"keys not in order":               `{"z":1,"10":2,"9":3,"a":4}`,
	"characters of HTML":              `{"q":"a<b&&c>d"}`,
	"space inside and around":         " {  \"a\" :\t1 }\r\n",
	"a lone surrogate":                `{"s":"\ud83d"}`,
	"an escaped slash":                `{"s":"\/\u00e9\u2028"}`,
	"deep nesting":                    strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
	"half an object":                  `{"path":"/data/x","content":"abc`,
	"two objects":                     `{}{"a":1}`,
	"nothing":                         ``,
	"null":                            `null`,
	"a NUL":                           "{\"a\":\"x\x00y\"}\x00",
	"bytes that are no UTF-8":         "{\"a\":\"\xff\xfe\"}",
	"a character outside the plane 0": `{"a":"🙂"}`,
	"a prototype":                     `{"__proto__":{"admin":true}}`,
}

func testTexts(t *testing.T, s Store) {
	for name, text := range exact {
		t.Run(name, func(t *testing.T) {
			runID, threadID := "r "+name, "t "+name
			r := run(runID, threadID)
			r.Input = text
			other := text + " "
			call := agent.Call{
				RunID: runID, ToolCallID: "c\x00" + name, ToolName: "n" + text, State: protocol.StateFailed, Proposed: text, Executed: other,
				Message: result(runID, "c\x00"+name, text),
			}
			call.Message.ToolName = call.ToolName
			message := &model.Message{
				ID: "m1", Role: model.RoleAssistant, Content: text, Reasoning: other,
				ToolCalls: []model.ToolCall{{ID: "c1", Name: "n" + text, Arguments: text}},
			}
			p := pending("a "+name, r)
			p.ArgumentsText, p.Arguments, p.Details = text, json.RawMessage(text), json.RawMessage(text)
			p.Decision = &approval.Decision{ArgumentsText: &other, Result: json.RawMessage(text)}
			if json.Valid([]byte(text)) {
				message.Metadata = json.RawMessage(text)
				r.Context = json.RawMessage(text)
			} else {
				p.Arguments, p.Details, p.Decision.Result = nil, nil, nil
			}
			appendAll(t, s, &agent.Batch{
				Run: r, Messages: []*model.Message{message}, Calls: []agent.Call{call}, Approvals: []*approval.Pending{p},
			})
			same(t, "history", thread(t, s, threadID).Messages, []*model.Message{message})
			same(t, "run", one(t, s, runID), &agent.RunState{Run: r, Calls: []agent.Call{call}, Approvals: []*approval.Pending{p}})
		})
	}
}

func testEventTexts(t *testing.T, s Store) {
	for name, text := range exact {
		t.Run(name, func(t *testing.T) {
			runID := "r " + name
			frames := []protocol.Frame{{Seq: 1, AtMs: 5, Event: &protocol.ToolCallDelta{ID: "c1", ArgsTextDelta: text}}}
			if json.Valid([]byte(text)) {
				frames = append(frames, protocol.Frame{Seq: 2, AtMs: 6, Event: &protocol.ToolResult{
					ID: "e1", ToolCallID: "c1", Result: json.RawMessage(text), Details: json.RawMessage(text),
				}})
			}
			raw := `{"type":"later","at":7,"value":1.0,"value":{ "x": 1e400 }}`
			frames = append(frames, protocol.Frame{Seq: int64(len(frames)) + 1, Event: &protocol.Unknown{Kind: "later", Raw: json.RawMessage(raw)}})
			appendAll(t, s, &agent.Batch{Run: run(runID, "t1"), Frames: frames})
			same(t, "events", events(t, s, runID, 0, 0), encoded(t, frames))
		})
	}
}

// encoded are frames as they must be stored.
func encoded(t *testing.T, frames []protocol.Frame) []string {
	t.Helper()
	var out []string
	for _, f := range frames {
		text, err := f.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out
}

func testLarge(t *testing.T, s Store) {
	quoted := func(n int, unit string) json.RawMessage {
		return json.RawMessage(`"` + strings.Repeat(unit, n/len(unit)) + `"`)
	}
	object := json.RawMessage(`{"image": {"src": ` + string(quoted(300<<10, `\"}]`)) + `}, "n": 1.0}`)
	at := func(seq int64, e protocol.Event) protocol.Frame { return protocol.Frame{Seq: seq, AtMs: seq, Event: e} }
	frames := []protocol.Frame{
		at(1, &protocol.ToolResult{ID: "e1", ToolCallID: "c1", Result: quoted(1<<20, "abc"), Details: object}),
		at(2, &protocol.TextDelta{ID: "t1", Delta: "small"}),
		at(3, &protocol.ToolResult{ID: "e2", ToolCallID: "c2", Result: object, Details: quoted(1<<20, "abc"), Error: "so"}),
		at(4, &protocol.ToolCallDelta{ID: "c3", ArgsTextDelta: strings.Repeat("é\x00\\", 100<<10)}),
		at(5, &protocol.ToolResult{ID: "e3", ToolCallID: "c4", Result: quoted(60<<10, "x"), Details: quoted(60<<10, "y")}),
		at(6, &protocol.Unknown{Kind: "later", Raw: json.RawMessage(`{"type":"later" , "v" : ` + string(object) + ` , "w": [] }`)}),
		at(7, &protocol.Unknown{Kind: "odd", Raw: object}),
	}
	message := &model.Message{
		ID: "m1", Role: model.RoleTool, Content: strings.Repeat("long ", 100<<10), ToolCallID: "c1", RunID: "r1",
		Metadata: json.RawMessage(`{"details": ` + string(object) + `, "errorCode":"X"}`),
	}
	ended := agent.Call{RunID: "r1", ToolCallID: "c1", Proposed: strings.Repeat("p", 200<<10), Message: message}
	appendAll(
		t, s,
		&agent.Batch{Run: run("r1", "t1"), Frames: frames[:3], Calls: []agent.Call{ended}},
		&agent.Batch{Run: run("r1", "t1"), Frames: frames[3:], Messages: []*model.Message{message}},
		&agent.Batch{Run: run("r2", "t2"), Frames: frames[:1]},
	)
	want := encoded(t, frames)
	for i, got := range events(t, s, "r1", 0, 0) {
		if got != want[i] {
			t.Errorf("event %d came back as %d bytes, want %d", i+1, len(got), len(want[i]))
		}
	}
	same(t, "only the second", events(t, s, "r1", 1, 1), want[1:2])
	same(t, "the other run", events(t, s, "r2", 0, 0), want[:1])
	same(t, "history", thread(t, s, "t1").Messages, []*model.Message{message})
	same(t, "ledger", one(t, s, "r1").Calls, []agent.Call{ended})
}

func testRace(t *testing.T, s Store) {
	const writers, rounds = 4, 25
	for round := range int64(rounds) {
		var wg sync.WaitGroup
		errs := make([]error, writers)
		for i := range writers {
			wg.Go(func() {
				errs[i] = s.Append(t.Context(), &agent.Batch{
					Run: run("r1", "t1"), Frames: deltas(round+1, fmt.Sprint(i)),
					Messages: []*model.Message{user(fmt.Sprintf("%d of %d", round, i), "x")},
				})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			}
		}
		if won != 1 {
			t.Fatalf("%d of %d writers of event %d won: %v", won, writers, round+1, errs)
		}
	}
	if got := len(events(t, s, "r1", 0, 0)); got != rounds {
		t.Errorf("%d events, want %d", got, rounds)
	}
	if got := len(thread(t, s, "t1").Messages); got != rounds {
		t.Errorf("%d messages, want %d: those of the winners", got, rounds)
	}
}

func testConcurrent(t *testing.T, s Store) {
	const runs, batches, size = 6, 60, 3
	appendAll(t, s, &agent.Batch{Run: run("started", "t"), Frames: deltas(1, "a")})
	done := make(chan struct{})
	var writers, readers sync.WaitGroup
	for i := range runs {
		id := fmt.Sprintf("r%d", i)
		writers.Go(func() {
			for k := range int64(batches) {
				b := &agent.Batch{
					Run: run(id, fmt.Sprintf("t%d", i%2)), Frames: deltas(k*size+1, "a", "b", "c"), Durable: k%20 == 0,
					Messages: []*model.Message{user(fmt.Sprintf("%s-%d", id, k), "x")},
					Calls:    []agent.Call{{RunID: id, ToolCallID: fmt.Sprint(k / 2), State: protocol.StateRunning}},
				}
				if err := s.Append(t.Context(), b); err != nil {
					t.Errorf("batch %d of run %s: %v", k, id, err)
					return
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			seen := map[string]int64{}
			for {
				select {
				case <-done:
					return
				default:
				}
				states, err := s.Runs(t.Context(), agent.RunQuery{Bare: true})
				if err != nil {
					t.Error(err)
					return
				}
				for _, state := range states {
					records, err := s.Events(t.Context(), state.ID, seen[state.ID], 0)
					if err != nil {
						t.Error(err)
						return
					}
					for _, r := range records {
						if r.Seq != seen[state.ID]+1 {
							t.Errorf("run %s: event %d follows %d", state.ID, r.Seq, seen[state.ID])
							return
						}
						seen[state.ID] = r.Seq
					}
					if state.Last > seen[state.ID] {
						t.Errorf("run %s is at %d, but has %d events", state.ID, state.Last, seen[state.ID])
					}
				}
				if _, err := s.Threads(t.Context(), "", 0, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	for i := range runs {
		state := one(t, s, fmt.Sprintf("r%d", i))
		if state.Last != batches*size || len(state.Calls) != batches/2 {
			t.Errorf("run %s has %d events and %d calls, want %d and %d", state.ID, state.Last, len(state.Calls), batches*size, batches/2)
		}
	}
	if got, want := len(thread(t, s, "t0").Messages), runs/2*batches; got != want {
		t.Errorf("%d messages, want %d", got, want)
	}
}
