package docker_test

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"go.uber.org/goleak"

	"callboard/backend/sandbox/docker"
)

const image = "callboard-test:1"

// real is a Docker engine of the tests' own.
type real struct {
	host   string
	folder string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	exited chan struct{}
	client *client.Client
}

var started *real

var quiet = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	code := m.Run()
	if started != nil {
		if err := started.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

var start = sync.OnceValues(func() (*real, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("a Docker engine of its own needs root")
	}
	for _, program := range []string{"dockerd", "busybox"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%s is not installed (Debian's docker.io and busybox-static)", program)
		}
	}
	if err := checkStatic(); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "callboard-docker-")
	if err != nil {
		return nil, err
	}
	r := &real{folder: folder, host: "unix://" + filepath.Join(folder, "s")}
	started = r
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()                              //nolint:errcheck // the engine has its own
	config := filepath.Join(folder, "daemon.json") // not the machine's own
	if err := os.WriteFile(config, []byte("{}"), 0o600); err != nil {
		return nil, err
	}
	// the shell ends the engine when its standard input ends: with the tests, however they do
	r.cmd = exec.CommandContext(context.Background(), "sh", "-c", `exec 3<&0; "$@" & child=$!; (cat <&3 >/dev/null; kill $child 2>/dev/null) & wait $child`, "sh",
		"dockerd", "--storage-driver", "vfs", "--iptables=false", "--ip6tables=false", "--bridge=none", "--shutdown-timeout", "1",
		"--data-root", filepath.Join(folder, "data"), "--exec-root", filepath.Join(folder, "exec"), "--pidfile", filepath.Join(folder, "pid"),
		"--config-file", config, "-H", r.host)
	r.cmd.Stdout, r.cmd.Stderr = log, log
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	r.exited = make(chan struct{})
	go func() {
		defer close(r.exited)
		r.cmd.Wait() //nolint:errcheck // it is killed in the end
	}()
	if r.client, err = client.New(client.WithHost(r.host)); err != nil {
		return nil, err
	}
	for limit := time.Now().Add(30 * time.Second); ; {
		if _, err = r.client.Ping(context.Background(), client.PingOptions{NegotiateAPIVersion: true}); err == nil {
			return r, r.load()
		}
		select {
		case <-r.exited:
			limit = time.Time{}
		default:
		}
		if time.Now().After(limit) {
			said, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("no Docker engine can start here: %w\n%s", err, said[max(0, len(said)-2000):])
		}
		time.Sleep(50 * time.Millisecond)
	}
})

// checkStatic demands a busybox that runs in an image of its own.
func checkStatic() error {
	path, err := exec.LookPath("busybox")
	if err != nil {
		return err
	}
	program, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer program.Close() //nolint:errcheck // it was only read
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("%s needs libraries (Debian's busybox-static does not)", path)
		}
	}
	return nil
}

// engine is a real Docker engine; where none can start, the test says so.
func engine(t *testing.T) *real {
	t.Helper()
	r, err := start()
	if err != nil {
		t.Skip(err)
	}
	return r
}

func (r *real) stop() error {
	var errs []error
	if r.stdin != nil {
		errs = append(errs, r.stdin.Close())
		if r.exited != nil {
			<-r.exited
		}
	}
	if r.client != nil {
		errs = append(errs, r.client.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(r.folder))...)
}

// rootfs is a tree with busybox in it.
func rootfs() ([]byte, error) {
	path, err := exec.LookPath("busybox")
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	errs := []error{
		w.WriteHeader(&tar.Header{Name: "bin/", Typeflag: tar.TypeDir, Mode: 0o755}),
		w.WriteHeader(&tar.Header{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o777}),
		w.WriteHeader(&tar.Header{Name: "bin/busybox", Mode: 0o755, Size: int64(len(program))}),
	}
	_, err = w.Write(program)
	errs = append(errs, err)
	for name := range strings.FieldsSeq("sh cat dd echo env grep head kill ls pwd sleep true yes") {
		errs = append(errs, w.WriteHeader(&tar.Header{Name: "bin/" + name, Typeflag: tar.TypeSymlink, Linkname: "busybox"}))
	}
	return text.Bytes(), errors.Join(append(errs, w.Close())...)
}

// load makes the image.
func (r *real) load() error {
	text, err := rootfs()
	if err != nil {
		return err
	}
	result, err := r.client.ImageImport(context.Background(), client.ImageImportSource{Source: bytes.NewReader(text), SourceName: "-"}, image, client.ImageImportOptions{})
	if err != nil {
		return fmt.Errorf("make the image: %w", err)
	}
	_, err = io.Copy(io.Discard, result)
	return errors.Join(err, result.Close())
}

// containers are the names of those that are there, without their slash.
func (r *real) containers(t *testing.T) []string {
	t.Helper()
	found, err := r.client.ContainerList(t.Context(), client.ContainerListOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, c := range found.Items {
		names = append(names, strings.TrimPrefix(c.Names[0], "/"))
	}
	return names
}

// newSandbox is an Engine over a real one, which must leave no container.
func newSandbox(t *testing.T) *docker.Engine {
	t.Helper()
	r := engine(t)
	e := &docker.Engine{Host: r.host, Logger: quiet}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
