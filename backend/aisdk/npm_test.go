package aisdk_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"callboard/backend/protocol"
)

// node runs a script of testdata/npm beside the AI SDK, which make installs, and returns what it prints; where they are not there the
// test is skipped.
func node(t *testing.T, stdin []byte, script string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node")
	}
	folder := filepath.Join("testdata", "npm")
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "ai")); err != nil {
		t.Skip("the AI SDK is not installed: run npm ci --ignore-scripts in backend/aisdk/testdata/npm, or make test-go")
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{script}, args...)...)
	cmd.Dir, cmd.Stdin = folder, bytes.NewReader(stdin)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, said.String())
	}
	return out.Bytes()
}

// uiPart is a part of a UI message as the AI SDK reads it.
type uiPart struct {
	Type, ID, Text, State, ToolCallID, ErrorText string
	Input, Output, Data                          json.RawMessage
	Approval                                     *struct{ IsAutomatic bool }
}

func (p uiPart) isCall() bool { return p.ToolCallID != "" }

// The message the AI SDK reads of a run is the one the protocol's own fold has: the same texts and calls in the same order, each call
// where it stands.
func TestTheAISDKReadsWhatTheProtocolsFoldHas(t *testing.T) {
	all := map[string][]json.RawMessage{}
	transcripts := map[string]*protocol.Transcript{}
	for log, frames := range logs(t) {
		transcript := &protocol.Transcript{}
		for _, f := range frames {
			transcript.Apply(f)
		}
		for name, flushed := range map[string]bool{log: false, log + ", flushed after every event": true} {
			transcripts[name], all[name] = transcript, []json.RawMessage{}
			for line := range strings.Lines(lines(t, chunksOf(frames, flushed))) {
				all[name] = append(all[name], json.RawMessage(line))
			}
		}
	}
	stdin, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]struct {
		Message         struct{ Parts []uiPart }
		Errors, Refused []string
	}
	if err := json.Unmarshal(node(t, stdin, "read.mjs"), &read); err != nil {
		t.Fatal(err)
	}
	for name, transcript := range transcripts {
		t.Run(name, func(t *testing.T) {
			r := read[name]
			if len(r.Refused) > 0 {
				t.Errorf("the AI SDK refuses %s", strings.Join(r.Refused, "\n"))
			}
			wantErrors := []string{}
			if transcript.Error != nil {
				wantErrors = append(wantErrors, cmp.Or(transcript.Error.Message, "The run failed."))
			}
			if !slices.Equal(r.Errors, wantErrors) {
				t.Errorf("got errors %q, want %q", r.Errors, wantErrors)
			}
			if log, _, _ := strings.Cut(name, ","); outOfOrder[log] {
				return
			}
			if got, want := readParts(r.Message.Parts), foldedParts(transcript); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// outOfOrder are logs in which calls hear of events before they are announced: no server of this project sends such, and a mapper need
// not make sense of them, as long as no client breaks.
var outOfOrder = map[string]bool{"orphan-result": true, "late": true, "random-a": true, "random-b": true, "random-c": true}

// readParts lists the texts and calls of a message, each on a line.
func readParts(parts []uiPart) string {
	var lines []string
	for _, p := range parts {
		switch {
		case p.Type == "text", p.Type == "reasoning":
			lines = append(lines, p.Type+" "+p.Text)
		case p.isCall():
			state := p.State
			if p.Approval != nil && p.Approval.IsAutomatic && state == "approval-responded" {
				state = "input-available"
			}
			lines = append(lines, strings.Join([]string{p.Type, p.ToolCallID, state, p.ErrorText}, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// foldedParts is what readParts must be for a run.
func foldedParts(t *protocol.Transcript) string {
	states := map[protocol.State]string{
		protocol.StateInput: "input-streaming", protocol.StateProposed: "input-available", protocol.StateRunning: "input-available",
		protocol.StateWaiting: "approval-requested", protocol.StateUnknown: "approval-requested", protocol.StateApproved: "approval-responded",
		protocol.StateDone: "output-available", protocol.StateFailed: "output-error", protocol.StateCancelled: "output-error",
		protocol.StateDenied: "output-denied", protocol.StateExpired: "output-denied",
	}
	var lines []string
	for _, item := range t.Items {
		switch c := item.Call; {
		case item.Kind == protocol.ItemText, item.Kind == protocol.ItemReasoning:
			lines = append(lines, string(item.Kind)+" "+item.Text())
		case c != nil:
			line := []string{"tool-" + c.ToolName, c.ID, states[c.State], ""}
			if c.WaitingMs > 0 && c.DecidedMs == 0 && line[2] == "output-error" { // nobody answered
				line[2] = "output-denied"
			}
			if line[2] == "output-error" {
				line[3] = c.Error
			}
			lines = append(lines, strings.Join(line, " "))
		}
	}
	return strings.Join(lines, "\n")
}
