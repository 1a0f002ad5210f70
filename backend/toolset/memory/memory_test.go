package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/tool"
	"callboard/backend/toolset/memory"
	"callboard/backend/toolset/memory/storetest"
)

func TestNotes(t *testing.T) {
	storetest.Run(t, func(*testing.T) memory.Store { return &memory.Notes{} })
}

func TestWordsOfATextAndWhatMatchesThem(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"marks cut words":                 {"a-b_c.d, E's", []string{"a", "b", "c", "d", "e", "s"}},
		"accents and case do not count":   {"Ünïcödé ÉTÉ", []string{"unicode", "ete"}},
		"a ligature is its letters":       {"ﬁne ²", []string{"fine", "2"}},
		"unspaced scripts are characters": {"緑茶 tea", []string{"緑", "茶", "tea"}},
		"Hangul stays in syllables":       {"한국어", []string{"한국어"}},
		"nothing but marks is no word":    {"?! 🎈", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, memory.Words(c.text)); d != "" {
				t.Errorf("words (-want +got):\n%s", d)
			}
		})
	}
	for word, want := range map[string]string{"port": "port", "ports": "port", "deploys": "deplo", "été": "été", "größe": "größ"} {
		if got := memory.Beginning(word); got != want {
			t.Errorf("beginning of %q: got %q, want %q", word, got, want)
		}
	}
}

// call runs a tool as agent demo for user u.
func call(t *testing.T, store memory.Store, name, arguments string) tool.Result {
	t.Helper()
	tools, err := memory.Tools(store)
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range tools {
		if made.Name == name {
			c, err := made.Prepare(arguments)
			if err != nil {
				return tool.Result{Err: err}
			}
			return c.Run(tool.Context{Context: t.Context(), AgentName: "demo", UserID: "u"})
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tool.Result{}
}

func TestWhatIsRememberedIsRecalledAndForgotten(t *testing.T) {
	store := &memory.Notes{}
	r := call(t, store, "remember", `{"text":"Prefers tabs\n to spaces","tags":["style"]}`)
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	if got, want := *r.Presentation, (tool.Presentation{Label: "Remember", Icon: "notebook-pen", Detail: "Prefers tabs to spaces"}); got != want {
		t.Errorf("presentation: got %+v, want %+v", got, want)
	}
	var kept struct{ ID string }
	if err := json.Unmarshal(r.Content, &kept); err != nil {
		t.Fatal(err)
	}

	r = call(t, store, "recall", `{"query":"style of tabs"}`)
	for _, want := range []string{kept.ID, `"text":"Prefers tabs\n to spaces"`, `"tags":["style"]`} {
		if !strings.Contains(string(r.Content), want) {
			t.Errorf("recalled: got %s, want %s in it", r.Content, want)
		}
	}
	if got, want := r.Presentation.Detail+" · "+r.Presentation.Summary, "style of tabs · 1 note"; got != want {
		t.Errorf("presentation: got %q, want %q", got, want)
	}

	if r = call(t, store, "forget", `{"id":"`+kept.ID+`"}`); r.Err != nil {
		t.Fatal(r.Err)
	}
	r = call(t, store, "recall", `{"query":""}`)
	if got, want := string(r.Content), `{"notes":[]}`; got != want {
		t.Errorf("recalled after forgetting: got %s, want %s", got, want)
	}
	r = call(t, store, "forget", `{"id":"`+kept.ID+`"}`)
	if want := "there is no such note: recall gives the ids there are"; r.Err == nil || !strings.HasSuffix(r.Err.Error(), want) {
		t.Errorf("forget twice: got %v, want %q at its end", r.Err, want)
	}
}

func TestRecallSaysThatThereIsMore(t *testing.T) {
	store := &memory.Notes{}
	for range 3 {
		if r := call(t, store, "remember", `{"text":"tea"}`); r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	r := call(t, store, "recall", `{"query":"tea","limit":2}`)
	if want := "There are more than these 2"; !strings.Contains(string(r.Content), want) || r.Presentation.Summary != "first 2 notes" {
		t.Errorf("got %s (%s), want %q and first 2 notes", r.Content, r.Presentation.Summary, want)
	}
	if r = call(t, store, "recall", `{"query":"tea","limit":3}`); strings.Contains(string(r.Content), "more than") {
		t.Errorf("got %s, want no word of more", r.Content)
	}
}

func TestArgumentsThatCannotWorkAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ tool, arguments, want string }{
		"a blank text":     {"remember", `{"text":" \n"}`, "text is blank"},
		"a blank tag":      {"remember", `{"text":"a","tags":[""]}`, "tags: one is blank"},
		"a long tag":       {"remember", `{"text":"a","tags":["` + strings.Repeat("ä", memory.MaxTag+1) + `"]}`, "longer than 64 characters"},
		"a long text":      {"remember", `{"text":"` + strings.Repeat("a", memory.MaxText+1) + `"}`, "/text"},
		"too many tags":    {"remember", `{"text":"a","tags":[` + strings.Repeat(`"a",`, memory.MaxTags) + `"a"]}`, "/tags"},
		"no query":         {"recall", `{}`, "query"},
		"a long query":     {"recall", `{"query":"` + strings.Repeat("a", memory.MaxQuery+1) + `"}`, "/query"},
		"a limit too high": {"recall", `{"query":"","limit":51}`, "/limit"},
		"a limit of none":  {"recall", `{"query":"","limit":0}`, "/limit"},
		"an empty id":      {"forget", `{"id":""}`, "/id"},
	} {
		t.Run(name, func(t *testing.T) {
			r := call(t, &memory.Notes{}, c.tool, c.arguments)
			if r.Err == nil || !strings.Contains(r.Err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", r.Err, c.want)
			}
		})
	}
	if _, err := memory.Tools(nil); err == nil {
		t.Error("tools without a store were made, want an error")
	}
}

// broken is a store that does nothing.
type broken struct{ memory.Store }

var errBroken = errors.New("the disk is full")

func (broken) AddNote(context.Context, memory.Note) error { return errBroken }
func (broken) FindNotes(context.Context, memory.Owner, string, int) ([]memory.Note, error) {
	return nil, errBroken
}
func (broken) DeleteNote(context.Context, memory.Owner, string) error { return errBroken }

func TestAStoreThatFailsIsSaid(t *testing.T) {
	for name, arguments := range map[string]string{"remember": `{"text":"a"}`, "recall": `{"query":"a"}`, "forget": `{"id":"a"}`} {
		r := call(t, broken{}, name, arguments)
		if !errors.Is(r.Err, errBroken) || !strings.HasPrefix(r.Err.Error(), name) {
			t.Errorf("%s: got %v, want %v and what was tried", name, r.Err, errBroken)
		}
	}
}
