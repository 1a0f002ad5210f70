package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/server"
)

// maxBody limits a request's body, in bytes.
const maxBody = 1 << 20

// refusal is an answer that is an error a client can do something about.
type refusal struct {
	status  int
	code    string
	message string
}

func (r *refusal) Error() string { return r.message }

func invalid(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, server.CodeInvalidInput, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &refusal{http.StatusNotFound, server.CodeNotFound, fmt.Sprintf(format, args...)}
}

// router takes routes; it is an *http.ServeMux.
type router interface {
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
}

// routes are the studio's own, under /api/studio. Their answers are masked.
func (s *Studio) routes(mux router) {
	for pattern, handle := range map[string]http.HandlerFunc{
		"GET /api/studio/state":                  s.getState,
		"PUT /api/studio/settings":               s.putSettings,
		"POST /api/studio/threads":               s.postThread,
		"GET /api/studio/threads/{id}":           s.getThread,
		"PATCH /api/studio/threads/{id}":         s.patchThread,
		"GET /api/studio/threads/{id}/file":      s.getFile,
		"GET /api/studio/threads/{id}/next":      s.getNext,
		"GET /api/studio/threads/{id}/added":     s.getAdded,
		"POST /api/studio/threads/{id}/fork":     s.forkThread,
		"GET /api/studio/rules":                  s.getRules,
		"POST /api/studio/rules":                 s.postRule,
		"POST /api/studio/rules/preview":         s.previewRule,
		"PATCH /api/studio/rules/{id}":           s.patchRule,
		"DELETE /api/studio/rules/{id}":          s.deleteRule,
		"PUT /api/studio/providers/{id}":         s.putProvider,
		"DELETE /api/studio/providers/{id}":      s.deleteProvider,
		"POST /api/studio/providers/{id}/models": s.listModels,
		"POST /api/studio/providers/{id}/test":   s.testProvider,
		"POST /api/studio/agents":                s.postAgent,
		"POST /api/studio/agents/import":         s.importAgent,
		"POST /api/studio/agents/preview":        s.previewImport,
		"GET /api/studio/agents/{name}":          s.getAgent,
		"PUT /api/studio/agents/{name}":          s.putAgent,
		"DELETE /api/studio/agents/{name}":       s.deleteAgent,
		"GET /api/studio/agents/{name}/file":     s.exportAgent,
		"PUT /api/studio/mcp/{name}":             s.putMCP,
		"DELETE /api/studio/mcp/{name}":          s.deleteMCP,
		"POST /api/studio/mcp/{name}/test":       s.testMCP,
		"GET /api/studio/tools":                  s.getTools,
		"POST /api/studio/tools/try":             s.postTry,
		"POST /api/studio/sandbox/test":          s.testCommands,
		"GET /api/studio/found":                  s.getFound,
		"GET /api/studio/search":                 s.getSearch,
		"GET /api/studio/folders":                s.getFolders,
		"GET /api/studio/schedules":              s.getSchedules,
		"DELETE /api/studio/schedules/{id}":      s.deleteSchedule,
		"GET /api/studio/notes":                  s.getNotes,
		"DELETE /api/studio/notes/{id}":          s.deleteNote,
	} {
		mux.HandleFunc(pattern, handle)
	}
	s.shareRoutes(mux)
	s.attachRoutes(mux)
	mux.HandleFunc("/api/studio/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, notFound("no route %s %s", r.Method, r.URL.Path))
	})
}

// state is what the window begins with.
type state struct {
	Version     string         `json:"version"`
	Revision    string         `json:"revision"`   // what it was built from; empty where that is not known
	DataFolder  string         `json:"dataFolder"` // on the machine that serves it
	OpenedAt    int64          `json:"openedAt"`   // Unix ms, when this process opened the studio
	Agents      []agentView    `json:"agents"`
	Providers   []providerView `json:"providers"`
	Found       []found        `json:"found"`
	Settings    settings       `json:"settings"`
	Toolsets    []toolsetView  `json:"toolsets"`
	MCPServers  []mcpView      `json:"mcpServers"`
	Attached    []attachedView `json:"attached"`
	Sandbox     sandboxView    `json:"sandbox"`
	Keychain    keychainView   `json:"keychain"`
	Folder      string         `json:"folder"`
	LastFolder  string         `json:"lastFolder"` // the one that was chosen last, for a choice to begin in; empty: none, or it is gone
	DemoMessage string         `json:"demoMessage"`
	Override    *overrideView  `json:"override,omitempty"`
}

type overrideView struct {
	Label string `json:"label"`
}

func (s *Studio) getState(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	set, err := s.settings(ctx)
	all, providersErr := s.providers(ctx)
	list, foundErr := s.found(ctx)
	servers, serversErr := s.viewMCP(ctx)
	agents, agentsErr := s.viewAgents(ctx)
	lastFolder, folderErr := s.lastFolder(ctx)
	if err := errors.Join(err, providersErr, foundErr, serversErr, agentsErr, folderErr); err != nil {
		s.fail(w, err)
		return
	}
	answer := state{
		Version: s.config.Version, Revision: s.config.Revision, DataFolder: s.config.Dir,
		OpenedAt: s.openedAt.UnixMilli(), Agents: agents, Providers: []providerView{}, Found: list, Settings: set, Toolsets: s.viewToolsets(set.Toolsets),
		MCPServers: servers, Attached: s.viewAttached(),
		Folder: s.config.Folder, LastFolder: lastFolder, DemoMessage: demoMessage,
	}
	for _, p := range all {
		answer.Providers = append(answer.Providers, s.viewProvider(p))
	}
	if s.override != nil {
		answer.Override = &overrideView{Label: s.override.label}
	}
	answer.Sandbox, answer.Keychain = s.viewSandbox(ctx, set), s.viewKeychain(ctx)
	reply(w, http.StatusOK, answer)
}

// read decodes a request's body; an empty one is {}.
func read(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &refusal{http.StatusRequestEntityTooLarge, server.CodePayloadTooLarge, "the request is larger than 1 MiB"}
	}
	if err != nil {
		return invalid("the request broke off: %v", err)
	}
	if len(body) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return &refusal{http.StatusUnsupportedMediaType, server.CodeUnsupportedMediaType, "the request's body must be application/json"}
	}
	if err := json.Unmarshal(body, v); err != nil {
		return invalid("the request's body does not fit: %s", misfit(err))
	}
	return nil
}

// fail answers with an error. What a client can do nothing about goes to the log, and is hidden from the client.
func (s *Studio) fail(w http.ResponseWriter, err error) {
	var refused *refusal
	var said *server.Refusal
	switch {
	case errors.As(err, &refused):
	case errors.As(err, &said):
		refused = &refusal{said.Status, said.Code, said.Message}
	case errors.Is(err, agent.ErrNotFound):
		refused = &refusal{http.StatusNotFound, server.CodeNotFound, "there is no such thread"}
	case errors.Is(err, context.Canceled): // who asked has left
		refused = &refusal{http.StatusServiceUnavailable, server.CodeUnavailable, "the request was given up"}
	default:
		s.log.Error("a request failed", "error", err)
		refused = &refusal{http.StatusInternalServerError, server.CodeInternal, "internal error; the program's log says more"}
	}
	reply(w, refused.status, map[string]any{"error": map[string]string{"message": refused.message, "code": refused.code}})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // a reader that left needs no answer
}
