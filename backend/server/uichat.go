package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/aisdk"
	"callboard/backend/approval"
	"callboard/backend/internal/openapi"
	"callboard/backend/protocol"
)

// uiForm makes the UI message stream of the AI SDK of a run's events. Those up to has are only folded: the client has them.
type uiForm struct {
	mapper aisdk.Mapper
	has    int64
}

func (u *uiForm) event(dst []byte, seq int64, text []byte) ([]byte, error) {
	var chunks []aisdk.Chunk
	if frame, err := protocol.DecodeFrame(seq, text); err == nil { // what is no event adds nothing to a message
		chunks = u.mapper.Push(frame.Event)
	}
	if 0 < seq && seq <= u.has {
		return dst, nil
	}
	return appendChunks(dst, chunks)
}

func (u *uiForm) flush(dst []byte) ([]byte, error) { return appendChunks(dst, u.mapper.Flush()) }

func appendChunks(dst []byte, chunks []aisdk.Chunk) ([]byte, error) {
	var text []byte
	for _, chunk := range chunks {
		var err error
		if text, err = chunk.AppendJSON(text[:0]); err != nil {
			return dst, err
		}
		dst = protocol.AppendSSE(dst, 0, text)
	}
	return dst, nil
}

// uiChatBody is what useChat sends: {id, messages or message, trigger?, messageId?}, with what /run takes beside.
type uiChatBody struct {
	in                     agent.Input
	said                   *aisdk.Said
	id, trigger, messageID *string
}

func (s *Server) uiChatBody(b *uiChatBody) body {
	said := func(schema *openapi.Schema, read func(json.RawMessage) (*aisdk.Said, error)) member {
		return member{schema: schema, take: func(value json.RawMessage) error {
			if b.said != nil {
				return errors.New("messages and message exclude each other")
			}
			var err error
			b.said, err = read(value)
			return err
		}}
	}
	message := openapi.Of("object", "A UI message of the AI SDK: {id, role, parts}; in place of messages, the last of them alone")
	messages := openapi.ListOf(openapi.Of("object", ""), "UI messages of the AI SDK; the last one is read: text of the user, or the assistant's with answers to approvals")
	return body{"UIChatRequest", "What useChat of the AI SDK sends", members{
		"id":       needed(text(&b.id, "The chat's, which is the thread's; not blank")),
		"messages": said(messages, aisdk.Read), "message": said(message, aisdk.ReadOne),
		"trigger":   oneOf(text(&b.trigger, ""), "submit-message", "regenerate-message", ""),
		"messageId": text(&b.messageID, "Of the message that is answered again; it is not read"),
		"context":   s.runContext(&b.in.Context), "pending": pending(&b.in.DenyPending),
	}}
}

func (s *Server) readUIChat(w http.ResponseWriter, r *http.Request) (*uiChatBody, error) {
	var b uiChatBody
	if err := s.readBody(w, r, s.uiChatBody(&b).members); err != nil {
		return nil, err
	}
	if strings.TrimSpace(deref(b.id)) == "" {
		return nil, invalid("id: must be the chat's id, a string that is not blank")
	}
	if t := deref(b.trigger); t != "" && t != "submit-message" && t != "regenerate-message" {
		return nil, invalid("trigger: must be submit-message or regenerate-message, got %q", t)
	}
	if b.said == nil {
		return nil, invalid("messages: is missing")
	}
	b.in.ThreadID, b.in.Text, b.in.MessageID = *b.id, b.said.Text, b.said.MessageID
	return &b, nil
}

