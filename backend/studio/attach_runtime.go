package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/remote"
	"callboard/backend/server"
	"callboard/storage"
)

// runtimes runs what is asked for where it is at home: here, or on an attached server. Whose a run, a call or an approval is, its id
// says.
type runtimes struct {
	server.Local
	studio *Studio
}

// Agents are those here, then those of each attached server.
func (r runtimes) Agents() []server.Offer {
	offers := r.Local.Agents()
	for _, a := range r.studio.attachments.list() {
		for _, offer := range a.server.Agents() {
			offer.Elsewhere = true
			offers = append(offers, offer)
		}
	}
	return offers
}

// of is the attached server something belongs to; nil when it belongs here, or to one that is not attached any more.
func (r runtimes) of(id string) *remote.Server {
	_, name := remote.Split(id)
	if name == "" {
		return nil
	}
	if a := r.studio.attachments.get(name); a != nil {
		return a.server
	}
	return nil
}

// Start begins a run where its agent is.
func (r runtimes) Start(ctx context.Context, agentName string, in agent.Input) (*agent.Handle, error) {
	if toolName, alone := agent.ByHandTool(agentName); alone {
		return r.studio.callTool(ctx, toolName, in)
	}
	known, err := r.studio.knowsAgent(ctx, agentName)
	if err != nil {
		return nil, err
	}
	there := r.of(agentName)
	if known {
		there = nil
	}
	t, err := r.studio.loadThread(ctx, in.ThreadID)
	if err != nil {
		return nil, err
	}
	if err := r.studio.staysOn(ctx, in.ThreadID, t.AgentName, agentName); err != nil {
		return nil, err
	}
	if there == nil {
		if _, name := remote.Split(agentName); name != "" && !known {
			return nil, &server.Refusal{Status: http.StatusNotFound, Code: server.CodeNotFound, Err: agent.ErrNotFound, Message: fmt.Sprintf(
				"The server %s of the agent %s is not attached any more: attach it again in Settings, or choose another agent.", name, agentName)}
		}
		return r.Local.Start(ctx, agentName, in)
	}
	if in.ThreadID == "" {
		in.ThreadID = newThreadID()
	}
	if _, err := r.studio.boundThread(ctx, in.ThreadID, agentName); err != nil {
		return nil, err
	}
	return there.Start(ctx, agentName, in)
}

// staysOn refuses an agent that is elsewhere than what was said in a thread.
func (s *Studio) staysOn(ctx context.Context, threadID, before, agentName string) error {
	_, was := remote.Split(before)
	_, is := remote.Split(agentName)
	if before == "" || was == is || threadID == "" {
		return nil
	}
	runs, err := s.db.Runs(ctx, agent.RunQuery{ThreadID: threadID, Bare: true})
	if err != nil || len(runs) == 0 {
		return err
	}
	return &server.Refusal{Status: http.StatusBadRequest, Code: server.CodeInvalidInput, Message: fmt.Sprintf(
		"This thread is with %s, and what was said is known only there: begin a new thread with %s.", before, agentName)}
}

// Decide answers an approval where its run is.
func (r runtimes) Decide(ctx context.Context, approvalID string, d approval.Decision) (*approval.Pending, *agent.Handle, error) {
	if there := r.of(approvalID); there != nil {
		return there.Decide(ctx, approvalID, d)
	}
	return r.Local.Decide(ctx, approvalID, d)
}

// Cancel stops a run where it is.
func (r runtimes) Cancel(ctx context.Context, runID string) error {
	if there := r.of(runID); there != nil {
		return there.Cancel(ctx, runID)
	}
	return r.Local.Cancel(ctx, runID)
}

// CancelCall stops a call where its run is.
func (r runtimes) CancelCall(ctx context.Context, runID, toolCallID string) error {
	if there := r.of(runID); there != nil {
		return there.CancelCall(ctx, runID, toolCallID)
	}
	return r.Local.CancelCall(ctx, runID, toolCallID)
}

