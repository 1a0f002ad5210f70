package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"callboard/backend/model"
	"callboard/backend/tool"
)

// SnapshotVersion is the version of the snapshots this package writes. It reads no other.
const SnapshotVersion = 1

// Snapshot is an agent as JSON: its settings, and by name what is not data. Times are in milliseconds; what is absent is the zero
// value of the Agent's field. CountTokens and OnToolError are in no snapshot: who restores an agent sets them.
type Snapshot struct {
	Version         int      `json:"version"`
	Name            string   `json:"name"`
	Description     string   `json:"description,omitempty"`
	Instructions    string   `json:"instructions,omitempty"`
	Backend         string   `json:"backend,omitempty"`
	Model           string   `json:"model,omitempty"`
	Tools           []string `json:"tools,omitempty"`
	OwnToolsOnly    bool     `json:"ownToolsOnly,omitempty"`
	Middleware      []string `json:"middleware,omitempty"` // the outermost first
	Output          string   `json:"output,omitempty"`
	Handoffs        []string `json:"handoffs,omitempty"`
	ContextTokens   int      `json:"contextTokens,omitempty"`
	Parallel        bool     `json:"parallel,omitempty"`
	MaxTurns        int      `json:"maxTurns,omitempty"`
	MaxRepeats      int      `json:"maxRepeats,omitempty"`
	MaxResultLength int      `json:"maxResultLength,omitempty"`
	ApprovalTTLMs   int64    `json:"approvalTtlMs,omitempty"`
	TimeoutMs       int64    `json:"timeoutMs,omitempty"`
	Temperature     *float64 `json:"temperature,omitempty"`
	MaxTokens       int      `json:"maxTokens,omitempty"`
	MaxRetries      int      `json:"maxRetries,omitempty"`
}

// Parts are what snapshots name. Any may be empty.
type Parts struct {
	Tools      *tool.Registry
	Backends   map[string]model.Backend
	Middleware []Middleware // by their Name
	Outputs    map[string]*Output
	Agents     []*Agent // to hand over to
}

// Snapshot describes the agent with the names its parts have there. What has no name there is an error that says which.
func (a *Agent) Snapshot(p Parts) (*Snapshot, error) {
	s := &Snapshot{
		Version: SnapshotVersion, Name: a.Name, Description: a.Description, Instructions: a.Instructions, Model: a.Model,
		OwnToolsOnly: a.OwnToolsOnly, ContextTokens: a.ContextTokens, Parallel: a.Parallel, MaxTurns: a.MaxTurns, MaxRepeats: a.MaxRepeats,
		MaxResultLength: a.MaxResultLength, ApprovalTTLMs: a.ApprovalTTL.Milliseconds(), TimeoutMs: a.Timeout.Milliseconds(),
		MaxTokens: a.MaxTokens, MaxRetries: a.MaxRetries,
	}
	if a.Temperature != nil {
		t := *a.Temperature
		s.Temperature = &t
	}
	var missing []error
	need := func(kind, name string, found bool) {
		if !found {
			missing = append(missing, fmt.Errorf("snapshot of agent %q: no %s %q is among the parts", a.Name, kind, name))
		}
	}
	for name, b := range p.Backends {
		if same(b, a.Backend) && (s.Backend == "" || name < s.Backend) {
			s.Backend = name
		}
	}
	if s.Backend == "" {
		missing = append(missing, fmt.Errorf("snapshot of agent %q: its backend is none of the parts' Backends", a.Name))
	}
	for _, t := range a.Tools {
		s.Tools = append(s.Tools, t.Name)
		need("tool", t.Name, p.Tools.Has(t.Name))
	}
	for i, m := range a.Middleware {
		s.Middleware = append(s.Middleware, m.Name)
		need("middleware", a.middlewareName(i), m.Name != "" && p.middleware(m.Name) != nil)
	}
	for _, to := range a.Handoffs {
		s.Handoffs = append(s.Handoffs, to.Name)
		need("agent", to.Name, p.agent(to.Name) != nil)
	}
	if a.Output != nil {
		for name, o := range p.Outputs {
			if o == a.Output && (s.Output == "" || name < s.Output) {
				s.Output = name
			}
		}
		if s.Output == "" {
			missing = append(missing, fmt.Errorf("snapshot of agent %q: its Output is none of the parts' Outputs", a.Name))
		}
	}
	if err := errors.Join(missing...); err != nil {
		return nil, err
	}
	return s, nil
}

