package studio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"callboard/backend/model"
	"callboard/backend/server"
)

// testTimeout is how long a provider's test may take as a whole.
const testTimeout = 30 * time.Second

type testBody struct {
	Model string `json:"model"`
}

// testResult says whether a provider answers, which models it has, and whether its model calls tools.
type testResult struct {
	OK       bool       `json:"ok"`
	Models   []string   `json:"models"`
	ToolCall bool       `json:"toolCall"`
	Error    *testError `json:"error,omitempty"`
}

type testError struct {
	Message string `json:"message"`
	Code    string `json:"code"`
}

// testTool is the tool a model is asked to call in a test. Nothing runs.
var testTool = model.ToolSchema{
	Name:        "report_ready",
	Description: "Reports that you are ready. Call it once.",
	Parameters:  json.RawMessage(`{"type":"object","properties":{"word":{"type":"string","description":"the word you were given"}},"required":["word"],"additionalProperties":false}`),
}

// listModels asks a provider for its models, and keeps what it lists: the quick part of a test.
func (s *Studio) listModels(w http.ResponseWriter, r *http.Request) {
	s.askProvider(w, r, func(ctx context.Context, backend *discreet, _ *provider) testResult {
		return list(ctx, backend)
	})
}

// testProvider asks a provider for its models, and one of them for a tool call.
func (s *Studio) testProvider(w http.ResponseWriter, r *http.Request) {
	var body testBody
	if err := read(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	s.askProvider(w, r, func(ctx context.Context, backend *discreet, p *provider) testResult {
		return test(ctx, backend, cmp.Or(body.Model, p.Model))
	})
}

// askProvider answers with what came of asking a provider, and keeps the models it listed.
func (s *Studio) askProvider(w http.ResponseWriter, r *http.Request, ask func(context.Context, *discreet, *provider) testResult) {
	ctx, cancel := context.WithTimeout(r.Context(), testTimeout)
	defer cancel()
	p, err := s.provider(ctx, r.PathValue("id"))
	if err == nil && p == nil {
		err = notFound("there is no provider %q", r.PathValue("id"))
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	result := ask(ctx, s.connect(p), p)
	if len(result.Models) > 0 {
		if err := s.keepModels(r.Context(), p.ID, result.Models); err != nil { // also when the time is over
			s.fail(w, err)
			return
		}
	}
	reply(w, http.StatusOK, result)
}

// list asks a provider for its models. A server without a list may still answer; one that refuses the key, or is not there, will
// not.
func list(ctx context.Context, backend *discreet) testResult {
	models, err := backend.Models(ctx)
	if err != nil && !listless(err) {
		return testResult{Models: []string{}, Error: asTestError(ctx, err)}
	}
	return testResult{OK: true, Models: append([]string{}, models...)}
}

// test lists a provider's models and asks one of them for a tool call; without a name, the first it lists.
func test(ctx context.Context, backend *discreet, modelName string) testResult {
	result := list(ctx, backend)
	if result.Error != nil {
		return result
	}
	result.OK = false
	if modelName == "" && len(result.Models) > 0 {
		modelName = result.Models[0]
	}
	if modelName == "" {
		result.Error = &testError{Code: server.CodeInvalidInput, Message: "The server lists no models: type the name of one"}
		return result
	}
	called, err := callsTool(ctx, backend, modelName)
	if err != nil {
		result.Error = asTestError(ctx, err)
		return result
	}
	result.OK, result.ToolCall = true, called
	return result
}

func callsTool(ctx context.Context, backend model.Backend, modelName string) (bool, error) {
	request := &model.Request{
		Model: modelName,
		Messages: []*model.Message{{
			ID: "test", Role: model.RoleUser, Content: `Call the tool report_ready with the word "ready". Say nothing else.`,
		}},
		Tools: []model.ToolSchema{testTool},
	}
	called := false
	for chunk, err := range backend.Stream(ctx, request) {
		if err != nil {
			return called, err
		}
		called = called || slices.ContainsFunc(chunk.ToolCalls, func(c model.ToolCall) bool {
			return c.Name == testTool.Name && json.Valid([]byte(c.Arguments))
		})
	}
	return called, nil
}

// listless reports whether a server only lacks the list of models.
func listless(err error) bool {
	var failure *model.Error
	return errors.As(err, &failure) &&
		(failure.Status == http.StatusNotFound || failure.Status == http.StatusMethodNotAllowed || failure.Status == http.StatusNotImplemented)
}

func asTestError(ctx context.Context, err error) *testError {
	var failure *model.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &testError{Code: model.CodeTimeout, Message: "The server did not answer within 30 seconds"}
	case errors.As(err, &failure):
		return &testError{Code: failure.Code, Message: failure.Message}
	}
	return &testError{Code: model.CodeUnavailable, Message: err.Error()}
}

func (s *Studio) keepModels(ctx context.Context, id string, models []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changeProviders(ctx, func(all []provider) []provider {
		at := slices.IndexFunc(all, func(p provider) bool { return p.ID == id })
		if at < 0 { // the environment's, of which nothing was chosen yet; or one removed meanwhile
			if id != envProvider {
				return all
			}
			return append(all, provider{ID: id, Models: models})
		}
		all[at].Models = models
		return all
	})
}
