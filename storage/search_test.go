package storage

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

func TestEveryKindOfTextIsFoundAnywhereInIt(t *testing.T) {
	db := open(t)
	tellAll(t, db)
	for query, want := range map[string][]string{
		"please":                    {"r1/2 message"},
		"GROSSE":                    {},
		"grö":                       {"r1/2 message"},
		"GROẞE":                     {"r1/2 message"},
		"parsesize":                 {"r1/15 result c1 read_file done", "r1/5 reasoning"},
		"rseSi":                     {"r1/15 result c1 read_file done", "r1/5 reasoning"},
		"src/parse_size.go":         {"r1/12 arguments c1 read_file done"},
		"se_s":                      {"r1/12 arguments c1 read_file done"},
		`say "hi"`:                  {"r1/12 arguments c1 read_file done"},
		"look it":                   {"r1/9 text"},
		`"look it"`:                 {},
		`"look at it"`:              {"r1/9 text"},
		`"parseSize() { return"`:    {"r1/15 result c1 read_file done"},
		`"look`:                     {},
		"'TestA*'":                  {"r1/18 arguments c2 shell failed"},
		"-run":                      {"r1/18 arguments c2 shell failed"},
		"test* AND":                 {},
		"./...":                     {"r1/18 arguments c2 shell failed"},
		"808":                       {"r1/15 result c1 read_file done"},
		"80":                        {"r1/15 result c1 read_file done"},
		"ü":                         {"r1/26 error", "r1/21 error c2 shell failed", "r1/18 arguments c2 shell failed", "r1/15 result c1 read_file done"},
		"exit status":               {"r1/21 error c2 shell failed"},
		"budget":                    {"r1/26 error"},
		"half wri":                  {"r1/24 arguments c3 write_file dropped"},
		`\né`:                       {},
		`"hi e"`:                    {},
		`hi" e`:                     {"r1/12 arguments c1 read_file done"},
		"nowhere":                   {},
		"NOT (a OR b) NEAR/2 c^":    {},
		`" " "" '`:                  {"r1/18 arguments c2 shell failed"},
		"":                          {},
		"  \t ":                     {},
		strings.Repeat("long ", 90): {},
	} {
		page := whole(t, db, SearchQuery{Terms: ParseTerms(query)})
		if diff := cmp.Diff(want, brief(page.Hits)); diff != "" {
			t.Errorf("%q finds (-want +got)\n%s", query, diff)
		}
	}
}

