package storage_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/archive"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
	"callboard/storage"
)

// oddArguments are texts that a copy which parses them would change (CASES.md K).
var oddArguments = []string{
	`{"id":2512292042121000001}`, `{"a":1.0,"b":1e400,"c":-0}`, `{"a":1,"a":2}`, `{"path":"safe","PATH":"/etc"}`, `{"z":1,"10":1,"9":1}`,
	`{"q":"a<b&&c"}`, `{"s":"\ud83d"}`, "{\"s\":\"\xff\xfe\"}", `{}{"a":1}`, `{"a":`, "", "{ \"a\" :\n 1 }", "\x00", `"\u2028` + "\u2028\"",
	strings.Repeat("[", 10_001),
}

// states are all a call of the ledger may end in, or be left in.
var states = []protocol.State{
	protocol.StateDone, protocol.StateFailed, protocol.StateDenied, protocol.StateExpired, protocol.StateCancelled, protocol.StateUnknown,
}

// putOddThread stores a thread of runs with every log the protocol's tests have, calls in all states with odd arguments, decisions of
// all kinds, children, an image, and what was sent and came back.
func putOddThread(f *forkable, id string) {
	f.Helper()
	logs, err := filepath.Glob("../backend/protocol/testdata/*.jsonl")
	if err != nil || len(logs) == 0 {
		f.Fatalf("no logs: %v", err)
	}
	body := []byte("\x89PNG, or what is one")
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	for n, log := range logs {
		run := agent.Run{
			ID: fmt.Sprintf("run_%s_%d", id, n), ThreadID: id, AgentName: "demo", Input: "do it\n", Status: protocol.StatusCompleted,
			MessageID: "msg", Turn: 2, CallCount: 3, Context: json.RawMessage(`{"userId": "ann"}`), CreatedAtMs: int64(1000 + n), UpdatedAtMs: int64(2000 + n),
		}
		batch := &agent.Batch{Run: run, Frames: frames(f.T, log), Blobs: []agent.Blob{{Hash: hash, MediaType: "image/png", Body: body}}}
		asked := &model.Message{ID: run.ID + "_in", Role: model.RoleUser, Content: "do it\n", RunID: run.ID, AtMs: 1000}
		answer := &model.Message{ID: run.ID + "_t1", Role: model.RoleAssistant, Content: "\xff\u2028", Reasoning: "hm", RunID: run.ID}
		batch.Messages = append(batch.Messages, asked, answer)
		for i, arguments := range oddArguments {
			call := fmt.Sprintf("c%d", i)
			answer.ToolCalls = append(answer.ToolCalls, model.ToolCall{ID: call, ProviderID: "p", Name: "odd", Arguments: arguments, Extra: json.RawMessage(`{"google": {"s":"A+\u003d"}}`)})
			row := agent.Call{
				RunID: run.ID, ToolCallID: call, ToolName: "odd", Turn: 1, State: states[(i+n)%len(states)], Proposed: arguments, Executed: arguments,
				StartedMs: 5,
				Message: &model.Message{
					ID: run.ID + "_r" + call, Role: model.RoleTool, Content: "c\x00" + arguments, ToolCallID: call, ToolName: "odd", RunID: run.ID,
					AtMs: 7, Metadata: json.RawMessage(`{ "details" : {"n":1.0} }`),
				},
			}
			switch i % 3 {
			case 0:
				row.Executed = " " + arguments
			case 1:
				row.ParentToolCallID = "c0"
				row.Message.Images = []model.Image{{Hash: hash, MediaType: "image/png", Bytes: len(body), Width: 3}}
			}
			batch.Calls = append(batch.Calls, row)
			if i%3 != 1 {
				batch.Messages = append(batch.Messages, row.Message)
			}
			batch.Approvals = append(batch.Approvals, decided(run, call, arguments, i))
		}
		batch.Children = []agent.ChildMessage{{ParentToolCallID: "c0", Message: &model.Message{
			ID: run.ID + "_k", Role: model.RoleAssistant, Content: "inside", RunID: run.ID, ToolCalls: answer.ToolCalls[:2],
		}}}
		batch.Requests = []agent.Request{
			{AgentName: "demo", Turn: 1, AtMs: 9, Sent: &model.Sent{Tail: []byte(`{"a":"b"}`)}, Received: []agent.Received{
				{After: time.Microsecond, Bytes: []byte("data: \xf0\x9f")}, {After: time.Millisecond, Bytes: []byte("\x98\x80\n\n")},
			}},
			{AgentName: "demo", Turn: 1, Try: 1, AtMs: 10, Sent: &model.Sent{Keep: 7, Tail: []byte(`,"c"]`)}},
			{AgentName: "inner", Turn: 2, AtMs: 11, ParentToolCallID: "c0", Sent: &model.Sent{}},
			{AgentName: "demo", Turn: 3, AtMs: 12},
		}
		if err := f.db.Append(f.Context(), batch); err != nil {
			f.Fatal(err)
		}
	}
}

