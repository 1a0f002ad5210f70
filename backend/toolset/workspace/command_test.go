//go:build unix

package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"callboard/backend/tool"
	"callboard/backend/toolset/workspace"
)

type ran struct {
	ExitCode int
	Output   string
	Note     string
}

func terminalOf(t *testing.T, details json.RawMessage) string {
	t.Helper()
	var d struct{ Terminal string }
	if err := json.Unmarshal(details, &d); err != nil {
		t.Fatalf("decode details %s: %v", details, err)
	}
	return d.Terminal
}

func TestACommandGivesItsExitCodeAndItsOutput(t *testing.T) {
	t.Setenv("CALLBOARD_TEST_API_KEY", "sk-secret")
	t.Setenv("CALLBOARD_TEST_PLAIN", "plain")
	f := newFolder(t, map[string]string{"a.txt": "here\n"})
	for name, tc := range map[string]struct {
		command string
		want    ran
	}{
		"in the folder":                {`cat a.txt; basename "$PWD"`, ran{0, "here\n" + filepath.Base(f.root) + "\n", ""}},
		"both streams as they come":    {`echo one; echo two >&2; echo three`, ran{0, "one\ntwo\nthree\n", ""}},
		"a failure is a result":        {`echo no >&2; exit 3`, ran{3, "no\n", ""}},
		"one that is not there":        {`callboard-no-such-command 2>/dev/null`, ran{127, "", ""}},
		"one that dies of a signal":    {`kill -9 $$`, ran{137, "", "It was ended by a signal: killed."}},
		"no input":                     {`cat; echo end`, ran{0, "end\n", ""}},
		"no keys of models":            {`echo "$CALLBOARD_TEST_PLAIN [$CALLBOARD_TEST_API_KEY]"`, ran{0, "plain []\n", ""}},
		"colours are for people":       {`printf '\033[31mred\033[0m \033]0;title\007plain\n'`, ran{0, "red plain\n", ""}},
		"a line written over":          {`printf '10%%\r50%%\r100%%\nnext\r\n'`, ran{0, "100%\nnext\n", ""}},
		"bytes that are not UTF-8":     {`printf 'a\377b'`, ran{0, "a\uFFFDb", ""}},
		"a background that is let go":  {`sleep 0.01 >/dev/null 2>&1 & echo on`, ran{0, "on\n", ""}},
		"a background that holds on":   {`sleep 300 & echo on`, ran{0, "on\n", "Processes it left in the background were ended, for they held its output open. "}},
		"quotes, dollars and brackets": {`x='a "b"'; echo "$x" '<&>'`, ran{0, "a \"b\" <&>\n", ""}},
		"several lines":                {"echo 1\necho 2", ran{0, "1\n2\n", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			r := f.call("run_command", args{"command": tc.command})
			if got := content[ran](t, r); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			tone := tool.Tone("")
			if tc.want.ExitCode != 0 {
				tone = tool.ToneWarning
			}
			if got := r.Presentation; got.Tone != tone || got.Summary != fmt.Sprintf("exit %d", tc.want.ExitCode) {
				t.Errorf("got summary %q and tone %q, want the exit code and %q", got.Summary, got.Tone, tone)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %s, want it not to wait for others", took)
			}
		})
	}
	r := f.call("run_command", args{"command": `printf '\033[31mred\033[0m\n'`})
	if got, want := terminalOf(t, r.Details), "\x1b[31mred\x1b[0m\n"; got != want {
		t.Errorf("got terminal %q, want it with its colours: %q", got, want)
	}
}

func TestALongCommandIsShownWithoutAPartOfItsWhiteSpace(t *testing.T) {
	f := newFolder(t, nil)
	command := "true" + strings.Repeat(" ", 500) + "&& true"
	if got := f.call("run_command", args{"command": command}).Presentation.Detail; got != "true…" {
		t.Errorf("got %q, want what is cut to end with its last word", got)
	}
}

func TestTheEnvironmentCanBeGiven(t *testing.T) {
	f := newFolderWith(t, workspace.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "ONLY=this"}}, nil)
	got := content[ran](t, f.call("run_command", args{"command": `env | grep -c . ; echo $ONLY`}))
	if !strings.HasSuffix(got.Output, "\nthis\n") || os.Getenv("HOME") != "" && strings.Contains(got.Output, os.Getenv("HOME")) {
		t.Errorf("got %q, want this environment alone", got.Output)
	}
}

func TestLongOutputKeepsItsHeadAndItsTail(t *testing.T) {
	f := newFolder(t, nil)
	r := f.call("run_command", args{"command": `echo first; yes 0123456789abcde | head -c 50000000; echo last`})
	got := content[ran](t, r)
	if !strings.HasPrefix(got.Output, "first\n0123") || !strings.HasSuffix(got.Output, "\nlast\n") {
		t.Errorf("got %q … %q, want the first and the last line", got.Output[:20], tail(got.Output))
	}
	if want := "\n[… 49967243 bytes left out …]\n"; !strings.Contains(got.Output, want) {
		t.Errorf("got no marker %q", want)
	}
	if len(got.Output) > 33_000 {
		t.Errorf("got %d bytes for the model, want at most 33,000", len(got.Output))
	}
	terminal := terminalOf(t, r.Details)
	if len(terminal) > 263_000 || !strings.HasPrefix(terminal, "first\n") || !strings.HasSuffix(terminal, "\nlast\n") || !strings.Contains(terminal, "bytes left out") {
		t.Errorf("got %d bytes for people, want at most 263,000 with head, marker and tail", len(terminal))
	}
}

