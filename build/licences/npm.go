package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// leaving are packages for development that leave something of themselves in the page: the styles every page begins with, the
// loader of its pieces, and what ties modules together.
var leaving = []string{"node_modules/tailwindcss", "node_modules/vite", "node_modules/rolldown"}

// lock is what package-lock.json says of packages, by the folders they are installed in.
type lock struct {
	Packages map[string]struct {
		Version  string
		License  string
		Dev      bool
		Optional bool
	}
}

// npmParts returns the packages of the page.
func npmParts(frontend string) ([]Part, error) {
	content, err := os.ReadFile(filepath.Join(frontend, "package-lock.json"))
	if err != nil {
		return nil, fmt.Errorf("list the page's packages: %w", err)
	}
	var l lock
	if err := json.Unmarshal(content, &l); err != nil {
		return nil, fmt.Errorf("list the page's packages: %w", err)
	}
	var parts []Part
	for path, p := range l.Packages {
		if path == "" || p.Dev && !slices.Contains(leaving, path) {
			continue
		}
		dir := filepath.Join(frontend, filepath.FromSlash(path))
		text, err := texts(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && p.Optional:
			continue // it is for another system
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s is not installed: `npm ci` in frontend installs it", path)
		case err != nil:
			return nil, err
		case p.License == "":
			return nil, fmt.Errorf("%s %s has no licence", path, p.Version)
		}
		if text == "" {
			text = "Its package has no text of this licence, and names its authors in package.json:\n" + authors(dir)
		}
		if own, _, found := strings.Cut(text, "\n# Licenses of bundled dependencies"); found {
			text = strings.TrimSpace(own) // the others stay in the tool
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		part := Part{Name: name, Version: p.Version, From: "npm", Licences: spdx(p.License), Text: text}
		if !slices.ContainsFunc(parts, func(other Part) bool { return other.Name == name && other.Version == p.Version }) {
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// word is a licence's name in an SPDX expression.
var word = regexp.MustCompile(`[A-Za-z0-9.+-]+`)

// spdx returns the licences an SPDX expression names, sorted.
func spdx(expression string) []string {
	var found []string
	for _, name := range word.FindAllString(expression, -1) {
		if name != "OR" && name != "AND" && name != "WITH" {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// authors returns what a package says of who made it, as JSON.
func authors(dir string) string {
	var all struct {
		Author       json.RawMessage `json:"author,omitempty"`
		Contributors json.RawMessage `json:"contributors,omitempty"`
		Repository   json.RawMessage `json:"repository,omitempty"`
	}
	content, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil {
		return "none"
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "none"
	}
	return string(text)
}