func TestASearchIsNarrowedByWhatTheTextBelongsTo(t *testing.T) {
	db := open(t)
	tellAll(t, db)
	indexed(t, db) // so that its labels are the first
	other := newStory(t, db, "t2", "r2", 5000)
	other.run.AgentName = "reviewer"
	other.start("fix it too")
	other.call("k1", "shell", `{"command":"ls"}`)
	other.tell(&protocol.CallState{ToolCallID: "k1", State: protocol.StateWaiting})
	for name, c := range map[string]struct {
		q    SearchQuery
		want []string
	}{
		"by kind":                    {SearchQuery{Kind: KindReasoning}, []string{"r1/5 reasoning"}},
		"by tool":                    {SearchQuery{ToolName: "shell"}, []string{"r2/5 arguments k1 shell waiting", "r1/21 error c2 shell failed", "r1/18 arguments c2 shell failed"}},
		"by state":                   {SearchQuery{State: protocol.StateWaiting}, []string{"r2/5 arguments k1 shell waiting"}},
		"dropped calls":              {SearchQuery{State: protocol.StateDropped}, []string{"r1/24 arguments c3 write_file dropped"}},
		"by agent":                   {SearchQuery{AgentName: "reviewer", Terms: ParseTerms("fix")}, []string{"r2/2 message"}},
		"from a moment":              {SearchQuery{FromMs: 5000, Terms: ParseTerms("fix")}, []string{"r2/2 message"}},
		"up to a moment":             {SearchQuery{ToMs: 1002, Terms: ParseTerms("fix")}, []string{"r1/2 message"}},
		"before a moment":            {SearchQuery{ToMs: 1001, Terms: ParseTerms("fix")}, []string{}},
		"by tool and state":          {SearchQuery{ToolName: "shell", State: protocol.StateDone}, []string{}},
		"by a part of a name":        {SearchQuery{ToolName: "shel"}, []string{}},
		"by a name in other letters": {SearchQuery{ToolName: "Shell"}, []string{}},
		"by nothing":                 {SearchQuery{}, []string{}},
	} {
		if diff := cmp.Diff(c.want, brief(whole(t, db, c.q).Hits)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	tools, agents, err := db.SearchNames(t.Context())
	if diff := cmp.Diff([]ToolLabel{{"read_file", "Label of c1"}, {"shell", "Label of c2"}, {"write_file", ""}}, tools); err != nil || diff != "" {
		t.Errorf("tools %v (-want +got)\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"demo", "reviewer"}, agents); diff != "" {
		t.Errorf("agents (-want +got)\n%s", diff)
	}
}

func TestAHitSaysWhereItStands(t *testing.T) {
	db := open(t)
	tellAll(t, db)
	if err := db.RenameThread(t.Context(), "t1", "A name"); err != nil {
		t.Fatal(err)
	}
	page := whole(t, db, SearchQuery{Terms: ParseTerms(`8080 PARSE`)})
	want := []Hit{{
		ThreadID: "t1", ThreadTitle: "A name", RunID: "r1", Seq: 15, Kind: KindResult, AgentName: "demo", AtMs: 1015, ToolCallID: "c1",
		ToolName: "read_file", Label: "Label of c1", State: protocol.StateDone, Snippet: "func parseSize() { return 8080 }",
		Marks: []Mark{{5, 10}, {26, 30}},
	}}
	if diff := cmp.Diff(want, page.Hits); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for query, want := range map[string]string{"please": "u-r1", "look at": "tI look at it.", "maybe": "x", "budget": ""} {
		hits := whole(t, db, SearchQuery{Terms: ParseTerms(query)}).Hits
		if len(hits) != 1 || hits[0].ItemID != want {
			t.Errorf("%s is found in %+v, want item %q", query, hits, want)
		}
	}
}

func TestACallIsFoundByTheStateItIsIn(t *testing.T) {
	db := open(t)
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("go")
	s.call("c1", "shell", `{"command":"deploy"}`)
	for _, state := range []protocol.State{protocol.StateWaiting, protocol.StateApproved, protocol.StateRunning} {
		s.tell(&protocol.CallState{ToolCallID: "c1", State: state})
		want := []string{"r1/5 arguments c1 shell " + string(state)}
		if diff := cmp.Diff(want, brief(whole(t, db, SearchQuery{State: state, Terms: ParseTerms("deploy")}).Hits)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", state, diff)
		}
	}
	s.tell(&protocol.ToolUpdate{ToolCallID: "c1", ArgumentsText: new(string)})
	edited := `{"command":"deploy --dry"}`
	s.tell(&protocol.ToolUpdate{ToolCallID: "c1", ArgumentsText: &edited})
	s.result("c1", `{"deployed":true}`)
	s.finish()
	want := []string{"r1/12 result c1 shell done", "r1/11 arguments c1 shell done", "r1/5 arguments c1 shell done"}
	if diff := cmp.Diff(want, brief(whole(t, db, SearchQuery{State: protocol.StateDone, Terms: ParseTerms("deploy")}).Hits)); diff != "" {
		t.Errorf("at the end (-want +got)\n%s", diff)
	}
	if got := whole(t, db, SearchQuery{State: protocol.StateRunning}).Hits; len(got) > 0 {
		t.Errorf("it is still found running: %v", brief(got))
	}
}

func TestPagesOfASearchFollowEachOther(t *testing.T) {
	db := open(t)
	var want []string
	for i := range 5 {
		// The fourth is the oldest by its time, whatever came first; two of the runs have one moment.
		s := newStory(t, db, fmt.Sprint("t", i), fmt.Sprint("r", i), []int64{400, 300, 300, 100, 200}[i])
		for range 20 {
			s.run.UpdatedAtMs = s.run.CreatedAtMs // all in one moment
			s.say("same")
		}
	}
	for _, run := range []string{"r0", "r2", "r1", "r4", "r3"} {
		for i := range 20 {
			want = append(want, fmt.Sprintf("%s/%d text", run, 80-4*i))
		}
	}
	indexed(t, db)
	var got []string
	q := SearchQuery{Terms: ParseTerms("SAME"), Limit: 7}
	for pages := 0; ; pages++ {
		page := whole(t, db, q)
		got = append(got, brief(page.Hits)...)
		if q.Before = page.Before; q.Before == 0 || pages > 100 {
			break
		}
	}
	// What of one moment was in the index first is its older part: runs of one moment come in either order.
	slices.Sort(got[20:60])
	slices.Sort(want[20:60])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOfALongTextTheBeginningIsSearched(t *testing.T) {
	db := open(t)
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("go")
	s.call("c1", "shell", "{}")
	s.running("c1")
	filler := strings.Repeat("a line of an endless log\n", 40_000)
	text, err := json.Marshal("early bird\n" + filler[:SearchLimit-100] + " lastword " + filler + "latecomer")
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 1_000_000 {
		t.Fatalf("the result has only %d bytes", len(text))
	}
	s.result("c1", string(text))
	s.finish()
	for query, want := range map[string]int{`"early bird"`: 1, "endless": 1, "latecomer": 0} {
		if got := whole(t, db, SearchQuery{Terms: ParseTerms(query)}).Hits; len(got) != want {
			t.Errorf("%s: %d hits, want %d", query, len(got), want)
		}
	}
}

func TestWhatIsMaskedIsNotFound(t *testing.T) {
	db := open(t)
	tellAll(t, db)
	mask := func(text string, _ bool) string { return strings.ReplaceAll(text, "8080", "[x]") }
	if got := whole(t, db, SearchQuery{Terms: ParseTerms("8080"), Mask: mask}).Hits; len(got) > 0 {
		t.Errorf("found %q", got[0].Snippet)
	}
	got := whole(t, db, SearchQuery{Terms: ParseTerms("func"), Mask: mask}).Hits
	if len(got) != 1 || got[0].Snippet != "func parseSize() { return [x] }" {
		t.Errorf("got %+v", got)
	}
}

func TestADeletedThreadLeavesNothingInTheIndex(t *testing.T) {
	db := open(t)
	tellAll(t, db)
	other := newStory(t, db, "t2", "r2", 5000)
	other.start("please stay")
	other.finish()
	indexed(t, db)
	if err := db.DeleteThread(t.Context(), "t1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"r2/2 message"}, brief(whole(t, db, SearchQuery{Terms: ParseTerms("p")}).Hits)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for table, want := range map[string]int64{"search_entries": 1, "search_calls": 0, "search_marks": 1, "search_grams_docsize": 1} {
		if got := count(t, db, "select count(*) from "+table); got != want {
			t.Errorf("%s has %d rows, want %d", table, got, want)
		}
	}
	// The n of a row may be given again: a run in its place is another.
	again := newStory(t, db, "t3", "r3", 6000)
	again.start("please come")
	again.finish()
	if diff := cmp.Diff([]string{"r3/2 message", "r2/2 message"}, brief(whole(t, db, SearchQuery{Terms: ParseTerms("please")}).Hits)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkWhole(t, db)
}

func TestAForkIsFoundToo(t *testing.T) {
	db := open(t)
	tellAll(t, db)
	indexed(t, db)
	second := newStory(t, db, "t1", "r2", 5000)
	second.tell(&protocol.Start{MessageID: "m", ThreadID: "t1", RunID: "r2"})
	user := &model.Message{ID: "u1", Role: model.RoleUser, RunID: "r1", Content: "first"}
	later := &model.Message{ID: "u2", Role: model.RoleUser, RunID: "r2", Content: "second"}
	for _, m := range []*model.Message{user, later} {
		if err := db.Append(t.Context(), &agent.Batch{Run: agent.Run{ThreadID: "t1"}, Messages: []*model.Message{m}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.ForkThread(t.Context(), Fork{ThreadID: "t1", MessageID: "u2", NewID: "t9"}); err != nil {
		t.Fatal(err)
	}
	var threads []string
	for _, h := range whole(t, db, SearchQuery{Terms: ParseTerms("parse_size")}).Hits {
		threads = append(threads, h.ThreadID)
	}
	slices.Sort(threads)
	if diff := cmp.Diff([]string{"t1", "t9"}, threads); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAnOlderDatabaseIsIndexedAfterItIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	db := openAt(t, path)
	tellAll(t, db)
	want := brief(whole(t, db, SearchQuery{Terms: ParseTerms("i")}).Hits)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	drop := []string{
		"drop index messages_of_no_run", "drop table search_marks", "drop table search_calls", "drop table search_entries", "drop table search_grams",
		"drop table search_names", "alter table message_calls drop column extra",
	}
	known, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	for name, made := range map[string][]string{
		"without an index":      append(drop, "pragma user_version = 6"),
		"with the first index":  append(drop, known[6], "insert into search_names values ('tool', 'gone')", "pragma user_version = 7"),
		"with one just emptied": {"delete from search_entries", "delete from search_marks"},
	} {
		execute(t, path, made...)
		db = openAt(t, path)
		if got := brief(whole(t, db, SearchQuery{Terms: ParseTerms("i")}).Hits); len(got) < 5 || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		tools, _, err := db.SearchNames(t.Context())
		if err != nil || len(tools) != 3 {
			t.Errorf("%s: the tools are %v, %v", name, tools, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheIndexGoesOnWhereItWasStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "callboard.db")
	db := openAt(t, path)
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("go")
	s.call("c0", "shell", `{"command":"first"}`)
	s.running("c0")
	s.result("c0", `"one"`)
	s.call("c1", "shell", `{"command":"deploy"}`)
	s.tell(&protocol.CallState{ToolCallID: "c1", State: protocol.StateWaiting}, &protocol.TextStart{ID: "t"}, &protocol.TextDelta{ID: "t", Delta: "half "})
	indexed(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path)
	s.db = db
	s.tell(&protocol.TextDelta{ID: "t", Delta: "and half"}, &protocol.TextEnd{ID: "t"})
	s.running("c1")
	s.result("c1", `"two"`)
	s.finish()
	for query, want := range map[string][]string{
		`"half and half"`: {"r1/17 text"}, "deploy": {"r1/11 arguments c1 shell done"}, "first": {"r1/5 arguments c0 shell done"},
		"two": {"r1/19 result c1 shell done"},
	} {
		if diff := cmp.Diff(want, brief(whole(t, db, SearchQuery{Terms: ParseTerms(query)}).Hits)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", query, diff)
		}
	}
	if diff := cmp.Diff([]string{"r1/19 result c1 shell done", "r1/11 arguments c1 shell done", "r1/8 result c0 shell done", "r1/5 arguments c0 shell done"},
		brief(whole(t, db, SearchQuery{State: protocol.StateDone}).Hits)); diff != "" {
		t.Errorf("done (-want +got)\n%s", diff)
	}
	if got := whole(t, db, SearchQuery{State: protocol.StateWaiting}).Hits; len(got) > 0 {
		t.Errorf("still waiting: %v", brief(got))
	}
}
