// Package workspace is the tools that work in one folder: they read, write, edit, list and search its files and run commands in it.
// It knows nothing of agents or models. Its tools cannot leave the folder, save for what a command does.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"callboard/backend/tool"
)

// Options says which folder the tools work in, and who is asked.
type Options struct {
	Root string // the folder; it need not be there yet
	// AskEdits lets write_file and edit_file wait for a person, with their diff on the card.
	AskEdits bool
	// Unasked are commands that run_command runs without asking, each as it is written, byte for byte.
	Unasked []string
	// Env is the environment of commands; nil is the process's own without variables that end in _API_KEY. In a Sandbox, and on
	// the host where it is not there, they have its own.
	Env []string
	// Sandbox is where run_command runs; nil is the host. Its Folder is Root, and a call's timeoutMs is its time.
	Sandbox *tool.Sandbox
	// Where says on the card of a command that is to run in the Sandbox where that would be; nil says nothing.
	Where func(tool.Context) string
}

// Tools makes read_file, view_image, write_file, edit_file, list_files, search_files and run_command over one folder.
func Tools(o Options) ([]*tool.Tool, error) {
	if strings.TrimSpace(o.Root) == "" {
		return nil, errors.New("make the workspace tools: no folder is given")
	}
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return nil, fmt.Errorf("make the workspace tools: %w", err)
	}
	w := &workspace{root: root, options: o}
	tools := make([]*tool.Tool, 0, 7)
	runCommand := w.runCommand
	if o.Sandbox != nil {
		runCommand = w.runSandboxed
	}
	for _, define := range []func() (*tool.Tool, error){
		w.readFile, w.viewImage, w.writeFile, w.editFile, w.listFiles, w.searchFiles, runCommand,
	} {
		t, err := define()
		if err != nil {
			return nil, fmt.Errorf("make the workspace tools: %w", err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

type workspace struct {
	root    string
	options Options
	writing sync.Mutex // an edit reads before it writes; two at once would lose one
}

// open opens the folder for one call. It is not kept open: a folder that is moved away is then gone, not followed.
func (w *workspace) open() (*os.Root, error) {
	root, err := os.OpenRoot(w.root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the workspace folder %s is not there any more", w.root)
	}
	if err != nil {
		return nil, fmt.Errorf("open the workspace folder: %w", err)
	}
	return root, nil
}

// inside gives a path as the folder sees it. An absolute one inside the folder will do.
func (w *workspace) inside(path string) (string, error) {
	switch {
	case strings.ContainsRune(path, 0):
		return "", fmt.Errorf("the path %q holds a NUL character", path)
	case filepath.IsAbs(path):
		rel, ok := w.relative(path)
		if !ok {
			return "", fmt.Errorf("%s is outside the workspace folder %s", path, w.root)
		}
		path = rel
	}
	path = filepath.FromSlash(path)
	if path != "" && !filepath.IsLocal(path) {
		return "", fmt.Errorf("%s is outside the workspace folder", path)
	}
	return filepath.Clean(path), nil
}

// relative tries the folder's path as it was given and as it is without links.
func (w *workspace) relative(path string) (string, bool) {
	roots := []string{w.root}
	if real, err := filepath.EvalSymlinks(w.root); err == nil {
		roots = append(roots, real)
	}
	for _, root := range roots {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

// explain words what went wrong with a path, for a model: without Go's operation names and with the path as it was given.
func explain(path string, err error) error {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %w", path, fs.ErrPermission)
	case errors.As(err, &at) && strings.Contains(at.Err.Error(), "escapes"):
		return fmt.Errorf("%s leads outside the workspace folder through a link", path)
	case errors.As(err, &at):
		return fmt.Errorf("%s: %w", path, at.Err)
	default:
		return fmt.Errorf("%s: %w", path, err)
	}
}

// shown is how a path is shown: with slashes everywhere.
func shown(path string) string { return filepath.ToSlash(path) }

// count puts a number before a noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// about presents one call among those of its tool.
func about(calls tool.Presentation, detail, summary string) *tool.Presentation {
	calls.Detail, calls.Summary = detail, summary
	return &calls
}
