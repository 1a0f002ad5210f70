package studio

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"callboard/backend/model/openai"
)

// envProvider is the provider that OPENAI_API_KEY and OPENAI_BASE_URL make; a person chooses its model only.
const envProvider = "env"

// provider is an OpenAI-compatible server as it is stored: without its key.
type provider struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	BaseURL string   `json:"baseUrl"`
	Model   string   `json:"model"`  // asked for when a thread names none
	Models  []string `json:"models"` // as of the last test
}

// providerView is a provider as a client reads it.
type providerView struct {
	provider
	HasKey   bool   `json:"hasKey"`
	KeyKept  string `json:"keyKept"`            // env, keychain, memory, file, or empty
	KeyFault string `json:"keyFault,omitempty"` // why a key that was just handed in is not where it should be
}

// providerPut is what a client says of a provider. A key that is left out stays as it is; an empty one is forgotten.
type providerPut struct {
	Name    string  `json:"name"`
	BaseURL string  `json:"baseUrl"`
	Model   string  `json:"model"`
	Key     *string `json:"key"`
	KeepKey string  `json:"keepKey"`
}

// providers lists those of a person, in the order they came, after the one of the environment.
func (s *Studio) providers(ctx context.Context) ([]provider, error) {
	var stored []provider
	if err := s.load(ctx, "providers", &stored); err != nil {
		return nil, err
	}
	for i := range stored {
		if stored[i].Models == nil {
			stored[i].Models = []string{}
		}
	}
	env := provider{ID: envProvider, Models: []string{}}
	if at := slices.IndexFunc(stored, func(p provider) bool { return p.ID == envProvider }); at >= 0 {
		env = stored[at]
		stored = slices.Delete(stored, at, at+1)
	}
	if s.config.Key == "" && s.config.EnvBaseURL == "" {
		return stored, nil
	}
	env.BaseURL = cmp.Or(s.config.EnvBaseURL, openai.DefaultBaseURL)
	env.Name = hostOf(env.BaseURL) + " (environment)"
	return append([]provider{env}, stored...), nil
}

// provider finds one by id; nil when there is none.
func (s *Studio) provider(ctx context.Context, id string) (*provider, error) {
	all, err := s.providers(ctx)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(all, func(p provider) bool { return p.ID == id }); at >= 0 {
		return &all[at], nil
	}
	return nil, nil
}

// checkProvider refuses an id no provider has; empty is none and fits.
func (s *Studio) checkProvider(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	p, err := s.provider(ctx, id)
	if err == nil && p == nil {
		return invalid("there is no provider %q", id)
	}
	return err
}

// chosen finds the provider and model a thread speaks with: its own, else the settings', else the first there is. A provider that
// is named and gone is nil.
func (s *Studio) chosen(ctx context.Context, t threadSettings) (*provider, string, error) {
	set, err := s.settings(ctx)
	if err != nil {
		return nil, "", err
	}
	all, err := s.providers(ctx)
	if err != nil {
		return nil, "", err
	}
	find := func(id string) *provider {
		at := slices.IndexFunc(all, func(p provider) bool { return p.ID == id })
		if at < 0 {
			return nil
		}
		return &all[at]
	}
	p := find(t.ProviderID)
	if t.ProviderID == "" {
		if p = find(set.ProviderID); p == nil && len(all) > 0 {
			p = &all[0]
		}
	}
	if p == nil {
		return nil, "", nil
	}
	modelName := t.Model
	if modelName == "" && p.ID == set.ProviderID {
		modelName = set.Model
	}
	return p, cmp.Or(modelName, p.Model), nil
}

// keyOf returns a provider's key and where it is kept.
func (s *Studio) keyOf(id string) (key, kept string) {
	if id != envProvider {
		return s.keys.get(id)
	}
	if s.config.Key == "" {
		return "", keptNowhere
	}
	return s.config.Key, keptByEnv
}

func (s *Studio) viewProvider(p provider) providerView {
	kept := s.keys.kept(p.ID)
	if p.ID == envProvider && s.config.Key != "" {
		kept = keptByEnv
	}
	return providerView{provider: p, HasKey: kept != keptNowhere, KeyKept: kept}
}

