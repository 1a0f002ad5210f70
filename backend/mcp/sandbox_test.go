package mcp_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

type box struct{}

func (box) Execute(tool.Context, tool.Job) (tool.Output[any], error) {
	return tool.Output[any]{Content: "in the box"}, nil
}

func (box) EndRun(string) {}

func TestASandboxedToolRunsInTheServersSandbox(t *testing.T) {
	boxed := tool.Must(tool.Config[struct{}, any]{
		Name: "boxed", Sandbox: &tool.Sandbox{Type: tool.WASM, WasmModule: "x.wasm", WasmFunction: "f"},
		Run: func(tool.Context, struct{}) (any, error) { return "on the host", nil },
	})
	for want, sandbox := range map[string]tool.Executor{"in the box": box{}, "on the host": nil} {
		t.Run(want, func(t *testing.T) {
			var log bytes.Buffer
			s := &mcp.Server{Tools: []*tool.Tool{boxed}, Sandbox: sandbox, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			if got := ask(t, joined(t, s, nil, ""), "boxed", `{}`); !strings.Contains(got, want) {
				t.Errorf("got %s, want it to run %s", got, want)
			}
			if warned := strings.Contains(log.String(), "tool=boxed"); warned != (sandbox == nil) {
				t.Errorf("the log says %q, want a warning where there is no sandbox", log.String())
			}
		})
	}
}
