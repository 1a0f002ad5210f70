package studio

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

// demoRun plays the demo in a thread of its own, with the release approved or denied.
func demoRun(b *bench, approved bool) (thread threadView, asked, done runLog) {
	b.Helper()
	thread = b.newThread(`{"agentName":"demo"}`)
	runID := b.send(thread.ID, demoAgent, demoMessage)
	asked = b.settled(runID)
	b.decideAll(asked, approved)
	return thread, asked, b.settled(runID)
}

func TestTheDemoShowsEverythingOnRealFiles(t *testing.T) {
	b := openBench(t, Config{})
	t.Setenv("CHECK_PAUSE", "0.1") // long enough for progress
	thread, asked, done := demoRun(b, true)
	sample := thread.Folder
	if !thread.Sample || thread.FolderMissing || sample != b.studio.samplePath(thread.ID) {
		t.Errorf("the thread is %+v, want one on its sample", thread)
	}
	if done.status != "completed" || done.last().Type != "finish" {
		t.Fatalf("the demo ended %s with %s:\n%s", done.status, done.last().raw, done)
	}

	t.Run("two reads of one turn are announced before either ends", func(t *testing.T) {
		var order []string
		for _, event := range done.events {
			switch {
			case event.Type == "tool-call-start" && event.ToolName == "read_file":
				order = append(order, "start")
			case event.Type == "tool-result" && (event.ToolCallID == "c1" || event.ToolCallID == "c2"):
				order = append(order, "result")
			case event.Type == "turn" && event.Phase == "end":
				order = append(order, "turn")
			}
		}
		if want := []string{"start", "start", "turn", "result", "result", "turn"}; len(order) < 6 || !slices.Equal(order[:6], want) {
			t.Errorf("the reads went %v, want %v", order, want)
		}
	})
	t.Run("the edit's arguments come in pieces, its diff is in the details, and it is on the disk", func(t *testing.T) {
		edit := callNamed(t, done, "edit_file")
		pieces := 0
		for _, event := range done.of("tool-call-delta") {
			if event.ID == edit.id {
				pieces++
			}
		}
		if pieces < 20 {
			t.Errorf("the arguments came in %d pieces, want many", pieces)
		}
		for _, want := range []string{`"diff"`, `-\treturn \":8080\"`, `+\treturn \":9090\"`} {
			if !strings.Contains(string(edit.result.Details), want) {
				t.Errorf("the details have no %s: %s", want, edit.result.Details)
			}
		}
		if source := readFile(t, sample, "internal/config/config.go"); !strings.Contains(source, `return ":9090"`) || !strings.Contains(source, `os.Getenv("PORT")`) {
			t.Errorf("the file on the disk is unchanged:\n%s", source)
		}
	})
	t.Run("the checks run unasked with live progress", func(t *testing.T) {
		checks := callWith(t, done, "sh scripts/test.sh")
		progress := 0
		for _, event := range done.of("tool-update") {
			if event.ToolCallID == checks.id && (event.Content != nil || event.Details != nil) {
				progress++
			}
		}
		if progress == 0 {
			t.Error("the checks reported no progress")
		}
		if checks.result.Error != "" || !strings.Contains(string(checks.result.Result), "10 of 10 checks passed") {
			t.Errorf("the checks gave %s", checks.result.raw)
		}
		if slices.Contains(checks.states, "waiting") {
			t.Error("the checks waited for a person")
		}
	})
	t.Run("a call the model never finished is dropped, and what its try had said is taken back", func(t *testing.T) {
		dropped := slices.DeleteFunc(done.of("tool-result"), func(e logged) bool { return !e.Dropped })
		if len(dropped) != 1 || dropped[0].Reason != "incomplete" {
			t.Fatalf("dropped are %v, want one incomplete call", dropped)
		}
		if len(slices.DeleteFunc(done.of("text-end"), func(e logged) bool { return !e.Dropped })) != 1 {
			t.Error("the failed try's text was not taken back")
		}
	})
	t.Run("a command that hangs fails with its code", func(t *testing.T) {
		smoke := callWith(t, done, "sh scripts/smoke.sh")
		if smoke.result.ErrorCode != tool.CodeTimeout {
			t.Errorf("the hanging command gave %s, want %s", smoke.result.raw, tool.CodeTimeout)
		}
	})
	t.Run("the release waits, and has really run once it is approved", func(t *testing.T) {
		if asked.status != "paused" || len(asked.of("approval-required")) != 1 {
			t.Errorf("the run was %s before the decision", asked.status)
		}
		if release := callNamed(t, asked, "run_command"); release.id == "" {
			t.Error("no command was asked for")
		}
		if note := readFile(t, sample, "dist/staging/RELEASE"); !strings.HasPrefix(note, "greeter for staging\nport 9090\n") {
			t.Errorf("the release note is %q", note)
		}
	})
	t.Run("the log is the golden one", func(t *testing.T) {
		compareGolden(t, "demo.golden.jsonl", canonical(done, sample))
	})
}

