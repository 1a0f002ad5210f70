// Command testsum reads what `go test -json` prints and tells it to a person: a line for each package, the output of what failed,
// the reason of what skipped itself, and a summary. Where CI is set, a skipped test is a failure,
// unless the machine allows it no Docker engine.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	s := summary{out: os.Stdout, output: map[string]*strings.Builder{}}
	if err := s.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	if !s.end(os.Getenv("CI") != "") {
		os.Exit(1)
	}
}

// event is a line of `go test -json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build events
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

type summary struct {
	out                     io.Writer
	output                  map[string]*strings.Builder // by package and test, until it ends
	passed, failed, skipped int
	forbidden               int // of those skipped: by the machine
}

// engine is what a test says that needs a Docker engine of its own. A machine may forbid one, whatever is installed.
const engine = "Docker engine"

func (s *summary) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
				s.print(line)
			} else {
				s.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the test's events: %w", err)
		}
	}
}

func (s *summary) take(e event) {
	key := e.Package + "\n" + e.Test
	switch e.Action {
	case "output":
		if s.output[key] == nil {
			s.output[key] = &strings.Builder{}
		}
		s.output[key].WriteString(e.Output)
		return
	case "build-output":
		s.print(e.Output)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	text := ""
	if b := s.output[key]; b != nil {
		text = b.String()
		delete(s.output, key)
	}
	if e.Test == "" {
		s.takePackage(e, text)
		return
	}
	switch e.Action {
	case "pass":
		s.passed++
	case "fail":
		s.failed++
		s.print(e.Package + " " + e.Test + "\n" + text)
	case "skip":
		s.skipped++
		if strings.Contains(text, engine) {
			s.forbidden++
		}
		s.print(e.Package + " " + e.Test + "\n" + text)
	}
}

func (s *summary) takePackage(e event, text string) {
	switch e.Action {
	case "pass":
		s.print(fmt.Sprintf("ok    %-44s %7.2fs\n", e.Package, e.Elapsed))
	case "fail":
		s.failed++
		s.print(fmt.Sprintf("FAIL  %-44s %7.2fs\n%s", e.Package, e.Elapsed, text))
	}
}

// end prints the summary and reports whether all is well.
func (s *summary) end(strict bool) bool {
	s.print(fmt.Sprintf("go test: %d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped))
	if strict && s.skipped > s.forbidden {
		s.print("Here a skipped test is a failure: everything the tests need is installed.\n")
		return false
	}
	return s.failed == 0 && s.passed > 0
}

func (s *summary) print(text string) { _, _ = io.WriteString(s.out, text) }