func (s *Studio) putProvider(w http.ResponseWriter, r *http.Request) {
	var put providerPut
	err := read(w, r, &put)
	if err == nil {
		err = s.unmaskProvider(r.Context(), r.PathValue("id"), &put)
	}
	if err == nil {
		err = put.check(r.PathValue("id"))
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	p, err := s.storeProvider(r.Context(), r.PathValue("id"), put)
	fault := ""
	if err == nil {
		fault, err = keyFault(s.storeKey(r.Context(), p.ID, put))
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	view := s.viewProvider(*p)
	view.KeyFault = fault
	reply(w, http.StatusOK, view)
}

// unmaskProvider puts the secrets of the stored provider back into what was edited.
func (s *Studio) unmaskProvider(ctx context.Context, id string, put *providerPut) error {
	p, err := s.provider(ctx, id)
	if err != nil || p == nil {
		return err
	}
	return s.unmask([]*string{&p.Name, &p.BaseURL, &p.Model}, []*string{&put.Name, &put.BaseURL, &put.Model})
}

// keyFault tells a key that is not where it should be from one that is nowhere.
func keyFault(err error) (fault string, failure error) {
	if told := (*unkept)(nil); errors.As(err, &told) {
		return told.Error(), nil
	}
	return "", err
}

func (s *Studio) storeProvider(ctx context.Context, id string, put providerPut) (*provider, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.provider(ctx, id)
	if err != nil {
		return nil, err
	}
	p := provider{ID: id, Name: put.Name, BaseURL: put.BaseURL, Model: put.Model, Models: []string{}}
	switch {
	case id == envProvider && old == nil:
		return nil, invalid("neither OPENAI_API_KEY nor OPENAI_BASE_URL is set in the environment")
	case id == envProvider:
		p.Name, p.BaseURL, p.Models = old.Name, old.BaseURL, old.Models
	case old != nil && old.BaseURL == p.BaseURL:
		p.Models = old.Models
	}
	if err := s.changeProviders(ctx, func(all []provider) []provider {
		if at := slices.IndexFunc(all, func(p provider) bool { return p.ID == id }); at >= 0 {
			all[at] = p
			return all
		}
		return append(all, p)
	}); err != nil {
		return nil, err
	}
	return &p, nil
}

// storeKey follows what a client said of a provider's key: a new one, none, or only another place for the one there is.
func (s *Studio) storeKey(ctx context.Context, id string, put providerPut) error {
	switch {
	case id == envProvider:
		return nil
	case put.Key == nil:
		return s.keys.move(ctx, id, put.KeepKey)
	}
	return s.keys.put(ctx, id, strings.TrimSpace(*put.Key), cmp.Or(put.KeepKey, s.keys.kept(id), keptInRAM))
}

func (s *Studio) changeProviders(ctx context.Context, change func([]provider) []provider) error {
	var stored []provider
	if err := s.load(ctx, "providers", &stored); err != nil {
		return err
	}
	return s.keep(ctx, "providers", change(stored))
}

func (s *Studio) deleteProvider(w http.ResponseWriter, r *http.Request) {
	ctx, id := r.Context(), r.PathValue("id")
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.provider(ctx, id)
	switch {
	case err != nil:
	case p == nil:
		err = notFound("there is no provider %q", id)
	case id == envProvider:
		err = invalid("this provider comes from the environment: start Callboard without OPENAI_API_KEY and OPENAI_BASE_URL to be rid of it")
	default:
		if err = s.keys.put(ctx, id, "", keptNowhere); err == nil {
			err = s.changeProviders(ctx, func(all []provider) []provider {
				return slices.DeleteFunc(all, func(p provider) bool { return p.ID == id })
			})
		}
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (p *providerPut) check(id string) error {
	if id == envProvider {
		return nil
	}
	if !plainName.MatchString(id) {
		return invalid("a provider's id is made of letters, digits, - and _, 80 at most; %q is not", id)
	}
	p.Name, p.BaseURL, p.Model = strings.TrimSpace(p.Name), strings.TrimSpace(p.BaseURL), strings.TrimSpace(p.Model)
	p.BaseURL = strings.TrimRight(cmp.Or(p.BaseURL, openai.DefaultBaseURL), "/")
	u, err := url.Parse(p.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return invalid("baseUrl: must be a whole address, such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return invalid("baseUrl: must hold no key, question mark or #: a key goes into its own field")
	}
	p.Name = cmp.Or(p.Name, u.Host)
	if !slices.Contains(keptWords, p.KeepKey) {
		return invalid("keepKey is keychain, memory or file, not %q", p.KeepKey)
	}
	return nil
}

func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return baseURL
	}
	return u.Host
}
