package server

import (
	"net/http"
	"time"

	"callboard/backend/agent"
)

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, healthAnswer{"ok", time.Since(s.started).Milliseconds(), time.Now().UnixMilli(), s.Version})
	return nil
}

type healthAnswer struct {
	Status    string `json:"status" jsonschema_description:"ok"`
	Uptime    int64  `json:"uptime" jsonschema_description:"ms"`
	Timestamp int64  `json:"timestamp" jsonschema_description:"Unix ms"`
	Version   string `json:"version,omitempty" jsonschema_description:"Of the program"`
}

type readyAnswer struct {
	Status string `json:"status" jsonschema_description:"ok"`
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
	writeJSON(w, http.StatusOK, readyAnswer{"ok"})
	return nil
}

type agentAnswer struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tools       []string `json:"tools" jsonschema_description:"Their names"`
}

type agentsAnswer struct {
	Agents []agentAnswer `json:"agents"`
}

type toolsAnswer struct {
	Tools []Tool `json:"tools" jsonschema_description:"Each name once"`
}

// listAgents tells what agents there are here, and not what they were told.
func (s *Server) listAgents(w http.ResponseWriter, _ *http.Request) error {
	offers := s.Runtime.Agents()
	agents := make([]agentAnswer, 0, len(offers))
	for _, offer := range offers {
		if offer.Elsewhere {
			continue
		}
		answer := agentAnswer{Name: offer.Name, Description: offer.Description, Tools: []string{}}
		for _, t := range offer.Tools {
			answer.Tools = append(answer.Tools, t.Name)
		}
		agents = append(agents, answer)
	}
	writeJSON(w, http.StatusOK, agentsAnswer{agents})
	return nil
}

// listTools tells of the tools of all agents here, or of that of ?agent=, each name once: the first agent's wins.
func (s *Server) listTools(w http.ResponseWriter, r *http.Request) error {
	only := r.URL.Query().Get("agent")
	tools, seen := []Tool{}, map[string]struct{}{}
	for _, offer := range s.Runtime.Agents() {
		if only == "" && offer.Elsewhere || only != "" && offer.Name != only {
			continue
		}
		for _, t := range offer.Tools {
			if _, twice := seen[t.Name]; !twice {
				seen[t.Name] = struct{}{}
				tools = append(tools, t)
			}
		}
	}
	writeJSON(w, http.StatusOK, toolsAnswer{tools})
	return nil
}
