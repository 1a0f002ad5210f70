package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/protocol"
)

// Limits of the thread list.
const (
	defaultThreads = 500
	maxTitle       = 200 // characters
)

// listThreads answers with the threads whose title holds ?query=, the last touched first; ?before= goes on from the last one's
// updatedAt.
func (s *Server) listThreads(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	before, err := number(r.URL.Query().Get("before"))
	if err != nil {
		return invalid("before: %v", err)
	}
	limit, err := number(r.URL.Query().Get("limit"))
	if err != nil {
		return invalid("limit: %v", err)
	}
	if limit == 0 || limit > defaultThreads {
		limit = defaultThreads
	}
	threads, err := s.threadsTitled(r.Context(), v, r.URL.Query().Get("query"), before, int(limit))
	if err != nil {
		return err
	}
	if threads == nil {
		threads = []agent.ThreadSummary{}
	}
	for i := range threads {
		threads[i].Error = v.failed(threads[i].Error)
	}
	writeJSON(w, http.StatusOK, threadsAnswer{threads})
	return nil
}

type threadsAnswer struct {
	Threads []agent.ThreadSummary `json:"threads" jsonschema_description:"The last touched first"`
}

// threadsTitled is a page of the threads whose title holds a query as the view shows it: what is not shown is not found.
func (s *Server) threadsTitled(ctx context.Context, v view, query string, before int64, limit int) ([]agent.ThreadSummary, error) {
	if query == "" || v.policy == nil {
		return s.Threads.Threads(ctx, query, before, limit)
	}
	query = strings.ToLower(query)
	var found []agent.ThreadSummary
	for {
		page, err := s.Threads.Threads(ctx, "", before, defaultThreads)
		if err != nil {
			return nil, err
		}
		for _, thread := range page {
			// Those of one millisecond come together, for the next page begins before it.
			if n := len(found); n >= limit && thread.UpdatedAtMs != found[n-1].UpdatedAtMs {
				return found, nil
			}
			if strings.Contains(strings.ToLower(v.text(thread.Title)), query) {
				found = append(found, thread)
			}
		}
		if len(page) < defaultThreads {
			return found, nil
		}
		if before = page[len(page)-1].UpdatedAtMs; before == 0 {
			return found, nil
		}
	}
}

// number reads a count; empty is 0.
func number(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a number from 0 up", text)
	}
	return n, nil
}

type threadAnswer struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	AgentName string          `json:"agentName,omitempty"`
	Messages  []messageAnswer `json:"messages"`
	CreatedAt int64           `json:"createdAt" jsonschema_description:"Unix ms"`
	UpdatedAt int64           `json:"updatedAt" jsonschema_description:"Unix ms"`
}

// messageAnswer is a message with what draws its rows.
type messageAnswer struct {
	ID          string             `json:"id"`
	Role        model.Role         `json:"role"`
	Content     string             `json:"content"`
	Reasoning   string             `json:"reasoning,omitempty"`
	ToolCalls   []callAnswer       `json:"toolCalls,omitempty" jsonschema_description:"Of the assistant"`
	ToolResults []toolResultAnswer `json:"toolResults,omitempty" jsonschema_description:"Of a tool message: the one it holds"`
	Images      []model.Image      `json:"images,omitempty" jsonschema_description:"What a tool message shows, by hash"`
	RunID       string             `json:"runId,omitempty"`
	CreatedAt   int64              `json:"createdAt,omitempty" jsonschema_description:"Unix ms"`
	Metadata    json.RawMessage    `json:"metadata,omitempty" jsonschema_description:"For clients: details, presentation, error code of a tool's result"`
}

// toolResultAnswer is what the model read of a call: an object or a list as such, all else as text.
type toolResultAnswer struct {
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName,omitempty"`
	Result     json.RawMessage `json:"result"`
}

