package trace_test

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"callboard/backend/protocol"
	"callboard/backend/trace"
)

// record plays a golden log to a recorder and returns its spans, each on a line under its parent's, in the order they began.
func record(t *testing.T, log []byte) string {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	play(t, &trace.Recorder{Tracer: provider.Tracer("test"), Provider: "openai"}, log)
	return told(t, spans)
}

// told are ended spans, each on a line under its parent's, in the order they began.
func told(t *testing.T, spans *tracetest.SpanRecorder) string {
	t.Helper()
	for _, s := range spans.Ended() {
		if named := slices.Contains(s.Attributes(), attribute.String("gen_ai.provider.name", "openai")); named != (s.Name() == "llm.chat") {
			t.Errorf("%s names its provider: %t", s.Name(), named)
		}
	}
	if open := len(spans.Started()) - len(spans.Ended()); open != 0 {
		t.Errorf("%d spans never ended", open)
	}
	ended := spans.Ended()
	slices.SortStableFunc(ended, func(a, b sdk.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	var out strings.Builder
	var under func(parent, indent string)
	under = func(parent, indent string) {
		for _, s := range ended {
			if s.Parent().SpanID().String() == parent {
				fmt.Fprintf(&out, "%s%s %s\n", indent, s.Name(), facts(s))
				under(s.SpanContext().SpanID().String(), indent+"  ")
			}
		}
	}
	under("0000000000000000", "")
	return out.String()
}

// inProcesses is record with a recorder for each stretch of the run, as if the program had ended while it waited.
func inProcesses(t *testing.T, log []byte) string {
	t.Helper()
	var frames []protocol.Frame
	for line := range bytes.Lines(log) {
		f, err := protocol.DecodeFrame(0, bytes.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		f.Seq = int64(len(frames) + 1)
		frames = append(frames, f)
	}
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans), sdk.WithIDGenerator(trace.IDs{}))
	var recorder *trace.Recorder
	for _, f := range frames {
		if _, begins := f.Event.(*protocol.Start); begins {
			recorder = &trace.Recorder{
				Tracer: provider.Tracer("test"), Provider: "openai",
				Events: func(string) iter.Seq2[protocol.Frame, error] {
					return func(yield func(protocol.Frame, error) bool) {
						for _, f := range frames {
							if !yield(f, nil) {
								return
							}
						}
					}
				},
			}
		}
		recorder.OnEvent("run_1", f)
	}
	for i, s := range spans.Ended() {
		for _, link := range s.Links() {
			if !slices.ContainsFunc(spans.Ended()[:i], func(before sdk.ReadOnlySpan) bool { return before.SpanContext().SpanID() == link.SpanContext.SpanID() }) {
				t.Errorf("%s is linked to a span that was not made", s.Name())
			}
		}
	}
	return told(t, spans)
}

func play(t *testing.T, recorder *trace.Recorder, log []byte) {
	t.Helper()
	for line := range bytes.Lines(log) {
		f, err := protocol.DecodeFrame(0, bytes.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		recorder.OnEvent("run_1", f)
	}
}

// facts are the attributes of a span that differ from log to log.
func facts(s sdk.ReadOnlySpan) string {
	var told []string
	for _, key := range []attribute.Key{trace.KeyStatus, trace.KeyTurn, trace.KeyCallState, "error.type", "gen_ai.usage.output_tokens", "gen_ai.response.finish_reasons"} {
		for _, kv := range s.Attributes() {
			if kv.Key == key {
				told = append(told, kv.Value.String())
			}
		}
	}
	if len(s.Links()) > 0 {
		told = append(told, "linked")
	}
	return strings.Join(told, " ")
}

const child = `{"type":"start","at":1,"messageId":"m","threadId":"t","runId":"run_1","agentName":"demo"}
{"type":"turn","at":2,"turn":1,"phase":"start","agentName":"demo","model":"big"}
{"type":"tool-call-start","at":3,"id":"parent","toolName":"release"}
{"type":"tool-call-end","at":4,"id":"parent"}
{"type":"turn","at":5,"turn":1,"phase":"end","agentName":"demo","finishReason":"tool_calls","usage":{"inputTokens":9,"outputTokens":3},"firstTokenMs":1}
{"type":"call-state","at":6,"toolCallId":"parent","state":"running"}
{"type":"turn","at":6,"turn":2,"phase":"start","agentName":"shipper","parentToolCallId":"parent"}
{"type":"turn","at":7,"turn":2,"phase":"end","agentName":"shipper","finishReason":"tool_calls","parentToolCallId":"parent"}
{"type":"tool-call-start","at":7,"id":"c1","toolName":"upload","parentToolCallId":"parent"}
{"type":"call-state","at":8,"toolCallId":"c1","state":"running"}
{"type":"tool-result","at":9,"id":"r1","toolCallId":"c1","result":"ok"}
{"type":"tool-call-start","at":10,"id":"c2","toolName":"tag","parentToolCallId":"parent"}
{"type":"call-state","at":11,"toolCallId":"c2","state":"denied"}
{"type":"tool-result","at":11,"id":"r2","toolCallId":"c2","result":null,"error":"denied by a person","errorCode":"TOOL_DENIED"}
{"type":"tool-call-start","at":12,"id":"c3","toolName":"never","parentToolCallId":"parent"}
{"type":"tool-result","at":12,"id":"r3","toolCallId":"c3","dropped":true,"reason":"incomplete"}
{"type":"tool-result","at":13,"id":"r","toolCallId":"parent","result":"ok"}
{"type":"finish","at":14,"messageId":"m","status":"completed"}
`

func TestCallsOfACallStandUnderIt(t *testing.T) {
	want := `agent.run completed
  llm.chat 1 3 ["tool_calls"]
  tool.release done
    llm.chat 2 ["tool_calls"]
    tool.upload done
    tool.tag denied TOOL_DENIED
`
	if got := record(t, []byte(child)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestALogReadFromItsMiddleMakesNoSpans(t *testing.T) {
	_, middle, _ := strings.Cut(child, "\n")
	if got := record(t, []byte(middle)); got != "" {
		t.Errorf("got\n%s", got)
	}
}

func TestSpansCarryWhatTheConventionsName(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	recorder := &trace.Recorder{Tracer: sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)).Tracer("test")}
	play(t, recorder, []byte(child))
	got := map[string]string{}
	for _, s := range spans.Ended() {
		var all []string
		for _, kv := range s.Attributes() {
			all = append(all, string(kv.Key)+"="+kv.Value.String())
		}
		slices.Sort(all)
		if s.Name() == "llm.chat" && s.Parent().SpanID() != spans.Ended()[len(spans.Ended())-1].SpanContext().SpanID() {
			continue // the child's
		}
		got[s.Name()] = fmt.Sprintf("%d-%d %s", s.StartTime().UnixMilli(), s.EndTime().UnixMilli(), strings.Join(all, " "))
	}
	want := map[string]string{
		"agent.run":    "1-14 callboard.run.id=run_1 callboard.run.status=completed gen_ai.agent.name=demo gen_ai.conversation.id=t gen_ai.operation.name=invoke_agent",
		"llm.chat":     `2-5 callboard.first_token_ms=1 callboard.turn=1 gen_ai.agent.name=demo gen_ai.operation.name=chat gen_ai.request.model=big gen_ai.response.finish_reasons=["tool_calls"] gen_ai.usage.input_tokens=9 gen_ai.usage.output_tokens=3`,
		"tool.release": "6-13 callboard.call.state=done gen_ai.operation.name=execute_tool gen_ai.tool.call.id=parent gen_ai.tool.name=release gen_ai.tool.type=function",
		"tool.upload":  "8-9 callboard.call.state=done gen_ai.operation.name=execute_tool gen_ai.tool.call.id=c1 gen_ai.tool.name=upload gen_ai.tool.type=function",
		"tool.tag":     "10-11 callboard.call.state=denied error.type=TOOL_DENIED gen_ai.operation.name=execute_tool gen_ai.tool.call.id=c2 gen_ai.tool.name=tag gen_ai.tool.type=function",
	}
	for name, facts := range want {
		if got[name] != facts {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got[name], facts)
		}
	}
}

func golden(t *testing.T, name string) []byte {
	t.Helper()
	log, err := os.ReadFile("../agent/testdata/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestSpansOfGoldenLogs(t *testing.T) {
	tests := []struct{ name, log, want string }{
		{"a call and the answer after it", "call", `agent.run completed
  llm.chat 1 ["tool_calls"]
  tool.echo done
  llm.chat 2 ["stop"]
`},
		{"a run that waits is two traces, the second linked to the first", "approved", `agent.run paused
  llm.chat 1 ["tool_calls"]
agent.run completed linked
  tool.echo done
  tool.danger done
  llm.chat 2 ["stop"]
`},
		{"a try that failed and one that did not", "dropped-a-try-that-failed-is-taken-back", `agent.run completed
  llm.chat 1 LLM_UNAVAILABLE
  llm.chat 1 ["stop"]
`},
		{"a failed run says why", "dropped-failed-for-good", `agent.run failed LLM_UNAVAILABLE
  llm.chat 1 LLM_UNAVAILABLE
`},
		{"a run that was stopped", "ended-cancel", `agent.run paused
  llm.chat 1 ["tool_calls"]
agent.run cancelled linked
  tool.echo cancelled TOOL_CANCELLED
  tool.danger cancelled TOOL_CANCELLED
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := record(t, golden(t, test.log)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if got := inProcesses(t, golden(t, test.log)); got != test.want {
				t.Errorf("with a process for each stretch, got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestACallInsideOfACallIsThereAfterARestart(t *testing.T) {
	log := golden(t, "child-nested")
	want := record(t, log)
	if !strings.Contains(want, "linked") || !strings.Contains(want, "    tool.danger done") {
		t.Fatalf("got\n%s\nwant a run that waits inside of a call", want)
	}
	if got := inProcesses(t, log); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
