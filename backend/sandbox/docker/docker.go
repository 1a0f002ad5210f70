// Package docker runs the commands of sandboxed tools in containers, through Docker's own client. It knows nothing of agents or
// modules.
//
// Each call has a container of its own, which is gone after it: `sh -c` of the command, in the image the sandbox declares, with its
// memory (no swap beside it), pidsLimit and network, which is none unless it says otherwise. No capability is left to it and it can
// gain none; who it runs as, and what its files are, is the image's. With a Folder it has that one of the host beside them, and runs
// as this program's user, so that both can change what is in it. An image that is missing is pulled.
package docker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"

	"callboard/backend/tool"
)

const (
	// pingTime is how long an engine may take to say that it is there.
	pingTime = 2 * time.Second
	// tidyTime is how long it may take to end or to remove a container.
	tidyTime = 30 * time.Second
)

// Engine is a tool.Executor that runs commands in containers. Its zero value uses the engine the docker command would, without its
// contexts: DOCKER_HOST and its like, else Docker's usual place.
//
// Containers that another process, now dead, left behind are removed when the engine is first reached.
type Engine struct {
	Host   string       // such as unix:///run/user/1000/docker.sock; empty is DOCKER_HOST's
	Logger *slog.Logger // nil is slog.Default()

	mu       sync.Mutex
	client   *client.Client
	swept    bool
	removing sync.WaitGroup // its count grows with mu held
}

var _ tool.Executor = (*Engine)(nil)

// Check reports whether the engine can be reached: an *tool.Error with SANDBOX_UNAVAILABLE says why not.
func (e *Engine) Check(ctx context.Context) error {
	_, err := e.reach(ctx)
	return err
}

// reach returns the client of an engine that answers.
func (e *Engine) reach(ctx context.Context) (*client.Client, error) {
	docker, err := e.connect()
	if err != nil {
		return nil, unavailable(err)
	}
	limited, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	switch _, err := docker.Ping(limited, client.PingOptions{NegotiateAPIVersion: true}); {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && limited.Err() != nil:
		return nil, unavailable(fmt.Errorf("%s does not answer within %s", docker.DaemonHost(), pingTime))
	case err != nil:
		return nil, unavailable(err)
	}
	e.mu.Lock()
	swept := e.swept
	e.swept = true
	e.mu.Unlock()
	if !swept {
		e.sweep(ctx, docker)
	}
	return docker, nil
}

func (e *Engine) connect() (*client.Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client != nil {
		return e.client, nil
	}
	options := []client.Opt{client.FromEnv}
	if e.Host != "" {
		options = append(options, client.WithHost(e.Host))
	}
	made, err := client.New(options...)
	if err != nil {
		return nil, err
	}
	e.client = made
	return made, nil
}

// EndRun does nothing: no container outlives its call.
func (e *Engine) EndRun(string) {}

// Close waits for the containers that are being removed, and lets go of the engine. Calls made later reach it again.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.removing.Wait()
	if e.client == nil {
		return nil
	}
	closing := e.client
	e.client = nil
	if err := closing.Close(); err != nil {
		return fmt.Errorf("close the Docker client: %w", err)
	}
	return nil
}

// remove removes a container, whatever it does, behind the call it served.
func (e *Engine) remove(ctx context.Context, docker *client.Client, name string) {
	e.mu.Lock() // none begins while Close waits
	defer e.mu.Unlock()
	e.removing.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
		defer cancel()
		if err := removeNow(ctx, docker, name); err != nil {
			e.logger().Warn("a container of a sandbox could not be removed", "container", name, "error", err)
		}
	})
}

// Labels of the containers: whose they are, and until when at most.
const (
	ownerLabel = "callboard.sandbox.owner"
	untilLabel = "callboard.sandbox.until"
	// slack is how long a container may outlive its command's time before it counts as left behind.
	slack = time.Minute
)

// sweep removes containers that nobody will remove any more: their process is dead, or their time long over.
func (e *Engine) sweep(ctx context.Context, docker *client.Client) {
	found, err := docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", ownerLabel)})
	if err != nil {
		e.logger().Warn("containers that a dead process left behind cannot be looked for", "error", err)
		return
	}
	for _, left := range found.Items {
		until, err := strconv.ParseInt(left.Labels[untilLabel], 10, 64)
		if over := err != nil || time.Now().UnixMilli() > until; over || isDead(left.Labels[ownerLabel]) {
			e.logger().Info("a container that a dead process left behind is removed", "container", left.ID)
			e.remove(ctx, docker, left.ID)
		}
	}
}

// owner names this process on this machine.
func owner() string {
	host, _ := os.Hostname() // a machine without a name has the same name each time
	return host + "/" + strconv.Itoa(os.Getpid())
}

func (e *Engine) logger() *slog.Logger {
	if e.Logger != nil {
		return e.Logger
	}
	return slog.Default()
}

func unavailable(err error) *tool.Error {
	reason := strings.TrimSuffix(err.Error(), " Is the docker daemon running?") // others go on with the sentence
	return &tool.Error{Code: tool.CodeSandboxUnavailable, Message: "Docker cannot be reached: " + strings.TrimRight(reason, "."), Err: err}
}

func failed(format string, args ...any) *tool.Error {
	err := fmt.Errorf(format, args...)
	return &tool.Error{Code: tool.CodeSandboxFailed, Message: err.Error(), Err: err}
}
