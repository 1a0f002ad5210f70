package workspace

import (
	"fmt"
	"io/fs"
	"path"

	"callboard/backend/tool"
)

// maxEntries is how many entries list_files gives.
const maxEntries = 1000

type listArgs struct {
	Path      string `json:"path,omitempty" jsonschema_description:"The folder, relative to the workspace folder; without it the workspace folder itself"`
	Recursive bool   `json:"recursive,omitempty" jsonschema_description:"List the folders below too"`
}

type listed struct {
	Entries []string `json:"entries"`
	Note    string   `json:"note,omitempty"`
}

func (w *workspace) listFiles() (*tool.Tool, error) {
	return tool.Define(tool.Config[listArgs, tool.Output[listed]]{
		Name:         "list_files",
		Description:  "Lists a folder of the workspace: paths relative to the workspace folder, those of folders with a slash at the end. .git and node_modules are not opened.",
		Category:     "file",
		SideEffects:  []tool.SideEffect{tool.Filesystem},
		Presentation: &listCalls,
		Present:      func(in listArgs) *tool.Presentation { return presentList(in.Path, "") },
		Run:          w.list,
	})
}

var listCalls = tool.Presentation{Label: "List files", Icon: "folder-tree"}

func presentList(path, summary string) *tool.Presentation {
	return about(listCalls, orHere(path), summary)
}

func orHere(path string) string {
	if path == "" {
		return "."
	}
	return shown(path)
}

func (w *workspace) list(ctx tool.Context, in listArgs) (out tool.Output[listed], err error) {
	folder, err := w.inside(in.Path)
	if err != nil {
		return out, err
	}
	root, err := w.open()
	if err != nil {
		return out, err
	}
	defer root.Close() //nolint:errcheck // nothing was written through it
	stat, err := root.Stat(folder)
	if err != nil {
		return out, explain(orHere(in.Path), err)
	}
	if !stat.IsDir() {
		return out, fmt.Errorf("%s is not a folder", orHere(in.Path))
	}

	list := listed{Entries: []string{}}
	start := shown(folder)
	err = fs.WalkDir(root.FS(), start, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && at == start:
			return explain(at, err)
		case err != nil:
			list.Entries = append(list.Entries, at+" (cannot be read)")
			return nil //nolint:nilerr // the list says so in its place
		case at == start:
			return nil
		case len(list.Entries) == maxEntries:
			list.Note = fmt.Sprintf("Cut: there are more than these %d entries. List a folder below.", maxEntries)
			return fs.SkipAll
		}
		name := at
		switch {
		case entry.IsDir():
			name += "/"
		case entry.Type()&fs.ModeSymlink != 0:
			if target, err := root.Readlink(at); err == nil {
				name += " -> " + target
			}
		}
		list.Entries = append(list.Entries, name)
		if entry.IsDir() && (!in.Recursive || isSkipped(at)) {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	summary := count(len(list.Entries), "entry", "entries")
	if list.Note != "" {
		summary = "first " + summary
	}
	return tool.Output[listed]{Content: list, Presentation: presentList(in.Path, summary)}, nil
}

// isSkipped says whether a folder is too full of what nobody looks for to be opened unasked.
func isSkipped(folder string) bool {
	name := path.Base(folder)
	return name == ".git" || name == "node_modules"
}
