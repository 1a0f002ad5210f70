package protocol

import (
	"strings"
	"testing"
)

// What must be true of the shared logs, said by hand; the golden files beside them are written by the fold itself.

func TestA7AnEventWithoutItsPayloadIsReportedAndTheRunGoesOn(t *testing.T) {
	tr := fold(readLog(t, "wire-errors"))
	equal(t, "wire errors", len(tr.WireErrors), 8)
	equal(t, "the first's bytes", string(tr.WireErrors[0].Raw), "{bad")
	if raw := string(tr.WireErrors[1].Raw); !strings.Contains(raw, "tool-call-delta") {
		t.Errorf("the second is %s, want the delta without its payload", raw)
	}
	equal(t, "gaps", len(tr.Gaps), 0)
	equal(t, "arguments", tr.Call("c1").ArgumentsText(), "{}")
	equal(t, "status", tr.Status, StatusCompleted)
}

func TestA8CharactersAreWholeInTextAndArguments(t *testing.T) {
	tr := fold(readLog(t, "plain-text"))
	equal(t, "text", tr.Items[2].Text(), "Hello, 世界 🙂\n<b>&amp;")
	tr = fold(readLog(t, "streamed-arguments"))
	equal(t, "arguments", tr.Call("c1").ArgumentsText(), `{"path":"naïve 🙂.txt","content":"a\"b\\c\u2028"}`)
}

func TestA11RepeatedEventsAreIgnoredAndGapsAreShown(t *testing.T) {
	tr := fold(readLog(t, "gaps"))
	equal(t, "text", tr.Items[1].Text(), "one three.")
	equal(t, "gaps", len(tr.Gaps), 2)
	equal(t, "first gap", tr.Gaps[0], Gap{5, 6})
	equal(t, "second gap", tr.Gaps[1], Gap{8, 11})
}

func TestA12ARunThatFailedStaysFailedAndSettlesItsCalls(t *testing.T) {
	tr := fold(readLog(t, "late"))
	equal(t, "status", tr.Status, StatusFailed)
	equal(t, "running call", tr.Call("c2").State, StateUnknown)
	equal(t, "its reason", tr.Call("c2").Reason, endedBefore)
	equal(t, "waiting call", tr.Call("c5").State, StateCancelled)
	equal(t, "half call", tr.Dropped[0].DropReason, Incomplete)
	equal(t, "complete call", tr.Dropped[1].DropReason, Discarded)
	if tr.Call("c9") != nil {
		t.Error("a call announced after the end is shown")
	}
}

func TestB9AStartThatComesTwiceIsOneCard(t *testing.T) {
	tr := fold(readLog(t, "text-around-calls"))
	equal(t, "calls", len(tr.Calls()), 2)
	equal(t, "arguments", tr.Call("c1").ArgumentsText(), "{}")
	equal(t, "result", string(tr.Call("c1").Result), "1")
}

func TestB10TextKeepsItsPlaceAroundCalls(t *testing.T) {
	var order []string
	for _, item := range fold(readLog(t, "text-around-calls")).Items {
		if item.Kind == ItemCall {
			order = append(order, item.ID)
		} else {
			order = append(order, item.Text())
		}
	}
	equal(t, "order", strings.Join(order, " "), "A c1 B C c2 D why E")
}

func TestB11AResultBeforeItsCallIsJoinedAndAnOrphanIsShownAsSuch(t *testing.T) {
	log := readLog(t, "orphan-result")
	if tr := fold(log[:4]); len(tr.Calls()) != 0 {
		t.Error("a result that waits for its call is shown")
	}
	tr := fold(log)
	equal(t, "joined result", string(tr.Call("c1").Result), `"early"`)
	equal(t, "joined call's name", tr.Call("c1").ToolName, "read_file")
	equal(t, "joined call's arguments", tr.Call("c1").ArgumentsText(), "{}")
	equal(t, "orphan", tr.Call("ghost").Orphan, true)
	equal(t, "orphan's result", string(tr.Call("ghost").Result), `"nobody called"`)
}

func TestB14AFailedTryLeavesNothingInTheThread(t *testing.T) {
	for _, name := range []string{"retry", "retry-not-taken-back"} {
		t.Run(name, func(t *testing.T) {
			tr := fold(readLog(t, name))
			for _, item := range tr.Items {
				if item.ID == "c1" || strings.Contains(item.Text(), "First") || item.Text() == "I wi" {
					t.Errorf("%s of the first try is shown", item.Key)
				}
			}
			equal(t, "dropped call", tr.Dropped[0].ID, "c1")
			if tr.Turns[0].Retries[0].Reason == "" {
				t.Error("the cause is lost")
			}
			if len(tr.DroppedParts) == 0 {
				t.Error("the text of the first try is not kept for the inspector")
			}
		})
	}
}

