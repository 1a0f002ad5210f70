package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// runWriter writes a run as Markdown.
type runWriter struct {
	out  strings.Builder
	run  *protocol.Transcript
	turn int // whose heading is written
}

func (w *runWriter) item(item *protocol.Item) {
	switch item.Kind {
	case protocol.ItemMessage:
		who, quoted := "You", quotedText(item.Text())
		if item.Role != model.RoleUser {
			who, quoted = "Agent", quotedMarkdown(item.Text())
		}
		w.out.WriteString(said(who, w.run.StartedMs, quoted))
	case protocol.ItemText:
		w.agent(item.Turn)
		w.out.WriteString(quotedMarkdown(item.Text()) + "\n\n")
	case protocol.ItemReasoning:
		w.agent(item.Turn)
		w.out.WriteString("*Reasoning*\n\n" + quotedMarkdown(item.Text()) + "\n\n")
	case protocol.ItemCall:
		w.agent(item.Call.Turn)
		w.call(item.Call)
	}
}

// agent writes who speaks, once a turn.
func (w *runWriter) agent(turn int) {
	if turn == w.turn {
		return
	}
	w.turn = turn
	name := "Agent"
	at := int64(0)
	for _, t := range w.run.Turns {
		if t.Turn == turn {
			at = t.StartedMs
			if t.AgentName != "" {
				name = "Agent " + code(t.AgentName)
			}
		}
	}
	when := ""
	if at > 0 {
		when = " · " + moment(at)
	}
	fmt.Fprintf(&w.out, "## %s%s\n\n", name, when)
}

// stateWords are what the window calls the states of a call.
var stateWords = map[protocol.State]string{
	protocol.StateInput: "being written", protocol.StateProposed: "queued", protocol.StateWaiting: "needs approval",
}

func (w *runWriter) call(c *protocol.Call) {
	label, detail, summary := presented(c.Presentation)
	heading := code(c.ToolName)
	if label != "" {
		heading = escaped(label)
	}
	if detail != "" {
		heading += " " + code(detail)
	}
	fmt.Fprintf(&w.out, "### %s\n\n%s\n\n", heading, w.facts(c, summary))
	if c.Replaced == nil {
		w.block("Arguments", jsonFence(c.ProposedText()))
	} else {
		w.block("Arguments the model wrote", jsonFence(c.ProposedText()))
		w.block("Arguments it ran with", jsonFence(*c.Replaced))
	}
	switch {
	case c.Error != "":
		w.block("Error", fence("text", c.Error))
	case len(c.Result) > 0 && string(c.Result) != "null":
		w.block("Result", valueFence(c.Result))
	}
	for i, b := range protocol.DetailsBlocks(c.Details) {
		if i == 0 {
			w.out.WriteString("Details:\n\n")
		}
		w.out.WriteString(blockMarkdown(b) + "\n\n")
	}
}

func (w *runWriter) block(name, body string) {
	fmt.Fprintf(&w.out, "%s:\n\n%s\n\n", name, body)
}

// facts is the line under a call's heading.
func (w *runWriter) facts(c *protocol.Call, summary string) string {
	state := string(c.State)
	if word := stateWords[c.State]; word != "" {
		state = word
	}
	all := []string{code(c.ToolName), "**" + state + "**"}
	if summary != "" {
		all = append(all, escaped(summary))
	}
	if c.ErrorCode != "" {
		all = append(all, code(c.ErrorCode))
	}
	if c.DurationMs != nil {
		all = append(all, took(*c.DurationMs))
	}
	if c.By != "" {
		all = append(all, "decided by "+escaped(oneLine(c.By)))
	}
	if c.Reason != "" {
		all = append(all, "reason: "+escaped(oneLine(c.Reason)))
	}
	if parent := w.run.Call(c.ParentToolCallID); parent != nil {
		label, _, _ := presented(parent.Presentation)
		if label == "" {
			label = parent.ToolName
		}
		all = append(all, "inside "+escaped(label))
	}
	return strings.Join(all, " · ")
}

// end writes how the run ended, where that is not as it should be.
func (w *runWriter) end(row *Run) {
	if n := len(w.run.Dropped); n > 0 {
		fmt.Fprintf(&w.out, "*%s dropped: never finished, or not kept.*\n\n", counted(n, "call was", "calls were"))
	}
	switch row.Status {
	case protocol.StatusFailed:
		w.out.WriteString(strings.TrimSpace("**The run failed** "+code(row.ErrorCode)) + "\n\n" + fence("text", string(row.Error)) + "\n\n")
	case protocol.StatusCancelled:
		w.out.WriteString("*The run was cancelled.*\n\n")
	case protocol.StatusPaused:
		w.out.WriteString("*The run waits for a decision.*\n\n")
	case protocol.StatusRunning:
		w.out.WriteString("*The run was not over when this was written.*\n\n")
	case protocol.StatusCompleted:
	}
}

// took is how long a call took, as the window says it.
func took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return (time.Duration(ms) * time.Millisecond).Round(100 * time.Millisecond).String()
}

func presented(p *tool.Presentation) (label, detail, summary string) {
	if p == nil {
		return "", "", ""
	}
	return oneLine(p.Label), oneLine(p.Detail), oneLine(p.Summary)
}

// blockMarkdown is a block of a call's details.
func blockMarkdown(b protocol.Block) string {
	switch b.Kind {
	case protocol.BlockText:
		return fence("text", b.Text)
	case protocol.BlockMarkdown:
		return quotedMarkdown(b.Text)
	case protocol.BlockDiff:
		return fence("diff", b.Text)
	case protocol.BlockTerminal:
		return fence("text", ansi.ReplaceAllString(b.Text, ""))
	case protocol.BlockCode:
		return fence(plain.ReplaceAllString(b.Lang, ""), b.Text)
	case protocol.BlockTable:
		return table(b)
	case protocol.BlockImage:
		return imageNote(b)
	case protocol.BlockFile:
		if b.Line > 0 {
			return fmt.Sprintf("File %s, line %d", code(oneLine(b.Path)), b.Line)
		}
		return "File " + code(oneLine(b.Path))
	case protocol.BlockProgress:
		of := ""
		if b.Total != nil {
			of = fmt.Sprintf(" of %g", *b.Total)
		}
		return strings.TrimSpace(fmt.Sprintf("Progress: %g%s %s", b.Done, of, escaped(oneLine(b.Unit))))
	case protocol.BlockJSON:
		return jsonFence(string(b.Raw))
	}
	return jsonFence(string(b.Raw))
}

// imageNote stands in the place of an image.
func imageNote(b protocol.Block) string {
	name := b.Alt
	if name == "" && !strings.HasPrefix(b.Src, "data:") {
		name = b.Src
	}
	if name == "" {
		return "*An image was left out.*"
	}
	return fmt.Sprintf("*An image was left out:* %s", escaped(oneLine(name)))
}

// valueFence is a result: a text as such, all else as JSON.
func valueFence(value json.RawMessage) string {
	var s string
	switch {
	case json.Unmarshal(value, &s) != nil:
		return jsonFence(string(value))
	case s == "":
		return "*An empty text.*"
	}
	return fence("text", s)
}

// jsonFence is JSON over lines, its digits, order and doubled keys as they are; what is not JSON stays as it is.
func jsonFence(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return fence("text", text)
	}
	return fence("json", out.String())
}
