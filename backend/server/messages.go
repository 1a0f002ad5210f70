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
	"callboard/backend/internal/openapi"
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

// historyBody is {role, content, reasoning?, toolCalls?, toolResults?, images?, metadata?}.
type historyBody struct {
	role, content, reasoning *string
	message                  model.Message
}

func (b *historyBody) body() body {
	return body{"MessageRequest", "A message for the end of a thread's history", members{
		"role":      needed(oneOf(text(&b.role, "tool for operators alone"), model.RoleUser, model.RoleAssistant, model.RoleTool)),
		"content":   text(&b.content, "Not blank, unless the message has calls or is a tool's result"),
		"reasoning": text(&b.reasoning, "The model's, before what it said"),
		"metadata":  anObject(&b.message.Metadata, "For the client's own use"),
		"toolCalls": toolCalls(&b.message.ToolCalls), "toolResults": toolResult(&b.message), "images": images(&b.message.Images),
	}}
}

func (s *Server) readHistory(w http.ResponseWriter, r *http.Request) (*model.Message, error) {
	b := historyBody{message: model.Message{ID: "msg_" + rand.Text(), AtMs: time.Now().UnixMilli()}}
	if err := s.readBody(w, r, b.body().members); err != nil {
		return nil, err
	}
	m := &b.message
	m.Role, m.Content, m.Reasoning = model.Role(deref(b.role)), deref(b.content), deref(b.reasoning)
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
func toolCalls(to *[]model.ToolCall) member {
	about := "Of the assistant; for operators alone"
	item := schemaOf(new(calledBody).members(), "")
	return member{schema: openapi.OrNull(openapi.ListOf(item, about)), take: func(value json.RawMessage) error {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return errors.New("must be a list of calls")
		}
		for _, item := range list {
			var b calledBody
			if err := readObject(item, b.members()); err != nil {
				return err
			}
			call := model.ToolCall{ID: deref(b.id), Name: deref(b.name), Arguments: string(b.parsed)}
			if b.exact != nil {
				call.Arguments = *b.exact
			}
			if call.ID == "" || call.Name == "" {
				return errors.New("each call needs an id and a name")
			}
			*to = append(*to, call)
		}
		return nil
	}}
}

// calledBody is {id, name, argumentsText?, arguments?}.
type calledBody struct {
	id, name, exact *string
	parsed          json.RawMessage
}

func (b *calledBody) members() members {
	return members{
		"id": needed(text(&b.id, "Not empty")), "name": needed(text(&b.name, "The tool's; not empty")),
		"argumentsText": text(&b.exact, "The arguments' JSON text, exact; wins over arguments"), "arguments": raw(&b.parsed, ""),
	}
}

// toolResult takes the call a message is the result of: [{toolCallId, toolName}]; what came of it is the content.
func toolResult(to *model.Message) member {
	schema := openapi.ListOf(schemaOf(new(resultBody).members(), ""), "The call that a message of the role tool is the result of; what came of it is the content")
	schema.MaxItems = 1
	return member{schema: openapi.OrNull(schema), take: func(value json.RawMessage) error {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) > 1 {
			return errors.New("must be a list of one result")
		}
		for _, item := range list {
			var b resultBody
			if err := readObject(item, b.members()); err != nil {
				return err
			}
			if to.ToolCallID, to.ToolName = deref(b.id), deref(b.name); to.ToolCallID == "" {
				return errors.New("a result needs the id of its call")
			}
		}
		return nil
	}}
}

// resultBody is {toolCallId, toolName?, result?}.
type resultBody struct {
	id, name *string
	result   json.RawMessage
}

func (b *resultBody) members() members {
	return members{
		"toolCallId": needed(text(&b.id, "Not empty")), "toolName": text(&b.name, ""),
		"result": raw(&b.result, "The content once more, as GET /threads/{id} tells it; it is not read"),
	}
}

// images takes the images of a result: [{hash, mediaType, bytes, width?, height?}].
func images(to *[]model.Image) member {
	about := "What a message of the role tool shows: blobs this server has, by their hashes"
	return member{schema: openapi.OrNull(openapi.ListOf(openapi.Ref(imageName), about)), take: func(value json.RawMessage) error {
		if json.Unmarshal(value, to) != nil {
			return errors.New("must be a list of images")
		}
		return nil
	}}
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
