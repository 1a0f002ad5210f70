package realtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"callboard/backend/realtime"
	"callboard/backend/tool"
)

func TestCloseSendsWhatIsLeftAndCancelsCalls(t *testing.T) {
	left := make(chan error, 1)
	heard := make(chan []string, 1)
	began := make(chan struct{})
	config := openAI(serve(t, func(ctx context.Context, conn *websocket.Conn) {
		say(t, ctx, conn, calls("wait")...)
		messages, err := drain(ctx, conn)
		heard <- messages
		left <- err
	}))
	config.Tools, config.Caller = wares(t, func() { close(began) }), caller()
	s := dial(t, config)
	<-began
	if err := s.SendText("goodbye"); err != nil {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := s.Close("done for today, " + strings.Repeat("ü", 70)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	lines, end := listen(s, nil)
	if want := `tool-result call=c0 tool=wait arguments={} failed=Tool "wait" was cancelled: the voice session ended`; end != nil || lines[len(lines)-1] != want {
		t.Errorf("got %s and %v, want %s", lines[len(lines)-1], end, want)
	}
	if messages := <-heard; len(messages) == 0 || !strings.Contains(messages[0], "goodbye") {
		t.Errorf("the server heard %q", messages)
	}
	var closed websocket.CloseError
	if err := <-left; !errors.As(err, &closed) || closed.Code != websocket.StatusNormalClosure || !strings.HasPrefix(closed.Reason, "done for today, üü") {
		t.Errorf("the server was left with %v", err)
	}
	for name, err := range map[string]error{"text": s.SendText("x"), "a message": s.Send(json.RawMessage(`{}`))} {
		if !errors.Is(err, realtime.ErrClosed) {
			t.Errorf("sending %s after the end: got %v", name, err)
		}
	}
}

// callerFunc runs calls as the test says.
type callerFunc func(c tool.Context, t *tool.Tool, argumentsText string) tool.Result

func (f callerFunc) Call(c tool.Context, t *tool.Tool, argumentsText string) tool.Result {
	return f(c, t, argumentsText)
}

func TestACallThatDoesNotEndIsNamedAndLeft(t *testing.T) {
	t.Parallel() // it takes the time such calls are given
	config := openAI(serve(t, func(ctx context.Context, conn *websocket.Conn) {
		say(t, ctx, conn, calls("wait")...)
		quiet(ctx, conn)
	}))
	began, release, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	config.Tools = wares(t, func() {})
	config.Caller = callerFunc(func(c tool.Context, _ *tool.Tool, _ string) tool.Result {
		defer close(over)
		close(began)
		<-release
		c.Update(tool.Update{Content: "too late"})
		return tool.Result{Content: json.RawMessage(`1`)}
	})
	s, err := realtime.Dial(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	<-began
	if err := s.Close(""); err == nil || !strings.HasSuffix(err.Error(), "after it ended: wait (c0)") {
		t.Errorf("got %v", err)
	}
	close(release)
	<-over
	lines, _ := listen(s, nil)
	if want := "tool-result call=c0 tool=wait arguments={} failed=the voice session ended, and the call is still at work"; lines[len(lines)-1] != want {
		t.Errorf("got %s, want %s", lines[len(lines)-1], want)
	}
}

func TestACallerThatPanicsFailsItsCall(t *testing.T) {
	config := openAI(serve(t, func(ctx context.Context, conn *websocket.Conn) {
		say(t, ctx, conn, calls("wait", "look")...)
		quiet(ctx, conn)
	}))
	config.Tools = wares(t, func() {})
	config.Caller = callerFunc(func(c tool.Context, one *tool.Tool, _ string) tool.Result {
		if one.Name == "look" {
			return tool.Result{Content: json.RawMessage(`"seen"`)}
		}
		panic("no")
	})
	s := dial(t, config)
	results := map[string]string{}
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == realtime.ToolResult {
			results[e.ToolName] = told(e)
		}
		if len(results) == 2 {
			break
		}
	}
	for name, want := range map[string]string{
		"wait": `tool-result call=c0 tool=wait arguments={} failed=the call of tool "wait" panicked: no`,
		"look": `tool-result call=c1 tool=look arguments={} content="seen"`,
	} {
		if results[name] != want {
			t.Errorf("got %s, want %s", results[name], want)
		}
	}
}

func TestAToolKnowsItsCallAndHearsItWritten(t *testing.T) {
	var mu sync.Mutex
	var heard []string
	hear := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, fmt.Sprintf(format, args...))
	}
	spy := tool.Must(tool.Config[nothing, string]{
		Name: "spy",
		Hooks: tool.InputHooks{
			OnInputStart:     func(id string) { hear("start %s", id); panic("no") },
			OnInputDelta:     func(id, delta string) { hear("delta %s %s", id, delta) },
			OnInputAvailable: func(id, arguments string) { hear("available %s %s", id, arguments) },
			OnInputAbandoned: func(id, reason string) { hear("abandoned %s %s", id, reason) },
		},
		Run: func(c tool.Context, _ nothing) (string, error) {
			hear("runs as %s of %s in %s for %s", c.ToolCallID, c.AgentName, c.ThreadID, c.UserID)
			c.Update(tool.Update{Content: "half"})
			return "done", nil
		},
	})
	config := openAI(serve(t, func(ctx context.Context, conn *websocket.Conn) {
		say(t, ctx, conn, calls("spy")...)
		_, _, _ = conn.Read(ctx) // the answer to it
		say(
			t, ctx, conn,
			`{"type":"response.output_item.added","response_id":"r2","item":{"id":"x","type":"function_call","call_id":"c9","name":"spy"}}`,
			`{"type":"response.done","response":{"id":"r2","status":"failed"}}`,
			`{"type":"response.output_item.added","response_id":"r3","item":{"id":"y","type":"function_call","call_id":"c10","name":"spy"}}`,
			`{"type":"response.function_call_arguments.done","response_id":"r3","item_id":"y","call_id":"c10","arguments":"{}"}`,
		)
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}))
	config.Tools, config.Caller = []*tool.Tool{spy}, caller()
	config.Context = tool.Context{
		AgentName: "host", ThreadID: "thr_1", UserID: "ada", OnUpdate: func(u tool.Update) { hear("update %v", u.Content) },
	}
	s := dial(t, config)
	lines, _ := listen(s, nil)
	want := []string{
		"start c0", "delta c0 {}", "available c0 {}", "runs as c0 of host in thr_1 for ada", "update half",
		"start c9", "abandoned c9 incomplete", "start c10", "delta c10 {}", "available c10 {}", "abandoned c10 discarded",
	}
	if !slices.Equal(heard, want) {
		t.Errorf("heard\n%s\nwant\n%s", strings.Join(heard, "\n"), strings.Join(want, "\n"))
	}
	if last := lines[len(lines)-1]; last != "tool-result call=c10 tool=spy dropped=discarded" {
		t.Errorf("the last event is %s", last)
	}
}

