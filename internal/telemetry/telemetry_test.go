package telemetry

import (
	"log/slog"
	"testing"
)

func env(kv map[string]string) func(string) string {
	return func(name string) string { return kv[name] }
}

func TestMetricsAreSentOnlyWhenTheEnvironmentAsks(t *testing.T) {
	const endpoint, metrics = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, false},
		{map[string]string{endpoint: "http://127.0.0.1:4318"}, true},
		{map[string]string{metrics: "http://127.0.0.1:4318/v1/metrics"}, true},
		{map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}, false},
		{map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_METRICS_EXPORTER": "none"}, false},
		{map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_METRICS_EXPORTER": "otlp"}, true},
		{map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_METRICS_EXPORTER": "console, otlp"}, true},
		{map[string]string{endpoint: "http://127.0.0.1:4318", "OTEL_METRICS_EXPORTER": "console"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318"}, false},
	} {
		if got := Asked(env(c.env)); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
	m, err := Open(env(nil), "1", slog.New(slog.DiscardHandler))
	if m != nil || err != nil {
		t.Errorf("unasked: %v, %v", m, err)
	}
	m.Record("read_file", 0, "") // the nil Meter takes anything
	m.Stop()
}
