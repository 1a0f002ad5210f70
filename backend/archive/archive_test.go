package archive_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/archive"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	key  = "sk-proj-0123456789abcdefgh"
	args = `{"to":"bob","n":2512292042121000001,"n":1.0,"key":"` + key + `"}`
)

// thread is a small thread with one of each.
func thread(t testing.TB) []archive.Line {
	t.Helper()
	body := []byte("\x89PNG")
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	lines := []archive.Line{
		archive.HeadOf(&agent.ThreadSummary{ID: "thr_1", AgentName: "demo", CreatedAtMs: 1_700_000_000_000, UpdatedAtMs: 1_700_000_009_000}, "Write to bob", "Letters & <co>"),
		&archive.Blob{Hash: hash, MediaType: "image/png", Body: body},
	}
	run := agent.Run{ID: "run_1", ThreadID: "thr_1", AgentName: "demo", Input: "Write to bob", Status: protocol.StatusCompleted, MessageID: "msg_1", Turn: 2, CallCount: 1, CreatedAtMs: 1_700_000_000_000}
	result := &model.Message{ID: "run_1_r1", Role: model.RoleTool, Content: "sent", ToolCallID: "c1", ToolName: "mail", RunID: "run_1", Images: []model.Image{{Hash: hash, MediaType: "image/png", Bytes: 4}}}
	executed := strings.Replace(args, "bob", "ann", 1)
	p := &approval.Pending{Approval: protocol.Approval{ApprovalID: "apr_1", ToolCallID: "c1", ToolName: "mail", Kind: protocol.KindApproval, ArgumentsText: args, ArgumentsHash: approval.Hash(args), Arguments: json.RawMessage("{ }")}, AgentName: "demo", SinceMs: 5, DecidedAtMs: 6, Decision: &approval.Decision{Approved: true, By: "ann", ArgumentsText: &executed, ArgumentsHash: approval.Hash(args)}}
	asked, err := archive.ApprovalOf(p)
	if err != nil {
		t.Fatal(err)
	}
	child := agent.ChildMessage{ParentToolCallID: "c1", Message: &model.Message{ID: "run_1_k", Role: model.RoleAssistant, Content: "inside", RunID: "run_1"}}
	lines = append(lines, archive.RunOf(&run), archive.CallOf(&agent.Call{ToolCallID: "c1", ToolName: "mail", Turn: 1, State: protocol.StateDone, Proposed: args, Executed: executed, StartedMs: 5, EndedMs: 8, Message: result}), asked, archive.ChildOf(&child))
	ms := int64(12)
	for i, event := range []protocol.Event{
		&protocol.Start{MessageID: "msg_1", ThreadID: "thr_1", RunID: "run_1", AgentName: "demo"},
		&protocol.Message{MessageID: "run_1_in", Role: model.RoleUser, Content: "Write to bob\n- *now*\n```\nand <b>then</b>"},
		&protocol.Turn{Turn: 1, Phase: protocol.TurnStart, AgentName: "demo"},
		&protocol.TextStart{ID: "p1"}, &protocol.TextDelta{ID: "p1", Delta: "I use sk-proj-01234"}, &protocol.TextDelta{ID: "p1", Delta: "56789abcde"},
		&protocol.TextDelta{ID: "p1", Delta: "fgh.\n\n```go\nnever closed"}, &protocol.TextEnd{ID: "p1"},
		&protocol.ToolCallStart{ID: "c1", ToolName: "mail", Presentation: &tool.Presentation{Label: "Send *mail*"}},
		&protocol.ToolCallDelta{ID: "c1", ArgsTextDelta: args[:60]}, &protocol.ToolCallDelta{ID: "c1", ArgsTextDelta: args[60:]}, &protocol.ToolCallEnd{ID: "c1"},
		&protocol.CallState{ToolCallID: "c1", State: protocol.StateWaiting, ApprovalID: "apr_1", ArgumentsHash: approval.Hash(args)},
		&protocol.CallState{ToolCallID: "c1", State: protocol.StateApproved, By: "ann", ApprovalID: "apr_1", ArgumentsHash: approval.Hash(executed)},
		&protocol.ToolUpdate{ToolCallID: "c1", ArgumentsText: &executed, Arguments: json.RawMessage(executed)},
		&protocol.CallState{ToolCallID: "c1", State: protocol.StateRunning},
		&protocol.ToolResult{ID: "res_1", ToolCallID: "c1", Result: json.RawMessage(`"sent\n` + "````" + ` over"`), DurationMs: &ms, Presentation: &tool.Presentation{Label: "Send *mail*", Detail: "to `ann`", Summary: "1 sent"}, Details: json.RawMessage(`{"diff":"-old\n+new\n~~~\n","table":{"columns":["a|b","c"],"rows":[["x|y",2512292042121000001]]},"image":{"src":"` + hash + `","mediaType":"image/png","alt":"A chart"},"terminal":"\u001b[31mred\u001b[0m","rest":[1.0]}`)},
		&protocol.Turn{Turn: 1, Phase: protocol.TurnEnd}, &protocol.Finish{MessageID: "msg_1", ThreadID: "thr_1", Status: protocol.StatusCompleted},
	} {
		text, err := protocol.Frame{Seq: int64(i + 1), AtMs: 1_700_000_000_000 + int64(i), Event: event}.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, archive.EventOf(agent.Record{Seq: int64(i + 1), JSON: text}))
	}
	for _, r := range []agent.Request{
		{AgentName: "demo", Turn: 1, AtMs: 5, Sent: &model.Sent{Tail: []byte(`{"messages":["Write to bob"]}`)}, Received: []agent.Received{{After: 7, Bytes: []byte("data: \xf0\x9f")}, {After: 9, Bytes: []byte("\x98\x80\n\n")}}},
		{AgentName: "demo", Turn: 2, AtMs: 6, Sent: &model.Sent{Keep: 27, Tail: []byte(`,"` + key + `"]}`)}},
	} {
		sent, received := archive.RequestOf(&r)
		lines = append(lines, sent)
		if received != nil {
			lines = append(lines, received)
		}
	}
	in := &model.Message{ID: "run_1_in", Role: model.RoleUser, Content: "Write to bob\xff", RunID: "run_1", AtMs: 1}
	said := &model.Message{ID: "run_1_t1", Role: model.RoleAssistant, RunID: "run_1", ToolCalls: []model.ToolCall{{ID: "c1", ProviderID: "p1", Name: "mail", Arguments: args}}}
	loose := &model.Message{ID: "m9", Role: model.RoleUser, Content: "by hand", AtMs: 1_700_000_008_000}
	for _, m := range []*model.Message{in, said, result, loose} {
		lines = append(lines, archive.HistoryOf(m, map[string]bool{"run_1_r1": true}))
	}
	return lines
}

