package storage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func TestASearchTakesAnyQueryAsPlainText(t *testing.T) {
	db := open(t)
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("100% of C:\\temp\\*.log, it's 'quoted' -- not \"phrased\"; select * from t where a like '%b_c%'")
	s.say("検索は日本語でも動く。東京都と京都は違う")
	s.say("Die Straße über Ärger, naïve café, Ångström and ﬁne Ελλάδα Привет")
	s.say("emoji 👩‍💻 stand 🇩🇪 here")
	long := strings.Repeat("abc defg ", 5000)
	s.say(long)
	s.finish()
	for query, want := range map[string][]string{
		"%":                        {"r1/2 message"},
		"100%":                     {"r1/2 message"},
		"%b_c%":                    {"r1/2 message"},
		"*":                        {"r1/2 message"},
		"*.log":                    {"r1/2 message"},
		"--":                       {"r1/2 message"},
		"-not":                     {},
		`C:\temp\`:                 {"r1/2 message"},
		`"`:                        {"r1/2 message"},
		`""`:                       {},
		`"phrased"`:                {"r1/2 message"},
		`"not phrased"`:            {},
		`'quoted' -- not`:          {"r1/2 message"},
		"select * from t;":         {},
		"日本語":                      {"r1/6 text"},
		"日":                        {"r1/6 text"},
		"京都":                       {"r1/6 text"},
		"京都 東京":                    {"r1/6 text"},
		"北京":                       {},
		"動く。東":                     {"r1/6 text"},
		"strasse":                  {},
		"STRAẞE":                   {"r1/10 text"},
		"uber arger":               {"r1/10 text"},
		"Über ÄRGER":               {"r1/10 text"},
		"naive CAFÉ angstrom":      {"r1/10 text"},
		"ελλαδα":                   {"r1/10 text"},
		"ПРИВЕТ":                   {"r1/10 text"},
		"👩‍💻":                      {"r1/14 text"},
		"🇩🇪":                       {"r1/14 text"},
		"defg abc":                 {"r1/18 text"},
		"efg":                      {"r1/18 text"},
		strings.Repeat("abc ", 99): {"r1/18 text"},
		long[:999]:                 {"r1/18 text"},
		`"` + long[:900] + `"`:     {"r1/18 text"},
		`"` + long[:900] + ` abd"`: {},
	} {
		if diff := cmp.Diff(want, brief(whole(t, db, SearchQuery{Terms: ParseTerms(query)}).Hits)); diff != "" {
			t.Errorf("%q finds (-want +got)\n%s", query, diff)
		}
	}
}

func TestTheDetailsOfACallAreFoundWithWhatCameOfIt(t *testing.T) {
	db := open(t)
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("go")
	end := func(id, result, details, err string) {
		s.call(id, "tool_"+id, "{}")
		s.running(id)
		s.tell(&protocol.ToolResult{ID: "e" + id, ToolCallID: id, Result: json.RawMessage(result), Details: json.RawMessage(details), Error: err})
	}
	end("c1", `"shared word"`, `{"diff":"--- a/x\n+++ b/x\n-port 8080\n+port 9090","left":{"nested":"apricot"}}`, "")
	end("c2", "null", `{"terminal":"compil\u001b[31ming\u001b[0m parser.c"}`, "exit status 2")
	end("c3", `"ok"`, `{"table":{"columns":["Town","Sky"],"rows":[["Bergen","rain\tand wind"],[1.50,null]]}}`, "")
	end("c4", `"ok"`, `[{"image":{"src":"data:image/png;base64,QUJDQUJD","alt":"a kingfisher"}},{"file":{"path":"docs/guide.md"}},"loose"]`, "")
	end("c5", `"ok"`, fmt.Sprintf(`{"text":%q}`, "early "+strings.Repeat("line of a log ", 10_000)+"late"), "")
	end("c6", `"ok"`, `{"code":{"text":"func shared() {}","lang":"go"},"text":5}`, "")
	s.finish()
	for query, want := range map[string][]string{
		`"port 9090"`:        {"r1/8 result c1 tool_c1 done"},
		"shared":             {"r1/38 result c6 tool_c6 done", "r1/8 result c1 tool_c1 done"},
		"shared apricot":     {"r1/8 result c1 tool_c1 done"},
		"left nested":        {"r1/8 result c1 tool_c1 done"},
		"diff":               {},
		"compiling":          {"r1/14 error c2 tool_c2 failed"},
		"status parser":      {"r1/14 error c2 tool_c2 failed"},
		"town bergen":        {"r1/20 result c3 tool_c3 done"},
		`"rain and wind"`:    {"r1/20 result c3 tool_c3 done"},
		"1.50":               {"r1/20 result c3 tool_c3 done"},
		"kingfisher":         {"r1/26 result c4 tool_c4 done"},
		"QUJDQUJD":           {},
		"guide.md":           {"r1/26 result c4 tool_c4 done"},
		"loose":              {"r1/26 result c4 tool_c4 done"},
		"early line":         {"r1/32 result c5 tool_c5 done"},
		"late":               {},
		`"shared word port"`: {},
	} {
		if diff := cmp.Diff(want, brief(whole(t, db, SearchQuery{Terms: ParseTerms(query)}).Hits)); diff != "" {
			t.Errorf("%q finds (-want +got)\n%s", query, diff)
		}
	}
	mask := func(text string, isJSON bool) string {
		if isJSON && !json.Valid([]byte(text)) && len(text) < SearchLimit {
			t.Errorf("%q is no JSON", text)
		}
		return strings.ReplaceAll(text, "9090", "[x]")
	}
	if got := whole(t, db, SearchQuery{Terms: ParseTerms("9090"), Mask: mask}).Hits; len(got) > 0 {
		t.Errorf("what is masked is found: %q", got[0].Snippet)
	}
	got := whole(t, db, SearchQuery{Terms: ParseTerms("8080"), Mask: mask}).Hits
	if len(got) != 1 || !strings.Contains(got[0].Snippet, "-port 8080 +port [x]") {
		t.Errorf("got %+v", got)
	}
}

