package docker_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"callboard/backend/tool"
)

// registry serves one image of one layer, as every registry does.
func registry(t *testing.T, layer []byte) (address string, pulls *atomic.Int64) {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(layer)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	digest := func(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }
	encode := func(v any) []byte {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	config := encode(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{"Labels": map[string]string{"made": rand.Text()}}, // an engine does not pull what it knows
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest(layer)}},
	})
	const kind = "application/vnd.docker.distribution.manifest.v2+json"
	manifest := encode(map[string]any{
		"schemaVersion": 2, "mediaType": kind,
		"config": map[string]any{"mediaType": "application/vnd.docker.container.image.v1+json", "size": len(config), "digest": digest(config)},
		"layers": []any{map[string]any{"mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip", "size": packed.Len(), "digest": digest(packed.Bytes())}},
	})
	pulls = &atomic.Int64{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer []byte
		switch path := r.URL.Path; {
		case path == "/v2/":
			answer = []byte("{}")
		case strings.Contains(path, "/manifests/"):
			if r.Method == http.MethodGet {
				pulls.Add(1)
			}
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Docker-Content-Digest", digest(manifest))
			answer = manifest
		case strings.HasSuffix(path, digest(config)):
			answer = config
		case strings.HasSuffix(path, digest(packed.Bytes())):
			answer = packed.Bytes()
		default:
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(answer) // a reader that left needs no answer
		}
	}))
	t.Cleanup(web.Close)
	return web.Listener.Addr().String(), pulls
}

func TestAMissingImageIsPulledOnce(t *testing.T) {
	e := newSandbox(t)
	layer, err := rootfs()
	if err != nil {
		t.Fatal(err)
	}
	address, pulls := registry(t, layer)
	for range 2 {
		out, err := e.Execute(tool.Context{Context: t.Context()}, job(t, map[string]any{"command": "echo pulled"}, func(s *tool.Sandbox) { s.Image = address + "/box:1" }))
		if got, _ := out.Content.(tool.CommandResult); err != nil || got.Stdout != "pulled\n" {
			t.Fatalf("got %+v, %v, want the command to run in the image", got, err)
		}
	}
	if got := pulls.Load(); got != 1 {
		t.Errorf("the image was pulled %d times, want once", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Execute(tool.Context{Context: ctx}, job(t, map[string]any{"command": "true"}, func(s *tool.Sandbox) { s.Image = address + "/other:1" })); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancel", err)
	}
}