func TestADeniedReleaseDoesNotRun(t *testing.T) {
	b := openBench(t, Config{})
	thread, _, done := demoRun(b, false)
	if done.status != "completed" {
		t.Fatalf("the demo ended %s:\n%s", done.status, done)
	}
	if release := callWith(t, done, "sh scripts/release.sh staging"); release.result.ErrorCode != tool.CodeDenied {
		t.Errorf("the denied release gave %s", release.result.raw)
	}
	if _, err := os.Stat(filepath.Join(thread.Folder, "dist")); !os.IsNotExist(err) {
		t.Errorf("the denied release left dist behind: %v", err)
	}
}

func TestTheScriptEndsWithAWayOnAndANewThreadPlaysItAfresh(t *testing.T) {
	b := openBench(t, Config{})
	first, _, _ := demoRun(b, true)
	over := b.settled(b.send(first.ID, demoAgent, "And now?"))
	if last := over.last(); over.status != "failed" || last.Code != model.CodeUnavailable || last.Message != scriptEnd {
		t.Errorf("the message after the script gave %s, want the script's end", last.raw)
	}
	if kept := b.call(http.MethodGet, "/api/threads/"+first.ID, "", http.StatusOK); !strings.Contains(kept, "And now?") {
		t.Errorf("the thread lost the message: %s", kept)
	}
	second, _, done := demoRun(b, true)
	if done.status != "completed" || second.Folder == first.Folder {
		t.Errorf("the second demo ended %s in %s; the first was in %s", done.status, second.Folder, first.Folder)
	}
}

