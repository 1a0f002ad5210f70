package studio

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/model"
)

// threadSettings are what a thread works with. They are bound when the thread is made; what is empty follows the settings.
type threadSettings struct {
	AgentName  string `json:"agentName"`
	Folder     string `json:"folder"`
	ProviderID string `json:"providerId"`
	Model      string `json:"model"`
	// Place is what the attached server of the agent calls the thread, where it is not what it is called here.
	Place string `json:"place,omitempty"`
	Tried *tried `json:"tried,omitempty"` // of a thread of tries by hand
	// Imported is where the thread came from; nil: it was made here.
	Imported *origin `json:"imported,omitempty"`
}

// threadPatch is what a client says of a thread's settings.
type threadPatch struct {
	AgentName  *string `json:"agentName"`
	Folder     *string `json:"folder"`
	ProviderID *string `json:"providerId"`
	Model      *string `json:"model"`
}

// threadView is a thread's settings as a client reads them.
type threadView struct {
	ID            string `json:"id"`
	Title         string `json:"title"`
	AgentName     string `json:"agentName"`
	Folder        string `json:"folder"`
	FolderMissing bool   `json:"folderMissing"`
	Sample        bool   `json:"sample"` // the folder is the demo's unpacked sample
	ProviderID    string `json:"providerId"`
	Model         string `json:"model"`
	Tried         *tried `json:"tried,omitempty"` // the tool that is tried by hand in it
	// Imported is where the thread came from; nil: it was made here.
	Imported *origin `json:"imported,omitempty"`
}

