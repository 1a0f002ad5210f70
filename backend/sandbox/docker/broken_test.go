package docker_test

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"callboard/backend/sandbox"
	"callboard/backend/sandbox/docker"
	"callboard/backend/tool"
)

// line is a way to an engine that can be cut.
type line struct {
	listener net.Listener
	mu       sync.Mutex
	near     []net.Conn
	far      []net.Conn
	isCut    bool
	wg       sync.WaitGroup
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener}
	l.wg.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := new(net.Dialer).DialContext(t.Context(), "unix", to)
			if err != nil {
				near.Close() //nolint:errcheck // nothing came through it
				continue
			}
			l.mu.Lock()
			l.near, l.far = append(l.near, near), append(l.far, far)
			if l.isCut {
				near.Close() //nolint:errcheck // as above
				far.Close()  //nolint:errcheck // as above
			}
			l.mu.Unlock()
			l.wg.Go(func() { io.Copy(near, far) }) //nolint:errcheck // it ends when the line is cut
			l.wg.Go(func() { io.Copy(far, near) }) //nolint:errcheck // as above
		}
	})
	return l
}

func (l *line) cut() {
	l.listener.Close() //nolint:errcheck // that is the point
	l.mu.Lock()
	l.isCut = true
	for _, end := range slices.Concat(l.far, l.near) { // nothing may get through once somebody notices
		end.Close() //nolint:errcheck // as above
	}
	l.mu.Unlock()
	l.wg.Wait()
}

func TestWhatHasBegunDoesNotRunAgainOnTheHost(t *testing.T) {
	r := engine(t)
	l := newLine(t, strings.TrimPrefix(r.host, "unix://"))
	e := &docker.Engine{Host: "unix://" + l.listener.Addr().String(), Logger: quiet}
	done := make(chan error, 1)
	go func() {
		_, err := (&sandbox.Sandbox{Docker: e, Logger: quiet}).Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "echo begun; sleep 300"}, nil))
		done <- err
	}()
	var name string
	for range 6000 {
		if names := r.containers(t); len(names) > 0 {
			name = names[0]
			if seen, err := r.client.ContainerInspect(t.Context(), name, client.ContainerInspectOptions{}); err == nil && seen.Container.State.Running {
				break
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	l.cut()
	var coded *tool.Error
	if err := <-done; !errors.As(err, &coded) || coded.Code != tool.CodeSandboxFailed {
		t.Errorf("got %v, want %s", err, tool.CodeSandboxFailed)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.client.ContainerRemove(t.Context(), name, client.ContainerRemoveOptions{Force: true}); err != nil {
		t.Errorf("the container is not there any more, which nobody could remove: %v", err)
	}
}

func TestWhyDockerIsAwayIsNoSentenceOfItsOwn(t *testing.T) {
	err := docker.Unavailable(errors.New("Cannot connect to the Docker daemon at unix:///x.sock. Is the docker daemon running?"))
	if got, want := err.Message, "Docker cannot be reached: Cannot connect to the Docker daemon at unix:///x.sock"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
