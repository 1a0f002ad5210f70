package archive_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"callboard/backend/agent"
	"callboard/backend/archive"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// mask masks lines and returns the file, and what was found.
func mask(t testing.TB, policy *redact.Policy, redacted *archive.Redacted, file string) (string, *archive.Findings) {
	t.Helper()
	found, err := archive.Find(policy, archive.Read(strings.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	m := archive.Masking{Policy: policy, Findings: found, Redacted: redacted}
	return written(t, m.Lines(archive.Read(strings.NewReader(file)))), found
}

func TestARedactedFileHasNoSecretAndStillFolds(t *testing.T) {
	file := written(t, sequence(thread(t)))
	policy := &redact.Policy{Patterns: redact.Patterns(), Words: []string{"ANN", "mail"}}
	got, found := mask(t, policy, &archive.Redacted{Secrets: 3, NoImages: true, NoAnswers: true}, file)
	for _, gone := range []string{"sk-proj", "0123456789", "cdefgh", "ann", "mail", "iVBORw", `"type":"received"`, `"type":"blob"`} {
		if strings.Contains(got, gone) {
			t.Errorf("%q is in the file:\n%s", gone, got)
		}
	}
	if !strings.Contains(got, `"redacted":{"secrets":3,"noImages":true,"noAnswers":true}`) {
		t.Errorf("the file does not say that it is redacted: %s", got[:300])
	}
	var run protocol.Transcript
	for line, err := range archive.Read(strings.NewReader(got)) {
		if err != nil {
			t.Fatalf("the file is not taken: %v", err)
		}
		if e, ok := line.(*archive.Event); ok {
			run.ApplyJSON(e.Seq, e.JSON)
		}
	}
	call := run.Calls()[0]
	if got, want := call.ArgumentsText(), `{"to":"[redacted]","n":2512292042121000001,"n":1.0,"key":"[redacted]"}`; got != want {
		t.Errorf("the arguments are %s, want %s", got, want)
	}
	if got, want := run.Items[1].Text(), "I use [redacted].\n\n```go\nnever closed"; got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
	if len(run.WireErrors)+len(run.Gaps)+len(run.Late) > 0 || run.Status != protocol.StatusCompleted {
		t.Errorf("it folds with faults: %+v", run)
	}
	var secrets []string
	for _, f := range found.All {
		secrets = append(secrets, f.Secret)
	}
	slices.Sort(secrets)
	if diff := cmp.Diff([]string{"ann", "mail", key}, secrets); diff != "" {
		t.Errorf("found (-want +got)\n%s", diff)
	}
}

func TestFindSaysWhereEachSecretStands(t *testing.T) {
	_, found := mask(t, &redact.Policy{Patterns: redact.Patterns()}, nil, written(t, sequence(thread(t))))
	if len(found.All) != 1 {
		t.Fatalf("found %+v", found.All)
	}
	f := found.All[0]
	if diff := cmp.Diff([]archive.Spot{
		{Place: archive.Place{Kind: archive.InArguments, RunID: "run_1", ToolCallID: "c1"}, Before: `"n":2512292042121000001,"n":1.0,"key":"`, After: `"}`, Times: 1},
		{Place: archive.Place{Kind: archive.InAnswer, RunID: "run_1"}, Before: "I use ", After: ".\n\n```go\nnever closed", Times: 1},
		{Place: archive.Place{Kind: archive.InRequest, RunID: "run_1", Turn: 2}, Before: `,"`, After: `"]}`, Times: 1},
	}, f.Spots, cmp.Transformer("end", func(s string) string { return s[max(0, len(s)-39):] })); diff != "" {
		t.Errorf("spots (-want +got)\n%s", diff)
	}
	if !slices.Equal(f.Rules, []string{"API key (sk-, pk-, rk-)"}) || f.Fixed {
		t.Errorf("found by %q, fixed %t", f.Rules, f.Fixed)
	}
}

func TestLinesWithoutASecretStayByteForByte(t *testing.T) {
	file := written(t, sequence(thread(t)))
	for name, policy := range map[string]*redact.Policy{
		"nothing is looked for": {}, "nothing is found": {Words: []string{"unheard of"}, Secrets: func() []string { return []string{"never-said"} }},
		"all is left in": {Patterns: redact.Patterns(), Leave: func(string) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := mask(t, policy, nil, file); got != file {
				t.Errorf("(-want +got)\n%s", cmp.Diff(file, got))
			}
		})
	}
	before := strings.Split(file, "\n")
	masked, _ := mask(t, &redact.Policy{Words: []string{"by hand"}}, nil, file)
	for i, line := range strings.Split(masked, "\n") {
		if strings.Contains(before[i], "by hand") || strings.Contains(before[i], `"type":"end"`) {
			continue
		}
		if line != before[i] {
			t.Errorf("line %d is %s, want %s", i+1, line, before[i])
		}
	}
}

// A key of the program is masked in every file, and an answer in which it stands, or may stand in pieces, is left out.
func TestAnAnswerWithAKeyIsLeftOut(t *testing.T) {
	for name, received := range map[string][]string{
		"as a whole": {"data: the-programs-key"}, "over two pieces": {"data: the-prog", "rams-key"}, "in two deltas": {`data: {"d":"the-prog"}`, `{"d":"rams-key"}`},
	} {
		t.Run(name, func(t *testing.T) {
			lines := thread(t)
			for _, line := range lines {
				switch l := line.(type) {
				case *archive.Received:
					l.Pieces = nil
					for _, piece := range received {
						_, one := archive.RequestOf(&agent.Request{Received: []agent.Received{{Bytes: []byte(piece)}}})
						l.Pieces = append(l.Pieces, one.Pieces...)
					}
				case *archive.Event:
					l.JSON = []byte(strings.Replace(string(l.JSON), "I use sk-proj-01234", "I use the-prog", 1))
					l.JSON = []byte(strings.Replace(string(l.JSON), `"delta":"56789abcde"`, `"delta":"rams-key"`, 1))
				}
			}
			policy := &redact.Policy{Secrets: func() []string { return []string{"the-programs-key"} }}
			got, found := mask(t, policy, nil, written(t, sequence(lines)))
			if len(found.All) != 1 || !found.All[0].Fixed {
				t.Errorf("found %+v, want the key", found.All)
			}
			for _, gone := range []string{"the-prog", "rams-key", `"type":"received"`} {
				if strings.Contains(got, gone) {
					t.Errorf("%q is in the file", gone)
				}
			}
		})
	}
}

// A secret over the deltas of an answer that no event tells of, as one that was taken back or held back.
func TestAnAnswerWithAKeyInItsDeltasIsLeftOutThoughNoEventHasIt(t *testing.T) {
	lines := thread(t)
	for _, line := range lines {
		if l, ok := line.(*archive.Received); ok {
			_, one := archive.RequestOf(&agent.Request{Received: []agent.Received{
				{Bytes: []byte("data: {\"d\":\"the-prog\"}\n\n")}, {Bytes: []byte("data: {\"d\":\"rams-key\"}\n\n")},
			}})
			l.Pieces = one.Pieces
		}
	}
	policy := &redact.Policy{Secrets: func() []string { return []string{"the-programs-key"} }}
	got, _ := mask(t, policy, nil, written(t, sequence(lines)))
	if strings.Contains(got, "rams-key") || strings.Contains(got, `"type":"received"`) {
		t.Errorf("the answer is in the file: %s", got)
	}
}

// Wherever a secret stands, whole, in JSON or in pieces: it is found, and the file does not have it.
func TestNoSecretIsInAFileAndEachIsFound(t *testing.T) {
	secrets := []string{"ghp_0123456789abcdefghijklm", "Project Falcon", "p4ss\"w/ord", "Zoë"}
	policy := &redact.Policy{Patterns: redact.Patterns(), Words: secrets[1:]}
	rapid.Check(t, func(t *rapid.T) {
		say := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append([]string{"a ", " b", ", ", "token", "\n", `"`}, secrets...)), 0, 5).Draw(t, name), " ")
		}
		quoted := func(name string) json.RawMessage {
			text, err := json.Marshal(map[string]any{"x": say(name), "n": 1})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		arguments := string(quoted("arguments"))
		events := []protocol.Event{&protocol.Message{MessageID: "m", Role: model.RoleUser, Content: say("input")}}
		for i, text := range []string{say("answer"), arguments} {
			for text != "" {
				n := rapid.IntRange(1, len(text)).Draw(t, "cut")
				for n < len(text) && text[n]&0xc0 == 0x80 {
					n++
				}
				if i == 0 {
					events = append(events, &protocol.TextDelta{ID: "p", Delta: text[:n]})
				} else {
					events = append(events, &protocol.ToolCallDelta{ID: "c", ArgsTextDelta: text[:n]})
				}
				text = text[n:]
			}
		}
		events = append(events, &protocol.ToolUpdate{ToolCallID: "c", Content: quoted("progress"), ArgumentsText: &arguments},
			&protocol.ToolResult{ID: "r", ToolCallID: "c", Result: quoted("result"), Details: quoted("details"), Error: say("error")},
			&protocol.Error{Message: say("failure")}, &protocol.Unknown{Kind: "x", Raw: json.RawMessage(`{"type":"x","y":` + string(quoted("unknown")) + `}`)})
		lines := []archive.Line{
			archive.HeadOf(&agent.ThreadSummary{ID: "t"}, say("title"), say("name")),
			archive.RunOf(&agent.Run{ID: "r", Status: protocol.StatusFailed, Input: say("run input"), Error: say("run error"), Context: quoted("context")}),
			archive.CallOf(&agent.Call{ToolCallID: "c", State: protocol.StateFailed, Proposed: arguments, Executed: say("executed"), Message: &model.Message{
				ID: "rm", Role: model.RoleTool, RunID: "r", ToolCallID: "c", Content: say("content"), Metadata: quoted("metadata"),
			}}),
		}
		for i, event := range events {
			text, err := protocol.Frame{Seq: int64(i + 1), Event: event}.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, archive.EventOf(agent.Record{Seq: int64(i + 1), JSON: text}))
		}
		sent, _ := archive.RequestOf(&agent.Request{Turn: 1, Sent: &model.Sent{Tail: quoted("request")}})
		lines = append(lines, sent, archive.HistoryOf(&model.Message{ID: "h", Role: model.RoleUser, Content: say("history")}, nil))
		file := writtenBy(t, lines)
		found, err := archive.Find(policy, archive.Read(strings.NewReader(file)))
		if err != nil {
			t.Fatal(err)
		}
		m := archive.Masking{Policy: policy, Findings: found}
		var out strings.Builder
		if err := archive.Write(&out, m.Lines(archive.Read(strings.NewReader(file)))); err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			has := holds(file, secret)
			if known := slices.ContainsFunc(found.All, func(f *archive.Finding) bool { return same(f.Secret, secret) }); known != has {
				t.Fatalf("%q is in the thread: %t, and found: %t", secret, has, known)
			}
			if holds(out.String(), secret) {
				t.Fatalf("%q is in the file\n%s", secret, out.String())
			}
		}
	})
}

