package otlp

import "context"

// Flush sends what has been gathered, and waits until it has gone.
func (e *Exporter) Flush(ctx context.Context) error { return e.provider.ForceFlush(ctx) }
