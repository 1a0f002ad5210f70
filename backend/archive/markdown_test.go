package archive_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"callboard/backend/agent"
	"callboard/backend/archive"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func markdown(t testing.TB, lines []archive.Line) string {
	t.Helper()
	var out strings.Builder
	if err := archive.Markdown(&out, sequence(lines)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMarkdown(t *testing.T) {
	golden(t, "testdata/thread.md", markdown(t, thread(t)))
}

// run is a thread of one run with some events.
func run(t testing.TB, row agent.Run, events ...protocol.Event) []archive.Line {
	t.Helper()
	row.ID = "r"
	lines := []archive.Line{archive.HeadOf(&agent.ThreadSummary{ID: "t"}, "", ""), archive.RunOf(&row)}
	for i, event := range events {
		text, err := protocol.Frame{Seq: int64(i + 1), Event: event}.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, archive.EventOf(agent.Record{Seq: int64(i + 1), JSON: text}))
	}
	return lines
}

func TestMarkdownOfWhatIsNotAsItShouldBe(t *testing.T) {
	started := &protocol.ToolCallStart{ID: "c", ToolName: "deploy"}
	written := &protocol.ToolCallDelta{ID: "c", ArgsTextDelta: `{"broken":`}
	ended := &protocol.ToolCallEnd{ID: "c"}
	for _, test := range []struct {
		name   string
		row    agent.Run
		events []protocol.Event
		want   string
	}{
		{"a thread without a title", agent.Run{Status: protocol.StatusCompleted}, nil, "# Untitled\n"},
		{"a run that failed", agent.Run{Status: protocol.StatusFailed, Error: "no ```` way", ErrorCode: "RUN_TIMEOUT"}, nil, "**The run failed** `RUN_TIMEOUT`\n\n`````text\nno ```` way\n`````\n"},
		{"a run that was cancelled", agent.Run{Status: protocol.StatusCancelled}, nil, "*The run was cancelled.*"},
		{"a run that waits", agent.Run{Status: protocol.StatusPaused}, nil, "*The run waits for a decision.*"},
		{"a run at work", agent.Run{Status: protocol.StatusRunning}, nil, "*The run was not over when this was written.*"},
		{"arguments that are no JSON", agent.Run{}, []protocol.Event{started, written, ended}, "```text\n{\"broken\":\n```"},
		{"a call that was denied", agent.Run{}, []protocol.Event{
			started, written, ended, &protocol.CallState{ToolCallID: "c", State: protocol.StateDenied, By: "ann", Reason: "not *now*"},
			&protocol.ToolResult{ID: "r", ToolCallID: "c", Error: "denied", ErrorCode: "TOOL_DENIED"},
		}, "`deploy` · **denied** · `TOOL_DENIED` · decided by ann · reason: not \\*now\\*\n"},
		{"a call that was dropped", agent.Run{}, []protocol.Event{
			started, written, &protocol.ToolCallEnd{ID: "c", Dropped: true}, &protocol.ToolResult{ID: "r", ToolCallID: "c", Dropped: true, Reason: protocol.Incomplete},
		}, "*1 call was dropped: never finished, or not kept.*"},
		{"a call inside a call", agent.Run{}, []protocol.Event{
			&protocol.ToolCallStart{ID: "p", ToolName: "ask", Presentation: &tool.Presentation{Label: "Ask [bob]"}}, &protocol.ToolCallEnd{ID: "p"},
			&protocol.ToolCallStart{ID: "k", ToolName: "look", ParentToolCallID: "p"},
		}, "inside Ask \\[bob\\]"},
		{"details of all kinds", agent.Run{}, []protocol.Event{started, ended, &protocol.ToolResult{ID: "r", ToolCallID: "c", Result: json.RawMessage("1.0"), Details: json.RawMessage(
			`[{"file":{"path":"a.go","line":3}},{"progress":{"done":3,"total":10,"unit":"files"}},{"code":{"lang":"go\n` + "```" + `","text":"x"}},{"image":{"src":"data:image/png;base64,AA==","mediaType":"image/png"}},{"markdown":"# hi"}]`,
		)}}, "File `a.go`, line 3\n\nProgress: 3 of 10 files\n\n```go\nx\n```\n\n*An image was left out.*\n\n> # hi\n"},
		{"a long result", agent.Run{}, []protocol.Event{started, ended, &protocol.ToolResult{ID: "r", ToolCallID: "c", Result: json.RawMessage(`"` + strings.Repeat("é", 40_000) + `"`)}}, "*14464 bytes more were left out;"},
		{"another's message", agent.Run{}, []protocol.Event{&protocol.Message{MessageID: "m", Role: model.RoleAssistant, Content: "*hi*"}}, "## Agent\n\n> *hi*"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := markdown(t, run(t, test.row, test.events...)); !strings.Contains(got, test.want) {
				t.Errorf("got\n%s\nwant in it\n%s", got, test.want)
			}
		})
	}
}