// frames are the events of a log, numbered by its lines.
func frames(t *testing.T, log string) (all []protocol.Frame) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		f, err := protocol.DecodeFrame(int64(len(all)+1), bytes.Clone(lines.Bytes()))
		if err != nil {
			continue
		}
		if _, err := f.AppendJSON(nil); err == nil { // one that nests too deep is never stored
			all = append(all, f)
		}
	}
	return all
}

func decided(run agent.Run, call, arguments string, i int) *approval.Pending {
	edited := arguments + " "
	decisions := []*approval.Decision{
		{Approved: true, By: "ann", ArgumentsHash: approval.Hash(arguments)},
		{Approved: true, By: "rule:x", ArgumentsText: &edited},
		{Reason: "no", By: "ann"},
		{State: protocol.StateExpired},
		{State: protocol.StateCancelled},
		{Approved: true, Result: json.RawMessage(`{ "n": 1.0 }`)},
	}
	return &approval.Pending{
		Approval: protocol.Approval{
			ApprovalID: "apr_" + run.ID + call, ToolCallID: call, ToolName: "odd", Kind: []protocol.ApprovalKind{protocol.KindApproval, protocol.KindUnknown}[i%2],
			Description: "does\nodd things", Arguments: json.RawMessage(`{ "a": 1.0 }`), ArgumentsText: arguments, ArgumentsHash: approval.Hash(arguments),
			SideEffects: []tool.SideEffect{tool.Process}, Presentation: &tool.Presentation{Label: "Odd", Detail: "a<b"},
			Details: json.RawMessage(`{"diff": "-1.0"}`), ExpiresAt: 99,
		},
		RunID: run.ID, ThreadID: run.ThreadID, AgentName: run.AgentName, SinceMs: 3, Decision: decisions[i%len(decisions)], DecidedAtMs: 4,
	}
}

// file is a thread's file.
func (f *forkable) file(threadID string) string {
	f.Helper()
	var out bytes.Buffer
	if err := archive.Write(&out, f.db.ExportThread(f.Context(), threadID)); err != nil {
		f.Fatal(err)
	}
	return out.String()
}

func linesOf(file string) func() iter.Seq2[archive.Line, error] {
	return func() iter.Seq2[archive.Line, error] { return archive.Read(strings.NewReader(file)) }
}

// elsewhere is another database.
func (f *forkable) elsewhere() *forkable {
	f.Helper()
	db, err := storage.Open(filepath.Join(f.TempDir(), "other.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := db.Close(); err != nil {
			f.Error(err)
		}
	})
	return &forkable{T: f.T, db: db}
}

