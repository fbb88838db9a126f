//go:build !otlp

package telemetry

import (
	"errors"
	"log/slog"
)

// Lacking ends a sentence about how to turn metrics on: what else that takes.
const Lacking = ", with a program that was built with their exporter (make otlp)"

// Open cannot serve those who ask for metrics.
func Open(getenv func(string) string, _ string, _ *slog.Logger) (*Meter, error) {
	if !Asked(getenv) {
		return nil, nil
	}
	return nil, errors.New("the environment asks for OpenTelemetry metrics, and this program was built without their exporter; build it with the tag otlp (make otlp)")
}
