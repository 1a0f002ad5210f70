package workspace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/tool"
)

func TestReading(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 40_000)
	f := newFolder(t, map[string]string{
		"a.txt":      "one\ntwo",
		"crlf.txt":   "\ufeffone\r\ntwo\r\n",
		"empty.txt":  "",
		"long.txt":   long,
		"line.txt":   strings.Repeat("é", 200_000),
		"nul.bin":    "GIF89a\x00\x01",
		"latin1.txt": "caf\xe9\n",
		"d/x":        "",
	})
	for name, tc := range map[string]struct{ path, want, err string }{
		"text as it is":                     {"a.txt", "one\ntwo", ""},
		"lines end in LF, without a mark":   {"crlf.txt", "one\ntwo\n", ""},
		"an empty file says so":             {"empty.txt", "[The file is empty.]", ""},
		"a long one is cut at a line":       {"long.txt", long[:256<<10] + "\n[Cut: the file has 640000 bytes; these are its first 16384 lines. search_files finds the place of a text in the rest.]\n", ""},
		"a long line is cut at a character": {"line.txt", strings.Repeat("é", 128<<10) + "\n[Cut: the file has 400000 bytes; these are its first 1 lines. search_files finds the place of a text in the rest.]\n", ""},
		"not a binary file":                 {"nul.bin", "", "nul.bin is not a text file: 8 bytes of image/gif"},
		"not another encoding":              {"latin1.txt", "", "latin1.txt is not a text file: 5 bytes that are not UTF-8"},
		"not a folder":                      {"d", "", "d is a folder"},
		"not what is not there":             {"none.txt", "", "none.txt: file does not exist"},
		"not below a file":                  {"a.txt/b", "", "a.txt/b: not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			r := f.call("read_file", args{"path": tc.path})
			if tc.err != "" {
				fails(t, r, tc.err)
				return
			}
			if got := content[string](t, r); got != tc.want {
				t.Errorf("got %q, want %q", tail(got), tail(tc.want))
			}
		})
	}
}

func tail(s string) string { return s[max(0, len(s)-200):] }

type writtenFile struct {
	Path    string
	Created bool
	Bytes   int
}

func diffOf(t *testing.T, details json.RawMessage) string {
	t.Helper()
	var d struct{ Diff string }
	if details == nil {
		return ""
	}
	if err := json.Unmarshal(details, &d); err != nil {
		t.Fatalf("decode details %s: %v", details, err)
	}
	return d.Diff
}

