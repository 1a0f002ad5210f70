package trace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"go.opentelemetry.io/otel/trace"
)

// IDs makes the ids of spans. Those of an agent.run follow from the run and the number of the event its stretch began with, so that
// a later process knows what to link to; all others are random. It is an IDGenerator of OpenTelemetry's SDK.
type IDs struct{}

// NewIDs returns the ids of a span that begins a trace.
func (IDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if s, ok := ctx.Value(stretchKey{}).(stretch); ok {
		return s.ids()
	}
	var id trace.TraceID
	_, _ = rand.Read(id[:]) // it never fails
	return id, IDs{}.NewSpanID(ctx, id)
}

// NewSpanID returns the id of a span within a trace.
func (IDs) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	var id trace.SpanID
	_, _ = rand.Read(id[:]) // it never fails
	return id
}

// stretch is what a run did between two pauses, by the number of its first event.
type stretch struct {
	runID string
	seq   int64
}

type stretchKey struct{}

func (s stretch) context() context.Context {
	return context.WithValue(context.Background(), stretchKey{}, s)
}

func (s stretch) ids() (id trace.TraceID, span trace.SpanID) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", s.runID, s.seq))
	copy(id[:], sum[:])
	copy(span[:], sum[len(id):])
	return id, span
}

func (s stretch) spanContext() trace.SpanContext {
	id, span := s.ids()
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: span, TraceFlags: trace.FlagsSampled, Remote: true})
}

// names reports whether a span has the ids IDs gives that of the stretch.
func (s stretch) names(made trace.SpanContext) bool {
	id, span := s.ids()
	return made.TraceID() == id && made.SpanID() == span
}
