package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/redact"
	"callboard/backend/tool"
)

// withLarge adds a tool whose results and progress are large, but for their last words.
func withLarge(s *Server) {
	s.Agents[0].Tools = append(s.Agents[0].Tools, tool.Must(tool.Config[echoed, tool.Output[string]]{
		Name: "large", Description: "Says much",
		Run: func(c tool.Context, in echoed) (tool.Output[string], error) {
			c.Update(tool.Update{Content: strings.Repeat("so far ", 20_000)})
			return tool.Output[string]{
				Content: strings.Repeat("much\n", 20_000) + "the Needle \"é\" 🙂", Details: tool.Image{Src: "data:image/png;base64," + strings.Repeat("needle", 20_000)},
			}, nil
		},
	}))
}

func largeRun(t *testing.T) (*world, string) {
	t.Helper()
	w := start(t, withLarge, scripted.CallTools(
		model.ToolCall{ID: "c1", Name: "large", Arguments: `{"n":1}`}, model.ToolCall{ID: "c2", Name: "echo", Arguments: `{"n":2}`},
	), scripted.Say("done"))
	outcome, err := w.runner.Start(t.Context(), "demo", agent.Input{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := outcome.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w, outcome.RunID
}

func (w *world) events(path string) (answer string, refs map[string]*protocol.Ref) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	response, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	var page struct{ Events []json.RawMessage }
	if err := json.Unmarshal(body, &page); err != nil {
		w.t.Fatal(err)
	}
	refs = map[string]*protocol.Ref{}
	for i, text := range page.Events {
		f, err := protocol.DecodeFrame(int64(i+1), text)
		if err != nil {
			w.t.Fatal(err)
		}
		switch e := f.Event.(type) {
		case *protocol.ToolResult:
			refs[e.ToolCallID+" result"], refs[e.ToolCallID+" details"] = e.ResultRef, e.DetailsRef
		case *protocol.ToolUpdate:
			refs[e.ToolCallID+" content"] = e.ContentRef
		}
	}
	return string(body), refs
}

func TestLargeValuesAreReferredToWhereThatIsAsked(t *testing.T) {
	w, runID := largeRun(t)
	whole, _ := w.events("/runs/" + runID + "/events")
	if len(whole) < 300_000 || strings.Contains(whole, "Ref\"") {
		t.Errorf("a client that does not ask gets %d bytes, with references: %v", len(whole), strings.Contains(whole, "Ref\""))
	}
	short, refs := w.events("/runs/" + runID + "/events?refs=1")
	if len(short) > 6000 {
		t.Errorf("a client that asks for references gets %d bytes", len(short))
	}
	if refs["c2 result"] != nil || !strings.Contains(short, `"result":{"n":2}`) {
		t.Error("a small result does not travel")
	}
	for name, start := range map[string]string{"c1 result": `"much\nmuch\n`, "c1 details": `{"image":{"src":"data:`, "c1 content": `"so far so far `} {
		ref := refs[name]
		if ref == nil {
			t.Errorf("%s is not referred to", name)
			continue
		}
		status, body := w.request("GET", "/blobs/"+ref.Hash, "")
		sum := sha256.Sum256([]byte(body))
		if status != 200 || int64(len(body)) != ref.Bytes || hex.EncodeToString(sum[:]) != ref.Hash || !strings.HasPrefix(body, ref.Head) || !strings.HasPrefix(ref.Head, start) {
			t.Errorf("%s refers to %+v; its blob is answered with %d and has %d bytes", name, ref, status, len(body))
		}
		if !strings.Contains(whole, body) {
			t.Errorf("%s is not what the whole log has", name)
		}
	}
}

func TestLargeValuesAreSearched(t *testing.T) {
	w, runID := largeRun(t)
	_, refs := w.events("/runs/" + runID + "/events?refs=1")
	for text, want := range map[string]string{
		"NEEDLE": refs["c1 result"].Hash, "much%0AThe": refs["c1 result"].Hash, "needle+%22%C3%89%22+%F0%9F%99%82": refs["c1 result"].Hash,
		"So+far+so": refs["c1 content"].Hash, "n%22%3A2": "", "nowhere": "",
	} {
		status, answer := w.request("GET", "/runs/"+runID+"/find?text="+text, "")
		list := `{"hashes":[]}`
		if want != "" {
			list = `{"hashes":["` + want + `"]}`
		}
		if status != 200 || strings.TrimSpace(answer) != list {
			t.Errorf("%s: got %d %s, want %s", text, status, answer, list)
		}
	}
	for path, want := range map[string]int{"/runs/" + runID + "/find": 400, "/runs/nope/find?text=a": 404} {
		if status, answer := w.request("GET", path, ""); status != want {
			t.Errorf("%s: got %d %s, want %d", path, status, answer, want)
		}
	}
}

func TestNothingHiddenIsReferredToOrFound(t *testing.T) {
	w, runID := largeRun(t)
	w.server.Redact = &redact.Policy{Secrets: func() []string { return []string{"much", "Needle"} }}
	short, refs := w.events("/runs/" + runID + "/events?refs=1")
	if refs["c1 result"] == nil || refs["c1 result"].Head != "" || strings.Contains(short, "much") {
		t.Errorf("an operator gets the reference %+v", refs["c1 result"])
	}
	if _, answer := w.request("GET", "/runs/"+runID+"/find?text=needle", ""); strings.TrimSpace(answer) != `{"hashes":[]}` {
		t.Errorf("what is hidden is found: %s", answer)
	}
	if status, answer := w.request("GET", "/runs/"+runID+"/find?text=so&view=user", ""); status != 403 {
		t.Errorf("a user may search: %d %s", status, answer)
	}
	if whole, refs := w.events("/runs/" + runID + "/events?refs=1&view=user"); strings.Contains(whole, `Ref":`) {
		t.Errorf("a user, who may fetch no blob, gets references: %v", refs)
	}
}

func TestEscapesAreSearchedAsTheyAreDrawn(t *testing.T) {
	for text, want := range map[string]string{
		`a\nb\tc`: "a\nb\tc", `\"\\\/`: `"\/`, `\u00e9\ud83d\ude42\ud83d`: "é🙂\uFFFD", `\ud83d\n`: "\uFFFD\n", `end\`: `end\`, `\u12`: "u12",
	} {
		if got := string(drawn([]byte(text))); got != want {
			t.Errorf("%s is drawn as %q, want %q", text, got, want)
		}
	}
}