func TestProgressShowsTheLatestLines(t *testing.T) {
	f := newFolder(t, nil)
	c := f.prepare("run_command", args{"command": `for i in 1 2 3 4 5 6 7 8 9; do echo "line $i"; sleep 0.1; done`})
	var updates []tool.Update
	c.Run(tool.Context{Context: t.Context(), OnUpdate: func(u tool.Update) { updates = append(updates, u) }})
	if len(updates) < 2 || len(updates) > 6 {
		t.Fatalf("got %d updates, want 2 to 6 in a second", len(updates))
	}
	first, _ := updates[0].Content.(string)
	last, _ := updates[len(updates)-1].Content.(string)
	if !strings.HasPrefix(first, "line 1") {
		t.Errorf("got first update %q, want it to begin with line 1", first)
	}
	if strings.Count(last, "\n") != 4 || !strings.HasPrefix(last[strings.LastIndex(last, "\n"):], "\nline ") {
		t.Errorf("got last update %q, want five lines", last)
	}
	details, err := json.Marshal(updates[0].Details)
	if err != nil || !strings.HasPrefix(terminalOf(t, details), "line 1\n") {
		t.Errorf("got details %s, %v, want the terminal's text", details, err)
	}
}

// family is a command whose shell and children write down their process ids and ignore being asked to end.
const family = `trap '' TERM; echo $$ > shell; (trap '' TERM; echo $$; sh -c 'echo $$ > child; sleep 300') & echo working; wait`

func waitForFile(t *testing.T, path string) int {
	t.Helper()
	for range 6000 {
		if raw, err := os.ReadFile(path); err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil {
				return pid
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s never came", path)
	return 0
}

// isGone reports whether a process has ended; one that nobody has waited for yet has.
func isGone(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func eventuallyGone(t *testing.T, pid int) {
	t.Helper()
	for range 12_000 {
		if isGone(pid) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

func TestACancelEndsTheWholeGroup(t *testing.T) {
	f := newFolder(t, nil)
	c := f.prepare("run_command", args{"command": family})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan tool.Result, 1)
	go func() { result <- c.Run(tool.Context{Context: ctx}) }()
	shell, child := waitForFile(t, f.path("shell")), waitForFile(t, f.path("child"))
	if isGone(shell) || isGone(child) {
		t.Fatal("got processes that ended before the cancel")
	}
	start := time.Now()
	cancel()
	r := <-result
	if took := time.Since(start); took > 30*time.Second { // 200 ms, on a machine that has nothing else to do
		t.Errorf("took %s, want 200 ms", took)
	}
	eventuallyGone(t, shell)
	eventuallyGone(t, child)
	var coded *tool.Error
	if !errors.As(r.Err, &coded) || coded.Code != tool.CodeCancelled || r.Left != nil {
		t.Errorf("got %v, left %v, want %s", r.Err, r.Left != nil, tool.CodeCancelled)
	}
	if r.Presentation.Summary != "cancelled" || !strings.Contains(terminalOf(t, r.Details), "working\n") {
		t.Errorf("got %v and %s, want what it had said so far", r.Presentation, r.Details)
	}
}

func TestATimeoutEndsTheWholeGroup(t *testing.T) {
	f := newFolder(t, nil)
	r := f.call("run_command", args{"command": family, "timeoutMs": 2000})
	eventuallyGone(t, waitForFile(t, f.path("shell")))
	eventuallyGone(t, waitForFile(t, f.path("child")))
	var coded *tool.Error
	if !errors.As(r.Err, &coded) || coded.Code != tool.CodeTimeout || !strings.HasPrefix(coded.Message, "The command timed out after 2000ms and was ended. Its last output:\n") || !strings.Contains(coded.Message, "working") {
		t.Errorf("got %v, want %s with the last output", r.Err, tool.CodeTimeout)
	}
	if r.Presentation.Summary != "timed out" || !strings.Contains(terminalOf(t, r.Details), "working\n") {
		t.Errorf("got %v and %s, want what it had said so far", r.Presentation, r.Details)
	}
	if r.Duration > 30*time.Second {
		t.Errorf("took %s, want 2.2 s", r.Duration)
	}
}

func TestACommandThatIsAskedToEndMayTidyUp(t *testing.T) {
	f := newFolder(t, nil)
	r := f.call("run_command", args{"command": `trap 'echo tidied > tidied; exit 0' TERM; echo ready; while :; do sleep 0.01; done`, "timeoutMs": 2000})
	if got := f.get("tidied"); got != "tidied\n" || r.Err == nil {
		t.Errorf("got %q, %v, want it to have ended in its own way", got, r.Err)
	}
}

func TestAProcessOutsideTheGroupDoesNotHoldTheCall(t *testing.T) {
	f := newFolder(t, nil)
	if got := content[ran](t, f.call("run_command", args{"command": `command -v setsid >/dev/null && echo yes`})); got.Output != "yes\n" {
		t.Skip("setsid is not installed")
	}
	start := time.Now()
	got := content[ran](t, f.call("run_command", args{"command": `setsid sh -c 'echo $$ > away; exec sleep 300' & while [ ! -s away ]; do sleep 0.01; done; echo on`}))
	if took := time.Since(start); took > 20*time.Second || got.Output != "on\n" {
		t.Errorf("got %+v after %s, want on at once", got, took)
	}
	if err := syscall.Kill(waitForFile(t, f.path("away")), syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestArgumentsOfACommandHaveBounds(t *testing.T) {
	f := newFolder(t, nil)
	for text, want := range map[string]string{
		`{"command":""}`: "at '/command': minLength", `{}`: "missing property 'command'",
		`{"command":"x","timeoutMs":0}`: "at '/timeoutMs': minimum", `{"command":"x","timeoutMs":600001}`: "at '/timeoutMs': maximum",
	} {
		if _, err := f.tools["run_command"].Prepare(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", text, err, want)
		}
	}
}
