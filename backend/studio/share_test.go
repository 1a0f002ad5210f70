package studio

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/agent"
	"callboard/backend/server"
)

const (
	sharedKey  = "sk-proj-0123456789abcdefgh"
	sharedText = "Tell Falcon: token=hunter22 (hunter22!) " + sharedKey
)

// shared is a thread of the demo that waits for an approval, and whose message has secrets.
func shared(b *bench) (threadID, runID string) {
	b.Helper()
	threadID = b.newThread(`{"agentName":"demo"}`).ID
	runID = b.send(threadID, demoAgent, sharedText)
	if log := b.settled(runID); log.status != "paused" {
		b.Fatalf("the run is %s", log.status)
	}
	return threadID, runID
}

type conflict struct {
	Error    struct{ Code string }
	ThreadID string
}

func (b *bench) idle() {
	b.Helper()
	b.until("no file to be on its way", func() bool { // one goes when its request is over, a moment after the answer
		left, err := os.ReadDir(b.studio.transfer())
		return err == nil && len(left) == 0
	})
}

func TestAFileLargerThanOtherBodiesIsImported(t *testing.T) {
	b := openBench(t, Config{Script: script(t, strings.Repeat("A long answer. ", 100_000))})
	run := b.send("thr_long", demoAgent, "Go.")
	b.settled(run)
	file := b.call(http.MethodGet, "/api/studio/threads/thr_long/export", "", http.StatusOK)
	if len(file) <= server.DefaultMaxBody {
		t.Fatalf("the file has %d bytes, too few to say anything", len(file))
	}
	other := openBench(t, Config{})
	fetch[Imported](other, http.MethodPost, "/api/studio/import", file, http.StatusCreated)
	if before, after := b.page(run), other.page(run); len(after.Events) != len(before.Events) {
		t.Errorf("there are %d events, want %d", len(after.Events), len(before.Events))
	}
}

func TestAnExportNobodyWaitsForIsGivenUp(t *testing.T) {
	b := openBench(t, Config{})
	threadID, _ := shared(b)
	kept, err := b.studio.spool(t.Context(), threadID)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.remove()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	lines := 0
	for _, err = range kept.again(ctx) {
		lines++
		leave()
	}
	if lines != 2 || !errors.Is(err, context.Canceled) {
		t.Errorf("got %d lines and %v, want the first, and then that it was given up", lines, err)
	}
}

