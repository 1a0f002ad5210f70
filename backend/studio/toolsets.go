package studio

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"callboard/backend/tool"
	"callboard/backend/toolset/browser"
	"callboard/backend/toolset/memory"
	"callboard/backend/toolset/workspace"
)

// switches say which tool sets the workspace agent has besides its files. Memory and scheduler are on: they do nothing until they
// are asked to, and every call is a row. The browser is off: it reaches out of the folder.
type switches struct {
	Memory    bool `json:"memory"`
	Scheduler bool `json:"scheduler"`
	Browser   bool `json:"browser"`
}

// switchesPatch changes the switches it names.
type switchesPatch struct {
	Memory    *bool `json:"memory"`
	Scheduler *bool `json:"scheduler"`
	Browser   *bool `json:"browser"`
}

func (p switchesPatch) apply(on *switches) {
	for patch, to := range map[*bool]*bool{p.Memory: &on.Memory, p.Scheduler: &on.Scheduler, p.Browser: &on.Browser} {
		if patch != nil {
			*to = *patch
		}
	}
}

// toolset is a set of tools that can be switched on and off.
type toolset struct {
	name        string
	description string
	tools       []*tool.Tool
	on          func(switches) bool
	fault       func() error // why it cannot work here; nil asks nobody
}

// toolsetView is a tool set as a client reads it.
type toolsetView struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tools       []string `json:"tools"`
	Enabled     bool     `json:"enabled"`
	Fault       string   `json:"fault,omitempty"`
}

// openToolsets makes the tools that do not depend on a thread.
func (s *Studio) openToolsets() error {
	s.scheduler = s.newScheduler()
	s.browser = browser.New(browser.Options{Allow: s.reachable})
	notes, err := memory.Tools(s.db)
	schedules, schedulesErr := s.scheduler.Tools()
	pages, pagesErr := s.browser.Tools()
	if err := errors.Join(err, schedulesErr, pagesErr); err != nil {
		return err
	}
	s.toolsets = []toolset{
		{name: "memory", description: "Keeps notes from one thread to the next", tools: notes, on: func(on switches) bool { return on.Memory }},
		{name: "scheduler", description: "Sends messages into a thread later", tools: schedules, on: func(on switches) bool { return on.Scheduler }},
		{
			name: "browser", description: "Opens web pages in a browser of its own", tools: pages, on: func(on switches) bool { return on.Browser },
			fault: func() error { _, err := browser.Find(); return err },
		},
	}
	return nil
}

// toolsOf are the tools of the sets that are switched on; with all, of every set.
func (s *Studio) toolsOf(on switches, all bool) []*tool.Tool {
	var tools []*tool.Tool
	for _, set := range s.toolsets {
		if all || set.on(on) {
			tools = append(tools, set.tools...)
		}
	}
	return tools
}

func (s *Studio) viewToolsets(on switches) []toolsetView {
	views := make([]toolsetView, len(s.toolsets))
	for i, set := range s.toolsets {
		views[i] = toolsetView{Name: set.name, Description: set.description, Enabled: set.on(on)}
		for _, t := range set.tools {
			views[i].Tools = append(views[i].Tools, t.Name)
		}
		if set.fault != nil {
			if err := set.fault(); err != nil {
				views[i].Fault = err.Error()
			}
		}
	}
	return views
}

// reachable says whether the browser may reach a host that is not on the public net.
func (s *Studio) reachable(hostPort string) bool {
	set, err := s.settings(context.Background())
	if err != nil {
		s.log.Error("the settings cannot be read; the browser stays on the public net", "error", err)
		return false
	}
	return browser.Hosts(set.BrowserHosts...)(hostPort)
}

// maxBrowserHosts limits the list of hosts.
const maxBrowserHosts = 100

// checkHosts refuses what is no list of hosts, and cleans it up.
func checkHosts(list []string) ([]string, error) {
	if len(list) > maxBrowserHosts {
		return nil, invalid("browserHosts: over %d", maxBrowserHosts)
	}
	hosts := []string{}
	for _, one := range list {
		one = strings.ToLower(strings.TrimSpace(one))
		if u, err := url.Parse("http://" + one); err != nil || one == "" || u.Host != one || u.Hostname() == "" {
			return nil, invalid("browserHosts: %q is no host: write a name or an address, with or without a port (localhost:3000)", one)
		}
		if !slices.Contains(hosts, one) {
			hosts = append(hosts, one)
		}
	}
	return hosts, nil
}

// toolsOfKind are the tools of a built-in agent in a folder. The demo's work as options say; another's by the settings, and it has
// the sets that are switched on.
func (s *Studio) toolsOfKind(ctx context.Context, kind *agentKind, folder string, options workspace.Options) ([]*tool.Tool, error) {
	if !kind.toolsets {
		return s.tools(folder, options)
	}
	set, err := s.settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the tools of %s: %w", kind.Name, err)
	}
	tools, err := s.tools(folder, s.workspaceOptions(set))
	if err != nil {
		return nil, err
	}
	return append(tools, s.toolsOf(set.Toolsets, false)...), nil
}
