//go:build otlp

package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Lacking ends a sentence about how to turn metrics on: what else that takes.
const Lacking = ""

// stopLimit bounds what the end of the program waits for a collector.
const stopLimit = time.Second

// buckets are those that the conventions for generative AI name for durations, in
// seconds.
var buckets = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}

// Open returns what sends to the collector that the environment names, nil if it
// names none. Where the collector is, how it is reached and how often are read
// from the standard variables by the exporter. A collector that does not answer
// is no error: nothing waits for one, and log is told. It must be one that keeps
// secrets to itself, since an address may hold one.
func Open(getenv func(string) string, version string, log *slog.Logger) (*Meter, error) {
	if !Asked(getenv) {
		return nil, nil
	}
	if p := firstOf(getenv("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"), getenv("OTEL_EXPORTER_OTLP_PROTOCOL")); p != "" && p != "http/protobuf" {
		return nil, fmt.Errorf("OpenTelemetry metrics: protocol %q is not served; set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf", p)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("OpenTelemetry metrics", "err", err) }))
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	exporter, err := otlpmetrichttp.New(context.Background())
	if err != nil {
		return nil, fmt.Errorf("OpenTelemetry metrics: %w", err)
	}
	about, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", "drawbridge"), attribute.String("service.version", version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("OpenTelemetry metrics: %w", err)
	}
	return meter(sdk.NewMeterProvider(sdk.WithReader(sdk.NewPeriodicReader(exporter)), sdk.WithResource(about)))
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			return w
		}
	}
	return ""
}

// meter records with a provider, which it shuts down at the end.
func meter(provider *sdk.MeterProvider) (*Meter, error) {
	durations, err := provider.Meter("drawbridge").Float64Histogram("tool.execution.duration",
		metric.WithUnit("s"), metric.WithDescription("How long a tool call took to carry out."),
		metric.WithExplicitBucketBoundaries(buckets...))
	if err != nil {
		return nil, fmt.Errorf("OpenTelemetry metrics: %w", err)
	}
	return &Meter{
		record: func(tool string, took time.Duration, failure string) {
			attrs := []attribute.KeyValue{attribute.String("gen_ai.tool.name", tool)}
			if failure != "" {
				attrs = append(attrs, attribute.String("error.type", failure))
			}
			durations.Record(context.Background(), took.Seconds(), metric.WithAttributes(attrs...))
		},
		stop: func() {
			ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
			defer cancel()
			_ = provider.Shutdown(ctx) // a collector that is gone is nobody's business at the end
		},
	}, nil
}
