package studio

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// search asks until all is in the index.
func (b *bench) search(query url.Values) searchView {
	b.Helper()
	var page searchView
	b.until("all is in the index", func() bool {
		page = fetch[searchView](b, http.MethodGet, "/api/studio/search?"+query.Encode(), "", http.StatusOK)
		return page.Behind == 0
	})
	return page
}

func TestASearchFindsWhatWasSaidAndDoneInAllThreads(t *testing.T) {
	const key = "sk-test-abcdefgh12345678"
	script := writeFile(t, `{"turns": [
		{"chunks": [{"reasoning": "I wonder."}, {"text": "I look at it, the key is `+key+`."},
			{"toolCalls": [{"id": "c1", "name": "read_file", "arguments": "{\"path\":\"notes.txt\"}"}, {"id": "c2", "name": "read_file", "arguments": "{\"path\":\"gone.txt\"}"}]}]},
		{"chunks": [{"text": "Done with everything."}]}
	]}`, t.TempDir(), "script.json")
	folder := t.TempDir()
	writeFile(t, "needle in the haystack\nsecond line", folder, "notes.txt")
	b := openBench(t, Config{Script: script, Key: key})
	thread := b.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": folder}))
	run := b.send(thread.ID, workspaceAgent, "Please read the notes")
	b.settled(run)

	page := b.search(url.Values{"q": {"NEEDLE haystack"}})
	if len(page.Hits) != 1 {
		t.Fatalf("%d hits, want 1: %+v", len(page.Hits), page.Hits)
	}
	got := page.Hits[0]
	if got.Seq == 0 || got.At == 0 || !strings.Contains(got.Snippet, "needle in the haystack second line") || len(got.Marks) != 2 {
		t.Errorf("the hit is %+v", got)
	}
	got.Seq, got.At, got.Snippet, got.Marks = 0, 0, "", nil
	want := hitView{
		ThreadID: thread.ID, ThreadTitle: "Please read the notes", RunID: run, Kind: "result", AgentName: workspaceAgent, ToolCallID: "c1",
		Tool: "read_file", Label: "Read file", State: "done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the hit (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"read_file"}, {workspaceAgent}}, [][]string{page.Tools, page.Agents}); diff != "" {
		t.Errorf("what it can be narrowed to (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"read_file": "Read file"}, page.Labels); diff != "" {
		t.Errorf("what calls are called (-want +got):\n%s", diff)
	}
	for query, want := range map[string]int{
		"q=gone.txt&state=failed": 2, "q=gone.txt&state=done": 0, "tool=read_file&kind=arguments": 2, "q=read&agent=demo": 0, "q=please&kind=message": 1,
		"q=wonder&from=1": 1, "q=wonder&to=1": 0, "q=" + key: 0, "q=the+key+is": 1, "": 0, "q=%22*AND%22+NOT": 0,
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		page := b.search(values)
		if len(page.Hits) != want {
			t.Errorf("%s: %d hits, want %d: %+v", query, len(page.Hits), want, page.Hits)
		}
		for _, hit := range page.Hits {
			if strings.Contains(hit.Snippet, key) {
				t.Errorf("%s shows the key: %s", query, hit.Snippet)
			}
		}
	}
	b.call(http.MethodDelete, "/api/threads/"+thread.ID, "", http.StatusNoContent)
	if page := b.search(url.Values{"q": {"needle"}}); len(page.Hits) > 0 {
		t.Errorf("a deleted thread is found: %+v", page.Hits)
	}
}

func TestASearchThatDoesNotFitIsRefused(t *testing.T) {
	b := openBench(t, Config{})
	for query, says := range map[string]string{
		"kind=noise":                     `\"noise\" is none of message, text`,
		"state=gone":                     `\"gone\" is none of proposed`,
		"from=yesterday":                 `\"yesterday\" is no whole number`,
		"to=-1":                          `\"-1\" is no whole number`,
		"before=x":                       "before:",
		"from=5&to=4":                    "later than to",
		"q=" + strings.Repeat("a", 1001): "more than the 1000",
	} {
		if got := b.call(http.MethodGet, "/api/studio/search?"+query, "", http.StatusBadRequest); !strings.Contains(got, says) {
			t.Errorf("%s is answered %s, want %q in it", query, got, says)
		}
	}
}
