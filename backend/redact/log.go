package redact

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler masks the secrets of log records before the next handler has them: in messages, and in values that are texts, errors or
// have a String method. With Patterns, the value of an attribute with a telling name (password, token, …) is masked whole.
func (p *Policy) Handler(next slog.Handler) slog.Handler { return &handler{policy: p, next: next} }

type handler struct {
	policy *Policy
	next   slog.Handler
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	masked := slog.NewRecord(r.Time, r.Level, h.policy.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		masked.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, masked)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	masked := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		masked[i] = h.attr(a)
	}
	return &handler{policy: h.policy, next: h.next.WithAttrs(masked)}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{policy: h.policy, next: h.next.WithGroup(name)}
}

func (h *handler) attr(a slog.Attr) slog.Attr {
	value := a.Value.Resolve()
	if len(h.policy.Patterns) > 0 && value.Kind() != slog.KindGroup && (isTelling(a.Key) || isServiceKey(a.Key, fmt.Sprint(value.Any()))) {
		return slog.String(a.Key, Mask)
	}
	switch value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(h.policy.Text(value.String()))
	case slog.KindGroup:
		group := value.Group()
		masked := make([]slog.Attr, len(group))
		for i, each := range group {
			masked[i] = h.attr(each)
		}
		a.Value = slog.GroupValue(masked...)
	case slog.KindAny:
		if text := fmt.Sprint(value.Any()); h.policy.Text(text) != text {
			a.Value = slog.StringValue(h.policy.Text(text))
		}
	}
	return a
}
