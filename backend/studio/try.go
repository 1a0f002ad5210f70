package studio

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"path/filepath"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/server"
	"callboard/backend/tool"
)

// byHand is who makes the calls of a tool that is tried by hand: an agent whose model says what a person wrote. All tries of a tool
// are runs of one thread, whose messages are the arguments; what is true of other runs is true of them.
const byHand = "by-hand"

// tried is the tool a thread tries by hand.
type tried struct {
	Source string `json:"source"`
	Name   string `json:"name"` // at its source
}

// errAgentsAlone says why a tool that is listed cannot be called.
var errAgentsAlone = errors.New("only the agents beside it call it")

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
		handle, err = s.try(r.Context(), body)
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
	var bad *tool.Error
	switch {
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

func (s *Studio) try(ctx context.Context, t try) (*agent.Handle, error) {
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
	case listed.tool == nil:
		return nil, invalid("%s of %s cannot be called: %v", t.Name, source.label, cmp.Or(listed.fault, errAgentsAlone))
	}
	if _, err := listed.tool.Prepare(t.ArgumentsText); err != nil {
		return nil, err
	}
	settings := threadSettings{AgentName: byHand, Tried: &t.tried}
	if settings.Folder, err = s.triedFolder(ctx, source, t.Folder); err != nil {
		return nil, err
	}
	if strings.TrimSpace(t.ArgumentsText) == "" {
		t.ArgumentsText = "{}"
	}
	return s.startTry(ctx, source, settings, t.ArgumentsText)
}

// triedFolder is what the tools of a source work in.
func (s *Studio) triedFolder(ctx context.Context, source *toolSource, chosen string) (string, error) {
	switch {
	case source.id == demoAgent:
		return s.triedSample(), unpackSample(s.triedSample())
	case !source.folder:
		return "", nil
	case chosen != "":
		return usableFolder(chosen)
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
func (s *Studio) startTry(ctx context.Context, source *toolSource, settings threadSettings, argumentsText string) (*agent.Handle, error) {
	ctx = context.WithoutCancel(ctx) // what was begun is begun, though the client left
	id := triesOf(*settings.Tried)
	s.trying.Lock()
	defer s.trying.Unlock()
	open, err := s.db.Runs(ctx, agent.RunQuery{
		ThreadID: id, Statuses: []protocol.Status{protocol.StatusRunning, protocol.StatusPaused}, Bare: true,
	})
	if err != nil {
		return nil, fmt.Errorf("look for unfinished tries of %s: %w", settings.Tried.Name, err)
	}
	if len(open) > 0 && open[0].Status == protocol.StatusPaused {
		return nil, agent.ErrPaused
	}
	if len(open) > 0 {
		return nil, agent.ErrBusy
	}
	known, err := s.hasThread(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := s.bindTries(ctx, id, settings); err != nil {
		return nil, err
	}
	if !known {
		if err := s.db.RenameThread(ctx, id, "Tried by hand: "+settings.Tried.Name+" ("+source.label+")"); err != nil {
			return nil, err
		}
	}
	return s.runner.Start(ctx, byHand, agent.Input{ThreadID: id, Text: argumentsText})
}

func (s *Studio) bindTries(ctx context.Context, id string, settings threadSettings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keepThread(ctx, id, settings)
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
	var handle *agent.Handle
	if err == nil {
		handle, err = s.runner.Start(context.WithoutCancel(r.Context()), byHand, agent.Input{
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
	hand := &hand{name: t.Tried.Name}
	a := &agent.Agent{Name: byHand, Description: "Makes one call with the arguments a person wrote", Backend: hand, OwnToolsOnly: true}
	if listed != nil && listed.tool != nil {
		hand.name, a.Tools = listed.tool.Name, []*tool.Tool{listed.tool}
	}
	if source != nil && source.folder {
		if fault := t.folderFault(); fault != nil {
			a.Backend = unable{fault}
		}
	}
	return a, nil
}

// hand is a model that calls one tool with the text of the last message, and has nothing to say about the result.
type hand struct{ name string }

// Stream makes the call, ends after its result, or says what kind of message it takes.
func (h *hand) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	turn := scripted.Turn{}
	if last := request.Messages[len(request.Messages)-1]; last.Role == model.RoleUser {
		value, err := tool.Read(last.Content)
		if _, object := value.(map[string]any); object || err != nil && strings.HasPrefix(strings.TrimSpace(last.Content), "{") {
			turn = scripted.CallTool("", h.name, last.Content)
		} else {
			turn = scripted.Say(fmt.Sprintf("In this thread %s is tried by hand: a message is its arguments, a JSON object.", h.name))
		}
	}
	now := *request
	now.Index = 0 // the script is made anew for each request
	return (&scripted.Backend{Name: "by hand", Turns: []scripted.Turn{turn}}).Stream(ctx, &now)
}
