package studio

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/approval"
)

// rules are the answers of a client that reads them.
type ruleAnswer struct {
	approval.Rule
	Text string
}

func (b *bench) rule(body string) ruleAnswer {
	b.Helper()
	return fetch[ruleAnswer](b, http.MethodPost, "/api/studio/rules", body, http.StatusCreated)
}

func (b *bench) rules() []ruleAnswer {
	b.Helper()
	return fetch[struct{ Rules []ruleAnswer }](b, http.MethodGet, "/api/studio/rules", "", http.StatusOK).Rules
}

// commandRule is the body of a rule on run_command.
func commandRule(op, value string) string {
	return asJSON(map[string]any{
		"toolName": "run_command", "conditions": []map[string]string{{"path": "command", "op": op, "value": value}},
	})
}

// commands is a script that runs one command a turn.
func commands(t *testing.T, list ...string) string {
	t.Helper()
	var turns []string
	for i, command := range list {
		arguments := asJSON(map[string]string{"command": command})
		turns = append(turns, asJSON(map[string]any{"chunks": []any{
			map[string]any{"toolCalls": []any{map[string]any{"id": fmt.Sprint("c", i+1), "name": "run_command", "arguments": arguments}}},
		}}))
	}
	turns = append(turns, `{"chunks":[{"text":"Done."}]}`)
	return writeFile(t, `{"turns":[`+strings.Join(turns, ",")+`]}`, t.TempDir(), "script.json")
}

// waitingFor are the commands that wait, at the end of a log.
func (l runLog) waitingFor() string {
	if l.status != "paused" {
		return l.status
	}
	required := l.of("approval-required")
	var waiting []string
	for _, a := range required[len(required)-1].Approvals {
		waiting = append(waiting, a.ArgumentsText)
	}
	return strings.Join(waiting, " ")
}

func TestARuleDecidesNextTimeAndNoMore(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	script := commands(t, "echo hi >ran", "touch a", "touch b; touch c", "touch d", "rm a")
	c := Config{Dir: dir, Folder: folder, Script: script}
	b := openBench(t, c)
	ls := b.rule(commandRule("equals", `"echo hi >ran"`))
	touch := b.rule(commandRule("pattern", "touch *"))
	if ls.Name != "run_command echo hi >ran" || !ls.Enabled || ls.CreatedAtMs == 0 || !strings.Contains(touch.Text, `command fits the pattern "touch *"`) {
		t.Errorf("the rules are %+v and %+v", ls, touch)
	}
	thread := b.newThread(`{"agentName":"workspace"}`)
	runID := b.send(thread.ID, workspaceAgent, "go")

	log := b.settled(runID)
	if got := log.waitingFor(); got != `{"command":"touch b; touch c"}` {
		t.Fatalf("C14: %s waits, want the chained command:\n%s", got, log)
	}
	if text := log.String(); strings.Count(text, `"by":"rule:run_command echo hi >ran"`) != 1 || strings.Count(text, `"by":"rule:run_command touch *"`) != 1 {
		t.Errorf("C20: the log does not name the rules:\n%s", log)
	}
	for _, name := range []string{"ran", "a"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("what a rule allowed did not run: %v", err)
		}
	}
	b.decideAll(log, false)
	log = b.settled(runID)
	if got := log.waitingFor(); got != `{"command":"rm a"}` {
		t.Fatalf("C15: %s waits, want what no rule allows:\n%s", got, log)
	}

	if err := b.studio.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := openBench(t, c)
	rules := again.rules()
	if len(rules) != 2 || rules[0].Uses != 1 || rules[1].Uses != 2 || rules[1].LastUsedMs < rules[0].LastUsedMs || rules[0].LastUsedMs == 0 {
		t.Errorf("the uses after a restart: %+v", rules)
	}

	t.Run("and a preview counts what it would have allowed", func(t *testing.T) {
		preview := func(body string) rulePreview {
			t.Helper()
			return fetch[rulePreview](again, http.MethodPost, "/api/studio/rules/preview", body, http.StatusOK)
		}
		got := preview(commandRule("pattern", "touch *"))
		var states []string
		for _, m := range got.Matches {
			if m.RunID != runID || m.ThreadID != thread.ID || m.At == 0 {
				t.Errorf("a match is %+v", m)
			}
			states = append(states, m.ToolCallID+" "+string(m.State)+" "+m.ArgumentsText)
		}
		want := []string{`c4 done {"command":"touch d"}`, `c2 done {"command":"touch a"}`}
		if diff := cmp.Diff(want, states); diff != "" || got.Total != 2 || got.Asked != 5 || got.Text != touch.Text {
			t.Errorf("got %d of %d, %s (-want +got):\n%s", got.Total, got.Asked, got.Text, diff)
		}
		if got := preview(commandRule("equals", `"rm a"`)); got.Total != 1 || got.Matches[0].State != "waiting" {
			t.Errorf("a call that waits: got %+v", got)
		}
		if got := preview(`{"toolName":"write_file"}`); got.Total != 0 || got.Asked != 0 || got.Matches == nil {
			t.Errorf("a tool without calls: got %+v", got)
		}
		if got := preview(`{"toolName":"run_command","agentName":"demo"}`); got.Total != 0 || got.Asked != 5 {
			t.Errorf("another agent: got %+v", got)
		}
		if got := again.rules(); len(got) != 2 {
			t.Errorf("a preview kept its rule: %+v", got)
		}
	})
}

