package studio

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAFileOfAThreadsFolder(t *testing.T) {
	outside := writeFile(t, "secret", t.TempDir(), "secret.txt")
	folder := t.TempDir()
	for name, content := range map[string]string{
		"main.go": "package main\n", "empty.txt": "", "binary": "a\x00b", "latin1.txt": "caf\xe9",
		"large.txt": "x" + strings.Repeat("é", maxFile/2),
	} {
		writeFile(t, content, folder, name)
	}
	if err := os.Mkdir(filepath.Join(folder, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "inside", folder, "dir", "a.txt")
	if err := os.Symlink(outside, filepath.Join(folder, "link.txt")); err != nil {
		t.Fatal(err)
	}
	b := openBench(t, Config{})
	thread := fetch[threadView](b, http.MethodPost, "/api/studio/threads",
		asJSON(map[string]string{"agentName": workspaceAgent, "folder": folder}), http.StatusCreated)
	route := "/api/studio/threads/" + thread.ID + "/file?path="

	for name, c := range map[string]struct {
		path string
		want fileView
	}{
		"by its path":            {"main.go", fileView{Path: "main.go", Text: "package main\n", Size: 13}},
		"in a folder":            {"dir/../dir/a.txt", fileView{Path: "dir/a.txt", Text: "inside", Size: 6}},
		"by its full path":       {filepath.Join(folder, "main.go"), fileView{Path: "main.go", Text: "package main\n", Size: 13}},
		"without content":        {"empty.txt", fileView{Path: "empty.txt"}},
		"cut between characters": {"large.txt", fileView{Path: "large.txt", Text: "x" + strings.Repeat("é", maxFile/2-1), Size: maxFile + 1, Truncated: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := fetch[fileView](b, http.MethodGet, route+url.QueryEscape(c.path), "", http.StatusOK)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the file is another one (-want +got):\n%.2000s", diff)
			}
		})
	}

	for name, c := range map[string]struct {
		path   string
		status int
	}{
		"a file that is not there": {"gone.txt", http.StatusNotFound},
		"a folder":                 {"dir", http.StatusBadRequest},
		"the folder itself":        {".", http.StatusBadRequest},
		"no path":                  {"", http.StatusBadRequest},
		"a path that leads out":    {"../secret.txt", http.StatusBadRequest},
		"a full path outside":      {outside, http.StatusBadRequest},
		"a link that leads out":    {"link.txt", http.StatusBadRequest},
		"bytes that are no text":   {"binary", http.StatusBadRequest},
		"text in another encoding": {"latin1.txt", http.StatusBadRequest},
		"a path with a NUL in it":  {"main.go\x00", http.StatusBadRequest},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			b.call(http.MethodGet, route+url.QueryEscape(c.path), "", c.status)
		})
	}
	b.call(http.MethodGet, "/api/studio/threads/unknown/file?path=main.go", "", http.StatusNotFound)
}
