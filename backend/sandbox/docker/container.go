package docker

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"callboard/backend/internal/process"
	"callboard/backend/sandbox/internal/ran"
	"callboard/backend/tool"
)

// killedCode is the exit code of a process that was killed.
const killedCode = 128 + 9

// drainTime is how long the rest of the output is waited for once a container has ended.
const drainTime = time.Second

// Execute runs a command in a container. The content is a tool.CommandResult: a command that failed, or whose time (2 minutes
// unless the sandbox says otherwise) was over, is a result too. Errors are *tool.Error: SANDBOX_UNAVAILABLE when Docker could not be
// reached and nothing ran, SANDBOX_OOM, SANDBOX_EXECUTION_FAILED; or ctx's.
func (e *Engine) Execute(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
	var out tool.Output[any]
	command, err := job.Command()
	if err != nil {
		return out, err
	}
	command.Cwd = inContainer(job.Sandbox.Folder, command.Cwd)
	if command.Cwd != "" && !strings.HasPrefix(command.Cwd, "/") {
		return out, &tool.Error{Code: tool.CodeInvalidArgs, Message: fmt.Sprintf("Invalid arguments: at '/cwd': %q is no absolute path in the container", command.Cwd)}
	}
	docker, err := e.reach(ctx)
	if err != nil {
		return out, err
	}
	timeout := cmp.Or(job.Sandbox.Timeout, ran.DefaultTimeout)
	options, err := creation(command, job.Sandbox, timeout)
	if err == nil && job.Sandbox.Folder != "" {
		if err = bind(ctx, docker, &options, job.Sandbox.Folder); err != nil {
			err = orEnd(ctx, failed("%w", err))
		}
	}
	if err != nil {
		return out, err
	}
	defer e.remove(ctx, docker, options.Name) // by its name: a creation that was cut off may have made it
	if err := e.create(ctx, docker, options); err != nil {
		return out, orEnd(ctx, err)
	}
	b := &box{docker: docker, name: options.Name, memory: job.Sandbox.Resources.Memory, streams: ran.Streams{Both: &process.Capture{}}}
	return b.run(ctx, command.Command, timeout)
}

func creation(command tool.Command, s tool.Sandbox, timeout time.Duration) (client.ContainerCreateOptions, error) {
	memory, err := s.Resources.MemoryBytes()
	if err != nil {
		return client.ContainerCreateOptions{}, failed("%w", err)
	}
	var env []string
	for name, value := range command.Env {
		env = append(env, name+"="+value)
	}
	host := &container.HostConfig{
		NetworkMode: container.NetworkMode(cmp.Or(s.Network, tool.NetworkNone)),
		CapDrop:     []string{"ALL"},
		SecurityOpt: []string{"no-new-privileges"},
		LogConfig:   container.LogConfig{Type: "none"}, // the output comes by attaching; a log of it would grow without end
	}
	host.Memory, host.MemorySwap = memory, memory
	if s.Resources.PidsLimit > 0 {
		host.PidsLimit = &s.Resources.PidsLimit
	}
	return client.ContainerCreateOptions{
		Name: "callboard-" + strings.ToLower(rand.Text()),
		Config: &container.Config{
			Image: s.Image, Entrypoint: []string{"sh", "-c"}, Cmd: []string{command.Command}, WorkingDir: command.Cwd, Env: env,
			AttachStdout: true, AttachStderr: true,
			Labels: map[string]string{
				ownerLabel: owner(), untilLabel: strconv.FormatInt(time.Now().Add(timeout+slack).UnixMilli(), 10),
			},
		},
		HostConfig: host,
	}, nil
}

// create makes the container, and pulls its image first if it is missing.
func (e *Engine) create(ctx context.Context, docker *client.Client, options client.ContainerCreateOptions) error {
	_, err := docker.ContainerCreate(ctx, options)
	if cerrdefs.IsNotFound(err) {
		image := options.Config.Image
		e.logger().Info("the image of a sandbox is pulled", "image", image)
		pulled, pullErr := docker.ImagePull(ctx, image, client.ImagePullOptions{})
		if pullErr == nil {
			pullErr = pulled.Wait(ctx)
		}
		if pullErr != nil {
			return failed("the image %s is not there and cannot be pulled: %w", image, pullErr)
		}
		_, err = docker.ContainerCreate(ctx, options)
	}
	switch {
	case err == nil:
		return nil
	case client.IsErrConnectionFailed(err):
		return unavailable(err)
	}
	return failed("make the container: %w", err)
}

