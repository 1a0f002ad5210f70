package wasm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"callboard/backend/sandbox/wasm"
	"callboard/backend/tool"
)

var folder string // of the module that is built once

func TestMain(m *testing.M) {
	code := 1
	func() {
		var err error
		if folder, err = os.MkdirTemp("", "callboard-wasm-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
		if code = m.Run(); code != 0 {
			return
		}
		if err := errors.Join(engine.Close(context.Background()), goleak.Find()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	os.Exit(code)
}

var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "guest.wasm")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the guest: %w\n%s", err, out)
	}
	return path, nil
})

// guest is the path of a real module, built by Go.
func guest(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// engine is what the tests share: compiling the guest takes seconds under the race detector.
var engine wasm.Engine

// job is a call of a function of the guest.
func job(t testing.TB, function, arguments string) tool.Job {
	t.Helper()
	return tool.Job{
		ToolName: function, Arguments: []byte(arguments),
		Sandbox: tool.Sandbox{Type: tool.WASM, WasmModule: guest(t), WasmFunction: function},
	}
}
