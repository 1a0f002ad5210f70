package scheduler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"callboard/backend/tool"
	"callboard/backend/toolset/scheduler"
	"callboard/backend/toolset/scheduler/storetest"
)

func TestCalendar(t *testing.T) {
	storetest.Run(t, func(*testing.T) scheduler.Store { return &scheduler.Calendar{} })
}

// A message that a tool schedules arrives in the thread the call was made in.
func Example() {
	arrived := make(chan scheduler.Firing)
	s := &scheduler.Scheduler{
		Store: &scheduler.Calendar{},
		Fire: func(_ context.Context, f scheduler.Firing) error { // start a run in f.ThreadID with f.Text()
			arrived <- f
			return nil
		},
	}
	tools, err := s.Tools()
	if err != nil {
		panic(err)
	}
	if err := s.Start(); err != nil {
		panic(err)
	}
	defer s.Close()
	call, err := tools[0].Prepare(`{"message": "Look at the build again", "delay": "1s"}`)
	if err != nil {
		panic(err)
	}
	result := call.Run(tool.Context{AgentName: "assistant", ThreadID: "thr_1"})
	fmt.Println(result.Presentation.Label, result.Presentation.Detail)
	f := <-arrived
	_, message, _ := strings.Cut(f.Text(), "\n\n")
	fmt.Println(f.ThreadID, message)
	// Output:
	// Schedule in 1s: Look at the build again
	// thr_1 Look at the build again
}
