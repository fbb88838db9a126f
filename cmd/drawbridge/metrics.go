package main

import (
	"log/slog"
	"os"

	"drawbridge/internal/telemetry"
	"drawbridge/session"
)

// measure has tool calls counted where the environment names a collector, until
// stop. One that cannot be served costs the metrics only.
func (s *setup) measure(o *session.Options) (stop func()) {
	meter, err := telemetry.Open(os.Getenv, version, s.log)
	if err != nil {
		s.log.Warn(err.Error())
	}
	if meter != nil {
		o.Measure = func(m session.Measured) { meter.Record(m.Tool, m.Duration, m.Failure) }
	}
	return meter.Stop
}

// checkMetrics says whether tool calls are measured, and how they would be.
func checkMetrics() finding {
	f := finding{name: "metrics"}
	if !telemetry.Asked(os.Getenv) {
		f.found, f.unused = "off; to send them to a collector set OTEL_EXPORTER_OTLP_ENDPOINT"+telemetry.Lacking, true
		return f
	}
	meter, err := telemetry.Open(os.Getenv, version, slog.New(slog.DiscardHandler))
	if err != nil {
		f.found, f.advice = "not sent", err.Error()
		return f
	}
	meter.Stop()
	f.found = "tool.execution.duration is sent to the collector that the environment names"
	return f
}