func sequence(lines []archive.Line) iter.Seq2[archive.Line, error] {
	return func(yield func(archive.Line, error) bool) {
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}

func written(t testing.TB, lines iter.Seq2[archive.Line, error]) string {
	t.Helper()
	var out bytes.Buffer
	if err := archive.Write(&out, lines); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// golden compares a text with a file, which stays the same for ever: other people have such files.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", path, diff)
	}
}

func TestTheFormatStays(t *testing.T) {
	golden(t, "testdata/thread.callboard", written(t, sequence(thread(t))))
}

func TestAFileIsReadAsItWasWritten(t *testing.T) {
	file := written(t, sequence(thread(t)))
	if again := written(t, archive.Read(strings.NewReader(file))); again != file {
		t.Errorf("read and written again (-want +got)\n%s", cmp.Diff(file, again))
	}
}

// sealed is a file with an end that fits, whatever its lines are.
func sealed(lines ...string) string {
	body := strings.Join(lines, "\n") + "\n"
	sum := sha256.Sum256([]byte(body))
	return body + fmt.Sprintf(`{"type":"end","lines":%d,"sha256":%q}`, len(lines), hex.EncodeToString(sum[:])) + "\n"
}

func TestFilesThatAreNotTakenSayWhy(t *testing.T) {
	whole := written(t, sequence(thread(t)))
	lines := strings.Split(strings.TrimSpace(whole), "\n")
	lines = lines[:len(lines)-1]
	with := func(old, replacement string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("the file has no %q", old)
		}
		changed := strings.Split(strings.ReplaceAll(strings.Join(lines, "\n"), old, replacement), "\n")
		return sealed(changed...)
	}
	more := func(line string) string { return sealed(append(append([]string{}, lines...), line)...) }
	for _, test := range []struct {
		name, file string
		is         error
		says       string
	}{
		{"nothing", "", archive.ErrForeign, ""},
		{"a picture", "GIF89a\n", archive.ErrForeign, ""},
		{"a zip file", "PK\x03\x04 and so on", archive.ErrForeign, ""},
		{"a file without line ends", strings.Repeat("x", 1<<20), archive.ErrForeign, ""},
		{"JSON of another kind", `{"type":"thread"}` + "\n", archive.ErrForeign, ""},
		{"a list", "[]\n", archive.ErrForeign, ""},
		{"a newer version", with(`"version":1,`, `"version":2,`), archive.ErrNewer, "version 2"},
		{"version 0", with(`"version":1,`, `"version":0,`), archive.ErrDamaged, "version 0"},
		{"a file that is cut between lines", strings.Join(lines[:5], "\n") + "\n", archive.ErrDamaged, "cut after line 5"},
		{"a file that is cut in a line", whole[:len(whole)/2], archive.ErrDamaged, "cut after line"},
		{"a changed letter", strings.Replace(whole, "by hand", "by mind", 1), archive.ErrDamaged, "not those it was written with"},
		{"a line that is missing", strings.Replace(whole, lines[len(lines)-1]+"\n", "", 1), archive.ErrDamaged, "not those"},
		{"something behind its end", whole + "{}\n", archive.ErrDamaged, "follows its last line"},
		{"two files in one", whole + whole, archive.ErrDamaged, "follows its last line"},
		{"a second head", more(lines[0]), archive.ErrDamaged, "the head is the first line"},
		{"an unknown line", more(`{"type":"virus","x":1}`), archive.ErrDamaged, `"virus"`},
		{"an unknown member", with(`"toolName":"mail","turn":1`, `"toolName":"mail","shell":"rm","turn":1`), archive.ErrDamaged, "shell"},
		{"a line that is no JSON", more("rm -rf /"), archive.ErrDamaged, "line 33"},
		{"a line that is not UTF-8", more("{\"type\":\"history\",\"x\":\"\xff\"}"), archive.ErrDamaged, "UTF-8"},
		{"a blob with another hash", with(`"base64":"iVBORw=="`, `"base64":"iVBORg=="`), archive.ErrDamaged, "not what its hash says"},
		{"an image that is not there", with(`"images":[{"hash":"`, `"images":[{"hash":"00`), archive.ErrDamaged, "is not in the file"},
		{"a blob that is a path", more(`{"type":"blob","hash":"../../etc/passwd","mediaType":"x","base64":""}`), archive.ErrDamaged, "blob"},
		{"an event that is missing", with(`{"type":"event","seq":3,`, `{"type":"event","seq":4,`), archive.ErrDamaged, "event 4 follows event 2"},
		{"an event that is none", with(`"event":{"type":"turn","at":1700000000002,`, `"event":{"at":1700000000002,`), archive.ErrDamaged, "is not an event"},
		{"arguments that were swapped after they were approved", with(`"argumentsText":"{\"to\":\"bob\",`, `"argumentsText":"{\"to\":\"eve\",`), archive.ErrDamaged, "not those its hash says"},
		{"a run without an id", with(`"type":"run","id":"run_1"`, `"type":"run","id":" "`), archive.ErrDamaged, "has no id"},
		{"a thread with line breaks for an id", with(`"id":"thr_1"`, `"id":"a\nb"`), archive.ErrDamaged, "is not a name"},
		{"a thread with a long id", with(`"id":"thr_1"`, `"id":"`+strings.Repeat("x", 600)+`"`), archive.ErrDamaged, "is not a name"},
		{"an unknown status", with(`"status":"completed","messageId"`, `"status":"free","messageId"`), archive.ErrDamaged, `no status "free"`},
		{"an unknown state", with(`"state":"done","proposed"`, `"state":"root","proposed"`), archive.ErrDamaged, `no state "root"`},
		{"a request that keeps more than was sent", with(`"keep":27`, `"keep":2700`), archive.ErrDamaged, "keeps 2700 bytes"},
		{"a request that keeps less than nothing", with(`"keep":27`, `"keep":-1`), archive.ErrDamaged, "keeps -1 bytes"},
		{"an answer to no request", with(`"type":"received","turn":1`, `"type":"received","turn":9`), archive.ErrDamaged, "no request 0 of turn 9"},
		{"a result of no call", with(`"runId":"run_1","toolCallId":"c1"}`, `"runId":"run_1","toolCallId":"c9"}`), archive.ErrDamaged, "c9"},
		{"a run behind the history", more(`{"type":"run","id":"run_2","agentName":"","input":"","status":"completed","messageId":"","turn":0,"callCount":0,"createdAt":0,"updatedAt":0}`), archive.ErrDamaged, "runs stand before"},
		{"a call of no run", sealed(lines[0], lines[3]), archive.ErrDamaged, "belongs to no run"},
		{"JSON that nests without end", more(`{"type":"history","message":` + strings.Repeat("[", 20_000)), archive.ErrDamaged, "depth"},
		{"a text of both kinds", with(`"$base64":"V3Jp`, `"$text":"a","$base64":"V3Jp`), archive.ErrDamaged, "$text and $base64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var err error
			for _, lineErr := range archive.Read(strings.NewReader(test.file)) {
				err = lineErr
			}
			if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v with %q", err, test.is, test.says)
			}
		})
	}
}

