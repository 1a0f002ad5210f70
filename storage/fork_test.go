package storage_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
	"callboard/storage"
)

type forkInput struct {
	Text string `json:"text"`
}

// large is a value that is stored apart.
var large = strings.Repeat("é<&>", 20_000)

// forkable is a thread t_original with three runs, of all that a fork copies: decided and edited calls, a large result and a large preview,
// messages put in by hand, a run that was cancelled.
type forkable struct {
	*testing.T
	db     *storage.DB
	runner *agent.Runner
	path   string
}

func newForkable(t *testing.T) *forkable {
	t.Helper()
	do := func(tool.Context, forkInput) (tool.Output[string], error) {
		return tool.Output[string]{Content: "did it", Details: map[string]string{"text": large}}, nil
	}
	tools := []*tool.Tool{
		tool.Must(tool.Config[forkInput, tool.Output[string]]{Name: "free", Description: "d", Run: do}),
		tool.Must(tool.Config[forkInput, tool.Output[string]]{
			Name: "bound", Description: "d", Approval: tool.Always, Run: do,
			Preview: func(tool.Context, forkInput) (any, error) { return map[string]string{"text": large}, nil },
		}),
	}
	helper, err := agent.AsTool(&agent.Agent{Name: "helper", Description: "d", Tools: tools, Backend: &scripted.Backend{Turns: []scripted.Turn{
		scripted.CallTool("k1", "free", `{"text":"inside"}`), scripted.Say("Helped."),
	}}}, agent.ToolConfig{})
	if err != nil {
		t.Fatal(err)
	}
	calls := func(ids ...string) scripted.Turn {
		var out []model.ToolCall
		for i, id := range ids {
			out = append(out, model.ToolCall{ID: id, Name: []string{"free", "bound"}[min(i, 1)], Arguments: `{ "text" : "a<b && 1.0" }`})
		}
		return scripted.CallTools(out...)
	}
	first := calls("c1", "c2", "c3")
	first.Chunks = append(first.Chunks, scripted.Chunk{ToolCalls: []model.ToolCall{{ID: "c4", Name: "helper", Arguments: `{"input":"help"}`}}})
	a := &agent.Agent{Name: "demo", Tools: append(tools, helper), Backend: &scripted.Backend{Turns: []scripted.Turn{
		first, scripted.Say("One."), calls("c1", "c2"), scripted.Say("Three."), scripted.Say("Four."),
	}}}
	f := &forkable{T: t, path: filepath.Join(t.TempDir(), "callboard.db")}
	if f.db, err = storage.Open(f.path); err != nil {
		t.Fatal(err)
	}
	f.runner = &agent.Runner{Store: f.db, Resolve: agent.Agents(a)}
	t.Cleanup(func() {
		if err := errors.Join(f.runner.Close(context.WithoutCancel(t.Context())), f.db.Close()); err != nil {
			t.Error(err)
		}
	})
	edited := `{"text":"tamed"}`
	paused := f.send("t_original", "u1", "first\nmore")
	f.decide(paused.Pending[0], approval.Decision{Approved: true, By: "ann", ArgumentsText: &edited})
	f.decide(paused.Pending[1], approval.Decision{Reason: "no"})
	f.put(&model.Message{ID: "m1", Role: model.RoleAssistant, Content: "by hand", Metadata: json.RawMessage(`{"large":"` + large + `"}`)})
	waits := f.send("t_original", "u2", "second")
	if err := f.runner.Cancel(t.Context(), waits.ID); err != nil {
		t.Fatal(err)
	}
	f.put(&model.Message{ID: "m2", Role: model.RoleUser, Content: "by hand too"})
	f.send("t_original", "u3", "third")
	if err := f.db.PutThreadSettings(t.Context(), "t_original", json.RawMessage(`{"of":"t_original"}`)); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *forkable) send(threadID, messageID, text string) *agent.Outcome {
	f.Helper()
	h, err := f.runner.Start(f.Context(), "demo", agent.Input{ThreadID: threadID, MessageID: messageID, Text: text})
	if err != nil {
		f.Fatal(err)
	}
	outcome, err := h.Wait(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return outcome
}

func (f *forkable) decide(p *approval.Pending, d approval.Decision) {
	f.Helper()
	_, h, err := f.runner.Decide(f.Context(), p.ApprovalID, d)
	if err == nil && h != nil {
		_, err = h.Wait(f.Context())
	}
	if err != nil {
		f.Fatal(err)
	}
}

func (f *forkable) put(m *model.Message) {
	f.Helper()
	m.AtMs = 5
	if err := f.db.Append(f.Context(), &agent.Batch{Run: agent.Run{ThreadID: "t_original"}, Messages: []*model.Message{m}}); err != nil {
		f.Fatal(err)
	}
}

func (f *forkable) fork(messageID, newID string) {
	f.Helper()
	err := f.db.ForkThread(f.Context(), storage.Fork{
		ThreadID: "t_original", MessageID: messageID, NewID: newID, Settings: json.RawMessage(`{"of":"fork"}`), AtMs: 7,
	})
	if err != nil {
		f.Fatal(err)
	}
}

// contents is all a thread has.
type contents struct {
	Thread   string
	Runs     []*agent.RunState
	Requests [][]agent.Request
	Events   []string
	Folded   []string
	Messages []*model.Message
	Counts   map[string]int
}

func (f *forkable) contents(threadID string) contents {
	f.Helper()
	c := contents{Thread: threadID}
	var err error
	if c.Runs, err = f.db.Runs(f.Context(), agent.RunQuery{ThreadID: threadID}); err != nil {
		f.Fatal(err)
	}
	for _, run := range c.Runs {
		requests, err := f.db.RunRequests(f.Context(), run.ID)
		if err != nil {
			f.Fatal(err)
		}
		c.Requests = append(c.Requests, requests)
		records, err := f.db.Events(f.Context(), run.ID, 0, 0)
		if err != nil {
			f.Fatal(err)
		}
		var transcript protocol.Transcript
		for _, record := range records {
			c.Events = append(c.Events, string(record.JSON))
			transcript.ApplyJSON(record.Seq, record.JSON)
		}
		c.Folded = append(c.Folded, snapshot(f.T, &transcript))
	}
	thread, err := f.db.Thread(f.Context(), threadID)
	if err != nil {
		f.Fatal(err)
	}
	c.Messages, c.Counts = thread.Messages, thread.Requests
	return c
}

// text is the contents as JSON.
func (c contents) text(f *forkable) string {
	f.Helper()
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		f.Fatal(err)
	}
	return out.String()
}

