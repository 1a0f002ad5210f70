package agent

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"callboard/backend/model"
	"callboard/backend/tool"
)

// byHandPrefix begins the names of the agents that ByHand makes.
const byHandPrefix = "by-hand:"

// ByHandName is what ByHand calls the agent of a tool.
func ByHandName(toolName string) string { return byHandPrefix + toolName }

// ByHandTool is the tool of an agent that ByHandName named; ok is false for any other agent.
func ByHandTool(agentName string) (toolName string, ok bool) {
	return strings.CutPrefix(agentName, byHandPrefix)
}

// ByHand makes the agent with which a person calls one tool of another agent: each message of its threads is the arguments' text of
// a call, and it says nothing of the result. A run of it is like any other, so that its calls are checked, wait, report, are
// cancelled and are stored as those of a do. What a has around its calls is around these: its limits, its OnToolError, and the
// BeforeCall and AfterCall of its Middleware. What it has around its model is not: here there is none.
//
// t is nil for a tool that is not there any more: a call of it is answered so. The agent's name is ByHandName(toolName).
func ByHand(a *Agent, toolName string, t *tool.Tool) *Agent {
	made := &Agent{
		Name: ByHandName(toolName), Description: "Makes one call with the arguments a person wrote",
		Backend: hand{toolName}, OwnToolsOnly: true, OnToolError: a.OnToolError, MaxResultLength: a.MaxResultLength,
		ApprovalTTL: a.ApprovalTTL, Timeout: a.Timeout,
	}
	if t != nil {
		made.Tools = []*tool.Tool{t}
	}
	made.Middleware = slices.Clone(a.Middleware)
	for i := range made.Middleware {
		m := &made.Middleware[i]
		if m.Name == "" {
			m.Name = fmt.Sprint(i + 1)
		}
		m.BeforeModel, m.AfterModel, m.HoldBack = nil, nil, false
	}
	return made
}

// hand is a model that calls one tool with the text of the last message, and has nothing to say about the result.
type hand struct{ toolName string }

// Stream makes the call, ends after its result, or says what kind of message it takes.
func (h hand) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(model.Chunk{}, fmt.Errorf("call %s by hand: %w", h.toolName, err))
			return
		}
		for _, chunk := range h.answer(request) {
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

func (h hand) answer(request *model.Request) []model.Chunk {
	last := request.Messages[len(request.Messages)-1]
	if last.Role != model.RoleUser {
		return []model.Chunk{{FinishReason: model.FinishStop}}
	}
	value, err := tool.Read(last.Content)
	if _, object := value.(map[string]any); !object && (err == nil || !strings.HasPrefix(strings.TrimSpace(last.Content), "{")) {
		said := fmt.Sprintf("In this thread %s is tried by hand: a message is its arguments, a JSON object.", h.toolName)
		return []model.Chunk{{Text: said}, {FinishReason: model.FinishStop}}
	}
	return []model.Chunk{
		{ToolCalls: []model.ToolCall{{Name: h.toolName, Arguments: last.Content}}}, {FinishReason: model.FinishToolCalls},
	}
}
