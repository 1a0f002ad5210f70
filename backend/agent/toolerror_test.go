package agent_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

const secret = "dial tcp 10.0.0.7:5432: password authentication failed for user root"

// ledger is a tool that cannot reach its database, and says more of it than anybody should read.
func ledger() *tool.Tool {
	return tool.Must(tool.Config[echoInput, tool.Output[string]]{
		Name: "ledger", Description: "Reads the ledger", Presentation: &tool.Presentation{Label: "Ledger"},
		Run: func(_ tool.Context, in echoInput) (tool.Output[string], error) {
			if in.Text == "panic" {
				panic(secret)
			}
			return tool.Output[string]{Details: tool.Text(secret), Presentation: &tool.Presentation{Label: secret}}, errors.New(secret)
		},
	})
}

func ledgerCalls(texts ...string) scripted.Turn {
	var calls []model.ToolCall
	for i, text := range texts {
		calls = append(calls, model.ToolCall{ID: []string{"c1", "c2"}[i], Name: "ledger", Arguments: `{"text":"` + text + `"}`})
	}
	return scripted.CallTools(calls...)
}

func TestAFailedCallMayStopItsRun(t *testing.T) {
	a := demo([]*tool.Tool{ledger()}, ledgerCalls("a", "b"), scripted.Say("Never said."))
	var heard []agent.ToolError
	a.OnToolError = func(ctx tool.Context, e agent.ToolError) error {
		heard = append(heard, e)
		if ctx.ToolCallID != "c1" || ctx.RunID == "" || ctx.Err() != nil {
			t.Errorf("the hook is called for call %q of run %q, whose context says %v", ctx.ToolCallID, ctx.RunID, ctx.Err())
		}
		return errors.New("The ledger cannot be read now.")
	}
	w := newWorld(t, a)
	var logged bytes.Buffer
	w.r.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "Read it."})
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := h.Wait(t.Context())
	var failure *agent.RunError
	if !errors.As(err, &failure) || failure.Message != "The ledger cannot be read now." || failure.Code != tool.CodeExecutionFailed || outcome.Status != protocol.StatusFailed {
		t.Errorf("the run is %s: %v", outcome.Status, err)
	}
	if log := w.golden("stopped-by-a-failed-call", h.RunID); strings.Contains(log, "10.0.0.7") {
		t.Error("the log says what nobody should read")
	}
	w.checkHistory()
	for _, m := range w.history() {
		if strings.Contains(m.Content+string(m.Metadata), "10.0.0.7") {
			t.Errorf("message %s says what nobody should read: %s", m.ID, m.Content)
		}
	}
	if len(heard) != 1 || heard[0].ToolName != "ledger" || heard[0].ArgumentsText != `{"text":"a"}` || heard[0].Err.Error() != secret {
		t.Errorf("the hook heard %+v", heard)
	}
	if !strings.Contains(logged.String(), "10.0.0.7") || !strings.Contains(logged.String(), "The ledger cannot be read now.") {
		t.Errorf("the process's log says %s", logged.String())
	}
}

func TestAHookThatLetsACallFailLeavesItAsItIs(t *testing.T) {
	for name, c := range map[string]struct {
		text, reads, logs string
		hook              func(tool.Context, agent.ToolError) error
	}{
		"it has nothing to say": {"a", secret, "", func(tool.Context, agent.ToolError) error { return nil }},
		"it hears of a panic":   {"panic", `tool \"ledger\" panicked: ` + secret, "tool panicked", func(tool.Context, agent.ToolError) error { return nil }},
		"it panics itself":      {"a", secret, "OnToolError panicked", func(tool.Context, agent.ToolError) error { panic("hook") }},
	} {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil))) // a tool's panic goes there
			defer slog.SetDefault(before)
			a := demo([]*tool.Tool{ledger()}, ledgerCalls(c.text), scripted.Say("It failed."))
			heard := 0
			a.OnToolError = func(ctx tool.Context, e agent.ToolError) error {
				heard++
				return c.hook(ctx, e)
			}
			w := newWorld(t, a)
			outcome := w.run("Read it.")
			if got, want := w.history()[2].Content, `{"error":"`+c.reads+`"}`; got != want || outcome.Output != "It failed." || heard != 1 {
				t.Errorf("the model reads %s and says %q after %d calls of the hook, want %s", got, outcome.Output, heard, want)
			}
			if !strings.Contains(logged.String(), c.logs) {
				t.Errorf("the process's log says %q, want %q in it", logged.String(), c.logs)
			}
		})
	}
}

func TestARunThatIsStoppedWithoutAReasonSaysSo(t *testing.T) {
	a := demo([]*tool.Tool{ledger()}, ledgerCalls("a"), scripted.Say("Never said."))
	a.OnToolError = func(tool.Context, agent.ToolError) error { return errors.New("") }
	w := newWorld(t, a)
	outcome := w.run("Read it.")
	const want = "The run was stopped, for a call of ledger failed."
	if outcome.Status != protocol.StatusFailed || outcome.Error != want || w.history()[2].Content != `{"error":"`+want+`"}` {
		t.Errorf("got %s %q, and the model reads %s; want %s", outcome.Status, outcome.Error, w.history()[2].Content, want)
	}
}

func TestACallThatIsCancelledHasNotFailed(t *testing.T) {
	started := make(chan struct{})
	wait := tool.Must(tool.Config[echoInput, string]{
		Name: "wait", Description: "Waits",
		Run: func(ctx tool.Context, _ echoInput) (string, error) {
			close(started)
			<-ctx.Done()
			return "", context.Cause(ctx)
		},
	})
	a := demo([]*tool.Tool{wait}, scripted.CallTools(model.ToolCall{ID: "c1", Name: "wait", Arguments: `{"text":"a"}`}))
	a.OnToolError = func(_ tool.Context, e agent.ToolError) error {
		t.Errorf("the hook heard of %v", e.Err)
		return nil
	}
	w := newWorld(t, a)
	h, err := w.r.Start(t.Context(), "demo", agent.Input{ThreadID: "t1", Text: "Wait."})
	if err != nil {
		t.Fatal(err)
	}
	<-started
	if err := w.r.Cancel(t.Context(), h.RunID); err != nil {
		t.Fatal(err)
	}
	if outcome := w.wait(h); outcome.Status != protocol.StatusCancelled {
		t.Errorf("the run is %s", outcome.Status)
	}
}
