package backend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "callboard/"

// The map in doc.go is the rule; this test holds the folders to it.
func TestImportsPointDown(t *testing.T) {
	allowed, leaves := readMap(t)
	seen := map[string]bool{}
	for file, imports := range sources(t) {
		from := owner(allowed, path.Dir(file))
		if from == "" {
			t.Errorf("%s: its package is not on the map in doc.go", file)
			continue
		}
		seen[from] = true
		for _, imported := range imports {
			if rest, own := strings.CutPrefix(imported, module); own {
				to := owner(allowed, rest)
				if to != from && !slices.Contains(allowed[from], to) {
					t.Errorf("%s imports %s: %s has no arrow to it in doc.go", file, imported, from)
				}
				continue
			}
			for dependency, leaf := range leaves {
				if strings.HasPrefix(imported, dependency) && leaf != from {
					t.Errorf("%s imports %s: only %s may", file, imported, leaf)
				}
			}
			if strings.HasPrefix(imported, "github.com/wailsapp/") && file != "main.go" && file != "app.go" {
				t.Errorf("%s imports %s: only main.go and app.go may", file, imported)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("doc.go names %s, which has no Go file", name)
		}
	}
}

func TestArrowsAreOnTheMapAndHaveNoCircle(t *testing.T) {
	allowed, _ := readMap(t)
	var visit func(name string, above []string)
	visit = func(name string, above []string) {
		if slices.Contains(above, name) {
			t.Fatalf("the arrows in doc.go go round: %s", strings.Join(append(above, name), " → "))
		}
		for _, to := range allowed[name] {
			if _, known := allowed[to]; !known {
				t.Fatalf("doc.go: %s has an arrow to %s, which is not on the map", name, to)
			}
			visit(to, append(slices.Clone(above), name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		visit(name, nil)
	}
}

// readMap returns the arrows of doc.go: of packages of this module, and of heavy dependencies.
func readMap(t *testing.T) (allowed map[string][]string, leaves map[string]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	allowed, leaves = map[string][]string{}, map[string]string{}
	for line := range strings.Lines(file.Doc.Text()) {
		left, right, arrow := strings.Cut(line, "→")
		if !arrow {
			continue
		}
		name, targets := strings.Fields(left)[0], strings.Fields(right)
		if strings.Contains(name, ".") {
			leaves[name] = targets[0]
			continue
		}
		allowed[name] = targets
	}
	if len(allowed) < 10 || len(leaves) < 4 {
		t.Fatalf("doc.go has %d packages and %d dependencies on its map: it is not read right", len(allowed), len(leaves))
	}
	return allowed, leaves
}

// owner returns the entry of the map a folder belongs to: the longest that is the folder or one above it.
func owner(allowed map[string][]string, folder string) string {
	if folder == "." {
		return "main"
	}
	if folder == "backend" {
		return "doc"
	}
	folder = strings.TrimPrefix(folder, "backend/")
	for ; folder != "."; folder = path.Dir(folder) {
		if _, known := allowed[folder]; known {
			return folder
		}
	}
	return ""
}

// sources returns the imports of every Go file of the module but its tests and build tools, whatever its build tags.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, err := filepath.Rel("..", name)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		switch file {
		case "frontend", "build", "bin", ".git", "backend/doc.go":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if entry.IsDir() || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files[file] = importPaths(t, parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func importPaths(t *testing.T, file *ast.File) []string {
	t.Helper()
	var paths []string
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}