func TestB15ArgumentsOfAnyShapeAreKeptAsText(t *testing.T) {
	tr := fold(readLog(t, "odd-arguments"))
	for id, want := range map[string]string{
		"c0": "[]", "c1": "1", "c2": `"x"`, "c3": "true", "c4": "null", "c5": `"{\"a\":1}"`, "c7": `{"a":1}{"a":2}`, "c8": `{"a":`, "c9": "",
	} {
		equal(t, id, tr.Call(id).ArgumentsText(), want)
	}
}

func TestB16AndKNumbersKeysAndEscapesStayAsTheyWere(t *testing.T) {
	c := fold(readLog(t, "lossless")).Call("c1")
	for _, want := range []string{
		`2512292042121000001`, `1.0`, `1e400`, `"a":1,"a":2`, `"path":"safe","PATH":"/etc"`, `"10":0,"9":0`, `a<b&&c`, `a\u0000b`, `"\ud83d"`,
	} {
		for name, text := range map[string]string{
			"proposed": c.ProposedText(), "arguments": c.ArgumentsText(), "result": string(c.Result), "details": string(c.Details),
			"progress": string(c.Update.Content),
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s is not in %s", name, want, text)
			}
		}
	}
	equal(t, "other spacing", string(fold(readLog(t, "lossless")).Call("__proto__").Result), `[1.0, 1e400, "\ud83d", -0, 0.10]`)
}

func TestB18NamesOfPrototypesAreData(t *testing.T) {
	tr := fold(readLog(t, "lossless"))
	equal(t, "tool name", tr.Call("c1").ToolName, "constructor")
	equal(t, "call id", tr.Call("__proto__").ID, "__proto__")
	if tr.Call("constructor") != nil {
		t.Error("a call that was never made is found")
	}
}

func TestKDeepNestingIsData(t *testing.T) {
	equal(t, "length", len(fold(readLog(t, "deep")).Call("c1").Result), 20002)
}

func TestE2ACancelledCallStaysCancelled(t *testing.T) {
	tr := fold(readLog(t, "cancelled"))
	c := tr.Call("c1")
	equal(t, "state", c.State, StateCancelled)
	equal(t, "progress", string(c.Update.Content), `"1 s"`)
	equal(t, "late events", len(tr.Late), 3)
	equal(t, "status", tr.Status, StatusCancelled)
}

func TestACallThatNeverRanLeavesTheThreadAndIsKeptWithItsReason(t *testing.T) {
	tr := fold(readLog(t, "dropped"))
	equal(t, "calls shown", len(tr.Calls()), 0)
	equal(t, "items", len(tr.Items), 2)
	equal(t, "cut call", tr.Dropped[0].DropReason, Incomplete)
	equal(t, "its partial text", tr.Dropped[0].ProposedText(), `{"path":"x","content":"half of`)
	equal(t, "unwanted call", tr.Dropped[1].DropReason, Discarded)
	equal(t, "the turn's count", tr.Turns[0].Dropped, 2)
}

func TestParallelCallsKeepTheirPlacesWhateverEndsFirst(t *testing.T) {
	calls := fold(readLog(t, "parallel-calls")).Calls()
	equal(t, "first", string(calls[0].Result), `"package a\n"`)
	equal(t, "second", string(calls[1].Result), `"package b\n"`)
	equal(t, "detail stays", calls[0].Presentation.Detail, "a.go")
	equal(t, "summary of the result", calls[1].Presentation.Summary, "1 line")
	equal(t, "zero is told", *calls[0].DurationMs, 0)
}

func TestAPausedRunShowsWhatItWaitsFor(t *testing.T) {
	tr := fold(readLog(t, "approval-paused"))
	equal(t, "status", tr.Status, StatusPaused)
	pending := tr.Pending()
	equal(t, "pending", len(pending), 2)
	equal(t, "approval", pending[0].ApprovalID, "a1")
	equal(t, "arguments", pending[0].Approval.ArgumentsText, `{"command":"rm -rf build"}`)
	equal(t, "preview", string(pending[0].Approval.Details), `{"terminal":"$ rm -rf build"}`)
	equal(t, "expiry", pending[1].Approval.ExpiresAt, 1790003600000)
	equal(t, "undecided sibling", tr.Call("c3").State, StateProposed)
}

