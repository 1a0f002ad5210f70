package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// slowStore takes its time to commit.
type slowStore struct {
	agent.Store
	wait   time.Duration
	mu     sync.Mutex
	stored map[int64]bool
}

func (s *slowStore) Append(ctx context.Context, b *agent.Batch) error {
	time.Sleep(s.wait)
	err := s.Store.Append(ctx, b)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range b.Frames {
		s.stored[f.Seq] = true
	}
	return err
}

func TestNobodyHearsOfAnEventBeforeItIsStored(t *testing.T) {
	var did runs
	slow := &slowStore{Store: &agent.Memory{}, wait: 20 * time.Millisecond, stored: map[int64]bool{}}
	early := 0
	r := &agent.Runner{Store: slow, OnEvent: func(_ string, f protocol.Frame) {
		slow.mu.Lock()
		defer slow.mu.Unlock()
		if !slow.stored[f.Seq] {
			early++
		}
	}}
	a := demo([]*tool.Tool{echo(&did)}, scripted.CallTool("c1", "echo", `{"text":"hi"}`), scripted.Say("Done."))
	if _, err := r.Run(t.Context(), a, agent.Input{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if early > 0 {
		t.Errorf("%d events were told before they were stored", early)
	}
}

func TestTheFirstDeltaIsToldBeforeTheSecondChunkComes(t *testing.T) {
	told := make(chan string, 2)
	r := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		if d, ok := f.Event.(*protocol.TextDelta); ok {
			told <- d.Delta
		}
	}}
	backend := backendFunc(func(yield func(model.Chunk, error) bool) {
		if !yield(model.Chunk{Text: "one"}, nil) {
			return
		}
		select {
		case got := <-told:
			if got != "one" {
				t.Errorf("the first delta is %q", got)
			}
		case <-time.After(time.Minute):
			t.Error("the first delta was not told before the second chunk came")
		}
		yield(model.Chunk{Text: "two"}, nil)
	})
	if _, err := r.Run(t.Context(), &agent.Agent{Name: "demo", Backend: backend}, agent.Input{Text: "go"}); err != nil {
		t.Fatal(err)
	}
}

type backendFunc func(yield func(model.Chunk, error) bool)

func (f backendFunc) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return iter.Seq2[model.Chunk, error](f)
}

func TestDeltasOfOneFrameGoOutAsOneAndAnythingElseFlushesThem(t *testing.T) {
	var did runs
	var chunks []scripted.Chunk
	for i := range 500 {
		chunks = append(chunks, scripted.Chunk{Text: fmt.Sprint(i, " ")})
	}
	chunks = append(chunks, scripted.Chunk{ToolCalls: []model.ToolCall{{ID: "c1", Name: "echo", Arguments: `{"text":"x"}`}}})
	var mu sync.Mutex
	var types []protocol.Type
	text := ""
	r := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		mu.Lock()
		defer mu.Unlock()
		types = append(types, f.Event.Type())
		if d, ok := f.Event.(*protocol.TextDelta); ok {
			text += d.Delta
		}
	}}
	a := demo([]*tool.Tool{echo(&did)}, scripted.Turn{Chunks: chunks})
	a.MaxTurns = 2
	if _, err := r.Run(t.Context(), a, agent.Input{Text: "go"}); err == nil {
		t.Fatal("the script has one turn; the second request must fail")
	}
	deltas := 0
	for _, typ := range types {
		if typ == protocol.TypeTextDelta {
			deltas++
		}
	}
	if deltas == 0 || deltas > 250 {
		t.Errorf("500 pieces went out as %d deltas", deltas)
	}
	want := ""
	for i := range 500 {
		want += fmt.Sprint(i, " ")
	}
	if text != want {
		t.Error("the joined deltas are not the text")
	}
}

// napping is an agent whose one turn makes n calls that sleep 50 ms.
func napping(n int) *agent.Agent {
	nap := tool.Must(tool.Config[struct{}, string]{Name: "nap", Description: "sleeps", Run: func(tool.Context, struct{}) (string, error) {
		time.Sleep(50 * time.Millisecond)
		return "ok", nil
	}})
	var calls []model.ToolCall
	for i := range n {
		calls = append(calls, model.ToolCall{ID: fmt.Sprint("c", i), Name: "nap"})
	}
	script := &scripted.Backend{Turns: []scripted.Turn{scripted.CallTools(calls...), scripted.Say("ok")}}
	return &agent.Agent{Name: "demo", Backend: script, Tools: []*tool.Tool{nap}, Parallel: true}
}

func TestARunTimeoutStopsTheRun(t *testing.T) {
	started := make(chan string, 1)
	a := demo([]*tool.Tool{sleeper(started)}, scripted.CallTool("c1", "sleep", `{"text":"long"}`))
	a.Timeout = 30 * time.Millisecond
	w := newWorld(t, a)
	outcome := w.run("go")
	if outcome.Status != protocol.StatusFailed || outcome.ErrorCode != agent.CodeRunTimeout {
		t.Errorf("got %s %s, want failed with RUN_TIMEOUT", outcome.Status, outcome.ErrorCode)
	}
	w.checkHistory()
}

func TestWaitingForAPersonCountsAgainstNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var did runs
		a := demo([]*tool.Tool{danger(&did)}, scripted.CallTool("c1", "danger", `{"text":"x"}`), scripted.Say("ok"))
		a.Timeout = time.Minute
		w := newWorld(t, a)
		p := w.run("go").Pending[0]
		time.Sleep(2 * a.Timeout)
		_, h, err := w.r.Decide(t.Context(), p.ApprovalID, approved)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.wait(h); got.Status != protocol.StatusCompleted {
			t.Errorf("got %s %s: the wait was counted", got.Status, got.Error)
		}
	})
}

