package agent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func TestParallelCallsRunSideBySide(t *testing.T) {
	const calls = 8
	var here sync.WaitGroup
	here.Add(calls)
	all := make(chan struct{})
	go func() {
		here.Wait()
		close(all)
	}()
	a := napping(calls)
	a.Tools = []*tool.Tool{tool.Must(tool.Config[struct{}, string]{Name: "nap", Description: "meets the others", Run: func(tool.Context, struct{}) (string, error) {
		here.Done()
		select {
		case <-all:
			return "ok", nil
		case <-time.After(time.Minute):
			return "", errors.New("the others did not come")
		}
	}})}
	w := newWorld(t, a)
	outcome := w.run("go")
	for _, c := range w.seen(outcome.ID).Calls() {
		if c.State != protocol.StateDone {
			t.Errorf("call %s is %s: %s", c.ID, c.State, c.Error)
		}
	}
	w.checkHistory()
}

func TestWhatTheModelReadsIsSplitAndCut(t *testing.T) {
	long := strings.Repeat("é", 60)
	big := tool.Must(tool.Config[struct{}, tool.Output[map[string]string]]{
		Name: "big", Description: "gives much",
		Run: func(ctx tool.Context, _ struct{}) (tool.Output[map[string]string], error) {
			ctx.Update(tool.Update{Content: "half way"})
			return tool.Output[map[string]string]{
				Content: map[string]string{"text": long}, Details: map[string]any{"diff": "-a\n+b"},
				Presentation: &tool.Presentation{Label: "Big", Summary: "much"},
			}, nil
		},
	})
	a := demo([]*tool.Tool{big}, scripted.CallTool("c1", "big", ""), scripted.Say("ok"))
	a.MaxResultLength = 20
	w := newWorld(t, a)
	outcome := w.run("go")
	message := w.history()[2]
	if !strings.HasPrefix(message.Content, `{"text":"`+strings.Repeat("é", 11)+"\n[cut: 51 of 71 characters are not shown]") {
		t.Errorf("the model reads %q", message.Content)
	}
	var metadata struct {
		Details      map[string]string
		Presentation tool.Presentation
	}
	if err := json.Unmarshal(message.Metadata, &metadata); err != nil || metadata.Details["diff"] == "" || metadata.Presentation.Summary != "much" {
		t.Errorf("the metadata is %s (%v)", message.Metadata, err)
	}
	log := w.log(outcome.ID)
	if !strings.Contains(log, long) {
		t.Error("the log lacks the uncut content")
	}
	if !strings.Contains(log, `"toolCallId":"c1","content":"half way"`) {
		t.Errorf("the log lacks the progress:\n%s", log)
	}
}

func TestAToolThatFailsPanicsOrHangsIsAResult(t *testing.T) {
	for name, c := range map[string]struct {
		run     func(tool.Context, struct{}) (string, error)
		timeout time.Duration
		code    string
		reads   string
	}{
		"an error": {func(tool.Context, struct{}) (string, error) { return "", errors.New("no such order") }, 0, tool.CodeExecutionFailed, `{"error":"no such order"}`},
		"a panic":  {func(tool.Context, struct{}) (string, error) { panic("boom") }, 0, tool.CodeExecutionFailed, "boom"},
		"a timeout": {
			func(ctx tool.Context, _ struct{}) (string, error) { <-ctx.Done(); return "", ctx.Err() }, 20 * time.Millisecond, tool.CodeTimeout,
			`{"error":"Tool \"t\" timed out after 20ms"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			bad := tool.Must(tool.Config[struct{}, string]{
				Name: "t", Description: "d", Timeout: c.timeout, Run: c.run, Presentation: &tool.Presentation{Label: "Try"},
			})
			w := newWorld(t, demo([]*tool.Tool{bad}, scripted.CallTool("c1", "t", ""), scripted.Say("I see.")))
			outcome := w.run("go")
			if outcome.Status != protocol.StatusCompleted || outcome.Output != "I see." {
				t.Errorf("got %s %q, the run must go on", outcome.Status, outcome.Output)
			}
			log := w.log(outcome.ID)
			if !strings.Contains(log, `"result":null,"presentation":{"label":"Try"}`) || !strings.Contains(log, `"errorCode":"`+c.code+`"`) {
				t.Errorf("the result is not presented with code %s:\n%s", c.code, log)
			}
			if got := w.history()[2].Content; !strings.Contains(got, c.reads) {
				t.Errorf("the model reads %s, want %s", got, c.reads)
			}
		})
	}
}
