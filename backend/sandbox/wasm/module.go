package wasm

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"callboard/backend/tool"
)

// maxModuleBytes is how large a module may be.
const maxModuleBytes = 64 << 20

type hash [sha256.Size]byte

// file is what a module's file was when it was last read.
type file struct {
	size   int64
	at     time.Time
	module *module
}

// module is a module, compiled at the first call.
type module struct {
	path    string // the first it was read from
	compile func() error

	compiled wazero.CompiledModule
}

// module finds the module of a path. A file that did not change is not read again, and bytes that are known are not compiled again.
func (e *Engine) module(ctx context.Context, path string) (*module, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, invalidModule(path, err)
	}
	e.mu.Lock()
	if err := e.start(ctx); err != nil {
		e.mu.Unlock()
		return nil, err
	}
	known, m := e.files[path], (*module)(nil)
	if known.module != nil && known.size == stat.Size() && known.at.Equal(stat.ModTime()) {
		m = known.module
	}
	e.mu.Unlock()
	if m == nil {
		if m, err = e.read(ctx, path, stat); err != nil {
			return nil, invalidModule(path, err)
		}
	}
	if err := m.compile(); err != nil {
		return nil, err
	}
	return m, nil
}

func (e *Engine) read(ctx context.Context, path string, stat os.FileInfo) (*module, error) {
	if stat.IsDir() || stat.Size() > maxModuleBytes {
		return nil, fmt.Errorf("it is a folder, or larger than %d MiB", maxModuleBytes>>20)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.modules[sha256.Sum256(text)]
	if m == nil {
		m = &module{path: path}
		runtime := e.runtime
		m.compile = sync.OnceValue(func() error { return m.load(context.WithoutCancel(ctx), runtime, text) })
		e.modules[sha256.Sum256(text)] = m
	}
	e.files[path] = file{stat.Size(), stat.ModTime(), m}
	return m, nil
}

// load compiles the module and checks what every call of it needs.
func (m *module) load(ctx context.Context, runtime wazero.Runtime, text []byte) error {
	workers := experimental.WithCompilationWorkers(ctx, goruntime.GOMAXPROCS(0))
	compiled, err := runtime.CompileModule(workers, text)
	if err != nil {
		return invalidModule(m.path, err)
	}
	for _, f := range compiled.ImportedFunctions() {
		if from, name, _ := f.Import(); from != wasi_snapshot_preview1.ModuleName {
			return invalidModule(m.path, fmt.Errorf("it imports %s.%s, and there is WASI preview 1 alone", from, name))
		}
	}
	for _, f := range compiled.ImportedMemories() {
		from, name, _ := f.Import()
		return invalidModule(m.path, fmt.Errorf("it imports the memory %s.%s", from, name))
	}
	if compiled.ExportedMemories()[memoryExport] == nil {
		return invalidModule(m.path, fmt.Errorf("it does not export its %s", memoryExport))
	}
	m.compiled = compiled
	return m.exports(allocExport, []api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeI32}, "(n: i32) → i32")
}

// What a module exports.
const (
	memoryExport     = "memory"
	allocExport      = "alloc"
	initializeExport = "_initialize"
)

// offers reports whether the module has a function calls can be made of.
func (m *module) offers(function string) error {
	return m.exports(function, []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, []api.ValueType{api.ValueTypeI64}, "(ptr: i32, len: i32) → i64")
}

func (m *module) exports(name string, takes, gives []api.ValueType, signature string) error {
	f := m.compiled.ExportedFunctions()[name]
	switch {
	case f == nil:
		return invalidModule(m.path, fmt.Errorf("it exports no function %s %s", name, signature))
	case !slices.Equal(f.ParamTypes(), takes) || !slices.Equal(f.ResultTypes(), gives):
		return invalidModule(m.path, fmt.Errorf("its function %s is not %s", name, signature))
	}
	return nil
}

func invalidModule(path string, err error) *tool.Error {
	return &tool.Error{Code: tool.CodeSandboxInvalidModule, Message: fmt.Sprintf("The WASM module %s cannot be used: %v", path, err), Err: err}
}
