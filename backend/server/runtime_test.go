package server_test

import (
	"context"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/server"
	"callboard/backend/server/runtimetest"
)

func TestARunnerIsARuntime(t *testing.T) {
	runtimetest.Run(t, func(t *testing.T, a *agent.Agent) runtimetest.World {
		runner := &agent.Runner{MergeWindow: -1}
		served := &server.Server{Runner: runner, Agents: []*agent.Agent{a}, ToolRuns: true}
		served.Handler() // which makes its Runtime
		t.Cleanup(func() {
			if err := runner.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return runtimetest.World{Runtime: served.Runtime, Runner: runner, Agent: a.Name}
	})
}
