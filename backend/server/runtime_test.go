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
		runner := &agent.Runner{MergeWindow: -1, Resolve: agent.Agents(a)}
		t.Cleanup(func() {
			if err := runner.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		local := server.Local{Runner: runner, List: func() []*agent.Agent { return []*agent.Agent{a} }}
		return runtimetest.World{Runtime: local, Runner: runner, Agent: a.Name}
	})
}