func TestWriting(t *testing.T) {
	for name, tc := range map[string]struct {
		before, content string // before: "-" for no file
		after, diff     string
		created         bool
	}{
		"a new file":                         {"-", "a\n", "a\n", "--- /dev/null\n+++ b/sub/f.txt\n@@ -0,0 +1 @@\n+a\n", true},
		"over an old one":                    {"a\nb\n", "a\nc\n", "a\nc\n", "--- a/sub/f.txt\n+++ b/sub/f.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", false},
		"the same again":                     {"a\n", "a\n", "a\n", "", false},
		"CRLF stays":                         {"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n", "--- a/sub/f.txt\n+++ b/sub/f.txt\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", false},
		"a byte order mark stays":            {"\ufeffa\n", "b\n", "\ufeffb\n", "--- a/sub/f.txt\n+++ b/sub/f.txt\n@@ -1 +1 @@\n-\ufeffa\n+\ufeffb\n", false},
		"mixed line endings are not guessed": {"a\r\nb\n", "a\nc\n", "a\nc\n", "--- a/sub/f.txt\n+++ b/sub/f.txt\n@@ -1,2 +1,2 @@\n-a\r\n-b\n+a\n+c\n", false},
		"over a binary file":                 {"\x00\x01", "a\n", "a\n", "--- a/sub/f.txt\n+++ b/sub/f.txt\n@@ -0,0 +1 @@\n+a\n", false},
		"an empty file":                      {"a\n", "", "", "--- a/sub/f.txt\n+++ b/sub/f.txt\n@@ -1 +0,0 @@\n-a\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t, nil)
			if tc.before != "-" {
				f.put("sub/f.txt", tc.before)
			}
			c := f.prepare("write_file", args{"path": "sub/f.txt", "content": tc.content})
			preview, err := c.Preview(tool.Context{Context: t.Context()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(f.path("sub/f.txt")); (err == nil) != (tc.before != "-") {
				t.Fatalf("got %v after the preview, want nothing done", err)
			}
			r := c.Run(tool.Context{Context: t.Context()})
			if diff := cmp.Diff(writtenFile{"sub/f.txt", tc.created, len(tc.after)}, content[writtenFile](t, r)); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			if got := f.get("sub/f.txt"); got != tc.after {
				t.Errorf("got file %q, want %q", got, tc.after)
			}
			if got := diffOf(t, r.Details); got != tc.diff {
				t.Errorf("got diff %q, want %q", got, tc.diff)
			}
			if string(preview) != string(r.Details) {
				t.Errorf("got preview %s, want what then happened: %s", preview, r.Details)
			}
			if entries, err := os.ReadDir(f.path("sub")); err != nil || len(entries) != 1 {
				t.Errorf("got %v, want the file alone", entries)
			}
		})
	}
}

func TestEditing(t *testing.T) {
	for name, tc := range map[string]struct {
		before, old, new string
		after, err       string
	}{
		"once":                           {"a\nb\nc\n", "b", "x", "a\nx\nc\n", ""},
		"over lines":                     {"a\nb\nc\n", "a\nb\n", "", "c\n", ""},
		"in CRLF, by LF":                 {"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n", ""},
		"in CRLF, by CRLF":               {"a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n", ""},
		"in CRLF, within a line":         {"a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", ""},
		"in LF, by CRLF":                 {"a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n", ""},
		"in a mixture, as it is there":   {"a\r\nb\nc\nd\n", "b\nc", "x\ny", "a\r\nx\ny\nd\n", ""},
		"in a mixture, the other way":    {"a\nb\r\nc\r\nd\n", "b\nc", "x\ny", "a\nx\r\ny\r\nd\n", ""},
		"behind a byte order mark":       {"\ufeffa\nb\n", "a", "x", "\ufeffx\nb\n", ""},
		"at the end without a line feed": {"a\nb", "b", "c", "a\nc", ""},
		"characters of several bytes":    {"é\r\n🙂\r\nü\r\n", "🙂\nü", "🙃", "é\r\n🙃\r\n", ""},
		"not what is not there":          {"a\n", "x", "y", "", "oldText does not stand in f.txt; no line of the file is like its first line: read the file again"},
		"not with other white space":     {"if x {\n\treturn 1\n}\n", "    return 1\n}", "x", "", `Its first line is like line 2, which is "\treturn 1"; compare white space`},
		"not what is there twice":        {"a\nb\na\n", "a", "x", "", "oldText stands 2 times in f.txt (lines 1, 3): take in more lines around it"},
		"not what overlaps itself":       {"aaa\n", "aa", "x", "", "oldText stands 2 times in f.txt (lines 1, 1)"},
		"not what is there very often":   {strings.Repeat("a\n", 30), "a", "x", "", "oldText stands 30 times in f.txt (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"},
		"not the same for the same":      {"a\n", "a", "a", "", "oldText and newText are the same: nothing would change"},
		"not in what is not text":        {"a\x00\n", "a", "b", "", "f.txt is not a text file"},
		"not in another encoding":        {"a\xe9\n", "a", "b", "", "f.txt is not a text file: 3 bytes that are not UTF-8"},
		"white space alone, not there":   {"ab\n", "  \n", "x", "", "it is white space alone"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t, map[string]string{"f.txt": tc.before})
			c := f.prepare("edit_file", args{"path": "f.txt", "oldText": tc.old, "newText": tc.new})
			preview, previewErr := c.Preview(tool.Context{Context: t.Context()})
			if got := f.get("f.txt"); got != tc.before {
				t.Fatalf("got %q after the preview, want nothing done", got)
			}
			r := c.Run(tool.Context{Context: t.Context()})
			if tc.err != "" {
				fails(t, r, tc.err)
				if previewErr == nil || !strings.Contains(previewErr.Error(), tc.err) {
					t.Errorf("got preview error %v, want %q in it", previewErr, tc.err)
				}
				if got := f.get("f.txt"); got != tc.before || r.Details != nil {
					t.Errorf("got %q and details %s, want nothing done and nothing shown", got, r.Details)
				}
				return
			}
			if got, want := string(r.Content), `{"path":"f.txt","replacements":1}`; got != want {
				t.Errorf("got %s, %v, want %s", got, r.Err, want)
			}
			if got := f.get("f.txt"); got != tc.after {
				t.Errorf("got file %q, want %q", got, tc.after)
			}
			if previewErr != nil || string(preview) != string(r.Details) || !strings.HasPrefix(diffOf(t, preview), "--- a/f.txt\n+++ b/f.txt\n@@ ") {
				t.Errorf("got preview %s, %v, want what then happened: %s", preview, previewErr, r.Details)
			}
		})
	}
	f := newFolder(t, nil)
	fails(t, f.call("edit_file", args{"path": "none.txt", "oldText": "a", "newText": "b"}), "none.txt: file does not exist")
}

