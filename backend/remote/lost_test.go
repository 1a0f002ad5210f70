package remote

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/server"
)

// kept is an Unanswered that lives as long as a test.
type kept struct {
	mu  sync.Mutex
	all []Asked
}

func (k *kept) Put(_ context.Context, a Asked) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = append(k.all, a)
	return nil
}

func (k *kept) Drop(_ context.Context, threadID string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = slices.DeleteFunc(k.all, func(a Asked) bool { return a.ThreadID == threadID })
	return nil
}

func (k *kept) All(context.Context) ([]Asked, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.all), nil
}

// lossy is a server to which the start of a run comes, or does not, and which loses its answer once.
type lossy struct {
	next  http.Handler
	hears bool
	once  atomic.Bool // an answer is to be lost
	down  atomic.Bool // all are
}

func (l *lossy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	starts := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/runs")
	if starts && l.once.CompareAndSwap(true, false) {
		if l.hears {
			l.next.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler)
	}
	if l.down.Load() {
		panic(http.ErrAbortHandler)
	}
	l.next.ServeHTTP(w, r)
}

// lossyWorld is a lossy server, a runner with the copies, and what makes the attached server anew, as after a crash.
func lossyWorld(t *testing.T, hears bool) (l *lossy, here *agent.Runner, k *kept, attach func() *Server) {
	t.Helper()
	there := &server.Server{Agents: []*agent.Agent{{
		Name: "demo", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("One."), scripted.Say("Two.")}},
	}}}
	l = &lossy{next: there.Handler(), hears: hears}
	l.once.Store(true)
	web := httptest.NewUnstartedServer(l)
	web.Config.ErrorLog = quiet
	web.Start()
	here, k = &agent.Runner{}, &kept{}
	t.Cleanup(func() {
		if err := errors.Join(there.Close(context.Background()), here.Close(context.Background())); err != nil {
			t.Error(err)
		}
		web.Close()
	})
	return l, here, k, func() *Server {
		s := &Server{Name: "there", Client: &client.Client{BaseURL: web.URL, HTTP: web.Client()}, Runner: here, Unanswered: k}
		t.Cleanup(s.Close)
		return s
	}
}

// runsOf waits until a thread has so many runs that are over, and returns what they were given.
func runsOf(t *testing.T, here *agent.Runner, threadID string, count int) (inputs []string) {
	t.Helper()
	bell := here.Bell().Listen("")
	defer bell.Close()
	over := time.After(time.Minute)
	for {
		states, err := here.Log().Runs(t.Context(), agent.RunQuery{ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusCompleted}})
		if err != nil {
			t.Fatal(err)
		}
		if len(states) == count {
			for _, st := range states {
				inputs = append(inputs, st.Input)
			}
			return inputs
		}
		select {
		case <-bell.C:
			bell.Take()
		case <-over:
			t.Fatalf("thread %s has %d runs that are over, want %d", threadID, len(states), count)
		}
	}
}

// settled waits until nothing is unanswered.
func settled(t *testing.T, k *kept) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if all, _ := k.All(t.Context()); len(all) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("a start stays unanswered")
		}
	}
}

func TestARunWhoseStartWasNotAnsweredIsFound(t *testing.T) {
	_, here, k, attach := lossyWorld(t, true)
	s := attach()
	_, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: "t", Text: "Go."})
	if refused := (*server.Refusal)(nil); !errors.As(err, &refused) || !strings.Contains(refused.Message, "its run appears in the thread") {
		t.Fatalf("got %v, want it said that the run may have begun", err)
	}
	if got := runsOf(t, here, "t", 1); got[0] != "Go." {
		t.Errorf("the run was given %q", got)
	}
	settled(t, k)
	if _, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: "t", Text: "Go on."}); err != nil {
		t.Fatal(err)
	}
	if got := runsOf(t, here, "t", 2); got[1] != "Go on." {
		t.Errorf("the runs were given %q", got)
	}
}

func TestARunWhoseStartWasNotAnsweredIsFoundAfterACrash(t *testing.T) {
	l, here, k, attach := lossyWorld(t, true)
	l.down.Store(true) // the program ends before the server can be asked again
	s := attach()
	if _, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: "t", Text: "Go."}); err == nil {
		t.Fatal("a start without an answer is taken for one")
	}
	s.Close()
	if known, err := here.Log().Runs(t.Context(), agent.RunQuery{}); err != nil || len(known) != 0 {
		t.Fatalf("got %d runs, %v, want none known", len(known), err)
	}
	l.down.Store(false)
	s = attach()
	if err := s.Recover(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if got := runsOf(t, here, "t", 1); got[0] != "Go." {
		t.Errorf("the run was given %q", got)
	}
	settled(t, k)
	thread, err := here.Log().Thread(t.Context(), "t")
	if err != nil || len(thread.Messages) != 2 || thread.Messages[1].Content != "One." {
		t.Errorf("the thread is %+v, %v, want the message and its answer", thread, err)
	}
}

func TestAStartThatWasNotHeardIsForgotten(t *testing.T) {
	_, here, k, attach := lossyWorld(t, false)
	s := attach()
	if _, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: "t", Text: "Go."}); err == nil {
		t.Fatal("a start without an answer is taken for one")
	}
	if _, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: "t", Text: "Go."}); err != nil {
		t.Fatalf("the message again: %v", err)
	}
	runsOf(t, here, "t", 1)
	settled(t, k)
}

func TestAStartThatCannotBeSettledIsAskedForNoMore(t *testing.T) {
	l, _, k, attach := lossyWorld(t, true)
	l.down.Store(true)
	s := attach()
	for range 2 { // the second would be in the way of the first
		if _, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: "t", Text: "Go."}); err == nil {
			t.Fatal("a start without an answer is taken for one")
		}
	}
	if all, err := k.All(t.Context()); err != nil || len(all) != 1 {
		t.Fatalf("%d starts are kept, %v, want the first alone", len(all), err)
	}
	if err := s.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	settled(t, k)
}

func TestAThreadItsServerForgotTakesNoMessage(t *testing.T) {
	l, here, _, attach := lossyWorld(t, true)
	l.once.Store(false)
	s := attach()
	if _, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: "t", Text: "Go."}); err != nil {
		t.Fatal(err)
	}
	runsOf(t, here, "t", 1)
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) { // there its run may end a moment later
		answer := httptest.NewRecorder()
		l.next.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "/threads/t", nil))
		if answer.Code == http.StatusNoContent {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the thread cannot be deleted: %d %s", answer.Code, answer.Body)
		}
	}
	_, err := s.Start(t.Context(), "demo@there", agent.Input{ThreadID: "t", Text: "Go on."})
	if refused := (*server.Refusal)(nil); !errors.As(err, &refused) || refused.Code != CodeForgotten || refused.Status != http.StatusConflict {
		t.Fatalf("got %v, want %s", err, CodeForgotten)
	}
}
