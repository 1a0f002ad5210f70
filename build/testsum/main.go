// Command testsum runs `go test -json` with its arguments and tells a person what came of it: a line for each package, the output
// of what failed, the reason of what skipped itself, and a summary. A few tests that failed are run once more, alone, and what then
// passes is told as flaky; a data race and a panic are failures at once. Where CI is set, a skipped test is a failure,
// unless the machine allows it no Docker engine.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// fewFailures is how many tests are run once more; where more failed, something is broken.
const fewFailures = 3

func main() {
	args := os.Args[1:]
	first := newSummary(os.Stdout)
	err := first.test(args)
	if again := first.doubtful(); err == nil && len(again) > 0 {
		err = first.retry(args, again)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	if !first.end(os.Getenv("CI") != "") {
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
	failures                map[string][]string         // by package: the tests that failed, without what stands below them
	broken                  bool                        // something failed that another try does not mend
	passed, failed, skipped int
	forbidden               int // of those skipped: by the machine
	flaky                   int // passed, but only when run once more
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, output: map[string]*strings.Builder{}, failures: map[string][]string{}}
}

// test runs `go test -json` and reads it to its end. That tests failed is no error.
func (s *summary) test(args []string) error {
	cmd := exec.CommandContext(context.Background(), "go", append([]string{"test", "-json"}, args...)...) //nolint:gosec // what to test is the caller's to say
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("read go test: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start go test: %w", err)
	}
	read := s.read(events)
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) && len(s.failures) == 0 {
		s.broken, s.failed = true, max(s.failed, 1)
	} else if err != nil && exit == nil {
		return fmt.Errorf("run go test: %w", err)
	}
	return read
}

// doubtful returns the failed tests by package if each may be the machine's fault, else none.
func (s *summary) doubtful() map[string][]string {
	n := 0
	for _, tests := range s.failures {
		n += len(tests)
	}
	if s.broken || n > fewFailures {
		return nil
	}
	return s.failures
}

// retry runs the tests once more. Where all pass, they count as such, and as flaky.
func (s *summary) retry(args []string, tests map[string][]string) error {
	flags := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "./") })
	for _, pkg := range slices.Sorted(maps.Keys(tests)) {
		s.print(fmt.Sprintf("once more: %s %s\n", pkg, strings.Join(tests[pkg], " ")))
		second := newSummary(s.out)
		if err := second.test(append(flags, "-count=1", "-run", "^("+strings.Join(tests[pkg], "|")+")$", pkg)); err != nil {
			return err
		}
		s.settle(second, len(tests[pkg]))
	}
	return nil
}

// settle takes what the second try of a package's n tests gave.
func (s *summary) settle(second *summary, n int) {
	if second.failed > 0 || second.skipped > 0 || second.passed < n {
		s.broken = true
		return
	}
	s.flaky += n
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
		s.broken = s.broken || beyondDoubt(text)
		if !strings.Contains(e.Test, "/") {
			s.failures[e.Package] = append(s.failures[e.Package], e.Test)
		}
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
		if len(s.failures[e.Package]) == 0 || beyondDoubt(text) {
			s.failed++
			s.broken = true
		}
		s.print(fmt.Sprintf("FAIL  %-44s %7.2fs\n%s", e.Package, e.Elapsed, text))
	}
}

// beyondDoubt reports whether a failed test's output shows a fault that no second try takes back.
func beyondDoubt(text string) bool {
	return strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic: ") || strings.Contains(text, "fatal error: ")
}

// end prints the summary and reports whether all is well.
func (s *summary) end(strict bool) bool {
	if s.flaky > 0 && !s.broken {
		s.print(fmt.Sprintf("flaky: %d failed, and passed when run once more\n", s.flaky))
		s.passed, s.failed = s.passed+s.flaky, 0
	}
	s.print(fmt.Sprintf("go test: %d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped))
	if strict && s.skipped > s.forbidden {
		s.print("Here a skipped test is a failure: everything the tests need is installed.\n")
		return false
	}
	return s.failed == 0 && s.passed > 0 && !s.broken
}

func (s *summary) print(text string) { _, _ = io.WriteString(s.out, text) }
