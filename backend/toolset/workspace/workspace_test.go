package workspace_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// folder is a workspace on real files.
type folder struct {
	t     *testing.T
	root  string
	tools map[string]*tool.Tool
}

func newFolder(t *testing.T, files map[string]string) *folder {
	t.Helper()
	return newFolderWith(t, workspace.Options{}, files)
}

func newFolderWith(t *testing.T, o workspace.Options, files map[string]string) *folder {
	t.Helper()
	f := &folder{t: t, root: t.TempDir(), tools: map[string]*tool.Tool{}}
	o.Root = f.root
	tools, err := workspace.Tools(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range tools {
		f.tools[made.Name] = made
	}
	for name, content := range files {
		f.put(name, content)
	}
	return f
}

func (f *folder) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

func (f *folder) put(name, content string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) get(name string) string {
	f.t.Helper()
	content, err := os.ReadFile(f.path(name))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(content)
}

func (f *folder) link(target, name string) {
	f.t.Helper()
	if err := os.Symlink(target, f.path(name)); err != nil {
		f.t.Skipf("no symbolic links here: %v", err)
	}
}

type args map[string]any

// prepare checks a call as the loop would.
func (f *folder) prepare(name string, a args) *tool.Call {
	f.t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		f.t.Fatal(err)
	}
	c, err := f.tools[name].Prepare(string(text))
	if err != nil {
		f.t.Fatalf("prepare %s %s: %v", name, text, err)
	}
	return c
}

func (f *folder) call(name string, a args) tool.Result {
	f.t.Helper()
	return f.prepare(name, a).Run(tool.Context{Context: f.t.Context()})
}

// content decodes what a call gives the model.
func content[T any](t *testing.T, r tool.Result) T {
	t.Helper()
	var v T
	if r.Err != nil {
		t.Fatalf("got error %v, want a result", r.Err)
	}
	if err := json.Unmarshal(r.Content, &v); err != nil {
		t.Fatalf("decode %s: %v", r.Content, err)
	}
	return v
}

// fails checks that a call failed, and that the error says want.
func fails(t *testing.T, r tool.Result, want string) {
	t.Helper()
	if r.Err == nil {
		t.Fatalf("got %s, want an error with %q", r.Content, want)
	}
	if !strings.Contains(r.Err.Error(), want) {
		t.Errorf("got error %q, want %q in it", r.Err, want)
	}
	if r.Content != nil {
		t.Errorf("got content %s of a failed call, want none", r.Content)
	}
}

func TestTheToolsAndTheirSchemas(t *testing.T) {
	f := newFolder(t, nil)
	for name, want := range map[string]struct {
		required, optional []string
		approval           bool
		effect             tool.SideEffect
	}{
		"read_file":    {[]string{"path"}, nil, false, tool.Filesystem},
		"view_image":   {[]string{"path"}, nil, false, tool.Filesystem},
		"write_file":   {[]string{"path", "content"}, nil, false, tool.Filesystem},
		"edit_file":    {[]string{"path", "oldText", "newText"}, nil, false, tool.Filesystem},
		"list_files":   {nil, []string{"path", "recursive"}, false, tool.Filesystem},
		"search_files": {[]string{"pattern"}, []string{"path"}, false, tool.Filesystem},
		"run_command":  {[]string{"command"}, []string{"timeoutMs"}, true, tool.Process},
	} {
		t.Run(name, func(t *testing.T) {
			made := f.tools[name]
			if made == nil {
				t.Fatal("got no such tool")
			}
			var schema struct {
				Properties map[string]any `json:"properties"`
				Required   []string       `json:"required"`
			}
			if err := json.Unmarshal(made.Schema().Parameters, &schema); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.required, schema.Required); diff != "" {
				t.Errorf("required (-want +got):\n%s", diff)
			}
			for _, property := range slices.Concat(want.required, want.optional) {
				if _, ok := schema.Properties[property]; !ok {
					t.Errorf("got no property %s", property)
				}
			}
			if got := made.NeedsApproval(`{}`); got != want.approval {
				t.Errorf("got approval %v, want %v", got, want.approval)
			}
			if diff := cmp.Diff([]tool.SideEffect{want.effect}, made.SideEffects); diff != "" {
				t.Errorf("side effects (-want +got):\n%s", diff)
			}
		})
	}
	if len(f.tools) != 7 {
		t.Errorf("got %d tools, want 7", len(f.tools))
	}
}

