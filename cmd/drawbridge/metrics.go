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

// checkMetrics says whether tool calls are measured; nothing where nobody asks.
func checkMetrics() []finding {
	if !telemetry.Asked(os.Getenv) {
		return nil
	}
	meter, err := telemetry.Open(os.Getenv, version, slog.New(slog.DiscardHandler))
	if err != nil {
		return []finding{{name: "metrics", found: "not sent", advice: err.Error()}}
	}
	meter.Stop()
	return []finding{{name: "metrics", found: "tool.execution.duration is sent to the collector that the environment names"}}
}