// as is the text of the contents with another thread's ids in the place of its own.
func (c contents) as(f *forkable, other contents) string {
	f.Helper()
	pairs := [][2]string{{c.Thread, other.Thread}}
	for i, run := range c.Runs {
		pairs = append(pairs, [2]string{run.ID, other.Runs[i].ID})
		for k, p := range run.Approvals {
			pairs = append(pairs, [2]string{p.ApprovalID, other.Runs[i].Approvals[k].ApprovalID})
		}
	}
	text := c.text(f)
	for _, pair := range pairs {
		if strings.Contains(text, pair[1]) {
			f.Errorf("the copy has the id %s of the original", pair[1])
		}
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return text
}

// same compares two texts and shows where they part.
func (f *forkable) same(what, got, want string) {
	f.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	excerpt := func(s string) string { return s[max(0, at-200):min(len(s), at+200)] }
	f.Errorf("%s: got\n%s\nwant\n%s", what, excerpt(got), excerpt(want))
}

func TestAForkIsTheThreadUpToAMessageUnderNewIDs(t *testing.T) {
	f := newForkable(t)
	original := f.contents("t_original")
	if len(original.Runs) != 3 || len(original.Runs[0].Approvals) != 2 {
		t.Fatalf("the thread has %d runs", len(original.Runs))
	}
	f.fork("u3", "t_fork")

	want := original
	want.Runs, want.Requests = want.Runs[:2], want.Requests[:2]
	want.Folded, want.Messages = want.Folded[:2], want.Messages[:len(want.Messages)-2]
	want.Events = want.Events[:int(want.Runs[0].Last+want.Runs[1].Last)]
	want.Counts = map[string]int{"demo": 3, "helper": 2}
	copied := f.contents("t_fork")
	if len(copied.Runs) != 2 {
		t.Fatalf("the fork has %d runs, want 2", len(copied.Runs))
	}
	f.same("the fork", copied.as(f, want), want.text(f))
	f.same("the original after the fork", f.contents(original.Thread).text(f), original.text(f))
	summary, err := f.db.ThreadSummary(t.Context(), "t_fork")
	if err != nil || summary.Title != "first" || summary.CreatedAtMs != 7 || summary.Runs != 2 || summary.Calls != 7 || summary.Pending != 0 {
		t.Errorf("the fork's line is %+v (%v)", summary, err)
	}
	settings, err := f.db.ThreadSettings(t.Context(), "t_fork")
	if err != nil || string(settings) != `{"of":"fork"}` {
		t.Errorf("the fork's settings are %s (%v)", settings, err)
	}

	t.Run("and lives on without the original", func(t *testing.T) {
		if err := f.db.DeleteThread(t.Context(), "t_original"); err != nil {
			t.Fatal(err)
		}
		f.same("the fork alone", f.contents("t_fork").text(f), copied.text(f))
		if outcome := f.send("t_fork", "", "third, edited"); outcome.Output != "Three." {
			t.Errorf("the next run says %q, want it to go on where the fork began", outcome.Output)
		}
		grown := f.contents("t_fork")
		if n := len(grown.Messages); n != len(copied.Messages)+2 || grown.Messages[n-2].Content != "third, edited" {
			t.Errorf("the fork's history has %d messages, want %d", n, len(copied.Messages)+2)
		}
	})
	t.Run("and takes its large values with it", func(t *testing.T) {
		sum := sha256.Sum256([]byte(`{"text":"` + large + `"}`))
		hash := hex.EncodeToString(sum[:])
		if _, _, err := f.db.Blob(t.Context(), hash); err != nil {
			t.Errorf("the fork's large value: %v", err)
		}
		if err := f.db.DeleteThread(t.Context(), "t_fork"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.db.Blob(t.Context(), hash); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("the large value of a fork that is gone: got %v", err)
		}
		if err := f.db.ForkThread(t.Context(), storage.Fork{ThreadID: "t_fork", MessageID: "u1", NewID: "x"}); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("a fork of a thread that is gone: got %v", err)
		}
	})
}