func TestEventsGoOnWhereTheyStopped(t *testing.T) {
	s := dial(t, openAI(serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for i := range 4 {
			say(t, ctx, conn, fmt.Sprintf(`{"type":"response.output_text.delta","delta":"%d"}`, i))
		}
		quiet(ctx, conn)
	})))
	var got string
	for range 4 {
		for e, err := range s.Events() {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == realtime.TextDelta {
				got += e.Text
				break
			}
		}
	}
	if got != "0123" {
		t.Errorf("got %s", got)
	}
	for name, message := range map[string]string{"a list": `[]`, "no JSON": `{`, "nothing": ``} {
		if err := s.Send(json.RawMessage(message)); err == nil || err.Error() != "send a message: it is no JSON object" {
			t.Errorf("sending %s: got %v", name, err)
		}
	}
}

// Everything at once, for the race detector: senders, a reader, calls that update and are cancelled, and a close in the middle.
func TestASessionIsSafeForConcurrentUse(t *testing.T) {
	config := openAI(serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for n := range 20 {
			for _, m := range calls("wait", "look", "files.read") {
				m = strings.ReplaceAll(strings.ReplaceAll(m, `"r"`, fmt.Sprintf(`"r%d"`, n)), `"call_id":"c`, fmt.Sprintf(`"call_id":"c%d_`, n))
				say(t, ctx, conn, m)
			}
		}
		quiet(ctx, conn)
	}))
	config.Tools, config.Caller = wares(t, func() {}), caller()
	s := dial(t, config)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for s.SendAudio([]byte{1, 2}) == nil && s.SendText("x") == nil && s.Interrupt(0) == nil {
				time.Sleep(time.Millisecond)
			}
		})
	}
	starts, results := 0, 0
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case realtime.ToolCallStart:
			if starts++; starts == 50 {
				wg.Go(func() { _ = s.Close("in the middle") })
			}
		case realtime.ToolUpdate:
			s.CancelCall(e.ToolCallID)
		case realtime.ToolResult:
			results++
		}
	}
	wg.Wait()
	if starts < 50 || results != starts {
		t.Errorf("%d calls began and %d ended", starts, results)
	}
}
