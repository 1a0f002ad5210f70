package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"callboard/backend/model"
	"callboard/backend/tool"
)

func TestAnyLogFoldsAtEveryPrefixAndInTwoHalvesAsInOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.SampledFrom([]int{0, 10, 60}).Draw(t, "least")
		records := rapid.SliceOfN(rapid.Custom(anyRecord), least, 120).Draw(t, "log")
		cut := rapid.IntRange(0, len(records)).Draw(t, "cut")
		var halves Transcript
		applyRecords(&halves, records[:cut])
		snapshotOf(t, &halves) // looking does not change it
		applyRecords(&halves, records[cut:])
		var whole Transcript
		for i := range records {
			applyRecords(&whole, records[i:i+1])
			checkInvariants(t, &whole)
		}
		if got, want := snapshotOf(t, &halves), snapshotOf(t, &whole); got != want {
			t.Errorf("in two halves\n%s\nwhole\n%s", got, want)
		}
	})
}

// checkInvariants holds what is true of every transcript, whatever the log.
func checkInvariants(t *rapid.T, tr *Transcript) {
	keys := map[string]bool{}
	open := 0
	for _, item := range tr.Items {
		if keys[item.Key] {
			t.Fatalf("two items have the key %s", item.Key)
		}
		keys[item.Key] = true
		if item.Open {
			open++
		}
		if item.Kind == ItemCall && tr.Call(item.ID) != item.Call {
			t.Fatalf("the item %s is not of its call", item.Key)
		}
	}
	if open > 1 || open == 1 && tr.Status.Ended() {
		t.Fatalf("%d parts are open in a run that is %s", open, tr.Status)
	}
	if len(tr.Calls()) != len(tr.calls) {
		t.Fatalf("%d calls have an item, of %d", len(tr.Calls()), len(tr.calls))
	}
	for _, c := range tr.Calls() {
		switch c.State {
		case StateDropped:
			t.Fatalf("the dropped call %s is shown", c.ID)
		case StateInput, StateProposed, StateWaiting, StateApproved, StateRunning:
			if tr.Status.Ended() || c.settled {
				t.Fatalf("call %s is %s in a run that is %s, with its result: %v", c.ID, c.State, tr.Status, c.settled)
			}
		default:
		}
	}
	for _, c := range tr.Pending() {
		if c.Approval == nil || c.settled {
			t.Fatalf("call %s is pending without an approval, or with its result", c.ID)
		}
	}
}

func snapshotOf(t *rapid.T, tr *Transcript) string {
	text, err := json.Marshal(tr.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anyRecord is an event of few ids, so that they meet, under any number; now and then something that is none.
func anyRecord(t *rapid.T) record {
	seq := rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 0, 1, 7, 20, 50}).Draw(t, "seq")
	if rapid.IntRange(0, 30).Draw(t, "malformed") == 0 {
		return record{seq, rapid.SampledFrom([]string{"{", "", "[]", `{"type":"text-delta"}`, `{"type":"new","x":1.0}`}).Draw(t, "raw")}
	}
	f := Frame{AtMs: rapid.Int64Range(0, 5).Draw(t, "at"), Event: anyEvent(t)}
	text, err := f.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return record{seq, string(text)}
}

