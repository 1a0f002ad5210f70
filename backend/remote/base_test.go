package remote

import (
	"context"
	"io"
	"iter"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/client"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/server"
	"callboard/backend/tool"
)

var quiet = log.New(io.Discard, "", 0)

// plain lets through what every server of the protocol has: no numbers, and none of the routes beside.
func plain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/approvals" || strings.HasPrefix(r.URL.Path, "/runs/") || strings.HasSuffix(r.URL.Path, "/runs") {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(&unnumbered{ResponseWriter: w}, r)
	})
}

type unnumbered struct{ http.ResponseWriter }

var numbers = regexp.MustCompile(`(?m)^id: \d+\n`)

func (u *unnumbered) Write(p []byte) (int, error) {
	_, err := u.ResponseWriter.Write(numbers.ReplaceAll(p, nil))
	return len(p), err
}

func (u *unnumbered) Unwrap() http.ResponseWriter { return u.ResponseWriter }

type place struct {
	Place string `json:"place"`
}

func TestAServerWithoutNumbersIsRunAndApproved(t *testing.T) {
	release := tool.Must(tool.Config[place, string]{
		Name: "release", Description: "Releases", Approval: tool.Always,
		Run: func(_ tool.Context, in place) (string, error) { return "released to " + in.Place, nil },
	})
	there := &server.Server{Agents: []*agent.Agent{{
		Name: "demo", Tools: []*tool.Tool{release},
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("c1", "release", `{"place":"staging"}`), scripted.Say("Done.")}},
	}}, Runner: &agent.Runner{MergeWindow: -1}}
	web := httptest.NewServer(plain(there.Handler()))
	here := &agent.Runner{}
	s := &Server{Name: "there", Client: &client.Client{BaseURL: web.URL, HTTP: web.Client()}, Runner: here}
	defer func() {
		s.Close()
		for _, end := range []func(context.Context) error{there.Close, there.Runner.Close, here.Close} {
			if err := end(context.Background()); err != nil {
				t.Error(err)
			}
		}
		web.Close()
	}()
	found, err := s.Refresh(t.Context())
	if err != nil || !found.Base {
		t.Fatalf("got %+v, %v; want a server that numbers nothing", found, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	h, err := s.Start(ctx, "demo@there", agent.Input{Text: "Go."})
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := h.Wait(ctx)
	if err != nil || outcome.Status != protocol.StatusPaused || len(outcome.Pending) != 1 {
		t.Fatalf("got %+v, %v", outcome, err)
	}
	_, resumed, err := s.Decide(ctx, outcome.Pending[0].ApprovalID, approval.Decision{Approved: true})
	if err != nil || resumed == nil {
		t.Fatalf("decide: %v", err)
	}
	if outcome, err = resumed.Wait(ctx); err != nil || outcome.Status != protocol.StatusCompleted || outcome.Output != "Done." {
		t.Fatalf("got %+v, %v", outcome, err)
	}
	if got := types(t, here, h.RunID); !strings.HasPrefix(got, "start message turn tool-call-start") || !strings.HasSuffix(got, "finish") {
		t.Errorf("the log is %s", got)
	}
	if err := s.Cancel(ctx, h.RunID); err == nil {
		t.Error("a run that has ended can be stopped")
	}
}

func TestTheEndOfAStretchThatComesLateHarmsNotTheNext(t *testing.T) {
	here := &agent.Runner{}
	s := &Server{Name: "there", Runner: here}
	defer func() {
		s.Close()
		if err := here.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	row := agent.Run{ID: Qualify(baseID+"1", s.Name), ThreadID: "t", AgentName: "demo@there", Status: protocol.StatusRunning}
	m := s.newMirror(row.ID)
	start := protocol.Frame{Event: &protocol.Start{MessageID: "m"}}
	hangUp, left, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
	err := s.stream(t.Context(), m, func(ctx context.Context) iter.Seq2[protocol.Frame, error] {
		return func(yield func(protocol.Frame, error) bool) {
			if yield(start, nil) && yield(protocol.Frame{Event: &protocol.Finish{Status: protocol.StatusPaused}}, nil) {
				defer close(left)
				select { // the server said that the run waits, and is in no hurry to hang up
				case <-hangUp:
				case <-ctx.Done():
				}
			}
		}
	}, func(protocol.Frame) error {
		if err := here.Log().Append(t.Context(), &agent.Batch{Run: row}); err != nil {
			return err
		}
		return m.load(t.Context())
	})
	if err != nil {
		t.Fatal(err)
	}
	if outcome, err := s.handle(row.ID, row.ThreadID, "").Wait(t.Context()); err != nil || outcome.Status != protocol.StatusPaused {
		t.Fatalf("got %+v, %v, want a run that waits", outcome, err)
	}
	err = s.stream(t.Context(), m, func(context.Context) iter.Seq2[protocol.Frame, error] {
		return func(yield func(protocol.Frame, error) bool) {
			if yield(start, nil) {
				<-goOn
				yield(protocol.Frame{Event: &protocol.Finish{Status: protocol.StatusCompleted}}, nil)
			}
		}
	}, func(protocol.Frame) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	close(hangUp)
	<-left
	close(goOn)
	outcome, err := s.handle(row.ID, row.ThreadID, "m").Wait(t.Context())
	if err != nil || outcome.Status != protocol.StatusCompleted {
		t.Errorf("got %+v, %v, want it completed", outcome, err)
	}
}