func TestOnASampleOnlyTheScriptsOwnChecksRunUnasked(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct {
		config Config
		thread string
	}{
		"another model":  {Config{Script: writeFile(t, string(demoScript), t.TempDir(), "script.json")}, `{}`},
		"another folder": {Config{}, asJSON(map[string]string{"folder": folder})},
	} {
		t.Run(name, func(t *testing.T) {
			b := openBench(t, c.config)
			thread := b.newThread(c.thread)
			a, err := b.studio.resolve(t.Context(), demoAgent, thread.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range a.Tools {
				if tool.Name == "run_command" && !tool.NeedsApproval(`{"command":"sh scripts/test.sh"}`) {
					t.Error("the command runs unasked")
				}
			}
		})
	}
}

func TestRenamingEveryDemoToolChangesOnlyNames(t *testing.T) {
	b := openBench(t, Config{})
	plain, _, want := demoRun(b, true)

	renamed := openBench(t, Config{})
	for _, turn := range renamed.studio.demo.script.Turns {
		for i := range turn.Chunks {
			if input := turn.Chunks[i].ToolInput; input != nil && input.ToolName != "" {
				input.ToolName = "x_" + input.ToolName
			}
			for j := range turn.Chunks[i].ToolCalls {
				turn.Chunks[i].ToolCalls[j].Name = "x_" + turn.Chunks[i].ToolCalls[j].Name
			}
		}
	}
	resolve := renamed.studio.runner.Resolve
	renamed.studio.runner.Resolve = func(ctx context.Context, name, threadID string) (*agent.Agent, error) {
		a, err := resolve(ctx, name, threadID)
		if err != nil {
			return nil, err
		}
		for i, t := range a.Tools {
			if a.Tools[i], err = t.Named("x_" + t.Name); err != nil {
				return nil, err
			}
		}
		return a, nil
	}
	thread, _, got := demoRun(renamed, true)

	back := canonical(got, thread.Folder)
	for _, name := range []string{"read_file", "edit_file", "run_command"} {
		back = strings.ReplaceAll(back, "x_"+name, name)
	}
	if diff := cmp.Diff(lines(canonical(want, plain.Folder)), lines(back)); diff != "" {
		t.Errorf("more than names changed (-plain +renamed):\n%s", diff)
	}
	if !strings.Contains(got.String(), `"toolName":"x_edit_file"`) {
		t.Error("nothing was renamed")
	}
}

// shownCall is what a log says of one call.
type shownCall struct {
	id        string
	arguments string
	states    []string
	result    logged
}

func calls(log runLog) []*shownCall {
	var all []*shownCall
	find := func(id string) *shownCall {
		for _, c := range slices.Backward(all) {
			if c.id == id {
				return c
			}
		}
		return &shownCall{}
	}
	for _, event := range log.events {
		switch event.Type {
		case "tool-call-start":
			all = append(all, &shownCall{id: event.ID})
		case "tool-call-delta":
			find(event.ID).arguments += event.ArgsTextDelta
		case "call-state":
			c := find(event.ToolCallID)
			c.states = append(c.states, event.State)
		case "tool-result":
			find(event.ToolCallID).result = event
		}
	}
	return all
}

// callWith finds the one call whose command is given.
func callWith(t *testing.T, log runLog, command string) *shownCall {
	t.Helper()
	for _, c := range calls(log) {
		if strings.Contains(c.arguments, fmt.Sprintf("%q", command)) && !c.result.Dropped {
			return c
		}
	}
	t.Fatalf("no call runs %q:\n%s", command, log)
	return nil
}

// callNamed finds the first call of a tool.
func callNamed(t *testing.T, log runLog, name string) *shownCall {
	t.Helper()
	for _, event := range log.of("tool-call-start") {
		if event.ToolName == name {
			for _, c := range calls(log) {
				if c.id == event.ID {
					return c
				}
			}
		}
	}
	t.Fatalf("no call of %s:\n%s", name, log)
	return nil
}

var (
	seqs      = regexp.MustCompile(`"seq":\d+,`)
	moments   = regexp.MustCompile(`"(at|durationMs|firstTokenMs)":\d+`)
	randomIDs = regexp.MustCompile(`\b(run|msg|res|apr|thr)_[0-9a-z]{24,26}\b`)
)

// canonical is a log as text without what differs from run to run: moments, random ids, the folder, how often a command reported
// progress, and which of two calls side by side was first.
func canonical(log runLog, folder string) string {
	var lines []string
	for _, event := range log.events {
		if event.Type == "tool-update" && (event.Content != nil || event.Details != nil) {
			continue
		}
		lines = append(lines, seqs.ReplaceAllString(event.raw, ""))
	}
	text := strings.Join(sortedSiblings(lines), "\n") + "\n"
	text = moments.ReplaceAllString(text, `"$1":0`)
	text = strings.ReplaceAll(text, folder, "FOLDER")
	numbers := map[string]int{}
	return randomIDs.ReplaceAllStringFunc(text, func(id string) string {
		if numbers[id] == 0 {
			numbers[id] = len(numbers) + 1
		}
		prefix, _, _ := strings.Cut(id, "_")
		return fmt.Sprintf("%s_%d", prefix, numbers[id])
	})
}

var siblings = regexp.MustCompile(`"type":"(?:call-state|tool-result)".*?"toolCallId":"([^"]*)"`)

// sortedSiblings puts the states and results of calls that ran side by side in the order of the calls.
func sortedSiblings(lines []string) []string {
	key := func(line string) string {
		if match := siblings.FindStringSubmatch(line); match != nil {
			return match[1]
		}
		return ""
	}
	for start := 0; start < len(lines); {
		end := start
		for end < len(lines) && key(lines[end]) != "" {
			end++
		}
		slices.SortStableFunc(lines[start:end], func(a, b string) int { return strings.Compare(key(a), key(b)) })
		start = end + 1
	}
	return lines
}

func lines(text string) []string { return strings.Split(text, "\n") }

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, got, path)
	}
	if diff := cmp.Diff(lines(readFile(t, path)), lines(got)); diff != "" {
		t.Errorf("the log differs from %s (-golden +got); run with -update to take it over:\n%s", path, diff)
	}
}