// box is a container at work.
type box struct {
	docker  *client.Client
	name    string
	memory  string // as it was declared
	streams ran.Streams
	copied  chan struct{} // closed when the output has ended
}

func (b *box) run(ctx tool.Context, command string, timeout time.Duration) (tool.Output[any], error) {
	var none tool.Output[any]
	attached, err := b.docker.ContainerAttach(ctx, b.name, client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		return none, orEnd(ctx, failed("attach to the container: %w", err))
	}
	b.copied = make(chan struct{})
	go func() {
		defer close(b.copied)
		stdout, stderr := b.streams.Writers()
		stdcopy.StdCopy(stdout, stderr, attached.Reader) //nolint:errcheck // it ends with the container, or with the connection
	}()
	defer func() {
		attached.Close()
		<-b.copied
	}()

	// before the start, so that no end is missed
	waitCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	waiting := b.docker.ContainerWait(waitCtx, b.name, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	ended := make(chan error, 1)
	go func() { // the client gives one of the two, and waits until it is taken
		select {
		case response := <-waiting.Result:
			if response.Error != nil {
				ended <- fmt.Errorf("wait for the container: %s", response.Error.Message)
				return
			}
			ended <- nil
		case err := <-waiting.Error:
			ended <- err
		}
	}()
	defer func() {
		stop()
		if ended != nil {
			<-ended //nolint:errcheck // it comes too late to matter
		}
	}()

	started := time.Now()
	if _, err := b.docker.ContainerStart(ctx, b.name, client.ContainerStartOptions{}); err != nil {
		return none, orEnd(ctx, failed("start the container: %w", err))
	}
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	timedOut := false
	select {
	case err = <-ended:
		ended = nil
	case <-limit.C:
		timedOut = true
		err = b.kill(ctx)
	case <-ctx.Done():
		if err := b.kill(ctx); err != nil {
			return tool.Output[any]{Details: b.streams.Details()}, failed("the call is over, and its container could not be ended: %w", err)
		}
		return b.streams.Stopped(command, killedCode, time.Since(started), ctx.Err()), ctx.Err()
	}
	took := time.Since(started)
	if err != nil {
		return tool.Output[any]{Details: b.streams.Details()}, failed("run the container: %w", err)
	}
	b.drain()
	if timedOut {
		return b.streams.Output(command, killedCode, true, took), nil
	}
	return b.result(ctx, command, took)
}

// result asks how the container ended.
func (b *box) result(ctx context.Context, command string, took time.Duration) (tool.Output[any], error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	seen, err := b.docker.ContainerInspect(ctx, b.name, client.ContainerInspectOptions{})
	if err != nil || seen.Container.State == nil {
		return tool.Output[any]{Details: b.streams.Details()}, failed("look at how the container ended: %w", err)
	}
	out := b.streams.Output(command, seen.Container.State.ExitCode, false, took)
	host := seen.Container.HostConfig
	limited := host != nil && host.Memory > 0
	if seen.Container.State.ExitCode != killedCode || !seen.Container.State.OOMKilled && !limited {
		return out, nil
	}
	out.Presentation.Summary = "out of memory"
	coded := &tool.Error{Code: tool.CodeSandboxOOM, Message: "The command ran out of memory and was killed"}
	if !seen.Container.State.OOMKilled { // an engine hears of it apart from the end: late, or for a short command never
		coded.Message = "The command was killed, most likely because it ran out of memory"
	}
	if limited {
		coded.Message += fmt.Sprintf(": it may have %s", b.memory)
	}
	return out, coded
}

func (b *box) drain() {
	rest := time.NewTimer(drainTime)
	defer rest.Stop()
	select {
	case <-b.copied:
	case <-rest.C:
	}
}

// kill ends the container's processes at once. That there are none any more is no error.
func (b *box) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_, err := b.docker.ContainerKill(ctx, b.name, client.ContainerKillOptions{Signal: "KILL"})
	if cerrdefs.IsConflict(err) || cerrdefs.IsNotFound(err) {
		return nil
	}
	return err
}

func removeNow(ctx context.Context, docker *client.Client, name string) error {
	_, err := docker.ContainerRemove(ctx, name, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if cerrdefs.IsNotFound(err) || cerrdefs.IsConflict(err) { // it was never made, or is being removed already
		return nil
	}
	return err
}

// orEnd is an error, or what ended the call, which says more.
func orEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// isDead reports whether the process that made a container is known to be no more: one of another machine is not.
func isDead(label string) bool {
	host, number, _ := strings.Cut(label, "/")
	here, _ := os.Hostname()
	pid, err := strconv.Atoi(number)
	return err == nil && host == here && !isAlive(pid)
}