func TestAThreadIsExportedAndImported(t *testing.T) {
	b := openBench(t, Config{})
	threadID, runID := shared(b)
	file := b.call(http.MethodGet, "/api/studio/threads/"+threadID+"/export", "", http.StatusOK)

	t.Run("into the same data folder it is here already", func(t *testing.T) {
		if got := fetch[conflict](b, http.MethodPost, "/api/studio/import", file, http.StatusConflict); got.ThreadID != threadID || got.Error.Code != codeThreadExists {
			t.Errorf("got %+v, want thread %s and %s", got, threadID, codeThreadExists)
		}
	})
	t.Run("a copy has other ids, and the thread it was made of still waits", func(t *testing.T) {
		got := fetch[Imported](b, http.MethodPost, "/api/studio/import?copy=true", file, http.StatusCreated)
		if got.ThreadID == threadID || !got.Copy || got.Ended != 1 || got.Redacted {
			t.Errorf("got %+v", got)
		}
		if page := b.page(runID); page.Status != "paused" {
			t.Errorf("the run is %s, want paused", page.Status)
		}
	})
	other := openBench(t, Config{})
	got := fetch[Imported](other, http.MethodPost, "/api/studio/import", file, http.StatusCreated)
	if want := (Imported{ThreadID: threadID, Title: b.studio.redact.Text(sharedText), Ended: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	t.Run("elsewhere it has the same events, and then its end", func(t *testing.T) {
		before, after := b.page(runID), other.page(runID)
		if len(after.Events) <= len(before.Events) || after.Status != "cancelled" {
			t.Fatalf("%d events of %d, %s", len(after.Events), len(before.Events), after.Status)
		}
		for i, event := range before.Events {
			if !bytes.Equal(after.Events[i], event) {
				t.Errorf("event %d is %s, want %s", i+1, after.Events[i], event)
			}
		}
	})
	t.Run("nothing of it waits for anyone, and no rule and no decision makes it run", func(t *testing.T) {
		if got := other.call(http.MethodGet, "/api/approvals", "", http.StatusOK); !strings.Contains(got, `"approvals":[]`) {
			t.Errorf("approvals: %s", got)
		}
		asked := b.settled(runID).of("approval-required")[0].Approvals[0]
		body := asJSON(map[string]any{"approved": true, "argumentsHash": asked.ArgumentsHash})
		other.call(http.MethodPost, "/api/approvals/"+asked.ApprovalID+"/decision", body, http.StatusConflict)
	})
	t.Run("it says where it came from, and works in a fresh sample", func(t *testing.T) {
		view := fetch[threadView](other, http.MethodGet, "/api/studio/threads/"+threadID, "", http.StatusOK)
		if view.Imported == nil || view.Imported.ExportedAt == 0 || view.Imported.Redacted != nil || !view.Sample || view.FolderMissing {
			t.Errorf("got %+v", view)
		}
	})
	t.Run("it goes on with a new message", func(t *testing.T) {
		if log := other.settled(other.send(threadID, demoAgent, "go on")); log.status == "running" {
			t.Errorf("the run is %s", log.status)
		}
	})
	b.idle()
	other.idle()
}

func TestAThreadOfAnUnknownAgentIsShownAndWorksNowhere(t *testing.T) {
	b := openBench(t, Config{Folder: t.TempDir()})
	threadID, runID := shared(b)
	file := b.call(http.MethodGet, "/api/studio/threads/"+threadID+"/export", "", http.StatusOK)
	var foreign bytes.Buffer
	for _, line := range strings.SplitAfter(file, "\n") {
		foreign.WriteString(strings.ReplaceAll(line, `"agentName":"demo"`, `"agentName":"support"`))
	}
	other := openBench(t, Config{})
	got := fetch[Imported](other, http.MethodPost, "/api/studio/import", resealed(foreign.String()), http.StatusCreated)
	view := fetch[threadView](other, http.MethodGet, "/api/studio/threads/"+got.ThreadID, "", http.StatusOK)
	if view.AgentName != "support" || view.Folder != "" {
		t.Errorf("got %+v, want the agent of the file and no folder", view)
	}
	if page := other.page(runID); len(page.Events) == 0 {
		t.Error("the run has no events")
	}
}

func TestTriesByHandAreImportedAsAThreadOfTheUsualAgent(t *testing.T) {
	b := openBench(t, Config{Folder: t.TempDir()})
	run := b.try("workspace", "list_files", `{}`)
	b.settled(run.RunID)
	file := b.call(http.MethodGet, "/api/studio/threads/"+run.ThreadID+"/export", "", http.StatusOK)
	got := fetch[Imported](b, http.MethodPost, "/api/studio/import?copy=true", file, http.StatusCreated)
	view := fetch[threadView](b, http.MethodGet, "/api/studio/threads/"+got.ThreadID, "", http.StatusOK)
	usual := fetch[state](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Settings.AgentName
	if view.AgentName != usual || view.Tried != nil {
		t.Errorf("got %+v, want a thread of %s in which no tool is tried", view, usual)
	}
}

func TestARedactedExportHasWhatThePreviewDoesNotShow(t *testing.T) {
	b := openBench(t, Config{Key: "studio-key-0815"})
	threadID, _ := shared(b)
	b.call(http.MethodPatch, "/api/threads/"+threadID, `{"title":"Of studio-key-0815"}`, http.StatusOK)
	path := "/api/studio/threads/" + threadID + "/export"
	choice := exportBody{Redact: true, Words: []string{"falcon"}}
	preview := fetch[Preview](b, http.MethodPost, path+"/preview", asJSON(choice), http.StatusOK)
	rules := map[string]Finding{}
	for _, f := range preview.Findings {
		for _, rule := range f.Rules {
			rules[rule] = f
		}
		for _, place := range f.Places {
			if around := place.Before + place.After + place.Label; strings.Contains(around, sharedKey) || strings.Contains(around, "hunter22") || strings.Contains(around, "studio-key") {
				t.Errorf("the preview tells a secret: %+v", place)
			}
		}
	}
	word, token := rules["word of your own"], rules["value named password, token, secret or key"]
	if len(preview.Findings) != 4 || word.Fixed || !rules["key of this program"].Fixed || len(token.Places) < 2 {
		t.Fatalf("the preview is %+v", preview)
	}
	if kinds := []string{string(token.Places[0].Kind)}; !slices.Contains([]string{"title", "message"}, kinds[0]) || token.Places[0].Before == "" {
		t.Errorf("the first place is %+v", token.Places[0])
	}

	secrets := map[string]string{"key": "sk-proj-01", "token": "hunter22", "word": "Falcon", "studio": "studio-key"}
	has := func(text string) (found []string) {
		for name, secret := range secrets {
			if strings.Contains(text, secret) {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		return found
	}
	for _, test := range []struct {
		name  string
		leave []string
		want  []string
	}{
		{"all is masked", nil, nil},
		{"one hit is left in", []string{token.ID}, []string{"token"}},
		{"the studio's key cannot be left in", []string{rules["key of this program"].ID, word.ID}, []string{"word"}},
		{"an id of another studio leaves nothing in", []string{"0123456789abcdef01234567"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			choice := choice
			choice.Leave = test.leave
			file := b.call(http.MethodPost, path, asJSON(choice), http.StatusOK)
			if diff := cmp.Diff(test.want, has(file)); diff != "" {
				t.Errorf("the file (-want +got)\n%s", diff)
			}
			other := openBench(t, Config{})
			got := fetch[Imported](other, http.MethodPost, "/api/studio/import", file, http.StatusCreated)
			view := fetch[threadView](other, http.MethodGet, "/api/studio/threads/"+got.ThreadID, "", http.StatusOK)
			if !got.Redacted || view.Imported == nil || view.Imported.Redacted == nil || view.Imported.Redacted.LeftIn != len(test.want) {
				t.Errorf("got %+v and %+v", got, view.Imported)
			}
			choice.Format = "markdown"
			if diff := cmp.Diff(test.want, has(b.call(http.MethodPost, path, asJSON(choice), http.StatusOK))); diff != "" {
				t.Errorf("the Markdown (-want +got)\n%s", diff)
			}
		})
	}
	t.Run("without redaction only the studio's key is masked", func(t *testing.T) {
		for _, format := range []string{"callboard", "markdown"} {
			if diff := cmp.Diff([]string{"key", "token", "word"}, has(b.call(http.MethodGet, path+"?format="+format, "", http.StatusOK))); diff != "" {
				t.Errorf("%s (-want +got)\n%s", format, diff)
			}
		}
	})
	b.idle()
}

func TestExportsAndImportsThatAreRefused(t *testing.T) {
	b := openBench(t, Config{})
	threadID, _ := shared(b)
	path := "/api/studio/threads/" + threadID
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		says                     string
	}{
		{"a thread that is not there", http.MethodGet, "/api/studio/threads/thr_none/export", "", http.StatusNotFound, "no such thread"},
		{"a preview of one", http.MethodPost, "/api/studio/threads/thr_none/export/preview", "{}", http.StatusNotFound, "no such thread"},
		{"another format", http.MethodGet, path + "/export?format=pdf", "", http.StatusBadRequest, `got \"pdf\"`},
		{"a switch that is none", http.MethodGet, path + "/export?redact=perhaps", "", http.StatusBadRequest, "redact: must be true or false"},
		{"an empty word", http.MethodPost, path + "/export", `{"redact":true,"words":[""]}`, http.StatusBadRequest, "words: each has from 2"},
		{"too many words", http.MethodPost, path + "/export/preview", asJSON(exportBody{Redact: true, Words: make([]string, 201)}), http.StatusBadRequest, "at most 200"},
		{"a file that is none", http.MethodPost, "/api/studio/import", "hello", http.StatusBadRequest, "not a thread file of Callboard"},
		{"an empty file", http.MethodPost, "/api/studio/import", "", http.StatusBadRequest, "not a thread file of Callboard"},
		{"a newer file", http.MethodPost, "/api/studio/import", `{"type":"callboard-thread","version":9}` + "\n", http.StatusBadRequest, "newer Callboard"},
		{"copy that is no switch", http.MethodPost, "/api/studio/import?copy=maybe", "x", http.StatusBadRequest, "copy: must be true or false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var answer struct{ Error struct{ Message string } }
			text := b.call(test.method, test.path, test.body, test.status)
			if err := json.Unmarshal([]byte(text), &answer); err != nil || !strings.Contains(text, test.says) {
				t.Errorf("got %s, want %q", text, test.says)
			}
		})
	}
	b.idle()
}

func TestFileNames(t *testing.T) {
	for title, want := range map[string]string{
		"Move the greeter": "Move the greeter.callboard", "../../etc/passwd": "etc passwd.callboard", "": "thread.callboard", "a\nb: \"c\"?": "a b c.callboard",
		strings.Repeat("ü", 100): strings.Repeat("ü", 60) + ".callboard", "日本語": "日本語.callboard",
	} {
		if got := FileName(title, false); got != want {
			t.Errorf("of %q got %q, want %q", title, got, want)
		}
	}
	if got := FileName("a", true); got != "a.md" {
		t.Errorf("got %q", got)
	}
}

// broken breaks off after some bytes.
type broken struct{ text string }

func (b *broken) Read(p []byte) (int, error) {
	if b.text == "" {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

func TestAFileThatBreaksOffIsNotTaken(t *testing.T) {
	b := openBench(t, Config{})
	_, err := b.studio.Import(t.Context(), &broken{text: `{"type":"callboard-thread",`})
	if err == nil || !strings.Contains(err.Error(), "did not come whole") {
		t.Errorf("got %v", err)
	}
	threads, err := b.studio.db.Threads(t.Context(), "", 0, 0)
	if err != nil || len(threads) > 0 {
		t.Errorf("%d threads, %v", len(threads), err)
	}
	b.idle()
}

func TestWhatAnEarlierProcessLeftOnItsWayIsRemoved(t *testing.T) {
	dir := t.TempDir()
	b := openBench(t, Config{Dir: dir})
	if _, err := b.studio.toFile(func(w io.Writer) error { _, err := io.WriteString(w, "left"); return err }); err != nil {
		t.Fatal(err)
	}
	if err := b.studio.openShare(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.studio.transfer()); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := b.studio.Preview(t.Context(), "thr_none", Export{}); err == nil || !strings.Contains(err.Error(), agent.ErrNotFound.Error()) {
		t.Errorf("got %v", err)
	}
}

// resealed is a file whose lines were changed, with an end that fits.
func resealed(file string) string {
	body := file[:strings.LastIndex(strings.TrimSuffix(file, "\n"), "\n")+1]
	sum := sha256.Sum256([]byte(body))
	return body + fmt.Sprintf(`{"type":"end","lines":%d,"sha256":%q}`, strings.Count(body, "\n"), hex.EncodeToString(sum[:])) + "\n"
}
