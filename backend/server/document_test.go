package server

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestEveryRouteAndCodeStandsInTheDocument(t *testing.T) {
	text, err := os.ReadFile("../protocol/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	document := string(text)
	for route := range new(Server).routes() {
		method, path, _ := strings.Cut(route, " ")
		// A line of the table may write several routes of one method, and shorten those after the first.
		written := regexp.MustCompile(method + ` [^|]*` + regexp.QuoteMeta(strings.TrimPrefix(path, "/agents/{name}")) + "[`?,]")
		if !written.MatchString(document) {
			t.Errorf("the route %s does not stand in PROTOCOL.md", route)
		}
	}
	for _, code := range codes(t) {
		if !strings.Contains(document, "`"+code+"`") {
			t.Errorf("the code %s does not stand in PROTOCOL.md", code)
		}
	}
}

// codes are those the packages of the library declare.
func codes(t *testing.T) (found []string) {
	t.Helper()
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`\bCode[A-Z]\w+\s*= "([A-Z_]+)"`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
			found = append(found, m[1])
		}
	}
	if len(found) < 30 {
		t.Errorf("found %d codes; there are more", len(found))
	}
	return found
}
