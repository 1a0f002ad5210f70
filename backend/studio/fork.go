package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"callboard/backend/model"
	"callboard/backend/remote"
	"callboard/storage"
)

type forkBody struct {
	MessageID string `json:"messageId"`
}

// forkThread makes a new thread of what came before a message of the user, so that another message can take its place there. The
// old thread stays as it is.
func (s *Studio) forkThread(w http.ResponseWriter, r *http.Request) {
	var body forkBody
	if err := read(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	view, err := s.fork(context.WithoutCancel(r.Context()), r.PathValue("id"), body.MessageID)
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusCreated, view)
}

func (s *Studio) fork(ctx context.Context, id, messageID string) (view threadView, err error) {
	thread, err := s.db.Thread(ctx, id)
	if err != nil {
		return view, err
	}
	at := slices.IndexFunc(thread.Messages, func(m *model.Message) bool { return m.ID == messageID })
	switch {
	case messageID == "":
		return view, invalid("messageId: which message of the user is to be sent anew?")
	case at < 0:
		return view, notFound("the thread has no message %q", messageID)
	case thread.Messages[at].Role != model.RoleUser:
		return view, invalid("messageId: %q is not a message of the user", messageID)
	}
	t, err := s.boundThread(ctx, id, thread.AgentName)
	if err != nil {
		return view, err
	}
	t.Place = ""
	newID := newThreadID()
	undo, err := s.beginElsewhere(ctx, t.AgentName, newID, thread.Messages[:at])
	if err != nil {
		return view, err
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	sample := s.samplePath(newID)
	if old := s.samplePath(id); t.Folder == old {
		t.Folder = sample
		if at == 0 || !isFolder(old) {
			err = unpackSample(sample)
		} else {
			err = copySample(sample, old)
		}
		if err != nil {
			return view, err
		}
	}
	settings, err := json.Marshal(t)
	if err == nil {
		err = s.db.ForkThread(ctx, storage.Fork{
			ThreadID: id, MessageID: messageID, NewID: newID, Settings: settings, AtMs: time.Now().UnixMilli(),
		})
	}
	if err != nil {
		s.forgetThread(newID)
		return view, err
	}
	summary, err := s.db.ThreadSummary(ctx, newID)
	return s.view(newID, summary.Title, t), err
}

// beginElsewhere has the server of an attached agent take a history over into a new thread, and returns what removes that again. Of an
// agent that is here, and of no history, nothing is to be done.
func (s *Studio) beginElsewhere(ctx context.Context, agentName, threadID string, history []*model.Message) (undo func(), err error) {
	_, name := remote.Split(agentName)
	if name == "" || len(history) == 0 {
		return func() {}, nil
	}
	a := s.attachments.get(name)
	if a == nil {
		return nil, invalid("%s is not attached any more, and what was said before this message is to go on there", name)
	}
	if err := a.server.Begin(ctx, threadID, history); err != nil {
		return nil, err
	}
	return func() {
		if err := a.server.Forget(ctx, threadID); err != nil {
			s.log.Warn("a thread that was not copied stays on its server", "server", name, "thread", threadID, "error", err)
		}
	}, nil
}

// copySample makes a sample project that is as another one is now.
func copySample(path, from string) error {
	err := makeSample(path, func(folder string) error { return os.CopyFS(folder, os.DirFS(from)) })
	if err != nil {
		return fmt.Errorf("copy the sample project %s to %s: %w", from, path, err)
	}
	return nil
}