func TestNoFolderIsAnError(t *testing.T) {
	if _, err := workspace.Tools(workspace.Options{Root: " "}); err == nil {
		t.Error("got no error, want one")
	}
}

func TestWhoIsAsked(t *testing.T) {
	careful := newFolderWith(t, workspace.Options{AskEdits: true, Unasked: []string{"sh test.sh"}}, nil)
	for name, tc := range map[string]struct {
		tool, arguments string
		want            bool
	}{
		"an edit, when edits are asked for":  {"edit_file", `{}`, true},
		"a write, when edits are asked for":  {"write_file", `{}`, true},
		"reading is never asked for":         {"read_file", `{}`, false},
		"a command that may run unasked":     {"run_command", `{"command":"sh test.sh"}`, false},
		"the same, with a time":              {"run_command", `{"command":"sh test.sh","timeoutMs":5}`, false},
		"the same, with more behind it":      {"run_command", `{"command":"sh test.sh; rm -rf ."}`, true},
		"the same, with a space behind it":   {"run_command", `{"command":"sh test.sh "}`, true},
		"another command":                    {"run_command", `{"command":"ls"}`, true},
		"arguments that are not JSON":        {"run_command", `{"command":"sh test.sh"`, true},
		"arguments of the wrong shape":       {"run_command", `["sh test.sh"]`, true},
		"two objects, the first one allowed": {"run_command", `{"command":"sh test.sh"}{"command":"ls"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := careful.tools[tc.tool].NeedsApproval(tc.arguments); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestNothingLeadsOutOfTheFolder(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := newFolder(t, map[string]string{"in/a.txt": "a\n"})
	f.link(secret, "absolute.txt")
	f.link(outside, "folder")
	up, err := filepath.Rel(f.root, secret)
	if err != nil {
		t.Fatal(err)
	}
	f.link(up, "relative.txt")
	f.link(filepath.Join(outside, "new.txt"), "dangling.txt")
	f.link("loop.txt", "loop.txt")

	for name, path := range map[string]string{
		"dots":                             "../x.txt",
		"dots after a folder":              "in/../../x.txt",
		"an absolute path":                 secret,
		"an absolute path with dots":       filepath.Join(f.root, "..", "x.txt"),
		"a link to an absolute path":       "absolute.txt",
		"a link to a relative path":        "relative.txt",
		"a linked folder":                  "folder/secret.txt",
		"a link to a file that is not yet": "dangling.txt",
		"a link to itself":                 "loop.txt",
		"a NUL":                            "a\x00b",
	} {
		for tool, more := range map[string]args{
			"read_file":    {},
			"view_image":   {},
			"write_file":   {"content": "changed\n"},
			"edit_file":    {"oldText": "secret", "newText": "changed"},
			"list_files":   {"recursive": true},
			"search_files": {"pattern": "secret"},
		} {
			t.Run(tool+" by "+name, func(t *testing.T) {
				a := args{"path": path}
				for k, v := range more {
					a[k] = v
				}
				r := f.call(tool, a)
				if r.Err == nil {
					t.Fatalf("got %s, want an error", r.Content)
				}
				if strings.Contains(string(r.Content)+string(r.Details), "secret\\n") {
					t.Errorf("got the secret in %s %s", r.Content, r.Details)
				}
			})
		}
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "secret\n" {
		t.Errorf("got %q outside, want it as it was", got)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("got %v outside, want the secret alone", entries)
	}
	if r := f.call("search_files", args{"pattern": "secret"}); strings.Contains(string(r.Content), "secret.txt") {
		t.Errorf("got %s, want no file outside", r.Content)
	}
}

func TestPathsInsideTheFolderAreTakenAsTheyCome(t *testing.T) {
	f := newFolder(t, map[string]string{"in/a.txt": "a\n", "ünï/日本 🙂.txt": "u\n"})
	f.link("in/a.txt", "link.txt")
	f.link("in", "dir")
	for name, path := range map[string]string{
		"relative":              "in/a.txt",
		"with a dot":            "./in/a.txt",
		"with dots that return": "in/../in/a.txt",
		"absolute":              f.path("in/a.txt"),
		"through a link":        "link.txt",
		"through a linked dir":  "dir/a.txt",
	} {
		t.Run(name, func(t *testing.T) {
			if got := content[string](t, f.call("read_file", args{"path": path})); got != "a\n" {
				t.Errorf("got %q, want a", got)
			}
		})
	}
	if got := content[string](t, f.call("read_file", args{"path": "ünï/日本 🙂.txt"})); got != "u\n" {
		t.Errorf("got %q, want u", got)
	}
}

func TestAFolderThatVanishedIsSaidToHave(t *testing.T) {
	f := newFolder(t, map[string]string{"a.txt": "a"})
	if err := os.RemoveAll(f.root); err != nil {
		t.Fatal(err)
	}
	for tool, a := range map[string]args{
		"read_file":    {"path": "a.txt"},
		"write_file":   {"path": "a.txt", "content": ""},
		"edit_file":    {"path": "a.txt", "oldText": "a", "newText": "b"},
		"list_files":   {},
		"search_files": {"pattern": "a"},
		"run_command":  {"command": "true"},
	} {
		t.Run(tool, func(t *testing.T) {
			fails(t, f.call(tool, a), "the workspace folder "+f.root+" is not there any more")
		})
	}
	if _, err := os.Stat(f.root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want the folder not made anew", err)
	}
}

func TestCallsArePresentedByWhatTheyTouch(t *testing.T) {
	f := newFolder(t, map[string]string{"a.txt": "one\ntwo\n", "sub/b.txt": "two\n", "empty": ""})
	for name, tc := range map[string]struct {
		tool          string
		args          args
		before, after tool.Presentation
	}{
		"read":        {"read_file", args{"path": "a.txt"}, tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "a.txt"}, tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "a.txt", Summary: "2 lines"}},
		"read one":    {"read_file", args{"path": "sub/b.txt"}, tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "sub/b.txt"}, tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "sub/b.txt", Summary: "1 line"}},
		"read none":   {"read_file", args{"path": "empty"}, tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "empty"}, tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "empty", Summary: "empty"}},
		"read failed": {"read_file", args{"path": "no.txt"}, tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "no.txt"}, tool.Presentation{Label: "Read file", Icon: "file-text", Detail: "no.txt"}},
		"write":       {"write_file", args{"path": "new.txt", "content": "1\n2\n"}, tool.Presentation{Label: "Write file", Icon: "file-plus", Detail: "new.txt"}, tool.Presentation{Label: "Write file", Icon: "file-plus", Detail: "new.txt", Summary: "+2 −0"}},
		"edit":        {"edit_file", args{"path": "empty", "oldText": "x", "newText": "y"}, tool.Presentation{Label: "Edit file", Icon: "file-pen", Detail: "empty"}, tool.Presentation{Label: "Edit file", Icon: "file-pen", Detail: "empty"}},
		"list":        {"list_files", args{"path": "sub"}, tool.Presentation{Label: "List files", Icon: "folder-tree", Detail: "sub"}, tool.Presentation{Label: "List files", Icon: "folder-tree", Detail: "sub", Summary: "1 entry"}},
		"search":      {"search_files", args{"pattern": "two"}, tool.Presentation{Label: "Search files", Icon: "search", Detail: "two"}, tool.Presentation{Label: "Search files", Icon: "search", Detail: "two", Summary: "2 matches"}},
		"search in":   {"search_files", args{"pattern": "t.o", "path": "sub"}, tool.Presentation{Label: "Search files", Icon: "search", Detail: "t.o in sub"}, tool.Presentation{Label: "Search files", Icon: "search", Detail: "t.o in sub", Summary: "1 match"}},
		"search none": {"search_files", args{"pattern": "three"}, tool.Presentation{Label: "Search files", Icon: "search", Detail: "three"}, tool.Presentation{Label: "Search files", Icon: "search", Detail: "three", Summary: "no matches"}},
		"command":     {"run_command", args{"command": "exit 3"}, tool.Presentation{Label: "Run command", Icon: "terminal", Detail: "exit 3"}, tool.Presentation{Label: "Run command", Icon: "terminal", Detail: "exit 3", Summary: "exit 3", Tone: tool.ToneWarning}},
		"two lines":   {"run_command", args{"command": "true\n\nfalse || true"}, tool.Presentation{Label: "Run command", Icon: "terminal", Detail: "true …"}, tool.Presentation{Label: "Run command", Icon: "terminal", Detail: "true …", Summary: "exit 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := f.prepare(tc.tool, tc.args)
			if diff := cmp.Diff(&tc.before, c.Presentation()); diff != "" {
				t.Errorf("before (-want +got):\n%s", diff)
			}
			r := c.Run(tool.Context{Context: t.Context()})
			if diff := cmp.Diff(&tc.after, r.Presentation); diff != "" {
				t.Errorf("after (-want +got):\n%s", diff)
			}
		})
	}
}
