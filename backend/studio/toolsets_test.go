package studio

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/toolset/browser"
	"callboard/backend/toolset/memory"
	"callboard/backend/toolset/scheduler"
	"callboard/storage"
)

// script writes a script of turns: each is text, or "tool arguments".
func script(t *testing.T, turns ...string) string {
	t.Helper()
	var made []any
	for i, turn := range turns {
		name, arguments, isCall := strings.Cut(turn, " {")
		if !isCall {
			made = append(made, map[string]any{"chunks": []any{map[string]any{"text": turn}}})
			continue
		}
		call := map[string]string{"id": fmt.Sprintf("c%d", i), "name": name, "arguments": "{" + arguments}
		made = append(made, map[string]any{"chunks": []any{map[string]any{"toolCalls": []any{call}}}})
	}
	return writeFile(t, asJSON(map[string]any{"turns": made}), t.TempDir(), "script.json")
}

func (b *bench) workspaceThread() string {
	b.Helper()
	return b.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": b.TempDir()})).ID
}

func (b *bench) offered(threadID string) []string {
	b.Helper()
	return fetch[nextView](b, http.MethodGet, "/api/studio/threads/"+threadID+"/next", "", http.StatusOK).Tools
}

func (b *bench) schedules() []scheduleView {
	b.Helper()
	return fetch[struct{ Schedules []scheduleView }](b, http.MethodGet, "/api/studio/schedules", "", http.StatusOK).Schedules
}

// runsOf are the ids of a thread's runs, oldest first, and their inputs.
func (b *bench) runsOf(threadID string) (ids, inputs []string) {
	b.Helper()
	runs := fetch[struct {
		Runs []struct{ RunID, Input string }
	}](b, http.MethodGet, "/api/threads/"+threadID+"/runs", "", http.StatusOK).Runs
	for _, one := range runs {
		ids, inputs = append(ids, one.RunID), append(inputs, one.Input)
	}
	return ids, inputs
}

// until waits for what must become true.
func (b *bench) until(what string, done func() bool) {
	b.Helper()
	for began := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			b.Fatalf("waited a minute for: %s", what)
		}
	}
}

func TestToolSetsAreOfferedWhileTheyAreOn(t *testing.T) {
	b := openBench(t, Config{Script: script(t, "Hi")})
	thread := b.workspaceThread()
	sets := func() string {
		var out []string
		for _, set := range fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Toolsets {
			out = append(out, fmt.Sprintf("%s %t %s", set.Name, set.Enabled, strings.Join(set.Tools, " ")))
		}
		return strings.Join(out, "\n")
	}
	const rest = "browser_open browser_click browser_type browser_read browser_screenshot"
	if d := cmp.Diff("memory true remember recall forget\nscheduler true schedule list_schedules cancel_schedule\nbrowser false "+rest, sets()); d != "" {
		t.Errorf("the sets at first (-want +got):\n%s", d)
	}
	tools := b.offered(thread)
	if !slices.Contains(tools, "remember") || !slices.Contains(tools, "schedule") || slices.Contains(tools, "browser_open") {
		t.Errorf("at first there are %v, want memory and scheduler and no browser", tools)
	}
	b.call(http.MethodPut, "/api/studio/settings", `{"toolsets":{"memory":false,"browser":true}}`, http.StatusOK)
	if d := cmp.Diff("memory false remember recall forget\nscheduler true schedule list_schedules cancel_schedule\nbrowser true "+rest, sets()); d != "" {
		t.Errorf("the sets after a change (-want +got):\n%s", d)
	}
	tools = b.offered(thread)
	if slices.Contains(tools, "remember") || !slices.Contains(tools, "schedule") || !slices.Contains(tools, "browser_open") {
		t.Errorf("after the change there are %v, want scheduler and browser and no memory", tools)
	}
	demo := b.newThread(`{"agentName":"demo"}`).ID
	if tools := b.offered(demo); len(tools) != 7 {
		t.Errorf("the demo has %v, want its seven tools", tools)
	}
}