func (s *Server) getThread(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	thread, err := s.findThread(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	answer := threadAnswer{
		ID: thread.ID, Title: thread.Title, AgentName: thread.AgentName, Messages: make([]messageAnswer, 0, len(thread.Messages)),
		CreatedAt: thread.CreatedAtMs, UpdatedAt: thread.UpdatedAtMs,
	}
	for _, m := range thread.Messages {
		answer.Messages = append(answer.Messages, messageAnswerOf(v.message(m)))
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

func messageAnswerOf(m *model.Message) messageAnswer {
	answer := messageAnswer{
		ID: m.ID, Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, RunID: m.RunID, CreatedAt: m.AtMs, Metadata: m.Metadata,
		Images: m.Images,
	}
	for _, call := range m.ToolCalls {
		answer.ToolCalls = append(answer.ToolCalls, callAnswerOf(call))
	}
	if m.ToolCallID != "" {
		answer.ToolResults = []toolResultAnswer{{ToolCallID: m.ToolCallID, ToolName: m.ToolName, Result: resultOf(m.Content)}}
	}
	return answer
}

func resultOf(content string) json.RawMessage {
	trimmed := strings.TrimSpace(content)
	if (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")) && json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed)
	}
	text, err := json.Marshal(content)
	if err != nil {
		panic(fmt.Errorf("encode a string: %w", err)) // no string fails
	}
	return text
}

func (s *Server) findThread(ctx context.Context, id string) (*agent.Thread, error) {
	thread, err := s.log.Thread(ctx, id)
	if errors.Is(err, agent.ErrNotFound) {
		return nil, notFound("no thread %q", id)
	}
	return thread, err
}

// renameThread gives a thread a title; an empty one brings back that of its first message. One that comes back as it was shown, with
// a secret masked, stays as it is.
func (s *Server) renameThread(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	var title *string
	if err := s.readBody(w, r, titleBody(&title).members); err != nil {
		return err
	}
	if title == nil {
		return invalid("title: must be a string")
	}
	name := strings.TrimSpace(*title)
	if len([]rune(name)) > maxTitle {
		return invalid("title: over %d characters", maxTitle)
	}
	id := r.PathValue("id")
	thread, err := s.findThread(r.Context(), id)
	if err != nil {
		return err
	}
	if name, err = v.unmask(thread.Title, name); err != nil {
		return invalid("title: %v", err)
	}
	if err := s.Threads.RenameThread(r.Context(), id, name); errors.Is(err, agent.ErrNotFound) {
		return notFound("no thread %q", id) // it was deleted this moment
	} else if err != nil {
		return err
	}
	thread, err = s.findThread(r.Context(), id)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, titleAnswer{id, thread.Title})
	return nil
}

type titleAnswer struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

func titleBody(title **string) body {
	about := fmt.Sprintf("At most %d characters; an empty one brings back that of the thread's first message", maxTitle)
	return body{"TitleRequest", "A title for a thread", members{"title": needed(text(title, about))}}
}

func (s *Server) deleteThread(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	err := s.Threads.DeleteThread(context.WithoutCancel(r.Context()), id)
	if errors.Is(err, agent.ErrNotFound) {
		return notFound("no thread %q", id)
	}
	if err != nil {
		return err
	}
	s.Runner.Bell().Ring(agent.Ring{ThreadID: id, Deleted: true})
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// runRow is a run in a list.
type runRow struct {
	RunID     string          `json:"runId"`
	ThreadID  string          `json:"threadId"`
	AgentName string          `json:"agentName"`
	Input     string          `json:"input" jsonschema_description:"What it was started with"`
	Status    protocol.Status `json:"status"`
	Last      int64           `json:"last" jsonschema_description:"The number of the last event"`
	Turns     int             `json:"turns" jsonschema_description:"How many"`
	Calls     int             `json:"calls" jsonschema_description:"How many"`
	Usage     *model.Usage    `json:"usage,omitempty"`
	Error     string          `json:"error,omitempty"`
	ErrorCode string          `json:"errorCode,omitempty"`
	CreatedAt int64           `json:"createdAt" jsonschema_description:"Unix ms"`
	UpdatedAt int64           `json:"updatedAt" jsonschema_description:"Unix ms"`
}

// listRuns answers with a thread's runs, oldest first.
func (s *Server) listRuns(w http.ResponseWriter, r *http.Request) error {
	v, err := s.viewOf(r)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	runs, err := s.log.Runs(r.Context(), agent.RunQuery{ThreadID: id, Bare: true})
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		if _, err := s.findThread(r.Context(), id); err != nil {
			return err
		}
	}
	rows := make([]runRow, 0, len(runs))
	for _, run := range runs {
		rows = append(rows, runRow{
			RunID: run.ID, ThreadID: run.ThreadID, AgentName: run.AgentName, Input: run.Input, Status: run.Status, Last: run.Last,
			Turns: run.Turn, Calls: run.CallCount, Usage: run.Usage, Error: v.failed(run.Error), ErrorCode: run.ErrorCode,
			CreatedAt: run.CreatedAtMs, UpdatedAt: run.UpdatedAtMs,
		})
	}
	writeJSON(w, http.StatusOK, runsAnswer{rows})
	return nil
}

type runsAnswer struct {
	Runs []runRow `json:"runs" jsonschema_description:"The oldest first"`
}

// noThreads stands in for a store that keeps no list.
type noThreads struct{ log agent.Store }

var errNoList = &failure{status: http.StatusNotFound, code: CodeNotFound, message: "this server's store keeps no list of threads"}

func (noThreads) Threads(context.Context, string, int64, int) ([]agent.ThreadSummary, error) {
	return nil, errNoList
}
func (noThreads) RenameThread(context.Context, string, string) error { return errNoList }
func (noThreads) DeleteThread(context.Context, string) error         { return errNoList }

func (noThreads) RunRequests(context.Context, string) ([]agent.Request, error) { return nil, errNoList }

// EventRefs leaves every value in its event.
func (n noThreads) EventRefs(ctx context.Context, runID string, after int64, limit int) ([]agent.Record, error) {
	return n.log.Events(ctx, runID, after, limit)
}
