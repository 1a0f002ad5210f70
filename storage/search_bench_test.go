package storage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

// searchBudget is what the first hits may take at the 95th percentile, among a million events.
const searchBudget = 100 * time.Millisecond

// BenchmarkSearch_of_1M_events asks for the first page of common and rare words, parts of words, phrases and what is not there, without
// filters and with each, in a database with 1,000,000 events in 200 threads.
func BenchmarkSearch_of_1M_events(b *testing.B) {
	db := open(b)
	l := newLibrary()
	began := time.Now()
	l.fill(b, db, 1_000_000)
	filled := time.Since(began)
	indexed(b, db)
	b.ReportMetric((time.Since(began) - filled).Seconds(), "s-to-index")
	queries := l.queries()
	var took []time.Duration
	for b.Loop() {
		for _, q := range queries {
			asked := time.Now()
			page, err := db.Search(b.Context(), q)
			took = append(took, time.Since(asked))
			if err != nil {
				b.Fatal(err)
			}
			if testing.Verbose() {
				b.Logf("%v %+v: %d hits", took[len(took)-1], q, len(page.Hits))
			}
		}
	}
	slices.Sort(took)
	p95 := took[len(took)*95/100]
	b.ReportMetric(float64(p95.Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(p95)/float64(searchBudget), "of-budget")
}

// library makes texts as agents and their tools write them: words of very different frequency, identifiers, paths, numbers. It makes
// the same ones each time.
type library struct {
	random *rand.Rand
	words  []string // the common ones first
	often  *rand.Zipf
}

func newLibrary() *library {
	l := &library{random: rand.New(rand.NewPCG(1, 2))} //nolint:gosec // it is to be the same each time
	syllables := strings.Fields(`er ror con fig ser ver path test run time out get set han dle ma in go js on re qu est read file write data
		base key val ue str ing int bool to do un de al ti tion list map open close`)
	for range 20_000 {
		word := ""
		for range 2 + l.random.IntN(3) {
			word += syllables[l.random.IntN(len(syllables))]
		}
		l.words = append(l.words, word)
	}
	copy(l.words, strings.Fields("the error to file in return of config timeout a test server and function is request path not for if"))
	l.often = rand.NewZipf(l.random, 1.1, 4, uint64(len(l.words)-1))
	return l
}

func (l *library) word() string { return l.words[l.often.Uint64()] }

func (l *library) prose(words int) string {
	var out strings.Builder
	for range words {
		out.WriteString(l.word())
		out.WriteByte(' ')
	}
	return out.String()
}

func (l *library) path() string {
	return fmt.Sprintf("src/%s/%s_%s.go", l.word(), l.word(), l.word())
}

func (l *library) output() string {
	var out strings.Builder
	for range 1 + l.random.IntN(12) {
		fmt.Fprintf(&out, "%s:%d: %s(%s) %s\n", l.path(), l.random.IntN(900), l.word(), l.word(), l.prose(4))
	}
	return out.String()
}

var searchTools = []string{"read_file", "edit_file", "shell", "search", "list_files", "fetch_page", "add_note"}

// fill appends about so many events, in runs of about 1,000.
func (l *library) fill(b *testing.B, db *DB, events int64) {
	var all int64
	for run := 0; all < events; run++ {
		s := newStory(b, db, fmt.Sprintf("thread-%d", run%200), fmt.Sprintf("run-%d", run), 1_700_000_000_000+int64(run)*600_000)
		if run%10 == 0 {
			s.run.AgentName = "reviewer"
		}
		batch := []protocol.Event{
			&protocol.Start{MessageID: "m", ThreadID: s.run.ThreadID, RunID: s.run.ID, AgentName: s.run.AgentName},
			&protocol.Message{MessageID: "u", Role: model.RoleUser, Content: l.prose(20)},
		}
		for turn := 1; len(batch) < 1000; turn++ {
			batch = l.turn(batch, turn)
		}
		s.tell(append(batch, &protocol.Finish{MessageID: "m", ThreadID: s.run.ThreadID, Status: protocol.StatusCompleted})...)
		all += s.run.Last
	}
}

// turn appends an answer in pieces and two calls.
func (l *library) turn(batch []protocol.Event, turn int) []protocol.Event {
	id := fmt.Sprintf("t%d", turn)
	batch = append(batch, &protocol.Turn{Turn: turn, Phase: protocol.TurnStart}, &protocol.TextStart{ID: id})
	for range 6 {
		batch = append(batch, &protocol.TextDelta{ID: id, Delta: l.prose(5)})
	}
	batch = append(batch, &protocol.TextEnd{ID: id})
	for k := range 2 {
		call := fmt.Sprintf("c%d-%d", turn, k)
		name := searchTools[l.random.IntN(len(searchTools))]
		if l.random.IntN(1000) == 0 {
			name = "deploy" // a rare one
		}
		batch = append(batch, &protocol.ToolCallStart{ID: call, ToolName: name},
			&protocol.ToolCallDelta{ID: call, ArgsTextDelta: fmt.Sprintf(`{"path":%q,`, l.path())},
			&protocol.ToolCallDelta{ID: call, ArgsTextDelta: fmt.Sprintf(`"text":%q}`, l.prose(12))}, &protocol.ToolCallEnd{ID: call},
			&protocol.CallState{ToolCallID: call, State: protocol.StateRunning})
		if l.random.IntN(4) == 0 {
			batch = append(batch, &protocol.ToolUpdate{ToolCallID: call, Content: json.RawMessage(fmt.Sprintf("%q", l.prose(6)))})
		}
		end := &protocol.ToolResult{ID: "e" + call, ToolCallID: call, Result: json.RawMessage(fmt.Sprintf("%q", l.output()))}
		if l.random.IntN(3) == 0 {
			end.Details = json.RawMessage(fmt.Sprintf(`{"diff":%q}`, "--- a/"+l.path()+"\n@@ -1,9 +1,9 @@\n "+strings.ReplaceAll(l.output(), "\n", "\n+")))
		}
		if l.random.IntN(20) == 0 {
			end.Result, end.Error = json.RawMessage("null"), "exit status 1: "+l.prose(6)
		}
		batch = append(batch, end)
	}
	return append(batch, &protocol.Turn{Turn: turn, Phase: protocol.TurnEnd})
}

// queries are all ways to search, each alone and with each filter.
func (l *library) queries() []SearchQuery {
	var all []SearchQuery
	rare, rarer := l.words[5000], l.words[19_000]
	middle := int64(1_700_000_000_000 + 500*600_000)
	for _, text := range []string{
		"error", "the", "in", "x", "timeout config", rare, rarer, rare + " " + rarer, rarer[:5], "erro", "handleserver", `"the error"`, `"file in return"`,
		"src/config/", "_test.go", "exit status 1", "(timeout)", "nowheretobefound", "zq", "a b c d e f g", `"` + l.words[7] + ` ` + l.words[9] + `"`,
	} {
		for _, q := range []SearchQuery{
			{},
			{ToolName: "shell"},
			{ToolName: "deploy"},
			{State: protocol.StateFailed},
			{State: protocol.StateDropped},
			{AgentName: "reviewer"},
			{Kind: KindMessage},
			{ToMs: middle},
			{FromMs: middle, ToMs: middle + 3_600_000},
			{ToolName: "deploy", State: protocol.StateFailed, ToMs: middle},
		} {
			q.Terms = ParseTerms(text)
			all = append(all, q)
		}
	}
	return all
}
