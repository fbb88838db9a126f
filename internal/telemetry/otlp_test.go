//go:build otlp

package telemetry

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	collected "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// Cases: M-MET-01
func TestCallsReachACollector(t *testing.T) {
	var got []string
	seen := make(chan struct{}, 8)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, points(t, r)...)
		seen <- struct{}{}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	m, err := Open(env(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL}), "1.2.3", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	m.Record("bash", 1500*time.Millisecond, "")
	m.Record("bash", 500*time.Millisecond, "")
	m.Record("bash", 0, "tool_error")
	m.Record("no_such_tool", 0, "tool_error")
	m.Record("read", time.Second, "*fs.PathError")
	m.Stop() // sends
	<-seen
	slices.Sort(got)
	want := []string{
		"tool.execution.duration s {error.type=*fs.PathError gen_ai.tool.name=read} 1 × 1",
		"tool.execution.duration s {error.type=tool_error gen_ai.tool.name=bash} 1 × 0",
		"tool.execution.duration s {error.type=tool_error gen_ai.tool.name=no_such_tool} 1 × 0",
		"tool.execution.duration s {gen_ai.tool.name=bash} 2 × 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the collector got\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// points lists what a request to a collector says, a line for each series.
func points(t *testing.T, r *http.Request) (lines []string) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(r.Body)
	}
	raw, err := io.ReadAll(body)
	var req collected.ExportMetricsServiceRequest
	if err != nil || proto.Unmarshal(raw, &req) != nil {
		t.Errorf("no metrics: %v", err)
	}
	for _, res := range req.ResourceMetrics {
		for _, scope := range res.ScopeMetrics {
			for _, m := range scope.Metrics {
				for _, p := range m.GetHistogram().GetDataPoints() {
					var attrs []string
					for _, a := range p.Attributes {
						attrs = append(attrs, a.Key+"="+a.Value.GetStringValue())
					}
					slices.Sort(attrs)
					lines = append(lines, fmt.Sprintf("%s %s {%s} %d × %g", m.Name, m.Unit, strings.Join(attrs, " "), p.Count, p.GetSum()))
				}
			}
		}
	}
	return lines
}

func TestAProtocolThatIsNotServedIsNamed(t *testing.T) {
	_, err := Open(env(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}), "1", slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "http/protobuf") {
		t.Errorf("%v", err)
	}
}

// A collector that refuses is told to the log, not to stderr.
func TestFaultsGoToTheLog(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	var b bytes.Buffer
	m, err := Open(env(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}), "1", slog.New(slog.NewTextHandler(&b, nil)))
	if err != nil {
		t.Fatal(err)
	}
	otel.Handle(errors.New("refused"))
	m.Stop()
	if !strings.Contains(b.String(), "refused") {
		t.Errorf("the log has %q", b.String())
	}
}
