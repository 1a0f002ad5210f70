package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	defaultOllamaURL = "http://127.0.0.1:11434"
	lookTimeout      = time.Second
)

// found is a model's server that nobody has set up here: from the environment, or running on this machine.
type found struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	BaseURL string   `json:"baseUrl"`
	Models  []string `json:"models"`
	Source  string   `json:"source"` // environment or ollama
}

// finder looks for model servers on this machine.
type finder struct {
	ollamaURL string
	client    *http.Client

	mu     sync.Mutex
	ollama *found // as of the last look; nil is none
}

func newFinder(ollamaURL string) *finder {
	if ollamaURL == "" {
		ollamaURL = defaultOllamaURL
	}
	return &finder{
		ollamaURL: strings.TrimSuffix(ollamaURL, "/"),
		client: &http.Client{
			Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true}, // this machine is reached without a proxy
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// look asks a local Ollama for its models; one that does not answer within a second is none.
func (f *finder) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	models, err := f.ask(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ollama = nil
	if err == nil {
		f.ollama = &found{ID: "ollama", Name: "Ollama on this machine", BaseURL: f.ollamaURL + "/v1", Models: models, Source: "ollama"}
	}
}

func (f *finder) ask(ctx context.Context) (models []string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.ollamaURL+"/api/tags", nil)
	if err != nil {
		return nil, err
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask Ollama for its models: %s", response.Status)
	}
	var answer struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("read Ollama's models: %w", err)
	}
	models = []string{}
	for _, m := range answer.Models {
		if m.Name != "" {
			models = append(models, m.Name)
		}
	}
	return models, nil
}

func (f *finder) last() []found {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ollama == nil {
		return nil
	}
	return []found{*f.ollama}
}

// found lists what there is to connect to without typing an address.
func (s *Studio) found(ctx context.Context) ([]found, error) {
	list := []found{}
	env, err := s.provider(ctx, envProvider)
	if err != nil {
		return nil, err
	}
	if env != nil {
		list = append(list, found{ID: env.ID, Name: env.Name, BaseURL: env.BaseURL, Models: env.Models, Source: "environment"})
	}
	return append(list, s.finder.last()...), nil
}

func (s *Studio) getFound(w http.ResponseWriter, r *http.Request) {
	s.finder.look(r.Context())
	list, err := s.found(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{"found": list})
}
