package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// systems are those the program is built for, with the tags `make build` and Wails give it.
var systems = []string{"linux", "windows", "darwin"}

const tags = "desktop,production,webkit2_41"

// goPackage is what go list says of a package.
type goPackage struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version string }
	}
}

// goParts returns the modules of the packages that are linked, and Go itself.
func goParts(ctx context.Context, project string) ([]Part, error) {
	root, version, err := goItself(ctx, project)
	if err != nil {
		return nil, err
	}
	text, err := texts(root)
	if err != nil {
		return nil, err
	}
	parts := []Part{{Name: "Go", Version: version, From: "Go", Text: text}}
	found := map[string]int{} // the part of a module
	seen := map[string]bool{} // folders whose licences were taken
	for _, system := range systems {
		all, err := list(ctx, project, system)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			if p.Standard || p.Module == nil || p.Module.Main {
				continue
			}
			i, known := found[p.Module.Path]
			if !known {
				i = len(parts)
				found[p.Module.Path] = i
				parts = append(parts, Part{Name: p.Module.Path, Version: p.Module.Version, From: "Go"})
			}
			// A folder within a module may have a licence of its own, which then counts for all below it.
			for dir := p.Dir; !seen[dir]; dir = filepath.Dir(dir) {
				seen[dir] = true
				text, err := texts(dir)
				if err != nil {
					return nil, err
				}
				if text != "" && !strings.Contains(parts[i].Text, text) {
					parts[i].Text = strings.TrimSpace(text + "\n\n" + parts[i].Text)
				}
				if dir == p.Module.Dir {
					break
				}
			}
		}
	}
	for i, p := range parts {
		if parts[i].Licences = names(p.Text); len(parts[i].Licences) == 0 {
			return nil, fmt.Errorf("the module %s %s has no licence that is known", p.Name, p.Version)
		}
	}
	return parts, nil
}

// goItself returns the folder and the version of the Go that builds the program: its library is linked too.
func goItself(ctx context.Context, project string) (root, version string, err error) {
	command := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION")
	command.Dir = project
	out, err := command.Output()
	if err != nil {
		return "", "", fmt.Errorf("ask Go for itself: %w", err)
	}
	root, version, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return root, strings.TrimPrefix(version, "go"), nil
}

// list returns the packages the program has on a system.
func list(ctx context.Context, project, system string) ([]goPackage, error) {
	command := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Standard,Module", "-tags", tags, ".")
	command.Dir = project
	// Nothing is compiled: files that need a C compiler are only named.
	command.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=1")
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("list the packages on %s: %w", system, err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("list the packages on %s: %w", system, err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(out); ; {
		var p goPackage
		if err = decoder.Decode(&p); err != nil {
			break
		}
		all = append(all, p)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(err, command.Wait()); err != nil {
		return nil, fmt.Errorf("list the packages on %s: %w", system, err)
	}
	return all, nil
}
