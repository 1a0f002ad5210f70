package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// box is a sandbox that keeps what it was given.
type box struct {
	mu    sync.Mutex
	jobs  []tool.Job
	ended []string
	err   error
}

func (b *box) Execute(ctx tool.Context, job tool.Job) (tool.Output[any], error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = append(b.jobs, job)
	ctx.Update(tool.Update{Content: "from the box"})
	return tool.Output[any]{Content: map[string]string{"ran": "in the box"}, Presentation: &tool.Presentation{Summary: "boxed"}}, b.err
}

func (b *box) EndRun(runID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, runID)
}

// boxed is a tool for a sandbox; a nil did has nothing to run on the host.
func boxed(did *runs, needs tool.Approval) *tool.Tool {
	c := tool.Config[echoInput, map[string]string]{
		Name: "boxed", Approval: needs,
		Sandbox: &tool.Sandbox{Type: tool.WASM, WasmModule: "x.wasm", WasmFunction: "f"},
		Present: func(in echoInput) *tool.Presentation {
			return &tool.Presentation{Label: "Boxed", Detail: in.Text}
		},
	}
	if did != nil {
		c.Run = func(ctx tool.Context, in echoInput) (map[string]string, error) {
			did.add(in.Text)
			ctx.Update(tool.Update{Content: "from the host"})
			return map[string]string{"ran": "on the host"}, nil
		}
	}
	return tool.Must(c)
}

func TestASandboxRunsTheCallsOfToolsThatDeclareOne(t *testing.T) {
	var did runs
	b := &box{}
	a := demo([]*tool.Tool{boxed(&did, tool.Approval{}), echo(&did)},
		scripted.CallTool("c1", "boxed", `{"text":"hi"}`), scripted.CallTool("c2", "echo", `{"text":"free"}`), scripted.Say("Done."))
	w := newWorld(t, a)
	w.r.Sandbox = b
	outcome := w.run("go")
	log := w.golden("sandboxed", outcome.ID)
	for _, want := range []string{`"result":{"ran":"in the box"}`, `"presentation":{"label":"Boxed","detail":"hi","summary":"boxed"}`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	if strings.Contains(log, "from the box") {
		t.Error("the log tells an update of a sandboxed tool")
	}
	if got := did.get(); len(got) != 1 || got[0] != "free" {
		t.Errorf("%q ran on the host, want the other tool alone", got)
	}
	if len(b.jobs) != 1 || string(b.jobs[0].Arguments) != `{"text":"hi"}` || b.jobs[0].ToolName != "boxed" {
		t.Errorf("the sandbox got %+v, want the one call", b.jobs)
	}
	if len(b.ended) != 1 || b.ended[0] != outcome.ID {
		t.Errorf("the sandbox heard of the end of %q, want %s", b.ended, outcome.ID)
	}
}

func TestTheFirstCallRunsOnTheHostWhereThereIsNoSandbox(t *testing.T) {
	var did runs
	var log bytes.Buffer
	w := newWorld(t, demo([]*tool.Tool{boxed(&did, tool.Approval{})}, scripted.CallTool("c1", "boxed", `{"text":"hi"}`), scripted.Say("Done.")))
	w.r.Logger = slog.New(slog.NewTextHandler(&log, nil))
	outcome := w.run("go")
	events := w.log(outcome.ID)
	if !strings.Contains(events, `"result":{"ran":"on the host"}`) || strings.Contains(events, "from the host") || len(did.get()) != 1 {
		t.Errorf("got %q and the log\n%s\nwant the tool's own run, without updates", did.get(), events)
	}
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "tool=boxed") {
		t.Errorf("the runner's log says %q, want a warning that names the tool", log.String())
	}

	result := (&agent.Runner{}).Call(tool.Context{Context: t.Context()}, boxed(nil, tool.Approval{}), `{"text":"hi"}`)
	var coded *tool.Error
	if !errors.As(result.Err, &coded) || coded.Code != tool.CodeSandboxUnavailable {
		t.Errorf("got %v, want %s of a tool with no run of its own", result.Err, tool.CodeSandboxUnavailable)
	}
}

