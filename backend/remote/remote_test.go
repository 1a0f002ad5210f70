package remote

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/client"
	"callboard/backend/server"
	"callboard/backend/server/runtimetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// attach serves an agent over HTTP and attaches the server; what the agent's runs do is told to the runner that is returned.
func attach(t *testing.T, a *agent.Agent) (*Server, *agent.Runner) {
	t.Helper()
	there := &server.Server{Agents: []*agent.Agent{a}, Runner: &agent.Runner{MergeWindow: -1}, Version: "1.2.3", ToolRuns: true}
	web := httptest.NewServer(there.Handler())
	here := &agent.Runner{}
	s := &Server{Name: "there", Client: &client.Client{BaseURL: web.URL, HTTP: web.Client()}, Runner: here}
	t.Cleanup(func() {
		s.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for _, close := range []func(context.Context) error{there.Close, there.Runner.Close, here.Close} {
			if err := close(ctx); err != nil {
				t.Error(err)
			}
		}
		web.Close()
	})
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, here
}

func TestAnAttachedServerIsARuntime(t *testing.T) {
	runtimetest.Run(t, func(t *testing.T, a *agent.Agent) runtimetest.World {
		s, here := attach(t, a)
		return runtimetest.World{Runtime: s, Runner: here, Agent: Qualify(a.Name, s.Name)}
	})
}