func TestMarkdownOfACallWithoutDetailsHasNoHeadingOfThem(t *testing.T) {
	for _, details := range []string{"", "null"} {
		got := markdown(t, run(t, agent.Run{}, &protocol.ToolCallStart{ID: "c", ToolName: "look"}, &protocol.ToolCallEnd{ID: "c"},
			&protocol.ToolResult{ID: "r", ToolCallID: "c", Result: json.RawMessage(`"seen"`), Details: json.RawMessage(details)}))
		if !strings.Contains(got, "seen") || strings.Contains(got, "Details") {
			t.Errorf("details %q: got\n%s", details, got)
		}
	}
}

var headings = regexp.MustCompile(`(?m)^#+ .*$`)

// Whatever texts hold, the headings of the document are its own, and outside of quotes each fence that opens closes.
func TestNothingBreaksOutOfItsFence(t *testing.T) {
	hostile := rapid.SampledFrom([]string{"`", "```", "````", "~~~", "\n", "\r", "# heading", "> ", "<!--", "<script>", "===", "---", "- ", "1. ", "|", "\x00", "a", " ", "[x](y)", "\u2028"})
	rapid.Check(t, func(t *rapid.T) {
		say := func(name string) string { return strings.Join(rapid.SliceOf(hostile).Draw(t, name), "") }
		quoted := func(name string) json.RawMessage {
			text, err := json.Marshal(say(name))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		lines := []archive.Line{archive.HeadOf(&agent.ThreadSummary{ID: "t"}, say("title"), ""), archive.RunOf(&agent.Run{ID: "r", Status: protocol.StatusFailed, Error: say("run error")})}
		for i, event := range []protocol.Event{
			&protocol.Message{MessageID: "m", Role: model.RoleUser, Content: say("input")}, &protocol.TextDelta{ID: "p", Delta: "x" + say("answer")}, &protocol.TextEnd{ID: "p"},
			&protocol.ToolCallStart{ID: "c", ToolName: "x", Presentation: &tool.Presentation{Label: say("label"), Detail: say("detail"), Summary: say("summary")}},
			&protocol.ToolCallDelta{ID: "c", ArgsTextDelta: "x" + say("arguments")}, &protocol.ToolCallEnd{ID: "c"},
			&protocol.ToolResult{ID: "r", ToolCallID: "c", Result: quoted("result"), Details: json.RawMessage(`{"diff":` + string(quoted("diff")) + `,"table":{"columns":["a"],"rows":[[` + string(quoted("cell")) + `]]}}`)},
		} {
			text, err := protocol.Frame{Seq: int64(i + 1), Event: event}.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, archive.EventOf(agent.Record{Seq: int64(i + 1), JSON: text}))
		}
		var out strings.Builder
		if err := archive.Markdown(&out, sequence(lines)); err != nil {
			t.Fatal(err)
		}
		fence := ""
		count := 0
		for _, line := range strings.Split(out.String(), "\n") {
			ticks := len(line) - len(strings.TrimLeft(line, "`"))
			switch {
			case fence != "" && line == fence:
				fence = ""
			case fence != "":
			case ticks >= 3:
				fence = line[:ticks]
			case headings.MatchString(line):
				count++
			}
		}
		// The title, who says what, and the call.
		if want := 4; fence != "" || count != want {
			t.Fatalf("fence %q is open at the end, %d headings, want %d:\n%s", fence, count, want, out.String())
		}
	})
}
