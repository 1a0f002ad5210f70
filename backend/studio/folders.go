package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFolders is how many folders a listing holds.
const maxFolders = 5000

type folderEntry struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

type folderList struct {
	Path    string        `json:"path"`
	Parent  string        `json:"parent"` // empty at the top
	Entries []folderEntry `json:"entries"`
	Error   string        `json:"error,omitempty"`
}

// getFolders lists the folders in one, for choosing a folder where no native dialog exists.
func (s *Studio) getFolders(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Query().Get("path")
	if path == "" {
		path = cmp.Or(s.config.Folder, homeFolder())
	}
	path = expandHome(path)
	if !filepath.IsAbs(path) {
		s.fail(w, invalid("%q is not the full path of a folder", path))
		return
	}
	reply(w, http.StatusOK, listFolders(filepath.Clean(path)))
}

func listFolders(path string) folderList {
	list := folderList{Path: path, Entries: []folderEntry{}}
	if parent := filepath.Dir(path); parent != path {
		list.Parent = parent
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		list.Error = fmt.Sprintf("%s cannot be listed: %v", path, reason(err))
	}
	for _, entry := range entries {
		if len(list.Entries) == maxFolders {
			list.Error = fmt.Sprintf("only the first %d folders of %s are shown", maxFolders, path)
			break
		}
		full := filepath.Join(path, entry.Name())
		folder := entry.IsDir() || entry.Type()&fs.ModeSymlink != 0 && isFolder(full)
		if !folder || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		list.Entries = append(list.Entries, folderEntry{Name: entry.Name(), Path: full})
	}
	slices.SortFunc(list.Entries, func(a, b folderEntry) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return list
}

// usableFolder is path as it is kept: absolute, and a folder that is there.
func usableFolder(path string) (string, error) {
	path = expandHome(path)
	if !filepath.IsAbs(path) {
		return "", invalid("%q is not the full path of a folder", path)
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		return "", invalid("the folder %s cannot be opened: %v", path, reason(err))
	}
	if !info.IsDir() {
		return "", invalid("%s is not a folder", path)
	}
	return path, nil
}

// chooseFolder is a folder that somebody chose, as it is kept. The next choice begins there.
func (s *Studio) chooseFolder(ctx context.Context, path string) (string, error) {
	path, err := usableFolder(path)
	if err == nil {
		err = s.keep(ctx, "lastFolder", path)
	}
	return path, err
}

// lastFolder is the folder that was chosen last; empty where none was, or it is gone.
func (s *Studio) lastFolder(ctx context.Context) (string, error) {
	var path string
	err := s.load(ctx, "lastFolder", &path)
	if !isFolder(path) {
		path = ""
	}
	return path, err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func homeFolder() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return string(filepath.Separator)
	}
	return home
}

func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(homeFolder(), rest)
	}
	return path
}

// reason is what a file system's error says without the path it repeats.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
