package studio

import (
	"context"
	"errors"
	"time"

	"callboard/backend/sandbox"
	"callboard/backend/sandbox/docker"
	"callboard/backend/sandbox/wasm"
)

// dockerPatience is how long the window waits to learn whether there is Docker.
const dockerPatience = 500 * time.Millisecond

// sandboxes are what runs the calls of tools that declare a sandbox.
type sandboxes struct {
	docker      docker.Engine
	wasm        wasm.Engine
	hostAllowed func() bool // calls may run on the host where their sandbox is not there
}

// executor makes the runner's sandbox. Whether a call may run on the host is read when that is asked.
func (s *Studio) executor() *sandbox.Sandbox {
	s.sandboxes.docker.Logger = s.log
	s.sandboxes.hostAllowed = func() bool {
		set, err := s.settings(context.Background())
		if err != nil {
			s.log.Error("whether calls may run on the host is not known; they may not", "error", err)
			return false
		}
		return set.AllowNativeFallback
	}
	return &sandbox.Sandbox{
		Docker: &s.sandboxes.docker, WASM: &s.sandboxes.wasm, Logger: s.log, NativeFallback: s.sandboxes.hostAllowed,
	}
}

func (b *sandboxes) close(ctx context.Context) error {
	return errors.Join(b.docker.Close(), b.wasm.Close(ctx))
}

// sandboxView is what the window knows of the sandboxes.
type sandboxView struct {
	Docker              dockerView `json:"docker"`
	WASM                bool       `json:"wasm"`
	AllowNativeFallback bool       `json:"allowNativeFallback"`
}

type dockerView struct {
	Available bool   `json:"available"`
	Reason    string `json:"reason,omitempty"` // why it is not
}

func (s *Studio) viewSandbox(ctx context.Context, set settings) sandboxView {
	view := sandboxView{WASM: true, AllowNativeFallback: set.AllowNativeFallback}
	limited, cancel := context.WithTimeout(ctx, dockerPatience)
	defer cancel()
	switch err := s.sandboxes.docker.Check(limited); {
	case err == nil:
		view.Docker.Available = true
	case limited.Err() != nil:
		view.Docker.Reason = "Docker does not answer"
	default:
		view.Docker.Reason = err.Error()
	}
	return view
}
