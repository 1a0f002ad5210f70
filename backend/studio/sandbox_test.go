package studio

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"callboard/backend/tool"
)

var shell = tool.Must(tool.Config[struct {
	Command string `json:"command"`
}, any]{
	Name: "shell", Sandbox: &tool.Sandbox{Type: tool.Docker, Image: "busybox"},
})

func TestWhereSandboxedCallsRunIsASetting(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nobody/listens/here.sock")
	c := Config{Dir: t.TempDir()}
	b := openBench(t, c)
	seen := func() sandboxView {
		return fetch[struct{ Sandbox sandboxView }](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Sandbox
	}
	if got := seen(); got.Docker.Available || !strings.Contains(got.Docker.Reason, "Docker cannot be reached") || !got.WASM || !got.AllowNativeFallback {
		t.Errorf("got %+v, want no Docker, with the reason, WASM, and the host in its place", got)
	}
	call := func() tool.Result {
		return b.studio.Runner().Call(tool.Context{Context: t.Context()}, shell, `{"command":"echo here"}`)
	}
	if r := call(); r.Err != nil || !strings.Contains(string(r.Content), `"stdout":"here\n"`) {
		t.Errorf("got %s, %v, want the command to run in the host's shell", r.Content, r.Err)
	}

	b.call(http.MethodPut, "/api/studio/settings", `{"allowNativeFallback":false}`, http.StatusOK)
	var coded *tool.Error
	if r := call(); !errors.As(r.Err, &coded) || coded.Code != tool.CodeSandboxUnavailable {
		t.Errorf("got %s, %v, want %s", r.Content, r.Err, tool.CodeSandboxUnavailable)
	}
	b.call(http.MethodPut, "/api/studio/settings", `{"theme":"dark"}`, http.StatusOK)
	b.call(http.MethodPut, "/api/studio/settings", `{"allowNativeFallback":"no"}`, http.StatusBadRequest)
	if seen().AllowNativeFallback {
		t.Error("got a host that may be used, want what was set")
	}
	if err := b.studio.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b = openBench(t, c); seen().AllowNativeFallback {
		t.Error("got a host that may be used after a restart, want what was set")
	}
}

func TestDockerThatAnswersIsAvailable(t *testing.T) {
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		if strings.HasSuffix(r.URL.Path, "/containers/json") {
			_, _ = w.Write([]byte("[]"))
		}
	}))
	defer daemon.Close()
	t.Setenv("DOCKER_HOST", "tcp://"+daemon.Listener.Addr().String())
	b := openBench(t, Config{})
	if got := fetch[struct{ Sandbox sandboxView }](b, http.MethodGet, "/api/studio/state", "", http.StatusOK).Sandbox; !got.Docker.Available || got.Docker.Reason != "" {
		t.Errorf("got %+v, want Docker", got.Docker)
	}
}
