package studio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxFile is how much of a file is shown, in bytes.
const maxFile = 1 << 20

// fileView is a text file of a thread's folder.
type fileView struct {
	Path      string `json:"path"` // from the folder, with slashes
	Text      string `json:"text"`
	Size      int64  `json:"size"`      // of the whole file, in bytes
	Truncated bool   `json:"truncated"` // Text is only its beginning
}

// getFile shows a file of a thread's folder as it is now. Nothing outside of the folder can be read, through links either.
func (s *Studio) getFile(w http.ResponseWriter, r *http.Request) {
	t, err := s.loadThread(r.Context(), r.PathValue("id"))
	if err == nil && t.Folder == "" {
		err = notFound("the thread has no folder")
	}
	var view fileView
	if err == nil {
		view, err = readText(t.Folder, r.URL.Query().Get("path"))
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, view)
}

func readText(folder, path string) (fileView, error) {
	view := fileView{}
	local, err := inFolder(folder, path)
	if err != nil {
		return view, err
	}
	view.Path = filepath.ToSlash(local)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return view, notFound("the folder %s cannot be opened: %v", folder, reason(err))
	}
	defer func() { _ = root.Close() }()
	// Looked at before it is opened: opening a pipe would wait for its other end.
	info, err := root.Stat(local)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return view, notFound("there is no file %s", path)
	case err != nil:
		return view, invalid("%s cannot be read: %v", path, reason(err))
	case !info.Mode().IsRegular():
		return view, invalid("%s is not a file", path)
	}
	file, err := root.Open(local)
	if err != nil {
		return view, invalid("%s cannot be read: %v", path, reason(err))
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return view, fmt.Errorf("read %s: %w", path, err)
	}
	view.Size = info.Size()
	if view.Truncated = len(content) > maxFile; view.Truncated {
		content = content[:maxFile]
		// The cut may stand within a character.
		for cut := 1; cut < utf8.UTFMax && !utf8.Valid(content); cut++ {
			content = content[:maxFile-cut]
		}
	}
	if !utf8.Valid(content) || strings.ContainsRune(string(content), 0) {
		return view, invalid("%s is not text", path)
	}
	view.Text = string(content)
	return view, nil
}

// inFolder gives a path as its folder sees it. An absolute one inside of the folder will do.
func inFolder(folder, path string) (string, error) {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return "", invalid("%s is outside the folder %s", path, folder)
		}
		path = rel
	}
	path = filepath.Clean(filepath.FromSlash(path))
	if strings.ContainsRune(path, 0) || !filepath.IsLocal(path) || path == "." {
		return "", invalid("%q is not a file of the folder %s", path, folder)
	}
	return path, nil
}
