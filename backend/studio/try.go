package studio

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"

	"callboard/backend/agent"
	"callboard/backend/protocol"
	"callboard/backend/remote"
	"callboard/backend/server"
	"callboard/backend/tool"
)

// byHand is who makes the calls of a tool that is tried by hand: an agent of agent.ByHand, here or on an attached server. All tries of
// a tool are runs of one thread, whose messages are the arguments; what is true of other runs is true of them.
const byHand = "by-hand"

// tried is the tool a thread tries by hand.
type tried struct {
	Source string `json:"source"`
	Name   string `json:"name"` // at its source
}

// errAgentsAlone says why a tool that is listed cannot be called.
var errAgentsAlone = errors.New("only the agents beside it call it: its server does not let clients call a tool alone")

// triesOf is the thread of a tool's tries.
func triesOf(which tried) string {
	sum := sha256.Sum256([]byte(which.Source + "\x00" + which.Name))
	return "thr_by-hand-" + hex.EncodeToString(sum[:12])
}

// triedSample is the sample project that the demo's tools are tried on.
func (s *Studio) triedSample() string { return filepath.Join(s.dir, "samples", ".by-hand") }

// try is what a client says of a call it wants made.
type try struct {
	tried
	ArgumentsText string `json:"argumentsText"` // empty is {}
	Folder        string `json:"folder"`        // empty: the one the studio works in, else the settings'
}

// postTry makes a call as a run of its own.
func (s *Studio) postTry(w http.ResponseWriter, r *http.Request) {
	var body try
	err := read(w, r, &body)
	var handle *agent.Handle
	if err == nil {
		handle, err = s.try(r.Context(), body, agent.Input{Text: body.ArgumentsText})
	}
	s.replyStarted(w, handle, err)
}

// replyStarted tells of a run that was started, or why none was.
func (s *Studio) replyStarted(w http.ResponseWriter, handle *agent.Handle, err error) {
	if err != nil {
		s.fail(w, asRefusal(err))
		return
	}
	reply(w, http.StatusAccepted, map[string]string{"runId": handle.RunID, "threadId": handle.ThreadID})
}

// asRefusal says what a client can do about a try that did not begin.
func asRefusal(err error) error {
	var (
		bad     *tool.Error
		refused *server.Refusal
	)
	switch {
	case errors.As(err, &refused) && !errors.Is(err, agent.ErrBusy) && !errors.Is(err, agent.ErrPaused):
		return &refusal{refused.Status, refused.Code, refused.Message}
	case errors.As(err, &bad):
		return &refusal{http.StatusBadRequest, bad.Code, bad.Message}
	case errors.Is(err, agent.ErrBusy):
		return &refusal{http.StatusConflict, server.CodeThreadBusy, "the last try of this tool still runs: wait for its end, or cancel it"}
	case errors.Is(err, agent.ErrPaused):
		return &refusal{http.StatusConflict, server.CodeRunPaused, "the last try of this tool waits for a decision: approve or deny it first"}
	case errors.Is(err, agent.ErrClosed):
		return &refusal{http.StatusServiceUnavailable, server.CodeUnavailable, "Callboard is closing"}
	}
	return err
}

// try starts a run with a call of the input's text. Its thread is the one of the tool's tries where the input names none.
func (s *Studio) try(ctx context.Context, t try, in agent.Input) (*agent.Handle, error) {
	source, listed, err := s.findTool(ctx, t.tried, "")
	switch {
	case err != nil:
		return nil, err
	case source == nil:
		return nil, notFound("there is no source of tools %q", t.Source)
	case listed == nil && source.fault != "":
		return nil, notFound("%s has no tool %q now: %s", source.label, t.Name, source.fault)
	case listed == nil:
		return nil, notFound("%s has no tool %q", source.label, t.Name)
	case !listed.callable():
		return nil, invalid("%s of %s cannot be called: %v", t.Name, source.label, cmp.Or(listed.fault, errAgentsAlone))
	}
	if listed.tool != nil {
		if _, err := listed.tool.Prepare(in.Text); err != nil {
			return nil, err
		}
	}
	settings := threadSettings{AgentName: byHand, Tried: &t.tried}
	if settings.Folder, err = s.triedFolder(ctx, source, t.Folder); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Text) == "" {
		in.Text = "{}"
	}
	if in.ThreadID == "" {
		in.ThreadID = triesOf(t.tried)
	}
	return s.startTry(ctx, source, settings, in)
}

// triedFolder is what the tools of a source work in.
func (s *Studio) triedFolder(ctx context.Context, source *toolSource, chosen string) (string, error) {
	switch {
	case source.id == demoAgent:
		return s.triedSample(), unpackSample(s.triedSample())
	case !source.folder:
		return "", nil
	case chosen != "":
		return s.chooseFolder(ctx, chosen)
	case s.config.Folder != "":
		return s.config.Folder, nil
	}
	set, err := s.settings(ctx)
	if err == nil && set.Folder == "" {
		err = invalid("folder: %s works in a folder, and none is chosen", source.label)
	}
	return set.Folder, err
}