// snapshotMembers are a snapshot's type and the members it may have.
var snapshotMembers = sync.OnceValues(func() (*tool.Type[Snapshot], map[string]json.RawMessage) {
	t, err := tool.TypeOf[Snapshot]()
	if err != nil {
		panic(err) // it is the same for every program
	}
	var schema struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(t.Schema(), &schema); err != nil {
		panic(err)
	}
	return t, schema.Properties
})

// ReadSnapshot reads the JSON of a snapshot, as strictly as a tool reads its arguments: a member it does not know or that is there
// twice is an error, and so is a name that a list has twice. An agent that lost a setting would do what nobody wanted.
func ReadSnapshot(data []byte) (*Snapshot, error) {
	var head struct{ Version int }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("read a snapshot: %w", err)
	}
	if head.Version != SnapshotVersion {
		return nil, fmt.Errorf("read a snapshot: it has version %d, and this program reads version %d", head.Version, SnapshotVersion)
	}
	t, known := snapshotMembers()
	s, err := t.Decode(string(data))
	if err != nil {
		return nil, fmt.Errorf("read a snapshot: %w", err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("read a snapshot: %w", err)
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if _, ok := known[member]; !ok {
			return nil, fmt.Errorf("read a snapshot: %q is no member of one", member)
		}
	}
	if s.Name == "" {
		return nil, errors.New("read a snapshot: it names no agent")
	}
	for member, names := range map[string][]string{"tools": s.Tools, "middleware": s.Middleware, "handoffs": s.Handoffs} {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return nil, fmt.Errorf("read a snapshot: %s has %q twice", member, name)
			}
		}
	}
	return &s, nil
}

// Restore makes the agent. A part that is not there is an error that names it; all of them are told at once.
func (s *Snapshot) Restore(p Parts) (*Agent, error) {
	a := &Agent{
		Name: s.Name, Description: s.Description, Instructions: s.Instructions, Backend: p.Backends[s.Backend], Model: s.Model,
		OwnToolsOnly: s.OwnToolsOnly, Output: p.Outputs[s.Output], ContextTokens: s.ContextTokens, Parallel: s.Parallel, MaxTurns: s.MaxTurns, MaxRepeats: s.MaxRepeats,
		MaxResultLength: s.MaxResultLength, ApprovalTTL: time.Duration(s.ApprovalTTLMs) * time.Millisecond,
		Timeout: time.Duration(s.TimeoutMs) * time.Millisecond, MaxTokens: s.MaxTokens, MaxRetries: s.MaxRetries,
	}
	if s.Temperature != nil {
		t := *s.Temperature
		a.Temperature = &t
	}
	var missing []error
	need := func(kind, name string, found bool) {
		if !found {
			missing = append(missing, fmt.Errorf("restore agent %q: there is no %s %q", s.Name, kind, name))
		}
	}
	need("backend", s.Backend, a.Backend != nil)
	need("output", s.Output, s.Output == "" || a.Output != nil)
	for _, name := range s.Tools {
		t, ok := p.Tools.Get(name)
		need("tool", name, ok)
		a.Tools = append(a.Tools, t)
	}
	for _, name := range s.Middleware {
		m := p.middleware(name)
		need("middleware", name, m != nil)
		if m != nil {
			a.Middleware = append(a.Middleware, *m)
		}
	}
	for _, name := range s.Handoffs {
		to := p.agent(name)
		need("agent to hand over to", name, to != nil)
		a.Handoffs = append(a.Handoffs, to)
	}
	if err := errors.Join(missing...); err != nil {
		return nil, err
	}
	return a, nil
}

func (p *Parts) middleware(name string) *Middleware {
	if i := slices.IndexFunc(p.Middleware, func(m Middleware) bool { return m.Name == name }); i >= 0 {
		return &p.Middleware[i]
	}
	return nil
}

func (p *Parts) agent(name string) *Agent {
	if i := slices.IndexFunc(p.Agents, func(a *Agent) bool { return a.Name == name }); i >= 0 {
		return p.Agents[i]
	}
	return nil
}

// same compares backends, of which one may be of a type that cannot be compared.
func same(a, b model.Backend) bool {
	return a != nil && b != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}
