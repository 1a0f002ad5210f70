package agent_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/openai/openaitest"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func TestMain(m *testing.M) {
	openaitest.Child()
	goleak.VerifyTestMain(m)
}

var update = flag.Bool("update", false, "write the golden files anew")

// world is a runner with a clock and ids that repeat, and all it told.
type world struct {
	t     *testing.T
	r     *agent.Runner
	store agent.Store

	mu     sync.Mutex
	frames map[string][]protocol.Frame
	ids    map[string]int
	ms     int64
}

func newWorld(t *testing.T, a *agent.Agent) *world {
	t.Helper()
	w := &world{t: t, store: &agent.Memory{}, frames: map[string][]protocol.Frame{}, ids: map[string]int{}, ms: 1_700_000_000_000}
	w.open(a)
	return w
}

// open makes a runner over the world's store, as another process would.
func (w *world) open(a *agent.Agent) {
	w.r = &agent.Runner{
		Store: w.store, Resolve: agent.Agents(a), MergeWindow: -1, RetryDelay: time.Millisecond,
		OnEvent: func(runID string, f protocol.Frame) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.frames[runID] = append(w.frames[runID], f)
		},
		NewID: func(prefix string) string {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.ids[prefix]++
			return fmt.Sprintf("%s_%d", prefix, w.ids[prefix])
		},
		Now: func() time.Time {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.ms++
			return time.UnixMilli(w.ms)
		},
	}
	r := w.r
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			w.t.Error(err)
		}
	})
}

// run starts a run in thread t1 and returns how its stretch ended.
func (w *world) run(text string) *agent.Outcome {
	w.t.Helper()
	h, err := w.r.Start(w.t.Context(), "demo", agent.Input{ThreadID: "t1", Text: text})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.wait(h)
}

func (w *world) wait(h *agent.Handle) *agent.Outcome {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	outcome, err := h.Wait(ctx)
	if outcome == nil {
		w.t.Fatal(err)
	}
	return outcome
}

// duration is the one part of a log that a clock of the machine's own makes.
var duration = regexp.MustCompile(`"durationMs":\d+`)

// log is the stored log of a run, a line for each event.
func (w *world) log(runID string) string {
	w.t.Helper()
	records, err := w.store.Events(w.t.Context(), runID, 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for i, record := range records {
		if record.Seq != int64(i+1) {
			w.t.Fatalf("event %d has number %d", i+1, record.Seq)
		}
		fmt.Fprintf(&b, "{\"seq\":%d,%s\n", record.Seq, record.JSON[1:])
	}
	return duration.ReplaceAllString(b.String(), `"durationMs":0`)
}

// golden compares a run's log with a file; what was told must be what is stored.
func (w *world) golden(name, runID string) string {
	w.t.Helper()
	got := w.log(runID)
	var told bytes.Buffer
	w.mu.Lock()
	for _, f := range w.frames[runID] {
		line, err := f.AppendJSON(nil)
		if err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&told, "{\"seq\":%d,%s\n", f.Seq, line[1:])
	}
	w.mu.Unlock()
	if d := cmp.Diff(got, duration.ReplaceAllString(told.String(), `"durationMs":0`)); d != "" {
		w.t.Errorf("stored and told differ (-stored +told):\n%s", d)
	}
	path := filepath.Join("testdata", name+".jsonl")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		w.t.Errorf("the log differs from %s (-want +got):\n%s", path, d)
	}
	return got
}

// history is what the model would read next in thread t1.
func (w *world) history() []*model.Message {
	w.t.Helper()
	thread, err := w.store.Thread(w.t.Context(), "t1")
	if err != nil {
		w.t.Fatal(err)
	}
	return thread.Messages
}

// checkHistory demands one result for each call, right after its turn and in call order.
func (w *world) checkHistory() {
	w.t.Helper()
	messages := w.history()
	for i, m := range messages {
		for k, c := range m.ToolCalls {
			at := i + 1 + k
			if at >= len(messages) || messages[at].Role != model.RoleTool || messages[at].ToolCallID != c.ID {
				w.t.Errorf("call %s of message %s has no result in its place", c.ID, m.ID)
			}
		}
	}
}

type echoInput struct {
	Text string `json:"text" jsonschema_description:"what to say"`
}

type runs struct {
	mu    sync.Mutex
	texts []string
}

func (r *runs) add(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, text)
}

func (r *runs) get() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.texts...)
}

func echo(r *runs) *tool.Tool {
	return tool.Must(tool.Config[echoInput, map[string]string]{
		Name: "echo", Description: "Says it again",
		Present: func(in echoInput) *tool.Presentation {
			return &tool.Presentation{Label: "Echo", Icon: "quote", Detail: in.Text}
		},
		Run: func(_ tool.Context, in echoInput) (map[string]string, error) {
			r.add(in.Text)
			return map[string]string{"said": in.Text}, nil
		},
	})
}

func danger(r *runs) *tool.Tool {
	return tool.Must(tool.Config[echoInput, string]{
		Name: "danger", Description: "Does what it says", Approval: tool.Always, SideEffects: []tool.SideEffect{tool.External},
		Run: func(_ tool.Context, in echoInput) (string, error) {
			r.add(in.Text)
			return "did " + in.Text, nil
		},
	})
}

func demo(tools []*tool.Tool, turns ...scripted.Turn) *agent.Agent {
	return &agent.Agent{Name: "demo", Backend: &scripted.Backend{Turns: turns}, Tools: tools}
}
