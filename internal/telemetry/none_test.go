//go:build !otlp

package telemetry

import (
	"strings"
	"testing"
)

func TestAProgramWithoutTheExporterSaysSo(t *testing.T) {
	_, err := Open(env(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}), "1", nil)
	if err == nil || !strings.Contains(err.Error(), "make otlp") {
		t.Errorf("%v", err)
	}
}
