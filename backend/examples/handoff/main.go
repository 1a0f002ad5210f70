// Command handoff is a help desk of three agents: one sorts what comes in and hands over to billing or to repairs, and billing asks an
// accountant, which is an agent too, as it would use a tool. The accountant pays back only what you allow. With OPENAI_API_KEY set a
// model of OpenAI speaks for all of them (OPENAI_BASE_URL and OPENAI_MODEL choose another one); without it a script does.
//
//	go run ./backend/examples/handoff "I paid twice for order 7"
package main

import (
	"bufio"
	"cmp"
	"context"
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
	"callboard/backend/model/openai"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Order names an order.
type Order struct {
	Number int `json:"number" jsonschema:"minimum=1"`
}

var payments = tool.Must(tool.Config[Order, []string]{
	Name: "list_payments", Description: "The payments of an order",
	Present: func(o Order) *tool.Presentation {
		return &tool.Presentation{Label: "Payments", Icon: "receipt", Detail: fmt.Sprint("order ", o.Number)}
	},
	Run: func(tool.Context, Order) ([]string, error) { return []string{"May 2: 30 EUR", "May 2: 30 EUR"}, nil },
})

var payBack = tool.Must(tool.Config[Order, string]{
	Name: "pay_back", Description: "Pays back the last payment of an order", Approval: tool.Always,
	SideEffects: []tool.SideEffect{tool.External},
	Present: func(o Order) *tool.Presentation {
		return &tool.Presentation{Label: "Pay back", Icon: "banknote", Detail: fmt.Sprint("30 EUR of order ", o.Number)}
	},
	Run: func(tool.Context, Order) (string, error) { return "paid back 30 EUR", nil },
})

// desk makes the agents, each with a model of its own, and returns the one that sorts.
func desk(backend func(agentName string) model.Backend) (*agent.Agent, error) {
	name := cmp.Or(os.Getenv("OPENAI_MODEL"), "gpt-5-mini")
	accountant := &agent.Agent{
		Name: "accountant", Description: "Looks into payments of an order, and pays back what was paid twice",
		Instructions: "Do what you are asked with the tools you have, and say in one sentence what you did.",
		Backend:      backend("accountant"), Model: name, Tools: []*tool.Tool{payments, payBack},
	}
	ask, err := agent.AsTool(accountant, agent.ToolConfig{Name: "ask_accountant"})
	if err != nil {
		return nil, err
	}
	billing := &agent.Agent{
		Name: "billing", Description: "Knows invoices and payments.", Instructions: "Answer in one sentence; the accountant knows the books.",
		Backend: backend("billing"), Model: name, Tools: []*tool.Tool{ask},
	}
	repairs := &agent.Agent{
		Name: "repairs", Description: "Knows what is broken.", Instructions: "Answer in one sentence.",
		Backend: backend("repairs"), Model: name,
	}
	return &agent.Agent{
		Name: "desk", Instructions: "Hand over to the agent that can help.", Backend: backend("desk"), Model: name,
		Handoffs: []*agent.Agent{billing, repairs},
	}, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	question := cmp.Or(strings.Join(os.Args[1:], " "), "I paid twice for order 7")
	if err := serve(ctx, backend, question, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// serve answers a question. What an agent may do only with a person's word, whichever it is, is asked on out and answered on in.
func serve(ctx context.Context, backend func(string) model.Backend, question string, in io.Reader, out io.Writer) (err error) {
	a, err := desk(backend)
	if err != nil {
		return err
	}
	var told protocol.Transcript
	runner := &agent.Runner{OnEvent: func(_ string, f protocol.Frame) {
		told.Apply(f)
		tell(out, &told, f.Event)
	}}
	defer func() { err = errors.Join(err, runner.Close(context.WithoutCancel(ctx))) }()
	outcome, err := runner.Run(ctx, a, agent.Input{Text: question})
	answers := bufio.NewScanner(in)
	for err == nil && outcome.Status == protocol.StatusPaused {
		p := outcome.Pending[0] // calls of an agent that takes them in order wait one by one
		_, _ = fmt.Fprintf(out, "%s, asked by %s: allow it? [y/N] ", p.Presentation.Detail, p.AgentName)
		allowed := answers.Scan() && strings.EqualFold(strings.TrimSpace(answers.Text()), "y")
		decision := approval.Decision{Approved: allowed, ArgumentsHash: p.ArgumentsHash, By: "you"}
		var handle *agent.Handle
		if _, handle, err = runner.Decide(ctx, p.ApprovalID, decision); err == nil {
			outcome, err = handle.Wait(ctx)
		}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", outcome.AgentName, outcome.Output)
	return err
}

// tell writes a line for each call that has a result, those of agents inside calls further in.
func tell(out io.Writer, t *protocol.Transcript, event protocol.Event) {
	result, ok := event.(*protocol.ToolResult)
	if !ok || result.Dropped {
		return
	}
	c := t.Call(result.ToolCallID)
	indent := ""
	for parent := c; parent.ParentToolCallID != ""; parent = t.Call(parent.ParentToolCallID) {
		indent += "  "
	}
	_, _ = fmt.Fprintf(out, "%s%s calls %s: %s\n", indent, c.AgentName, c.ToolName, cmp.Or(c.Error, string(c.Result)))
}

func backend(agentName string) model.Backend {
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		return &openai.Backend{Key: func() string { return key }, BaseURL: os.Getenv("OPENAI_BASE_URL")}
	}
	return &scripted.Backend{Name: agentName, Turns: map[string][]scripted.Turn{
		"desk": {scripted.CallTool("c1", "transfer_to_billing", `{"reason":"a payment"}`)},
		"billing": {
			scripted.CallTool("c1", "ask_accountant", `{"input":"Was order 7 paid twice? If so, pay it back."}`),
			scripted.Say("You paid twice, and the second payment is on its way back to you."),
		},
		"accountant": {
			scripted.CallTool("c1", "list_payments", `{"number":7}`), scripted.CallTool("c2", "pay_back", `{"number":7}`),
			scripted.Say("It was paid twice; I saw to it."),
		},
		"repairs": {scripted.Say("Switch it off and on again.")},
	}[agentName]}
}
