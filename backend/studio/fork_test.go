package studio

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/model"
)

// next is what the next request of a thread would send, a line for each message.
func (b *bench) next(threadID string) (nextView, []string) {
	b.Helper()
	next := fetch[nextView](b, http.MethodGet, "/api/studio/threads/"+threadID+"/next", "", http.StatusOK)
	var lines []string
	for _, m := range next.Messages {
		line := string(m.Role) + " " + m.ToolCallID
		if m.Role == "user" || m.Role == "assistant" {
			line += m.Content
		}
		for _, c := range m.ToolCalls {
			line += " " + c.Name + c.ArgumentsText
		}
		lines = append(lines, line+m.Repaired)
	}
	return next, lines
}

// messageOf is the id of the message a run was started with.
func (b *bench) messageOf(runID string) string {
	b.Helper()
	for _, raw := range b.page(runID).Events {
		if event := decode[struct{ Type, MessageID string }](b, string(raw)); event.Type == "message" {
			return event.MessageID
		}
	}
	b.Fatalf("run %s began with no message", runID)
	return ""
}

func TestEditAndResendGoesOnInACopy(t *testing.T) {
	folder := t.TempDir()
	b := openBench(t, Config{Folder: folder, Script: commands(t, "touch a")})
	b.rule(`{"toolName":"run_command"}`)
	thread := b.newThread(`{"agentName":"workspace"}`)
	b.settled(b.send(thread.ID, workspaceAgent, "first"))
	second := b.send(thread.ID, workspaceAgent, "second")
	b.settled(second)
	_, before := b.next(thread.ID)

	body := asJSON(map[string]string{"messageId": b.messageOf(second)})
	fork := fetch[threadView](b, http.MethodPost, "/api/studio/threads/"+thread.ID+"/fork", body, http.StatusCreated)
	want := thread
	want.ID, want.Title = fork.ID, "first"
	if diff := cmp.Diff(want, fork); diff != "" || fork.ID == thread.ID {
		t.Errorf("the fork (-want +got):\n%s", diff)
	}
	next, lines := b.next(fork.ID)
	wantLines := []string{"system ", "user first", `assistant  run_command{"command":"touch a"}`, "tool c1", "assistant Done."}
	if diff := cmp.Diff(wantLines, lines); diff != "" {
		t.Errorf("the fork's next request (-want +got):\n%s", diff)
	}
	if next.AgentName != workspaceAgent || !slices.Contains(next.Tools, "run_command") {
		t.Errorf("the next request is %+v", next)
	}
	if log := b.settled(b.send(fork.ID, workspaceAgent, "second, edited")); !strings.Contains(log.String(), "second, edited") {
		t.Errorf("the fork's run is\n%s", log)
	}
	if _, after := b.next(thread.ID); !slices.Equal(before, after) {
		t.Errorf("the original reads %q, want %q", after, before)
	}
	if got := fetch[threadView](b, http.MethodGet, "/api/studio/threads/"+fork.ID, "", http.StatusOK); got != fork {
		t.Errorf("the fork is read back as %+v, want %+v", got, fork)
	}
}

func TestAForkOfADemoThreadHasASampleOfItsOwn(t *testing.T) {
	b := openBench(t, Config{})
	thread := b.newThread(`{"agentName":"demo"}`)
	first := b.send(thread.ID, demoAgent, demoMessage)
	b.decideAll(b.settled(first), true)
	b.settled(first)
	second := b.send(thread.ID, demoAgent, "again")
	b.settled(second)
	for name, c := range map[string]struct {
		message, note string
	}{
		"as it is now":                {b.messageOf(second), "port 9090"},
		"fresh before the first word": {b.messageOf(first), ""},
	} {
		t.Run(name, func(t *testing.T) {
			body := asJSON(map[string]string{"messageId": c.message})
			fork := fetch[threadView](b, http.MethodPost, "/api/studio/threads/"+thread.ID+"/fork", body, http.StatusCreated)
			if !fork.Sample || fork.FolderMissing || fork.Folder == thread.Folder {
				t.Fatalf("the fork is %+v", fork)
			}
			note, err := os.ReadFile(filepath.Join(fork.Folder, "dist/staging/RELEASE"))
			if !strings.Contains(string(note), c.note) || (c.note == "") != os.IsNotExist(err) {
				t.Errorf("its release note is %q (%v)", note, err)
			}
			b.call(http.MethodDelete, "/api/threads/"+fork.ID, "", http.StatusNoContent)
			if isFolder(fork.Folder) || !isFolder(thread.Folder) {
				t.Error("deleting the fork did not remove its sample alone")
			}
		})
	}
	samples, err := os.ReadDir(filepath.Dir(thread.Folder))
	if err != nil || len(samples) != 1 {
		t.Errorf("%d samples are left (%v), want 1", len(samples), err)
	}
}

func TestWhatCannotBeForkedIsRefused(t *testing.T) {
	b := openBench(t, Config{})
	thread := b.newThread(`{"agentName":"demo"}`)
	runID := b.send(thread.ID, demoAgent, demoMessage)
	b.decideAll(b.settled(runID), true)
	b.settled(runID)
	next, _ := b.next(thread.ID)
	for name, c := range map[string]struct {
		thread, body string
		status       int
		message      string
	}{
		"no such thread":              {"thr_0", `{"messageId":"m"}`, 404, "no such thread"},
		"no such message":             {thread.ID, `{"messageId":"m"}`, 404, "no message"},
		"no message named":            {thread.ID, `{}`, 400, "messageId"},
		"a message that is no user's": {thread.ID, asJSON(map[string]string{"messageId": next.Messages[2].ID}), 400, "not a message of the user"},
	} {
		t.Run(name, func(t *testing.T) {
			if answer := b.call(http.MethodPost, "/api/studio/threads/"+c.thread+"/fork", c.body, c.status); !strings.Contains(answer, c.message) {
				t.Errorf("the answer is %s, want %q in it", answer, c.message)
			}
		})
	}
	b.call(http.MethodGet, "/api/studio/threads/thr_0/next", "", http.StatusNotFound)
}

func TestNextLacksWhatACallThatWaitsWillGive(t *testing.T) {
	b := openBench(t, Config{Folder: t.TempDir(), Script: commands(t, "true")})
	thread := b.newThread(`{"agentName":"workspace"}`)
	if log := b.settled(b.send(thread.ID, workspaceAgent, "go")); log.status != "paused" {
		t.Fatalf("the run is %s", log.status)
	}
	_, lines := b.next(thread.ID)
	if want := []string{"system ", "user go", `assistant  run_command{"command":"true"}`}; !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

func TestNextTellsWhatWasRepaired(t *testing.T) {
	b := openBench(t, Config{})
	thread := b.newThread(`{"agentName":"demo"}`)
	err := b.studio.db.Append(t.Context(), &agent.Batch{Run: agent.Run{ThreadID: thread.ID}, Messages: []*model.Message{
		{ID: "u1", Role: model.RoleUser, Content: "go"},
		{ID: "a1", Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "c1", Name: "read_file", Arguments: `{"a":`}}},
		{ID: "r9", Role: model.RoleTool, ToolCallID: "c9"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	next, lines := b.next(thread.ID)
	want := []string{"system ", "user go", `assistant  read_file{"a":`, "tool c1The history has no result of this call."}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("the messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]leftOut{{"r9", "It is the result of no call."}}, next.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}
