package server

import (
	"encoding/json"
	"net/http"
	"time"

	"callboard/backend/agent"
	"callboard/backend/tool"
)

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, struct {
		Status    string `json:"status"`
		Uptime    int64  `json:"uptime"`    // ms
		Timestamp int64  `json:"timestamp"` // Unix ms
	}{"ok", time.Since(s.started).Milliseconds(), time.Now().UnixMilli()})
	return nil
}

// ready says whether runs can be started: the server is not closing and its store answers.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	select {
	case <-s.closing:
		return agent.ErrClosed
	default:
	}
	if _, err := s.log.Runs(r.Context(), agent.RunQuery{ID: "-", Bare: true}); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

type agentAnswer struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tools       []string `json:"tools"`
}

// listAgents tells what agents there are, and not what they were told.
func (s *Server) listAgents(w http.ResponseWriter, _ *http.Request) error {
	agents := make([]agentAnswer, 0, len(s.Agents))
	for _, a := range s.Agents {
		answer := agentAnswer{Name: a.Name, Description: a.Description, Tools: []string{}}
		for _, t := range s.Runner.Offered(a) {
			answer.Tools = append(answer.Tools, t.Name)
		}
		agents = append(agents, answer)
	}
	writeJSON(w, http.StatusOK, map[string]any{"agents": agents})
	return nil
}

type toolAnswer struct {
	tool.Schema
	OutputSchema json.RawMessage    `json:"outputSchema,omitempty"`
	Category     string             `json:"category,omitempty"`
	Tags         []string           `json:"tags,omitempty"`
	SideEffects  []tool.SideEffect  `json:"sideEffects,omitempty"`
	TimeoutMs    int64              `json:"timeoutMs,omitempty"`
	Sandbox      tool.SandboxType   `json:"sandbox,omitempty"`      // where its calls run, if it declares that
	Presentation *tool.Presentation `json:"presentation,omitempty"` // of every call
}

// listTools tells of the tools of all agents, each name once: the first agent's wins.
func (s *Server) listTools(w http.ResponseWriter, _ *http.Request) error {
	tools, seen := []toolAnswer{}, map[string]struct{}{}
	for _, a := range s.Agents {
		for _, t := range s.Runner.Offered(a) {
			if _, twice := seen[t.Name]; twice {
				continue
			}
			seen[t.Name] = struct{}{}
			answer := toolAnswer{
				Schema: t.Schema(), OutputSchema: t.OutputSchema(), Category: t.Category, Tags: t.Tags, SideEffects: t.SideEffects,
				TimeoutMs: t.Timeout.Milliseconds(), Presentation: t.StaticPresentation(),
			}
			if t.Sandbox != nil {
				answer.Sandbox = t.Sandbox.Type
			}
			tools = append(tools, answer)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"tools": tools})
	return nil
}
