package wasm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"callboard/backend/internal/process"
	"callboard/backend/tool"
)

// instance is a module with a memory of its own. It serves one call at a time.
type instance struct {
	module  api.Module
	memory  memory
	ctx     context.Context // of the call it serves: what sleeps must wake up with it
	printed *process.Capture
}

func newInstance(limit uint64) *instance {
	return &instance{memory: memory{limit: limit}, printed: &process.Capture{}}
}

// Write takes what the module prints.
func (i *instance) Write(p []byte) (int, error) { return i.printed.Write(p) }

// start makes the module and lets it initialize itself.
func (i *instance) start(ctx context.Context, runtime wazero.Runtime, m *module) error {
	i.ctx = ctx
	if least := uint64(m.compiled.ExportedMemories()[memoryExport].Min()) * pageBytes; least > i.memory.limit {
		i.memory.refused = least
		return errors.New("it begins with more memory than it may have")
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions(initializeExport).WithArgs("module").
		WithStdout(i).WithStderr(i).WithRandSource(rand.Reader).
		WithSysWalltime().WithSysNanotime().WithNanosleep(i.sleep)
	var err error
	i.module, err = runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, &i.memory), m.compiled, config)
	return err
}

// sleep ends with the call: a module that sleeps cannot be stopped.
func (i *instance) sleep(ns int64) {
	timer := time.NewTimer(time.Duration(ns))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-i.ctx.Done():
	}
}

// call gives the arguments to a function and returns a copy of its answer.
func (i *instance) call(ctx context.Context, function string, arguments []byte) ([]byte, error) {
	if i.ctx != ctx { // what it printed while it was made is the first call's
		i.ctx, i.printed = ctx, &process.Capture{}
	}
	at, err := i.module.ExportedFunction(allocExport).Call(ctx, uint64(len(arguments)))
	if err != nil {
		return nil, err
	}
	if !i.module.Memory().Write(uint32(at[0]), arguments) {
		return nil, fmt.Errorf("%s gave a place outside the memory", allocExport)
	}
	packed, err := i.module.ExportedFunction(function).Call(ctx, uint64(uint32(at[0])), uint64(len(arguments)))
	if err != nil {
		return nil, err
	}
	size := uint32(packed[0])
	if size > tool.MaxResultBytes {
		return nil, fmt.Errorf("its answer has %d bytes, and the limit is %d", size, tool.MaxResultBytes)
	}
	answer, ok := i.module.Memory().Read(uint32(packed[0]>>32), size)
	if !ok {
		return nil, errors.New("it gave a place outside the memory")
	}
	return append([]byte(nil), answer...), nil
}

// content is JSON where an answer is JSON, else its text.
func content(answer []byte) any {
	if json.Valid(answer) && utf8.Valid(answer) {
		return json.RawMessage(answer)
	}
	return strings.ToValidUTF8(string(answer), "\uFFFD")
}

// isFull reports whether too little memory is left for a fair chance of another call.
func (i *instance) isFull() bool { return uint64(i.module.Memory().Size()) > i.memory.limit/2 }

func (i *instance) close() {
	if i.module != nil {
		i.module.Close(context.Background()) //nolint:errcheck // it has no files that could fail
	}
}

// details are what the module printed during the call.
func (i *instance) details() any {
	if i.printed.Size() == 0 {
		return nil
	}
	return struct {
		Terminal tool.Terminal `json:"terminal"`
	}{tool.Terminal(i.printed.Text(process.HeadBytes, process.TailBytes))}
}

// failure says why a call failed that nobody stopped.
func (i *instance) failure(function string, err error) *tool.Error {
	if i.memory.refused > 0 {
		return &tool.Error{
			Code: tool.CodeSandboxOOM, Err: err,
			Message: fmt.Sprintf("The function %s ran out of memory: it asked for %d bytes, and the limit is %d", function, i.memory.refused, i.memory.limit),
		}
	}
	var exit *sys.ExitError
	reason, _, _ := strings.Cut(err.Error(), "\n") // without wazero's stack of the module
	if errors.As(err, &exit) {
		reason = fmt.Sprintf("the module exited with %d", exit.ExitCode())
	}
	message := fmt.Sprintf("The function %s failed: %s", function, reason)
	if said := i.lastWords(); said != "" {
		message += ": " + said
	}
	return &tool.Error{Code: tool.CodeSandboxFailed, Message: message, Err: err}
}

// maxWords cuts what the model reads of what a module printed, in bytes.
const maxWords = 300

// lastWords is the line that says most of why a module ended: that of a panic, else the last.
func (i *instance) lastWords() string {
	said := ""
	for line := range strings.Lines(i.printed.Latest(process.HeadBytes)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		said = line
		if strings.Contains(line, "panic") || strings.HasPrefix(line, "fatal error:") {
			break
		}
	}
	return string(process.WholeRunes([]byte(said[:min(len(said), maxWords)])))
}

// pageBytes is the unit of a module's memory.
const pageBytes = 64 << 10

// memory is a linear memory that remembers what it refused. It makes one of itself: an instance has one memory.
type memory struct {
	limit   uint64
	refused uint64 // the size that was asked for in vain
	bytes   []byte
}

// Allocate is of experimental.MemoryAllocator.
func (m *memory) Allocate(uint64, uint64) experimental.LinearMemory { return m }

// Reallocate is of experimental.LinearMemory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = size
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		grown := make([]byte, size, min(m.limit, max(size, 2*uint64(cap(m.bytes)))))
		copy(grown, m.bytes)
		m.bytes = grown
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free is of experimental.LinearMemory.
func (m *memory) Free() { m.bytes = nil }