func TestADecidedRunShowsWhoDecidedWhat(t *testing.T) {
	tr := fold(readLog(t, "approval-decided"))
	c1, c2 := tr.Call("c1"), tr.Call("c2")
	equal(t, "denied call", c1.State, StateDenied)
	equal(t, "by", c1.By, "ada")
	equal(t, "reason", c1.Reason, "wrong folder")
	equal(t, "what the model read", c1.ErrorCode, "TOOL_DENIED")
	equal(t, "approved call", c2.State, StateDone)
	equal(t, "rule", c2.By, "rule:go test")
	equal(t, "progress", string(c2.Update.Content), `"ok b"`)
	equal(t, "updates", c2.UpdateCount, 2)
	equal(t, "pending", len(tr.Pending()), 0)
}

func TestSomeDecisionsLeaveTheRestWaiting(t *testing.T) {
	tr := fold(readLog(t, "approval-partly-decided"))
	equal(t, "status", tr.Status, StatusPaused)
	equal(t, "decided", tr.Call("c1").State, StateDenied)
	equal(t, "pending", len(tr.Pending()), 1)
	equal(t, "which", tr.Pending()[0].ID, "c2")
}

func TestAnEditedCallShowsBothTexts(t *testing.T) {
	tr := fold(readLog(t, "approval-edited"))
	c := tr.Call("c1")
	equal(t, "proposed", c.ProposedText(), `{"command":"rm -rf build"}`)
	equal(t, "ran", c.ArgumentsText(), `{"command": "rm -rf build/tmp"}`)
	equal(t, "progress", c.UpdateCount, 0)
	equal(t, "expired is not denied", tr.Call("c2").State, StateExpired)
}

func TestACallThatRanWhenTheProcessDiedIsUnknownAndAsked(t *testing.T) {
	tr := fold(readLog(t, "unknown-after-crash"))
	equal(t, "state", tr.Call("c1").State, StateUnknown)
	equal(t, "pending", len(tr.Pending()), 1)
	equal(t, "kind", tr.Pending()[0].Approval.Kind, KindUnknown)
	tr = fold(readLog(t, "unknown-given-up"))
	equal(t, "given up", tr.Call("c1").State, StateDenied)
	equal(t, "pending", len(tr.Pending()), 0)
}

func TestAFailedCallShowsItsCodeAndAFailedRunItsOwn(t *testing.T) {
	tr := fold(readLog(t, "failed"))
	equal(t, "state", tr.Call("c1").State, StateFailed)
	equal(t, "code", tr.Call("c1").ErrorCode, "TOOL_TIMEOUT")
	equal(t, "result", string(tr.Call("c1").Result), "null")
	equal(t, "status", tr.Status, StatusFailed)
	equal(t, "run's code", tr.Error.Code, "LLM_UNAVAILABLE")
}

func TestAHandoffShowsInTheTurnsAndTheirCalls(t *testing.T) {
	tr := fold(readLog(t, "handoff"))
	equal(t, "first call's agent", tr.Call("c1").AgentName, "demo")
	equal(t, "second call's agent", tr.Call("c2").AgentName, "writer")
	equal(t, "second turn's model", tr.Turns[1].Model, "big")
}

func TestAChildsCallsStandUnderTheirParent(t *testing.T) {
	tr := fold(readLog(t, "child-calls"))
	equal(t, "children", strings.Join(tr.Call("c1").Children, " "), "k1")
	equal(t, "parent", tr.Call("k1").ParentToolCallID, "c1")
	equal(t, "provider's id", tr.Call("k1").ProviderCallID, "call_0")
}

func TestUnknownEventsAreKeptAsTheyCame(t *testing.T) {
	tr := fold(readLog(t, "unknown-event"))
	equal(t, "kept", len(tr.Unknown), 3)
	equal(t, "type", tr.Unknown[0].Event.Type(), "workflow")
	raw, err := tr.Unknown[2].AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "bytes", string(raw), `{"type":"shiny","at":1, "big": 12345678901234567890}`)
}

func TestAServerThatDoesNotNumberIsRead(t *testing.T) {
	tr := fold(readLog(t, "unnumbered"))
	equal(t, "status without one", tr.Status, StatusPaused)
	equal(t, "last", tr.Last, 9)
	equal(t, "pending", len(tr.Pending()), 2)
	equal(t, "arguments without their text", tr.Call("other").ArgumentsText(), `{"b": 1.0}`)
}

func TestTheOpenPartIsTold(t *testing.T) {
	log := readLog(t, "plain-text")
	for at, want := range map[int]string{3: "", 4: "p0", 6: "p0", 7: "", 8: "p1", len(log): ""} {
		if id, _ := fold(log[:at]).OpenPart(); id != want {
			t.Errorf("after %d events: got %q, want %q", at, id, want)
		}
	}
	if _, kind := fold(log[:4]).OpenPart(); kind != ItemReasoning {
		t.Errorf("got %q, want %q", kind, ItemReasoning)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
