package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/model"
)

// readInput reads {input, context?, threadId?, pending?}.
func (s *Server) readInput(w http.ResponseWriter, r *http.Request) (agent.Input, error) {
	var (
		input, threadID *string
		in              agent.Input
	)
	err := s.readBody(w, r, members{
		"input": text(&input), "threadId": text(&threadID), "context": s.runContext(&in.Context), "pending": pending(&in.DenyPending),
	})
	if err != nil {
		return agent.Input{}, err
	}
	in.Text = deref(input)
	if strings.TrimSpace(in.Text) == "" {
		return agent.Input{}, invalid("input: must be a string that is not blank")
	}
	in.ThreadID, err = threadOf(threadID)
	return in, err
}

// chatMessage is one of those a chat client sends; only the last of a user is read.
type chatMessage struct {
	id      string
	role    model.Role
	content string
}

// readChat reads {messages, threadId?, metadata?, pending?}. The metadata is for clients' own use.
func (s *Server) readChat(w http.ResponseWriter, r *http.Request) (agent.Input, error) {
	var (
		threadID *string
		metadata json.RawMessage
		messages []chatMessage
		in       agent.Input
	)
	err := s.readBody(w, r, members{
		"messages": chatMessages(&messages), "threadId": text(&threadID), "metadata": anObject(&metadata), "pending": pending(&in.DenyPending),
	})
	if err != nil {
		return agent.Input{}, err
	}
	for _, m := range slices.Backward(messages) {
		if m.role == model.RoleUser {
			in.Text, in.MessageID = m.content, m.id
			break
		}
	}
	if strings.TrimSpace(in.Text) == "" {
		return agent.Input{}, invalid("messages: the last message of the user must have content that is not blank")
	}
	in.ThreadID, err = threadOf(threadID)
	return in, err
}

func chatMessages(to *[]chatMessage) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return errors.New("must be a list of messages")
		}
		for i, item := range list {
			m, err := readMessage(item)
			if err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}
			*to = append(*to, m)
		}
		return nil
	}
}

func readMessage(value json.RawMessage) (chatMessage, error) {
	var (
		id, role, content *string
		metadata          json.RawMessage
	)
	err := readObject(value, members{"id": text(&id), "role": text(&role), "content": text(&content), "metadata": anObject(&metadata)})
	if err != nil {
		return chatMessage{}, err
	}
	m := chatMessage{id: deref(id), role: model.Role(deref(role)), content: deref(content)}
	switch m.role {
	case model.RoleUser, model.RoleAssistant, model.RoleSystem, model.RoleTool:
	default:
		return chatMessage{}, errors.New("role: must be user, assistant, system or tool")
	}
	if content == nil {
		return chatMessage{}, errors.New("content: must be a string")
	}
	return m, nil
}

// threadOf is the id of a thread as a body gave it, empty when it gave none.
func threadOf(id *string) (string, error) {
	if id != nil && strings.TrimSpace(*id) == "" {
		return "", invalid("threadId: must be a string that is not blank")
	}
	return deref(id), nil
}

// runContext takes what a run's tools are told of the one who asks.
func (s *Server) runContext(to *json.RawMessage) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var unused *string
		known := members{"userId": text(&unused), "channelType": text(&unused), "channelId": text(&unused)}
		for _, key := range s.ContextKeys {
			if known[key] == nil {
				known[key] = func(json.RawMessage) error { return nil }
			}
		}
		if isNull(value) {
			return nil
		}
		err := readObject(value, known)
		if err == nil {
			*to = value
		}
		return err
	}
}

func pending(deny *bool) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		if !isNull(value) && string(value) != `"deny"` {
			return errors.New(`must be "deny" or left out`)
		}
		*deny = !isNull(value)
		return nil
	}
}