func TestWhatARowShowsBesideItsLabelIsFoundWithWhatCameOfIt(t *testing.T) {
	db := open(t)
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("go")
	s.call("c1", "count", "{}")
	s.running("c1")
	shown := &tool.Presentation{Label: "Count", Detail: "Orders of Bergen", Summary: "5,000 found"}
	s.tell(&protocol.ToolResult{ID: "e1", ToolCallID: "c1", Result: json.RawMessage(`5000`), Presentation: shown})
	s.finish()
	for query, want := range map[string][]string{
		`"orders of bergen"`: {"r1/8 result c1 count done"}, `"5,000 found"`: {"r1/8 result c1 count done"}, "count": {},
	} {
		if diff := cmp.Diff(want, brief(whole(t, db, SearchQuery{Terms: ParseTerms(query)}).Hits)); diff != "" {
			t.Errorf("%q finds (-want +got)\n%s", query, diff)
		}
	}
	mask := func(text string, _ bool) string { return strings.ReplaceAll(text, "Bergen", "[x]") }
	if got := whole(t, db, SearchQuery{Terms: ParseTerms("bergen"), Mask: mask}).Hits; len(got) > 0 {
		t.Errorf("what is masked is found: %q", got[0].Snippet)
	}
}

func TestTheLastProgressOfACallIsFoundUnlessItsResultSaysTheSame(t *testing.T) {
	db := open(t)
	s := newStory(t, db, "t1", "r1", 1000)
	s.start("go")
	told := func(id string, contents ...string) {
		s.call(id, "build", "{}")
		s.running(id)
		for _, content := range contents {
			s.tell(&protocol.ToolUpdate{ToolCallID: id, Content: json.RawMessage(content)})
		}
	}
	told("c1", `"compiling alpha"`, `"linking omega"`) // 8, 9
	s.tell(&protocol.ToolUpdate{ToolCallID: "c1", Details: json.RawMessage(`{"progress":{"done":1}}`)})
	indexed(t, db)
	if got := whole(t, db, SearchQuery{Terms: ParseTerms("linking")}).Hits; len(got) > 0 {
		t.Errorf("it is found while the call runs: %v", brief(got))
	}
	s.result("c1", `"built"`)
	told("c2", `"one\ntwo"`)
	s.result("c2", `"zero\none\ntwo\nthree"`)
	told("c3", `{"step":"upload","of":"mango"}`)
	s.tell(&protocol.ToolResult{ID: "ec3", ToolCallID: "c3", Result: json.RawMessage("null"), Error: "the line is dead", ErrorCode: "X"})
	told("c4", `"never finished"`)
	s.tell(&protocol.ToolResult{ID: "ec4", ToolCallID: "c4", Dropped: true, Reason: protocol.Discarded})
	s.finish()
	for query, want := range map[string][]string{
		"linking": {"r1/9 progress c1 build done"}, "alpha": {}, "built": {"r1/11 result c1 build done"},
		"two": {"r1/18 result c2 build done"}, "mango": {"r1/24 progress c3 build failed"}, "never": {},
	} {
		if diff := cmp.Diff(want, brief(whole(t, db, SearchQuery{Terms: ParseTerms(query)}).Hits)); diff != "" {
			t.Errorf("%q finds (-want +got)\n%s", query, diff)
		}
	}
	got := whole(t, db, SearchQuery{Kind: KindProgress}).Hits
	if diff := cmp.Diff([]string{"r1/24 progress c3 build failed", "r1/9 progress c1 build done"}, brief(got)); diff != "" {
		t.Errorf("by kind (-want +got)\n%s", diff)
	}
}