func TestHostsThatAreNoneAreRefused(t *testing.T) {
	b := openBench(t, Config{})
	for _, host := range []string{"", "http://localhost", "a/b", "a b", "user@host", ":80", "host:port"} {
		b.call(http.MethodPut, "/api/studio/settings", asJSON(map[string]any{"browserHosts": []string{host}}), http.StatusBadRequest)
	}
	b.call(http.MethodPut, "/api/studio/settings", asJSON(map[string]any{"browserHosts": make([]string, maxBrowserHosts+1)}), http.StatusBadRequest)
	set := fetch[settings](b, http.MethodPut, "/api/studio/settings", `{"browserHosts":[" LocalHost:3000","localhost:3000","[::1]"]}`, http.StatusOK)
	if d := cmp.Diff([]string{"localhost:3000", "[::1]"}, set.BrowserHosts); d != "" {
		t.Errorf("the hosts (-want +got):\n%s", d)
	}
	for hostPort, want := range map[string]bool{"localhost:3000": true, "localhost:80": false, "[::1]:80": true} {
		if got := b.studio.reachable(hostPort); got != want {
			t.Errorf("%s is reachable: got %t, want %t", hostPort, got, want)
		}
	}
}

func TestANoteOfOneThreadIsRecalledInAnother(t *testing.T) {
	dir := t.TempDir()
	b := openBench(t, Config{Dir: dir, Script: script(t, `remember {"text":"The staging port is 9090","tags":["deploy"]}`, "Noted.")})
	b.settled(b.send(b.workspaceThread(), workspaceAgent, "Remember the port"))
	if err := b.studio.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	b = openBench(t, Config{Dir: dir, Script: script(t, `recall {"query":"which port"}`, "It is 9090.")})
	log := b.settled(b.send(b.workspaceThread(), workspaceAgent, "Which port?"))
	if got := string(log.of("tool-result")[0].Result); !strings.Contains(got, "The staging port is 9090") {
		t.Errorf("recalled: got %s", got)
	}
	notes := func(query string) []noteView {
		return fetch[struct{ Notes []noteView }](b, http.MethodGet, "/api/studio/notes"+query, "", http.StatusOK).Notes
	}
	all := notes("")
	if len(all) != 1 || all[0].AgentName != workspaceAgent || all[0].UserID != "" || all[0].Text != "The staging port is 9090" || all[0].Tags[0] != "deploy" || len(notes("?query=elsewhere")) != 0 {
		t.Fatalf("got %+v, want the note", all)
	}
	b.call(http.MethodDelete, "/api/studio/notes/"+all[0].ID, "", http.StatusNoContent)
	b.call(http.MethodDelete, "/api/studio/notes/"+all[0].ID, "", http.StatusNotFound)
	if left := notes(""); len(left) != 0 {
		t.Errorf("left: got %+v, want none", left)
	}
	// Those of other agents, and about users that a client named, are listed and deleted like them.
	other := memory.Note{ID: "n1", Owner: memory.Owner{AgentName: "scribe", UserID: "ann"}, Text: "Likes tabs"}
	if err := b.studio.db.AddNote(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	want := []noteView{{ID: "n1", AgentName: "scribe", UserID: "ann", Text: "Likes tabs", Tags: []string{}}}
	if diff := cmp.Diff(want, notes("?query=tabs")); diff != "" {
		t.Errorf("of another agent (-want +got):\n%s", diff)
	}
	b.call(http.MethodDelete, "/api/studio/notes/n1", "", http.StatusNoContent)
	if left := notes(""); len(left) != 0 {
		t.Errorf("left: got %+v, want none", left)
	}
}

func TestAScheduleFiresIntoItsThread(t *testing.T) {
	b := openBench(t, Config{Script: script(t, `schedule {"message":"Look again","delay":"1s"}`, "I will.", "I looked.")})
	thread := b.workspaceThread()
	b.settled(b.send(thread, workspaceAgent, "Look again later"))
	if all := b.schedules(); len(all) != 1 || all[0].ThreadID != thread || all[0].Message != "Look again" || all[0].ThreadTitle != "Look again later" ||
		all[0].AgentName != workspaceAgent {
		t.Errorf("the schedules: got %+v", all)
	}
	var ids, inputs []string
	b.until("the schedule's run starts", func() bool { ids, inputs = b.runsOf(thread); return len(ids) == 2 })
	if !strings.HasPrefix(inputs[1], "Scheduled message (sch_") || !strings.HasSuffix(inputs[1], "):\n\nLook again") {
		t.Errorf("its message: got %q", inputs[1])
	}
	log := b.settled(ids[1])
	if message := log.of("message")[0].raw; !strings.Contains(message, `"messageId":"msg_sch_`) || log.status != "completed" {
		t.Errorf("its run is %s and began with %s", log.status, message)
	}
	b.until("the schedule is gone", func() bool { return len(b.schedules()) == 0 })
}

func TestAScheduleWaitsForItsThread(t *testing.T) {
	b := openBench(t, Config{Script: script(t, `schedule {"message":"Go on","delay":"1s"}`, `run_command {"command":"true"}`, "Done.", "I went on.")})
	thread := b.workspaceThread()
	first := b.settled(b.send(thread, workspaceAgent, "Go"))
	b.until("the schedule waits", func() bool {
		all := b.schedules()
		return len(all) == 1 && strings.Contains(all[0].Waiting, "waits for a decision")
	})
	b.decideAll(first, true)
	var ids, inputs []string
	b.until("the schedule's run starts", func() bool { ids, inputs = b.runsOf(thread); return len(ids) == 2 })
	if !strings.Contains(inputs[1], "this thread was not free then") {
		t.Errorf("its message: got %q", inputs[1])
	}
	b.settled(ids[1])
}

func TestAScheduleThatIsSwitchedOffWaits(t *testing.T) {
	b := openBench(t, Config{Script: script(t, `schedule {"message":"Go on","delay":"1s"}`, "Yes.", "I went on.")})
	thread := b.workspaceThread()
	b.settled(b.send(thread, workspaceAgent, "Go"))
	b.call(http.MethodPut, "/api/studio/settings", `{"toolsets":{"scheduler":false}}`, http.StatusOK)
	b.until("the schedule waits", func() bool {
		all := b.schedules()
		return len(all) == 1 && strings.Contains(all[0].Waiting, "switched off in Settings")
	})
	b.call(http.MethodPut, "/api/studio/settings", `{"toolsets":{"scheduler":true}}`, http.StatusOK)
	var ids []string
	b.until("the schedule's run starts", func() bool { ids, _ = b.runsOf(thread); return len(ids) == 2 })
	b.settled(ids[1])
}

func TestAScheduleThatWasMissedFiresOnceAfterACrash(t *testing.T) {
	dir := t.TempDir()
	turns := script(t, `schedule {"message":"Look again","delay":"1h"}`, "I will.", "I looked.")
	first := startChild(t, dir, turns)
	thread := first.workspaceThread()
	first.settled(first.send(thread, workspaceAgent, "Look again later"))
	first.kill()
	db, err := storage.Open(filepath.Join(dir, "callboard.db"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := db.Schedules(t.Context())
	if err == nil && len(all) == 1 {
		err = db.MoveSchedule(t.Context(), all[0].ID, time.Now().UnixMilli()-1)
	}
	if err = errors.Join(err, db.Close()); err != nil || len(all) != 1 {
		t.Fatalf("got %d schedules, %v", len(all), err)
	}

	b := openBench(t, Config{Dir: dir, Script: turns})
	var ids, inputs []string
	b.until("the schedule's run starts", func() bool { ids, inputs = b.runsOf(thread); return len(ids) == 2 })
	if !strings.Contains(inputs[1], "nothing ran then, so it comes now") {
		t.Errorf("its message: got %q", inputs[1])
	}
	b.settled(ids[1])
	b.until("the schedule is gone", func() bool { return len(b.schedules()) == 0 })
}

func TestAMessageThatADeadProcessSentIsNotSentAgain(t *testing.T) {
	b := openBench(t, Config{Script: script(t, "One.", "Two.", "Three.")})
	thread := b.workspaceThread()
	b.settled(b.send(thread, workspaceAgent, "Hi"))
	f := scheduler.Firing{
		Schedule: scheduler.Schedule{
			ID: "sch_1", ThreadID: thread, Owner: scheduler.Owner{AgentName: workspaceAgent}, Message: "m", NextMs: 1000,
		},
		Again: true,
	}
	for range 2 {
		if err := b.studio.fire(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		ids, _ := b.runsOf(thread)
		b.settled(ids[len(ids)-1])
	}
	if ids, _ := b.runsOf(thread); len(ids) != 2 {
		t.Errorf("there are %d runs, want two", len(ids))
	}
}

func TestASchedulesEndIsItsThreadsOrAPersons(t *testing.T) {
	b := openBench(t, Config{Script: script(t, `schedule {"message":"Later","cron":"@daily"}`, "Yes.")})
	for range 2 {
		b.settled(b.send(b.workspaceThread(), workspaceAgent, "Go"))
	}
	all := b.schedules()
	if len(all) != 2 || all[0].Cron != "@daily" {
		t.Fatalf("got %+v, want two schedules", all)
	}
	b.call(http.MethodDelete, "/api/threads/"+all[0].ThreadID, "", http.StatusNoContent)
	b.call(http.MethodDelete, "/api/studio/schedules/"+all[0].ID, "", http.StatusNotFound)
	b.call(http.MethodDelete, "/api/studio/schedules/"+all[1].ID, "", http.StatusNoContent)
	if left := b.schedules(); len(left) != 0 {
		t.Errorf("left: got %+v, want none", left)
	}
}

func TestAPageIsOpenedAfterAPersonApproved(t *testing.T) {
	if _, err := browser.Find(); err != nil {
		t.Skip(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "<title>Local</title>The page says hello")
	}))
	t.Cleanup(web.Close)
	open := `browser_open {"url":"` + web.URL + `"}`
	b := openBench(t, Config{Script: script(t, open, open, "browser_read {}", "browser_screenshot {}", "It says hello.")})
	b.call(http.MethodPut, "/api/studio/settings", `{"toolsets":{"browser":true}}`, http.StatusOK)
	run := b.send(b.workspaceThread(), workspaceAgent, "What does the page say?")
	b.decideAll(b.settled(run), true)
	log := b.settled(run)
	if got := log.of("tool-result")[0].Error; !strings.Contains(got, "not on the public net") {
		t.Errorf("a local page before it was allowed: got %q", got)
	}
	b.call(http.MethodPut, "/api/studio/settings", asJSON(map[string]any{"browserHosts": []string{strings.TrimPrefix(web.URL, "http://")}}), http.StatusOK)
	b.decideAll(log, true)
	log = b.settled(run)
	results := log.of("tool-result")
	if len(results) != 4 || !strings.Contains(string(results[2].Result), "The page says hello") || log.status != "completed" {
		t.Fatalf("the run is %s:\n%s", log.status, log)
	}
	shown := decode[struct{ Image struct{ Src string } }](b, string(results[3].Details))
	if picture := b.call(http.MethodGet, "/api/blobs/"+shown.Image.Src, "", http.StatusOK); !strings.HasPrefix(picture, "\x89PNG") {
		t.Errorf("the screenshot is %.20q, want a PNG", picture)
	}
}
