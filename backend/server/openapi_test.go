package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryRouteIsDescribed(t *testing.T) {
	w := start(t, nil)
	var document struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]map[string]struct {
			OperationID, Summary string
			Parameters           []struct{ Name, In, Description string }
		}
		Components struct {
			Schemas map[string]struct{ Description string }
		}
	}
	w.json("GET", "/openapi.json", "", &document)
	if document.OpenAPI != "3.1.0" || document.Info.Version != "unknown" {
		t.Errorf("got OpenAPI %q of version %q", document.OpenAPI, document.Info.Version)
	}
	for name, schema := range document.Components.Schemas {
		if schema.Description == "" {
			t.Errorf("the schema %s has no description", name)
		}
	}
	names := map[string]string{}
	described := 0
	for path, methods := range document.Paths {
		for method, o := range methods {
			described++
			pattern := strings.ToUpper(method) + " " + path
			route, served := w.server.routes()[pattern]
			if !served {
				t.Errorf("%s is described and not served", pattern)
			}
			if o.OperationID == "" || o.Summary == "" || route.group == "" || len(route.gives) == 0 {
				t.Errorf("%s has no name, summary, group or answer", pattern)
			}
			if other := names[o.OperationID]; other != "" {
				t.Errorf("%s and %s have the same name", pattern, other)
			}
			names[o.OperationID] = pattern
			for _, p := range o.Parameters {
				if p.Description == "" {
					t.Errorf("the parameter %s of %s has no description", p.Name, pattern)
				}
			}
		}
	}
	if served := len(w.server.routes()); described != served {
		t.Errorf("%d routes are described, and %d served", described, served)
	}
}

// A body that lacks what the document says it needs is refused, and one that has no more than that is not for a lack.
func TestABodyNeedsWhatItIsSaidToNeed(t *testing.T) {
	w := start(t, alone)
	for pattern, route := range w.server.routes() {
		method, path, _ := strings.Cut(pattern, " ")
		path = strings.NewReplacer("agents/{name}", "agents/demo", "tools/{name}", "tools/echo", "{id}", "t").Replace(path)
		for name, member := range route.takes.members {
			if !member.needed {
				continue
			}
			var body map[string]json.RawMessage
			if err := json.Unmarshal([]byte(bodies[route.name]), &body); err != nil {
				t.Fatalf("%s: %v", pattern, err)
			}
			delete(body, name)
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			if status, answer := w.request(method, path, string(text)); status != http.StatusBadRequest || !strings.Contains(answer, name) {
				t.Errorf("%s without %s: got %d %s, want it to be missed", pattern, name, status, answer)
			}
		}
	}
}

func TestTheDocumentIsOfThisServer(t *testing.T) {
	w := start(t, func(s *Server) { s.Version, s.ContextKeys = "1.2.3", []string{"tenant"} })
	_, text := w.request("GET", "/openapi.json", "")
	for _, want := range []string{`"version":"1.2.3"`, `"tenant":{}`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the document", want)
		}
	}
	first, err := w.server.document()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := w.server.document(); &again[0] != &first[0] {
		t.Error("the document is made for each request")
	}
	other := &Server{}
	other.Handler()
	if text, err := other.document(); err != nil || bytes.Contains(text, []byte("tenant")) {
		t.Errorf("another server has the key too (%v)", err)
	}
}

func TestEveryQueryThatIsReadHasADescription(t *testing.T) {
	known, read := parameters(), map[string]bool{lastEventID: true}
	for _, name := range inSources(t, ".", `[qQ]uery(?:\(\))?\.Get\("(\w+)"\)`) {
		if _, ok := known[name]; !ok && name != "token" { // the guard's own
			t.Errorf("the parameter %s is read and has no description", name)
		}
		read[name] = true
	}
	for name := range known {
		if !read[name] {
			t.Errorf("the parameter %s has a description and is not read", name)
		}
	}
}

func TestEveryValueOfAnEnumIsDescribed(t *testing.T) {
	found := 0
	for of, values := range enums() {
		folder := filepath.Join("..", filepath.Base(of.PkgPath()))
		declared := inSources(t, folder, `\b\w+\s+`+of.Name()+`\s*= "([^"]+)"`)
		if of.Name() == "State" { // those the wire has not
			declared = slices.DeleteFunc(declared, func(v string) bool {
				return slices.Contains([]string{"input", "proposed", "done", "failed", "dropped"}, v)
			})
		}
		slices.Sort(declared)
		if got := slices.Sorted(slices.Values(values)); !slices.Equal(got, declared) {
			t.Errorf("%s: got %q, want %q", of, got, declared)
		}
		found += len(declared)
	}
	if found < 30 {
		t.Errorf("found %d values; there are more", found)
	}
}

func TestEveryCodeOfARouteHasAMeaning(t *testing.T) {
	unknown := meaning("")
	for pattern, route := range new(Server).routes() {
		for _, code := range route.codes {
			if meaning(code) == unknown {
				t.Errorf("the code %s of %s has no meaning", code, pattern)
			}
			if statusOf(code) == http.StatusInternalServerError {
				t.Errorf("the code %s of %s has no status of its own", code, pattern)
			}
		}
	}
	for _, code := range inSources(t, ".", `\bCode\w+\s*= "(\w+)"`) {
		if meaning(code) == unknown {
			t.Errorf("the code %s has no meaning", code)
		}
	}
}

// inSources finds the first group of an expression in the Go files of a folder, tests aside.
func inSources(t *testing.T, folder, expression string) (found []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources in %s: %v", folder, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(string(text), -1) {
			found = append(found, m[1])
		}
	}
	return found
}

// The validator and the generator of clients are others'; make installs them.
func TestOthersReadTheDocument(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node")
	}
	folder := filepath.Join("testdata", "npm")
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "openapi-typescript")); err != nil {
		t.Skip("openapi-typescript is not installed: run npm ci --ignore-scripts in backend/server/testdata/npm, or make test-go")
	}
	s := &Server{}
	s.Handler()
	text, err := s.document()
	if err != nil {
		t.Fatal(err)
	}
	check := exec.CommandContext(t.Context(), "node", "check.mjs")
	check.Dir, check.Stdin = folder, bytes.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("check.mjs: %v\n%s", err, out)
	}
}
