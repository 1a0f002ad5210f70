// Package openaitest is a fake OpenAI-compatible server for tests and benchmarks, and the plain go-openai loop they compare with.
// The server runs in a process of its own, so that its work does not count as that of what is measured.
package openaitest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const childEnv = "CALLBOARD_OPENAITEST_CHILD"

// Child serves, and never returns, in a process that Start made. Elsewhere it does nothing. The TestMain of a package that uses
// Start calls it first.
func Child() {
	if os.Getenv(childEnv) == "" {
		return
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "fake server:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve answers until the parent closes stdin, or is gone.
func serve() error {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/v1\n", listener.Addr())
	server := &http.Server{Handler: Handler(), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	_, _ = io.Copy(io.Discard, os.Stdin) // any end of it is the end
	err = server.Close()
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		return served
	}
	return err
}

// Start runs Handler in a new process until the test ends, and returns the base URL, which ends in /v1.
func Start(tb testing.TB) string {
	tb.Helper()
	if os.Getenv(childEnv) != "" {
		tb.Fatal("the TestMain of this package has to call openaitest.Child first")
	}
	executable, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	child := exec.CommandContext(context.WithoutCancel(tb.Context()), executable) // it ends with its stdin
	child.Env = append(os.Environ(), childEnv+"=1")
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := child.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(stdin.Close(), child.Wait()); err != nil {
			tb.Errorf("fake server: %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url := strings.TrimSpace(line)
	if err != nil || !strings.HasPrefix(url, "http://") {
		tb.Fatalf("the fake server said %q, %v", line, err)
	}
	return url
}

// CPU is the processor time this process has used so far, in user and kernel mode.
func CPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
