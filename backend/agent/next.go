package agent

import (
	"context"
	"fmt"

	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Next is what the next request in a thread will send. Of a run that is not over it lacks the results that are still to come.
type Next struct {
	AgentName string
	Model     string   // empty is the backend's default
	Tools     []string // the names
	Messages  []*model.Message
	Repairs   []Repair
	Cut       *protocol.Cut // what of the history is left out of Messages; nil when nothing is
}

// Next tells what the next request in a thread will send: that of the run that is not over, else one of the agent named, before
// its new message. It returns ErrNotFound for a thread or an agent there is not.
func (r *Runner) Next(ctx context.Context, agentName, threadID string) (*Next, error) {
	thread, err := r.store().Thread(ctx, threadID)
	if err != nil {
		return nil, fmt.Errorf("load thread %s: %w", threadID, err)
	}
	runs, err := r.store().Runs(ctx, RunQuery{
		ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused},
	})
	if err != nil {
		return nil, fmt.Errorf("look for unfinished runs of thread %s: %w", threadID, err)
	}
	a, open := (*Agent)(nil), ""
	if len(runs) > 0 {
		st := runs[len(runs)-1]
		_, open = openCalls(st, thread.Messages)
		a, err = r.agentOf(ctx, st)
	} else {
		a, err = r.resolve(ctx, agentName, threadID)
	}
	if err != nil {
		return nil, err
	}
	next := &Next{AgentName: a.Name, Model: a.Model}
	var schemas []model.ToolSchema
	for _, t := range r.Offered(a) {
		next.Tools = append(next.Tools, t.Name)
		schemas = append(schemas, model.ToolSchema(t.Schema()))
	}
	history, repairs := a.historyOf(thread, open)
	w := a.newWindow(schemas)
	w.take(history)
	next.Messages, next.Repairs, next.Cut = w.goes(history), repairs, w.cut(history)
	return next, nil
}

// Offered are the tools an agent can call in a run, each name once: its own, those that hand over, then those of Runner.Tools.
func (r *Runner) Offered(a *Agent) []*tool.Tool {
	var shared []*tool.Tool
	if !a.OwnToolsOnly {
		shared = r.Tools.All()
	}
	seen := make(map[string]bool, len(a.Tools)+len(shared))
	tools := make([]*tool.Tool, 0, len(a.Tools)+len(shared))
	for _, list := range [][]*tool.Tool{a.Tools, a.transfers(), shared} {
		for _, t := range list {
			if !seen[t.Name] {
				seen[t.Name] = true
				tools = append(tools, t)
			}
		}
	}
	return tools
}
