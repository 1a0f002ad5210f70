package workspace

import (
	"fmt"
	"strings"

	"callboard/backend/tool"
)

// maxReadBytes is how much of a file read_file shows.
const maxReadBytes = 256 << 10

type readArgs struct {
	Path string `json:"path" jsonschema:"minLength=1" jsonschema_description:"The file, relative to the workspace folder"`
}

func (w *workspace) readFile() (*tool.Tool, error) {
	return tool.Define(tool.Config[readArgs, tool.Output[string]]{
		Name:         "read_file",
		Description:  "Reads a text file of the workspace. Lines end in \\n, whatever they end in on the disk. Long files are cut, with a note.",
		Category:     "file",
		SideEffects:  []tool.SideEffect{tool.Filesystem},
		Presentation: &readCalls,
		Present:      func(in readArgs) *tool.Presentation { return presentRead(in.Path, "") },
		Run:          w.read,
	})
}

var readCalls = tool.Presentation{Label: "Read file", Icon: "file-text"}

func presentRead(path, summary string) *tool.Presentation {
	return about(readCalls, shown(path), summary)
}

func (w *workspace) read(_ tool.Context, in readArgs) (out tool.Output[string], err error) {
	path, err := w.inside(in.Path)
	if err != nil {
		return out, err
	}
	root, err := w.open()
	if err != nil {
		return out, err
	}
	defer root.Close() //nolint:errcheck // nothing was written through it
	content, size, err := readText(root, path, maxReadBytes)
	if err != nil {
		return out, err
	}
	read := int64(len(content))
	body := withLF(newText(content).body)
	lines := lineCount(body)
	summary := count(lines, "line", "lines")
	switch {
	case read < size:
		if end := strings.LastIndexByte(body, '\n'); end > 0 {
			body = body[:end+1]
			lines = lineCount(body)
		}
		summary = fmt.Sprintf("first %d lines", lines)
		body += fmt.Sprintf("\n[Cut: the file has %d bytes; these are its first %d lines. search_files finds the place of a text in the rest.]\n", size, lines)
	case body == "":
		body, summary = "[The file is empty.]", "empty"
	}
	return tool.Output[string]{Content: body, Presentation: presentRead(in.Path, summary)}, nil
}
