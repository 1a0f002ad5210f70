package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

func TestRunTellsEveryEventInOrderAndWhatWaits(t *testing.T) {
	b := openBench(t, Config{OneThread: true})
	var records []agent.Record
	outcome, err := b.studio.Run(t.Context(), RunInput{Agent: demoAgent, Text: demoMessage, OnEvent: func(r agent.Record) { records = append(records, r) }})
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Status != protocol.StatusPaused || len(outcome.Pending) != 1 || outcome.Pending[0].ToolName != "run_command" {
		t.Errorf("the outcome is %s and waits for %v, want the release", outcome.Status, outcome.Pending)
	}
	if int64(len(records)) != outcome.Last || outcome.Last == 0 {
		t.Errorf("%d events were told, want %d", len(records), outcome.Last)
	}
	for i, record := range records {
		if record.Seq != int64(i+1) || !json.Valid(record.JSON) {
			t.Fatalf("event %d is %d %s", i+1, record.Seq, record.JSON)
		}
	}
	_, err = b.studio.Run(t.Context(), RunInput{Agent: demoAgent, Text: "And?", ThreadID: outcome.ThreadID})
	if !errors.Is(err, agent.ErrPaused) {
		t.Errorf("a message to a thread that waits gave %v, want %v", err, agent.ErrPaused)
	}
	if _, err := b.studio.Run(t.Context(), RunInput{Agent: "nobody", Text: "Hello"}); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("an agent nobody knows gave %v", err)
	}
}

func TestRunGivesTheAnswerOrWhyThereIsNone(t *testing.T) {
	script := writeFile(t, `{"turns": [{"chunks": [{"text": "Hello."}]}]}`, t.TempDir(), "script.json")
	b := openBench(t, Config{OneThread: true, Script: script})
	outcome, err := b.studio.Run(t.Context(), RunInput{Agent: demoAgent, Text: "Hi"})
	if err != nil || outcome.Status != protocol.StatusCompleted || outcome.Output != "Hello." {
		t.Errorf("Run gave %+v, %v", outcome, err)
	}
	over, err := b.studio.Run(t.Context(), RunInput{Agent: demoAgent, Text: "Hi", ThreadID: outcome.ThreadID, OnEvent: func(agent.Record) {}})
	var failure *agent.RunError
	if !errors.As(err, &failure) || over == nil || over.Status != protocol.StatusFailed {
		t.Errorf("after the script's end Run gave %+v, %v", over, err)
	}
}

func TestWhatRunTellsHoldsNoSecret(t *testing.T) {
	const key = "sk-proj-a1B2c3D4e5F6g7H8"
	for name, script := range map[string]string{
		"a call that waits": `{"turns": [{"chunks": [{"toolCalls": [{"id": "c1", "name": "run_command", "arguments": "{\"command\":\"echo ` + key + `\"}"}]}, {"finishReason": "tool_calls"}]}]}`,
		"an error":          `{"turns": [{"chunks": [{"error": "bad key ` + key + `"}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := openBench(t, Config{OneThread: true, Script: writeFile(t, script, t.TempDir(), "script.json")})
			outcome, err := b.studio.Run(t.Context(), RunInput{Agent: demoAgent, Text: "Hi"})
			told := fmt.Sprint(err)
			if outcome != nil {
				for _, p := range outcome.Pending {
					told += p.ToolName + p.ArgumentsText + string(p.Arguments)
				}
			}
			if strings.Contains(told, key) || !strings.Contains(told, redact.Mask) {
				t.Errorf("got %s of %+v, want the key masked", told, outcome)
			}
		})
	}
}

const slowScript = `{"turns": [{"chunks": [{"text": "Well"}, {"delayMs": 600000}, {"text": "…"}]}]}`

func TestRunIsCancelledWithItsContext(t *testing.T) {
	b := openBench(t, Config{OneThread: true, Script: writeFile(t, slowScript, t.TempDir(), "slow.json")})
	ctx, cancel := context.WithCancel(t.Context())
	outcome, err := b.studio.Run(ctx, RunInput{Agent: demoAgent, Text: "Hi", OnEvent: func(r agent.Record) {
		if frame, err := protocol.DecodeFrame(r.Seq, r.JSON); err == nil && frame.Event.Type() == protocol.TypeTextDelta {
			cancel()
		}
	}})
	if err != nil || outcome.Status != protocol.StatusCancelled {
		t.Errorf("Run gave %+v, %v, want it cancelled", outcome, err)
	}
}

func TestRunLeavesUnfinishedRunsOfOtherThreadsAlone(t *testing.T) {
	dir := t.TempDir()
	killed := startChild(t, dir, writeFile(t, slowScript, t.TempDir(), "slow.json"))
	thread := killed.newThread(`{}`)
	runID := killed.send(thread.ID, demoAgent, "Hi")
	for deadline := time.Now().Add(time.Minute); len(killed.page(runID).Events) < 5; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the model did not begin to speak")
		}
	}
	killed.kill()

	fast := writeFile(t, `{"turns": [{"chunks": [{"text": "Hello."}]}]}`, t.TempDir(), "fast.json")
	other := openBench(t, Config{Dir: dir, OneThread: true, Script: fast})
	if _, err := other.studio.Run(t.Context(), RunInput{Agent: demoAgent, Text: "Hi"}); err != nil {
		t.Fatal(err)
	}
	if page := other.page(runID); page.Status != "running" {
		t.Errorf("the run of another thread is %s", page.Status)
	}
	if err := other.studio.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	all := openBench(t, Config{Dir: dir})
	if log := all.settled(runID); log.status != "failed" || log.last().Code != agent.CodeRunInterrupted {
		t.Errorf("once the whole studio is open the run is %s: %s", log.status, log.last().raw)
	}
	all.call(http.MethodGet, "/api/studio/threads/"+thread.ID, "", http.StatusOK)
}
