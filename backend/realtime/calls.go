package realtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"callboard/backend/internal/names"
	"callboard/backend/tool"
)

// farewell is how long calls have to end when the session does, beyond the grace of their tools.
const farewell = tool.Grace + 3*time.Second

// Why calls are cancelled.
var (
	errSessionOver = errors.New("the voice session ended")
	errTakenBack   = errors.New("the model took the call back")
	errByUser      = errors.New("cancelled by user")
)

// announced is a call whose start was told and whose result was not.
type announced struct {
	name     string
	complete bool
}

func (c *Config) callContext() context.Context {
	if c.Context.Context == nil {
		return context.Background()
	}
	return c.Context.Context
}

// tell puts an event before the reader and keeps count of calls without a result. The caller holds mu.
func (s *Session) tell(e *Event) {
	switch e.Type {
	case ToolCallStart:
		s.told[e.ToolCallID] = &announced{name: e.ToolName}
		if t := s.toolNamed(e.ToolName); t != nil {
			e.Presentation = t.StaticPresentation()
		}
	case ToolCallEnd:
		if a := s.told[e.ToolCallID]; a != nil {
			a.complete = e.Dropped == ""
		}
	case ToolResult:
		delete(s.told, e.ToolCallID)
	}
	if s.in.put(*e) > maxWaiting {
		s.end(ErrBehind)
	}
}