// CASES.md G5, H1, K.
func TestAnExportedThreadIsImportedEqual(t *testing.T) {
	f := newForkable(t)
	putOddThread(f, "t_odd")
	if err := f.db.RenameThread(t.Context(), "t_original", "Called so"); err != nil {
		t.Fatal(err)
	}
	f.fork("u3", "t_fork")
	for _, id := range []string{"t_original", "t_odd", "t_fork"} {
		t.Run(id, func(t *testing.T) {
			f := &forkable{T: t, db: f.db}
			other := f.elsewhere()
			file := f.file(id)
			if err := other.db.ImportThread(t.Context(), storage.Import{Lines: linesOf(file), Settings: json.RawMessage(`{"x":1}`)}); err != nil {
				t.Fatal(err)
			}
			f.same("the contents", other.contents(id).text(other), f.contents(id).text(f))
			f.same("the file of the import", other.file(id), file)
			want, err := f.db.ThreadSummary(t.Context(), id)
			got, gotErr := other.db.ThreadSummary(t.Context(), id)
			if err != nil || gotErr != nil || got != want {
				t.Errorf("the summary is %+v, %v; want %+v, %v", got, gotErr, want, err)
			}
			settings, err := other.db.ThreadSettings(t.Context(), id)
			if err != nil || string(settings) != `{"x":1}` {
				t.Errorf("the settings are %s, %v", settings, err)
			}
			if err := other.db.ImportThread(t.Context(), storage.Import{Lines: linesOf(file)}); !errors.Is(err, storage.ErrExists) {
				t.Errorf("a second import gives %v, want %v", err, storage.ErrExists)
			}
			f.same("the contents after a second import", other.contents(id).text(other), f.contents(id).text(f))
		})
	}
}

func TestACopyStandsBesideItsThread(t *testing.T) {
	f := newForkable(t)
	before := f.contents("t_original").text(f)
	file := f.file("t_original")
	_, names, err := archive.NamesOf(linesOf(file)())
	if err != nil {
		t.Fatal(err)
	}
	thread, others, err := f.db.Known(t.Context(), names)
	if !thread || !others || err != nil {
		t.Errorf("known: %t, %t, %v", thread, others, err)
	}
	renaming := names.Rename("t_copy")
	lines := func() iter.Seq2[archive.Line, error] { return renaming.Lines(linesOf(file)()) }
	if err := f.db.ImportThread(t.Context(), storage.Import{Lines: lines}); err != nil {
		t.Fatal(err)
	}
	f.same("the copy", f.contents("t_copy").as(f, f.contents("t_original")), before)
	if err := f.db.DeleteThread(t.Context(), "t_copy"); err != nil {
		t.Fatal(err)
	}
	f.same("the original after the copy was deleted", f.contents("t_original").text(f), before)
}

// A run that waits, and one that was at work, have ended after an import, and the log says so behind what it had.
func TestWhatWasNotOverHasEnded(t *testing.T) {
	f := newForkable(t)
	waits := f.send("t_waits", "u9", "wait for me")
	if len(waits.Pending) == 0 {
		t.Fatal("nothing waits")
	}
	working := agent.Run{ID: "run_w", ThreadID: "t_works", AgentName: "demo", Status: protocol.StatusRunning, CreatedAtMs: 1, UpdatedAtMs: 2}
	if err := f.db.Append(t.Context(), &agent.Batch{Run: working, Frames: []protocol.Frame{
		{Seq: 1, Event: &protocol.Start{MessageID: "m", ThreadID: "t_works", RunID: "run_w", AgentName: "demo"}},
		{Seq: 2, Event: &protocol.Turn{Turn: 1, Phase: protocol.TurnStart, AgentName: "demo"}},
		{Seq: 3, Event: &protocol.ToolCallStart{ID: "c1", ToolName: "free"}},
		{Seq: 4, Event: &protocol.ToolCallDelta{ID: "c1", ArgsTextDelta: `{"te`}},
	}}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		threadID string
		status   protocol.Status
	}{{"t_waits", protocol.StatusCancelled}, {"t_works", protocol.StatusFailed}} {
		t.Run(test.threadID, func(t *testing.T) {
			f := &forkable{T: t, db: f.db}
			other := f.elsewhere()
			file := f.file(test.threadID)
			ends, err := archive.Settle(t.Context(), linesOf(file)())
			if err != nil || len(ends) == 0 {
				t.Fatalf("settle: %d ends, %v", len(ends), err)
			}
			if err := other.db.ImportThread(t.Context(), storage.Import{Lines: linesOf(file), Ends: ends}); err != nil {
				t.Fatal(err)
			}
			before, after := f.contents(test.threadID), other.contents(test.threadID)
			for i, event := range before.Events {
				if after.Events[i] != event {
					t.Errorf("event %d is %s, want %s", i+1, after.Events[i], event)
				}
			}
			run := after.Runs[0]
			if run.Status != test.status || len(after.Events) <= len(before.Events) {
				t.Errorf("the run is %s with %d events, of %d", run.Status, len(after.Events), len(before.Events))
			}
			for _, p := range run.Approvals {
				if p.Decision == nil {
					t.Errorf("approval %s still waits", p.ApprovalID)
				}
			}
			for _, c := range run.Calls {
				if c.Message == nil {
					t.Errorf("call %s is %s and has no result", c.ToolCallID, c.State)
				}
			}
			runner := &agent.Runner{Store: other.db, Resolve: agent.Agents(&agent.Agent{Name: "demo"})}
			if err := errors.Join(runner.Recover(t.Context(), ""), runner.Close(context.WithoutCancel(t.Context()))); err != nil {
				t.Fatal(err)
			}
			f.same("after the next start", other.contents(test.threadID).text(other), after.text(other))
		})
	}
}

