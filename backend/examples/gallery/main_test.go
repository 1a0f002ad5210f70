package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/protocol"
	"callboard/backend/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheGuideShowsEveryKindOfDetails(t *testing.T) {
	shown, err := exhibits()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	runner := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		line, err := f.AppendJSON(nil)
		if err != nil {
			t.Error(err)
		}
		log.Write(append(line, '\n'))
	}}
	t.Cleanup(func() { _ = runner.Close(context.WithoutCancel(t.Context())) })
	outcome, err := runner.Run(t.Context(), guide(shown), agent.Input{Text: "Show me everything."})
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Status != protocol.StatusCompleted || len(outcome.Output) == 0 {
		t.Errorf("the run ended as %s with %q, want it completed with an answer", outcome.Status, outcome.Output)
	}
	for _, kind := range []string{"text", "markdown", "diff", "terminal", "code", "table", "image", "file", "progress", "records"} {
		if !strings.Contains(log.String(), `"`+kind+`":`) {
			t.Errorf("no result has details of the kind %s", kind)
		}
	}
	if !strings.Contains(log.String(), `"result":[{"type":"text","text":"Rings, once more."},{"type":"image","src":"`) {
		t.Error("no result shows an image by its hash")
	}
	if strings.Contains(log.String(), `"error":`) {
		t.Errorf("a call failed:\n%.2000s", log.String())
	}
	if !strings.Contains(log.String(), "2512292042121000001") || !strings.Contains(log.String(), "1e400") {
		t.Error("digits were lost on the way")
	}
}

func TestTheRecordingHasACallInEveryState(t *testing.T) {
	var transcript protocol.Transcript
	seen := map[protocol.State]bool{}
	for i, event := range states() {
		transcript.Apply(protocol.Frame{Seq: int64(i + 1), AtMs: int64(i), Event: event})
		for _, call := range transcript.Calls() {
			seen[call.State] = true
		}
	}
	for _, want := range []protocol.State{
		protocol.StateInput, protocol.StateProposed, protocol.StateWaiting, protocol.StateApproved, protocol.StateDenied, protocol.StateExpired,
		protocol.StateRunning, protocol.StateDone, protocol.StateFailed, protocol.StateCancelled, protocol.StateUnknown,
	} {
		if !seen[want] {
			t.Errorf("no call is ever %s", want)
		}
	}
}

func TestThePlannerGivesATripOnceItWasAskedAgain(t *testing.T) {
	plans, err := planner()
	if err != nil {
		t.Fatal(err)
	}
	retries := 0
	runner := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		if turn, ok := f.Event.(*protocol.Turn); ok && turn.Phase == protocol.TurnRetry {
			retries++
		}
	}}
	t.Cleanup(func() { _ = runner.Close(context.WithoutCancel(t.Context())) })
	outcome, err := runner.Run(t.Context(), plans, agent.Input{Text: "Three days in Oslo."})
	if err != nil {
		t.Fatal(err)
	}
	trip, err := agent.Structured[Trip](outcome)
	if err != nil || trip.ID != 2512292042121000001 || retries != 1 {
		t.Errorf("got %+v after %d retries, error %v, want every digit of the second answer", trip, retries, err)
	}
}

func TestTheCaptainWaitsForACallInsideACall(t *testing.T) {
	releases, err := captain()
	if err != nil {
		t.Fatal(err)
	}
	var told protocol.Transcript
	runner := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) { told.Apply(f) }}
	t.Cleanup(func() { _ = runner.Close(context.WithoutCancel(t.Context())) })
	outcome, err := runner.Run(t.Context(), releases, agent.Input{Text: "Release version 1.4."})
	if err != nil || len(outcome.Pending) != 1 {
		t.Fatalf("got %+v, error %v, want one decision asked for", outcome, err)
	}
	p := outcome.Pending[0]
	_, handle, err := runner.Decide(t.Context(), p.ApprovalID, approval.Decision{Approved: true, ArgumentsHash: p.ArgumentsHash, By: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if outcome, err = handle.Wait(t.Context()); err != nil || outcome.Output != "It is done." {
		t.Fatalf("got %+v, error %v, want it done", outcome, err)
	}
	var got []string
	for _, call := range told.Calls() {
		got = append(got, fmt.Sprintf("%s in %q: %s %s", call.ToolName, call.ParentToolCallID, call.State, call.Result))
	}
	want := []string{
		`release in "": done "Version 1.4 is released."`, `build in "c1": done "8,123,456 bytes"`, `sign in "c1": done "signed"`,
		`upload in "c1": done "uploaded"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheReceptionHandsOver(t *testing.T) {
	received, err := reception()
	if err != nil {
		t.Fatal(err)
	}
	var speakers []string
	runner := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		if turn, ok := f.Event.(*protocol.Turn); ok && turn.Phase == protocol.TurnStart {
			speakers = append(speakers, turn.AgentName)
		}
	}}
	t.Cleanup(func() { _ = runner.Close(context.WithoutCancel(t.Context())) })
	outcome, err := runner.Run(t.Context(), received, agent.Input{Text: "Show me an image."})
	if err != nil || outcome.Output != "That is the one we have." {
		t.Fatalf("got %+v, error %v, want the keeper's answer", outcome, err)
	}
	if want := []string{"reception", "keeper", "keeper"}; !slices.Equal(speakers, want) {
		t.Errorf("got the turns of %q, want %q", speakers, want)
	}
}

func TestTheRecordingIsServed(t *testing.T) {
	store := &agent.Memory{}
	if err := record(t.Context(), store, time.Now()); err != nil {
		t.Fatal(err)
	}
	agents := &server.Server{Runner: &agent.Runner{Store: store}}
	web := httptest.NewServer(agents.Handler())
	t.Cleanup(web.Close)
	t.Cleanup(func() { _ = agents.Close(context.WithoutCancel(t.Context())) })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/runs/"+statesRun+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := web.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`"last":%d,"status":"paused"`, len(states()))
	if !strings.Contains(string(body), want) {
		t.Errorf("the answer has no %s:\n%.500s", want, body)
	}
}
