package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/toolset/memory"
	"callboard/backend/toolset/scheduler"
)

// scheduleView is a schedule as a client reads it.
type scheduleView struct {
	ID          string `json:"id"`
	ThreadID    string `json:"threadId"`
	ThreadTitle string `json:"threadTitle"`
	AgentName   string `json:"agentName"`
	Message     string `json:"message"`
	Cron        string `json:"cron,omitempty"`     // absent: it fires once
	Timezone    string `json:"timezone,omitempty"` // of cron; absent: this machine's
	Next        int64  `json:"next"`               // Unix ms
	CreatedAt   int64  `json:"createdAt"`          // Unix ms
	Waiting     string `json:"waiting,omitempty"`  // why its message is due and was not sent
}

// noteView is a note of an agent as a client reads it.
type noteView struct {
	ID        string   `json:"id"`
	AgentName string   `json:"agentName"`
	UserID    string   `json:"userId,omitempty"` // about whom, where a client named users
	Text      string   `json:"text"`
	Tags      []string `json:"tags"`
	CreatedAt int64    `json:"createdAt"` // Unix ms
}

// maxNotes is how many notes a client is shown.
const maxNotes = 500

// channel is what the context of a scheduled run says of where it comes from.
const channel = "schedule"

func (s *Studio) newScheduler() *scheduler.Scheduler {
	return &scheduler.Scheduler{Store: s.db, Fire: s.fire, Logger: s.log}
}

// fire starts a run with a schedule's message in its thread.
func (s *Studio) fire(ctx context.Context, f scheduler.Firing) error {
	set, err := s.settings(ctx)
	if err != nil {
		return err
	}
	if !set.Toolsets.Scheduler {
		return fmt.Errorf("the scheduler is switched off in Settings: %w", scheduler.ErrLater)
	}
	sent, err := s.sent(ctx, f)
	if err != nil || sent {
		return err
	}
	about, err := json.Marshal(map[string]string{"userId": f.Owner.UserID, "channelType": channel, "channelId": f.ID})
	if err != nil {
		return err
	}
	_, err = s.runner.Start(ctx, f.Owner.AgentName, agent.Input{
		ThreadID: f.ThreadID, Text: f.Text(), MessageID: f.MessageID(), Context: about,
	})
	if errors.Is(err, agent.ErrBusy) || errors.Is(err, agent.ErrPaused) {
		return fmt.Errorf("%w: %w", err, scheduler.ErrLater)
	}
	return err
}

// sent says whether a process that died sent a message before it could keep that it did.
func (s *Studio) sent(ctx context.Context, f scheduler.Firing) (bool, error) {
	var messages []*model.Message
	var err error
	if f.Again {
		var thread *agent.Thread
		if thread, err = s.db.Thread(ctx, f.ThreadID); err == nil {
			messages = thread.Messages
		}
	} else {
		_, err = s.db.ThreadSummary(ctx, f.ThreadID)
	}
	if errors.Is(err, agent.ErrNotFound) {
		return false, fmt.Errorf("thread %s: %w", f.ThreadID, scheduler.ErrNoThread)
	}
	id := f.MessageID()
	return slices.ContainsFunc(messages, func(m *model.Message) bool { return m.ID == id }), err
}

func (s *Studio) getSchedules(w http.ResponseWriter, r *http.Request) {
	states, err := s.scheduler.List(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	views := make([]scheduleView, len(states))
	for i, one := range states {
		thread, err := s.db.ThreadSummary(r.Context(), one.ThreadID)
		if err != nil && !errors.Is(err, agent.ErrNotFound) { // it was deleted this moment
			s.fail(w, err)
			return
		}
		views[i] = scheduleView{
			ID: one.ID, ThreadID: one.ThreadID, ThreadTitle: thread.Title, AgentName: one.Owner.AgentName, Message: one.Message,
			Cron: one.Cron, Timezone: one.Zone, Next: one.NextMs, CreatedAt: one.CreatedAtMs, Waiting: one.Waiting,
		}
	}
	reply(w, http.StatusOK, map[string]any{"schedules": views})
}

func (s *Studio) deleteSchedule(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	err := s.scheduler.Cancel(r.Context(), id)
	if errors.Is(err, scheduler.ErrNotFound) {
		err = notFound("there is no schedule %q", id)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// getNotes lists what all agents noted, of any user.
func (s *Studio) getNotes(w http.ResponseWriter, r *http.Request) {
	notes, err := s.db.AllNotes(r.Context(), r.URL.Query().Get("query"), maxNotes)
	if err != nil {
		s.fail(w, err)
		return
	}
	views := make([]noteView, len(notes))
	for i, n := range notes {
		views[i] = noteView{n.ID, n.Owner.AgentName, n.Owner.UserID, n.Text, append([]string{}, n.Tags...), n.CreatedAtMs}
	}
	reply(w, http.StatusOK, map[string]any{"notes": views})
}

func (s *Studio) deleteNote(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	err := s.db.DropNote(r.Context(), id)
	if errors.Is(err, memory.ErrNotFound) {
		err = notFound("there is no note %q", id)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
