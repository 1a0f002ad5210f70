package desktop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/backend/studio"
)

// Life is a window's life: it opens the studio, serves the page, rings its doorbell and asks before it stops runs.
type Life struct {
	Open   func() (*studio.Studio, error)
	Keeper Keeper
	Emit   func(event string, payload ...any) // tells the page
	Quit   func()                             // asks the window to close
	Until  context.Context                    // ends with the window
	Log    *slog.Logger

	once    sync.Once
	studio  *studio.Studio
	handler http.Handler
	err     error

	ringing  sync.WaitGroup
	quitting atomic.Bool // nobody is asked any more
	asked    atomic.Bool // the page is asked whether the window may close, and has not said yet that it shows the question
}

// load opens the studio at the first request of the page. By then it is certain that no other window has this data folder.
func (l *Life) load() error {
	l.once.Do(func() {
		if l.studio, l.err = l.Open(); l.err != nil {
			return
		}
		l.handler = l.studio.Handler()
		l.ringing.Go(func() { l.ring(l.studio.Runner().Bell().Listen("")) })
		go l.Keeper.Tend(l.Until) // it is not waited for: what is asked of a window that has gone may never be answered
	})
	return l.err
}

// ServeHTTP answers the window's requests.
func (l *Life) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := l.load(); err != nil {
		studio.Failed(w, err)
		return
	}
	l.handler.ServeHTTP(w, r)
}

// Studio returns the studio, which is opened when it is not yet.
func (l *Life) Studio() (*studio.Studio, error) {
	if err := l.load(); err != nil {
		return nil, err
	}
	return l.studio, nil
}

// ReadThread imports the file of a thread, of which nothing runs, and returns the thread's id. A thread that is here already stays as it is.
func (l *Life) ReadThread(ctx context.Context, path string) (threadID string, err error) {
	s, err := l.Studio()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the file of a thread: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	threadID, err = s.Import(ctx, file)
	if err != nil && !errors.Is(err, studio.ErrThreadExists) {
		return "", fmt.Errorf("open %s: %w", path, err)
	}
	return threadID, nil
}

// ring tells the page which runs have more events, and nothing else: the page reads them itself.
func (l *Life) ring(bell *agent.Listener) {
	defer bell.Close()
	for {
		select {
		case <-l.Until.Done():
			return
		case <-bell.C:
			for _, ring := range bell.Take() {
				l.Emit("doorbell", ring)
			}
		}
	}
}

// BeforeClose says whether the window stays, because the page asks first.
func (l *Life) BeforeClose(ctx context.Context) (keep bool) {
	if l.asks(ctx) {
		return true
	}
	l.Keeper.Leave()
	return false
}

// asks has the page ask whether live runs are to be stopped. A page that did not take the last question is not asked again: the
// window closes.
func (l *Life) asks(ctx context.Context) bool {
	if l.quitting.Load() || l.load() != nil {
		return false
	}
	live, err := l.studio.Runner().Store.Runs(ctx, agent.RunQuery{Statuses: []protocol.Status{protocol.StatusRunning}, Bare: true})
	if err != nil {
		l.Log.Error("count the live runs", "error", err)
	}
	if len(live) == 0 || !l.asked.CompareAndSwap(false, true) {
		return false
	}
	l.Emit("closing", len(live))
	return true
}

// Asking says that the page shows the question the event "closing" asked for.
func (l *Life) Asking() { l.asked.Store(false) }

// Interrupt closes the window without a question: a signal asked for it, or a person who was asked.
func (l *Life) Interrupt() {
	l.quitting.Store(true)
	l.Quit()
}

// End closes the studio, when it was opened, once the window is gone. It returns why it did not open, or what closing returns.
func (l *Life) End(closing func(*studio.Studio) error) error {
	l.once.Do(func() {})
	l.ringing.Wait()
	if l.studio == nil {
		return l.err
	}
	return closing(l.studio)
}
