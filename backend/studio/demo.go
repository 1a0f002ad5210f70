package studio

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/tools/txtar"

	"callboard/backend/model"
	"callboard/backend/model/scripted"
)

// demoMessage is what the composer of a first demo thread is filled with.
const demoMessage = "Move the greeter to port 9090, run its checks, and release it to staging."

//go:embed demo/sample.txtar
var sampleArchive []byte

//go:embed demo/demo.json
var demoScript []byte

// sampleCommands are the sample's own checks, which change nothing. They run unasked only where the built-in script speaks and
// works on a sample: a model that thinks could edit a check first and have it run then.
var sampleCommands = []string{"sh scripts/test.sh", "sh scripts/smoke.sh"}

// scriptEnd is what a demo thread says after the last turn of its script.
const scriptEnd = "The demo's script has ended: it plays once in each thread. Open a new demo thread to see it again, or connect a model in Settings and go on here with it."

// demoBackend is the built-in scripted model, with an end that says what to do next.
type demoBackend struct{ script *scripted.Backend }

func newDemoBackend() (*demoBackend, error) {
	script, err := scripted.Parse(demoScript, "of the demo")
	if err != nil {
		return nil, fmt.Errorf("read the demo's script: %w", err)
	}
	return &demoBackend{script: script}, nil
}

// Stream plays the turn of the request's index.
func (b *demoBackend) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	if request.Index >= len(b.script.Turns) {
		return unable{unavailable(scriptEnd)}.Stream(ctx, request)
	}
	return b.script.Stream(ctx, request)
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$`)

// samplePath is where a thread's sample is unpacked. A thread's id comes from whoever made the thread, so it names a folder only
// where it is plain.
func (s *Studio) samplePath(threadID string) string {
	name := threadID
	if !plainName.MatchString(name) {
		sum := sha256.Sum256([]byte(threadID))
		name = ".id-" + hex.EncodeToString(sum[:16])
	}
	return filepath.Join(s.dir, "samples", name)
}

// unpackSample writes a fresh sample project to path, whole or not at all. One that stands there already stays as it is.
func unpackSample(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := makeSample(path, writeSample); err != nil {
		return fmt.Errorf("unpack the sample project to %s: %w", path, err)
	}
	return nil
}

// makeSample fills a folder and puts it at path, whole or not at all.
func makeSample(path string, fill func(folder string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	if err = fill(fresh); err == nil {
		err = os.Chmod(fresh, 0o755)
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err == nil {
		return nil
	}
	left := os.RemoveAll(fresh)
	if errors.Is(err, fs.ErrExist) { // another request of the thread was first
		err = nil
	}
	return errors.Join(err, left)
}

func writeSample(folder string) error {
	for _, file := range txtar.Parse(sampleArchive).Files {
		name := filepath.Join(folder, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, file.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