func writtenBy(t *rapid.T, lines []archive.Line) string {
	var out strings.Builder
	if err := archive.Write(&out, sequence(lines)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var pieces = regexp.MustCompile(`"(?:delta|argsTextDelta)":"((?:[^"\\]|\\.)*)"`)

// holds reports whether a file has a secret, in any depth of JSON, in pieces too.
func holds(file, secret string) bool {
	var joined strings.Builder
	for _, piece := range pieces.FindAllStringSubmatch(file, -1) {
		joined.WriteString(piece[1])
	}
	forms := []string{secret}
	for range 3 {
		form, _ := json.Marshal(forms[len(forms)-1]) // a string encodes
		forms = append(forms, string(form[1:len(form)-1]))
	}
	return slices.ContainsFunc(forms, func(form string) bool {
		return strings.Contains(file, form) || strings.Contains(joined.String(), form)
	})
}

func same(found, secret string) bool {
	for range 3 {
		if found == secret {
			return true
		}
		form, _ := json.Marshal(secret) // a string encodes
		secret = string(form[1 : len(form)-1])
	}
	return false
}

func TestLabelsAreThoseOfTheCalls(t *testing.T) {
	labels, images, err := archive.Labels(sequence(thread(t)))
	want := map[archive.Place]string{{RunID: "run_1", ToolCallID: "c1"}: "Send *mail*"}
	if diff := cmp.Diff(want, labels); diff != "" || images != 1 || err != nil {
		t.Errorf("%d images, %v, labels (-want +got)\n%s", images, err, diff)
	}
}

func TestCertainSecretsAreNoEverydayWords(t *testing.T) {
	lines := thread(t)
	for _, line := range lines {
		if r, ok := line.(*archive.Run); ok {
			*r = *archive.RunOf(&agent.Run{ID: "run_1", Status: protocol.StatusCompleted, Input: "token: string, password: hunter22, secret=correct-horse-battery-staple"})
		}
	}
	_, found := mask(t, &redact.Policy{Patterns: redact.Patterns()}, nil, written(t, sequence(lines)))
	certain := found.Certain()
	slices.Sort(certain)
	if diff := cmp.Diff([]string{"correct-horse-battery-staple", "hunter22", key}, certain); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
