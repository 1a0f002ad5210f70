package backend

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A page of documentation shows an example with what it uses of its own file, and with nothing of another test file: such an example
// has no whole program.
func TestExamplesShowAllTheyStandOn(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, example := range doc.Examples([]*ast.File{file}...) {
			seen++
			_, isWhole := example.Code.(*ast.File) // of which go/doc does not look what it uses
			if names := missing(file); example.Play == nil || isWhole && len(names) > 0 {
				t.Errorf("%s: Example%s uses what stands in another file, of %q", path, example.Name, names)
			}
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("got %d examples, %v, want some", seen, err)
	}
}

// missing are the names a file uses and neither declares nor imports.
func missing(file *ast.File) []string {
	known := map[*ast.Ident]bool{}
	imported := map[string]bool{}
	for _, i := range file.Imports {
		name := strings.Trim(i.Path.Value, `"`)
		imported[name[strings.LastIndex(name, "/")+1:]] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok { // of a struct
				known[key] = true
			}
		}
		return true
	})
	var names []string
	for _, id := range file.Unresolved {
		if !known[id] && !imported[id.Name] && types.Universe.Lookup(id.Name) == nil {
			names = append(names, id.Name)
		}
	}
	return names
}
