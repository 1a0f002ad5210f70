package archive

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Markdown writes a thread for people to read: its messages, and each call with its label, state, arguments, result and details. What
// others wrote stands in quotes and fences that nothing in it can end. It is no file that Callboard reads again.
func Markdown(w io.Writer, lines iter.Seq2[Line, error]) error {
	d := &document{runs: map[string]string{}}
	for line, err := range lines {
		if err != nil {
			return err
		}
		d.line(line)
	}
	d.endRun()
	d.rest()
	if _, err := io.WriteString(w, d.out.String()); err != nil {
		return fmt.Errorf("write the thread as Markdown: %w", err)
	}
	return nil
}

// document is a thread that is being written.
type document struct {
	out   strings.Builder
	runs  map[string]string // those the history did not come to yet, written
	order []string          // of runs

	runID string
	row   *Run
	run   *protocol.Transcript
}

func (d *document) line(line Line) {
	switch l := line.(type) {
	case *Head:
		d.head(l)
	case *Run:
		d.endRun()
		d.runID, d.row, d.run = l.ID, l, &protocol.Transcript{}
	case *Event:
		d.run.ApplyJSON(l.Seq, l.JSON)
	case *History:
		d.endRun()
		d.entry(l)
	}
}

func (d *document) head(h *Head) {
	title := cmp.Or(h.Shown(), "Untitled")
	fmt.Fprintf(&d.out, "# %s\n\n", escaped(oneLine(title)))
	facts := []string{"Thread " + code(h.Thread.ID)}
	if h.Thread.CreatedAtMs > 0 {
		facts = append(facts, "begun "+moment(h.Thread.CreatedAtMs))
	}
	if h.ExportedAtMs > 0 {
		facts = append(facts, "exported "+moment(h.ExportedAtMs))
	}
	if h.Thread.AgentName != "" {
		facts = append(facts, "agent "+code(h.Thread.AgentName))
	}
	fmt.Fprintf(&d.out, "%s.\n\n", strings.Join(facts, ", "))
	if r := h.Redacted; r != nil {
		d.out.WriteString(redactedWords(r) + "\n\n")
	}
}

func redactedWords(r *Redacted) string {
	words := "This copy is redacted: nothing was found to mask."
	if r.Secrets > 0 {
		words = fmt.Sprintf("This copy is redacted: %s masked.", counted(r.Secrets, "secret is", "secrets are"))
	}
	if r.LeftIn > 0 {
		words += fmt.Sprintf(" %s left in on purpose.", counted(r.LeftIn, "finding was", "findings were"))
	}
	return words
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// entry writes a message that belongs to no run where the history has it, and before it the runs that came first.
func (d *document) entry(h *History) {
	m := h.Message
	if m == nil || m.RunID != "" {
		id := h.RunID
		if m != nil {
			id = m.RunID
		}
		d.upTo(id)
		return
	}
	switch m.Role {
	case model.RoleUser:
		d.out.WriteString(said("You", m.AtMs, quotedText(string(m.Content))))
	case model.RoleAssistant:
		d.out.WriteString(said("Agent", m.AtMs, quotedMarkdown(string(m.Content))))
	case model.RoleSystem, model.RoleTool:
	}
}

// upTo writes the runs up to one.
func (d *document) upTo(id string) {
	if _, waits := d.runs[id]; !waits {
		return
	}
	for len(d.order) > 0 {
		first := d.order[0]
		d.order = d.order[1:]
		d.out.WriteString(d.runs[first])
		delete(d.runs, first)
		if first == id {
			return
		}
	}
}

// rest writes the runs the history has nothing of.
func (d *document) rest() {
	for _, id := range d.order {
		d.out.WriteString(d.runs[id])
	}
}

// endRun writes the run whose lines have come.
func (d *document) endRun() {
	if d.run == nil {
		return
	}
	w := &runWriter{run: d.run, turn: -1}
	for _, item := range d.run.Items {
		w.item(item)
	}
	w.end(d.row)
	d.runs[d.runID] = w.out.String()
	d.order = append(d.order, d.runID)
	d.run = nil
}

func said(who string, atMs int64, quoted string) string {
	when := ""
	if atMs > 0 {
		when = " · " + moment(atMs)
	}
	return fmt.Sprintf("## %s%s\n\n%s\n\n", who, when, quoted)
}

func moment(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC")
}
