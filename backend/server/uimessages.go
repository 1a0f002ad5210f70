package server

import (
	"context"
	"errors"
	"net/http"

	"callboard/backend/agent"
	"callboard/backend/aisdk"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// uiMessagesAnswer is what useChat begins with.
type uiMessagesAnswer struct {
	Messages []*aisdk.Message `json:"messages"`
}

const uiMessagesMore = "The message that is under way, or waits for a person, is not among them: it is the stream's. A chat that nothing was said in has none."

// uiMessages gives a thread as UI messages: of each run what the user said and the message its events come to, in the client's view, and
// between them those no run has.
func (s *Server) uiMessages(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	if err := s.checkNamed(r); err != nil {
		return err
	}
	answer := uiMessagesAnswer{Messages: []*aisdk.Message{}}
	thread, err := s.log.Thread(r.Context(), r.PathValue("id"))
	if errors.Is(err, agent.ErrNotFound) {
		writeJSON(w, http.StatusOK, answer)
		return nil
	}
	if err != nil {
		return err
	}
	runs, err := s.log.Runs(r.Context(), agent.RunQuery{ThreadID: thread.ID, Bare: true})
	if err != nil {
		return err
	}
	open := map[string]bool{} // of whom the stream tells
	for _, run := range runs {
		open[run.ID] = !run.Status.Ended()
	}
	told := map[string]bool{}
	for _, m := range thread.Messages {
		switch {
		case m.RunID == "" && (m.Role == model.RoleUser || m.Role == model.RoleAssistant):
			seen := v.message(m)
			answer.Messages = append(answer.Messages, aisdk.Text(seen.ID, string(seen.Role), seen.Content))
		case m.RunID != "" && !told[m.RunID]:
			told[m.RunID] = true
			said, err := s.uiMessagesOf(r.Context(), v, m.RunID)
			if err != nil {
				return err
			}
			if open[m.RunID] && len(said) > 0 {
				said = said[:len(said)-1]
			}
			answer.Messages = append(answer.Messages, said...)
		}
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// uiMessagesOf are what a run was started with, if it was with a message, and its own message, last.
func (s *Server) uiMessagesOf(ctx context.Context, v view, runID string) ([]*aisdk.Message, error) {
	var said []*aisdk.Message
	var mapper aisdk.Mapper
	own := &aisdk.Message{Role: string(model.RoleAssistant), Parts: []*aisdk.Part{}}
	add := func(chunks []aisdk.Chunk) {
		for _, c := range chunks {
			own.Add(c)
		}
	}
	read := v.events(s.log.Events)
	for after := int64(0); ; {
		records, err := read(ctx, runID, after, pageSize)
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			break
		}
		for _, record := range records {
			after = record.Seq
			frame, err := protocol.DecodeFrame(record.Seq, record.JSON)
			if err != nil {
				continue // what is no event adds nothing to a message
			}
			if e, ok := frame.Event.(*protocol.Message); ok {
				said = append(said, aisdk.Text(e.MessageID, string(e.Role), e.Content))
			}
			add(mapper.Push(frame.Event))
		}
	}
	add(mapper.Flush())
	return append(said, own), nil
}
