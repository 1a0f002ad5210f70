// Package trace makes OpenTelemetry spans of runs: agent.run for a stretch of a run, llm.chat for a request to a model, tool.<name>
// for a call. Spans are derived from the events of the log, live or stored, with the moments and attributes these carry; their names
// of attributes are those of the GenAI semantic conventions. It knows nothing of runners, stores and exporters: package trace/otlp has
// one.
package trace

import (
	"context"
	"iter"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"callboard/backend/protocol"
)

// Attributes beyond the conventions.
const (
	KeyRunID        = attribute.Key("callboard.run.id")
	KeyStatus       = attribute.Key("callboard.run.status")     // of an agent.run: completed, paused, cancelled, failed
	KeyTurn         = attribute.Key("callboard.turn")           // of an llm.chat, from 1
	KeyFirstTokenMs = attribute.Key("callboard.first_token_ms") // of an llm.chat
	KeyCallState    = attribute.Key("callboard.call.state")     // of a tool: done, failed, denied, cancelled, …
)

// Recorder makes spans of the events of runs. Its OnEvent can be an agent.Runner's. It is safe for concurrent use; the events of one
// run come in their order. No text of a message, an argument or a result gets into a span.
type Recorder struct {
	// Tracer starts the spans. It is what makes tracing cost anything: one that records nothing is cheap.
	Tracer trace.Tracer
	// Provider is whose models answer, as the conventions name it; where it is not known, whose protocol is spoken ("openai"). Empty
	// leaves gen_ai.provider.name out.
	Provider string
	// Events reads the events of a run from its first on. It is asked about a run that goes on in another process than it began in,
	// once, before the first event the recorder hears of it. nil, or one that fails: what began in the earlier process gets no span.
	Events func(runID string) iter.Seq2[protocol.Frame, error]

	mu   sync.Mutex
	runs map[string]*run
}

// run is what is open of a run, and between its stretches what a later one refers to.
type run struct {
	ctx  context.Context // of the agent.run span of this stretch
	span trace.Span      // nil between stretches
	stretch
	began time.Time
	last  trace.SpanContext // of the stretch before
	calls map[string]*call
	turns map[string]*turn // the open request by parent call; "" is the run's own
}

type turn struct {
	began time.Time
	start *protocol.Turn
}

type call struct {
	id     string
	name   string
	parent string
	began  time.Time // when it ran, else was announced
	runs   bool
	state  protocol.State
	ctx    context.Context // of its span, once something has to stand under that
	span   trace.Span
}

// OnEvent takes the next event of a run.
func (r *Recorder) OnEvent(runID string, f protocol.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.runs[runID]
	if x == nil {
		if r.runs == nil {
			r.runs = map[string]*run{}
		}
		x = &run{calls: map[string]*call{}, turns: map[string]*turn{}}
		if f.Seq > 1 && r.Events != nil {
			r.catchUp(x, runID, f.Seq)
		}
		r.runs[runID] = x
	}
	if r.take(x, runID, f) {
		delete(r.runs, runID)
	}
}

// catchUp takes the events of a run before a given one, whose spans an earlier process has made.
func (r *Recorder) catchUp(x *run, runID string, before int64) {
	silent := &Recorder{Tracer: noop.Tracer{}}
	for f, err := range r.Events(runID) {
		if err != nil || f.Seq >= before {
			break
		}
		silent.take(x, runID, f)
	}
	x.span, x.ctx, x.last = nil, nil, trace.SpanContext{}
	clear(x.turns)
	for _, c := range x.calls {
		c.span, c.ctx = nil, nil
	}
}

// take makes what spans an event gives, and reports whether the run has ended.
func (r *Recorder) take(x *run, runID string, f protocol.Frame) (ended bool) {
	at := time.UnixMilli(f.AtMs)
	switch e := f.Event.(type) {
	case *protocol.Start:
		x.start(r, stretch{runID, f.Seq}, e, at)
	case *protocol.Turn:
		x.turn(r, e, at)
	case *protocol.ToolCallStart:
		x.calls[e.ID] = &call{id: e.ID, name: e.ToolName, parent: e.ParentToolCallID, began: at}
	case *protocol.CallState:
		x.state(e, at)
	case *protocol.ToolResult:
		x.result(r.Tracer, e, at)
	case *protocol.Error:
		x.end(r, string(protocol.StatusFailed), at, e.Code, e.Message)
		return true
	case *protocol.Finish:
		x.end(r, string(e.Status), at, "", "")
		return e.Status.Ended()
	}
	return false
}

// start opens the span of a stretch. A stretch after a pause is a trace of its own, with a link to the one before: a person may take
// days, and the process may be another.
func (x *run) start(r *Recorder, now stretch, e *protocol.Start, at time.Time) {
	before := x.stretch
	x.stretch, x.began = now, at
	options := []trace.SpanStartOption{trace.WithTimestamp(at), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent"),
		attribute.String("gen_ai.agent.name", e.AgentName),
		attribute.String("gen_ai.conversation.id", e.ThreadID),
		KeyRunID.String(now.runID),
	)}
	if x.last.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: x.last}))
	}
	x.ctx, x.span = r.Tracer.Start(now.context(), "agent.run", options...)
	known := x.last.IsValid()
	x.last = x.span.SpanContext()
	if !known && before.seq > 0 && now.names(x.last) { // an earlier process made its span, and named it so
		x.span.AddLink(trace.Link{SpanContext: before.spanContext()})
	}
}