// startTry binds the thread and starts the run. The thread of a run that is not over stays as it is: what the run goes on with is
// made of that.
func (s *Studio) startTry(ctx context.Context, source *toolSource, settings threadSettings, in agent.Input) (*agent.Handle, error) {
	ctx = context.WithoutCancel(ctx) // what was begun is begun, though the client left
	id := in.ThreadID
	s.trying.Lock()
	unlock := sync.OnceFunc(s.trying.Unlock)
	defer unlock()
	open, err := s.db.Runs(ctx, agent.RunQuery{
		ThreadID: id, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil {
		return nil, fmt.Errorf("look for unfinished tries of %s: %w", settings.Tried.Name, err)
	}
	for _, run := range open {
		switch {
		case run.Status == protocol.StatusRunning:
			return nil, agent.ErrBusy
		case !in.DenyPending:
			return nil, agent.ErrPaused
		}
	}
	known, err := s.hasThread(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := s.bindTries(ctx, id, known, settings); err != nil {
		return nil, err
	}
	if !known {
		if err := s.db.RenameThread(ctx, id, "Tried by hand: "+settings.Tried.Name+" ("+source.label+")"); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(source.id, attachedSource("")) {
		unlock() // who is elsewhere may take long, and works in no folder that could change meanwhile
	}
	return s.startByHand(ctx, *settings.Tried, in)
}

// startByHand starts a try where its tool is.
func (s *Studio) startByHand(ctx context.Context, which tried, in agent.Input) (*agent.Handle, error) {
	name, attached := strings.CutPrefix(which.Source, attachedSource(""))
	if !attached {
		return s.runner.Start(ctx, byHand, in)
	}
	a := s.attachments.get(name)
	if a == nil {
		return nil, notFound("the server %s is not attached any more: attach it again in Settings", name)
	}
	return a.server.Start(ctx, remote.Qualify(agent.ByHandName(which.Name), name), in)
}

// bindTries keeps what a thread of tries works with. A thread that is there already is one of the same tool, or none of ours to change.
func (s *Studio) bindTries(ctx context.Context, id string, known bool, settings threadSettings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.loadThread(ctx, id)
	if err != nil {
		return err
	}
	if known && (before.Tried == nil || *before.Tried != *settings.Tried) {
		return invalid("threadId: in the thread %q %s of %s is not tried by hand", id, settings.Tried.Name, settings.Tried.Source)
	}
	settings.Place = before.Place
	return s.keepThread(ctx, id, settings)
}

// callTool is what a client of the protocol starts that calls a tool alone: a try of the first source that has a tool of that name.
func (s *Studio) callTool(ctx context.Context, toolName string, in agent.Input) (*agent.Handle, error) {
	all, err := s.toolSources(ctx, "")
	if err != nil {
		return nil, err
	}
	for i := range all {
		for j := range all[i].list {
			if listed := &all[i].list[j]; !all[i].off && listed.callable() && listed.called() == toolName {
				h, err := s.try(ctx, try{tried: tried{Source: all[i].id, Name: listed.name}}, in)
				return h, asServed(err)
			}
		}
	}
	return nil, fmt.Errorf("call the tool %q: %w", toolName, agent.ErrNotFound)
}

// asServed is a refusal in the words of the protocol.
func asServed(err error) error {
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		return &server.Refusal{Status: refused.status, Code: refused.code, Message: refused.message}
	}
	return err
}

// postByHand takes a message into a thread of tries: it is the arguments of one more.
func (s *Studio) postByHand(w http.ResponseWriter, r *http.Request) {
	var body struct {
		ThreadID string `json:"threadId"`
		Input    string `json:"input"`
		Pending  string `json:"pending"`
	}
	err := read(w, r, &body)
	if err == nil && strings.TrimSpace(body.Input) == "" {
		err = invalid("input: must be a string that is not blank")
	}
	var (
		handle *agent.Handle
		t      threadSettings
	)
	if err == nil {
		t, err = s.loadThread(r.Context(), body.ThreadID)
	}
	if err == nil && t.Tried == nil {
		err = notFound("in the thread %q no tool is tried by hand", body.ThreadID)
	}
	if err == nil {
		handle, err = s.startByHand(context.WithoutCancel(r.Context()), *t.Tried, agent.Input{
			ThreadID: body.ThreadID, Text: body.Input, DenyPending: body.Pending == "deny",
		})
	}
	s.replyStarted(w, handle, err)
}

// resolveByHand makes the agent of a thread of tries. A tool that is not there any more is answered for in the run.
func (s *Studio) resolveByHand(ctx context.Context, threadID string) (*agent.Agent, error) {
	t, err := s.loadThread(ctx, threadID)
	if err == nil && t.Tried == nil {
		err = notFound("in the thread %q no tool is tried by hand", threadID)
	}
	if err != nil {
		return nil, err
	}
	source, listed, err := s.findTool(ctx, *t.Tried, t.Folder)
	if err != nil {
		return nil, err
	}
	a := agent.ByHand(&agent.Agent{}, t.Tried.Name, nil)
	if listed != nil && listed.tool != nil {
		a = agent.ByHand(&agent.Agent{}, listed.tool.Name, listed.tool)
	}
	a.Name = byHand // its thread says of which tool
	if source != nil && source.folder {
		if fault := t.folderFault(); fault != nil {
			a.Backend = unable{fault}
		}
	}
	return a, nil
}