func TestAPreviewShowsTheNewestAndCountsAll(t *testing.T) {
	list := make([]string, 130)
	for i := range list {
		list[i] = fmt.Sprint("true ", i)
	}
	b := openBench(t, Config{Folder: t.TempDir(), Script: commands(t, append(list[:90:90], "false")...)})
	b.rule(`{"toolName":"run_command"}`)
	runs := 0
	for range 2 {
		thread := b.newThread(`{"agentName":"workspace"}`)
		if log := b.settled(b.send(thread.ID, workspaceAgent, "go")); log.status != "completed" {
			t.Fatalf("the run is %s:\n%s", log.status, log.last().raw)
		}
		runs++
	}
	got := fetch[rulePreview](b, http.MethodPost, "/api/studio/rules/preview", commandRule("pattern", "true *"), http.StatusOK)
	if got.Total != 90*runs || got.Asked != 91*runs || len(got.Matches) != maxMatches {
		t.Errorf("got %d of %d, %d shown", got.Total, got.Asked, len(got.Matches))
	}
	for i := 1; i < len(got.Matches); i++ {
		if got.Matches[i].At > got.Matches[i-1].At {
			t.Fatalf("match %d is newer than the one before", i)
		}
	}
	if last := got.Matches[0].ArgumentsText; last != `{"command":"true 89"}` {
		t.Errorf("the newest is %s", last)
	}
}

