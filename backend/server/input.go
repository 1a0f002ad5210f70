package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/internal/openapi"
	"callboard/backend/model"
)

// inputBody is {input, context?, threadId?, pending?}.
type inputBody struct {
	input, threadID *string
	in              agent.Input
}

func (s *Server) inputBody(b *inputBody) body {
	return body{"RunRequest", "What an agent is to do", members{
		"input":    needed(text(&b.input, "What the agent is told; not blank")),
		"threadId": threadID(&b.threadID), "context": s.runContext(&b.in.Context), "pending": pending(&b.in.DenyPending),
	}}
}

func (s *Server) readInput(w http.ResponseWriter, r *http.Request) (agent.Input, error) {
	var b inputBody
	if err := s.readBody(w, r, s.inputBody(&b).members); err != nil {
		return agent.Input{}, err
	}
	b.in.Text = deref(b.input)
	if strings.TrimSpace(b.in.Text) == "" {
		return agent.Input{}, invalid("input: must be a string that is not blank")
	}
	var err error
	b.in.ThreadID, err = threadOf(b.threadID)
	return b.in, err
}

// chatMessage is one of those a chat client sends; only the last of a user is read.
type chatMessage struct {
	id      string
	role    model.Role
	content string
}

// chatBody is {messages, threadId?, metadata?, pending?}. The metadata is for clients' own use.
type chatBody struct {
	threadID *string
	metadata json.RawMessage
	messages []chatMessage
	in       agent.Input
}

func (b *chatBody) body() body {
	return body{"ChatRequest", "A conversation, whose last message of the user is what the agent is told", members{
		"messages": needed(chatMessages(&b.messages)), "threadId": threadID(&b.threadID),
		"metadata": anObject(&b.metadata, "For the client's own use; it is not read"), "pending": pending(&b.in.DenyPending),
	}}
}

func (s *Server) readChat(w http.ResponseWriter, r *http.Request) (agent.Input, error) {
	var b chatBody
	if err := s.readBody(w, r, b.body().members); err != nil {
		return agent.Input{}, err
	}
	in := b.in
	for _, m := range slices.Backward(b.messages) {
		if m.role == model.RoleUser {
			in.Text, in.MessageID = m.content, m.id
			break
		}
	}
	if strings.TrimSpace(in.Text) == "" {
		return agent.Input{}, invalid("messages: the last message of the user must have content that is not blank")
	}
	var err error
	in.ThreadID, err = threadOf(b.threadID)
	return in, err
}

func chatMessages(to *[]chatMessage) member {
	about := "The last one of the user is what the agent is told; those before it are not read, since the thread has the history"
	item := schemaOf(new(messageBody).members(), "")
	return member{schema: openapi.ListOf(item, about), take: func(value json.RawMessage) error {
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
	}}
}

// messageBody is {id?, role, content, metadata?}.
type messageBody struct {
	id, role, content *string
	metadata          json.RawMessage
}

func (b *messageBody) members() members {
	return members{
		"id": text(&b.id, "The id the message gets in the thread"), "content": needed(text(&b.content, "")),
		"role":     needed(oneOf(text(&b.role, ""), model.RoleUser, model.RoleAssistant, model.RoleSystem, model.RoleTool)),
		"metadata": anObject(&b.metadata, "For the client's own use; it is not read"),
	}
}

func readMessage(value json.RawMessage) (chatMessage, error) {
	var b messageBody
	if err := readObject(value, b.members()); err != nil {
		return chatMessage{}, err
	}
	m := chatMessage{id: deref(b.id), role: model.Role(deref(b.role)), content: deref(b.content)}
	switch m.role {
	case model.RoleUser, model.RoleAssistant, model.RoleSystem, model.RoleTool:
	default:
		return chatMessage{}, errors.New("role: must be user, assistant, system or tool")
	}
	if b.content == nil {
		return chatMessage{}, errors.New("content: must be a string")
	}
	return m, nil
}

// threadID takes the id of a thread.
func threadID(to **string) member {
	return text(to, "The thread to go on with, not blank; one that is not known is begun. Without it a thread is begun under an id of the server's")
}

// threadOf is the id of a thread as a body gave it, empty when it gave none.
func threadOf(id *string) (string, error) {
	if id != nil && strings.TrimSpace(*id) == "" {
		return "", invalid("threadId: must be a string that is not blank")
	}
	return deref(id), nil
}

// runContext takes what a run's tools are told of the one who asks.
func (s *Server) runContext(to *json.RawMessage) member {
	var (
		unused *string
		any    json.RawMessage
	)
	known := members{"userId": text(&unused, ""), "channelType": text(&unused, ""), "channelId": text(&unused, "")}
	for _, key := range s.ContextKeys {
		if _, twice := known[key]; !twice {
			known[key] = raw(&any, "")
		}
	}
	schema := openapi.OrNull(schemaOf(known, "What the run's tools are told of the one who asks"))
	return member{schema: schema, take: func(value json.RawMessage) error {
		if isNull(value) {
			return nil
		}
		err := readObject(value, known)
		if err == nil {
			*to = value
		}
		return err
	}}
}

func pending(deny *bool) member {
	about := "Denies what a run of the thread waits for, so that this one can begin; without it that is RUN_PAUSED"
	schema := openapi.Of("string", about)
	schema.Enum = []any{"deny"}
	return member{schema: openapi.OrNull(schema), take: func(value json.RawMessage) error {
		if !isNull(value) && string(value) != `"deny"` {
			return errors.New(`must be "deny" or left out`)
		}
		*deny = !isNull(value)
		return nil
	}}
}
