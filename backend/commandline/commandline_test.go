package commandline

import (
	"errors"
	"flag"
	"path/filepath"
	"strings"
	"testing"
)

func environment(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestParse(t *testing.T) {
	home := environment(map[string]string{"HOME": "/home/ada", "OPENAI_API_KEY": "k", "DISPLAY": ":0"})
	for _, c := range []struct {
		name  string
		args  string
		env   func(string) string
		check func(Options) bool
	}{
		{"no argument opens the window", "", home, func(o Options) bool { return o.Command == "window" && o.Display }},
		{"a flag alone opens the window", "--folder /src", home, func(o Options) bool { return o.Command == "window" && o.Config.Folder == "/src" }},
		{"data goes to the user's data folder", "", home, func(o Options) bool { return o.Config.Dir == "/home/ada/.local/share/callboard" }},
		{"XDG_DATA_HOME moves it", "", environment(map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/x"}), func(o Options) bool { return o.Config.Dir == "/x/callboard" }},
		{"a relative XDG_DATA_HOME is ignored", "", environment(map[string]string{"HOME": "/h", "XDG_DATA_HOME": "x"}), func(o Options) bool { return o.Config.Dir == "/h/.local/share/callboard" }},
		{"the key comes from the environment", "", home, func(o Options) bool { return o.Config.Key == "k" }},
		{"the model's server comes from the environment", "--model m", environment(map[string]string{"HOME": "/h", "OPENAI_BASE_URL": "http://u"}), func(o Options) bool { return o.Config.BaseURL == "http://u" && o.Config.Model == "m" }},
		{"serve has an address of its own", "serve", home, func(o Options) bool { return o.Addr == defaultAddr && o.Token == nil }},
		{"an empty token is not an absent one", "serve --token=", home, func(o Options) bool { return o.Token != nil && *o.Token == "" }},
		{"an empty token is for localhost too", "serve --addr localhost:1 --token=", home, func(o Options) bool { return o.Token != nil }},
		{"host may be repeated", "serve --host a --host b", home, func(o Options) bool { return strings.Join(o.Hosts, " ") == "a b" }},
		{"run takes its flags with one dash or two", "run -agent demo --input hi --events", home, func(o Options) bool { return o.Agent == "demo" && o.Input == "hi" && o.Events }},
		{"a link is opened in the window", "callboard://t/t1", home, func(o Options) bool { return o.Command == "window" && o.Open == "callboard://t/t1" }},
		{"a link may stand after the flags", "--folder /src callboard://t/t1", home, func(o Options) bool { return o.Config.Folder == "/src" && o.Open == "callboard://t/t1" }},
		{"a link that is none is for the window to say", "callboard:run", home, func(o Options) bool { return o.Command == "window" && o.Open == "callboard:run" }},
		{"a thread's file is opened in the window", "/a/b.callboard --folder /src", home, func(o Options) bool { return o.Open == "/a/b.callboard" && o.Config.Folder == "/src" }},
		{"a file's address too", "file:///a/b.callboard", home, func(o Options) bool { return o.Open == "file:///a/b.callboard" }},
		{"a window has its place on X", "", home, func(o Options) bool { return o.Placed }},
		{"and none under Wayland", "", environment(map[string]string{"HOME": "/h", "WAYLAND_DISPLAY": "wayland-0"}), func(o Options) bool { return o.Display && !o.Placed }},
		{"export takes its thread before its flags", "export thr_1 --markdown --out f.md", home, func(o Options) bool { return o.Thread == "thr_1" && o.Export.Markdown && o.Out == "f.md" }},
		{"export takes its thread behind its flags", "export --redact thr_1", home, func(o Options) bool { return o.Thread == "thr_1" && o.Export.Redact && o.Out == "" }},
		{"a word to mask means to redact", "export thr_1 --mask a --mask b --out -", home, func(o Options) bool { return o.Export.Redact && len(o.Export.Words) == 2 && o.Out == "" }},
		{"import takes flags on both sides of its file", "import --copy a.callboard --data /d", home, func(o Options) bool { return o.File == "a.callboard" && o.Copy && o.Config.Dir == "/d" }},
		{"export takes flags on both sides of its thread", "export --redact thr_1 --out f.md", home, func(o Options) bool { return o.Thread == "thr_1" && o.Export.Redact && o.Out == "f.md" }},
		{"the window takes flags on both sides of a file", "--model m --base-url http://h a.callboard --data /d", home, func(o Options) bool { return filepath.Base(o.Open) == "a.callboard" && o.Config.Dir == "/d" }},
		{"behind -- a name may begin as a flag does", "import --copy -- -a.callboard", home, func(o Options) bool { return o.File == "-a.callboard" && o.Copy }},
		{"import takes a file", "import a.callboard --copy", home, func(o Options) bool { return o.File == "a.callboard" && o.Copy }},
		{"import reads stdin", "import - --data /d", home, func(o Options) bool { return o.File == "-" && o.Config.Dir == "/d" }},
		{"--version is the command", "--version", home, func(o Options) bool { return o.Command == "version" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Parse(strings.Fields(c.args), c.env)
			if err != nil || !c.check(o) {
				t.Errorf("got %+v, %v", o, err)
			}
		})
	}
}

func TestParseOfBadUsageSaysWhy(t *testing.T) {
	for _, c := range []struct{ name, args, says string }{
		{"two things to open", "callboard://t/a callboard://t/b", "callboard://t/b"},
		{"export without a thread", "export --redact", "callboard export THREAD"},
		{"export of two threads", "export a b", `"b"`},
		{"import without a file", "import", "callboard import FILE"},
		{"a link given to serve", "serve callboard://t/a", "callboard://t/a"},
		{"a file of another kind", "notes.txt", "notes.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Parse(strings.Fields(c.args), environment(map[string]string{"HOME": "/h"}))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %+v, %v; want an error with %q", o, err, c.says)
			}
		})
	}
}

func TestParseAsksForTheUsage(t *testing.T) {
	for _, args := range []string{"serve --help", "--help", "help", "callboard://t/a -h"} {
		if _, err := Parse(strings.Fields(args), environment(map[string]string{"HOME": "/h"})); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%s: got %v, want %v", args, err, flag.ErrHelp)
		}
	}
}

func TestAskedFindsWhatASecondStartIsToOpen(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, args, want string }{
		{"nothing", "--data /d", ""},
		{"a link", "--data /d callboard://t/a", "callboard://t/a"},
		{"a file beside where it was started", "a.callboard", filepath.Join(dir, "a.callboard")},
		{"a file by its whole path", "/b/a.callboard", "/b/a.callboard"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Asked(strings.Fields(c.args), dir); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