func TestC9ARuleThatIsOverOrOffAllowsNothing(t *testing.T) {
	for name, c := range map[string]func(b *bench, id string){
		"off": func(b *bench, id string) {
			b.call(http.MethodPatch, "/api/studio/rules/"+id, `{"enabled":false}`, http.StatusOK)
		},
		"expired": func(b *bench, id string) {
			rules, err := b.studio.db.Rules(b.Context())
			if err == nil && len(rules) == 1 {
				rules[0].ExpiresAtMs = time.Now().UnixMilli() - 1
				err = b.studio.db.PutRule(b.Context(), rules[0])
			}
			if err != nil || len(rules) != 1 {
				b.Fatalf("got %d rules, %v", len(rules), err)
			}
		},
		"deleted": func(b *bench, id string) {
			b.call(http.MethodDelete, "/api/studio/rules/"+id, "", http.StatusNoContent)
		},
		"of another agent": func(b *bench, id string) {
			b.call(http.MethodDelete, "/api/studio/rules/"+id, "", http.StatusNoContent)
			b.rule(`{"toolName":"run_command","agentName":"demo"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := openBench(t, Config{Folder: t.TempDir(), Script: commands(t, "true")})
			c(b, b.rule(`{"toolName":"run_command"}`).ID)
			thread := b.newThread(`{"agentName":"workspace"}`)
			if log := b.settled(b.send(thread.ID, workspaceAgent, "go")); log.status != "paused" {
				t.Errorf("the run is %s, want it to ask:\n%s", log.status, log)
			}
		})
	}
}

func TestARuleIsChangedInPlace(t *testing.T) {
	b := openBench(t, Config{})
	first := b.rule(`{"toolName":"write_file"}`)
	second := b.rule(`{"toolName":"write_file"}`)
	if first.Name != "write_file" || second.Name != "write_file (2)" {
		t.Errorf("the names are %q and %q, want each its own", first.Name, second.Name)
	}
	at := time.Now().Add(time.Hour).UnixMilli()
	body := fmt.Sprintf(`{"name":" mine ","expiresAt":%d,"enabled":false}`, at)
	got := fetch[ruleAnswer](b, http.MethodPatch, "/api/studio/rules/"+second.ID, body, http.StatusOK)
	if got.Name != "mine" || got.ExpiresAtMs != at || got.Enabled || !strings.Contains(got.Text, "until ") {
		t.Errorf("the rule is %+v", got)
	}
	b.call(http.MethodPatch, "/api/studio/rules/"+second.ID, `{"expiresAt":null,"enabled":true}`, http.StatusOK)
	want := second
	want.Name = "mine"
	if diff := cmp.Diff([]ruleAnswer{first, want}, b.rules()); diff != "" {
		t.Errorf("the rules (-want +got):\n%s", diff)
	}
}

func TestARuleThatDoesNotFitIsRefused(t *testing.T) {
	b := openBench(t, Config{})
	kept := b.rule(`{"toolName":"run_command","name":"mine"}`)
	other := b.rule(`{"toolName":"run_command","name":"other"}`)
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		message            string
	}{
		"C9 a date that is none":      {"POST", "", `{"toolName":"run_command","expiresAt":"soon"}`, 400, "expiresAt"},
		"C9 a date that is over":      {"POST", "", `{"toolName":"run_command","expiresAt":1000}`, 400, "over already"},
		"a date of no calendar":       {"POST", "", `{"toolName":"run_command","expiresAt":9000000000000000}`, 400, "expiresAt"},
		"a tool nobody has":           {"POST", "", `{"toolName":"rm"}`, 400, `no tool \"rm\"`},
		"no tool":                     {"POST", "", `{}`, 400, "toolName"},
		"an agent nobody knows":       {"POST", "", `{"toolName":"run_command","agentName":"x"}`, 400, `no agent \"x\"`},
		"an argument nobody reads":    {"POST", "", `{"toolName":"run_command","conditions":[{"path":"Command","op":"equals","value":"1"}]}`, 400, `no argument \"Command\"`},
		"a value of no JSON":          {"POST", "", commandRule("equals", "ls"), 400, "JSON text"},
		"an op nobody knows":          {"POST", "", commandRule("like", "ls"), 400, "like"},
		"a name that is taken":        {"POST", "", `{"toolName":"run_command","name":"mine"}`, 400, "already"},
		"a preview of none":           {"POST", "/preview", `{"toolName":"rm"}`, 400, "no tool"},
		"a change of none":            {"PATCH", "/rul_0", `{"enabled":false}`, 404, "no rule"},
		"a change to a bad date":      {"PATCH", "/" + kept.ID, `{"expiresAt":"soon"}`, 400, "expiresAt"},
		"a change to a taken name":    {"PATCH", "/" + other.ID, `{"name":"mine"}`, 400, "already"},
		"a change to no name":         {"PATCH", "/" + kept.ID, `{"name":" "}`, 400, "name"},
		"deleting one that is gone":   {"DELETE", "/rul_0", "", 404, "no rule"},
		"conditions that are no list": {"POST", "", `{"toolName":"run_command","conditions":{}}`, 400, "does not fit"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := b.call(c.method, "/api/studio/rules"+c.path, c.body, c.status)
			if !strings.Contains(answer, c.message) {
				t.Errorf("the answer is %s, want %q in it", answer, c.message)
			}
		})
	}
	if diff := cmp.Diff([]ruleAnswer{kept, other}, b.rules()); diff != "" {
		t.Errorf("the rules are others now (-want +got):\n%s", diff)
	}
}
