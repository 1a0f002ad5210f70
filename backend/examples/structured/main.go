// Command structured asks a model for an answer of a Go type, and prints what became of it. With OPENAI_API_KEY set a model of OpenAI
// answers (OPENAI_BASE_URL and OPENAI_MODEL choose another one); without it a script does, whose first answer does not fit, so that
// it is asked again. A guardrail sees each answer first and lets nothing out that it did not see.
//
//	go run ./backend/examples/structured "Three days in Oslo, by train"
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/openai"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Trip is what the model is asked for.
type Trip struct {
	City  string   `json:"city" jsonschema_description:"Where it goes, in English"`
	Days  int      `json:"days" jsonschema:"minimum=1,maximum=30"`
	Means string   `json:"means" jsonschema:"enum=train,enum=bus,enum=ship"`
	Stops []string `json:"stops,omitempty" jsonschema_description:"What to see, the best first"`
}

// Validate holds a trip to what its schema cannot say.
func (t *Trip) Validate() error {
	if len(t.Stops) > 3*t.Days {
		return fmt.Errorf("stops: %d are too many for %d days", len(t.Stops), t.Days)
	}
	return nil
}

// guardrail lets nobody read of bus trips.
var guardrail = agent.Middleware{
	Name: "no-buses", HoldBack: true,
	AfterModel: func(_ tool.Context, answer *agent.Answer) error {
		if strings.Contains(answer.Text, `"bus"`) {
			return agent.Block("We do not plan trips by bus.")
		}
		return nil
	},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	wish := cmp.Or(strings.Join(os.Args[1:], " "), "Three days in Oslo, by train")
	said, err := plan(ctx, backend(), wish)
	fmt.Print(said)
	if err != nil {
		log.Fatal(err)
	}
}

// plan asks for a trip and tells of it, and of each try that was asked for again.
func plan(ctx context.Context, backend model.Backend, wish string) (string, error) {
	trips, err := agent.OutputOf[Trip]()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	planner := &agent.Agent{
		Name: "planner", Instructions: "Plan the trip the user wishes for.", Backend: backend,
		Model: cmp.Or(os.Getenv("OPENAI_MODEL"), "gpt-5-mini"), Output: trips, Middleware: []agent.Middleware{guardrail},
	}
	runner := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		if turn, ok := f.Event.(*protocol.Turn); ok && turn.Phase == protocol.TurnRetry {
			out.WriteString("asked again: " + turn.Reason + "\n")
		}
	}}
	outcome, runErr := runner.Run(ctx, planner, agent.Input{Text: wish})
	if err := errors.Join(runErr, runner.Close(context.WithoutCancel(ctx))); err != nil {
		return out.String(), err
	}
	if outcome.Finish.Blocked {
		return outcome.Output + "\n", nil
	}
	trip, err := agent.Structured[Trip](outcome)
	if err != nil {
		return out.String(), err
	}
	return fmt.Sprintf("%s%s by %s, %d days: %s\n", out.String(), trip.City, trip.Means, trip.Days, strings.Join(trip.Stops, ", ")), nil
}

func backend() model.Backend {
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		return &openai.Backend{Key: func() string { return key }, BaseURL: os.Getenv("OPENAI_BASE_URL")}
	}
	return &scripted.Backend{Turns: []scripted.Turn{
		scripted.Say(`Sure! {"city": "Oslo", "days": 0, "means": "train"}`),
		scripted.Say(`{"city": "Oslo", "days": 3, "means": "train", "stops": ["the opera's roof", "the fjord"]}`),
	}}
}
