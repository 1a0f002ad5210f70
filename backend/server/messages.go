package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/redact"
)

// addMessage puts a message at the end of a thread's history, and makes the thread when it is new. While a run is in the thread the
// history is the run's. An operator may add calls and their results too, as GET /threads/{id} tells them: so a thread is begun with
// the history of another one.
func (s *Server) addMessage(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	m, err := s.readHistory(w, r)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if strings.TrimSpace(id) == "" {
		return invalid("the thread's id is blank")
	}
	if v.name != redact.Operator && (m.Role == model.RoleTool || len(m.ToolCalls) > 0) {
		return &failure{status: http.StatusForbidden, code: CodeForbidden, message: "Only the operator may add calls and their results."}
	}
	if err := s.checkIdle(r.Context(), id); err != nil {
		return err
	}
	batch := &agent.Batch{Run: agent.Run{ThreadID: id}, Messages: []*model.Message{m}}
	for _, image := range m.Images {
		body, mediaType, err := s.log.Blob(r.Context(), image.Hash)
		if errors.Is(err, agent.ErrNotFound) {
			return invalid("images: there is no blob %q here", image.Hash)
		}
		if err != nil {
			return err
		}
		batch.Blobs = append(batch.Blobs, agent.Blob{Hash: image.Hash, MediaType: mediaType, Body: body})
	}
	if err := s.log.Append(context.WithoutCancel(r.Context()), batch); err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, messageAnswerOf(m))
	return nil
}

// readHistory reads {role, content, reasoning?, toolCalls?, toolResults?, images?, metadata?}.
func (s *Server) readHistory(w http.ResponseWriter, r *http.Request) (*model.Message, error) {
	var (
		role, content, reasoning *string
		m                        = &model.Message{ID: "msg_" + rand.Text(), AtMs: time.Now().UnixMilli()}
	)
	err := s.readBody(w, r, members{
		"role": text(&role), "content": text(&content), "reasoning": text(&reasoning), "metadata": anObject(&m.Metadata),
		"toolCalls": toolCalls(&m.ToolCalls), "toolResults": toolResult(m), "images": images(&m.Images),
	})
	if err != nil {
		return nil, err
	}
	m.Role, m.Content, m.Reasoning = model.Role(deref(role)), deref(content), deref(reasoning)
	switch {
	case m.Role != model.RoleUser && m.Role != model.RoleAssistant && m.Role != model.RoleTool:
		return nil, invalid("role: must be user, assistant or tool")
	case len(m.ToolCalls) > 0 && m.Role != model.RoleAssistant:
		return nil, invalid("toolCalls: only an assistant's message has any")
	case (m.ToolCallID != "") != (m.Role == model.RoleTool):
		return nil, invalid("toolResults: a message of the role tool has one, no other has any")
	case len(m.Images) > 0 && m.Role != model.RoleTool:
		return nil, invalid("images: only a message of the role tool has any")
	case strings.TrimSpace(m.Content) == "" && m.Role != model.RoleTool && len(m.ToolCalls) == 0:
		return nil, invalid("content: must be a string that is not blank")
	}
	return m, nil
}

// toolCalls takes calls a model wrote: [{id, name, argumentsText}].
func toolCalls(to *[]model.ToolCall) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return errors.New("must be a list of calls")
		}
		for _, item := range list {
			var id, name, exact *string
			var parsed json.RawMessage
			err := readObject(item, members{"id": text(&id), "name": text(&name), "argumentsText": text(&exact), "arguments": raw(&parsed)})
			if err != nil {
				return err
			}
			call := model.ToolCall{ID: deref(id), Name: deref(name), Arguments: string(parsed)}
			if exact != nil {
				call.Arguments = *exact
			}
			if call.ID == "" || call.Name == "" {
				return errors.New("each call needs an id and a name")
			}
			*to = append(*to, call)
		}
		return nil
	}
}

// toolResult takes the call a message is the result of: [{toolCallId, toolName}]; what came of it is the content.
func toolResult(to *model.Message) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) > 1 {
			return errors.New("must be a list of one result")
		}
		for _, item := range list {
			var id, name *string
			var result json.RawMessage // the content, once more
			if err := readObject(item, members{"toolCallId": text(&id), "toolName": text(&name), "result": raw(&result)}); err != nil {
				return err
			}
			if to.ToolCallID, to.ToolName = deref(id), deref(name); to.ToolCallID == "" {
				return errors.New("a result needs the id of its call")
			}
		}
		return nil
	}
}

// images takes the images of a result: [{hash, mediaType, bytes, width?, height?}].
func images(to *[]model.Image) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		if json.Unmarshal(value, to) != nil {
			return errors.New("must be a list of images")
		}
		return nil
	}
}

// checkIdle refuses what a thread with an unfinished run does not take.
func (s *Server) checkIdle(ctx context.Context, threadID string) error {
	runs, err := s.log.Runs(ctx, agent.RunQuery{
		ThreadID: threadID, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil || len(runs) == 0 {
		return err
	}
	if runs[0].Status == protocol.StatusRunning {
		return agent.ErrBusy
	}
	return conflict(CodeRunPaused, "the thread's run waits for a decision")
}
