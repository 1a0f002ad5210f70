package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

// ask makes the turn's request, again after failures that may pass and answers that do not fit, and returns the answer that came
// whole and was checked.
func (x *run) ask(last bool) (*answer, error) {
	var again retries
	event := x.turnEvent(protocol.TurnStart)
	event.Held = x.agent.HoldsBack()
	if x.tries > 0 {
		event.Phase, event.Code = protocol.TurnRetry, CodeRunInterrupted
		event.Reason = "The program stopped while the model was answering."
	}
	try := x.tries
	for x.tries = 0; ; try++ {
		a := &answer{
			run: x, turn: x.turn, try: try, began: x.runner.now(), held: x.agent.HoldsBack(), quiet: x.agent.Output.isQuiet(),
		}
		event.Cut = x.cutHistory()
		x.sink.write(func(b *Batch, run *Run) {
			run.Turn = max(run.Turn, x.turn)
			b.Requests = append(b.Requests, Request{
				RunID: x.id, ThreadID: x.threadID, AgentName: x.agent.Name, Turn: x.turn, Try: try, AtMs: a.began.UnixMilli(),
				ParentToolCallID: x.parentID(),
			})
		}, event)
		if err := x.sink.commit(); err != nil {
			return nil, err
		}
		noTools := last || len(again.said) > 0
		err := x.stream(a, noTools, again.said)
		if err == nil {
			err = a.review(!noTools, again.repairs < x.agent.Output.maxRepairs())
		}
		var blocked *block
		if errors.As(err, &blocked) {
			a.blocked, err = &blocked.withheld, nil
		}
		if err == nil {
			a.usage = addUsage(again.spent, a.usage)
			return a, nil
		}
		reason, wait, retry := again.after(a, err)
		if !retry {
			a.abandon()
			x.keepText(a)
			if x.ctx.Err() != nil {
				return nil, context.Cause(x.ctx)
			}
			return nil, err
		}
		a.takeBack()
		event = x.turnEvent(protocol.TurnRetry)
		event.Reason, event.Code = reason, asRunError(err).Code
		select {
		case <-time.After(wait):
		case <-x.ctx.Done():
			return nil, context.Cause(x.ctx)
		}
	}
}

// stream makes one request: of what the model is to read, and what was said of a try before that did not fit.
func (x *run) stream(a *answer, noTools bool, said []*model.Message) error {
	request := &model.Request{
		Model: x.agent.Model, Agent: x.agent.Name, ThreadID: x.threadID, Index: x.asks(x.agent.Name),
		Messages: x.reads(said), Tools: slices.Clip(x.schemas), NoTools: noTools,
		Temperature: x.agent.Temperature, MaxTokens: x.agent.MaxTokens, Memo: &x.memo,
		Image: x.runner.image,
	}
	if x.agent.Output != nil {
		request.ResponseSchema = x.agent.Output.schema()
	}
	if err := x.beforeModel(request); err != nil {
		return err
	}
	x.remember(request.Messages)
	for chunk, err := range x.agent.Backend.Stream(x.ctx, request) {
		if x.ctx.Err() != nil {
			return context.Cause(x.ctx)
		}
		a.take(chunk)
		if err != nil {
			return err
		}
	}
	return x.ctx.Err()
}

// endTurn tells the turn's end and puts what the model said into the history, in one transaction.
func (x *run) endTurn(a *answer, calls []*call) {
	message := a.message()
	for _, c := range calls {
		message.ToolCalls = append(message.ToolCalls, c.asModel())
	}
	end := x.turnEvent(protocol.TurnEnd)
	end.FinishReason, end.Usage, end.FirstTokenMs = a.finishReason(len(calls)), a.usage, a.firstToken
	x.sink.write(func(b *Batch, run *Run) {
		run.Usage = addUsage(run.Usage, a.usage)
		if message.Content != "" || len(message.ToolCalls) > 0 {
			x.keep(b, message)
			x.history = append(x.history, message)
		}
		for _, c := range calls {
			if string(c.args) != c.arguments { // the message has what it runs with; what the model wrote is kept here
				b.Calls = append(b.Calls, Call{
					RunID: x.id, ToolCallID: c.id, ParentToolCallID: c.parentID, ToolName: c.name, Turn: x.turn,
					State: protocol.StateProposed, Proposed: string(c.args), Executed: c.arguments,
				})
			}
		}
	}, end)
}

func (a *answer) message() *model.Message {
	return &model.Message{
		ID: turnMessageID(a.id, a.turn), Role: model.RoleAssistant, Content: a.text.String(), Reasoning: a.thought.String(),
		RunID: a.id, AtMs: a.runner.now().UnixMilli(),
	}
}

func (a *answer) finishReason(calls int) model.FinishReason {
	switch {
	case a.finish != "":
		return a.finish
	case calls > 0:
		return model.FinishToolCalls
	}
	return model.FinishStop
}

// keepText lets the next run read what a turn that did not end had said.
func (x *run) keepText(a *answer) {
	if a.text.Len() == 0 || x.parent != nil {
		return
	}
	message := a.message()
	x.sink.write(func(b *Batch, _ *Run) { b.Messages = append(b.Messages, message) })
}

// retryDelay is how long to wait before try+1: what the provider asked for, else a second, doubled each time, with jitter.
func (r *Runner) retryDelay(try int, asked time.Duration) time.Duration {
	const most = time.Minute
	if asked > 0 {
		return min(asked, most)
	}
	base := r.RetryDelay
	if base == 0 {
		base = time.Second
	}
	delay := min(base<<min(try, 6), most)
	return delay - time.Duration(rand.Int64N(int64(delay)/4+1))
}
