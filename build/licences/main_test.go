package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// permitted are the licences a part may be under beside an MIT one, without a duty for those who only use the program.
var permitted = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-SA-4.0", "ISC", "MIT", "MPL-2.0", "OFL-1.1", "Unlicense"}

func TestEveryPartOfTheProgramHasALicenceThatPermitsIt(t *testing.T) {
	if _, err := os.Stat("../../frontend/node_modules"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the page's packages are not installed")
	}
	parts, err := collect(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range parts {
		all = append(all, p.Name)
		if len(p.Licences) == 0 || p.Version == "" || len(p.Text) < 100 {
			t.Errorf("got %s %q with licences %v and a text of %d bytes", p.Name, p.Version, p.Licences, len(p.Text))
		}
		for _, l := range p.Licences {
			if !slices.Contains(permitted, l) {
				t.Errorf("%s is under %s", p.Name, l)
			}
		}
	}
	// What is linked on one system alone, what is compiled in, what is only found in what was built, and what is not shipped.
	for _, name := range []string{"Go", "github.com/wailsapp/wails/v2", "github.com/wailsapp/go-webview2", "modernc.org/sqlite", "react", "@fontsource-variable/inter", "tailwindcss"} {
		if !slices.Contains(all, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"callboard", "github.com/google/go-cmp", "github.com/google/licensecheck", "vitest"} {
		if slices.Contains(all, name) {
			t.Errorf("%s is no part of the program", name)
		}
	}
	if !slices.IsSortedFunc(all, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }) {
		t.Errorf("got the parts out of order: %q", all)
	}
}

const mit = `MIT License

Copyright (c) 2026 Ada

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`

// tree writes files, by their paths, in a folder of the test.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTextsAreThoseOfLicencesAndNotices(t *testing.T) {
	dir := tree(t, map[string]string{
		"LICENSE": mit + "\n", "LICENSE-copy.txt": mit, "NOTICE": "Made by Ada.\r\nAnd Grace.", "license.go": "package a", "README": "no", "licenses/x": "no",
	})
	got, err := texts(dir)
	if want := mit + "\n\nMade by Ada.\nAnd Grace."; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if found := names(got); !slices.Equal(found, []string{"MIT"}) {
		t.Errorf("got licences %v, want MIT", found)
	}
}

func TestThePackagesOfThePage(t *testing.T) {
	const (
		a    = `"node_modules/a": {"version": "1.0.0", "license": "MIT"}`
		mine = `"": {"version": "9.0.0"}, ` + a
	)
	installed := map[string]string{"node_modules/a/LICENSE": mit}
	for _, c := range []struct {
		name, lock string
		files      map[string]string
		want       []string // name, version and licences
		says       string
	}{
		{"one that is shipped", mine, installed, []string{"a 1.0.0 MIT"}, ""},
		{"not one for development alone", mine + `, "node_modules/d": {"version": "1.0.0", "license": "MIT", "dev": true}`, installed, []string{"a 1.0.0 MIT"}, ""},
		{
			"one that leaves something in what it builds", mine + `, "node_modules/vite": {"version": "8.0.0", "license": "MIT", "dev": true}`,
			map[string]string{"node_modules/a/LICENSE": mit, "node_modules/vite/LICENSE": mit + "\n\n# Licenses of bundled dependencies\n\nmany"},
			[]string{"a 1.0.0 MIT", "vite 8.0.0 MIT"},
			"",
		},
		{
			"one within another, once for each version", mine + `, "node_modules/b/node_modules/a": {"version": "2.0.0", "license": "(MPL-2.0 OR Apache-2.0)"}, "node_modules/c/node_modules/a": {"version": "1.0.0", "license": "MIT"}`,
			map[string]string{"node_modules/a/LICENSE": mit, "node_modules/b/node_modules/a/LICENSE": mit, "node_modules/c/node_modules/a/LICENSE": mit},
			[]string{"a 1.0.0 MIT", "a 2.0.0 Apache-2.0 MPL-2.0"},
			"",
		},
		{"one of another system, which is not installed", mine + `, "node_modules/o": {"version": "1.0.0", "license": "MIT", "optional": true}`, installed, []string{"a 1.0.0 MIT"}, ""},
		{"one that should be installed", mine, nil, nil, "npm ci"},
		{"one without a licence", `"node_modules/a": {"version": "1.0.0"}`, installed, nil, "has no licence"},
		{"a lock that is cut off", `"node_modules/a`, installed, nil, "list the page's packages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, c.files)
			if err := os.WriteFile(filepath.Join(dir, "package-lock.json"), []byte(`{"packages": {`+c.lock+`}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			parts, err := npmParts(dir)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, want an error with %q", err, c.says)
				}
				return
			}
			var got []string
			for _, p := range parts {
				got = append(got, p.Name+" "+p.Version+" "+strings.Join(p.Licences, " "))
				if p.Text != mit {
					t.Errorf("got text %q of %s, want its licence alone", p.Text, p.Name)
				}
			}
			slices.Sort(got)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestAPackageWithoutATextNamesItsAuthors(t *testing.T) {
	dir := tree(t, map[string]string{
		"package-lock.json":           `{"packages": {"node_modules/a": {"version": "1.0.0", "license": "MIT"}}}`,
		"node_modules/a/package.json": `{"name": "a", "author": "Ada"}`,
	})
	parts, err := npmParts(dir)
	if err != nil || len(parts) != 1 || !strings.HasSuffix(parts[0].Text, `{"author":"Ada"}`) {
		t.Errorf("got %+v, %v; want its author", parts, err)
	}
}
