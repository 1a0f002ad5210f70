package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

func TestAToolIsListedWithItsSandbox(t *testing.T) {
	type in struct {
		Text string `json:"text"`
	}
	boxed := tool.Must(tool.Config[in, any]{Name: "boxed", Sandbox: &tool.Sandbox{Type: tool.WASM, WasmModule: "/secret/path.wasm", WasmFunction: "f"}})
	s := &Server{Agents: []*agent.Agent{{Name: "demo", Backend: &scripted.Backend{}, Tools: []*tool.Tool{boxed}}}}
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/tools", nil))
	if got := answer.Body.String(); !strings.Contains(got, `"sandbox":"wasm"`) || strings.Contains(got, "secret") {
		t.Errorf("got %s, want the kind of sandbox, and no more of it", got)
	}
	if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}