// uiChat answers useChat: it starts a run with what the user said, or decides what the thread's run waits for, and streams what comes.
// The chat is the thread. What a thread has is not unsaid: a message that was edited, or is to be answered again, is said anew.
func (s *Server) uiChat(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkUI(w, r); err != nil {
		return err
	}
	body, err := s.readUIChat(w, r)
	if err != nil {
		return err
	}
	if len(body.said.Answers) > 0 {
		return s.uiAnswers(w, r, body)
	}
	known, err := s.hasMessage(r.Context(), body.in.ThreadID, body.in.MessageID)
	if err != nil {
		return err
	}
	if known {
		body.in.MessageID = ""
	}
	handle, err := s.beginWith(r, body.in)
	if err != nil {
		return err
	}
	if !s.KeepRuns {
		s.audience.own(handle.RunID)
	}
	return s.streamUI(w, r, handle.RunID, &uiForm{}, 0)
}

// uiResume streams again the message a thread's run is at work on, or waits with; where there is none it has no content.
func (s *Server) uiResume(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkUI(w, r); err != nil {
		return err
	}
	runs, err := s.log.Runs(r.Context(), agent.RunQuery{
		ThreadID: r.PathValue("id"), Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	run := runs[len(runs)-1]
	return s.streamUI(w, r, run.ID, &uiForm{}, run.Last)
}

// checkUI refuses what could not be answered with a stream, before anything begins.
func (s *Server) checkUI(w http.ResponseWriter, r *http.Request) error {
	if err := canStream(w); err != nil {
		return err
	}
	if _, err := s.viewOf(r); err != nil {
		return err
	}
	return s.checkNamed(r)
}

// hasMessage reports whether a thread has a message of that id.
func (s *Server) hasMessage(ctx context.Context, threadID, messageID string) (bool, error) {
	thread, err := s.log.Thread(ctx, threadID)
	if errors.Is(err, agent.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for message %s in thread %s: %w", messageID, threadID, err)
	}
	for _, m := range thread.Messages {
		if m.ID == messageID {
			return true, nil
		}
	}
	return false, nil
}

// streamUI streams a run as one message: the events up to a number at once, whether or not a stretch of it ends there, then one
// stretch.
func (s *Server) streamUI(w http.ResponseWriter, r *http.Request, runID string, f *uiForm, upTo int64) error {
	defer s.audience.join(runID)()
	t, last, err := s.openUI(w, r, runID, f, upTo)
	if t == nil || err != nil {
		return err
	}
	if s.follow(r.Context(), t, runID, last, true) {
		s.audience.forget(runID) // it has ended, or waits
	}
	return nil
}

// openUI opens a stream with the events up to a number; last is that of the last one. A stream that broke off is nil.
func (s *Server) openUI(w http.ResponseWriter, r *http.Request, runID string, f *uiForm, upTo int64) (t *stream, last int64, err error) {
	w.Header().Set(aisdk.HeaderName, aisdk.HeaderValue)
	if t, err = s.openStream(w, r); err != nil {
		return nil, 0, err
	}
	t.form = f
	for last < upTo {
		records, err := t.read(r.Context(), runID, last, int(min(pageSize, upTo-last)))
		if err != nil {
			s.breakOff(r.Context(), t, runID, err)
			return nil, 0, nil
		}
		if len(records) == 0 {
			break // a view holds back what comes next
		}
		for _, record := range records {
			last = record.Seq
			if err := t.event(record.Seq, record.JSON); err != nil {
				return nil, 0, err
			}
		}
	}
	return t, last, nil
}

// uiAnswers keeps what a person decided and streams how the run goes on; while decisions are missing, what is still asked. What was
// decided before in the same way is no error, since a client may have lost the stream it got for it. What was decided the other way is
// one where no answer stands: beside an answer that does, the stream tells what became of the call.
func (s *Server) uiAnswers(w http.ResponseWriter, r *http.Request, body *uiChatBody) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	run, asked, err := s.askedBy(r.Context(), v, body)
	if err != nil {
		return err
	}
	has, err := s.pauseOf(r.Context(), run.ID, asked)
	if err != nil {
		return err
	}
	if err := s.takeAnswers(r.Context(), body.said.Answers, asked); err != nil {
		return err
	}
	if run, err = s.reread(r.Context(), run); err != nil {
		return err
	}
	f := &uiForm{mapper: aisdk.Mapper{MessageID: body.said.MessageID}, has: has}
	if run.Status != protocol.StatusPaused {
		return s.streamUI(w, r, run.ID, f, has)
	}
	t, last, err := s.openUI(w, r, run.ID, f, has)
	if t == nil || err != nil {
		return err
	}
	return s.sendPause(r.Context(), t, last, run)
}

// takeAnswers keeps the answers to approvals that are open. The error is that of a conflict where not one answer stands.
func (s *Server) takeAnswers(ctx context.Context, answers []aisdk.Answer, asked []*approval.Pending) error {
	var conflict error
	stands := false
	for i, answer := range answers {
		p, _, err := s.decideOne(ctx, answer.ApprovalID, approval.Decision{
			Approved: answer.Approved, Reason: answer.Reason, ArgumentsHash: asked[i].ArgumentsHash, By: byUser,
		})
		f := asFailure(err)
		switch {
		case err == nil, p != nil && p.Decision != nil && p.Decision.Approved == answer.Approved:
			stands = true
		case f != nil && f.code == CodeDecided:
			conflict = cmp.Or(conflict, err)
		default:
			return err
		}
	}
	if stands {
		return nil
	}
	return conflict
}

// askedBy finds the run whose approvals a body answers, and those, in the order of the answers. An answer has the hash of the
// arguments it was given for, unless the view hides them.
func (s *Server) askedBy(ctx context.Context, v view, body *uiChatBody) (*agent.RunState, []*approval.Pending, error) {
	runs, err := s.log.Runs(ctx, agent.RunQuery{ApprovalID: body.said.Answers[0].ApprovalID})
	if err != nil {
		return nil, nil, err
	}
	if len(runs) == 0 || runs[0].ThreadID != body.in.ThreadID {
		return nil, nil, invalid("messages: the chat has no approval %q", body.said.Answers[0].ApprovalID)
	}
	asked := make([]*approval.Pending, 0, len(body.said.Answers))
	for _, answer := range body.said.Answers {
		i := slices.IndexFunc(runs[0].Approvals, func(p *approval.Pending) bool { return p.ApprovalID == answer.ApprovalID })
		if i < 0 {
			return nil, nil, invalid("messages: the chat's run has no approval %q", answer.ApprovalID)
		}
		p := runs[0].Approvals[i]
		switch {
		case answer.ArgumentsHash == "" && !v.pending(p).Hidden:
			return nil, nil, invalid("messages: the answer to approval %q needs its descriptor, with the argumentsHash of the arguments it was given for", answer.ApprovalID)
		case answer.ArgumentsHash != "" && answer.ArgumentsHash != p.ArgumentsHash:
			return nil, nil, approval.ErrHash
		}
		asked = append(asked, p)
	}
	return runs[0], asked, nil
}

// pauseOf is the number of the event with which the stretch of a run ended that asked for the approvals: a client that answers them
// has the events up to it.
func (s *Server) pauseOf(ctx context.Context, runID string, asked []*approval.Pending) (int64, error) {
	records, err := s.log.Events(ctx, runID, 0, 0)
	if err != nil {
		return 0, err
	}
	named, pause := false, int64(0)
	for _, record := range records {
		switch eventType(record.JSON) {
		case protocol.TypeApprovalRequired:
			frame, err := protocol.DecodeFrame(record.Seq, record.JSON)
			if err != nil {
				return 0, err
			}
			required, _ := frame.Event.(*protocol.ApprovalRequired)
			named = required != nil && slices.ContainsFunc(required.Approvals, func(a protocol.Approval) bool {
				return slices.ContainsFunc(asked, func(p *approval.Pending) bool { return p.ApprovalID == a.ApprovalID })
			})
		case protocol.TypeFinish:
			if named {
				pause = record.Seq
			}
			named = false
		}
	}
	return pause, nil
}
