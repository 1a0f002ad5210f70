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

// lookTimeout is how long a server on this machine may take to list its models, all of them asked at once.
const lookTimeout = time.Second

// LocalServer is a program that serves models, and where it usually listens.
type LocalServer struct {
	ID   string
	Name string
	URL  string // without /v1
}

// localServers are those that are looked for where Config names none.
var localServers = []LocalServer{
	{"ollama", "Ollama on this machine", "http://127.0.0.1:11434"},
	{"lmstudio", "LM Studio on this machine", "http://127.0.0.1:1234"},
	{"llamacpp", "llama.cpp on this machine", "http://127.0.0.1:8080"},
	{"vllm", "vLLM on this machine", "http://127.0.0.1:8000"},
}

// found is a model's server that nobody has set up here: from the environment, or running on this machine.
type found struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	BaseURL string   `json:"baseUrl"`
	Models  []string `json:"models"`
	Source  string   `json:"source"` // environment or local
}

// finder looks for model servers on this machine.
type finder struct {
	servers []LocalServer
	client  *http.Client

	mu   sync.Mutex
	here []found // as of the last look
}

func newFinder(servers []LocalServer) *finder {
	if servers == nil {
		servers = localServers
	}
	return &finder{
		servers: servers,
		client: &http.Client{
			Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true}, // this machine is reached without a proxy
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// look asks all of them for their models at once. One that does not list any in the way of OpenAI within a second is none.
func (f *finder) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	answers := make([][]string, len(f.servers))
	var wg sync.WaitGroup
	for i, server := range f.servers {
		wg.Go(func() {
			if models, err := f.ask(ctx, server); err == nil {
				answers[i] = models
			}
		})
	}
	wg.Wait()
	var here []found
	for i, server := range f.servers {
		if answers[i] != nil {
			here = append(here, found{ID: server.ID, Name: server.Name, BaseURL: baseOf(server), Models: answers[i], Source: "local"})
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.here = here
}

func baseOf(server LocalServer) string { return strings.TrimSuffix(server.URL, "/") + "/v1" }

func (f *finder) ask(ctx context.Context, server LocalServer) (models []string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, baseOf(server)+"/models", nil)
	if err != nil {
		return nil, err
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask %s for its models: %s", server.Name, response.Status)
	}
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
		Object string `json:"object"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("read the models of %s: %w", server.Name, err)
	}
	if answer.Object != "list" && len(answer.Data) == 0 {
		return nil, fmt.Errorf("what listens at %s lists no models", server.URL)
	}
	models = []string{}
	for _, m := range answer.Data {
		if m.ID != "" {
			models = append(models, m.ID)
		}
	}
	return models, nil
}

func (f *finder) last() []found {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.here
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