func anyEvent(t *rapid.T) Event {
	id := func() string { return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id") }
	text := func(name string) string { return rapid.SampledFrom([]string{"", "", "x", "é🙂\"\n"}).Draw(t, name) }
	raw := func(name string) json.RawMessage {
		return rapid.SampledFrom([]json.RawMessage{nil, nil, json.RawMessage(`1.0`), json.RawMessage(`{"a":[2]}`)}).Draw(t, name)
	}
	dropped := rapid.SampledFrom([]bool{false, false, false, true})
	presentation := func() *tool.Presentation {
		return rapid.SampledFrom([]*tool.Presentation{nil, nil, {Label: "L"}, {Label: "M", Summary: "s", Tone: tool.ToneWarning}}).Draw(t, "presentation")
	}
	switch rapid.IntRange(0, 21).Draw(t, "type") {
	case 10:
		return &Start{MessageID: id(), ThreadID: "t", RunID: "r", AgentName: text("agent")}
	case 11:
		return &Message{MessageID: id(), Role: model.RoleUser, Content: text("content")}
	case 2, 3:
		return &Turn{
			Turn: rapid.IntRange(1, 3).Draw(t, "turn"), ParentToolCallID: rapid.SampledFrom([]string{"", "", "a"}).Draw(t, "inside"), Phase: rapid.SampledFrom(phases).Draw(t, "phase"), Reason: text("reason"),
			AgentName: text("agent"),
		}
	case 4:
		return &TextStart{ID: id()}
	case 5, 6:
		return &TextDelta{ID: id(), Delta: text("delta")}
	case 7:
		return &TextEnd{ID: id(), Dropped: dropped.Draw(t, "dropped")}
	case 8:
		return &ReasoningDelta{ID: id(), Delta: text("delta")}
	case 9:
		return &ReasoningEnd{ID: id(), Dropped: dropped.Draw(t, "dropped")}
	case 0, 1:
		parent := rapid.SampledFrom([]string{"", "", "", "a"}).Draw(t, "parent")
		return &ToolCallStart{ID: id(), ToolName: "f", ParentToolCallID: parent, Presentation: presentation()}
	case 12, 13:
		return &ToolCallDelta{ID: id(), ArgsTextDelta: text("delta")}
	case 14:
		return &ToolCallEnd{ID: id(), Dropped: dropped.Draw(t, "dropped")}
	case 15:
		return &ToolUpdate{ToolCallID: id(), Content: raw("content"), Details: raw("details"), Presentation: presentation(), Arguments: raw("args")}
	case 16, 17:
		return &CallState{ToolCallID: id(), State: rapid.SampledFrom(told).Draw(t, "state"), By: text("by"), Reason: text("reason")}
	case 18:
		return &ToolResult{
			ID: "e", ToolCallID: id(), Result: raw("result"), Error: text("error"), Dropped: dropped.Draw(t, "dropped"),
			Presentation: presentation(),
		}
	case 19:
		return &ApprovalRequired{ThreadID: "t", Approvals: []Approval{{
			ToolCallID: id(), ToolName: "f", ApprovalID: text("approval"), ArgumentsText: text("args"),
			Kind: rapid.SampledFrom([]ApprovalKind{KindApproval, KindUnknown}).Draw(t, "kind"),
		}}}
	case 20:
		return &Finish{MessageID: "m", Status: rapid.SampledFrom([]Status{StatusPaused, StatusPaused, "", StatusCancelled}).Draw(t, "status")}
	default:
		if rapid.IntRange(0, 9).Draw(t, "fails") == 9 {
			return &Error{Message: text("message"), Code: "X"}
		}
		return &ReasoningStart{ID: id()}
	}
}

func TestAnEventIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := Frame{Seq: 3, AtMs: rapid.Int64Range(0, 1<<53-1).Draw(t, "at"), Event: anyEvent(t)}
		text, err := written.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(text, "\r\n") || !json.Valid(text) {
			t.Fatalf("not one line of JSON: %s", text)
		}
		read, err := DecodeFrame(3, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := read.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if read.Seq != 3 || read.AtMs != written.AtMs {
			t.Errorf("got %d at %d, want 3 at %d", read.Seq, read.AtMs, written.AtMs)
		}
		switch written.Event.(type) {
		case *ApprovalRequired, *ToolUpdate: // what a server may leave out is filled in
		default:
			if !bytes.Equal(again, text) {
				t.Errorf("got %s, want %s", again, text)
			}
		}
	})
}

func TestTheScannerTakesWhatIsJSONAndNothingElse(t *testing.T) {
	pieces := []string{
		`{`, `}`, `[`, `]`, `,`, `:`, `"a"`, `""`, `"\n"`, `"\u00e9"`, `"\x"`, `"\u12"`, "\"\n\"", `"`, `0`, `-`, `-0`, `01`, `1.5`, `1.`, `.5`,
		`1e5`, `1e`, `1E+2`, `true`, `false`, `null`, `nul`, ` `, "\n", "\t", "\v", "é", `\`, `{"a":1}`, `{"a":[{}]}`, `[1,2]`,
	}
	rapid.Check(t, func(t *rapid.T) {
		var text string
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces") {
			text += piece
		}
		for _, data := range []string{text, "{" + text + "}", `{"a":` + text + "}", `{"a":[` + text + "]}", fmt.Sprintf("{%q:%s}", "k", text)} {
			_, err := scanMembers(nil, []byte(data))
			want := json.Valid([]byte(data)) && bytes.HasPrefix(bytes.TrimSpace([]byte(data)), []byte("{"))
			if (err == nil) != want {
				t.Errorf("%q: got %v, want it taken: %v", data, err, want)
			}
		}
	})
}
