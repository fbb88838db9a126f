//go:build !otlp

package telemetry

import (
	"errors"
	"log/slog"
)

// Open cannot serve those who ask for metrics.
func Open(getenv func(string) string, _ string, _ *slog.Logger) (*Meter, error) {
	if !Asked(getenv) {
		return nil, nil
	}
	return nil, errors.New("the environment asks for OpenTelemetry metrics, and this program was built without their exporter; build it with the tag otlp (make otlp)")
}
