package agent_test

import (
	"testing"

	"callboard/backend/agent"
	"callboard/backend/agent/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Store { return &agent.Memory{} })
}