// Whatever goes wrong, and wherever, nothing of the thread is there, and all else is as it was.
func TestAnImportThatFailsLeavesNothing(t *testing.T) {
	f := newForkable(t)
	file := f.file("t_original")
	total := strings.Count(file, "\n")
	for _, at := range []int{1, 2, 5, total / 2, total - 1} {
		t.Run(fmt.Sprintf("after line %d of %d", at, total), func(t *testing.T) {
			other := (&forkable{T: t, db: f.db}).elsewhere()
			cut := strings.Join(strings.SplitAfter(file, "\n")[:at], "")
			err := other.db.ImportThread(t.Context(), storage.Import{Lines: linesOf(cut)})
			if !errors.Is(err, archive.ErrDamaged) {
				t.Errorf("got %v, want %v", err, archive.ErrDamaged)
			}
			threads, err := other.db.Threads(t.Context(), "", 0, 0)
			runs, runsErr := other.db.Runs(t.Context(), agent.RunQuery{})
			if err != nil || runsErr != nil || len(threads)+len(runs) > 0 {
				t.Errorf("%d threads and %d runs are there, %v, %v", len(threads), len(runs), err, runsErr)
			}
			if err := other.db.ImportThread(t.Context(), storage.Import{Lines: linesOf(file)}); err != nil {
				t.Errorf("the whole file after it: %v", err)
			}
		})
	}
}

// A file that names a run or an approval of another thread takes neither over.
func TestAnImportTakesNothingFromOtherThreads(t *testing.T) {
	f := newForkable(t)
	before := f.contents("t_original").text(f)
	file := f.file("t_original")
	first := f.contents("t_original").Runs[0]
	head, rest, _ := strings.Cut(file, "\n")
	head = strings.ReplaceAll(head, `"t_original"`, `"t_thief"`)
	for name, hostile := range map[string]string{
		"a run":       rest,
		"an approval": strings.ReplaceAll(rest, first.ID, "run_thief"),
	} {
		t.Run(name, func(t *testing.T) {
			err := f.db.ImportThread(t.Context(), storage.Import{Lines: unsealed(head + "\n" + hostile)})
			if !errors.Is(err, storage.ErrExists) {
				t.Errorf("got %v, want %v", err, storage.ErrExists)
			}
			f.same("the other thread", f.contents("t_original").text(f), before)
			if _, err := f.db.Thread(t.Context(), "t_thief"); !errors.Is(err, agent.ErrNotFound) {
				t.Errorf("the thread: %v, want %v", err, agent.ErrNotFound)
			}
		})
	}
}

// unsealed reads a file whose lines were changed after it was written: its end is made anew.
func unsealed(file string) func() iter.Seq2[archive.Line, error] {
	body := file[:strings.LastIndex(strings.TrimSuffix(file, "\n"), "\n")+1]
	sum := sha256.Sum256([]byte(body))
	return linesOf(body + fmt.Sprintf(`{"type":"end","lines":%d,"sha256":%q}`, strings.Count(body, "\n"), hex.EncodeToString(sum[:])) + "\n")
}
