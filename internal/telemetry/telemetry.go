// Package telemetry sends what is measured of tool calls to an OpenTelemetry
// collector, when the standard environment variables name one. Its exporter is
// part of the program only when that is built with the tag otlp, since it is a
// third of it: make otlp does.
package telemetry

import (
	"strings"
	"time"
)

// Asked says that the environment names a collector for metrics, by the
// variables of the OpenTelemetry specification.
func Asked(getenv func(string) string) bool {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	if exporters := getenv("OTEL_METRICS_EXPORTER"); exporters != "" && !listed(exporters, "otlp") {
		return false
	}
	return getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT") != ""
}

// listed says that a word stands in a list with commas.
func listed(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(w) == word {
			return true
		}
	}
	return false
}

// Meter records calls. The nil Meter records nothing. Safe for concurrent use.
type Meter struct {
	record func(tool string, took time.Duration, failure string)
	stop   func()
}

// Record counts a call of a tool that took so long. failure is "" when it was
// completed, else the value of error.type.
func (m *Meter) Record(tool string, took time.Duration, failure string) {
	if m != nil {
		m.record(tool, took, failure)
	}
}

// Stop sends what is left, for at most a second.
func (m *Meter) Stop() {
	if m != nil {
		m.stop()
	}
}
