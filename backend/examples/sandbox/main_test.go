package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The module and the program are built and run as a reader would, on a machine without Docker.
func TestTheExampleRunsItsTools(t *testing.T) {
	folder := t.TempDir()
	module, program := filepath.Join(folder, "words.wasm"), filepath.Join(folder, "sandbox.exe")
	build := func(env []string, arguments ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"build"}, arguments...)...)
		cmd.Env = append(os.Environ(), env...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go build %q: %v\n%s", arguments, err, text)
		}
	}
	build([]string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"}, "-buildmode=c-shared", "-o", module, "./words")
	build(nil, "-o", program, ".")

	for name, tc := range map[string]struct {
		arguments []string
		want      []string
		warns     bool
	}{
		"on the host where there is no Docker": {nil, []string{`"stdout":"in a shell\n"`, `"exitCode":0`}, true},
		"nowhere when it is strict":            {[]string{"-strict"}, []string{"  null SANDBOX_UNAVAILABLE"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), program, append([]string{"-module", module}, tc.arguments...)...)
			cmd.Env = append(os.Environ(), "DOCKER_HOST=unix:///nobody/listens/here.sock")
			var out, log bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &log
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s%s", err, out.String(), log.String())
			}
			for _, want := range append(tc.want, `  {"letters":22,"words":4}`, "Done.") {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the output has no %q:\n%s", want, out.String())
				}
			}
			if got := strings.Contains(log.String(), "WARN"); got != tc.warns {
				t.Errorf("the log says %q, want a warning to be %t", log.String(), tc.warns)
			}
		})
	}
}
