package workspace

import (
	"errors"
	"os"
	"strings"

	"callboard/backend/tool"
)

type writeArgs struct {
	Path    string `json:"path" jsonschema:"minLength=1" jsonschema_description:"The file, relative to the workspace folder. Missing folders are made."`
	Content string `json:"content" jsonschema_description:"The whole new content"`
}

type written struct {
	Path    string `json:"path"`
	Created bool   `json:"created"`
	Bytes   int    `json:"bytes"`
}

func (w *workspace) writeFile() (*tool.Tool, error) {
	return tool.Define(tool.Config[writeArgs, tool.Output[written]]{
		Name:         "write_file",
		Description:  "Writes a whole text file of the workspace, new or over the old one. To change a part of a file use edit_file.",
		Category:     "file",
		SideEffects:  []tool.SideEffect{tool.Filesystem},
		Approval:     w.asking(),
		Presentation: &writeCalls,
		Present:      func(in writeArgs) *tool.Presentation { return presentWrite(in.Path, "") },
		Preview: func(_ tool.Context, in writeArgs) (any, error) {
			return w.previewChange(in.Path, in.change)
		},
		Run: w.write,
	})
}

var writeCalls = tool.Presentation{Label: "Write file", Icon: "file-plus"}

func presentWrite(path, summary string) *tool.Presentation {
	return about(writeCalls, shown(path), summary)
}

// change keeps the byte order mark and the line endings of the file that was there: what the model read of it had neither.
func (in writeArgs) change(root *os.Root, c *change) error {
	c.after = in.Content
	if c.created {
		return nil
	}
	before, size, err := readText(root, c.path, maxFileBytes)
	switch {
	case errors.Is(err, errNotText), size > maxFileBytes:
		return nil // nothing of it to keep, or too much to compare
	case err != nil:
		return err
	}
	c.before = before
	was, now := newText(before), newText(in.Content)
	now.mark = now.mark || was.mark
	if !strings.Contains(now.body, "\r\n") && strings.Count(was.body, "\n") == strings.Count(was.body, "\r\n") {
		now.body = ending(now.body, was.newline())
	}
	c.after = now.String()
	return nil
}

func (w *workspace) write(_ tool.Context, in writeArgs) (out tool.Output[written], err error) {
	err = w.plan(in.Path, in.change, func(root *os.Root, c *change) error {
		var summary string
		out.Details, summary = c.details()
		out.Content = written{Path: shown(c.path), Created: c.created, Bytes: len(c.after)}
		out.Presentation = presentWrite(in.Path, summary)
		return c.apply(root)
	})
	return changed(out, err)
}

// changed leaves a failed change without the diff of what did not happen.
func changed[T any](out tool.Output[T], err error) (tool.Output[T], error) {
	if err != nil {
		return tool.Output[T]{}, err
	}
	return out, nil
}