// fullStore has no room from a batch that holds a text until it is given some.
type fullStore struct {
	agent.Store
	mu    sync.Mutex
	at    string
	fails int
}

var errFull = errors.New("database or disk is full")

func (s *fullStore) Append(ctx context.Context, b *agent.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range b.Frames {
		line, err := f.AppendJSON(nil)
		if err != nil {
			return err
		}
		if s.fails > 0 && strings.Contains(string(line), s.at) {
			s.fails--
			return errFull
		}
	}
	return s.Store.Append(ctx, b)
}

func TestAFullDiskStopsTheRunWithTheReason(t *testing.T) {
	var did runs
	for name, at := range map[string]string{"before a call": `"state":"running"`, "at a result": `"type":"tool-result"`, "in the text": `"delta":"Done."`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, demo([]*tool.Tool{echo(&did)}, scripted.CallTool("c1", "echo", `{"text":"x"}`), scripted.Say("Done."), scripted.Say("Room again.")))
			w.store = &fullStore{Store: w.store, at: at, fails: 1}
			w.open(demo([]*tool.Tool{echo(&did)}, scripted.CallTool("c1", "echo", `{"text":"x"}`), scripted.Say("Done."), scripted.Say("Room again.")))
			outcome := w.run("go")
			var st *agent.RunState
			if st = w.settled(outcome.ID); st.Status != protocol.StatusFailed || !strings.Contains(st.Error, "disk is full") {
				t.Errorf("stored is %s %q, want failed with the reason", st.Status, st.Error)
			}
			log := w.log(outcome.ID)
			if !strings.Contains(log, `"type":"error"`) || strings.Contains(log, at) && name != "at a result" {
				t.Errorf("the log is half-written:\n%s", log)
			}
			w.checkHistory()
			if got := w.run("again"); got.Status != protocol.StatusCompleted {
				t.Errorf("the program does not go on: %s %s", got.Status, got.Error)
			}
		})
	}
}

func TestObserversAndHooksThatPanicHarmNothing(t *testing.T) {
	var heard []string
	hooked := tool.Must(tool.Config[echoInput, string]{
		Name: "echo", Description: "d",
		Hooks: tool.InputHooks{
			OnInputStart:     func(id string) { heard = append(heard, "start "+id) },
			OnInputDelta:     func(id, delta string) { heard = append(heard, "delta "+delta); panic("hook") },
			OnInputAvailable: func(id, args string) { heard = append(heard, "available "+args) },
			OnInputAbandoned: func(id, reason string) { heard = append(heard, "abandoned "+reason) },
		},
		Run: func(tool.Context, echoInput) (string, error) { return "ok", nil },
	})
	cut := scripted.CallTool("c2", "echo", `{"text":"y"}`)
	cut.Chunks = append(cut.Chunks, scripted.Chunk{FinishReason: model.FinishLength})
	r := &agent.Runner{OnEvent: func(string, protocol.Frame) { panic("observer") }}
	outcome, err := r.Run(t.Context(), demo([]*tool.Tool{hooked}, scripted.CallTool("c1", "echo", `{"text":"x"}`), cut), agent.Input{Text: "go"})
	if err != nil || outcome.Status != protocol.StatusCompleted {
		t.Fatalf("got %v %v, want completed", outcome, err)
	}
	want := `start c1, delta {"text":"x"}, available {"text":"x"}, start c2, delta {"text":"y"}, available {"text":"y"}, abandoned discarded`
	if got := strings.Join(heard, ", "); got != want {
		t.Errorf("the hooks heard\n%s, want\n%s", got, want)
	}
}

func TestCallOutsideARunIsSplitAndAsks(t *testing.T) {
	var did runs
	r := &agent.Runner{}
	result := r.Call(tool.Context{}, echo(&did), `{"text":"hi"}`)
	if result.Err != nil || string(result.Content) != `{"said":"hi"}` || result.Presentation.Detail != "hi" {
		t.Errorf("got %s %v %v", result.Content, result.Presentation, result.Err)
	}
	if result = r.Call(tool.Context{}, danger(&did), `{"text":"x"}`); result.Err == nil || len(did.get()) != 1 {
		t.Errorf("got %v after %q: a call that needs approval must not run unasked", result.Err, did.get())
	}
	r.Approve = func(tool.Context, protocol.Approval) approval.Decision { return approved }
	if result = r.Call(tool.Context{}, danger(&did), `{"text":"x"}`); string(result.Content) != `"did x"` {
		t.Errorf("got %s %v", result.Content, result.Err)
	}
}

func TestCloseCancelsLiveRunsAndLeavesWaitingOnes(t *testing.T) {
	started := make(chan string, 1)
	w := newWorld(t, demo([]*tool.Tool{sleeper(started)}, scripted.CallTool("c1", "sleep", `{"text":"long"}`)))
	h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	<-started
	if err := w.r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.wait(h).Status; got != protocol.StatusCancelled {
		t.Errorf("got %s, want cancelled", got)
	}
	if _, err := w.r.Start(t.Context(), "demo", agent.Input{Text: "go"}); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

var approved = approval.Decision{Approved: true}

func TestTheNextMessageMayGoOutAsSoonAsTheEndIsTold(t *testing.T) {
	second := make(chan error, 1)
	var once sync.Once
	a := demo(nil, scripted.Say("one"), scripted.Say("two"))
	r := &agent.Runner{Resolve: agent.Agents(a)}
	r.OnEvent = func(_ string, f protocol.Frame) {
		if f.Event.Type() != protocol.TypeFinish {
			return
		}
		once.Do(func() {
			_, err := r.Start(context.Background(), "demo", agent.Input{ThreadID: "t1", Text: "second"})
			second <- err
		})
	}
	if _, err := r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "first"}); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Errorf("got %v, want the thread to be free", err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
