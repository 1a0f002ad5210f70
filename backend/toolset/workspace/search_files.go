package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"callboard/backend/tool"
)

// maxMatches is how many lines search_files gives.
const maxMatches = 200

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"minLength=1" jsonschema_description:"A regular expression (RE2), matched line by line; (?i) at its start ignores case"`
	Path    string `json:"path,omitempty" jsonschema_description:"The folder or file to search, relative to the workspace folder; without it the whole workspace"`
}

type found struct {
	Matches []match `json:"matches"`
	Note    string  `json:"note,omitempty"`
	Error   string  `json:"error,omitempty"`
}

type match struct {
	Path string `json:"path"`
	Line int    `json:"line"` // from 1
	Text string `json:"text"`
}

func (w *workspace) searchFiles() (*tool.Tool, error) {
	return tool.Define(tool.Config[searchArgs, tool.Output[found]]{
		Name:         "search_files",
		Description:  "Searches the text files of the workspace for a regular expression and gives the lines that match. Binary files, .git and node_modules are left out.",
		Category:     "file",
		SideEffects:  []tool.SideEffect{tool.Filesystem},
		Presentation: &searchCalls,
		Present:      func(in searchArgs) *tool.Presentation { return presentSearch(in, "") },
		Run:          w.search,
	})
}

var searchCalls = tool.Presentation{Label: "Search files", Icon: "search"}

func presentSearch(in searchArgs, summary string) *tool.Presentation {
	detail := in.Pattern
	if in.Path != "" {
		detail += " in " + shown(in.Path)
	}
	return about(searchCalls, oneLine(detail), summary)
}

func (w *workspace) search(ctx tool.Context, in searchArgs) (out tool.Output[found], err error) {
	pattern, err := regexp.Compile(in.Pattern)
	if err != nil {
		out.Content = found{Matches: []match{}, Error: fmt.Sprintf("The pattern is not a regular expression: %v", err)}
		out.Presentation = presentSearch(in, "bad pattern")
		return out, nil
	}
	start, err := w.inside(in.Path)
	if err != nil {
		return out, err
	}
	root, err := w.open()
	if err != nil {
		return out, err
	}
	defer root.Close() //nolint:errcheck // nothing was written through it
	if _, err := root.Stat(start); err != nil {
		return out, explain(orHere(in.Path), err)
	}

	s := &search{ctx: ctx, root: root, start: shown(start), pattern: pattern}
	if err := fs.WalkDir(root.FS(), s.start, s.visit); err != nil {
		return out, err
	}
	summary := count(len(s.matches), "match", "matches")
	switch {
	case s.full:
		summary = "first " + summary
	case len(s.matches) == 0:
		summary = "no matches"
	}
	return tool.Output[found]{
		Content:      found{Matches: append([]match{}, s.matches...), Note: s.note()},
		Presentation: presentSearch(in, summary),
	}, nil
}

// search is one walk through the files.
type search struct {
	ctx     tool.Context
	root    *os.Root
	start   string
	pattern *regexp.Regexp
	matches []match
	full    bool
	large   int // files left out for their size
	unread  int // files and folders that could not be read
}

func (s *search) note() string {
	var notes []string
	if s.full {
		notes = append(notes, fmt.Sprintf("Cut at %d matches: search a folder below, or a narrower pattern.", maxMatches))
	}
	if s.large > 0 {
		notes = append(notes, fmt.Sprintf("Left out: %s over %d MiB.", count(s.large, "file", "files"), maxFileBytes>>20))
	}
	if s.unread > 0 {
		notes = append(notes, fmt.Sprintf("Could not be read: %s.", count(s.unread, "file or folder", "files and folders")))
	}
	return strings.Join(notes, " ")
}

func (s *search) visit(at string, entry fs.DirEntry, err error) error {
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case err != nil:
		s.unread++
		return nil //nolint:nilerr // the note counts it
	case entry.IsDir() && at != s.start && isSkipped(at):
		return fs.SkipDir
	case !entry.Type().IsRegular(): // a link's file is searched where it is
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		s.unread++
		return nil //nolint:nilerr // the note counts it
	}
	if info.Size() > maxFileBytes {
		s.large++
		return nil
	}
	if err := s.file(at); err != nil {
		if errors.Is(err, fs.SkipAll) {
			return err
		}
		s.unread++
	}
	return nil
}

func (s *search) file(at string) error {
	content, err := s.root.ReadFile(at)
	if err != nil || isBinary(content) {
		return err
	}
	content = bytes.TrimPrefix(content, []byte(byteOrderMark))
	n := 0
	for line := range bytes.Lines(content) {
		n++
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if !s.pattern.Match(line) {
			continue
		}
		if len(s.matches) == maxMatches {
			s.full = true
			return fs.SkipAll
		}
		s.matches = append(s.matches, match{Path: at, Line: n, Text: clip(string(line))})
	}
	return nil
}