func TestAnEditIsSummedUp(t *testing.T) {
	f := newFolder(t, map[string]string{"f.sql": "-- a\n++ b\nc\n"})
	r := f.call("edit_file", args{"path": "f.sql", "oldText": "-- a\n++ b\n", "newText": "x\n-- y\n++ z\n"})
	if got, want := r.Presentation.Summary, "+3 −2"; got != want {
		t.Errorf("got %q, want %q in %s", got, want, r.Details)
	}
}

func TestAChangeKeepsWhatAFileIs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	f := newFolder(t, map[string]string{"run.sh": "old\n", "real.txt": "old\n", "d/real.txt": "old\n"})
	f.link("real.txt", "link.txt")
	f.link("../link.txt", "d/far.txt")
	for _, mode := range []os.FileMode{0o755, 0o600, 0o666} {
		if err := os.Chmod(f.path("run.sh"), mode); err != nil {
			t.Fatal(err)
		}
		for tool, a := range map[string]args{
			"write_file": {"path": "run.sh", "content": "old\n"},
			"edit_file":  {"path": "run.sh", "oldText": "old", "newText": "older"},
		} {
			if r := f.call(tool, a); r.Err != nil {
				t.Fatal(r.Err)
			}
			if stat, err := os.Stat(f.path("run.sh")); err != nil || stat.Mode().Perm() != mode {
				t.Errorf("%s: got mode %v, want %v", tool, stat.Mode(), mode)
			}
			f.put("run.sh", "old\n")
		}
	}
	if r := f.call("edit_file", args{"path": "d/far.txt", "oldText": "old", "newText": "new"}); r.Err != nil {
		t.Fatal(r.Err)
	}
	if got := f.get("real.txt"); got != "new\n" {
		t.Errorf("got %q behind two links, want new", got)
	}
	if stat, err := os.Lstat(f.path("link.txt")); err != nil || stat.Mode()&os.ModeSymlink == 0 {
		t.Errorf("got %v, want the link to stay one", stat.Mode())
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	f := newFolder(t, map[string]string{"dir/x": "", "file": "a\n"})
	fails(t, f.call("write_file", args{"path": "dir", "content": "a"}), "dir is a folder")
	fails(t, f.call("write_file", args{"path": ".", "content": "a"}), "is the workspace folder itself")
	fails(t, f.call("write_file", args{"path": "file/x", "content": "a"}), "file/x: not a directory")
	if os.Getuid() == 0 {
		return // nothing is read-only to root
	}
	if err := os.Chmod(f.path("file"), 0o444); err != nil {
		t.Fatal(err)
	}
	fails(t, f.call("write_file", args{"path": "file", "content": "b"}), "file: permission denied")
}

func TestEditsAtTheSameTimeLoseNone(t *testing.T) {
	var before strings.Builder
	for i := range 20 {
		fmt.Fprintf(&before, "<%d>\n", i)
	}
	f := newFolder(t, map[string]string{"f.txt": before.String()})
	var wg sync.WaitGroup
	for i := range 20 {
		c := f.prepare("edit_file", args{"path": "f.txt", "oldText": fmt.Sprintf("<%d>", i), "newText": fmt.Sprintf("(%d)", i)})
		wg.Go(func() { c.Run(tool.Context{Context: t.Context()}) })
	}
	wg.Wait()
	if got := f.get("f.txt"); strings.Contains(got, "<") {
		t.Errorf("got %s, want all edits in it", got)
	}
}

func TestADiffOfALargeFileIsQuick(t *testing.T) {
	var before, after strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&before, "line %d of the file\n", i)
		fmt.Fprintf(&after, "row %d, of another\n", i*7)
	}
	f := newFolder(t, map[string]string{"f.txt": before.String()})
	start := time.Now()
	r := f.call("write_file", args{"path": "f.txt", "content": after.String()})
	if took := time.Since(start); took > 30*time.Second { // one that grows with the square takes minutes
		t.Errorf("got a diff in %s, want it at once", took)
	}
	if got, want := r.Presentation.Summary, "+40000 −40000"; got != want {
		t.Errorf("got %q, %v, want %q", got, r.Err, want)
	}
	huge := strings.Repeat("x", 3<<20)
	r = f.call("write_file", args{"path": "f.txt", "content": huge})
	if got, want := string(r.Details), fmt.Sprintf(`{"text":"%d bytes become %d: too many to show as a diff."}`, after.Len(), len(huge)); got != want {
		t.Errorf("got details %s, want %s", got, want)
	}
}

type listing struct {
	Entries []string
	Note    string
}

