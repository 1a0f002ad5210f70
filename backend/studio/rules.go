package studio

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/protocol"
	"callboard/backend/redact"
	"callboard/backend/tool"
	"callboard/storage"
)

// maxMatches is how many past calls a preview shows.
const maxMatches = 50

// lastDate is the last moment a date of JavaScript can be, in Unix ms.
const lastDate = 8_640_000_000_000_000

// ruleView is a rule as a client reads it.
type ruleView struct {
	*approval.Rule
	Text string `json:"text"` // in words: what is shown before it is saved
}

// ruleBody is a new rule as a client says it.
type ruleBody struct {
	ToolName   string               `json:"toolName"`
	AgentName  string               `json:"agentName"`
	Conditions []approval.Condition `json:"conditions"`
	ExpiresAt  json.RawMessage      `json:"expiresAt"` // Unix ms; absent or null is never
	Name       string               `json:"name"`      // empty: one is made
}

// rulePatch changes what it names of a rule; what the rule allows stays.
type rulePatch struct {
	Name      *string         `json:"name"`
	ExpiresAt json.RawMessage `json:"expiresAt"`
	Enabled   *bool           `json:"enabled"`
}

// rulePreview says what a rule would have allowed.
type rulePreview struct {
	Text    string      `json:"text"`
	Total   int         `json:"total"`
	Matches []ruleMatch `json:"matches"` // the newest
	Asked   int         `json:"asked"`   // how many past calls of the tool there are
}

type ruleMatch struct {
	RunID         string         `json:"runId"`
	ThreadID      string         `json:"threadId"`
	ToolCallID    string         `json:"toolCallId"`
	ArgumentsText string         `json:"argumentsText"`
	State         protocol.State `json:"state"`
	At            int64          `json:"at"` // Unix ms
}

// allow follows the rules: the first that is active and allows the call. What cannot be counted is not allowed.
func (s *Studio) allow(ctx context.Context, c agent.RuleCall) (name string, ok bool) {
	rules, err := s.db.Rules(ctx)
	if err != nil {
		s.log.Error("the rules cannot be read; a person is asked", "error", err)
		return "", false
	}
	place, known := s.placeOf(ctx, c.Sandbox)
	if !known {
		return "", false
	}
	now := time.Now()
	for _, rule := range rules {
		if !rule.Active(now) || rule.Place() != place || !rule.Allows(c.AgentName, c.ToolName, c.ArgumentsText) {
			continue
		}
		err := s.db.UseRule(ctx, rule.ID, now.UnixMilli())
		switch {
		case err == nil:
			return rule.Name, true
		case !errors.Is(err, agent.ErrNotFound): // that one was switched off this moment
			s.log.Error("a rule's use cannot be counted; a person is asked", "rule", rule.Name, "error", err)
		}
	}
	return "", false
}

// placeOf is what a rule's place has to be for a call with a sandbox; false where the call might run elsewhere.
func (s *Studio) placeOf(ctx context.Context, box *tool.Sandbox) (place string, known bool) {
	if box == nil {
		return "", true
	}
	if box.Type == tool.Docker {
		if err := s.sandboxes.docker.Check(ctx); err != nil {
			s.log.Info("Docker cannot be reached, so no rule decides what runs in it; a person is asked", "error", err)
			return "", false
		}
	}
	return box.String(), true
}

