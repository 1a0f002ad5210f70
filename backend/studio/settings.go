package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"callboard/backend/agent"
)

// load reads one of the studio's settings into v, which stays as it is where there is none.
func (s *Studio) load(ctx context.Context, name string, v any) error {
	raw, err := s.db.Setting(ctx, name)
	if errors.Is(err, agent.ErrNotFound) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		return fmt.Errorf("load %s: %w", name, err)
	}
	return nil
}

func (s *Studio) keep(ctx context.Context, name string, v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		err = s.db.PutSetting(ctx, name, raw)
	}
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return nil
}

// settings are what new threads begin with, and the window's look.
type settings struct {
	Theme      string `json:"theme"`
	Folder     string `json:"folder"`
	AgentName  string `json:"agentName"`
	ProviderID string `json:"providerId"`
	Model      string `json:"model"`
	// AllowNativeFallback lets calls of sandboxed tools run on the host where their sandbox is not there.
	AllowNativeFallback bool         `json:"allowNativeFallback"`
	Commands            commandPlace `json:"commands"`
	// Prices are for the money a run costs; the window works it out.
	Prices   []price  `json:"prices"`
	Toolsets switches `json:"toolsets"`
	// BrowserHosts are hosts that are not on the public net and that the browser may reach all the same.
	BrowserHosts []string `json:"browserHosts"`
	// RetentionDays is after how many days without an event a thread is deleted; 0 keeps every one.
	RetentionDays int `json:"retentionDays"`
}

// price is what a model costs, in US dollars per million tokens.
type price struct {
	Model       string   `json:"model"` // its name, or with a * at its end the names that begin so
	Input       float64  `json:"input"`
	Output      float64  `json:"output"`
	CachedInput *float64 `json:"cachedInput,omitempty"` // without it cached tokens cost what other input does
}

// Limits of prices.
const (
	maxPrices = 500
	maxPrice  = 1e6
)

// checkPrices refuses what is no list of prices, one for each model.
func checkPrices(prices []price) error {
	if len(prices) > maxPrices {
		return invalid("prices: over %d", maxPrices)
	}
	seen := map[string]bool{}
	for _, p := range prices {
		cached := p.Input
		if p.CachedInput != nil {
			cached = *p.CachedInput
		}
		switch {
		case strings.TrimSpace(p.Model) == "":
			return invalid("prices: one has no model")
		case strings.Contains(strings.TrimSuffix(p.Model, "*"), "*"):
			return invalid("prices: %q has a * that is not at its end", p.Model)
		case seen[p.Model]:
			return invalid("prices: %q comes twice", p.Model)
		case min(p.Input, p.Output, cached) < 0 || max(p.Input, p.Output, cached) > maxPrice:
			return invalid("prices: those of %q are not between 0 and a million dollars", p.Model)
		}
		seen[p.Model] = true
	}
	return nil
}

// settingsPatch changes the settings it names.
type settingsPatch struct {
	Theme      *string  `json:"theme"`
	Folder     *string  `json:"folder"`
	AgentName  *string  `json:"agentName"`
	ProviderID *string  `json:"providerId"`
	Model      *string  `json:"model"`
	Prices     *[]price `json:"prices"` // all of them

	AllowNativeFallback *bool         `json:"allowNativeFallback"`
	Commands            *commandPlace `json:"commands"` // all of it

	Toolsets     switchesPatch `json:"toolsets"`
	BrowserHosts *[]string     `json:"browserHosts"` // all of them

	RetentionDays *int `json:"retentionDays"`
}

var themes = []string{"system", "light", "dark"}

func (s *Studio) settings(ctx context.Context) (settings, error) {
	set := settings{
		Theme: "system", AgentName: demoAgent, AllowNativeFallback: true, Commands: usualCommands, Prices: []price{}, Toolsets: switches{Memory: true, Scheduler: true}, BrowserHosts: []string{},
	}
	return set, s.load(ctx, "settings", &set)
}

func (s *Studio) putSettings(w http.ResponseWriter, r *http.Request) {
	var patch settingsPatch
	if err := read(w, r, &patch); err != nil {
		s.fail(w, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	set, err := s.settings(r.Context())
	if err == nil {
		err = s.apply(r.Context(), patch, &set)
	}
	if err == nil {
		err = s.keep(r.Context(), "settings", set)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.scheduler.Wake()
	reply(w, http.StatusOK, set)
}

func (s *Studio) apply(ctx context.Context, patch settingsPatch, set *settings) (err error) {
	if patch.Theme != nil {
		if !slices.Contains(themes, *patch.Theme) {
			return invalid("theme %q is none of system, light and dark", *patch.Theme)
		}
		set.Theme = *patch.Theme
	}
	if patch.Folder != nil {
		set.Folder = ""
		if *patch.Folder != "" {
			if set.Folder, err = s.chooseFolder(ctx, *patch.Folder); err != nil {
				return err
			}
		}
	}
	if patch.AgentName != nil {
		if err := s.checkAgent(ctx, *patch.AgentName); err != nil {
			return err
		}
		set.AgentName = *patch.AgentName
	}
	if patch.ProviderID != nil {
		if err := s.checkProvider(ctx, *patch.ProviderID); err != nil {
			return err
		}
		set.ProviderID = *patch.ProviderID
	}
	if patch.Model != nil {
		set.Model = *patch.Model
	}
	if patch.AllowNativeFallback != nil {
		set.AllowNativeFallback = *patch.AllowNativeFallback
	}
	if patch.Commands != nil {
		if set.Commands, err = patch.Commands.checked(); err != nil {
			return err
		}
	}
	if patch.Prices != nil {
		if err := checkPrices(*patch.Prices); err != nil {
			return err
		}
		set.Prices = *patch.Prices
	}
	if patch.BrowserHosts != nil {
		if set.BrowserHosts, err = checkHosts(*patch.BrowserHosts); err != nil {
			return err
		}
	}
	if patch.RetentionDays != nil {
		if err := checkRetention(*patch.RetentionDays); err != nil {
			return err
		}
		set.RetentionDays = *patch.RetentionDays
	}
	patch.Toolsets.apply(&set.Toolsets)
	return nil
}