func TestListing(t *testing.T) {
	f := newFolder(t, map[string]string{
		"b.txt": "", "a/x.go": "", "a/deep/y.go": "", ".git/HEAD": "", "node_modules/m/i.js": "", ".hidden": "", "é 🙂": "",
	})
	f.link("a/x.go", "link")
	for name, tc := range map[string]struct {
		args args
		want []string
	}{
		"the folder itself":   {args{}, []string{".git/", ".hidden", "a/", "b.txt", "link -> a/x.go", "node_modules/", "é 🙂"}},
		"a folder below":      {args{"path": "a"}, []string{"a/deep/", "a/x.go"}},
		"with all below":      {args{"recursive": true}, []string{".git/", ".hidden", "a/", "a/deep/", "a/deep/y.go", "a/x.go", "b.txt", "link -> a/x.go", "node_modules/", "é 🙂"}},
		"what is asked for":   {args{"path": ".git", "recursive": true}, []string{".git/HEAD"}},
		"by an absolute path": {args{"path": f.path("a/deep")}, []string{"a/deep/y.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(listing{Entries: tc.want}, content[listing](t, f.call("list_files", tc.args))); diff != "" {
				t.Errorf("listing (-want +got):\n%s", diff)
			}
		})
	}
	fails(t, f.call("list_files", args{"path": "b.txt"}), "b.txt is not a folder")
	fails(t, f.call("list_files", args{"path": "none"}), "none: file does not exist")

	for i := range 1100 {
		f.put(fmt.Sprintf("many/%04d", i), "")
	}
	r := f.call("list_files", args{"path": "many"})
	if got := content[listing](t, r); len(got.Entries) != 1000 || got.Note == "" || r.Presentation.Summary != "first 1000 entries" {
		t.Errorf("got %d entries, note %q, summary %q; want 1000 and a note", len(got.Entries), got.Note, r.Presentation.Summary)
	}
	empty := newFolder(t, nil)
	if got, want := string(empty.call("list_files", args{}).Content), `{"entries":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

type hits struct {
	Matches []hit
	Note    string
	Error   string
}

type hit struct {
	Path string
	Line int
	Text string
}

func TestSearching(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.go": "package a\n\nfunc Find() {}\n", "b/b.go": "\ufefffunc Find() {}\r\nfunc Other() {}\r\n",
		"bin": "func\x00", ".git/x": "func Find", "node_modules/y.js": "func Find", "long.txt": strings.Repeat("é", 500) + " needle\n",
	})
	for name, tc := range map[string]struct {
		args args
		want hits
	}{
		"everywhere":                     {args{"pattern": `func F`}, hits{Matches: []hit{{"a.go", 3, "func Find() {}"}, {"b/b.go", 1, "func Find() {}"}}}},
		"by an expression, line by line": {args{"pattern": `(?i)^FUNC \w+\(\) \{\}$`}, hits{Matches: []hit{{"a.go", 3, "func Find() {}"}, {"b/b.go", 1, "func Find() {}"}, {"b/b.go", 2, "func Other() {}"}}}},
		"in a folder":                    {args{"pattern": `Other`, "path": "b"}, hits{Matches: []hit{{"b/b.go", 2, "func Other() {}"}}}},
		"in a file":                      {args{"pattern": `package`, "path": "a.go"}, hits{Matches: []hit{{"a.go", 1, "package a"}}}},
		"in a folder that is left out":   {args{"pattern": `Find`, "path": "node_modules"}, hits{Matches: []hit{{"node_modules/y.js", 1, "func Find"}}}},
		"nothing":                        {args{"pattern": `nowhere`}, hits{Matches: []hit{}}},
		"a long line is cut":             {args{"pattern": `needle`}, hits{Matches: []hit{{"long.txt", 1, strings.Repeat("é", 150) + "…"}}}},
		"a bad pattern is said to be":    {args{"pattern": `a(`}, hits{Matches: []hit{}, Error: "The pattern is not a regular expression: error parsing regexp: missing closing ): `a(`"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, content[hits](t, f.call("search_files", tc.args))); diff != "" {
				t.Errorf("matches (-want +got):\n%s", diff)
			}
		})
	}
	fails(t, f.call("search_files", args{"pattern": "a", "path": "none"}), "none: file does not exist")

	f.put("many.txt", strings.Repeat("same\n", 300))
	f.put("large.txt", strings.Repeat("large\n", 1<<21))
	r := f.call("search_files", args{"pattern": "same|large"})
	got := content[hits](t, r)
	if want := "Cut at 200 matches: search a folder below, or a narrower pattern. Left out: 1 file over 8 MiB."; len(got.Matches) != 200 || got.Note != want || r.Presentation.Summary != "first 200 matches" {
		t.Errorf("got %d matches, note %q, summary %q; want 200 and %q", len(got.Matches), got.Note, r.Presentation.Summary, want)
	}
}
