package studio

import (
	"net/http"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/remote"
)

// nextView is what the next request of a thread will send, and what had to be repaired for it.
type nextView struct {
	AgentName string        `json:"agentName"`
	Model     string        `json:"model"` // empty: the built-in script, or none is chosen
	Tools     []string      `json:"tools"`
	Messages  []nextMessage `json:"messages"`
	LeftOut   []leftOut     `json:"leftOut,omitempty"`
	Cut       *protocol.Cut `json:"cut,omitempty"` // what of the history is too much for the model, and is not sent
}

type nextMessage struct {
	ID         string        `json:"id"`
	Role       model.Role    `json:"role"`
	Content    string        `json:"content"`
	ToolCalls  []nextCall    `json:"toolCalls,omitempty"`
	ToolCallID string        `json:"toolCallId,omitempty"`
	Images     []model.Image `json:"images,omitempty"`
	RunID      string        `json:"runId,omitempty"`
	Repaired   string        `json:"repaired,omitempty"` // why it is not as the history has it
}

type nextCall struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	ArgumentsText string `json:"argumentsText"`
}

// leftOut is a message of the history that is not sent.
type leftOut struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

func (s *Studio) getNext(w http.ResponseWriter, r *http.Request) {
	ctx, id := r.Context(), r.PathValue("id")
	thread, err := s.db.ThreadSummary(ctx, id)
	if err != nil {
		s.fail(w, err)
		return
	}
	t, err := s.boundThread(ctx, id, thread.AgentName)
	var next *agent.Next
	if _, name := remote.Split(t.AgentName); name != "" && err == nil {
		err = invalid("What the next request sends is made by %s, and not known here.", name)
	}
	if err == nil {
		next, err = s.runner.Next(ctx, t.AgentName, id)
		err = asMissing(err, t.AgentName)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, viewNext(next))
}

func viewNext(next *agent.Next) nextView {
	view := nextView{AgentName: next.AgentName, Model: next.Model, Tools: next.Tools, Messages: make([]nextMessage, 0, len(next.Messages)), Cut: next.Cut}
	repaired := map[string]string{}
	for _, repair := range next.Repairs {
		if repair.Left {
			view.LeftOut = append(view.LeftOut, leftOut{repair.MessageID, repair.Why})
		} else {
			repaired[repair.MessageID] = repair.Why
		}
	}
	for _, m := range next.Messages {
		message := nextMessage{
			ID: m.ID, Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID, RunID: m.RunID, Repaired: repaired[m.ID], Images: m.Images,
		}
		for _, c := range m.ToolCalls {
			message.ToolCalls = append(message.ToolCalls, nextCall{c.ID, c.Name, c.Arguments})
		}
		view.Messages = append(view.Messages, message)
	}
	return view
}
