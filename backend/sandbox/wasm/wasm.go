// Package wasm runs the calls of sandboxed tools in WebAssembly modules, by wazero. It knows nothing of agents or containers.
//
// A module exports its memory, alloc(n) → ptr, and functions (ptr, len) → ptr<<32|len: a function finds the call's arguments as
// JSON at ptr, and answers with JSON, or any other text, of len bytes. Any language that compiles to WASM can do that; a Go module
// is built with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o parser.wasm ./parser
//
// and exports its functions with go:wasmexport (backend/examples/sandbox has one). An _initialize that is exported runs first. WASI
// preview 1 is there with clocks and chance, and without files, sockets, arguments that mean something, or environment; what a
// module prints is kept for people.
//
// Resources.Memory limits the linear memory of one instance, which is where a module keeps its data; it does not count the engine's
// own bookkeeping. Timeout stops a module whatever it does; compiling, once for each module, is not part of it.
package wasm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"callboard/backend/tool"
)

// What holds where a tool's sandbox says nothing.
const (
	DefaultTimeout = 30 * time.Second
	DefaultMemory  = 128 << 20 // bytes
)

// maxIdle is how many instances of one module a run keeps for its next calls.
const maxIdle = 4

// Engine is a tool.Executor. Its zero value works. It keeps every module it compiled, by the hash of its bytes, until Close.
//
// Instances are kept for further calls of the same run, so a module's globals may last from one to the next, and are gone with the
// run, after any failure, and once they fill half of their memory. A call outside a run has an instance of its own.
type Engine struct {
	mu      sync.Mutex
	closed  bool
	runtime wazero.Runtime // nil until the first call
	files   map[string]file
	modules map[hash]*module
	idle    map[pool][]*instance
}

// pool is whose instances may be used again for what.
type pool struct {
	runID  string
	module *module
	memory uint64
}

var _ tool.Executor = (*Engine)(nil)

// Execute calls the function the sandbox names with the arguments. The content is what it returned, JSON where it is JSON. Errors
// are *tool.Error with one of the codes SANDBOX_INVALID_MODULE, SANDBOX_TIMEOUT, SANDBOX_OOM and SANDBOX_EXECUTION_FAILED, with
// what the module printed as details, or ctx's.
func (e *Engine) Execute(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
	var out tool.Output[any]
	memory, err := job.Sandbox.Resources.MemoryBytes()
	if err != nil {
		return out, &tool.Error{Code: tool.CodeSandboxFailed, Message: err.Error(), Err: err}
	}
	m, err := e.module(ctx, job.Sandbox.WasmModule)
	if err != nil {
		return out, err
	}
	if err := m.offers(job.Sandbox.WasmFunction); err != nil {
		return out, err
	}
	key := pool{ctx.RunID, m, cmp.Or(uint64(memory), DefaultMemory)}
	timeout := cmp.Or(job.Sandbox.Timeout, DefaultTimeout)
	limited, cancel := context.WithTimeoutCause(ctx.Context, timeout, errDeadline)
	defer cancel()

	i := e.take(key)
	if i == nil {
		i = newInstance(key.memory)
		err = i.start(limited, e.runtime, m)
	}
	var answer []byte
	if err == nil {
		answer, err = i.call(limited, job.Sandbox.WasmFunction, job.Arguments)
	}
	out.Details = i.details()
	if err != nil {
		i.close()
		if errors.Is(context.Cause(limited), errDeadline) {
			return out, &tool.Error{
				Code: tool.CodeSandboxTimeout, Err: err,
				Message: fmt.Sprintf("The function %s was still at work after %dms and was stopped", job.Sandbox.WasmFunction, timeout.Milliseconds()),
			}
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		return out, i.failure(job.Sandbox.WasmFunction, err)
	}
	e.keep(key, i)
	out.Content = content(answer)
	return out, nil
}

var errDeadline = errors.New("the sandbox's time is over")

// EndRun discards the instances of a run. Calls of it that are still at work keep theirs until they end.
func (e *Engine) EndRun(runID string) {
	e.mu.Lock()
	var gone []*instance
	for key, instances := range e.idle {
		if key.runID == runID {
			gone = append(gone, instances...)
			delete(e.idle, key)
		}
	}
	e.mu.Unlock()
	for _, i := range gone {
		i.close()
	}
}

// Close discards everything. Calls that are at work fail, and later ones too.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed, e.idle = true, nil
	if e.runtime == nil {
		return nil
	}
	if err := e.runtime.Close(ctx); err != nil {
		return fmt.Errorf("close the WASM sandbox: %w", err)
	}
	return nil
}

func (e *Engine) take(key pool) *instance {
	e.mu.Lock()
	defer e.mu.Unlock()
	idle := e.idle[key]
	if len(idle) == 0 {
		return nil
	}
	i := idle[len(idle)-1]
	e.idle[key] = idle[:len(idle)-1]
	return i
}

// keep puts an instance by for the next call of its run.
func (e *Engine) keep(key pool, i *instance) {
	e.mu.Lock()
	kept := !e.closed && key.runID != "" && len(e.idle[key]) < maxIdle && !i.isFull()
	if kept {
		if e.idle == nil {
			e.idle = map[pool][]*instance{}
		}
		e.idle[key] = append(e.idle[key], i)
	}
	e.mu.Unlock()
	if !kept {
		i.close()
	}
}

// start makes the runtime. Its callers hold mu.
func (e *Engine) start(ctx context.Context) error {
	switch {
	case e.closed:
		return &tool.Error{Code: tool.CodeSandboxUnavailable, Message: "the WASM sandbox is closed"}
	case e.runtime != nil:
		return nil
	}
	// a call's end must end the runtime of no other call
	runtime := wazero.NewRuntimeWithConfig(context.WithoutCancel(ctx), wazero.NewRuntimeConfig().WithCloseOnContextDone(true))
	if _, err := wasi_snapshot_preview1.Instantiate(context.WithoutCancel(ctx), runtime); err != nil {
		return &tool.Error{Code: tool.CodeSandboxUnavailable, Message: fmt.Sprintf("the WASM sandbox cannot start: %v", err), Err: err}
	}
	e.runtime, e.files, e.modules = runtime, map[string]file{}, map[hash]*module{}
	return nil
}