// places keeps what attached servers call threads, in the settings of the threads.
type places Studio

// Place returns what the server of a thread calls it.
func (p *places) Place(ctx context.Context, threadID string) (string, error) {
	t, err := (*Studio)(p).loadThread(ctx, threadID)
	return t.Place, err
}

// Keep keeps what the server of a thread calls it.
func (p *places) Keep(ctx context.Context, threadID, place string) error {
	s := (*Studio)(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.loadThread(ctx, threadID)
	if err != nil {
		return err
	}
	t.Place = place
	return s.keepThread(ctx, threadID, t)
}

// threads is the store with what attached servers tell beside it.
type threads struct {
	*storage.DB
	studio *Studio
}

// RunRequests returns what a run sent to its models and what came back; of the copy of a run its server is asked.
func (t threads) RunRequests(ctx context.Context, runID string) ([]agent.Request, error) {
	_, name := remote.Split(runID)
	if name == "" {
		return t.DB.RunRequests(ctx, runID)
	}
	a := t.studio.attachments.get(name)
	if a == nil {
		return nil, &server.Refusal{Status: http.StatusNotFound, Code: server.CodeNotFound, Message: fmt.Sprintf(
			"What this run sent to its model and what came back is known on %s alone, and that server is not attached any more.", name)}
	}
	return a.server.Requests(ctx, runID)
}

// unanswered keeps the starts that attached servers have not answered, in a setting: there are seldom any.
type unanswered Studio

// keptStarts is the name of the setting.
const keptStarts = "starts"

// Put keeps a start in place of the one of its thread.
func (u *unanswered) Put(ctx context.Context, a remote.Asked) error {
	return u.change(ctx, a.ThreadID, &a)
}

// Drop forgets the start of a thread.
func (u *unanswered) Drop(ctx context.Context, threadID string) error {
	return u.change(ctx, threadID, nil)
}

// All are those that are kept.
func (u *unanswered) All(ctx context.Context) ([]remote.Asked, error) {
	var all []remote.Asked
	err := (*Studio)(u).load(ctx, keptStarts, &all)
	return all, err
}

func (u *unanswered) change(ctx context.Context, threadID string, to *remote.Asked) error {
	s := (*Studio)(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := u.All(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(a remote.Asked) bool { return a.ThreadID == threadID })
	if to != nil {
		all = append(all, *to)
	}
	return s.keep(ctx, keptStarts, all)
}

// keepFound keeps what a server said of itself, so that its agents are known while it does not answer.
func (s *Studio) keepFound(ctx context.Context, a *attached, now attachment) error {
	s.attachments.mu.Lock()
	before, old := a.stored, s.attachments.byName[now.Name] != a
	a.stored = now
	s.attachments.mu.Unlock()
	same, err := sameJSON(before, now)
	if same || old || err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, err := s.storedAttachments(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(stored, func(o attachment) bool { return o.Name == now.Name && o.URL == now.URL })
	if at < 0 {
		return nil // it was changed or detached meanwhile
	}
	stored[at] = now
	return s.keep(ctx, "attached", stored)
}

func sameJSON(a, b any) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("compare: %w", err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("compare: %w", err)
	}
	return string(x) == string(y), nil
}

// attachedSource is an attached server as a source of tools is called.
func attachedSource(serverName string) string { return "attached/" + serverName }

// attachedTools is an attached server as a source of tools. Those it does not let clients call are listed all the same.
func (s *Studio) attachedTools(a *attached) toolSource {
	view := s.viewOne(a)
	source := toolSource{id: attachedSource(view.Name), label: view.Name, description: "Attached server", fault: view.Error}
	seen := map[string]bool{}
	for _, offer := range a.server.Agents() {
		for i := range offer.Tools {
			t := &offer.Tools[i]
			if !seen[t.Name] {
				seen[t.Name] = true
				source.list = append(source.list, listedTool{name: t.Name, description: t.Description, parameters: t.Parameters, there: t})
			}
		}
	}
	return source
}