func TestAForkEndsWhereItsMessageBegins(t *testing.T) {
	f := newForkable(t)
	for name, c := range map[string]struct {
		message, title string
		runs, messages int
	}{
		"before the first message":        {"u1", "", 0, 0},
		"before the second run":           {"u2", "first", 1, 8},
		"before a message put in by hand": {"m2", "first", 2, 12},
		"before the last run":             {"u3", "first", 2, 13},
	} {
		t.Run(name, func(t *testing.T) {
			f.fork(c.message, "t_"+c.message)
			got := f.contents("t_" + c.message)
			if len(got.Runs) != c.runs || len(got.Messages) != c.messages {
				t.Errorf("%d runs and %d messages, want %d and %d", len(got.Runs), len(got.Messages), c.runs, c.messages)
			}
			summary, err := f.db.ThreadSummary(t.Context(), "t_"+c.message)
			if err != nil || summary.Title != c.title {
				t.Errorf("the title is %q (%v), want %q", summary.Title, err, c.title)
			}
			f.send("t_"+c.message, "", "edited")
			if summary, err = f.db.ThreadSummary(t.Context(), "t_"+c.message); err != nil || c.title == "" && summary.Title != "edited" {
				t.Errorf("the title of the next message is %q (%v)", summary.Title, err)
			}
		})
	}
}

func TestWhatCannotBeForkedIsRefused(t *testing.T) {
	f := newForkable(t)
	for name, c := range map[string]struct {
		fork storage.Fork
		want error
	}{
		"no such thread":              {storage.Fork{ThreadID: "t0", MessageID: "u1", NewID: "x"}, agent.ErrNotFound},
		"no such message":             {storage.Fork{ThreadID: "t_original", MessageID: "u0", NewID: "x"}, agent.ErrNotFound},
		"a message that is no user's": {storage.Fork{ThreadID: "t_original", MessageID: "m1", NewID: "x"}, agent.ErrNotFound},
	} {
		if err := f.db.ForkThread(t.Context(), c.fork); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if err := f.db.ForkThread(t.Context(), storage.Fork{ThreadID: "t_original", MessageID: "u1", NewID: "t_original"}); err == nil {
		t.Error("a thread was forked to itself")
	}
	if _, err := f.db.ThreadSummary(t.Context(), "x"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("a fork that was refused left a thread: %v", err)
	}
	f.fork("u2", "t_after") // the writer goes on
}
