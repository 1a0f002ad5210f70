package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"

	"callboard/backend/tool"
)

type editArgs struct {
	Path    string `json:"path" jsonschema:"minLength=1" jsonschema_description:"The file, relative to the workspace folder"`
	OldText string `json:"oldText" jsonschema:"minLength=1" jsonschema_description:"The text to replace, exactly as it stands in the file. It must stand there once: take in lines around it if need be."`
	NewText string `json:"newText" jsonschema_description:"The text to put in its place"`
}

type edited struct {
	Path         string `json:"path"`
	Replacements int    `json:"replacements"`
}

func (w *workspace) editFile() (*tool.Tool, error) {
	return tool.Define(tool.Config[editArgs, tool.Output[edited]]{
		Name:         "edit_file",
		Description:  "Replaces one piece of text in a file of the workspace. Line endings are kept as they are in the file.",
		Category:     "file",
		SideEffects:  []tool.SideEffect{tool.Filesystem},
		Approval:     w.asking(),
		Presentation: &editCalls,
		Present:      func(in editArgs) *tool.Presentation { return presentEdit(in.Path, "") },
		Preview: func(_ tool.Context, in editArgs) (any, error) {
			return w.previewChange(in.Path, in.change)
		},
		Run: w.edit,
	})
}

var editCalls = tool.Presentation{Label: "Edit file", Icon: "file-pen"}

func presentEdit(path, summary string) *tool.Presentation {
	return about(editCalls, shown(path), summary)
}

func (w *workspace) edit(_ tool.Context, in editArgs) (out tool.Output[edited], err error) {
	err = w.plan(in.Path, in.change, func(root *os.Root, c *change) error {
		var summary string
		out.Details, summary = c.details()
		out.Content = edited{Path: shown(c.path), Replacements: 1}
		out.Presentation = presentEdit(in.Path, summary)
		return c.apply(root)
	})
	return changed(out, err)
}

// change compares with all lines ending in \n, as read_file shows them, and replaces in the text as it is.
func (in editArgs) change(root *os.Root, c *change) error {
	if c.created {
		return explain(shown(c.path), fs.ErrNotExist)
	}
	before, size, err := readText(root, c.path, maxFileBytes)
	if err != nil {
		return err
	}
	if size > maxFileBytes {
		return fmt.Errorf("%s has %d bytes; edit_file takes files up to %d", shown(c.path), size, maxFileBytes)
	}
	was := newText(before)
	body, old := withLF(was.body), withLF(strings.TrimPrefix(in.OldText, byteOrderMark))
	if old == withLF(in.NewText) {
		return errors.New("oldText and newText are the same: nothing would change")
	}
	places := occurrences(body, old)
	switch len(places) {
	case 1:
	case 0:
		return fmt.Errorf("oldText does not stand in %s%s", shown(c.path), hint(body, old))
	default:
		return fmt.Errorf("oldText stands %d times in %s (lines %s): take in more lines around it, so that it stands there once",
			len(places), shown(c.path), lineList(body, places))
	}
	start := original(was.body, places[0])
	end := original(was.body, places[0]+len(old))
	now := was
	now.body = was.body[:start] + ending(in.NewText, newlineAt(was, start, end)) + was.body[end:]
	c.before, c.after = before, now.String()
	return nil
}

// newlineAt is how lines end in a piece of a text, else in most of the text.
func newlineAt(t text, start, end int) string {
	piece := t.body[start:end]
	switch {
	case strings.Contains(piece, "\r\n"):
		return "\r\n"
	case strings.Contains(piece, "\n"):
		return "\n"
	default:
		return t.newline()
	}
}

// occurrences are the places of a text, those that overlap too.
func occurrences(body, old string) []int {
	var places []int
	for from := 0; ; {
		at := strings.Index(body[from:], old)
		if at < 0 {
			return places
		}
		places = append(places, from+at)
		from += at + 1
	}
}

// original is where an offset into withLF(body) stands in body.
func original(body string, offset int) int {
	at := 0
	for {
		next := strings.Index(body[at:], "\r\n")
		if next < 0 || offset <= next {
			return at + offset
		}
		offset -= next + 1
		at += next + 2
	}
}

func lineList(body string, places []int) string {
	var list []string
	for i, at := range places {
		if i == 10 {
			list = append(list, "…")
			break
		}
		list = append(list, strconv.Itoa(1+strings.Count(body[:at], "\n")))
	}
	return strings.Join(list, ", ")
}

// hint shows the first line that is like the first line of the text, white space aside.
func hint(body, old string) string {
	wanted := ""
	for line := range strings.Lines(old) {
		if wanted = strings.Join(strings.Fields(line), " "); wanted != "" {
			break
		}
	}
	if wanted == "" {
		return ": it is white space alone"
	}
	n := 0
	for line := range strings.Lines(body) {
		n++
		line = strings.TrimRight(line, "\n")
		if strings.Join(strings.Fields(line), " ") == wanted {
			return fmt.Sprintf(". Its first line is like line %d, which is %q; compare white space and the lines after it", n, clip(line))
		}
	}
	return "; no line of the file is like its first line: read the file again"
}

// clip cuts a line for a message.
func clip(line string) string {
	const most = 300
	if len(line) <= most {
		return line
	}
	// White space is not cut in two: a part of it would be counted as if it were all.
	return strings.TrimRightFunc(strings.ToValidUTF8(line[:most], ""), unicode.IsSpace) + "…"
}
