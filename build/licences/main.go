// Command licences writes what is in the program besides Callboard, and under which licences. Run at the top of the project it
// writes JSON for the page to frontend/public/licences.json. With -text it prints a text to go with the program; with -debian that for a
// package's copyright file, which refers to the Apache licence every Debian has.
//
// In the program are the Go modules it links on any of its systems, the packages of the page that package-lock.json does not call
// for development alone, and the few of the latter that leave something of themselves in what they build.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// Part is something in the program that others made.
type Part struct {
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	From     string   `json:"from"`     // Go or npm
	Licences []string `json:"licences"` // by their SPDX names, sorted
	Text     string   `json:"text"`     // of its licences and notices
}

func main() {
	text := flag.Bool("text", false, "print a text instead")
	debian := flag.Bool("debian", false, "print the text for Debian's copyright file")
	flag.Parse()
	if err := run(context.Background(), *text || *debian, *debian, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, text, debian bool, out io.Writer) error {
	parts, err := collect(ctx, ".")
	if err != nil {
		return err
	}
	if debian {
		for i := range parts {
			parts[i].Text = referring(parts[i].Text)
		}
	}
	if text {
		return write(out, parts)
	}
	content, err := json.Marshal(parts)
	if err != nil {
		return fmt.Errorf("write the licences as JSON: %w", err)
	}
	path := filepath.Join("frontend", "public", "licences.json")
	if err := os.WriteFile(path, append(content, '\n'), 0o644); err != nil { //nolint:gosec // the page is for everybody
		return fmt.Errorf("write the licences: %w", err)
	}
	return nil
}

// collect returns every part, by name. The folder is that of the project.
func collect(ctx context.Context, project string) ([]Part, error) {
	linked, err := goParts(ctx, project)
	if err != nil {
		return nil, err
	}
	packed, err := npmParts(filepath.Join(project, "frontend"))
	if err != nil {
		return nil, err
	}
	parts := append(linked, packed...)
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Version, b.Version))
	})
	return parts, nil
}

// licenceFile is what a file is called that is to go with each copy.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)([-._].*)?$`)

// code is the ending of a file that only bears such a name.
var code = regexp.MustCompile(`(?i)\.(go|js|mjs|cjs|ts|json|html|svg|png|ya?ml)$`)

// texts returns the licences and notices in a folder, one after the other; empty when there are none.
func texts(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("look for licences: %w", err)
	}
	var found []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) || code.MatchString(e.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", fmt.Errorf("read a licence: %w", err)
		}
		text := strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(string(content), "\r\n", "\n"), "?"))
		if !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	return strings.Join(found, "\n\n"), nil
}

// names returns the SPDX names of the licences in a text, sorted.
func names(text string) []string {
	var found []string
	for _, match := range licensecheck.Scan([]byte(text)).Match {
		if !match.IsURL && !slices.Contains(found, match.ID) {
			found = append(found, match.ID)
		}
	}
	slices.Sort(found)
	return found
}

// referring replaces the text of the Apache licence by where Debian has it.
func referring(text string) string {
	var b strings.Builder
	from := 0
	for _, match := range licensecheck.Scan([]byte(text)).Match {
		if match.ID == "Apache-2.0" && !match.IsURL && match.End-match.Start > 5000 { // not the notice that only names it
			b.WriteString(text[from:match.Start] + "[The Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0]")
			from = match.End
		}
	}
	return b.String() + text[from:]
}

// write prints the text that goes with the program, from its own licence on. A text that several parts share stands there once.
func write(out io.Writer, parts []Part) error {
	own, err := os.ReadFile("LICENSE")
	if err != nil {
		return fmt.Errorf("read the program's own licence: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Callboard\n\n%s\nThe program holds %d parts that others made, each under its own licence.\n", own, len(parts))
	var order []string
	sharing := map[string][]Part{}
	for _, p := range parts {
		if sharing[p.Text] == nil {
			order = append(order, p.Text)
		}
		sharing[p.Text] = append(sharing[p.Text], p)
	}
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n", strings.Repeat("-", 80))
		for _, p := range sharing[text] {
			fmt.Fprintf(&b, "%s %s (%s): %s\n", p.Name, p.Version, p.From, strings.Join(p.Licences, ", "))
		}
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("write the licences: %w", err)
	}
	return nil
}