func (s *Studio) getRules(w http.ResponseWriter, r *http.Request) {
	rules, err := s.db.Rules(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	views := make([]ruleView, len(rules))
	for i, rule := range rules {
		views[i] = viewRule(rule)
	}
	reply(w, http.StatusOK, map[string]any{"rules": views})
}

func viewRule(rule *approval.Rule) ruleView { return ruleView{rule, rule.Text()} }

func (s *Studio) postRule(w http.ResponseWriter, r *http.Request) {
	var body ruleBody
	if err := read(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rules, err := s.db.Rules(r.Context())
	var rule *approval.Rule
	if err == nil {
		rule, _, err = s.newRule(r.Context(), body, rules)
	}
	if err == nil {
		err = s.db.PutRule(r.Context(), rule)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusCreated, viewRule(rule))
}

// newRule makes a rule beside others of what a client said, and finds the tool it is for.
func (s *Studio) newRule(ctx context.Context, body ruleBody, others []*approval.Rule) (*approval.Rule, *tool.Tool, error) {
	rule := &approval.Rule{
		ID: "rul_" + strings.ToLower(rand.Text()), Name: strings.TrimSpace(body.Name), ToolName: body.ToolName, AgentName: body.AgentName,
		Conditions: body.Conditions, CreatedAtMs: time.Now().UnixMilli(), Enabled: true,
	}
	if rule.Conditions == nil {
		rule.Conditions = []approval.Condition{}
	}
	for _, c := range rule.Conditions {
		if c.Op == approval.OpPlace {
			return nil, nil, invalid("conditions: where the calls run is not said but taken from the tool")
		}
		if redact.HoldsMask(c.Value) {
			return nil, nil, invalid("conditions: that on %q holds %s, which hides a secret in what was shown: such a rule would fit no call", c.Path, redact.Mask)
		}
	}
	var err error
	if rule.ExpiresAtMs, err = readExpiry(body.ExpiresAt); err != nil {
		return nil, nil, err
	}
	t, err := s.toolNamed(ctx, rule.ToolName, rule.AgentName)
	if err != nil {
		return nil, nil, err
	}
	if t.Sandbox != nil {
		rule.Conditions = append(rule.Conditions, approval.Condition{Op: approval.OpPlace, Value: t.Sandbox.String()})
	}
	if rule.Name == "" {
		rule.Name = freeName(rule.ShortText(), others)
	}
	if err := checkRule(rule, others); err != nil {
		return nil, nil, err
	}
	if rule.AgentName != "" && rule.AgentName != byHand {
		if err := s.checkAgent(ctx, rule.AgentName); err != nil {
			return nil, nil, err
		}
	}
	return rule, t, checkPaths(rule, t)
}

func checkRule(rule *approval.Rule, others []*approval.Rule) error {
	if err := rule.Check(); err != nil {
		return invalid("%v", err)
	}
	for _, other := range others {
		if other.ID != rule.ID && other.Name == rule.Name {
			return invalid("name: there is a rule %q already; the log names rules, so each has its own", rule.Name)
		}
	}
	return nil
}

// checkPaths refuses a condition on what the tool does not read: such a rule would allow more than it seems to.
func checkPaths(rule *approval.Rule, t *tool.Tool) error {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(t.Schema().Parameters, &schema); err != nil {
		return fmt.Errorf("read the schema of %s: %w", t.Name, err)
	}
	for _, c := range rule.Conditions {
		if c.Op == approval.OpPlace {
			continue
		}
		if _, known := schema.Properties[c.Path]; !known {
			return invalid("conditions: the tool %s has no argument %q", t.Name, c.Path)
		}
	}
	return nil
}

// toolNamed finds a tool of an agent, or of every agent where that is empty. All but the demo run it where the settings say, and a rule
// for every agent is for that place: it must not allow more than it seems to.
func (s *Studio) toolNamed(ctx context.Context, name, agentName string) (*tool.Tool, error) {
	var found *tool.Tool
	for _, a := range s.listed() {
		for _, t := range s.runner.Offered(a) {
			if t.Name == name && (found == nil || a.Name == agentName) {
				found = t
			}
		}
	}
	if found == nil {
		return nil, invalid("toolName: there is no tool %q", name)
	}
	if agentName == demoAgent {
		return found, nil
	}
	set, err := s.settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("find where %s runs: %w", name, err)
	}
	files, err := s.tools("", s.workspaceOptions(set))
	if err != nil {
		return nil, fmt.Errorf("find where %s runs: %w", name, err)
	}
	for _, t := range files {
		if t.Name == name && t.Sandbox != nil {
			return t, nil
		}
	}
	return found, nil
}

// readExpiry reads when a rule ends: a date that is none, or is over, is an error, never for ever.
func readExpiry(text json.RawMessage) (int64, error) {
	if text == nil || string(text) == "null" {
		return 0, nil
	}
	var at int64
	if err := json.Unmarshal(text, &at); err != nil || at > lastDate {
		return 0, invalid("expiresAt: must be a moment in Unix milliseconds, or null for never")
	}
	if at <= time.Now().UnixMilli() {
		return 0, invalid("expiresAt: is over already")
	}
	return at, nil
}

// freeName is a name no other rule has.
func freeName(name string, others []*approval.Rule) string {
	free := name
	for n := 2; slices.ContainsFunc(others, func(r *approval.Rule) bool { return r.Name == free }); n++ {
		free = fmt.Sprintf("%s (%d)", name, n)
	}
	return free
}

func (s *Studio) patchRule(w http.ResponseWriter, r *http.Request) {
	var patch rulePatch
	if err := read(w, r, &patch); err != nil {
		s.fail(w, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rule, err := s.changeRule(r.Context(), r.PathValue("id"), patch)
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, viewRule(rule))
}

func (s *Studio) changeRule(ctx context.Context, id string, patch rulePatch) (*approval.Rule, error) {
	rules, err := s.db.Rules(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rules, func(r *approval.Rule) bool { return r.ID == id })
	if at < 0 {
		return nil, noRule(id)
	}
	rule := rules[at]
	if patch.Name != nil {
		rule.Name = strings.TrimSpace(*patch.Name)
	}
	if patch.ExpiresAt != nil {
		if rule.ExpiresAtMs, err = readExpiry(patch.ExpiresAt); err != nil {
			return nil, err
		}
	}
	if patch.Enabled != nil {
		rule.Enabled = *patch.Enabled
	}
	if err := checkRule(rule, rules); err != nil {
		return nil, err
	}
	return rule, s.db.PutRule(ctx, rule)
}

func noRule(id string) error { return notFound("there is no rule %q", id) }

func (s *Studio) deleteRule(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	err := s.db.DeleteRule(r.Context(), id)
	if errors.Is(err, agent.ErrNotFound) {
		err = noRule(id)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Studio) previewRule(w http.ResponseWriter, r *http.Request) {
	var body ruleBody
	if err := read(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	rules, err := s.db.Rules(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	rule, t, err := s.newRule(r.Context(), body, rules)
	if err != nil {
		s.fail(w, err)
		return
	}
	preview := rulePreview{Text: rule.Text()}
	matches := []ruleMatch{}
	err = s.db.PastCalls(r.Context(), rule.ToolName, func(c storage.PastCall) {
		preview.Asked++
		if !rule.Allows(c.AgentName, rule.ToolName, c.ArgumentsText) {
			return
		}
		if _, err := t.Prepare(c.ArgumentsText); err != nil {
			return // it came to no question
		}
		preview.Total++
		if matches = append(matches, ruleMatch{c.RunID, c.ThreadID, c.ToolCallID, c.ArgumentsText, c.State, c.AtMs}); len(matches) > 2*maxMatches {
			matches = newest(matches)
		}
	})
	if err != nil {
		s.fail(w, err)
		return
	}
	preview.Matches = newest(matches)
	reply(w, http.StatusOK, preview)
}

// newest are the matches that are shown, the newest first.
func newest(matches []ruleMatch) []ruleMatch {
	slices.SortStableFunc(matches, func(a, b ruleMatch) int { return cmp.Compare(b.At, a.At) })
	return matches[:min(len(matches), maxMatches)]
}
