package aisdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"callboard/backend/protocol"
)

// Said is what the messages of a request ask for: Text, or an answer to what a run waits for.
type Said struct {
	MessageID string // of the message that was read: the user's, or the assistant's whose calls are answered
	Text      string
	Answers   []Answer // in the order of the calls
}

// Answer is what a person said to an approval.
type Answer struct {
	ApprovalID    string
	Approved      bool
	Reason        string
	ArgumentsHash string // of the arguments that were shown; empty where none were
}

// message is a UI message, as far as it is read.
type message struct {
	ID    string            `json:"id"`
	Role  string            `json:"role"`
	Parts []json.RawMessage `json:"parts"`
}

// Read reads the messages of a request, a JSON list. Only the last one counts, since the thread has the history: text of the user, or
// the assistant's message with the answers to its approvals. Automatic answers are not a person's and are passed over.
func Read(messages json.RawMessage) (*Said, error) {
	var list []json.RawMessage
	if json.Unmarshal(messages, &list) != nil {
		return nil, errors.New("must be a list of UI messages")
	}
	if len(list) == 0 {
		return nil, errors.New("must hold a message")
	}
	said, err := ReadOne(list[len(list)-1])
	if err != nil {
		return nil, fmt.Errorf("the last message: %w", err)
	}
	return said, nil
}

// ReadOne is Read of the last message alone.
func ReadOne(last json.RawMessage) (*Said, error) {
	var m message
	if json.Unmarshal(last, &m) != nil || m.Parts == nil {
		return nil, errors.New("must be a UI message with a role and a list of parts")
	}
	said := &Said{MessageID: m.ID}
	switch m.Role {
	case "user":
		return said, said.readText(m.Parts)
	case "assistant":
		return said, said.readAnswers(m.Parts)
	}
	return nil, errors.New("role: must be user, or assistant with answers to approvals")
}

func (s *Said) readText(parts []json.RawMessage) error {
	var texts []string
	for i, raw := range parts {
		var part struct{ Type, Text string }
		if json.Unmarshal(raw, &part) != nil || part.Type == "" {
			return fmt.Errorf("part %d: must be an object with a type", i)
		}
		switch {
		case part.Type == "text":
			texts = append(texts, part.Text)
		case strings.HasPrefix(part.Type, "data-"): // for the client's own use
		default:
			return fmt.Errorf("part %d: an agent takes text, not %q", i, part.Type)
		}
	}
	s.Text = strings.Join(texts, "\n")
	if strings.TrimSpace(s.Text) == "" {
		return errors.New("must have text that is not blank")
	}
	return nil
}

func (s *Said) readAnswers(parts []json.RawMessage) error {
	for i, raw := range parts {
		var part struct {
			State    string
			Approval *struct {
				ID          string
				Approved    *bool
				Reason      string
				IsAutomatic bool
				Descriptor  *protocol.Approval
			}
		}
		if err := json.Unmarshal(raw, &part); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
		a := part.Approval
		if part.State != "approval-responded" || a == nil || a.IsAutomatic {
			continue
		}
		if a.ID == "" || a.Approved == nil {
			return fmt.Errorf("part %d: its approval must have an id and say whether it is approved", i)
		}
		answer := Answer{ApprovalID: a.ID, Approved: *a.Approved, Reason: a.Reason}
		if a.Descriptor != nil {
			answer.ArgumentsHash = a.Descriptor.ArgumentsHash
		}
		if slices.ContainsFunc(s.Answers, func(other Answer) bool { return other.ApprovalID == a.ID }) {
			return fmt.Errorf("part %d: approval %q comes twice", i, a.ID)
		}
		s.Answers = append(s.Answers, answer)
	}
	if len(s.Answers) == 0 {
		return errors.New("it is the assistant's, and no approval of it has an answer")
	}
	return nil
}
