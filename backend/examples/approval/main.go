// Command approval runs an agent whose payments of more than ten euros wait for a person, asks that person on the terminal, and goes on
// with the answer. The run waits in the store meanwhile and holds no goroutine: with a store on disk the answer may come days later, in
// another process.
//
//	go run ./backend/examples/approval
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Payment is what the tool is asked for.
type Payment struct {
	To    string `json:"to" jsonschema_description:"Who gets the money"`
	Euros int    `json:"euros" jsonschema:"minimum=1"`
}

// large is a payment that waits for a person. It reads what the model wrote, before anything was checked: what it cannot read waits too.
func large(arguments json.RawMessage) bool {
	var p Payment
	return json.Unmarshal(arguments, &p) != nil || p.Euros > 10
}

func pay(out io.Writer) *tool.Tool {
	return tool.Must(tool.Config[Payment, string]{
		Name: "pay", Description: "Pays somebody", SideEffects: []tool.SideEffect{tool.External}, Approval: tool.When(large),
		Present: func(p Payment) *tool.Presentation {
			return &tool.Presentation{Label: "Pay", Icon: "banknote", Detail: fmt.Sprintf("%d euros to %s", p.Euros, p.To)}
		},
		Run: func(_ tool.Context, p Payment) (string, error) {
			_, err := fmt.Fprintf(out, "paid %d euros to %s\n", p.Euros, p.To)
			return "paid", err
		},
	})
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// serve runs the agent until it has ended, and asks for each call that waits.
func serve(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	runner := &agent.Runner{}
	defer func() { err = errors.Join(err, runner.Close(context.WithoutCancel(ctx))) }()
	cashier := &agent.Agent{Name: "cashier", Backend: script(), Tools: []*tool.Tool{pay(out)}}
	outcome, err := runner.Run(ctx, cashier, agent.Input{Text: "Pay the bills."})
	answers := bufio.NewScanner(in)
	for err == nil && outcome.Status == protocol.StatusPaused {
		var handle *agent.Handle
		for _, waiting := range outcome.Pending {
			decision := ask(waiting, answers, out)
			if _, handle, err = runner.Decide(ctx, waiting.ApprovalID, decision); err != nil {
				return err
			}
		}
		outcome, err = handle.Wait(ctx) // the last missing decision lets the run go on
	}
	if err == nil {
		_, err = fmt.Fprintln(out, outcome.Output)
	}
	return err
}

// ask shows a person all that will run. A decision names the arguments it was made for by their hash.
func ask(waiting *approval.Pending, answers *bufio.Scanner, out io.Writer) approval.Decision {
	_, _ = fmt.Fprintf(out, "%s: %s\nApprove? [y, or why not] ", waiting.Presentation.Label, waiting.ArgumentsText)
	decision := approval.Decision{ArgumentsHash: waiting.ArgumentsHash, By: "cashier's chief"}
	if !answers.Scan() {
		decision.Reason = "nobody answered"
		return decision
	}
	said := strings.TrimSpace(answers.Text())
	if decision.Approved = said == "y"; !decision.Approved {
		decision.Reason = said
	}
	return decision
}

func script() model.Backend {
	call := func(id, arguments string) model.ToolCall {
		return model.ToolCall{ID: id, Name: "pay", Arguments: arguments}
	}
	return &scripted.Backend{Turns: []scripted.Turn{
		scripted.CallTools(call("c1", `{"to":"the baker","euros":7}`)),
		scripted.CallTools(call("c2", `{"to":"the landlord","euros":900}`), call("c3", `{"to":"a stranger","euros":5000}`)),
		scripted.Say("The bills are done."),
	}}
}
