package desktop

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/studio"
)

// told collects the events of a life.
type told struct {
	mu     sync.Mutex
	events []string
}

func (t *told) emit(event string, _ ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, event)
}

func (t *told) count(event string) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.events {
		if e == event {
			n++
		}
	}
	return n
}

func newLife(t *testing.T, ctx context.Context, script string) (*Life, *told) {
	t.Helper()
	dir := t.TempDir()
	page := &told{}
	open := func() (*studio.Studio, error) {
		return studio.Open(ctx, studio.Config{Dir: dir, Script: script, LocalServers: []studio.LocalServer{}, Logger: slog.New(slog.DiscardHandler)})
	}
	frame := &fakeFrame{monitors: []monitor{hd}, now: Sight{Width: 900, Height: 600}}
	return &Life{
		Open: open, Emit: page.emit, Quit: func() { page.emit("quit") }, Until: ctx, Log: slog.New(slog.DiscardHandler),
		Keeper: Keeper{Memory: Remember(dir), Frame: frame, Log: slog.New(slog.DiscardHandler)},
	}, page
}

func TestALifeAsksBeforeItStopsLiveRuns(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx, end := context.WithCancel(t.Context())
	script, err := filepath.Abs("testdata/long.json")
	if err != nil {
		t.Fatal(err)
	}
	life, page := newLife(t, ctx, script)
	if life.BeforeClose(ctx) {
		t.Error("the window stays without a live run")
	}
	life.Keeper.leaving.Store(false)
	s, err := life.Studio()
	if err != nil {
		t.Fatal(err)
	}
	live := make(chan struct{})
	var once sync.Once
	var running sync.WaitGroup
	running.Go(func() {
		in := studio.RunInput{Agent: "demo", Text: "go", OnEvent: func(r agent.Record) { once.Do(func() { close(live) }) }}
		// The studio closes under it: what it returns then is no matter of the window's life.
		_, _ = s.Run(t.Context(), in)
	})
	<-live
	if !life.BeforeClose(ctx) || page.count("closing") != 1 {
		t.Error("the window does not ask")
	}
	if life.BeforeClose(ctx) {
		t.Error("a page that did not take the question keeps the window")
	}
	life.Asking()
	if !life.BeforeClose(ctx) || page.count("closing") != 2 {
		t.Error("a page that took it is not asked again")
	}
	life.Interrupt()
	if life.BeforeClose(ctx) || page.count("quit") != 1 {
		t.Error("an interrupted window asks")
	}
	end() // of the window
	if err := life.End(func(s *studio.Studio) error { return s.Close(context.WithoutCancel(ctx)) }); err != nil {
		t.Error(err)
	}
	running.Wait()
}

func TestALifeWhoseStudioDoesNotOpenSaysWhy(t *testing.T) {
	life := &Life{Open: func() (*studio.Studio, error) { return nil, errors.New("the disk is <full>") }}
	w := httptest.NewRecorder()
	life.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "the disk is &lt;full&gt;") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if life.BeforeClose(t.Context()) {
		t.Error("it keeps the window")
	}
	if err := life.End(nil); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("got %v, want why it did not open", err)
	}
}