// post adds messages that no run has, as POST /threads/{id}/messages does.
func post(t *testing.T, db *DB, thread string, messages ...*model.Message) {
	t.Helper()
	if err := db.Append(t.Context(), &agent.Batch{Run: agent.Run{ThreadID: thread}, Messages: messages}); err != nil {
		t.Fatal(err)
	}
}

func TestMessagesThatNoRunHasAreFound(t *testing.T) {
	db := open(t)
	tellAll(t, db)
	post(t, db, "t1", &model.Message{ID: "m1", Role: model.RoleUser, Content: "please mind the Größe", AtMs: 900},
		&model.Message{ID: "m2", Role: model.RoleAssistant, Content: "minded it, " + strings.Repeat("long ", 20_000) + "late", AtMs: 3000})
	post(t, db, "t2", &model.Message{ID: "m1", Role: model.RoleUser, Content: "please answer", AtMs: 4000})
	find := func(query string) []string {
		t.Helper()
		found := []string{}
		for _, h := range whole(t, db, SearchQuery{Terms: ParseTerms(query)}).Hits {
			found = append(found, fmt.Sprintf("%s/%s/%s/%s %d", h.ThreadID, h.RunID, h.ItemID, h.Kind, h.AtMs))
		}
		return found
	}
	for query, want := range map[string][]string{
		"please": {"t2//m1/message 4000", "t1/r1/u-r1/message 1002", "t1//m1/message 900"}, "grosse": {}, "GRÖẞE mind": {"t1//m1/message 900"},
		"minded": {"t1//m2/text 3000"}, "late": {},
	} {
		if diff := cmp.Diff(want, find(query)); diff != "" {
			t.Errorf("%q finds (-want +got)\n%s", query, diff)
		}
	}
	for name, c := range map[string]struct {
		q    SearchQuery
		want int
	}{
		"by kind":  {SearchQuery{Kind: KindMessage, Terms: ParseTerms("please")}, 3},
		"by agent": {SearchQuery{AgentName: "demo", Terms: ParseTerms("please")}, 1},
		"by time":  {SearchQuery{FromMs: 3500, Terms: ParseTerms("please")}, 1},
	} {
		if got := whole(t, db, c.q).Hits; len(got) != c.want {
			t.Errorf("%s: %v, want %d", name, brief(got), c.want)
		}
	}
	added, err := db.AddedMessages(t.Context(), "t1")
	if err != nil || len(added) != 2 || added[0].ID != "m1" || added[1].Role != model.RoleAssistant || added[0].AtMs != 900 {
		t.Errorf("added: got %+v, %v", added, err)
	}
	if added, err := db.AddedMessages(t.Context(), "nowhere"); err != nil || len(added) > 0 {
		t.Errorf("added to no thread: got %+v, %v", added, err)
	}
	if err := db.ForkThread(t.Context(), Fork{ThreadID: "t2", MessageID: "m1", NewID: "t3"}); err != nil {
		t.Fatal(err)
	}
	post(t, db, "t2", &model.Message{ID: "m9", Role: model.RoleUser, Content: "and again", AtMs: 5000})
	if err := db.ForkThread(t.Context(), Fork{ThreadID: "t2", MessageID: "m9", NewID: "t4"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t2//m1/message 4000", "t4//m1/message 4000"}, slices.Sorted(slices.Values(find("please answer")))); diff != "" {
		t.Errorf("with a fork (-want +got)\n%s", diff)
	}
	if err := db.DeleteThread(t.Context(), "t2"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t4//m1/message 4000"}, find("please answer")); diff != "" {
		t.Errorf("after its thread was deleted (-want +got)\n%s", diff)
	}
	checkWhole(t, db)
}