// turn notes the start of a request, and makes its span when it has ended.
func (x *run) turn(r *Recorder, e *protocol.Turn, at time.Time) {
	if x.span == nil {
		return // the log began before this recorder
	}
	switch open := x.turns[e.ParentToolCallID]; {
	case open == nil:
	case e.Phase == protocol.TurnEnd:
		x.chat(r, open, at, e)
		delete(x.turns, e.ParentToolCallID)
	case e.Phase == protocol.TurnRetry:
		failed(x.chat(r, open, at, nil), e.Code, e.Reason).End(trace.WithTimestamp(at))
	}
	if e.Phase != protocol.TurnEnd {
		x.turns[e.ParentToolCallID] = &turn{began: at, start: e}
	}
}

// chat makes the span of a request; end is nil when it failed, and the caller ends the span.
func (x *run) chat(r *Recorder, t *turn, at time.Time, end *protocol.Turn) trace.Span {
	attributes := make([]attribute.KeyValue, 0, 9)
	attributes = append(attributes,
		attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.agent.name", t.start.AgentName),
		KeyTurn.Int(t.start.Turn),
	)
	if t.start.Model != "" {
		attributes = append(attributes, attribute.String("gen_ai.request.model", t.start.Model))
	}
	if r.Provider != "" {
		attributes = append(attributes, attribute.String("gen_ai.provider.name", r.Provider))
	}
	if end != nil {
		if end.FinishReason != "" {
			attributes = append(attributes, attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(end.FinishReason)}))
		}
		if u := end.Usage; u != nil {
			attributes = tokens(attributes, "gen_ai.usage.input_tokens", u.InputTokens)
			attributes = tokens(attributes, "gen_ai.usage.output_tokens", u.OutputTokens)
		}
		attributes = tokens(attributes, KeyFirstTokenMs, end.FirstTokenMs)
	}
	_, span := r.Tracer.Start(x.under(r.Tracer, t.start.ParentToolCallID), "llm.chat",
		trace.WithTimestamp(t.began), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	if end != nil {
		span.End(trace.WithTimestamp(at))
	}
	return span
}

// under is the context of the call that a child's turn or call belongs to, else of the run.
func (x *run) under(tracer trace.Tracer, parent string) context.Context {
	c := x.calls[parent]
	if c == nil {
		return x.ctx
	}
	if c.span == nil {
		c.ctx, c.span = tracer.Start(x.under(tracer, c.parent), "tool."+c.name, trace.WithTimestamp(x.since(c)), trace.WithAttributes(c.attributes()...))
	}
	return c.ctx
}

func (x *run) state(e *protocol.CallState, at time.Time) {
	c := x.calls[e.ToolCallID]
	if c == nil {
		return
	}
	c.state = e.State
	if e.State == protocol.StateRunning && !c.runs {
		c.runs, c.began = true, at
	}
}

// since is when a call began, or the stretch did: a call that goes on after a pause has a span in each.
func (x *run) since(c *call) time.Time {
	if c.began.Before(x.began) {
		return x.began
	}
	return c.began
}

func (c *call) attributes() []attribute.KeyValue {
	return append(make([]attribute.KeyValue, 0, 5),
		attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", c.name),
		attribute.String("gen_ai.tool.call.id", c.id),
		attribute.String("gen_ai.tool.type", "function"),
	)
}

// result ends the span of a call. One that never ran (its arguments did not fit, a person denied it) gets a span from its
// announcement on; one that was dropped never was a call. The span is made here unless something stands under it: at once and whole
// it costs half.
func (x *run) result(tracer trace.Tracer, e *protocol.ToolResult, at time.Time) {
	c := x.calls[e.ToolCallID]
	if c == nil || x.span == nil {
		return
	}
	delete(x.calls, e.ToolCallID)
	if e.Dropped {
		return
	}
	switch c.state {
	case protocol.StateDenied, protocol.StateExpired, protocol.StateCancelled:
	default:
		c.state = protocol.StateDone
		if e.Error != "" {
			c.state = protocol.StateFailed
		}
	}
	state := KeyCallState.String(string(c.state))
	if c.span == nil {
		_, c.span = tracer.Start(x.under(tracer, c.parent), "tool."+c.name, trace.WithTimestamp(x.since(c)), trace.WithAttributes(append(c.attributes(), state)...))
	} else {
		c.span.SetAttributes(state)
	}
	if e.Error != "" {
		failed(c.span, e.ErrorCode, "")
	}
	c.span.End(trace.WithTimestamp(at))
}

// end closes what is open of a stretch.
func (x *run) end(r *Recorder, status string, at time.Time, code, message string) {
	if x.span == nil {
		return
	}
	for parent, open := range x.turns {
		span := x.chat(r, open, at, nil)
		if code != "" {
			failed(span, code, "")
		}
		span.End(trace.WithTimestamp(at))
		delete(x.turns, parent)
	}
	for _, c := range x.calls {
		if c.span != nil {
			c.span.SetAttributes(KeyCallState.String(string(c.state)))
			c.span.End(trace.WithTimestamp(at))
			c.span, c.ctx = nil, nil
		}
	}
	x.span.SetAttributes(KeyStatus.String(status))
	if status == string(protocol.StatusFailed) {
		failed(x.span, code, message)
	}
	x.span.End(trace.WithTimestamp(at))
	x.span, x.ctx = nil, nil
}

// failed marks a span with the code of its error, or where there is none with "_OTHER", as the conventions have it.
func failed(span trace.Span, code, message string) trace.Span {
	if code == "" {
		code = "_OTHER"
	}
	span.SetAttributes(attribute.String("error.type", code))
	span.SetStatus(codes.Error, message)
	return span
}

func tokens(attributes []attribute.KeyValue, key attribute.Key, count *int64) []attribute.KeyValue {
	if count == nil {
		return attributes
	}
	return append(attributes, key.Int64(*count))
}