// loadThread returns a thread's settings; those of a thread that has none are empty.
func (s *Studio) loadThread(ctx context.Context, id string) (threadSettings, error) {
	var t threadSettings
	raw, err := s.db.ThreadSettings(ctx, id)
	if errors.Is(err, agent.ErrNotFound) || err == nil && raw == nil {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err != nil {
		return t, fmt.Errorf("load what the thread %s works with: %w", id, err)
	}
	return t, nil
}

func (s *Studio) keepThread(ctx context.Context, id string, t threadSettings) error {
	raw, err := json.Marshal(t)
	if err == nil {
		err = s.db.PutThreadSettings(ctx, id, raw)
	}
	if err != nil {
		return fmt.Errorf("keep what the thread %s works with: %w", id, err)
	}
	return nil
}

// boundThread returns a thread's settings, and binds those of a thread that has none yet: one that a client of the protocol
// made. agentName is who it is made for; empty is the settings' agent.
func (s *Studio) boundThread(ctx context.Context, id, agentName string) (threadSettings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.loadThread(ctx, id)
	if err != nil || t.AgentName != "" {
		return t, err
	}
	if t, err = s.newThread(ctx, id, threadPatch{AgentName: &agentName}); err != nil {
		return t, err
	}
	return t, s.keepThread(ctx, id, t)
}

// newThread decides what a new thread works with, and unpacks its sample where it gets one.
func (s *Studio) newThread(ctx context.Context, id string, patch threadPatch) (threadSettings, error) {
	set, err := s.settings(ctx)
	if err != nil {
		return threadSettings{}, err
	}
	var t threadSettings
	if err := s.change(ctx, id, &t, patch); err != nil {
		return t, err
	}
	t.AgentName = cmp.Or(t.AgentName, set.AgentName)
	switch {
	case t.Folder != "" || elsewhere(t.AgentName): // who is elsewhere works in no folder here
	case s.config.Folder != "":
		t.Folder = s.config.Folder
	case t.AgentName == demoAgent:
		t.Folder = s.samplePath(id)
		err = unpackSample(t.Folder)
	default:
		t.Folder = set.Folder
	}
	return t, err
}

func (s *Studio) change(ctx context.Context, id string, t *threadSettings, patch threadPatch) (err error) {
	if patch.AgentName != nil && *patch.AgentName != "" && *patch.AgentName != t.AgentName {
		if t.Tried != nil {
			return invalid("in this thread %s is tried by hand, and no agent is spoken with: begin a new thread", t.Tried.Name)
		}
		if err := s.checkAgent(ctx, *patch.AgentName); err != nil {
			return err
		}
		if err := s.staysOn(ctx, id, t.AgentName, *patch.AgentName); err != nil {
			return err
		}
		t.AgentName = *patch.AgentName
	}
	if patch.Folder != nil && *patch.Folder != "" {
		if t.Folder, err = s.chooseFolder(ctx, *patch.Folder); err != nil {
			return err
		}
	}
	if patch.ProviderID != nil {
		if err := s.checkProvider(ctx, *patch.ProviderID); err != nil {
			return err
		}
		t.ProviderID = *patch.ProviderID
	}
	if patch.Model != nil {
		t.Model = *patch.Model
	}
	return nil
}

func (s *Studio) postThread(w http.ResponseWriter, r *http.Request) {
	var patch threadPatch
	if err := read(w, r, &patch); err != nil {
		s.fail(w, err)
		return
	}
	id := newThreadID()
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.newThread(r.Context(), id, patch)
	if err == nil {
		err = s.keepThread(r.Context(), id, t)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusCreated, s.view(id, "", t))
}

func (s *Studio) getThread(w http.ResponseWriter, r *http.Request) {
	s.serveThread(w, r, threadPatch{})
}

func (s *Studio) patchThread(w http.ResponseWriter, r *http.Request) {
	var patch threadPatch
	if err := read(w, r, &patch); err != nil {
		s.fail(w, err)
		return
	}
	s.serveThread(w, r, patch)
}

// serveThread answers with a thread's settings after the change.
func (s *Studio) serveThread(w http.ResponseWriter, r *http.Request, patch threadPatch) {
	ctx, id := r.Context(), r.PathValue("id")
	thread, err := s.db.ThreadSummary(ctx, id)
	if err != nil {
		s.fail(w, err)
		return
	}
	t, err := s.boundThread(ctx, id, thread.AgentName)
	if err == nil && patch != (threadPatch{}) {
		t, err = s.changeThread(ctx, id, patch)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, s.view(id, thread.Title, t))
}

func (s *Studio) changeThread(ctx context.Context, id string, patch threadPatch) (threadSettings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.loadThread(ctx, id)
	if err == nil {
		err = s.change(ctx, id, &t, patch)
	}
	if err == nil {
		err = s.keepThread(ctx, id, t)
	}
	return t, err
}

func newThreadID() string { return "thr_" + strings.ToLower(rand.Text()) }

func (s *Studio) view(id, title string, t threadSettings) threadView {
	return threadView{
		ID: id, Title: title, AgentName: t.AgentName, ProviderID: t.ProviderID, Model: t.Model,
		Folder: t.Folder, FolderMissing: t.Folder != "" && !isFolder(t.Folder), Sample: t.Folder == s.samplePath(id) || t.Folder == s.triedSample(),
		Tried: t.Tried, Imported: t.Imported,
	}
}

// forgetThread removes the sample of a thread that was deleted.
func (s *Studio) forgetThread(id string) {
	if err := os.RemoveAll(s.samplePath(id)); err != nil {
		s.log.Warn("a deleted thread left its sample behind", "thread", id, "error", err)
	}
}

// codeFolderMissing says that a thread has no folder to work in.
const codeFolderMissing = "FOLDER_MISSING"

// folderFault says why a thread's tools have nothing to work on; nil when they have.
func (t threadSettings) folderFault() *model.Error {
	switch {
	case t.Folder == "":
		return &model.Error{Code: codeFolderMissing, Message: "This thread has no folder to work in: choose one in the thread's header, or start with --folder."}
	case !isFolder(t.Folder):
		return &model.Error{Code: codeFolderMissing, Message: fmt.Sprintf(
			"The folder %s is not there any more: put it back, or choose where it is now in the thread's header.", t.Folder)}
	}
	return nil
}

// addedView is a message that a program put into a thread, outside of its runs.
type addedView struct {
	ID      string     `json:"id"`
	Role    model.Role `json:"role"`
	Content string     `json:"content"`
	At      int64      `json:"at"` // Unix ms
}

// getAdded lists the messages of a thread that no run has, in their order. No event tells of them.
func (s *Studio) getAdded(w http.ResponseWriter, r *http.Request) {
	added, err := s.db.AddedMessages(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, err)
		return
	}
	views := make([]addedView, len(added))
	for i, m := range added {
		views[i] = addedView{m.ID, m.Role, m.Content, m.AtMs}
	}
	reply(w, http.StatusOK, map[string]any{"messages": views})
}
