// Package otlp sends spans to a collector over OTLP/HTTP. It is configured by OpenTelemetry's own environment variables
// (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, …) and knows nothing of runs.
package otlp

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	runs "callboard/backend/trace"
)

// A run can make thousands of spans a second: that many are gathered at most, and sent at once, in place of 2,048 and 512.
const (
	maxQueue = 16384
	maxBatch = 4096
)

// Exporter gathers spans and sends them in batches. A collector that cannot be reached costs the spans and
// a line of OpenTelemetry's log, never a run.
type Exporter struct {
	Tracer   trace.Tracer
	provider *sdk.TracerProvider
}

// New starts an exporter whose spans carry the name of a service, unless the environment names another. It does not wait for the
// collector. Shutdown has to be called.
func New(ctx context.Context, service string) (*Exporter, error) {
	client, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("set up the export of spans: %w", err)
	}
	named := resource.NewSchemaless(attribute.String("service.name", service))
	from, err := resource.Merge(named, resource.Environment())
	if err != nil {
		return nil, fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(client, sdk.WithMaxQueueSize(maxQueue), sdk.WithMaxExportBatchSize(maxBatch)),
		sdk.WithResource(from), sdk.WithIDGenerator(runs.IDs{}),
	)
	return &Exporter{Tracer: provider.Tracer("callboard"), provider: provider}, nil
}

// Shutdown sends what is left, until ctx is done.
func (e *Exporter) Shutdown(ctx context.Context) error {
	if err := e.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last spans: %w", err)
	}
	return nil
}