func TestASandboxAsksLikeTheHost(t *testing.T) {
	for name, sandbox := range map[string]tool.Executor{"in a sandbox": &box{}, "on the host": nil} {
		t.Run(name, func(t *testing.T) {
			var did runs
			w := newWorld(t, demo([]*tool.Tool{boxed(&did, tool.Always)}, scripted.CallTool("c1", "boxed", `{"text":"hi"}`), scripted.Say("Done.")))
			w.r.Sandbox, w.r.Logger = sandbox, slog.New(slog.DiscardHandler)
			outcome := w.run("go")
			b, _ := sandbox.(*box)
			if outcome.Status != protocol.StatusPaused || len(did.get()) != 0 || b != nil && len(b.jobs) > 0 {
				t.Fatalf("got %s after %d runs, want a call that waits", outcome.Status, len(did.get()))
			}
			_, h, err := w.r.Decide(t.Context(), outcome.Pending[0].ApprovalID, approval.Decision{Approved: true})
			if err != nil {
				t.Fatal(err)
			}
			if outcome = w.wait(h); outcome.Status != protocol.StatusCompleted {
				t.Errorf("got %s, want completed", outcome.Status)
			}
			if ran := len(did.get()); b != nil && len(b.jobs) != 1 || b == nil && ran != 1 {
				t.Errorf("it ran %d times on the host and the sandbox has %+v, want once", ran, b)
			}
			w.r.Approve = nil
			result := w.r.Call(tool.Context{Context: t.Context()}, boxed(&did, tool.Always), `{"text":"unasked"}`)
			var coded *tool.Error
			if !errors.As(result.Err, &coded) || coded.Code != tool.CodeDenied {
				t.Errorf("got %v outside a run, want %s", result.Err, tool.CodeDenied)
			}
		})
	}
}

// T9: what a rule allows in a sandbox does not fall back to the host.
func TestWhatARuleAllowsInASandboxIsContained(t *testing.T) {
	for name, sandbox := range map[string]tool.Executor{"in a sandbox": &box{}, "where there is none": nil} {
		t.Run(name, func(t *testing.T) {
			var did runs
			w := newWorld(t, demo([]*tool.Tool{boxed(&did, tool.Always)}, scripted.CallTool("c1", "boxed", `{"text":"hi"}`), scripted.Say("Done.")))
			w.r.Sandbox, w.r.Logger = sandbox, slog.New(slog.DiscardHandler)
			w.r.Rules = func(_ context.Context, c agent.RuleCall) (string, bool) { return "boxed", c.Sandbox != nil }
			outcome := w.run("go")
			if b, _ := sandbox.(*box); b != nil {
				if outcome.Status != protocol.StatusCompleted || len(b.jobs) != 1 || !b.jobs[0].Contained {
					t.Errorf("got %s and the jobs %+v, want one that runs there or nowhere", outcome.Status, b.jobs)
				}
			} else if outcome.Status != protocol.StatusPaused {
				t.Errorf("got %s, want a person to be asked", outcome.Status)
			}
			if len(did.get()) != 0 {
				t.Error("it ran on the host")
			}
		})
	}
}

func TestCallOutsideARunUsesTheSandboxAndEndsIt(t *testing.T) {
	b := &box{}
	r := &agent.Runner{Sandbox: b}
	result := r.Call(tool.Context{Context: t.Context(), RunID: "session"}, boxed(nil, tool.Approval{}), `{"text":"hi"}`)
	if string(result.Content) != `{"ran":"in the box"}` || result.Presentation == nil || result.Presentation.Summary != "boxed" {
		t.Errorf("got %s, %+v, %v, want the sandbox's answer", result.Content, result.Presentation, result.Err)
	}
	if len(b.ended) != 1 || b.ended[0] != "session" {
		t.Errorf("the sandbox heard of the end of %q, want session", b.ended)
	}
	b.err = &tool.Error{Code: tool.CodeSandboxOOM, Message: "no memory"}
	var coded *tool.Error
	if result = r.Call(tool.Context{}, boxed(nil, tool.Approval{}), `{"text":"hi"}`); !errors.As(result.Err, &coded) || coded.Code != tool.CodeSandboxOOM {
		t.Errorf("got %v, want %s", result.Err, tool.CodeSandboxOOM)
	}
	if got, err := json.Marshal(result.Content); err != nil || string(got) != "null" {
		t.Errorf("got content %s, %v of a failed call", got, err)
	}
}
