package studio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/archive"
)

// agentFormat marks the file of an agent.
const agentFormat = "callboard-agent"

// agentFile is an agent as a file: the library's snapshot, and beside it what only the studio knows. No key is in it.
//
// A snapshot alone, as a Go program writes one, is read too.
type agentFile struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	Agent   agent.Snapshot `json:"agent"` // its backend is the provider's name
	// Provider is where the backend is; absent: the model is the thread's.
	Provider      *fileProvider   `json:"provider,omitempty"`
	AllTools      bool            `json:"allTools,omitempty"`
	ToolTimeoutMs int64           `json:"toolTimeoutMs,omitempty"`
	Approvals     map[string]asks `json:"approvals,omitempty"`
	AgentTools    []string        `json:"agentTools,omitempty"`
}

// fileProvider names a model's server as another machine may know it.
type fileProvider struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseUrl"`
}

func (s *Studio) agentFile(ctx context.Context, name string) (*agentFile, error) {
	spec, err := s.specOf(ctx, name)
	if err != nil {
		return nil, err
	}
	file := &agentFile{
		Format: agentFormat, Version: agent.SnapshotVersion, Agent: spec.Snapshot,
		AllTools: spec.AllTools, ToolTimeoutMs: spec.ToolTimeoutMs, Approvals: spec.Approvals, AgentTools: spec.AgentTools,
	}
	if spec.Backend == "" {
		return file, nil
	}
	p, err := s.provider(ctx, spec.Backend)
	if err != nil {
		return nil, err
	}
	if p != nil {
		file.Agent.Backend, file.Provider = p.Name, &fileProvider{p.Name, p.BaseURL}
	}
	return file, nil
}

// readAgentFile reads the file of an agent, or a snapshot. Its errors are for who chose the file.
func readAgentFile(text string) (*agentFile, error) {
	if isThreadFile(text) {
		return nil, invalid("this is a thread's file, not an agent's: it is read by “Import a thread…”")
	}
	var head struct{ Format string }
	if err := json.Unmarshal([]byte(text), &head); err != nil {
		return nil, invalid("this is no agent's file: it is not JSON (%v)", err)
	}
	if head.Format == "" {
		snapshot, err := agent.ReadSnapshot([]byte(text))
		if err != nil {
			return nil, invalid("this is no agent's file: %v", err)
		}
		return &agentFile{Format: agentFormat, Version: agent.SnapshotVersion, Agent: *snapshot}, nil
	}
	if head.Format != agentFormat {
		return nil, invalid("this is no agent's file: its format is %q", head.Format)
	}
	var version struct{ Version int }
	if err := json.Unmarshal([]byte(text), &version); err == nil && version.Version > agent.SnapshotVersion {
		return nil, invalid("the file has version %d, and this program reads version %d: a newer Callboard wrote it", version.Version, agent.SnapshotVersion)
	}
	file := &agentFile{}
	if err := strictly([]byte(text), file); err != nil {
		return nil, invalid("the agent's file does not fit: %s", misfit(err))
	}
	return file, nil
}

// isThreadFile reports whether a file begins as one of a thread does, whole or not.
func isThreadFile(text string) bool {
	for _, err := range archive.Read(strings.NewReader(text)) {
		return !errors.Is(err, archive.ErrForeign)
	}
	return false
}

// readImport says what an import of a file would do here. Nothing is kept.
func (s *Studio) readImport(ctx context.Context, body agentImport) (*importPreview, error) {
	file, err := readAgentFile(body.Text)
	if err != nil {
		return nil, err
	}
	o := ownAgent{
		Snapshot: file.Agent, AllTools: file.AllTools, ToolTimeoutMs: file.ToolTimeoutMs, Approvals: file.Approvals, AgentTools: file.AgentTools,
	}
	o.Name = cmp.Or(strings.TrimSpace(body.Name), o.Name)
	o.Backend = ""
	preview := &importPreview{Model: "the model of the thread"}
	if len(o.Middleware) > 0 || o.Output != "" {
		preview.Missing = append(preview.Missing, "the middleware and the output of the program it comes from: they are its own code")
		o.Middleware, o.Output = nil, ""
	}
	if err := s.chooseProvider(ctx, file, &o, preview); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	box, err := s.toolbox(ctx, "")
	if err != nil {
		return nil, err
	}
	tools, err := box.registry()
	if err != nil {
		return nil, err
	}
	preview.Agent, preview.Missing = o, slices.Concat([]string{}, preview.Missing, box.missing(&o, tools))
	preview.Taken, preview.BuiltIn = box.hasAgent(o.Name), findAgent(o.Name) != nil
	preview.Free = o.Name
	for n := 2; box.hasAgent(preview.Free); n++ {
		preview.Free = fmt.Sprintf("%s %d", o.Name, n)
	}
	return preview, nil
}

// chooseProvider finds the server of models a file means among those there are: by its address, else by its name.
func (s *Studio) chooseProvider(ctx context.Context, file *agentFile, o *ownAgent, preview *importPreview) error {
	if file.Provider == nil {
		if file.Agent.Backend != "" {
			preview.Missing = append(preview.Missing, fmt.Sprintf("the model's server %q: it is known by that name where the file comes from", file.Agent.Backend))
			o.Model = ""
		}
		return nil
	}
	all, err := s.providers(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(p provider) bool { return p.BaseURL == file.Provider.BaseURL })
	if at < 0 {
		at = slices.IndexFunc(all, func(p provider) bool { return p.Name == file.Provider.Name })
	}
	if at < 0 {
		preview.Missing = append(preview.Missing, fmt.Sprintf("the model's server %s (%s): connect it in Settings, and choose it in the agent",
			file.Provider.Name, file.Provider.BaseURL))
		o.Model = ""
		return nil
	}
	o.Backend = all[at].ID
	preview.Model = cmp.Or(o.Model, all[at].Model, "the default model") + " of " + all[at].Name
	return nil
}

// strictly decodes JSON of which every member has to be known.
func strictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more stands after its end")
	}
	return nil
}
