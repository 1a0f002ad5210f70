package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"callboard/backend/tool"
)

// change is what a write or an edit would do to one file.
type change struct {
	path    string // as the folder sees it, links followed
	created bool
	mode    fs.FileMode // of the file as it is
	before  string
	after   string
}

type changeDetails struct {
	Diff tool.Diff `json:"diff"`
}

// find follows a path to the file a write would go to: a rename onto a link would replace the link.
func (c *change) find(root *os.Root, path string) error {
	c.path = path
	for range 16 {
		stat, err := root.Lstat(c.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.created = true
			return nil
		case err != nil:
			return explain(shown(path), err)
		case stat.Mode().IsRegular():
			c.mode = stat.Mode().Perm()
			return nil
		case stat.IsDir():
			return fmt.Errorf("%s is a folder", shown(path))
		case stat.Mode()&fs.ModeSymlink == 0:
			return fmt.Errorf("%s is not a regular file", shown(path))
		}
		target, err := root.Readlink(c.path)
		if err != nil {
			return explain(shown(path), err)
		}
		next := filepath.Join(filepath.Dir(c.path), target)
		if filepath.IsAbs(target) || !filepath.IsLocal(next) {
			return fmt.Errorf("%s leads outside the workspace folder through a link", shown(path))
		}
		c.path = next
	}
	return fmt.Errorf("%s: too many links", shown(path))
}

// apply writes the file whole or not at all.
func (c *change) apply(root *os.Root) (err error) {
	fail := func(err error) error { return fmt.Errorf("write %w", explain(shown(c.path), err)) }
	mode := c.mode
	if c.created {
		mode = 0o666
		if err := root.MkdirAll(filepath.Dir(c.path), 0o777); err != nil {
			return fail(err)
		}
	} else {
		// the rename below needs no right to the file itself; a person who made it read-only meant it
		f, err := root.OpenFile(c.path, os.O_WRONLY, 0)
		if err != nil {
			return fail(err)
		}
		if err := f.Close(); err != nil {
			return fail(err)
		}
	}
	temp := filepath.Join(filepath.Dir(c.path), ".callboard-"+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(temp))
		}
	}()
	_, err = f.WriteString(c.after)
	if err == nil && !c.created {
		err = f.Chmod(mode) // past the umask
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fail(err)
	}
	if err := root.Rename(temp, c.path); err != nil {
		return fail(err)
	}
	return nil
}

// maxDiffBytes is how large a file may be, before or after, for its diff to be made.
const maxDiffBytes = 2 << 20

// details are the change as a unified diff, and its summary: "+3 −1".
func (c *change) details() (details any, summary string) {
	if c.before == c.after {
		return nil, "no change"
	}
	if len(c.before) > maxDiffBytes || len(c.after) > maxDiffBytes {
		return map[string]any{"text": fmt.Sprintf("%d bytes become %d: too many to show as a diff.", len(c.before), len(c.after))}, "changed"
	}
	from, to := "a/"+shown(c.path), "b/"+shown(c.path)
	if c.created {
		from = "/dev/null"
	}
	diff := udiff.Unified(from, to, c.before, c.after)
	return changeDetails{Diff: tool.Diff(diff)}, summarise(diff)
}

func summarise(diff string) string {
	added, removed := 0, 0
	header := 2
	for line := range strings.Lines(diff) {
		switch {
		case header > 0:
			header--
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// plan finds what would change, then does with it what is asked: a preview and a run differ in nothing else.
func (w *workspace) plan(path string, prepare func(*os.Root, *change) error, then func(*os.Root, *change) error) error {
	inside, err := w.inside(path)
	if err != nil {
		return err
	}
	if inside == "." {
		return fmt.Errorf("%q is the workspace folder itself", path)
	}
	root, err := w.open()
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // the file written through it was closed and checked
	w.writing.Lock()
	defer w.writing.Unlock()
	c := &change{}
	if err := c.find(root, inside); err != nil {
		return err
	}
	if err := prepare(root, c); err != nil {
		return err
	}
	return then(root, c)
}

func (w *workspace) previewChange(path string, prepare func(*os.Root, *change) error) (details any, err error) {
	err = w.plan(path, prepare, func(_ *os.Root, c *change) error {
		details, _ = c.details()
		return nil
	})
	return details, err
}

// asking is the approval of the tools that change files.
func (w *workspace) asking() tool.Approval {
	if w.options.AskEdits {
		return tool.Always
	}
	return tool.Approval{}
}