// endless is a line that does not end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, `{"type":"callboard-thread",`)
	for i := n; i < len(p); i++ {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

func TestALineThatDoesNotEndIsGivenUp(t *testing.T) {
	source := &endless{}
	var err error
	for _, err = range archive.Read(source) {
	}
	if !errors.Is(err, archive.ErrDamaged) || source.read > 2*archive.MaxLine {
		t.Errorf("got %v after %d bytes", err, source.read)
	}
}

func TestALineThatNobodyReadsIsNotWritten(t *testing.T) {
	lines := []archive.Line{thread(t)[0], &archive.Blob{MediaType: "image/png", Body: make([]byte, archive.MaxLine)}}
	if err := archive.Write(new(bytes.Buffer), sequence(lines)); err == nil || !strings.Contains(err.Error(), "at most 64") {
		t.Errorf("got %v", err)
	}
}

// Whatever is read, it ends in an error or is written again as the same lines.
func FuzzRead(f *testing.F) {
	whole := written(f, sequence(thread(f)))
	f.Add(whole)
	lines := strings.Split(strings.TrimSpace(whole), "\n")
	f.Add(sealed(lines[0]))
	f.Add(sealed(lines[:len(lines)-2]...))
	f.Add(strings.ToUpper(whole))
	f.Fuzz(func(t *testing.T, file string) {
		var read []archive.Line
		for line, err := range archive.Read(strings.NewReader(file)) {
			if err != nil {
				return
			}
			read = append(read, line)
		}
		again := written(t, sequence(read))
		if twice := written(t, archive.Read(strings.NewReader(again))); twice != again {
			t.Errorf("%q is written as %q, and that as %q", file, again, twice)
		}
	})
}
