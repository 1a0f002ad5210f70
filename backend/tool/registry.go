package tool

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Registry is a set of tools by name, in the order they came. Its zero value is empty and works; a nil one is empty too, and takes
// none. It is safe for concurrent use.
//
// A tool set is a function that builds tools which belong together and returns them as []*Tool; RegisterMany takes what it gives.
type Registry struct {
	mu      sync.RWMutex
	byName  map[string]*Tool
	tools   []*Tool
	schemas []Schema // of tools, made when they are asked for
	changes int
}

// Register adds a tool. A nil tool, and one whose name another has, are refused.
func (r *Registry) Register(t *Tool) error { return r.RegisterMany(t) }

// RegisterMany adds tools, all of them or none: one refused is an error that names it.
func (r *Registry) RegisterMany(tools ...*Tool) error {
	if r == nil {
		return errors.New("register tools: there is no registry")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := make(map[string]bool, len(tools))
	for i, t := range tools {
		switch {
		case t == nil:
			return fmt.Errorf("register tools: tool %d of %d is nil", i+1, len(tools))
		case r.byName[t.Name] != nil:
			return fmt.Errorf("register tool %q: the registry has one of that name; use Named to give it another", t.Name)
		case taken[t.Name]:
			return fmt.Errorf("register tool %q: it comes twice in one call; use Named to give one another name", t.Name)
		}
		taken[t.Name] = true
	}
	if r.byName == nil {
		r.byName = make(map[string]*Tool, len(tools))
	}
	for _, t := range tools {
		r.byName[t.Name] = t
	}
	r.tools = append(r.tools, tools...)
	r.schemas = nil
	r.changes++
	return nil
}

// Replace puts tools in the place of all there are; refused ones, as with RegisterMany, leave everything as it is.
func (r *Registry) Replace(tools ...*Tool) error {
	if r == nil {
		return errors.New("replace tools: there is no registry")
	}
	var fresh Registry
	if err := fresh.RegisterMany(tools...); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byName, r.tools, r.schemas = fresh.byName, fresh.tools, nil
	r.changes++
	return nil
}

// Changes counts how often tools came or went.
func (r *Registry) Changes() int {
	if r == nil {
		return 0
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.changes
}

// Get returns the tool of a name.
func (r *Registry) Get(name string) (*Tool, bool) {
	if r == nil {
		return nil, false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, ok := r.byName[name]
	return t, ok
}

// Has reports whether there is a tool of a name.
func (r *Registry) Has(name string) bool {
	_, ok := r.Get(name)
	return ok
}

// All returns the tools, in a slice of the caller's own.
func (r *Registry) All() []*Tool {
	if r == nil {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.tools)
}

// Names returns the tools' names.
func (r *Registry) Names() []string {
	if r == nil {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Name
	}
	return names
}

// Schemas returns what a model is told of the tools. The slice is made once and not to be changed.
func (r *Registry) Schemas() []Schema {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.schemas == nil && len(r.tools) > 0 {
		r.schemas = make([]Schema, len(r.tools))
		for i, t := range r.tools {
			r.schemas[i] = t.Schema()
		}
	}
	return r.schemas
}

// Clear takes all tools out.
func (r *Registry) Clear() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byName, r.tools, r.schemas = nil, nil, nil
	r.changes++
}