func (s *Session) toolNamed(name string) *tool.Tool {
	for _, t := range s.config.Tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// hear lets a tool hear its own call as it is written.
func (s *Session) hear(e *Event) {
	t := s.toolNamed(e.ToolName)
	if t == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.config.logger().Error("input hook panicked", "tool", t.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	switch h := t.Hooks; {
	case e.Type == ToolCallStart && h.OnInputStart != nil:
		h.OnInputStart(e.ToolCallID)
	case e.Type == ToolCallDelta && h.OnInputDelta != nil:
		h.OnInputDelta(e.ToolCallID, e.Text)
	case e.Type == ToolCallEnd && e.Dropped == "" && h.OnInputAvailable != nil:
		h.OnInputAvailable(e.ToolCallID, e.ArgumentsText)
	case e.Type == ToolResult && e.Dropped != "" && h.OnInputAbandoned != nil:
		h.OnInputAbandoned(e.ToolCallID, string(e.Dropped))
	}
}

// register takes in calls that are about to start. The caller holds mu.
func (s *Session) register(g *group) {
	g.open = len(g.calls)
	for _, c := range g.calls {
		c.group, c.tool = g, s.toolNamed(c.name)
		c.ctx, c.cancel = context.WithCancelCause(s.calling)
		s.calls[c.id] = c
	}
}

// start runs the calls of a group, each in its own goroutine.
func (s *Session) start(g *group) {
	for _, c := range g.calls {
		s.work.Go(func() {
			defer c.cancel(nil)
			s.finishCall(c, s.run(c))
		})
	}
}

// run runs one call. What goes wrong is its result.
func (s *Session) run(c *call) (result tool.Result) {
	if c.tool == nil {
		return tool.Result{Err: &tool.Error{Code: tool.CodeNotFound, Message: s.notFound(c.name)}}
	}
	defer func() {
		if p := recover(); p != nil {
			s.config.logger().Error("caller panicked", "tool", c.name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result = tool.Result{Err: &tool.Error{Code: tool.CodeExecutionFailed, Message: fmt.Sprintf("the call of tool %q panicked: %v", c.name, p)}}
		}
	}()
	known := s.config.Context
	known.Context, known.ToolCallID = c.ctx, c.id
	known.OnUpdate = func(u tool.Update) {
		s.mu.Lock()
		if !c.over {
			s.tell(&Event{Type: ToolUpdate, ToolCallID: c.id, ToolName: c.name, Update: &u})
		}
		s.mu.Unlock()
		if s.config.Context.OnUpdate != nil {
			s.config.Context.OnUpdate(u)
		}
	}
	return s.config.Caller.Call(known, c.tool, c.arguments)
}

// notFound tells the model which tools there are, by the names it knows.
func (s *Session) notFound(name string) string {
	own := make([]string, len(s.config.Tools))
	for i, t := range s.config.Tools {
		own[i] = t.Name
	}
	if len(own) == 0 {
		return fmt.Sprintf("There is no tool %q, and no other.", name)
	}
	return fmt.Sprintf("There is no tool %q. The tools are: %s.", name, strings.Join(names.New(own).Sent(), ", "))
}

// finishCall tells a call's result to the reader and its answer to the server.
func (s *Session) finishCall(c *call, result tool.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.over {
		return // it was given up on
	}
	c.over, c.answer = true, answerOf(result, s.config.resultLength(c.tool))
	s.tell(&Event{Type: ToolResult, ToolCallID: c.id, ToolName: c.name, ArgumentsText: c.arguments, Result: &result})
	if c.takenBack {
		s.forget(c.group)
		return
	}
	s.answer(c)
}

// answer tells the server that it has the answer of one call more, or one less to wait for. The caller holds mu.
func (s *Session) answer(c *call) {
	c.group.open--
	frames, err := s.dialect.send(command{kind: answered, call: c})
	if err != nil {
		s.tell(&Event{Type: Problem, ToolCallID: c.id, ToolName: c.name, Err: fmt.Errorf("answer the call: %w", err)})
	}
	s.out.put(frames...)
	s.forget(c.group)
}

// forget lets go of the calls of an answered group that are over. The caller holds mu.
func (s *Session) forget(g *group) {
	for _, c := range g.calls {
		if g.open == 0 && c.over {
			delete(s.calls, c.id)
		}
	}
}

// CancelCall cancels a call that is at work: its context is done, and the model is told. False when there is no such call.
func (s *Session) CancelCall(toolCallID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[toolCallID]
	if c == nil || c.over {
		return false
	}
	c.cancel(errByUser)
	return true
}

// takeBack cancels calls whose results nobody waits for. Those made with them wait for them no more. The caller holds mu.
func (s *Session) takeBack(providerIDs []string) {
	var waitedFor []*call
	for _, c := range s.calls {
		if c.takenBack || c.providerID == "" || !slices.Contains(providerIDs, c.providerID) {
			continue
		}
		c.takenBack = true
		c.cancel(errTakenBack)
		if !c.over {
			waitedFor = append(waitedFor, c)
		}
	}
	for _, c := range waitedFor { // once all are marked: an answer leaves out those that are
		s.answer(c)
	}
}

// finish waits for the end of the session and of all it started, tells what is still to be told, and closes Events.
func (s *Session) finish() {
	<-s.life.Done()
	s.stopCall(errSessionOver)
	_ = s.conn.CloseNow() // it may be closed already
	s.loops.Wait()
	s.out.close()

	ended := make(chan struct{})
	go func() {
		s.work.Wait()
		close(ended)
	}()
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		s.giveUp()
	}
	s.dropUnfinished()
	s.in.close()
	close(s.done)
}

// giveUp answers calls that do not end, and names them in the session's error.
func (s *Session) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []string
	for _, id := range slices.Sorted(maps.Keys(s.calls)) {
		c := s.calls[id]
		if c.over {
			continue
		}
		c.over = true
		left = append(left, fmt.Sprintf("%s (%s)", c.name, c.id))
		s.tell(&Event{Type: ToolResult, ToolCallID: c.id, ToolName: c.name, ArgumentsText: c.arguments, Result: &tool.Result{
			Err: &tool.Error{Code: tool.CodeCancelled, Message: errSessionOver.Error() + ", and the call is still at work"},
		}})
	}
	if len(left) > 0 {
		s.leftErr = fmt.Errorf("close the voice session: still at work %s after it ended: %s", farewell, strings.Join(left, ", "))
	}
}

// dropUnfinished ends calls that were announced and never ran.
func (s *Session) dropUnfinished() {
	s.mu.Lock()
	var events []Event
	for _, id := range slices.Sorted(maps.Keys(s.told)) {
		events = append(events, dropped(id, s.told[id].name, s.told[id].complete)...)
	}
	for i := range events {
		s.tell(&events[i])
	}
	s.mu.Unlock()
	for i := range events {
		s.hear(&events[i])
	}
}

// dropped are the events of a call that will never run.
func dropped(id, name string, complete bool) []Event {
	if complete {
		return []Event{{Type: ToolResult, ToolCallID: id, ToolName: name, Dropped: DroppedDiscarded}}
	}
	return []Event{
		{Type: ToolCallEnd, ToolCallID: id, ToolName: name, Dropped: DroppedIncomplete},
		{Type: ToolResult, ToolCallID: id, ToolName: name, Dropped: DroppedIncomplete},
	}
}
